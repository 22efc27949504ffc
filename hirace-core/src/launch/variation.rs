//! Variations of the most probable launch, which are tried if that launch leaves parts of a kernel unexecuted.
//!
//! A variation consists of a few changes, each of one number or of the contents of one buffer. The new values are those that
//! kernels distinguish: small numbers, sizes of the launch, and literals of the kernel.

use super::fitting::Shape;
use super::measures::{Measures, Slot};
use super::number::Number;
use super::spec::Contents;
use crate::random::Random;
use naga::{GlobalVariable, Handle, Scalar, ScalarKind};
use std::collections::BTreeMap;

/// A guessed value that may be varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpenValue {
    /// A number that influences the kernel.
    Number(Slot),
    /// The contents of a buffer or a texture.
    Contents(Handle<GlobalVariable>),
}

/// The changed values, each with the seed of its random choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation(BTreeMap<OpenValue, u64>);

/// The maximum number of values in one change, except for a change of all values.
const FEW: u32 = 3;

/// One change out of this many changes all values.
const CHANGE_ALL_RATE: u32 = 8;

/// The seed of contents that consist of the largest number that all types have. Atomic minima start from such contents.
const LARGEST: u64 = u64::MAX;

impl Variation {
    /// Returns the changed values.
    pub fn changes(&self) -> impl Iterator<Item = OpenValue> {
        self.0.keys().copied()
    }

    /// Returns whether nothing is changed.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a copy of this variation in which some of the values in `open` are changed.
    #[must_use]
    pub fn changed(&self, open: &[OpenValue], random: &mut Random) -> Self {
        let mut changed = self.clone();
        if random.below(CHANGE_ALL_RATE) == 0 {
            changed.0.extend(open.iter().map(|&one| (one, random.bits())));
            return changed;
        }
        for _ in 0..=random.below(FEW) {
            let Some(&one) = open.get(random.below(open.len())) else { continue };
            // Sometimes the most probable value is restored.
            match random.below(CHANGE_ALL_RATE) {
                0 => changed.0.remove(&one),
                _ => changed.0.insert(one, random.bits()),
            };
        }
        changed
    }

    /// Returns a copy of this variation in which the contents of one variable in `open` are the largest number.
    #[must_use]
    pub fn with_largest(&self, open: &[OpenValue], random: &mut Random) -> Self {
        let mut changed = self.clone();
        changed.0.extend(open.get(random.below(open.len())).map(|&one| (one, LARGEST)));
        changed
    }

    /// Returns the value of a number, if it is changed.
    pub fn number(
        &self,
        slot: Slot,
        scalar: Scalar,
        measures: &Measures,
        shape: &Shape,
    ) -> Option<Number> {
        let mut random = Random::new(*self.0.get(&OpenValue::Number(slot))?);
        Some(match scalar.kind {
            ScalarKind::Float => float(&mut random, measures, shape),
            _ => Number::Int(whole(&mut random, measures, shape).into()),
        })
    }

    /// Returns the contents of a buffer or a texture, if they are changed.
    pub fn contents(
        &self,
        variable: Handle<GlobalVariable>,
        measures: &Measures,
        shape: &Shape,
    ) -> Option<Contents> {
        let seed = *self.0.get(&OpenValue::Contents(variable))?;
        if seed == LARGEST {
            return Some(Contents::Fill(None, Number::Int(i32::MAX.into())));
        }
        let mut random = Random::new(seed);
        let below = |most: u32| Contents::Below(None, Number::Int(most.into()), None);
        Some(match random.below(12u32) {
            0 | 1 => Contents::Zeros(None),
            2 | 3 => Contents::Iota(None),
            4 => Contents::Permutation(None, None),
            5 => Contents::Fill(None, Number::Int(1)),
            6 => {
                Contents::Fill(None, Number::Int(whole(&mut random, measures, shape).max(0).into()))
            }
            7 => below(2),
            8 | 9 => below(4),
            10 => below(16),
            _ => below(shape.extent[0]),
        })
    }
}

/// Returns a random integer of the kind that kernels distinguish.
fn whole(random: &mut Random, measures: &Measures, shape: &Shape) -> i64 {
    let asked: Vec<i64> = measures.numbers.iter().copied().collect();
    match random.below(8u32) {
        0..4 => random.below(5u32).into(),
        4 => 1 << random.below(9u32),
        5 => shape.extent[random.below(3usize)].into(),
        _ => match asked.get(random.below(asked.len())) {
            Some(&number) => number.saturating_add(i64::from(random.below(3u32)) - 1).max(0),
            None => 1,
        },
    }
}

/// Returns a random float of the kind that kernels distinguish.
fn float(random: &mut Random, measures: &Measures, shape: &Shape) -> Number {
    const USUAL: [f64; 9] = [0.0, 1.0, 0.5, 2.0, -1.0, 0.01, 10.0, 100.0, 1000.0];
    match random.below(4u32) {
        0 => Number::Int(whole(random, measures, shape).into()),
        1 => Number::Float(random.unit()),
        _ => Number::Float(USUAL[random.below(USUAL.len())]),
    }
}

impl OpenValue {
    /// Returns the variable to which the value belongs.
    pub fn variable(self) -> Handle<GlobalVariable> {
        match self {
            Self::Number(slot) => slot.variable,
            Self::Contents(variable) => variable,
        }
    }
}
