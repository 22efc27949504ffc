//! A recorded list of choices, which reproduces one run of a launch.

use std::fmt;
use std::str::FromStr;

/// The choices of which unit does each step, in order, as numbered by [`EnabledUnits`](super::EnabledUnits): 0 stays in
/// the default order. After its end, the list continues in the default order. Trailing zeros are therefore
/// dropped, and equal lists are equal runs.
///
/// The text form is run-length encoded: `0x5,2,1x3`. The empty list is `0`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Choices {
    /// Choices with their repeat counts. Neighboring choices differ, no count is 0, and the last choice is
    /// not 0.
    runs: Vec<(u32, u64)>,
}

impl Choices {
    /// Returns the choices, run-length encoded: each with its repeat count.
    pub fn runs(&self) -> &[(u32, u64)] {
        &self.runs
    }

    /// Returns all choices one by one.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let times = |count: u64| std::iter::successors(count.checked_sub(1), |n| n.checked_sub(1));
        self.runs.iter().flat_map(move |&(choice, count)| times(count).map(move |_| choice))
    }

    /// Returns the number of choices up to the last one that is not 0.
    pub fn len(&self) -> u64 {
        self.runs.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Returns whether this is the default order.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the number of choices that leave the default order.
    pub fn departures(&self) -> u64 {
        let others = self.runs.iter().filter(|(choice, _)| *choice != 0);
        others.fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }
}

impl FromIterator<(u32, u64)> for Choices {
    fn from_iter<I: IntoIterator<Item = (u32, u64)>>(runs: I) -> Self {
        let mut recorder = Recorder::default();
        runs.into_iter().for_each(|(choice, count)| recorder.add(choice, count));
        recorder.finish()
    }
}

impl FromIterator<u32> for Choices {
    fn from_iter<I: IntoIterator<Item = u32>>(choices: I) -> Self {
        choices.into_iter().map(|choice| (choice, 1)).collect()
    }
}

/// Records the choices of a run as they are made.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    runs: Vec<(u32, u64)>,
}

impl Recorder {
    /// Records the next choice.
    pub fn push(&mut self, choice: u32) {
        self.add(choice, 1);
    }

    fn add(&mut self, choice: u32, count: u64) {
        match self.runs.last_mut() {
            _ if count == 0 => {}
            Some((last, sum)) if *last == choice => *sum = sum.saturating_add(count),
            _ => self.runs.push((choice, count)),
        }
    }

    /// Returns all recorded choices.
    pub fn finish(mut self) -> Choices {
        self.runs.pop_if(|(choice, _)| *choice == 0);
        Choices { runs: self.runs }
    }
}

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("0");
        }
        for (at, (choice, count)) in self.runs.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            match count {
                1 => write!(f, "{comma}{choice}")?,
                _ => write!(f, "{comma}{choice}x{count}")?,
            }
        }
        Ok(())
    }
}

/// An error in the text of a list of choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{part}` is not a choice; separate choices with commas, and write `2x5` to repeat the choice 2 five times"
)]
pub struct ChoicesError {
    /// The invalid part of the list.
    pub part: String,
}

impl FromStr for Choices {
    type Err = ChoicesError;

    fn from_str(text: &str) -> Result<Self, ChoicesError> {
        let one = |part: &str| {
            let (choice, count) = part.split_once('x').unwrap_or((part, "1"));
            let run = number(choice).zip(number(count));
            run.filter(|(_, count)| *count > 0)
                .ok_or_else(|| ChoicesError { part: part.to_owned() })
        };
        text.split(',').map(one).collect()
    }
}

/// Parses a number without a sign.
pub fn number<N: FromStr>(text: &str) -> Option<N> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_list_is_written_run_by_run_and_without_zeros_at_its_end() {
        let written = |choices: &[u32]| choices.iter().copied().collect::<Choices>().to_string();
        assert_eq!(written(&[0, 0, 0, 2, 1, 1, 0]), "0x3,2,1x2");
        assert_eq!(written(&[0, 0]), "0");
        assert_eq!(written(&[]), "0");
        let list: Choices = "0x3,2,1x2".parse().unwrap();
        assert_eq!(list.iter().collect::<Vec<_>>(), [0, 0, 0, 2, 1, 1]);
        assert_eq!((list.len(), list.departures()), (6, 3));
        // However long the list is, memory is not allocated for each choice.
        let long: Choices = "0x18446744073709551615,1x7".parse().unwrap();
        assert_eq!((long.len(), long.departures()), (u64::MAX, 7));
    }

    #[test]
    fn invalid_choice_lists_are_rejected() {
        for text in
            ["", "x", "1x", "x1", "1x0", "1,", ",1", "-1", "+1", "1 ,2", "1x2x3", "a", "4294967296"]
        {
            let error = text.parse::<Choices>().unwrap_err();
            assert!(text.contains(&error.part) && error.to_string().contains("commas"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_list_is_read_from_what_it_prints(runs in prop::collection::vec((0u32..4, 0u64..5), 0..20)) {
            let list: Choices = runs.iter().copied().collect();
            prop_assert_eq!(list.to_string().parse(), Ok(list.clone()));
            let mut one_by_one: Vec<u32> =
                runs.iter().flat_map(|(choice, count)| vec![*choice; *count as usize]).collect();
            prop_assert_eq!(&one_by_one.iter().copied().collect::<Choices>(), &list);
            while one_by_one.last() == Some(&0) {
                one_by_one.pop();
            }
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), one_by_one.clone());
            let mut recorder = Recorder::default();
            one_by_one.iter().for_each(|choice| recorder.push(*choice));
            prop_assert_eq!(recorder.finish(), list);
        }

        #[test]
        fn parsing_never_panics(text in "[0-9x,:a-z+-]{0,30}") {
            if let Ok(list) = text.parse::<Choices>() {
                prop_assert_eq!(list.to_string().parse(), Ok(list));
            }
        }
    }
}
