//! What a simulated device does wrong or late, and how often: the devices with names, and specs that change them.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Where all specs begin.
pub const PREFIX: &str = "simulated:";

/// What a simulated device is.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name, without the prefix.
    pub name: &'static str,
    /// How likely an access is put off while nobody else is on its channel: from 0 to 1.
    pub quiet: f64,
    /// How likely it is where the traffic is greatest.
    pub busy: f64,
    /// The traffic of a channel, in accesses, at which half the way from one to the other is gone.
    pub half: f64,
    /// For how many steps an access is put off at most; and how old what is read wrongly may be.
    pub longest: u32,
    /// What it does wrong.
    pub fault: Option<Fault>,
    /// How likely it does that where it could and the traffic is greatest; never where there is no traffic.
    pub strength: f64,
    /// What all that is left to chance is drawn by.
    pub seed: u64,
}

/// What a device does wrong. Each is a fault of memory: whatever the shader is, it is run as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A load is served what its word held before the last write, if another invocation wrote it and no barrier of the
    /// reader lies between: a thread that has read the new value may read the old one (CoRR).
    Stale,
    /// A barrier does not wait for an access that was put off: message passing, with release and acquire broken.
    Leaky,
    /// A store overtakes one to the same word by the same invocation that was put off: of two writes the first stays (MP-CO).
    Overtaking,
}

/// Allows what WGSL does, so seldom that a single instance needs many dispatches to show it, under stress, and many
/// instances at once do not.
const RELAXED: Model = Model {
    name: "relaxed",
    quiet: 1.0 / 65_536.0,
    busy: 1.0 / 2048.0,
    half: 64.0,
    longest: 64,
    fault: None,
    strength: 0.0,
    seed: 0,
};

/// The devices with names.
pub const NAMED: [Model; 5] = [
    Model { name: "strong", quiet: 0.0, busy: 0.0, ..RELAXED },
    RELAXED,
    Model { name: "corr", fault: Some(Fault::Stale), strength: 1.0 / 512.0, ..RELAXED },
    Model { name: "mp-relacq", fault: Some(Fault::Leaky), strength: 0.5, ..RELAXED },
    Model { name: "mp-co", fault: Some(Fault::Overtaking), strength: 0.5, ..RELAXED },
];

impl Model {
    /// How far a channel with that traffic is from quiet to busy: from 0 to 1.
    fn fullness(&self, traffic: u32) -> f64 {
        let traffic = f64::from(traffic);
        if traffic > 0.0 { traffic / (traffic + self.half) } else { 0.0 }
    }

    /// How likely an access is put off on a channel with that traffic.
    pub fn puts_off(&self, traffic: u32) -> f64 {
        self.quiet + (self.busy - self.quiet) * self.fullness(traffic)
    }

    /// How likely the fault is there on a channel with that traffic.
    pub fn goes_wrong(&self, traffic: u32) -> f64 {
        self.strength * self.fullness(traffic)
    }
}

/// The spec that it is read from.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, quiet, busy, half, longest, strength, seed, .. } = self;
        write!(
            f,
            "{PREFIX}{name},quiet={quiet},busy={busy},half={half},longest={longest},strength={strength},seed={seed}"
        )
    }
}

/// Why a spec means no simulated device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoSuchModel {
    /// There is none of the name.
    #[error("no simulated device is called `{0}`")]
    Name(String),
    /// A part that changes nothing.
    #[error("`{0}` is no parameter of a simulated device")]
    Parameter(String),
    /// A value that is no number, or out of its range.
    #[error("`{value}` cannot be `{parameter}`, which is {range}")]
    Value {
        /// Of which parameter.
        parameter: String,
        /// What it should be.
        value: String,
        /// Which values there are.
        range: &'static str,
    },
}

/// A name, and parameters that are other than those of the device with that: `simulated:relaxed,busy=0.01,seed=7`.
impl FromStr for Model {
    type Err = NoSuchModel;

    fn from_str(spec: &str) -> Result<Self, NoSuchModel> {
        let mut parts = spec.strip_prefix(PREFIX).unwrap_or(spec).split(',');
        let name = parts.next().unwrap_or_default();
        let found = NAMED.into_iter().find(|known| known.name == name);
        let mut model = found.ok_or_else(|| NoSuchModel::Name(name.to_owned()))?;
        for part in parts {
            let (parameter, value) = part.split_once('=').unwrap_or((part, ""));
            model.set(parameter, value)?;
        }
        Ok(model)
    }
}

impl Model {
    fn set(&mut self, parameter: &str, value: &str) -> Result<(), NoSuchModel> {
        let wrong = |range| {
            let (parameter, value) = (parameter.to_owned(), value.to_owned());
            NoSuchModel::Value { parameter, value, range }
        };
        let between = |least: f64, greatest: f64, range| {
            let number = value.parse().ok().filter(|number| (least..=greatest).contains(number));
            number.ok_or_else(|| wrong(range))
        };
        let share = || between(0.0, 1.0, "from 0 to 1");
        match parameter {
            "quiet" => self.quiet = share()?,
            "busy" => self.busy = share()?,
            "strength" => self.strength = share()?,
            "half" => self.half = between(1.0, 1e9, "from 1 to 1e9")?,
            "longest" => {
                let range = "a number of steps, from 1 to 10000";
                let steps = value.parse().ok().filter(|steps| (1..=10_000).contains(steps));
                self.longest = steps.ok_or_else(|| wrong(range))?;
            }
            "seed" => self.seed = value.parse().map_err(|_| wrong("a number"))?,
            _ => return Err(NoSuchModel::Parameter(parameter.to_owned())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_read_as_it_is_shown() {
        for model in NAMED {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
        let changed: Model = "simulated:mp-co,busy=0.25,longest=9,seed=7".parse().unwrap();
        assert_eq!((changed.busy, changed.longest, changed.seed), (0.25, 9, 7));
        assert_eq!(changed.fault, Some(Fault::Overtaking));
        assert_eq!(changed.to_string().parse(), Ok(changed));
    }

    #[test]
    fn what_is_wrong_in_a_spec_is_named() {
        let why = |spec: &str| spec.parse::<Model>().unwrap_err().to_string();
        assert_eq!(why("simulated:weird"), "no simulated device is called `weird`");
        assert_eq!(why("simulated:"), "no simulated device is called ``");
        assert_eq!(why("simulated:strong,rate=1"), "`rate` is no parameter of a simulated device");
        assert_eq!(why("relaxed,busy=2"), "`2` cannot be `busy`, which is from 0 to 1");
        assert_eq!(why("relaxed,busy=NaN"), "`NaN` cannot be `busy`, which is from 0 to 1");
        let steps = "`0` cannot be `longest`, which is a number of steps, from 1 to 10000";
        assert_eq!(why("relaxed,longest=0"), steps);
        assert_eq!(why("relaxed,seed"), "`` cannot be `seed`, which is a number");
    }

    #[test]
    fn traffic_makes_accesses_late() {
        let [strong, relaxed, ..] = NAMED;
        assert_eq!(strong.puts_off(u32::MAX), 0.0);
        assert_eq!(relaxed.puts_off(0), relaxed.quiet);
        assert_eq!(relaxed.puts_off(64), f64::midpoint(relaxed.quiet, relaxed.busy));
        assert!(relaxed.puts_off(1000) > relaxed.puts_off(100));
        assert!(relaxed.puts_off(u32::MAX) <= relaxed.busy);
        let faulty = &NAMED[3];
        assert_eq!((faulty.goes_wrong(0), faulty.goes_wrong(64)), (0.0, 0.25));
    }
}
