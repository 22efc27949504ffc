//! Variables that naga takes in another place than they have: buffers that share a binding and are only read, each
//! with a binding of its own; and push constants of other than 32 bits, which are a uniform buffer to it.

use crate::front::spirv::declared::Declared;
use crate::front::spirv::types::Type;
use rspirv::spirv::StorageClass;
use rustc_hash::{FxHashMap, FxHashSet};

/// The descriptor set for what has none.
const SET: u32 = 0;

/// Where variables are bound.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    /// By variable: another binding than it has.
    pub moved: FxHashMap<u32, u32>,
    /// The variable of push constants, and its set and binding, if it is a uniform buffer.
    pub pushed: Option<(u32, u32, u32)>,
}

impl Bound {
    /// Places for the variables of a module.
    pub fn of(declared: &Declared) -> Self {
        let mut bound = Self::default();
        let mut free = declared.bindings.values().max().map_or(0, |last| last.saturating_add(1));
        for alias in declared.aliases() {
            bound.moved.insert(alias, free);
            free = free.saturating_add(1);
        }
        let class = |ty: u32| declared.pointers.get(&ty).copied();
        let mut variables: Vec<_> = declared.variables.iter().collect();
        variables.sort_unstable();
        for (id, ty) in variables {
            if let Some((class, pointee)) = class(*ty)
                && class == StorageClass::PushConstant as u32
                && holds_other_words(pointee, declared)
            {
                bound.pushed = Some((*id, SET, free));
            }
        }
        bound
    }
}

/// Whether a type holds numbers of other than 32 bits, and 8, which are 32 to naga.
fn holds_other_words(ty: u32, declared: &Declared) -> bool {
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
