//! The units that can do a step now, and how they are numbered as choices.

use super::Unit;

/// The units that can do a step. Never empty when a [`Chooser`](super::Chooser) sees it.
///
/// Choices number them: 0 is the one that did the last step, if it can go on, and the rest follow in ascending order.
/// So a list of nothing but zeros is the *default order*: each unit goes on until it ends or waits, the lowest first.
/// How often a list leaves that order is how often somebody is pre-empted.
#[derive(Clone, Debug, Default)]
pub struct Enabled {
    /// In ascending order.
    units: Vec<Unit>,
    /// Who did the last step.
    last: Option<Unit>,
    /// Whether units became enabled since the last choice.
    grown: bool,
}

impl Enabled {
    /// How many.
    pub fn count(&self) -> usize {
        self.units.len()
    }

    /// All of them, in ascending order.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Whether this one can do a step.
    pub fn contains(&self, unit: Unit) -> bool {
        self.units.binary_search(&unit).is_ok()
    }

    /// Who did the last step, if it can go on.
    pub fn last(&self) -> Option<Unit> {
        self.last.filter(|last| self.contains(*last))
    }

    /// Whether there may be some that could not do a step when the last choice was made.
    pub fn has_grown(&self) -> bool {
        self.grown
    }

    /// The unit of a choice; one past the last choice means that.
    pub fn of_choice(&self, choice: usize) -> Unit {
        let choice = choice.min(self.units.len().saturating_sub(1));
        let place = match self.place_of_last() {
            Some(last) if choice == 0 => last,
            Some(last) if choice <= last => choice - 1,
            _ => choice,
        };
        self.units.get(place).copied().unwrap_or_default()
    }

    /// The choice that means this unit; `None` if it cannot do a step.
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

    /// This one does the next step. It stays among them until it is removed: most go on, and a list that is long is not
    /// moved about at every step.
    pub(super) fn take(&mut self, unit: Unit) {
        self.last = Some(unit);
        self.grown = false;
    }

    /// This one cannot do a step any more.
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
        let mut enabled = Enabled::default();
        for unit in [7, 2, 9, 4] {
            enabled.insert(Unit(unit));
        }
        let all = |enabled: &Enabled| [0, 1, 2, 3, 4].map(|choice| enabled.of_choice(choice).0);
        assert_eq!(all(&enabled), [2, 4, 7, 9, 9], "nobody was last");
        enabled.take(Unit(7));
        enabled.remove(Unit(7));
        assert_eq!(all(&enabled), [2, 4, 9, 9, 9], "the last one cannot go on");
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
