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

/// `[check]`: the settings of the flags with the same names, for every file.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct CheckSection {
    /// The seed of random contents.
    pub seed: u64,
    /// The number of seeded schedules to run in addition to the default order.
    #[serde(deserialize_with = "schedules")]
    pub schedules: u32,
    /// The number of lanes of a subgroup.
    pub subgroup_size: Option<u32>,
    /// The maximum number of steps of a subgroup.
    pub max_steps: Option<u64>,
    /// The maximum duration of a dispatch, in seconds.
    pub timeout: Option<Seconds>,
    /// Whether to compare the results with the full-history oracle.
    pub oracle: bool,
    /// The path of a baseline file with known findings, which are suppressed.
    pub baseline: Option<String>,
    /// The limits that kernels must not exceed.
    #[serde(deserialize_with = "limits")]
    pub limits: Option<Limits>,
}

/// `[watch]` and `[file.watch]`: the races to check.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default)]
pub struct WatchSection {
    /// The variables to watch; all if empty. `*` matches any text.
    pub variables: Vec<String>,
    /// The variables not to watch.
    pub ignore: Vec<String>,
    /// The relations between invocations whose races are checked: `subgroup`, `workgroup`, `dispatch`; all if absent.
    pub relations: Option<Vec<Spanned<String>>>,
}

/// `[shadow]`: limits on the data that the checker stores.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ShadowSection {
    /// The maximum size of the shadow memory in MiB. Variables that do not fit are not watched, and the report lists
    /// them.
    pub max_mib: Option<u64>,
}

/// `[[file]]`: a file, with its settings.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FileSection {
    /// The path, relative to the folder of the configuration; `*` matches any text.
    pub path: String,
    /// The entry points to check; all if empty.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// The values of names, as `--define` gives them; in GLSL, of macros.
    #[serde(default)]
    pub define: BTreeMap<String, Spanned<DefineValue>>,
    /// The folders that are searched for files that GLSL includes, relative to the folder of the configuration.
    #[serde(default)]
    pub include: Vec<String>,
    /// The environment that GLSL is compiled for.
    #[serde(default)]
    pub target_env: Option<Spanned<String>>,
    /// Settings in addition to `[watch]`.
    #[serde(default)]
    pub watch: WatchSection,
    /// The launches to check; guessed if empty.
    #[serde(default)]
    pub launch: Vec<LaunchSection>,
    /// The tests: launches with expected results.
    #[serde(default)]
    pub test: Vec<TestSection>,
}

/// `[[file.test]]`: a launch with its expected results.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct TestSection {
    /// The name of the test.
    pub name: Spanned<String>,
    /// The launch to run.
    #[serde(default)]
    pub launch: LaunchSection,
    /// The expected contents of buffers after the launch, by variable.
    #[serde(default)]
    pub expect: BTreeMap<String, Spanned<ContentsText>>,
    /// The tolerance for floating-point numbers: absolute, or relative to the expected value if that is greater than 1.
    pub tolerance: Option<OverrideValue>,
    /// The buffers whose current results are the expected ones: the results must be the same in every order of
    /// execution.
    #[serde(default)]
    pub golden: Vec<Spanned<String>>,
}

/// `[[file.launch]]`: one or more dispatches on one set of buffers.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct LaunchSection {
    /// The entry point, if there is one dispatch.
    pub entry: Option<Spanned<String>>,
    /// The grid of the dispatch, and of `dispatches` without a grid.
    pub workgroups: Option<Grid>,
    /// The dispatches in order, if there are several.
    pub dispatches: Vec<DispatchSection>,
    /// The contents of buffers, by variable.
    pub buffers: BTreeMap<String, Spanned<ContentsText>>,
    /// The values of pipeline overrides, by name.
    pub overrides: BTreeMap<String, OverrideValue>,
    /// The seed of random contents.
    pub seed: Option<u64>,
    /// The seed of the schedule.
    pub schedule: Option<u64>,
    /// The number of lanes of a subgroup.
    pub subgroup_size: Option<u32>,
    /// The maximum number of steps of a subgroup.
    pub max_steps: Option<u64>,
    /// The maximum duration of a dispatch, in seconds.
    pub timeout: Option<Seconds>,
}

/// One of the `dispatches` of a launch.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct DispatchSection {
    /// The entry point.
    pub entry: Spanned<String>,
    /// The grid of the dispatch.
    #[serde(default)]
    pub workgroups: Option<Grid>,
}

/// A grid: `4`, `[8, 8]` or `[2, 2, 2]`.
#[derive(Clone, Copy, Debug)]
pub struct Grid(pub [u32; 3]);

/// A positive number of seconds.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(pub Duration);

/// Contents in the SPEC syntax of `--buffer`; written as text, a number or a list of numbers.
#[derive(Clone, Debug)]
pub struct ContentsText(pub String);

/// The value of a defined name; written as text, a number or a boolean.
#[derive(Clone, Debug)]
pub struct DefineValue(pub String);

/// A number or a boolean.
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

impl<'de> Deserialize<'de> for DefineValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DefineVisitor;
        impl Visitor<'_> for DefineVisitor {
            type Value = DefineValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value as text, a number, true or false")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<DefineValue, E> {
                Ok(DefineValue(text.to_owned()))
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<DefineValue, E> {
                Ok(DefineValue(value.to_string()))
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<DefineValue, E> {
                Ok(DefineValue(n.to_string()))
            }
            fn visit_f64<E: de::Error>(self, x: f64) -> Result<DefineValue, E> {
                Ok(DefineValue(Number::Float(x).to_string()))
            }
        }
        deserializer.deserialize_any(DefineVisitor)
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
