//! Declarations of GLSL functions that naga does not support. Calls of them are replaced in the resulting module
//! ([`calls`](super::calls)).

use crate::ir::order::Scope;
use naga::{AtomicFunction, Barrier};

/// The effect of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// An atomic operation on its first argument, with its second.
    Atomic(AtomicFunction),
    /// A compare-exchange on its first argument: replaces the value by the third if it equals the second.
    CompareExchange,
    /// A fence for this memory, with this scope.
    Fence(Barrier, Scope),
}

const ALL: Barrier = crate::ir::barrier::MEMORY;

const BUILTINS: [(&str, Builtin); 14] = [
    ("atomicAdd", Builtin::Atomic(AtomicFunction::Add)),
    ("atomicMin", Builtin::Atomic(AtomicFunction::Min)),
    ("atomicMax", Builtin::Atomic(AtomicFunction::Max)),
    ("atomicAnd", Builtin::Atomic(AtomicFunction::And)),
    ("atomicOr", Builtin::Atomic(AtomicFunction::InclusiveOr)),
    ("atomicXor", Builtin::Atomic(AtomicFunction::ExclusiveOr)),
    ("atomicExchange", Builtin::Atomic(AtomicFunction::Exchange { compare: None })),
    ("atomicCompSwap", Builtin::CompareExchange),
    ("memoryBarrier", Builtin::Fence(ALL, Scope::Device)),
    ("groupMemoryBarrier", Builtin::Fence(ALL, Scope::Workgroup)),
    ("memoryBarrierShared", Builtin::Fence(Barrier::WORK_GROUP, Scope::Device)),
    ("memoryBarrierBuffer", Builtin::Fence(Barrier::STORAGE, Scope::Device)),
    ("memoryBarrierImage", Builtin::Fence(Barrier::TEXTURE, Scope::Device)),
    ("memoryBarrierAtomicCounter", Builtin::Fence(Barrier::empty(), Scope::Device)),
];

/// Returns the function with this name.
pub fn builtin(name: &str) -> Option<Builtin> {
    BUILTINS.iter().find(|(known, _)| *known == name).map(|(_, builtin)| *builtin)
}

/// A text with declarations of the functions that it calls.
#[derive(Clone, Debug)]
pub struct DeclaredText {
    /// The text.
    pub text: String,
    /// The offset of the declarations in the text.
    at: u32,
    length: u32,
}

impl DeclaredText {
    /// Adds declarations to `text`, after its `#version`.
    pub fn new(text: &str) -> Self {
        let mut declarations = String::new();
        for (name, builtin) in BUILTINS.iter().filter(|(name, _)| calls(text, name)) {
            if let Builtin::Fence(..) = builtin {
                declarations.push_str(&format!("void {name}() {{}} "));
                continue;
            }
            for ty in ["uint", "int"] {
                let more = match builtin {
                    Builtin::CompareExchange => format!("{ty} compare, {ty} data"),
                    _ => format!("{ty} data"),
                };
                declarations
                    .push_str(&format!("{ty} {name}(inout {ty} mem, {more}) {{ return mem; }} "));
            }
        }
        if !declarations.is_empty() {
            declarations.push('\n');
        }
        let text = &without_qualifiers(text);
        let at = after_version(text);
        let length = declarations.len() as u32;
        Self { text: [&text[..at], &declarations, &text[at..]].concat(), at: at as u32, length }
    }

    /// Maps an offset to the user's text. Returns `None` within the declarations.
    pub fn original(&self, offset: u32) -> Option<u32> {
        match offset {
            _ if offset <= self.at => Some(offset),
            _ => (offset - self.at).checked_sub(self.length).map(|behind| self.at + behind),
        }
    }
}

/// Replaces the qualifiers that naga does not support by spaces. They do not affect race detection: accesses to coherent or
/// volatile memory race like all others.
fn without_qualifiers(text: &str) -> String {
    let mut text = text.to_owned();
    for qualifier in ["coherent", "volatile", "restrict"] {
        let places: Vec<usize> = words(&text, qualifier).collect();
        for at in places {
            text.replace_range(at..at + qualifier.len(), &" ".repeat(qualifier.len()));
        }
    }
    text
}

/// Returns whether a text contains a name as a whole word.
fn calls(text: &str, name: &str) -> bool {
    words(text, name).next().is_some()
}

/// Iterates over the offsets of a whole word in a text.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        !text[..*at].ends_with(word) && !text[at + name.len()..].starts_with(word)
    })
}

/// Returns the offset of the end of the `#version` line.
fn after_version(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if line.trim_start().starts_with("#version") && line.ends_with('\n') {
            return end;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_stand_behind_the_version_and_offsets_are_the_users() {
        let text = "// a\n#version 450\nvoid main() { atomicAdd(x, 1u); memoryBarrierShared(); }\n";
        let declared = DeclaredText::new(text);
        assert!(declared.text.starts_with("// a\n#version 450\nuint atomicAdd(inout uint mem"));
        assert!(!declared.text.contains("void memoryBarrier()"));
        for part in ["#version", "main", "atomicAdd(x", "memoryBarrierShared(); }"] {
            let at = |text: &str| text.find(part).unwrap() as u32;
            assert_eq!(declared.original(at(&declared.text)), Some(at(text)), "{part}");
        }
        let within = declared.text.find("inout").unwrap() as u32;
        assert_eq!(declared.original(within), None);
    }

    #[test]
    fn qualifiers_without_meaning_here_are_spaces() {
        let text = "#version 450\ncoherent volatile buffer B { uint not_volatile; };";
        let expected = "#version 450\n                  buffer B { uint not_volatile; };";
        assert_eq!(DeclaredText::new(text).text, expected);
    }

    #[test]
    fn what_calls_nothing_is_left_as_it_is() {
        let text = "#version 450\nvoid main() { my_atomicAdd(); }";
        assert_eq!(DeclaredText::new(text).text, text);
    }
}
