//! Limits the size of constants that contain other constants. naga copies a constant wherever it is named. If each of twenty
//! constants names the previous one twice, the copies exhaust memory.

use super::tokens::{TokenKind, Tokens};
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::SourceMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of parts of all constants of a module, with nested constants counted as often as they are named.
const MAX_PARTS: u64 = 1_000_000;
/// The number of parts that a value without arrays or structures may have: those of a 4x4 matrix.
const MATRIX_PARTS: u64 = 16;

/// Returns an error for a module whose expanded constants are too large.
pub fn check(tokens: &Tokens<'_>, source: &SourceMap) -> Result<()> {
    let declared = ModuleDeclarations::read(tokens);
    let mut sizes: FxHashMap<&str, u64> = FxHashMap::default();
    let mut total = 0_u64;
    // A constant may precede the constants that it names.
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    for &(name, _) in &declared.list {
        declared.append_in_order(name, tokens, &mut seen, &mut order);
    }
    for name in order {
        let Some(&value) = declared.values.get(name) else { continue };
        let size = declared.size(value, tokens, &sizes);
        total = total.saturating_add(size);
        if total > MAX_PARTS {
            let message = "constants may have at most 1,000,000 parts in total, including those of nested constants";
            return Err(Box::new(Diagnostic::at(source, tokens.span(value.0 - 1), message)));
        }
        sizes.insert(name, size);
    }
    Ok(())
}

/// The token range of an expression: the first token, and the one after the last.
type Value = (usize, usize);

/// The module-scope declarations.
pub struct ModuleDeclarations<'a> {
    /// Constants in order, with the token ranges of their values.
    list: Vec<(&'a str, Value)>,
    values: FxHashMap<&'a str, Value>,
    /// Structures and aliases, whose constructors combine parts.
    types: FxHashSet<&'a str>,
}

impl<'a> ModuleDeclarations<'a> {
    /// Reads the declarations of a module.
    pub fn read(tokens: &Tokens<'a>) -> Self {
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

    /// Returns the value of the constant called `name`, if it is one token.
    pub fn token(&self, name: &str) -> Option<usize> {
        self.values.get(name).filter(|(from, end)| from + 1 == *end).map(|(from, _)| *from)
    }

    /// Appends a constant and the constants that it names to `order`, each after the constants that it names itself.
    fn append_in_order(
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

    /// Returns the number of parts of a value: the sum over its operands if it constructs an array or a structure, otherwise the
    /// maximum over them.
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
            false => parts.max().unwrap_or(0).max(MATRIX_PARTS),
        }
    }
}
