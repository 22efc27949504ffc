//! Strategies that override single decisions of the serial order.

use super::serial::Serial;
use super::{Gap, Ready, Start, Strategy, TimeSlice, View};
use std::fmt::Debug;

/// Decisions that override those of the serial strategy. Each method is called instead of the method of [`Serial`], and may call
/// it.
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
pub(super) struct OverriddenSerial<C> {
    overrides: C,
    serial: Serial,
}

impl<C: SerialOverride> OverriddenSerial<C> {
    /// Creates the serial strategy with these overrides.
    pub fn new(overrides: C) -> Self {
        Self { overrides, serial: Serial::default() }
    }
}

impl<C: SerialOverride> Strategy for OverriddenSerial<C> {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        self.overrides.start(&mut self.serial, view)
    }

    fn turn(&mut self, view: &View<'_>) -> usize {
        self.serial.turn(view)
    }

    fn slice(&mut self, place: usize, ready: &Ready<'_>, view: &View<'_>) -> Option<TimeSlice> {
        self.overrides.slice(&mut self.serial, place, ready, view)
    }

    fn blocked(&mut self, place: usize, view: &View<'_>) {
        self.serial.blocked(place, view);
    }

    fn ended(&mut self, place: usize, view: &View<'_>) -> Gap {
        self.serial.ended(place, view)
    }
}
