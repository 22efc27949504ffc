//! Values that a module leaves to its host: specialization constants that a launch needs, such as a workgroup size that is one
//! invocation by default, and the lengths of OpenCL's local arguments. This module also reads clspv's reflection data about the
//! original kernels: names of arguments, which constants are such lengths, and which push constants its runtime provides.

use super::declarations::SpirvDeclarations;
use super::words::{Instruction, Words};
use crate::program::{HostAssumptions, HostSize, HostValue, RuntimeValue, RuntimeValueKind};
use rspirv::spirv::{ExecutionMode, Op};
use rustc_hash::FxHashMap;

/// Instruction numbers of `NonSemantic.ClspvReflection`.
const ARGUMENT_INFO: u32 = 2;
/// Arguments in a buffer or a texture: their descriptor set and binding are operands 2 and 3.
const BOUND: [u32; 5] = [3, 4, 8, 9, 10];
const ARGUMENT_WORKGROUP: u32 = 11;
/// Push constants that clspv's runtime provides, with their meaning: their offset and size are operands 0 and 1.
const PASSED: [(u32, RuntimeValueKind); 6] = [
    (15, RuntimeValueKind::Offset),
    (16, RuntimeValueKind::WorkgroupSize),
    (17, RuntimeValueKind::Invocations),
    (18, RuntimeValueKind::Offset),
    (19, RuntimeValueKind::Workgroups),
    (20, RuntimeValueKind::Offset),
];
/// The assumed number of invocations of a workgroup, and of elements of its memory.
const GUESSED: u64 = 64;

/// The values that the host provides, and reflection data.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// By descriptor set and binding: the name of the argument, if it is the same in all kernels.
    pub bound: FxHashMap<(u32, u32), Option<String>>,
    /// By the specialization id of the constant that is the length of an argument in workgroup memory: the argument's name.
    pub lengths: FxHashMap<u32, Option<String>>,
    /// The push constants that the runtime provides.
    pub passed: Vec<RuntimeValue>,
    /// The specialization id of the constant that is the workgroup size, if that is one invocation by default.
    size: Option<u32>,
    /// The specialization ids of all constants in the workgroup size.
    all_of_size: Vec<u32>,
}

impl Host {
    /// Reads the host values of `words`.
    pub fn read(words: &Words, declared: &SpirvDeclarations) -> Self {
        let mut names: FxHashMap<u32, &str> = FxHashMap::default();
        let ids = sizes(words, declared);
        let by_default = |id: &u32| declared.constants.get(id) == Some(&1);
        let all_of_size: Vec<u32> =
            ids.iter().filter_map(|id| declared.spec_ids.get(id)).copied().collect();
        let size = all_of_size.first().copied().filter(|_| ids.iter().all(by_default));
        let mut host = Self { size, all_of_size, ..Self::default() };
        for instruction in words.instructions() {
            let Some((what, operands)) = reflection(instruction, declared) else { continue };
            let number = |index: usize| {
                operands.get(index).and_then(|id| declared.constants.get(id).copied())
            };
            let info = |index: usize| {
                let name = operands.get(index).and_then(|id| names.get(id));
                name.map(|name| (*name).to_owned())
            };
            match what {
                ARGUMENT_INFO => {
                    let name = operands.first().and_then(|id| declared.strings.get(id));
                    let id = instruction.operand(1);
                    names.extend(id.zip(name.map(String::as_str)));
                }
                _ if BOUND.contains(&what) => {
                    if let (Some(set), Some(binding)) = (number(2), number(3)) {
                        agree(&mut host.bound, (set, binding), info(4));
                    }
                }
                ARGUMENT_WORKGROUP => {
                    if let Some(constant) = number(2) {
                        agree(&mut host.lengths, constant, info(4));
                    }
                }
                _ => {
                    let known = PASSED.iter().find(|(number, _)| *number == what);
                    if let (Some((_, what)), Some(offset), Some(size)) =
                        (known, number(0), number(1))
                    {
                        host.passed.push(RuntimeValue { offset, size, what: *what });
                    }
                }
            }
        }
        host
    }

    /// Assumes values for constants that the host provides and the user does not give. `given` is by id.
    pub fn assume_values(
        &self,
        declared: &SpirvDeclarations,
        given: &mut FxHashMap<u32, u64>,
    ) -> Option<HostAssumptions> {
        let mut numbers: Vec<(u32, HostSize)> = Vec::new();
        numbers.extend(self.size.map(|number| (number, HostSize::Workgroup)));
        let mut lengths: Vec<_> = self.lengths.iter().collect();
        lengths.sort_unstable();
        for (number, name) in lengths {
            numbers.push((*number, HostSize::Memory(name.clone())));
        }
        // The assumed size may have to match other constants.
        let known: Vec<u32> = numbers.iter().map(|(number, ..)| *number).collect();
        let others = declared
            .spec_ids
            .values()
            .any(|number| !known.contains(number) && !self.all_of_size.contains(number));
        let (mut values, mut is_doubt) = (Vec::new(), false);
        for (number, size) in numbers {
            let ids = declared.spec_ids.iter().filter(|(_, of)| **of == number);
            let ids: Vec<u32> = ids.map(|(id, _)| *id).collect();
            if ids.iter().all(|id| !given.contains_key(id)) {
                // Other constants with the same specialization id may have a default that indicates the intended number.
                let said = ids.iter().filter_map(|id| declared.constants.get(id)).max();
                let value = said.copied().filter(|said| *said > 1).map_or(GUESSED, u64::from);
                given.extend(ids.into_iter().map(|id| (id, value)));
                is_doubt |= size != HostSize::Workgroup || others;
                values.push(HostValue { constant: number, size, value });
            }
        }
        (!values.is_empty()).then_some(HostAssumptions { values, affects_findings: is_doubt })
    }
}

/// Returns the constants in the workgroup size.
fn sizes(words: &Words, declared: &SpirvDeclarations) -> Vec<u32> {
    let of_all = declared.workgroup_size.and_then(|id| declared.composites.get(&id));
    let by_mode = || {
        let is = |instruction: &Instruction<'_>| {
            instruction.op() == Some(Op::ExecutionModeId)
                && instruction.operand(1) == Some(ExecutionMode::LocalSizeId as u32)
        };
        words.instructions().find(is).map(|found| found.operands(2).to_vec())
    };
    of_all.cloned().or_else(by_mode).unwrap_or_default()
}

/// Records a name, or `None` if another name was recorded for the same key.
fn agree<K: Eq + std::hash::Hash>(
    names: &mut FxHashMap<K, Option<String>>,
    key: K,
    name: Option<String>,
) {
    let known = names.entry(key).or_insert_with(|| name.clone());
    if *known != name {
        *known = None;
    }
}

fn reflection<'a>(
    instruction: Instruction<'a>,
    declared: &SpirvDeclarations,
) -> Option<(u32, &'a [u32])> {
    let set = declared.sets_imported.get(&instruction.operand(2)?)?;
    let is =
        instruction.op() == Some(Op::ExtInst) && set.starts_with("NonSemantic.ClspvReflection");
    is.then_some((instruction.operand(3)?, instruction.operands(4)))
}
