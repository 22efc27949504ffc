//! The tables of `hirace.toml`.

use crate::diagnostic::Diagnostic;
use crate::launch::number::Number;
use crate::launch::spec::{parse_schedules, parse_seconds};
use crate::limits::Limits;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use toml::Spanned;

/// The whole document.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Document {
    pub check: CheckSection,
    pub watch: WatchSection,
    pub shadow: ShadowSection,
    pub file: Vec<FileSection>,
}

/// `[check]`: what the flags of the same names say, for every file.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct CheckSection {
    /// Seed of random contents.
    pub seed: u64,
    /// How many seeded schedules to run beside the plain one.
    #[serde(deserialize_with = "schedules")]
    pub schedules: u32,
    /// Lanes of a subgroup.
    pub subgroup_size: Option<u32>,
    /// Steps that one subgroup may run.
    pub step_limit: Option<u64>,
    /// Seconds that a dispatch may take.
    pub timeout: Option<Seconds>,
    /// Compare with the full-history oracle.
    pub oracle: bool,
    /// A file of findings that are known and allowed.
    pub baseline: Option<String>,
    /// What kernels have to fit in.
    #[serde(deserialize_with = "limits")]
    pub limits: Option<Limits>,
}

/// `[watch]` and `[file.watch]`: which races are looked for.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default)]
pub struct WatchSection {
    /// Variables to watch; empty: all. `*` stands for anything.
    pub variables: Vec<String>,
    /// Variables not to watch.
    pub ignore: Vec<String>,
    /// Between whom: `subgroup`, `workgroup`, `dispatch`; absent: all.
    pub relations: Option<Vec<Spanned<String>>>,
}

/// `[shadow]`: bounds on what the checker keeps.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ShadowSection {
    /// Most MiB of shadow memory; variables that do not fit are not watched, which the report says.
    pub max_mib: Option<u64>,
}

/// `[[file]]`: a file, and how it is checked.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct FileSection {
    /// From the folder of the configuration; `*` stands for anything.
    pub path: String,
    /// Entry points to check; empty: all.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// Added to `[watch]`.
    #[serde(default)]
    pub watch: WatchSection,
    /// The launches; empty: guessed.
    #[serde(default)]
    pub launch: Vec<LaunchSection>,
    /// Tests: launches of which it is known what they leave.
    #[serde(default)]
    pub test: Vec<TestSection>,
}

/// `[[file.test]]`: a launch, and what it is to leave.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct TestSection {
    /// What it is called.
    pub name: Spanned<String>,
    /// What is launched.
    #[serde(default)]
    pub launch: LaunchSection,
    /// What buffers hold then, by variable.
    #[serde(default)]
    pub expect: BTreeMap<String, Spanned<ContentsText>>,
    /// How far numbers with a point may be off: so much, or so much of what is expected where that is more than 1.
    pub tolerance: Option<OverrideValue>,
    /// Buffers that hold then what they hold now: it has to be the same whatever the order.
    #[serde(default)]
    pub golden: Vec<Spanned<String>>,
}

/// `[[file.launch]]`: one or more dispatches over one set of buffers.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct LaunchSection {
    /// The entry point, if there is one dispatch.
    pub entry: Option<Spanned<String>>,
    /// Its grid, or that of dispatches which have none.
    pub workgroups: Option<Grid>,
    /// Several dispatches, in order.
    pub dispatches: Vec<DispatchSection>,
    /// Contents by variable.
    pub buffers: BTreeMap<String, Spanned<ContentsText>>,
    /// Pipeline overrides by name.
    pub overrides: BTreeMap<String, OverrideValue>,
    /// Seed of random contents.
    pub seed: Option<u64>,
    /// Seed of the schedule.
    pub schedule: Option<u64>,
    /// Lanes of a subgroup.
    pub subgroup_size: Option<u32>,
    /// Steps that one subgroup may run.
    pub step_limit: Option<u64>,
    /// Seconds that a dispatch may take.
    pub timeout: Option<Seconds>,
}

/// One of the `dispatches` of a launch.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct DispatchSection {
    /// The entry point.
    pub entry: Spanned<String>,
    /// Its grid.
    #[serde(default)]
    pub workgroups: Option<Grid>,
}

/// `4`, `[8, 8]` or `[2, 2, 2]`.
#[derive(Clone, Copy, Debug)]
pub struct Grid(pub [u32; 3]);

/// Seconds, more than none.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(pub Duration);

/// SPEC, as text: written so, or as a number or a list of numbers.
#[derive(Clone, Debug)]
pub struct ContentsText(pub String);

/// A number or a truth value.
#[derive(Clone, Copy, Debug)]
pub struct OverrideValue(pub f64);

impl<'de> Deserialize<'de> for Grid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GridVisitor;
        impl<'de> Visitor<'de> for GridVisitor {
            type Value = Grid;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of workgroups, or a list of up to three")
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Grid, E> {
                let n = u32::try_from(n).map_err(|_| E::custom(format!("{n} workgroups")))?;
                Ok(Grid([n, 1, 1]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Grid, A::Error> {
                let mut grid = [1; 3];
                let mut length = 0;
                while let Some(n) = list.next_element()? {
                    *grid
                        .get_mut(length)
                        .ok_or_else(|| de::Error::invalid_length(length + 1, &self))? = n;
                    length += 1;
                }
                if length == 0 {
                    return Err(de::Error::invalid_length(0, &self));
                }
                Ok(Grid(grid))
            }
        }
        deserializer.deserialize_any(GridVisitor)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let OverrideValue(seconds) = OverrideValue::deserialize(deserializer)?;
        parse_seconds(&seconds.to_string())
            .map(Self)
            .map_err(|error| de::Error::custom(error.message))
    }
}

fn schedules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = i64::deserialize(deserializer)?;
    parse_schedules(&number.to_string()).map_err(|error| de::Error::custom(error.message))
}

fn limits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Limits>, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map(Some).map_err(|error: Box<Diagnostic>| {
        let help = error.help.iter().map(|help| format!("; {help}"));
        de::Error::custom(error.message.clone() + &help.collect::<String>())
    })
}

impl<'de> Deserialize<'de> for ContentsText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = ContentsText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("contents as text (\"random:1024\"), a number or a list of numbers")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<ContentsText, E> {
                Ok(ContentsText(text.to_owned()))
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<ContentsText, E> {
                Ok(ContentsText(n.to_string()))
            }
            fn visit_f64<E: de::Error>(self, x: f64) -> Result<ContentsText, E> {
                Ok(ContentsText(x.to_string()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ContentsText, A::Error> {
                let mut numbers = Vec::new();
                while let Some(OverrideValue(value)) = list.next_element()? {
                    let is_integer = value.fract() == 0.0 && value.abs() < 9e15;
                    let number =
                        if is_integer { Number::Int(value as i128) } else { Number::Float(value) };
                    numbers.push(number.to_string());
                }
                if numbers.is_empty() {
                    return Err(de::Error::invalid_length(0, &self));
                }
                Ok(ContentsText(numbers.join(",")))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for OverrideValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl Visitor<'_> for ValueVisitor {
            type Value = OverrideValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, true or false")
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<OverrideValue, E> {
                Ok(OverrideValue(value.into()))
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<OverrideValue, E> {
                Ok(OverrideValue(n as f64))
            }
            fn visit_f64<E: de::Error>(self, x: f64) -> Result<OverrideValue, E> {
                Ok(OverrideValue(x))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}
