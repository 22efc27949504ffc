//! Offsets and strides in buffers that contain 8-bit integers, which occupy 4 bytes in the prepared module.

use crate::front::spirv::declarations::SpirvDeclarations;
use crate::front::spirv::types::Type;
use crate::front::spirv::words::Words;
use rustc_hash::FxHashMap;

/// The offsets and strides that differ from the original module.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    /// By structure: the offsets of its members.
    pub offsets: FxHashMap<u32, Vec<u32>>,
    /// By array: the stride.
    pub strides: FxHashMap<u32, u32>,
}

/// The size and alignment of a type.
#[derive(Clone, Copy)]
struct TypeLayout {
    size: u32,
    alignment: u32,
    holds_bytes: bool,
}

impl Layouts {
    /// Computes the layouts of the types of `words` that contain 8-bit integers.
    pub fn of(words: &Words, declared: &SpirvDeclarations) -> Self {
        let mut layouts = Self::default();
        let mut known: FxHashMap<u32, TypeLayout> = FxHashMap::default();
        // Types precede the types that contain them.
        for instruction in words.instructions() {
            if let Some((id, ty)) = Type::read(instruction)
                && let Some(layout) = layouts.layout(id, &ty, &known, declared)
            {
                known.insert(id, layout);
            }
        }
        layouts
    }

    fn layout(
        &mut self,
        id: u32,
        ty: &Type,
        known: &FxHashMap<u32, TypeLayout>,
        declared: &SpirvDeclarations,
    ) -> Option<TypeLayout> {
        let scalar = |bits: u32, holds_bytes| {
            let size = (bits / 8).clamp(1, 8);
            TypeLayout { size, alignment: size, holds_bytes }
        };
        Some(match ty {
            Type::Int { width: 8, .. } => scalar(32, true),
            Type::Int { width, .. } | Type::Float { width } => scalar(*width, false),
            Type::Bool => return None,
            Type::Vector { of, count } => {
                let of = *known.get(of)?;
                let alignment = of.alignment.saturating_mul(if *count == 2 { 2 } else { 4 });
                TypeLayout { size: of.size.saturating_mul(*count), alignment, ..of }
            }
            Type::Array { of, length } => {
                let of = *known.get(of)?;
                let stride = up(of.size, of.alignment);
                if of.holds_bytes {
                    self.strides.insert(id, stride);
                }
                let length = declared.constants.get(length).copied().unwrap_or_default();
                TypeLayout { size: stride.saturating_mul(length), ..of }
            }
            Type::Struct(members) => {
                let members: Option<Vec<TypeLayout>> =
                    members.iter().map(|member| known.get(member).copied()).collect();
                let (mut end, mut alignment, mut offsets) = (0, 1, Vec::new());
                let members = members?;
                for member in &members {
                    let offset = up(end, member.alignment);
                    offsets.push(offset);
                    end = offset.saturating_add(member.size);
                    alignment = alignment.max(member.alignment);
                }
                let holds_bytes = members.iter().any(|member| member.holds_bytes);
                if holds_bytes {
                    self.offsets.insert(id, offsets);
                }
                TypeLayout { size: up(end, alignment), alignment, holds_bytes }
            }
        })
    }
}

fn up(offset: u32, alignment: u32) -> u32 {
    offset.checked_next_multiple_of(alignment.max(1)).unwrap_or(u32::MAX)
}
