//! Writes an answer to the registers of the invocation that requested it.

use super::pending_request::{pending_instruction, registers, texel_update, update};
use super::request::{Answer, UnexpectedAnswer};
use crate::ir::sites::SiteId;
use crate::vm::code::{ImageOperation, Instruction};
use crate::vm::engine::fragment::{Fragment, State};
use crate::vm::engine::memory::{decode, write_result};
use crate::vm::engine::tally::Tally;
use crate::vm::engine::{Setup, image};

/// Applies the answer and lets the invocation continue. Missing values are 0.
pub fn apply(
    setup: &Setup,
    workgroup: u32,
    f: &mut Fragment<1>,
    tally: &mut Tally,
    answer: &Answer,
) -> Result<(), UnexpectedAnswer> {
    let code = setup.code;
    let event = |access: u32| code.accesses[access as usize].event.as_ref().map(|event| event.site);
    let instruction = pending_instruction(setup, f).ok_or(UnexpectedAnswer)?;
    let site: Option<SiteId> = match (instruction, answer) {
        (Instruction::Load { to, access, .. }, Answer::Read(values)) => {
            let mut values = values.iter();
            for part in &code.accesses[access as usize].parts {
                for at in registers(part) {
                    let bits = values.next().copied().unwrap_or(0);
                    f.registers[(to + part.register + at) as usize] = [decode(part.leaf, bits)];
                }
            }
            event(access)
        }
        (Instruction::Store { access, .. }, Answer::Done) => {
            tally.changes += 1;
            event(access)
        }
        (Instruction::Atomic { to, operation, .. }, Answer::Updated(old)) => {
            let operation = &code.atomics[operation as usize];
            let update = update(f, operation);
            tally.changes += u64::from(update.changes(*old));
            if let Some(to) = to {
                let exchanged = update.compare.map(|compare| compare == *old);
                let wide = update.scalar.width == 8;
                write_result(&mut f.registers, to, 0, wide, *old, exchanged);
            }
            event(operation.access)
        }
        (Instruction::Image { index }, answer) => {
            let step = &code.image_steps[index as usize];
            match (step.operation, answer) {
                (ImageOperation::Load { .. }, Answer::Read(values)) => {
                    let texel = std::array::from_fn(|at| values.get(at).copied().unwrap_or(0));
                    image::write(f, step.value, 0, texel);
                }
                (ImageOperation::Store, Answer::Done) => tally.changes += 1,
                (_, Answer::Updated(old)) => {
                    let update = texel_update(f, step).ok_or(UnexpectedAnswer)?;
                    tally.changes += u64::from(update.changes(*old));
                }
                _ => return Err(UnexpectedAnswer),
            }
            step.site.map(|(site, _)| site)
        }
        (Instruction::Fence { .. }, Answer::Done) => None,
        _ => return Err(UnexpectedAnswer),
    };
    if let Some(site) = site {
        tally.record_execution(site.0 as usize, workgroup, f.first, f.mask);
    }
    f.state = State::Ready;
    Ok(())
}
