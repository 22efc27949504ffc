//! An interleaving as a value, and its text form.

use super::choices::number;
use super::{ALL, Choices, ChoicesError, Chooser, Kind, Parameter};
use crate::vm::schedule::quote_names;
use std::fmt;
use std::str::FromStr;

/// A strategy with its arguments. The same interleaving over the same launch gives the same run.
///
/// The text form is the name and the arguments, separated by colons: `random:7`, `pct:7:3:40`,
/// `choices:0x5,2,1x3`.
#[derive(Clone, Debug)]
pub struct Interleaving {
    kind: &'static Kind,
    /// One number per parameter, within its bounds.
    numbers: Vec<u64>,
    choices: Choices,
}

impl Interleaving {
    /// Creates the interleaving in which each step is done by an enabled unit that is drawn by a seed.
    pub fn random(seed: u64) -> Self {
        Self { kind: &super::random::KIND, numbers: vec![seed], choices: Choices::default() }
    }

    /// Creates a PCT interleaving. In a run of at most `steps` steps it finds a bug of the given depth with a
    /// probability of at least 1 / (units · steps^(depth − 1)). A depth or number of steps that is out of
    /// bounds is clamped.
    pub fn pct(seed: u64, depth: u64, steps: u64) -> Self {
        let kind = &super::pct::KIND;
        let given = kind.parameters.iter().zip([seed, depth, steps]);
        let numbers = given.map(|(wants, number)| number.clamp(wants.least, wants.most));
        Self { kind, numbers: numbers.collect(), choices: Choices::default() }
    }

    /// Creates the interleaving that replays these choices.
    pub fn choices(choices: Choices) -> Self {
        Self { kind: &super::replay::KIND, numbers: Vec::new(), choices }
    }

    /// Creates the strategy, for one run.
    pub fn chooser(&self) -> Box<dyn Chooser> {
        (self.kind.make)(&self.numbers, &self.choices)
    }

    /// Parses the text that follows the name of a kind.
    fn given(kind: &'static Kind, text: Option<&str>) -> Result<Self, InterleavingError> {
        let wrong = || InterleavingError::Arguments { kind };
        let mut parts: Vec<&str> = text.map(|text| text.split(':').collect()).unwrap_or_default();
        let mut choices = Choices::default();
        if kind.takes_choices {
            choices = parts.pop().ok_or_else(wrong)?.parse()?;
        }
        let one = |(part, wants): (&&str, &Parameter)| {
            number(part).filter(|given| (wants.least..=wants.most).contains(given))
        };
        let numbers: Option<Vec<u64>> = parts.iter().zip(kind.parameters).map(one).collect();
        let numbers = numbers.filter(|_| parts.len() == kind.parameters.len()).ok_or_else(wrong)?;
        Ok(Self { kind, numbers, choices })
    }
}

impl PartialEq for Interleaving {
    fn eq(&self, other: &Self) -> bool {
        (self.kind.name, &self.numbers, &self.choices)
            == (other.kind.name, &other.numbers, &other.choices)
    }
}

impl Eq for Interleaving {}

impl fmt::Display for Interleaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name)?;
        self.numbers.iter().try_for_each(|number| write!(f, ":{number}"))?;
        if self.kind.takes_choices { write!(f, ":{}", self.choices) } else { Ok(()) }
    }
}

/// An error in the text of an interleaving.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InterleavingError {
    /// No strategy has this name.
    #[error("no interleaving is called `{name}`; expected one of {}", names())]
    Unknown {
        /// The name.
        name: String,
    },
    /// The number of arguments is wrong, or one is out of bounds.
    #[error("invalid arguments of `{}`; expected {}", kind.name, form(kind))]
    Arguments {
        /// The strategy.
        kind: &'static Kind,
    },
    /// The list of choices is invalid.
    #[error(transparent)]
    Choices(#[from] ChoicesError),
}

fn names() -> String {
    quote_names(ALL.iter().map(|kind| kind.name))
}

/// Returns the expected text form with its bounds: "`pct:SEED:DEPTH:STEPS`, where depth is from 1 to 64 and
/// …".
fn form(kind: &Kind) -> String {
    let mut form = format!("`{}", kind.name);
    for parameter in kind.parameters {
        form += ":";
        form += &parameter.name.to_uppercase();
    }
    form += if kind.takes_choices { ":CHOICES`" } else { "`" };
    let bounds =
        kind.parameters.iter().map(|Parameter { name, least, most }| match (least, most) {
            (least, &u64::MAX) => format!("{name} is a number of at least {least}"),
            (least, most) => format!("{name} is a number from {least} to {most}"),
        });
    let bounds: Vec<String> = bounds.collect();
    if bounds.is_empty() { form } else { format!("{form}, where {}", bounds.join(", ")) }
}

impl FromStr for Interleaving {
    type Err = InterleavingError;

    fn from_str(text: &str) -> Result<Self, InterleavingError> {
        let (name, rest) =
            text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let kind = ALL.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| InterleavingError::Unknown { name: name.to_owned() })?;
        Self::given(kind, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_interleaving_is_written_as_its_name_and_what_it_is_given() {
        assert_eq!(Interleaving::random(7).to_string(), "random:7");
        assert_eq!(Interleaving::pct(7, 3, 40).to_string(), "pct:7:3:40");
        assert_eq!(Interleaving::pct(7, 0, 0).to_string(), "pct:7:1:1");
        let choices = [0, 0, 2, 0].into_iter().collect();
        assert_eq!(Interleaving::choices(choices).to_string(), "choices:0x2,2");
        assert_eq!("choices:0".parse().ok(), Some(Interleaving::choices(Choices::default())));
    }

    #[test]
    fn invalid_interleavings_are_rejected_with_the_expected_form() {
        let said = |text: &str| text.parse::<Interleaving>().unwrap_err().to_string();
        for text in ["", "serial", "seeded:1", "Random:1", ":"] {
            assert!(said(text).contains("`random`, `pct`, `choices`"), "{text}: {}", said(text));
        }
        for text in ["random", "random:", "random:x", "random:-1", "random:1:2", "random:+1"] {
            assert!(said(text).contains("`random:SEED`"), "{text}: {}", said(text));
        }
        for text in ["pct:1", "pct:1:0:5", "pct:1:65:5", "pct:1:2:0", "pct:1:2:3:4"] {
            let said = said(text);
            assert!(said.contains("`pct:SEED:DEPTH:STEPS`") && said.contains("1 to 64"), "{said}");
        }
        for text in ["choices", "choices:1:2"] {
            assert!(said(text).contains("`choices:CHOICES`"), "{text}: {}", said(text));
        }
        assert!(said("choices:1,,2").contains("commas"));
    }

    #[test]
    fn every_strategy_can_be_named() {
        for kind in ALL {
            assert!(kind.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", kind.name);
            assert!(super::super::super::strategy::ALL.iter().all(|other| other.name != kind.name));
        }
    }

    fn any_interleaving() -> impl Strategy<Value = Interleaving> {
        prop_oneof![
            any::<u64>().prop_map(Interleaving::random),
            (any::<u64>(), 0u64..70, any::<u64>()).prop_map(|(s, d, k)| Interleaving::pct(s, d, k)),
            prop::collection::vec((any::<u32>(), 0u64..9), 0..30)
                .prop_map(|runs| Interleaving::choices(runs.into_iter().collect())),
        ]
    }

    proptest! {
        #[test]
        fn an_interleaving_is_read_from_what_it_prints(interleaving in any_interleaving()) {
            let text = interleaving.to_string();
            prop_assert_eq!(text.parse::<Interleaving>().ok(), Some(interleaving), "{}", text);
        }

        #[test]
        fn parsing_never_panics(text in "(random|pct|choices)?[0-9x,:]{0,30}") {
            if let Ok(interleaving) = text.parse::<Interleaving>() {
                let printed = interleaving.to_string();
                prop_assert_eq!(printed.parse::<Interleaving>().ok(), Some(interleaving));
            }
        }
    }
}
