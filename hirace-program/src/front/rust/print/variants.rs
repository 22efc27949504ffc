//! How enums are kept in WGSL: a number that says which variant it is, and slots for what the variants hold.

use crate::front::rust::tree::{Module, Type, Which};

/// How the values of an enum are kept.
pub(super) struct Variants {
    /// What the struct is called that holds one.
    pub(super) name: String,
    /// The type of the number that says which variant it is.
    pub(super) tag: &'static str,
    /// That number, of each variant.
    pub(super) numbers: Vec<i128>,
    /// What is kept beside it: variants share slots of a type.
    pub(super) slots: Vec<Type>,
    /// The slots of what each variant holds; nothing is kept of a `()`.
    pub(super) places: Vec<Vec<Option<usize>>>,
}

impl Variants {
    pub(super) fn of(module: &Module, which: Which, arguments: &[Type]) -> Self {
        let name = match which {
            Which::Option => "Option",
            Which::Result => "Result",
            Which::Ordering => "Ordering",
            Which::Own(id) => module.enums.get(id.0).map_or("Enum", |of| of.name.text.as_str()),
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

    /// Whether no variant holds anything.
    pub(super) fn is_fieldless(&self) -> bool {
        self.slots.is_empty()
    }

    /// The number of a variant, as WGSL writes it.
    pub(super) fn number(&self, nth: usize) -> String {
        let number = self.numbers.get(nth).copied().unwrap_or_default();
        format!("{number}{}", if self.tag == "i32" { "i" } else { "u" })
    }
}
