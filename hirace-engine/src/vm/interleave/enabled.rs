//! The enabled units, and how choices number them.

use super::Unit;

/// The units that can do a step. Never empty when a [`Chooser`](super::Chooser) sees it.
///
/// Choices number the enabled units: 0 is the unit that did the last step, if it can continue, and the others
/// follow in ascending order. So a list of zeros is the *default order*: each unit runs until it ends or
/// waits, the lowest unit first. The number of departures from the default order is the number of
/// pre-emptions.
#[derive(Clone, Debug, Default)]
pub struct EnabledUnits {
    /// The enabled units in ascending order.
    units: Vec<Unit>,
    /// The unit that did the last step.
    last: Option<Unit>,
    /// Whether units became enabled since the last choice.
    grown: bool,
}

impl EnabledUnits {
    /// Returns the number of enabled units.
    pub fn count(&self) -> usize {
        self.units.len()
    }

    /// Returns the enabled units in ascending order.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Returns whether this unit can do a step.
    pub fn contains(&self, unit: Unit) -> bool {
        self.units.binary_search(&unit).is_ok()
    }

    /// Returns the unit that did the last step, if it can continue.
    pub fn last(&self) -> Option<Unit> {
        self.last.filter(|last| self.contains(*last))
    }

    /// Returns whether a unit may be enabled that was not enabled when the last choice was made.
    pub fn has_grown(&self) -> bool {
        self.grown
    }

    /// Returns the unit of a choice; a choice past the end means the last unit.
    pub fn of_choice(&self, choice: usize) -> Unit {
        let choice = choice.min(self.units.len().saturating_sub(1));
        let place = match self.place_of_last() {
            Some(last) if choice == 0 => last,
            Some(last) if choice <= last => choice - 1,
            _ => choice,
        };
        self.units.get(place).copied().unwrap_or_default()
    }

    /// Returns the choice that means this unit; `None` if it is not enabled.
    pub fn choice_of(&self, unit: Unit) -> Option<usize> {
        let place = self.units.binary_search(&unit).ok()?;
        Some(match self.place_of_last() {
            Some(last) if place == last => 0,
            Some(last) if place < last => place + 1,
            _ => place,
        })
    }

    fn place_of_last(&self) -> Option<usize> {
        self.units.binary_search(&self.last?).ok()
    }

    pub(super) fn insert(&mut self, unit: Unit) {
        if let Err(place) = self.units.binary_search(&unit) {
            self.units.insert(place, unit);
            self.grown |= self.last != Some(unit);
        }
    }

    /// Records that this unit does the next step. It stays in the list until it is removed: most units
    /// continue, and this avoids moving a long list at every step.
    pub(super) fn take(&mut self, unit: Unit) {
        self.last = Some(unit);
        self.grown = false;
    }

    /// Removes a unit that can no longer do a step.
    pub(super) fn remove(&mut self, unit: Unit) {
        if let Ok(place) = self.units.binary_search(&unit) {
            self.units.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_number_the_last_one_first_and_the_rest_in_order() {
        let mut enabled = EnabledUnits::default();
        for unit in [7, 2, 9, 4] {
            enabled.insert(Unit(unit));
        }
        let all =
            |enabled: &EnabledUnits| [0, 1, 2, 3, 4].map(|choice| enabled.of_choice(choice).0);
        assert_eq!(all(&enabled), [2, 4, 7, 9, 9], "no unit did the last step");
        enabled.take(Unit(7));
        enabled.remove(Unit(7));
        assert_eq!(all(&enabled), [2, 4, 9, 9, 9], "the last unit cannot continue");
        assert!(!enabled.has_grown() && enabled.last().is_none());
        enabled.insert(Unit(7));
        assert_eq!(all(&enabled), [7, 2, 4, 9, 9]);
        assert!(!enabled.has_grown() && enabled.last() == Some(Unit(7)));
        for choice in 0..4 {
            assert_eq!(enabled.choice_of(enabled.of_choice(choice)), Some(choice));
        }
        assert_eq!(enabled.choice_of(Unit(3)), None);
        enabled.insert(Unit(3));
        assert!(enabled.has_grown());
    }
}
