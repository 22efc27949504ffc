//! The representation of enums in WGSL: a tag, and slots for the fields of the variants.

use crate::tree::{EnumKind, Module, Type};

/// The representation of an enum type.
pub(super) struct Variants {
    /// The name of its struct in WGSL.
    pub(super) name: String,
    /// The type of the tag.
    pub(super) tag: &'static str,
    /// The tag of each variant.
    pub(super) numbers: Vec<i128>,
    /// The types of the slots after the tag. Variants share slots of the same type.
    pub(super) slots: Vec<Type>,
    /// The slot of each field of each variant. A field of type `()` has none.
    pub(super) places: Vec<Vec<Option<usize>>>,
}

impl Variants {
    pub(super) fn of(module: &Module, which: EnumKind, arguments: &[Type]) -> Self {
        let name = match which {
            EnumKind::Option => "Option",
            EnumKind::Result => "Result",
            EnumKind::Ordering => "Ordering",
            EnumKind::Own(id) => module.enums.get(id.0).map_or("Enum", |of| of.name.text.as_str()),
        };
        let all = module.variants(which, arguments);
        let mut slots: Vec<Type> = Vec::new();
        let mut places = Vec::new();
        for (_, parts) in &all {
            let mut own: Vec<Option<usize>> = Vec::new();
            for part in parts {
                if *part == Type::Unit {
                    own.push(None);
                    continue;
                }
                let free = (0..slots.len())
                    .find(|slot| slots[*slot] == *part && !own.contains(&Some(*slot)));
                own.push(Some(free.unwrap_or_else(|| {
                    slots.push(part.clone());
                    slots.len() - 1
                })));
            }
            places.push(own);
        }
        let numbers: Vec<i128> = all.iter().map(|(number, _)| *number).collect();
        let tag = if numbers.iter().any(|number| *number < 0) { "i32" } else { "u32" };
        Self { name: name.to_owned(), tag, numbers, slots, places }
    }

    /// Returns whether no variant has fields.
    pub(super) fn is_fieldless(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the tag of a variant in WGSL.
    pub(super) fn number(&self, nth: usize) -> String {
        let number = self.numbers.get(nth).copied().unwrap_or_default();
        format!("{number}{}", if self.tag == "i32" { "i" } else { "u" })
    }
}
