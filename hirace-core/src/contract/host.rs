//! The values that a launch gives to the terms of a contract.

use crate::ir::scalars::Footprint;
use crate::launch::Launch;
use crate::program::Program;
use crate::prove::{HostSum, HostTerm, HostValue};
use crate::vm::memory::Buffer;
use crate::vm::observer::MemoryId;
use naga::{GlobalVariable, Handle};

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
                let module = &self.program.module;
                let footprint = Footprint::of(module, module.global_variables[global].ty);
                footprint.array_length(self.buffer(global)?.len()).map(i128::from)
            }
            HostValue::Word { global, offset, signed } => {
                let word = self.buffer(global)?.word(offset)?;
                Some(if signed { i128::from(word as i32) } else { word.into() })
            }
        }
    }

    fn buffer(&self, global: Handle<GlobalVariable>) -> Option<&Buffer> {
        self.launch.resources.buffer(MemoryId(global.index() as u32))
    }
}
