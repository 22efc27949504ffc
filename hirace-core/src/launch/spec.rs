//! The syntax in which users describe a launch: the grammar of `--buffer`, `--dispatch`, `--workgroups` and `--override`, and of
//! the same settings in `hirace.toml`.
//!
//! This module is independent of any program. Names and sizes are checked when the launch is built ([`super::build`]).

use super::number::Number;
use super::values::Values;
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::{Assumption, DispatchOrder};
use crate::vm::memory::Resources;
use naga::{GlobalVariable, Handle};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The memory that a host has bound to a program's variables before it launches the program. Two values are equal if they refer
/// to the same memory, not only if their contents are equal.
#[derive(Clone, Debug)]
pub struct HostMemory {
    /// The bound resources.
    pub resources: Arc<Resources>,
    /// The variables whose contents only approximate the host's contents.
    pub guessed: Vec<Handle<GlobalVariable>>,
    /// The assumptions about these contents.
    pub assumptions: Vec<Assumption>,
}

impl PartialEq for HostMemory {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.resources, &other.resources)
    }
}

/// The given part of a launch. What is absent is guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchSpec {
    /// The dispatches in order. If empty: one dispatch per checked entry point, on a grid of `workgroups`.
    pub dispatches: Vec<DispatchSpec>,
    /// The grid of dispatches that have no grid of their own.
    pub workgroups: Option<[u32; 3]>,
    /// Contents of buffers and textures.
    pub bindings: Vec<Binding>,
    /// All bound memory, as a host has it. If given, nothing is guessed and the bindings are ignored.
    pub memory: Option<HostMemory>,
    /// Contents written to buffers later, each before the dispatch with this index, counted from 0.
    pub writes: Vec<(usize, Binding)>,
    /// The indices of dispatches after which contents are kept, in addition to those after the last dispatch.
    pub kept: BTreeSet<usize>,
    /// The values of pipeline overrides.
    pub overrides: Vec<(String, f64)>,
    /// The seed of random contents.
    pub seed: u64,
    /// The seed of the schedule. 0 is the serial order.
    pub schedule: u64,
    /// The order of one dispatch that differs from the schedule, if any.
    pub order: Option<DispatchOrder>,
    /// The number of lanes of a subgroup.
    pub subgroup_size: Option<u32>,
    /// The number of steps that one subgroup may run.
    pub step_limit: Option<u64>,
    /// The time limit of a dispatch.
    pub timeout: Option<Duration>,
}

impl LaunchSpec {
    /// Sets the schedule and the step limit, unless the spec already sets them.
    pub fn give(&mut self, schedule: u64, steps: Option<u64>) {
        if self.schedule == 0 {
            self.schedule = schedule;
        }
        self.step_limit = self.step_limit.or(steps);
    }

    /// Returns whether the spec gives a grid, a binding or an override. If not, everything is guessed.
    pub fn has_any_setting(&self) -> bool {
        self.has_launch_setting() || !self.overrides.is_empty()
    }

    /// Returns whether the spec gives a grid or a binding.
    pub fn has_launch_setting(&self) -> bool {
        !self.dispatches.is_empty()
            || self.workgroups.is_some()
            || !self.bindings.is_empty()
            || self.memory.is_some()
    }

    /// Returns the binding of the whole variable of this name.
    pub fn whole(&self, name: &str) -> Option<&Binding> {
        self.bindings.iter().find(|binding| binding.target() == name)
    }

    /// Returns whether the spec gives all of the variable of this name.
    pub fn gives(&self, name: Option<&str>) -> bool {
        self.memory.is_some() || self.whole(name.unwrap_or_default()).is_some()
    }

    /// Returns the bindings of single fields of the variable, each with the path to the field.
    pub fn fields_of(&self, name: &str) -> impl Iterator<Item = (&str, &Binding)> {
        self.bindings.iter().filter_map(move |binding| Some((binding.field_of(name)?, binding)))
    }

    /// Returns whether a field of the variable of this name is given, by its path from the variable.
    pub(crate) fn gives_field(&self, name: &str, path: &str) -> bool {
        self.fields_of(name).any(|(given, _)| given == path)
    }
}

/// A dispatch in the syntax `ENTRY:X[,Y[,Z]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchSpec {
    /// The entry point.
    pub entry: String,
    /// The grid, in workgroups.
    pub workgroups: Option<[u32; 3]>,
}

/// A binding in the syntax `NAME=SPEC` or `NAME.FIELD=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The name of the variable.
    pub name: String,
    /// The path from the variable to the field: `.size`, `.tiles[2].n`. `None` for the whole variable.
    pub field: Option<String>,
    /// The contents.
    pub contents: Contents,
    /// SPEC as it was written, for the replay line. `None` for contents that cannot be written in this syntax.
    pub text: Option<String>,
}

/// A number of elements of a buffer, or of texels of a texture. No other resource has a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// The number of elements of a runtime-sized array.
    Elements(u32),
    /// The number of texels: width, height, and depth or layers.
    Texels([u32; 3]),
}

impl From<usize> for Length {
    fn from(elements: usize) -> Self {
        Self::Elements(u32::try_from(elements).unwrap_or(u32::MAX))
    }
}

impl From<[u32; 2]> for Length {
    fn from([width, height]: [u32; 2]) -> Self {
        Self::Texels([width, height, 1])
    }
}

impl From<[u32; 3]> for Length {
    fn from(size: [u32; 3]) -> Self {
        Self::Texels(size)
    }
}

/// Formats the length in SPEC's syntax.
impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elements(elements) => write!(f, "{elements}"),
            Self::Texels([x, y, z]) => write!(f, "{x}x{y}x{z}"),
        }
    }
}

/// The contents of a buffer or texture.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// Zeros.
    Zeros(Option<Length>),
    /// 0, 1, 2, …, one number per scalar.
    Iota(Option<Length>),
    /// The numbers of [`Contents::Iota`] in a random order, from a seed of their own or the launch's.
    Permutation(Option<Length>, Option<u64>),
    /// Random values, from a seed of their own or the launch's.
    Random(Option<Length>, Option<u64>),
    /// One value in every scalar.
    Fill(Option<Length>, Number),
    /// Random values from 0 to below this one (integers if the type is an integer type), from a seed of their own or the
    /// launch's.
    Below(Option<Length>, Number, Option<u64>),
    /// Scalars, in the order of the layout.
    List(Vec<Number>),
    /// A file: `.npy`, or raw bytes.
    File(PathBuf),
    /// Values of a Rust type.
    Values(Arc<Values>),
    /// Memory of a Rust program.
    Bytes(Arc<Bytes>),
    /// A texture of this size, texel by texel: scalars or vectors. Missing components of the four are 0, 0, 1.
    Texels([u32; 3], Arc<Values>),
}

/// Memory of a Rust program in WGSL's layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Bytes {
    /// The memory.
    pub bytes: Vec<u8>,
    /// The size of an element in bytes.
    pub element: u32,
    /// The name of the Rust type, for messages.
    pub rust: String,
    /// Whether there may be padding after the last element.
    pub padded: bool,
}

/// The forms of SPEC, for help messages.
const FORMS: &str = "write zeros:LEN, iota:LEN, random:LEN[:SEED], permutation:LEN[:SEED], fill:LEN:VALUE, \
                     below:LEN:VALUE[:SEED], a list like 1,2,3, @FILE.bin or @FILE.npy (a buffer of fixed size needs no LEN; a texture's is WxH or WxHxD)";

impl Binding {
    /// Parses `NAME=SPEC`.
    pub fn parse(text: &str) -> Result<Self> {
        match text.split_once('=') {
            Some((name, spec)) if !name.trim().is_empty() => Self::new(name.trim(), spec.trim()),
            _ => Err(Box::new(
                Diagnostic::new(format!("expected NAME=SPEC, got `{text}`")).help(FORMS),
            )),
        }
    }

    /// Returns a binding of `name` to the contents that `spec` describes.
    pub fn new(name: &str, spec: &str) -> Result<Self> {
        let contents = Contents::parse(spec).map_err(|mut error| {
            error.message = format!("contents of `{name}`: {}", error.message);
            error
        })?;
        let whole = name;
        let (name, field) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
        let field = (!field.is_empty()).then(|| field.to_owned());
        let is_element = whole.ends_with(']') && !whole.contains('.');
        if is_element && !matches!(contents, Contents::List(_)) {
            // One buffer or texture of an array of them.
            let (name, text) = (whole.to_owned(), Some(spec.to_owned()));
            return Ok(Self { name, field: None, contents, text });
        }
        if field.is_some() && !matches!(contents, Contents::List(_)) {
            let name = format!("{name}{}", field.unwrap_or_default());
            let error = Diagnostic::new(format!(
                "`{name}` is a field: its contents must be a number, or one number per component of its vector"
            ));
            return Err(Box::new(error.help(format!("for example --buffer {name}=64"))));
        }
        Ok(Self { name: name.to_owned(), field, contents, text: Some(spec.to_owned()) })
    }

    /// Returns the path to the field that is bound, if it is a field of this variable, which may be an element of an array of
    /// buffers: `.count` of `rows[1].count`, for the variable `rows[1]`.
    pub fn field_of(&self, variable: &str) -> Option<&str> {
        let element = variable.strip_prefix(self.name.as_str())?;
        let path = self.field.as_deref()?.strip_prefix(element)?;
        path.starts_with(['.', '[']).then_some(path)
    }

    /// Returns the name of the variable or field as it was written: `params`, `params.width`.
    pub fn target(&self) -> String {
        format!("{}{}", self.name, self.field.as_deref().unwrap_or_default())
    }
}

impl Contents {
    /// Parses SPEC.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(path) = text.strip_prefix('@') {
            if path.is_empty() {
                return Err(bad("expected a file name after `@`"));
            }
            return Ok(Self::File(path.into()));
        }
        if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
            return text
                .split(',')
                .map(|item| number(item.trim()))
                .collect::<Result<_>>()
                .map(Self::List);
        }
        let mut parts = text.split(':').map(str::trim);
        let keyword = parts.next().unwrap_or_default();
        let parts: Vec<&str> = parts.collect();
        match (keyword, parts.as_slice()) {
            ("zeros", []) => Ok(Self::Zeros(None)),
            ("zeros", [len]) => Ok(Self::Zeros(Some(length(len)?))),
            ("iota", []) => Ok(Self::Iota(None)),
            ("iota", [len]) => Ok(Self::Iota(Some(length(len)?))),
            ("random", []) => Ok(Self::Random(None, None)),
            ("random", [len]) => Ok(Self::Random(Some(length(len)?), None)),
            ("random", ["", seed]) => Ok(Self::Random(None, Some(parse_seed(seed)?))),
            ("random", [len, seed]) => {
                Ok(Self::Random(Some(length(len)?), Some(parse_seed(seed)?)))
            }
            ("permutation", []) => Ok(Self::Permutation(None, None)),
            ("permutation", [len]) => Ok(Self::Permutation(Some(length(len)?), None)),
            ("permutation", ["", seed]) => Ok(Self::Permutation(None, Some(parse_seed(seed)?))),
            ("permutation", [len, seed]) => {
                Ok(Self::Permutation(Some(length(len)?), Some(parse_seed(seed)?)))
            }
            ("fill", [value]) => Ok(Self::Fill(None, number(value)?)),
            ("fill", [len, value]) => Ok(Self::Fill(Some(length(len)?), number(value)?)),
            ("below", [value]) => Ok(Self::Below(None, number(value)?, None)),
            ("below", ["", value, seed]) => {
                Ok(Self::Below(None, number(value)?, Some(parse_seed(seed)?)))
            }
            ("below", [len, value]) => Ok(Self::Below(Some(length(len)?), number(value)?, None)),
            ("below", [len, value, seed]) => {
                Ok(Self::Below(Some(length(len)?), number(value)?, Some(parse_seed(seed)?)))
            }
            ("fill" | "below", []) => Err(bad(&format!("`{keyword}` needs a value"))),
            ("zeros" | "iota" | "random" | "permutation" | "fill" | "below", _) => {
                Err(bad(&format!("`{text}` has more parts than `{keyword}` takes")))
            }
            _ => {
                let near = find_nearest(
                    keyword,
                    ["zeros", "iota", "random", "permutation", "fill", "below"],
                );
                let error = bad(&format!("`{text}` is neither a list of numbers nor a known form"));
                Err(match near {
                    Some(near) => Box::new(error.note(format!("did you mean `{near}`?"))),
                    None => error,
                })
            }
        }
    }
}

impl DispatchSpec {
    /// Parses `ENTRY[:X[,Y[,Z]]]`.
    pub fn parse(text: &str) -> Result<Self> {
        let (entry, grid) = match text.split_once(':') {
            Some((entry, grid)) => (entry.trim(), Some(parse_grid(grid)?)),
            None => (text.trim(), None),
        };
        if entry.is_empty() {
            return Err(Box::new(Diagnostic::new(format!(
                "expected ENTRY:X[,Y[,Z]], got `{text}`"
            ))));
        }
        Ok(Self { entry: entry.to_owned(), workgroups: grid })
    }
}

/// Parses `X[,Y[,Z]]`, in workgroups. Whether this grid may be dispatched is checked later.
pub fn parse_grid(text: &str) -> Result<[u32; 3]> {
    let mut grid = [1; 3];
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err(Box::new(Diagnostic::new(format!(
            "a grid has at most three dimensions, `{text}` has {}",
            parts.len()
        ))));
    }
    for (to, part) in grid.iter_mut().zip(&parts) {
        *to = part.parse().map_err(|_| {
            Box::new(
                Diagnostic::new(format!("expected a number of workgroups, got `{part}`"))
                    .help("write X, X,Y or X,Y,Z: for example 4 or 8,8"),
            )
        })?;
    }
    Ok(grid)
}

/// Parses `NAME=VALUE` of a pipeline override.
pub fn parse_override(text: &str) -> Result<(String, f64)> {
    let expected = || {
        Box::new(
            Diagnostic::new(format!("expected NAME=VALUE, got `{text}`"))
                .help("VALUE is a number, true or false: for example BLOCK=64"),
        )
    };
    let (name, value) = text.split_once('=').ok_or_else(expected)?;
    let value = match value.trim() {
        "true" => 1.0,
        "false" => 0.0,
        value => Number::parse(value).ok_or_else(expected)?.to_f64(),
    };
    if name.trim().is_empty() {
        return Err(expected());
    }
    Ok((name.trim().to_owned(), value))
}

/// Parses a seed: decimal, or hexadecimal after `0x`.
pub fn parse_seed(text: &str) -> Result<u64> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| {
        Box::new(Diagnostic::new(format!("expected a seed (a number, or 0x…), got `{text}`")))
    })
}

/// The maximum number of seeded schedules that one check runs in addition to the serial order.
pub const MAX_SCHEDULES: u32 = 1_000_000;

/// Parses the number of seeded schedules to run.
pub fn parse_schedules(text: &str) -> Result<u32> {
    let number = text.trim().parse().ok().filter(|number| *number <= MAX_SCHEDULES);
    number.ok_or_else(|| {
        Box::new(Diagnostic::new(format!(
            "expected a number of schedules up to the limit of {MAX_SCHEDULES}, got `{text}`"
        )))
    })
}

/// Returns the one of `names` that was probably meant by `name`.
pub fn find_nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Parses a positive number of seconds, which may have a fraction.
pub fn parse_seconds(text: &str) -> Result<Duration> {
    let seconds = text.trim().parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(|| {
        Box::new(Diagnostic::new(format!("expected a number of seconds above 0, got `{text}`")))
    })
}

fn length(text: &str) -> Result<Length> {
    let expected =
        || bad(&format!("expected a length in elements, or WxH or WxHxD in texels, got `{text}`"));
    let numbers: Vec<u32> = text
        .split('x')
        .map(|part| part.trim().replace('_', "").parse().ok())
        .collect::<Option<_>>()
        .ok_or_else(expected)?;
    match numbers[..] {
        [elements] => Ok(Length::Elements(elements)),
        [width, height] => Ok(Length::Texels([width, height, 1])),
        [width, height, depth] => Ok(Length::Texels([width, height, depth])),
        _ => Err(expected()),
    }
}

fn number(text: &str) -> Result<Number> {
    Number::parse(text).ok_or_else(|| bad(&format!("expected a number, got `{text}`")))
}

fn bad(message: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(message).help(FORMS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &str) -> Contents {
        Contents::parse(text).unwrap()
    }

    fn refused(text: &str) -> Diagnostic {
        *Contents::parse(text).unwrap_err()
    }

    #[test]
    fn every_form_of_contents_is_read() {
        let elements = |n| Some(Length::Elements(n));
        assert_eq!(contents("zeros"), Contents::Zeros(None));
        assert_eq!(contents("zeros:1_024"), Contents::Zeros(elements(1024)));
        assert_eq!(contents("iota:16"), Contents::Iota(elements(16)));
        assert_eq!(contents("random:8"), Contents::Random(elements(8), None));
        assert_eq!(contents("random:8:0xff"), Contents::Random(elements(8), Some(255)));
        assert_eq!(contents("permutation:8:3"), Contents::Permutation(elements(8), Some(3)));
        assert_eq!(contents("random::3"), Contents::Random(None, Some(3)));
        assert_eq!(contents("fill:8:-1.5"), Contents::Fill(elements(8), Number::Float(-1.5)));
        assert_eq!(contents("fill:7"), Contents::Fill(None, Number::Int(7)));
        assert_eq!(
            contents("random:16x8"),
            Contents::Random(Some(Length::Texels([16, 8, 1])), None)
        );
        assert_eq!(
            contents("1, -2, 0x10, 2.5"),
            Contents::List(vec![
                Number::Int(1),
                Number::Int(-2),
                Number::Int(16),
                Number::Float(2.5)
            ])
        );
        assert_eq!(contents("@a/b.npy"), Contents::File("a/b.npy".into()));
    }

    #[test]
    fn a_field_takes_numbers() {
        let of = |text: &str| Binding::parse(text).unwrap();
        assert_eq!(of("params.size=8,16").target(), "params.size");
        assert_eq!(
            (of("a.rows[2].n=1").name.as_str(), of("a.rows[2].n=1").field),
            ("a", Some(".rows[2].n".to_owned()))
        );
        assert_eq!(of("a[1]=3").field.as_deref(), Some("[1]"));
        assert_eq!(of("a=3").field, None);
        assert_eq!(of("a[1]=zeros:4").name, "a[1]");
        assert_eq!(of("a[1]=zeros:4").field, None);
        assert_eq!(of("a[1].n=4").field_of("a[1]"), Some(".n"));
        assert_eq!(of("a[1].n=4").field_of("a"), Some("[1].n"));
        assert_eq!(of("a[1].n=4").field_of("a[0]"), None);
        assert_eq!(of("ab.n=4").field_of("a"), None);
        assert!(Binding::parse("params.size=random").unwrap_err().message.contains("is a field"));
    }

    #[test]
    fn a_misspelt_form_is_answered_with_the_right_one() {
        let error = refused("zeroes:16");
        assert_eq!(error.notes, ["did you mean `zeros`?"]);
        assert!(error.help.unwrap().contains("iota:LEN"));
    }

    #[test]
    fn what_cannot_be_read_says_what_was_expected() {
        assert!(refused("zeros:many").message.contains("expected a length"));
        assert!(refused("1,two,3").message.contains("expected a number, got `two`"));
        assert!(refused("zeros:1:2:3").message.contains("more parts"));
        assert!(refused("@").message.contains("file name"));
        assert!(refused("random:4:x").message.contains("seed"));
        assert!(Binding::parse("no-equals-sign").unwrap_err().message.contains("NAME=SPEC"));
        assert!(Binding::parse("a=zeros:x").unwrap_err().message.starts_with("contents of `a`"));
    }

    #[test]
    fn grids_and_dispatches_are_read() {
        assert_eq!(parse_grid("4").unwrap(), [4, 1, 1]);
        assert_eq!(parse_grid("4, 2,3").unwrap(), [4, 2, 3]);
        assert!(parse_grid("1,2,3,4").is_err());
        assert!(parse_grid("-1").is_err());
        let dispatch = DispatchSpec::parse("scan:8,2").unwrap();
        assert_eq!((dispatch.entry.as_str(), dispatch.workgroups), ("scan", Some([8, 2, 1])));
        assert_eq!(DispatchSpec::parse("scan").unwrap().workgroups, None);
        assert!(DispatchSpec::parse(":8").is_err());
    }

    #[test]
    fn times_are_above_zero() {
        assert_eq!(parse_seconds("120").unwrap(), Duration::from_secs(120));
        assert_eq!(parse_seconds("0.25").unwrap(), Duration::from_millis(250));
        for wrong in ["0", "-1", "soon", "NaN", "inf", "1e40"] {
            assert!(parse_seconds(wrong).unwrap_err().message.contains("seconds"), "{wrong}");
        }
    }

    #[test]
    fn schedules_have_a_limit_which_is_said() {
        assert_eq!(parse_schedules("1000000").unwrap(), MAX_SCHEDULES);
        for wrong in ["1000001", "4294967295", "99999999999", "-1", "many"] {
            assert!(parse_schedules(wrong).unwrap_err().message.contains("1000000"), "{wrong}");
        }
    }

    #[test]
    fn overrides_take_numbers_and_truth_values() {
        assert_eq!(parse_override("BLOCK=64").unwrap(), ("BLOCK".to_owned(), 64.0));
        assert_eq!(parse_override("fast = true").unwrap(), ("fast".to_owned(), 1.0));
        assert!(parse_override("BLOCK").is_err());
        assert!(parse_override("BLOCK=big").is_err());
    }
}
