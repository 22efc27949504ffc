//! Random launches that meet the requirements of a contract. Many of them have values at a boundary of the requirements.

use crate::prove::{HostSum, HostTerm, HostValue, Requirement};
use hirace_engine::random::Random;
use naga::{GlobalVariable, Handle};
use std::collections::BTreeMap;

/// The maximum number of elements of an array.
const MAX_LENGTH: i128 = 1 << 13;
/// The maximum number of workgroups in each dimension.
const MAX_WORKGROUPS: i128 = 5;
/// The maximum number of changes of a value to meet the requirements.
const MAX_REPAIRS: u32 = 24;

/// The words that random launches choose from.
const WORDS: [u32; 24] = [
    0,
    0,
    1,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    12,
    15,
    16,
    17,
    31,
    33,
    100,
    65_536,
    0x4000_0000,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
];

/// The values that the host chooses for a launch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaunchInputs {
    /// The number of workgroups by dimension.
    pub workgroups: [u32; 3],
    /// The number of elements of runtime-sized arrays.
    pub lengths: BTreeMap<Handle<GlobalVariable>, u32>,
    /// Words of buffers that are not written, by their offsets in bytes.
    pub words: BTreeMap<(Handle<GlobalVariable>, u32), u32>,
}

impl LaunchInputs {
    /// Returns a random launch for these runtime-sized arrays and words.
    fn random(
        random: &mut Random,
        arrays: &[Handle<GlobalVariable>],
        words: &[(Handle<GlobalVariable>, u32)],
    ) -> Self {
        let small = random.below(3_u32) > 0;
        let mut word = || {
            let end = if small { 17 } else { WORDS.len() };
            WORDS[random.below(end)]
        };
        let words = words.iter().map(|at| (*at, word())).collect();
        let workgroups = [3, 2, 2].map(|end: u32| 1 + random.below(end));
        let lengths = arrays.iter().map(|array| (*array, 1 + random.below(40_u32))).collect();
        Self { workgroups, lengths, words }
    }

    fn get(&self, value: HostValue) -> i128 {
        match value {
            HostValue::Workgroups(dimension) => self.workgroups[dimension].into(),
            HostValue::Length(global) => self.lengths.get(&global).copied().unwrap_or(1).into(),
            HostValue::Word { global, offset, signed } => {
                let word = self.words.get(&(global, offset)).copied().unwrap_or_default();
                if signed { word.cast_signed().into() } else { word.into() }
            }
        }
    }

    /// Sets a value. Returns whether a launch can have it.
    fn set(&mut self, value: HostValue, to: i128) -> bool {
        let range = match value {
            HostValue::Workgroups(_) => 1..=MAX_WORKGROUPS,
            HostValue::Length(_) => 1..=MAX_LENGTH,
            HostValue::Word { signed: true, .. } => i32::MIN.into()..=i32::MAX.into(),
            HostValue::Word { signed: false, .. } => 0..=u32::MAX.into(),
        };
        if !range.contains(&to) {
            return false;
        }
        // The low 32 bits of a negative number are the bits of the `i32`.
        let bits = to as u32;
        match value {
            HostValue::Workgroups(dimension) => self.workgroups[dimension] = bits,
            HostValue::Length(global) => _ = self.lengths.insert(global, bits),
            HostValue::Word { global, offset, .. } => {
                self.words.insert((global, offset), bits);
            }
        }
        true
    }

    /// Returns the sum, without wrapping.
    pub fn evaluate(&self, sum: &HostSum) -> i128 {
        let term = |(term, factor): &(HostTerm, i64)| {
            let value = match term {
                HostTerm::Value(value) => self.get(*value),
                HostTerm::Product(factors) => {
                    self.evaluate(&factors[0]) * self.evaluate(&factors[1])
                }
            };
            value * i128::from(*factor)
        };
        i128::from(sum.constant) + sum.terms.iter().map(term).sum::<i128>()
    }

    /// Returns whether the launch meets all requirements.
    pub fn meets(&self, requirements: &[Requirement]) -> bool {
        requirements.iter().all(|requirement| self.evaluate(&requirement.sum) >= 0)
    }

    /// Changes one value such that the sum becomes the smallest nonnegative number that a change of this value allows.
    /// Returns whether the value was changed.
    fn tighten(&mut self, sum: &HostSum, random: &mut Random) -> bool {
        let mut slopes = BTreeMap::new();
        self.add_slopes(sum, 1, &mut slopes);
        let slopes: Vec<(HostValue, i128)> =
            slopes.into_iter().filter(|(_, slope)| *slope != 0).collect();
        if slopes.is_empty() {
            return false;
        }
        let (value, slope) = slopes[random.below(slopes.len())];
        let excess = self.evaluate(sum);
        let by = -excess.div_euclid(slope.abs()) * slope.signum();
        self.set(value, self.get(value) + by)
    }

    /// Adds, for each value, the factor by which `by * sum` grows with it while the other values stay the same.
    fn add_slopes(&self, sum: &HostSum, by: i128, slopes: &mut BTreeMap<HostValue, i128>) {
        for (term, factor) in &sum.terms {
            let by = by * i128::from(*factor);
            match term {
                HostTerm::Value(value) => *slopes.entry(*value).or_default() += by,
                HostTerm::Product(factors) => {
                    let [a, b] = &**factors;
                    self.add_slopes(a, by * self.evaluate(b), slopes);
                    self.add_slopes(b, by * self.evaluate(a), slopes);
                }
            }
        }
    }
}

/// Returns at most `limit` launches that meet the requirements.
pub fn launches(
    requirements: &[Requirement],
    arrays: &[Handle<GlobalVariable>],
    words: &[(Handle<GlobalVariable>, u32)],
    random: &mut Random,
    limit: usize,
) -> Vec<LaunchInputs> {
    let mut found: Vec<LaunchInputs> = Vec::new();
    for _ in 0..4 * limit {
        let mut given = LaunchInputs::random(random, arrays, words);
        for _ in 0..MAX_REPAIRS {
            let unmet: Vec<&Requirement> =
                requirements.iter().filter(|it| given.evaluate(&it.sum) < 0).collect();
            if unmet.is_empty() {
                break;
            }
            given.tighten(&unmet[random.below(unmet.len())].sum, random);
        }
        if !given.meets(requirements) {
            continue;
        }
        // Values at a boundary find more errors than values far from it.
        for _ in 0..2 * requirements.len() {
            let mut tight = given.clone();
            tight.tighten(&requirements[random.below(requirements.len())].sum, random);
            if tight.meets(requirements) {
                given = tight;
            }
        }
        if !found.contains(&given) {
            found.push(given);
        }
        if found.len() == limit {
            break;
        }
    }
    found
}
