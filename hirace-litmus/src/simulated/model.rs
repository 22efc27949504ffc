//! Models of simulated devices: their delays and faults, the named devices, and specs that modify them.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The prefix of all specs.
pub const PREFIX: &str = "simulated:";

/// The parameters of a simulated device.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name, without the prefix.
    pub name: &'static str,
    /// The probability that an access is delayed when its channel has no traffic: from 0 to 1.
    pub idle_probability: f64,
    /// The probability that an access is delayed in the limit of high traffic.
    pub busy_probability: f64,
    /// The traffic of a channel, in accesses, at which the probability is halfway between the two.
    pub half: f64,
    /// The maximum delay of an access in steps, and the maximum age of stale values.
    pub max_delay: u32,
    /// The fault of the device.
    pub fault: Option<Fault>,
    /// The probability of the fault in the limit of high traffic, where it can occur; it is 0 without traffic.
    pub strength: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

/// A fault of a device's memory. The shader itself is executed correctly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A load may return the value before the last write, if another invocation wrote it and the reader has not passed
    /// a barrier since: a thread that has read the new value may read the old one (CoRR).
    Stale,
    /// A barrier does not wait for some delayed accesses: message passing with broken release and acquire.
    Leaky,
    /// A store overtakes a delayed store of the same invocation to the same word, so the first of two writes remains
    /// (MP-CO).
    Overtaking,
}

/// Allowed weak behavior at a low rate: a single instance needs many dispatches and stress to show it, many
/// simultaneous instances do not.
const RELAXED: Model = Model {
    name: "relaxed",
    idle_probability: 1.0 / 65_536.0,
    busy_probability: 1.0 / 2048.0,
    half: 64.0,
    max_delay: 64,
    fault: None,
    strength: 0.0,
    seed: 0,
};

/// The named devices.
pub const NAMED: [Model; 5] = [
    Model { name: "strong", idle_probability: 0.0, busy_probability: 0.0, ..RELAXED },
    RELAXED,
    Model { name: "corr", fault: Some(Fault::Stale), strength: 1.0 / 512.0, ..RELAXED },
    Model { name: "mp-relacq", fault: Some(Fault::Leaky), strength: 0.5, ..RELAXED },
    Model { name: "mp-co", fault: Some(Fault::Overtaking), strength: 0.5, ..RELAXED },
];

impl Model {
    /// Returns how far a channel with this traffic is from quiet to busy: from 0 to 1.
    fn fullness(&self, traffic: u32) -> f64 {
        let traffic = f64::from(traffic);
        if traffic > 0.0 { traffic / (traffic + self.half) } else { 0.0 }
    }

    /// Returns the probability that an access is delayed on a channel with this traffic.
    pub fn delay_probability(&self, traffic: u32) -> f64 {
        self.idle_probability
            + (self.busy_probability - self.idle_probability) * self.fullness(traffic)
    }

    /// Returns the probability of the fault on a channel with this traffic.
    pub fn fault_probability(&self, traffic: u32) -> f64 {
        self.strength * self.fullness(traffic)
    }
}

/// Writes the spec of the model.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            idle_probability: quiet,
            busy_probability: busy,
            half,
            max_delay: longest,
            strength,
            seed,
            ..
        } = self;
        write!(
            f,
            "{PREFIX}{name},quiet={quiet},busy={busy},half={half},longest={longest},strength={strength},seed={seed}"
        )
    }
}

/// The reason why a spec is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// There is no device of this name.
    #[error("unknown simulated device `{0}`")]
    Name(String),
    /// There is no such parameter.
    #[error("unknown parameter `{0}` of a simulated device")]
    Parameter(String),
    /// The value is not a number, or out of range.
    #[error("invalid value `{value}` of `{parameter}`: expected {range}")]
    Value {
        /// The parameter.
        parameter: String,
        /// The value.
        value: String,
        /// The valid values.
        range: &'static str,
    },
}

/// Parses a name, and parameters that replace those of the named device: `simulated:relaxed,busy=0.01,seed=7`.
impl FromStr for Model {
    type Err = ModelError;

    fn from_str(spec: &str) -> Result<Self, ModelError> {
        let mut parts = spec.strip_prefix(PREFIX).unwrap_or(spec).split(',');
        let name = parts.next().unwrap_or_default();
        let found = NAMED.into_iter().find(|known| known.name == name);
        let mut model = found.ok_or_else(|| ModelError::Name(name.to_owned()))?;
        for part in parts {
            let (parameter, value) = part.split_once('=').unwrap_or((part, ""));
            model.set(parameter, value)?;
        }
        Ok(model)
    }
}

impl Model {
    fn set(&mut self, parameter: &str, value: &str) -> Result<(), ModelError> {
        let wrong = |range| {
            let (parameter, value) = (parameter.to_owned(), value.to_owned());
            ModelError::Value { parameter, value, range }
        };
        let between = |least: f64, greatest: f64, range| {
            let number = value.parse().ok().filter(|number| (least..=greatest).contains(number));
            number.ok_or_else(|| wrong(range))
        };
        let share = || between(0.0, 1.0, "a number from 0 to 1");
        match parameter {
            "quiet" => self.idle_probability = share()?,
            "busy" => self.busy_probability = share()?,
            "strength" => self.strength = share()?,
            "half" => self.half = between(1.0, 1e9, "a number from 1 to 1e9")?,
            "longest" => {
                let range = "a number of steps, from 1 to 10000";
                let steps = value.parse().ok().filter(|steps| (1..=10_000).contains(steps));
                self.max_delay = steps.ok_or_else(|| wrong(range))?;
            }
            "seed" => self.seed = value.parse().map_err(|_| wrong("a number"))?,
            _ => return Err(ModelError::Parameter(parameter.to_owned())),
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
        assert_eq!((changed.busy_probability, changed.max_delay, changed.seed), (0.25, 9, 7));
        assert_eq!(changed.fault, Some(Fault::Overtaking));
        assert_eq!(changed.to_string().parse(), Ok(changed));
    }

    #[test]
    fn what_is_wrong_in_a_spec_is_named() {
        let why = |spec: &str| spec.parse::<Model>().unwrap_err().to_string();
        assert_eq!(why("simulated:weird"), "unknown simulated device `weird`");
        assert_eq!(why("simulated:"), "unknown simulated device ``");
        assert_eq!(
            why("simulated:strong,rate=1"),
            "unknown parameter `rate` of a simulated device"
        );
        assert_eq!(
            why("relaxed,busy=2"),
            "invalid value `2` of `busy`: expected a number from 0 to 1"
        );
        assert_eq!(
            why("relaxed,busy=NaN"),
            "invalid value `NaN` of `busy`: expected a number from 0 to 1"
        );
        let steps = "invalid value `0` of `longest`: expected a number of steps, from 1 to 10000";
        assert_eq!(why("relaxed,longest=0"), steps);
        assert_eq!(why("relaxed,seed"), "invalid value `` of `seed`: expected a number");
    }

    #[test]
    fn traffic_makes_accesses_late() {
        let [strong, relaxed, ..] = NAMED;
        assert_eq!(strong.delay_probability(u32::MAX), 0.0);
        assert_eq!(relaxed.delay_probability(0), relaxed.idle_probability);
        assert_eq!(
            relaxed.delay_probability(64),
            f64::midpoint(relaxed.idle_probability, relaxed.busy_probability)
        );
        assert!(relaxed.delay_probability(1000) > relaxed.delay_probability(100));
        assert!(relaxed.delay_probability(u32::MAX) <= relaxed.busy_probability);
        let faulty = &NAMED[3];
        assert_eq!((faulty.fault_probability(0), faulty.fault_probability(64)), (0.0, 0.25));
    }
}
