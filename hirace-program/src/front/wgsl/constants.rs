//! Constants that hold constants: naga writes each out as often as it is named, so that twenty lines that each hold
//! the last one twice take all memory.

use super::tokens::{TokenKind, Tokens};
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::SourceMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Parts of all constants of a module, those in others counted as often as they are named.
const PARTS: u64 = 1_000_000;
/// Parts of what has no arrays or structures in it: a matrix.
const SMALL: u64 = 16;

/// Refuses a module whose constants are larger when they are written out.
pub fn check(tokens: &Tokens<'_>, source: &SourceMap) -> Result<()> {
    let declared = Declared::read(tokens);
    let mut sizes: FxHashMap<&str, u64> = FxHashMap::default();
    let mut total = 0_u64;
    // A constant may stand before those that it names.
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    for &(name, _) in &declared.list {
        declared.ordered(name, tokens, &mut seen, &mut order);
    }
    for name in order {
        let Some(&value) = declared.values.get(name) else { continue };
        let size = declared.size(value, tokens, &sizes);
        total = total.saturating_add(size);
        if total > PARTS {
            let message = "constants may have 1,000,000 parts in all, with those of the constants in them; this one, \
                           and those that it needs, have more";
            return Err(Box::new(Diagnostic::at(source, tokens.span(value.0 - 1), message)));
        }
        sizes.insert(name, size);
    }
    Ok(())
}

/// The tokens of an expression: the first, and the one behind the last.
type Value = (usize, usize);

/// What is declared outside of functions.
struct Declared<'a> {
    /// Constants, in order, and the token before their values.
    list: Vec<(&'a str, Value)>,
    values: FxHashMap<&'a str, Value>,
    /// Structures and aliases: their constructors put parts together.
    types: FxHashSet<&'a str>,
}

impl<'a> Declared<'a> {
    fn read(tokens: &Tokens<'a>) -> Self {
        let mut declared =
            Self { list: Vec::new(), values: FxHashMap::default(), types: FxHashSet::default() };
        let end = tokens.all().end;
        let mut index = 0;
        while index < end {
            match tokens.text(index) {
                // A body, or the members of a structure.
                "{" => index = tokens.partner(index).unwrap_or(index),
                "struct" | "alias" => {
                    declared.types.insert(tokens.text(index + 1));
                }
                "const" => {
                    let all = tokens.statement(index);
                    if let Some(assigned) = (index..all.end).find(|at| tokens.text(*at) == "=") {
                        let name = tokens.text(index + 1);
                        let value = (assigned + 1, all.end);
                        declared.list.push((name, value));
                        declared.values.insert(name, value);
                    }
                    index = all.end.max(index + 1) - 1;
                }
                _ => {}
            }
            index += 1;
        }
        declared
    }

    /// Adds constants to `order`, each behind those that it names.
    fn ordered(
        &self,
        name: &'a str,
        tokens: &Tokens<'a>,
        seen: &mut FxHashSet<&'a str>,
        order: &mut Vec<&'a str>,
    ) {
        let mut open = vec![(name, self.values.get(name).copied())];
        if !seen.insert(name) {
            return;
        }
        while let Some((name, rest)) = open.last_mut() {
            let Some((from, end)) = rest.filter(|(from, end)| from < end) else {
                order.push(name);
                open.pop();
                continue;
            };
            *rest = Some((from + 1, end));
            let next = tokens.text(from);
            if let Some(value) = self.values.get(next)
                && seen.insert(next)
            {
                open.push((next, Some(*value)));
            }
        }
    }

    /// How many parts a value has: of one that puts parts together all that it names, else of the largest.
    fn size(
        &self,
        (from, end): Value,
        tokens: &Tokens<'a>,
        sizes: &FxHashMap<&'a str, u64>,
    ) -> u64 {
        let is_composite = |at: usize| {
            let name = tokens.text(at);
            (name == "array" || self.types.contains(name))
                && matches!(tokens.text(at + 1), "(" | "<")
        };
        let parts = (from..end).filter(|at| tokens.kind(*at) != TokenKind::Punctuation);
        let parts = parts.map(|at| sizes.get(tokens.text(at)).copied().unwrap_or(1));
        match (from..end).any(is_composite) {
            true => parts.fold(0, u64::saturating_add),
            false => parts.max().unwrap_or(0).max(SMALL),
        }
    }
}
