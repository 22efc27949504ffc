//! Variables that get another binding for naga: read-only buffers that share a binding get separate ones, and push constants become
//! a uniform buffer if they have members that are not 32 bits wide.

use crate::front::spirv::declarations::SpirvDeclarations;
use crate::front::spirv::types::Type;
use rspirv::spirv::StorageClass;
use rustc_hash::{FxHashMap, FxHashSet};

/// The descriptor set for variables that have none.
const SET: u32 = 0;

/// The changed bindings of variables.
#[derive(Clone, Debug, Default)]
pub struct ChangedBindings {
    /// By variable: the new binding.
    pub new_bindings: FxHashMap<u32, u32>,
    /// The variable of push constants, and its set and binding, if it becomes a uniform buffer.
    pub push_constants: Option<(u32, u32, u32)>,
    /// The first unused binding.
    pub free: u32,
}

impl ChangedBindings {
    /// Assigns bindings to the variables of a module.
    pub fn of(declared: &SpirvDeclarations) -> Self {
        let mut bound = Self::default();
        let mut free = declared.bindings.values().max().map_or(0, |last| last.saturating_add(1));
        for alias in declared.aliases() {
            bound.new_bindings.insert(alias, free);
            free = free.saturating_add(1);
        }
        let class = |ty: u32| declared.pointers.get(&ty).copied();
        let mut variables: Vec<_> = declared.variables.iter().collect();
        variables.sort_unstable();
        for (id, ty) in variables {
            if let Some((class, pointee)) = class(*ty)
                && class == StorageClass::PushConstant as u32
                && contains_non_32_bit_numbers(pointee, declared)
            {
                bound.push_constants = Some((*id, SET, free));
            }
        }
        bound.free = free.saturating_add(1);
        bound
    }
}

/// Returns whether a type contains numbers that are not 32 bits wide. 8-bit numbers have 32 bits in the prepared module.
fn contains_non_32_bit_numbers(ty: u32, declared: &SpirvDeclarations) -> bool {
    let (mut next, mut seen) = (vec![ty], FxHashSet::default());
    while let Some(ty) = next.pop() {
        match declared.types.get(&ty).filter(|_| seen.insert(ty)) {
            Some(Type::Int { width: 16 | 64, .. } | Type::Float { width: 16 | 64 }) => return true,
            Some(Type::Vector { of, .. } | Type::Array { of, .. }) => next.push(*of),
            Some(Type::Struct(members)) => next.extend(members),
            _ => {}
        }
    }
    false
}
