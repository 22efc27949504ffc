//! The values that a launch gives to the terms of a contract.

use crate::ir::scalars::Footprint;
use crate::launch::Launch;
use crate::program::Program;
use crate::prove::{HostSum, HostTerm, HostValue};
use crate::vm::memory::Buffer;
use crate::vm::observer::MemoryId;
use naga::{GlobalVariable, Handle};
use std::sync::atomic::Ordering;

/// The values that the first dispatch of a launch has before it runs.
pub(super) struct HostValues<'a> {
    pub program: &'a Program,
    pub launch: &'a Launch,
}

impl HostValues<'_> {
    /// Returns the value of a sum, or `None` if the launch does not have one of its values.
    pub fn sum(&self, sum: &HostSum) -> Option<i128> {
        sum.terms.iter().try_fold(i128::from(sum.constant), |total, (term, factor)| {
            let value = match term {
                HostTerm::Value(value) => self.value(*value)?,
                HostTerm::Product(factors) => {
                    self.sum(&factors[0])?.checked_mul(self.sum(&factors[1])?)?
                }
            };
            total.checked_add(value.checked_mul(i128::from(*factor))?)
        })
    }

    fn value(&self, value: HostValue) -> Option<i128> {
        match value {
            HostValue::Workgroups(dimension) => {
                let dispatch = self.launch.dispatches.first()?;
                Some(i128::from(*dispatch.workgroups.get(dimension)?))
            }
            HostValue::Length(global) => {
                let bytes = self.buffer(global)?.len();
                let ty = self.program.module.global_variables[global].ty;
                let footprint = Footprint::of(&self.program.module, ty);
                let has_array = footprint.stride.is_some() && bytes >= footprint.fixed;
                has_array.then(|| footprint.elements(bytes).into())
            }
            HostValue::Word { global, offset, signed } => {
                let words = self.buffer(global)?.words();
                let word = words.get(offset as usize / 4)?.load(Ordering::Relaxed);
                Some(if signed { i128::from(word as i32) } else { word.into() })
            }
        }
    }

    fn buffer(&self, global: Handle<GlobalVariable>) -> Option<&Buffer> {
        self.launch.resources.buffer(MemoryId(global.index() as u32))
    }
}
