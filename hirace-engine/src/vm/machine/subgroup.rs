//! Subgroup operations among invocations that are stepped one by one.

use crate::vm::alu;
use crate::vm::code::{Instruction, Range, SubgroupOperation, SubgroupStep};
use crate::vm::engine::Setup;
use crate::vm::engine::fragment::Fragment;
use crate::vm::ops::Slot;

/// Maximum number of lanes of a subgroup.
const LANES: usize = 64;

/// Performs the operations that invocations were released to, for each subgroup at once: collects the
/// operands in lanes, computes, and writes each invocation's result.
pub fn combine(setup: &Setup, fragments: &mut [Fragment<1>]) {
    let mut rest = fragments;
    while let Some(first) = rest.iter().position(|f| f.has_waited_for_subgroup) {
        let subgroup = rest[first].subgroup;
        let of_it = rest[first..].iter().take_while(|f| f.subgroup == subgroup).count();
        let (now, later) = rest.split_at_mut(first + of_it);
        let mut met: Vec<_> =
            now[first..].iter_mut().filter(|f| f.has_waited_for_subgroup).collect();
        operate(setup, &mut met);
        rest = later;
    }
}

/// Performs one operation for the participating invocations of one subgroup.
fn operate(setup: &Setup, met: &mut [&mut Fragment<1>]) {
    let Some(pc) = met.first().map(|f| f.pc) else { return };
    let instruction = setup.code.instructions.get(pc as usize);
    if let Some(Instruction::Subgroup { index }) = instruction {
        let step = setup.code.subgroup_steps[*index as usize];
        let here = TemporaryOperation::new(&step);
        let mut registers: Vec<Slot<LANES>> = vec![[0; LANES]; here.count];
        let mut active = 0;
        let lane = |f: &Fragment<1>| (f.first % setup.subgroup_size) as usize;
        for f in &mut *met {
            active |= 1 << lane(f);
            for (from, to) in here.operands(&step) {
                registers[to][lane(f)] = f.registers[from][0];
            }
        }
        alu::subgroup(&mut registers, &here.step, active);
        for f in &mut *met {
            for (at, register) in step.out.indices().enumerate() {
                f.registers[register] = [registers[at][lane(f)]];
            }
        }
    }
    for f in met {
        f.has_waited_for_subgroup = false;
        f.pc += 1;
    }
}

/// An operation on temporary registers: the result, then the operand, then the index.
struct TemporaryOperation {
    step: SubgroupStep,
    count: usize,
}

impl TemporaryOperation {
    fn new(step: &SubgroupStep) -> Self {
        let out = Range { start: 0, count: step.out.count };
        let operand = Range { start: out.count, count: step.operand.count };
        let index = out.count + operand.count;
        let operation = match step.operation {
            SubgroupOperation::Gather(mode, given) => {
                SubgroupOperation::Gather(mode, given.map(|_| index))
            }
            operation => operation,
        };
        Self { step: SubgroupStep { operation, out, operand }, count: index as usize + 1 }
    }

    /// Returns pairs of a register of an invocation and the temporary register that it is copied to.
    fn operands(&self, step: &SubgroupStep) -> impl Iterator<Item = (usize, usize)> + use<> {
        let index = match step.operation {
            SubgroupOperation::Gather(_, index) => index.map(|index| index as usize),
            _ => None,
        };
        let index = index.map(|index| (index, self.count - 1));
        step.operand.indices().zip(self.step.operand.indices()).chain(index)
    }
}
