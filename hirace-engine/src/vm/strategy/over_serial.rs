//! Strategies that override single decisions of the serial order.

use super::serial::Serial;
use super::{Gap, Ready, Start, Strategy, TimeSlice, View};
use std::fmt::Debug;

/// The decisions that are overridden. Each method is called in place of the serial order's, and may call that
/// one.
pub(super) trait SerialOverride: Debug {
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
    ) -> Option<TimeSlice> {
        serial.slice(place, ready, view)
    }
}

/// The serial strategy with overridden decisions.
#[derive(Debug)]
pub(super) struct OverSerial<C> {
    change: C,
    serial: Serial,
}

impl<C: SerialOverride> OverSerial<C> {
    /// Creates the serial order with this change.
    pub fn new(change: C) -> Self {
        Self { change, serial: Serial::default() }
    }
}

impl<C: SerialOverride> Strategy for OverSerial<C> {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        self.change.start(&mut self.serial, view)
    }

    fn turn(&mut self, view: &View<'_>) -> usize {
        self.serial.turn(view)
    }

    fn slice(&mut self, place: usize, ready: &Ready<'_>, view: &View<'_>) -> Option<TimeSlice> {
        self.change.slice(&mut self.serial, place, ready, view)
    }

    fn blocked(&mut self, place: usize, view: &View<'_>) {
        self.serial.blocked(place, view);
    }

    fn ended(&mut self, place: usize, view: &View<'_>) -> Gap {
        self.serial.ended(place, view)
    }
}
