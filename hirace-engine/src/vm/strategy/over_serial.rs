//! Strategies that decide one thing otherwise than the serial order, and leave the rest to it.

use super::serial::Serial;
use super::{Gap, Ready, Slice, Start, Strategy, View};
use std::fmt::Debug;

/// What is decided otherwise. Each of these is asked in place of the serial order, and may ask that in turn.
pub(super) trait Change: Debug {
    /// See [`Strategy::start`].
    fn start(&mut self, serial: &mut Serial, view: &View<'_>) -> Option<Start> {
        serial.start(view)
    }

    /// See [`Strategy::slice`].
    fn slice(
        &mut self,
        serial: &mut Serial,
        place: usize,
        ready: &Ready<'_>,
        view: &View<'_>,
    ) -> Option<Slice> {
        serial.slice(place, ready, view)
    }
}

/// The serial order with a change.
#[derive(Debug)]
pub(super) struct OverSerial<C> {
    change: C,
    serial: Serial,
}

impl<C: Change> OverSerial<C> {
    /// With this change.
    pub fn new(change: C) -> Self {
        Self { change, serial: Serial::default() }
    }
}

impl<C: Change> Strategy for OverSerial<C> {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        self.change.start(&mut self.serial, view)
    }

    fn turn(&mut self, view: &View<'_>) -> usize {
        self.serial.turn(view)
    }

    fn slice(&mut self, place: usize, ready: &Ready<'_>, view: &View<'_>) -> Option<Slice> {
        self.change.slice(&mut self.serial, place, ready, view)
    }

    fn blocked(&mut self, place: usize, view: &View<'_>) {
        self.serial.blocked(place, view);
    }

    fn ended(&mut self, place: usize, view: &View<'_>) -> Gap {
        self.serial.ended(place, view)
    }
}
