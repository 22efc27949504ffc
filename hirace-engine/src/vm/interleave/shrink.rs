//! Shrinks failing choices to simpler ones that still fail.
//!
//! Simpler means fewer departures from the default order, then a shorter list, then lower choices. Chunks are
//! removed, from half of the list down to single choices (Zeller and Hildebrandt, "Simplifying and Isolating
//! Failure-Inducing Input", 2002). Then choices are lowered to the default order, or as far as possible,
//! until no such change still fails. The result is deterministic if the test is.

use super::Choices;

/// The result of shrinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShrinkResult {
    /// The simplest failing choices that were found.
    pub choices: Choices,
    /// Number of tests that were run.
    pub test_runs: u64,
    /// Whether nothing simpler remains to be tried. Otherwise the maximum number of tests was reached.
    pub done: bool,
}

/// A run-length entry up to this length is split into single choices; a longer one stays whole.
const TAKEN_APART: u64 = 1 << 10;

/// Finds the simplest choices that still fail, with at most `most` tests. `choices` should fail; otherwise
/// the result is `choices` itself or something simpler that fails.
pub fn shrink(choices: &Choices, most: u64, fails: impl FnMut(&Choices) -> bool) -> ShrinkResult {
    let mut search = Search { best: choices.clone(), asked: 0, most, fails };
    loop {
        let before = search.best.clone();
        search.leave_out();
        search.lower();
        let done = search.best == before;
        if done || search.is_spent() {
            return ShrinkResult {
                done: done && !search.is_spent(),
                test_runs: search.asked,
                choices: search.best,
            };
        }
    }
}

struct Search<F> {
    best: Choices,
    asked: u64,
    most: u64,
    fails: F,
}

impl<F: FnMut(&Choices) -> bool> Search<F> {
    fn is_spent(&self) -> bool {
        self.asked >= self.most
    }

    /// Returns the best choices, in pieces that can be removed or lowered.
    fn pieces(&self) -> Vec<(u32, u64)> {
        let apart = |&(choice, count): &(u32, u64)| {
            let whole = choice == 0 || count > TAKEN_APART;
            let (pieces, of) = if whole { (1, count) } else { (count as usize, 1) };
            std::iter::repeat_n((choice, of), pieces)
        };
        self.best.runs().iter().flat_map(apart).collect()
    }

    /// Accepts these pieces as the best choices if they are simpler and fail. Returns whether it did.
    fn accept_if_simpler(&mut self, pieces: impl IntoIterator<Item = (u32, u64)>) -> bool {
        let candidate: Choices = pieces.into_iter().collect();
        if self.is_spent() || complexity(&candidate) >= complexity(&self.best) {
            return false;
        }
        self.asked += 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    /// Removes chunks, from the end on, so that a shorter prefix is found first.
    fn leave_out(&mut self) {
        let mut size = self.pieces().len();
        while size > 0 {
            let mut end = self.pieces().len();
            while end > 0 && !self.is_spent() {
                let pieces = self.pieces();
                end = end.min(pieces.len());
                let start = end.saturating_sub(size);
                let rest = pieces[..start].iter().chain(&pieces[end..]);
                self.accept_if_simpler(rest.copied());
                end = start;
            }
            size /= 2;
        }
    }

    /// Lowers choices one by one, and shortens runs of the default order.
    fn lower(&mut self) {
        let mut at = 0;
        while at < self.pieces().len() && !self.is_spent() {
            let pieces = self.pieces();
            let (choice, count) = pieces[at];
            let lower: Vec<(u32, u64)> = match choice {
                0 => vec![(0, count / 2), (0, count - 1)],
                _ => vec![(0, count), (1, count), (choice / 2, count), (choice - 1, count)],
            };
            let mut lower = lower.into_iter();
            let lowered = lower.any(|piece| {
                let with = pieces.iter().enumerate();
                self.accept_if_simpler(
                    with.map(|(other, old)| if other == at { piece } else { *old }),
                )
            });
            // A lowered choice may be lowered further; pieces may have been joined.
            if !lowered {
                at += 1;
            }
        }
    }
}

/// Returns the complexity of choices: a lesser value is simpler.
fn complexity(choices: &Choices) -> (u64, u64, u128) {
    let sum = |(choice, count): &(u32, u64)| u128::from(*choice) * u128::from(*count);
    (choices.departures(), choices.len(), choices.runs().iter().map(sum).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(choices: &[u32]) -> Choices {
        choices.iter().copied().collect()
    }

    #[test]
    fn what_a_failure_does_not_need_is_left_out() {
        let long = list(&[3, 1, 0, 2, 2, 5, 0, 1, 4, 0, 0, 7, 1]);
        // Fails if the list has a choice of at least 2, and a choice of at least 4 after that.
        let fails = |choices: &Choices| {
            let mut rest = choices.iter().skip_while(|choice| *choice < 2).skip(1);
            rest.any(|choice| choice >= 4)
        };
        assert!(fails(&long));
        let shrunk = shrink(&long, 1_000, fails);
        assert_eq!((shrunk.choices, shrunk.done), (list(&[2, 4]), true));
    }

    #[test]
    fn where_a_departure_has_to_stand_zeros_stay_before_it() {
        let fails = |choices: &Choices| choices.iter().nth(5).is_some_and(|choice| choice > 0);
        let shrunk = shrink(&list(&[1, 1, 2, 1, 3, 9, 1]), 1_000, fails);
        assert_eq!(shrunk.choices, list(&[0, 0, 0, 0, 0, 1]));
        // If everything fails, no choices are needed.
        assert!(shrink(&list(&[1, 2, 3]), 1_000, |_| true).choices.is_empty());
    }

    #[test]
    fn shrinking_respects_the_limit_on_tests() {
        let long: Choices = (0..200).map(|n| n % 7).collect();
        for most in [0, 1, 10, 100] {
            let mut asked = 0;
            let shrunk = shrink(&long, most, |choices| {
                asked += 1;
                choices.len() > 60
            });
            assert!(asked <= most && shrunk.test_runs == asked && shrunk.choices.len() > 60);
        }
        // Entries that are too long to be split are kept whole or removed.
        let huge: Choices = "0x18446744073709551614,3x9999999999,1".parse().unwrap();
        let shrunk = shrink(&huge, 1_000, |choices| choices.runs().contains(&(1, 1)));
        assert_eq!(shrunk.choices, list(&[1]));
    }

    proptest! {
        #[test]
        fn it_still_fails_and_is_no_less_simple(
            choices in prop::collection::vec(0u32..5, 0..30),
            needs in prop::collection::vec(1u32..5, 0..4),
        ) {
            // A subsequence that must be present.
            let fails = |choices: &Choices| {
                let mut rest = choices.iter();
                needs.iter().all(|need| rest.any(|choice| choice == *need))
            };
            let given = list(&choices);
            prop_assume!(fails(&given));
            let shrunk = shrink(&given, 100_000, fails);
            prop_assert!(shrunk.done && fails(&shrunk.choices));
            prop_assert!(complexity(&shrunk.choices) <= complexity(&given));
            prop_assert_eq!(shrunk.choices.departures(), needs.len() as u64);
            prop_assert_eq!(shrink(&given, 100_000, fails), shrink(&given, 100_000, fails));
        }
    }
}
