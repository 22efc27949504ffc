//! Limits the sizes of types. naga fails on types that are too large without naming the instruction.

use super::at;
use super::declarations::SpirvDeclarations;
use super::text::Text;
use super::types::Type;
use super::words::{Instruction, Words};
use crate::diagnostic::Result;
use rspirv::spirv::{Decoration, Op};
use rustc_hash::FxHashMap;

/// naga's limit, in bytes.
const BYTES: u64 = i32::MAX as u64;

/// Returns an error for a type that is too large.
pub fn check(words: &Words, declared: &SpirvDeclarations, text: &Text) -> Result<()> {
    let mut sizes = Sizes::default();
    for instruction in words.instructions() {
        sizes.decoration(instruction);
        let Some((id, ty)) = Type::read(instruction) else { continue };
        let bytes = sizes.of(id, &ty, declared);
        if bytes > BYTES {
            let message = format!("a type may have at most {BYTES} bytes");
            return Err(Box::new(at(text, instruction.index, message)));
        }
        sizes.known.insert(id, bytes);
    }
    Ok(())
}

#[derive(Default)]
struct Sizes {
    /// Size in bytes, by type.
    known: FxHashMap<u32, u64>,
    /// Stride in bytes, by array type.
    strides: FxHashMap<u32, u64>,
    /// Offset of the last member, by structure type.
    offsets: FxHashMap<u32, u64>,
}

impl Sizes {
    fn decoration(&mut self, instruction: Instruction<'_>) {
        match (instruction.op(), instruction.operands(0)) {
            (Some(Op::Decorate), &[id, decoration, stride])
                if decoration == Decoration::ArrayStride as u32 =>
            {
                self.strides.insert(id, stride.into());
            }
            (Some(Op::MemberDecorate), &[id, _, decoration, offset])
                if decoration == Decoration::Offset as u32 =>
            {
                let last = self.offsets.entry(id).or_default();
                *last = (*last).max(offset.into());
            }
            _ => {}
        }
    }

    /// Returns the size of a type in bytes, or slightly less, because padding between members may be omitted.
    fn of(&self, id: u32, ty: &Type, declared: &SpirvDeclarations) -> u64 {
        let size = |ty: &u32| self.known.get(ty).copied().unwrap_or(0);
        match ty {
            Type::Bool => 4,
            Type::Int { width, .. } | Type::Float { width } => u64::from(*width) / 8,
            Type::Vector { of, count } => size(of).saturating_mul((*count).into()),
            Type::Array { of, length } => {
                let length = declared.constants.get(length).copied().unwrap_or(1);
                let stride = self.strides.get(&id).copied().unwrap_or_else(|| size(of));
                stride.saturating_mul(length.into())
            }
            Type::Struct(members) => {
                let sum = members.iter().map(size).fold(0, u64::saturating_add);
                sum.max(self.offsets.get(&id).copied().unwrap_or(0))
            }
        }
    }
}
