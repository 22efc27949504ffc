//! From choices that fail to simpler ones that still do.
//!
//! Simpler is: fewer departures from the default order, then a shorter list, then lower choices. Chunks are left out,
//! half of the list first and single choices last (Zeller and Hildebrandt, «Simplifying and Isolating Failure-Inducing
//! Input», 2002), then choices are lowered to the default order, or as far as they can be, until nothing of that
//! still fails. The same choices and the same test of them give the same result.

use super::Choices;

/// What became of the choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The simplest that were found to fail.
    pub choices: Choices,
    /// How often it was asked whether choices fail.
    pub asked: u64,
    /// Whether nothing simpler is left to try. Otherwise it was asked as often as it may be.
    pub done: bool,
}

/// A run of this length is taken apart; a longer one stays whole.
const TAKEN_APART: u64 = 1 << 10;

/// Looks for the simplest choices that still fail, asking at most `most` times. `choices` should fail: what does not is
/// given back as it is, or as something simpler that does.
pub fn shrink(choices: &Choices, most: u64, fails: impl FnMut(&Choices) -> bool) -> Shrunk {
    let mut search = Search { best: choices.clone(), asked: 0, most, fails };
    loop {
        let before = search.best.clone();
        search.leave_out();
        search.lower();
        let done = search.best == before;
        if done || search.is_spent() {
            return Shrunk {
                done: done && !search.is_spent(),
                asked: search.asked,
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

    /// The best choices, in pieces that can be left out or lowered.
    fn pieces(&self) -> Vec<(u32, u64)> {
        let apart = |&(choice, count): &(u32, u64)| {
            let whole = choice == 0 || count > TAKEN_APART;
            let (pieces, of) = if whole { (1, count) } else { (count as usize, 1) };
            std::iter::repeat_n((choice, of), pieces)
        };
        self.best.runs().iter().flat_map(apart).collect()
    }

    /// Takes these pieces for the best if they are simpler and fail.
    fn takes(&mut self, pieces: impl IntoIterator<Item = (u32, u64)>) -> bool {
        let candidate: Choices = pieces.into_iter().collect();
        if self.is_spent() || simplicity(&candidate) >= simplicity(&self.best) {
            return false;
        }
        self.asked += 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    /// Leaves out chunks: from the end on, so that a shorter beginning is found first.
    fn leave_out(&mut self) {
        let mut size = self.pieces().len();
        while size > 0 {
            let mut end = self.pieces().len();
            while end > 0 && !self.is_spent() {
                let pieces = self.pieces();
                end = end.min(pieces.len());
                let start = end.saturating_sub(size);
                let rest = pieces[..start].iter().chain(&pieces[end..]);
                self.takes(rest.copied());
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
                self.takes(with.map(|(other, old)| if other == at { piece } else { *old }))
            });
            // What was lowered may be lowered further; pieces may have been joined.
            if !lowered {
                at += 1;
            }
        }
    }
}

/// The less, the simpler.
fn simplicity(choices: &Choices) -> (u64, u64, u128) {
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
        // It needs a 2 or more somewhere, and a 4 or more after that.
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
        // What fails anyhow needs no choices.
        assert!(shrink(&list(&[1, 2, 3]), 1_000, |_| true).choices.is_empty());
    }

    #[test]
    fn it_asks_no_more_often_than_it_may() {
        let long: Choices = (0..200).map(|n| n % 7).collect();
        for most in [0, 1, 10, 100] {
            let mut asked = 0;
            let shrunk = shrink(&long, most, |choices| {
                asked += 1;
                choices.len() > 60
            });
            assert!(asked <= most && shrunk.asked == asked && shrunk.choices.len() > 60);
        }
        // Runs too long to be taken apart are left as they are, or left out.
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
            // A subsequence that has to be there.
            let fails = |choices: &Choices| {
                let mut rest = choices.iter();
                needs.iter().all(|need| rest.any(|choice| choice == *need))
            };
            let given = list(&choices);
            prop_assume!(fails(&given));
            let shrunk = shrink(&given, 100_000, fails);
            prop_assert!(shrunk.done && fails(&shrunk.choices));
            prop_assert!(simplicity(&shrunk.choices) <= simplicity(&given));
            prop_assert_eq!(shrunk.choices.departures(), needs.len() as u64);
            prop_assert_eq!(shrink(&given, 100_000, fails), shrink(&given, 100_000, fails));
        }
    }
}
