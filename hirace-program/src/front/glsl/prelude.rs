//! The functions of GLSL that naga does not know, declared for it: calls of them are made what they are
//! when it is done ([`calls`](super::calls)).

use crate::ir::order::Scope;
use naga::{AtomicFunction, Barrier};

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// An atomic operation on its first argument, with its second.
    Atomic(AtomicFunction),
    /// An exchange of its first argument for its third, if it is its second.
    CompareExchange,
    /// A fence for this memory, and for these.
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

/// The function with this name.
pub fn builtin(name: &str) -> Option<Builtin> {
    BUILTINS.iter().find(|(known, _)| *known == name).map(|(_, builtin)| *builtin)
}

/// A text with the declarations of what it calls.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The text.
    pub text: String,
    /// Where the declarations begin in it.
    at: u32,
    length: u32,
}

impl Declared {
    /// Puts declarations into `text`, behind its `#version`.
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

    /// Where an offset of this text is in that of the user; `None` within the declarations.
    pub fn original(&self, offset: u32) -> Option<u32> {
        match offset {
            _ if offset <= self.at => Some(offset),
            _ => (offset - self.at).checked_sub(self.length).map(|behind| self.at + behind),
        }
    }
}

/// A text with spaces for the qualifiers that naga does not know and that make no access another: what is coherent
/// or volatile races like all else.
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

/// Whether a text has a name, and not as a part of another.
fn calls(text: &str, name: &str) -> bool {
    words(text, name).next().is_some()
}

/// Where a word is in a text, and not as a part of another.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        !text[..*at].ends_with(word) && !text[at + name.len()..].starts_with(word)
    })
}

/// Where the line of the `#version` ends.
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
        let declared = Declared::new(text);
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
        assert_eq!(Declared::new(text).text, expected);
    }

    #[test]
    fn what_calls_nothing_is_left_as_it_is() {
        let text = "#version 450\nvoid main() { my_atomicAdd(); }";
        assert_eq!(Declared::new(text).text, text);
    }
}
