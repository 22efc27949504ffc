//! Symbols: the unknown integers in forms, and the facts about each.

use super::form::{Form, SymbolId};
use rustc_hash::FxHashMap;

/// The limit on symbols of an analysis.
const MOST_SYMBOLS: usize = 1 << 16;

/// The identifier of a loop as reached in the entry point through a particular chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LoopId(pub u32);

/// The set of invocations that agree on a value, at the same iteration of all enclosing loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Level {
    /// All invocations of the dispatch.
    #[default]
    Dispatch,
    /// All invocations of one workgroup.
    Workgroup,
    /// Each invocation alone.
    Invocation,
}

/// An unknown value. Only the level at which invocations agree on it is known, and whether it equals another unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opaque {
    /// The invocations that agree on the value.
    pub level: Level,
    /// The identity: two unknowns with the same number are equal.
    pub number: u32,
}

impl Opaque {
    /// An arbitrary value, different for each invocation.
    pub const ANY: Self = Self { level: Level::Invocation, number: 0 };
}

/// An unknown integer.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    /// The invocations that agree on its value.
    pub level: Level,
    /// Minimum.
    pub low: i64,
    /// Maximum.
    pub high: i64,
    /// The loops on whose iterations the value depends, outermost first.
    pub loops: Vec<LoopId>,
    /// Forms that are nonnegative by the definition of the symbol.
    pub facts: Vec<Form>,
}

/// Operations whose result is a symbol. The same operands yield the same symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// A binary operator, by its number.
    Binary(u8),
    /// A bitcast to `i32` or `u32`.
    Cast { signed: bool },
    /// The minimum.
    Min,
    /// The maximum.
    Max,
    /// The quotient by this constant.
    Quotient(i64),
    /// The contents of constant memory, at this byte offset of this variable.
    Constant { global: usize, offset: u32, signed: bool },
}

/// All symbols of an analysis.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    list: Vec<Symbol>,
    computed: FxHashMap<(Operation, Vec<Form>), SymbolId>,
    wrapped: FxHashMap<SymbolId, Wrapped>,
}

/// The definition of a symbol that is a form wrapped to the range of a type.
#[derive(Clone, Debug)]
pub(super) struct Wrapped {
    /// The form. It equals the symbol where it is in range.
    pub exact: Form,
    /// Whether the type is `i32`.
    pub signed: bool,
}

impl Symbols {
    /// Adds a symbol. Returns `None` if there are too many.
    pub fn add(&mut self, symbol: Symbol) -> Option<SymbolId> {
        if self.list.len() >= MOST_SYMBOLS {
            return None;
        }
        self.list.push(symbol);
        Some(SymbolId(self.list.len() as u32 - 1))
    }

    /// Returns the symbol.
    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.list[id.0 as usize]
    }

    /// Records that `form`, a single symbol, is the wrapped value of `exact`.
    pub fn wraps(&mut self, form: &Form, exact: Form, signed: bool) {
        if let [(id, 1)] = form.terms[..] {
            self.wrapped.insert(id, Wrapped { exact, signed });
        }
    }

    /// Returns the wrapped form that a symbol is defined by.
    pub fn wrapped(&self, id: SymbolId) -> Option<&Wrapped> {
        self.wrapped.get(&id)
    }

    /// Returns the symbol for the result of an operation, in this range; `facts` returns the facts about it.
    pub fn computed(
        &mut self,
        operation: Operation,
        operands: Vec<Form>,
        (low, high): (i64, i64),
        facts: impl FnOnce(&Form) -> Vec<Option<Form>>,
    ) -> Option<Form> {
        let key = (operation, operands);
        if let Some(&known) = self.computed.get(&key) {
            return Some(Form::symbol(known));
        }
        let level = key.1.iter().map(|form| self.level(form)).max().unwrap_or_default();
        let mut loops: Vec<LoopId> =
            key.1.iter().flat_map(|form| self.loops(form).collect::<Vec<_>>()).collect();
        loops.sort_unstable();
        loops.dedup();
        let id = self.add(Symbol { level, low, high, loops, facts: Vec::new() })?;
        let form = Form::symbol(id);
        let facts = facts(&form).into_iter().flatten().collect();
        self.list[id.0 as usize].facts = facts;
        self.computed.insert(key, id);
        Some(form)
    }

    /// Returns the level at which invocations agree on a form.
    pub fn level(&self, form: &Form) -> Level {
        form.terms.iter().map(|&(id, _)| self.get(id).level).max().unwrap_or_default()
    }

    fn loops<'s>(&'s self, form: &'s Form) -> impl Iterator<Item = LoopId> + 's {
        form.terms.iter().flat_map(|&(id, _)| self.get(id).loops.iter().copied())
    }

    /// Returns the minimum and maximum of a form, computed from the ranges of its symbols.
    pub fn range(&self, form: &Form) -> (i64, i64) {
        let mut range = (i128::from(form.constant), i128::from(form.constant));
        for &(id, factor) in &form.terms {
            let symbol = self.get(id);
            let at = |value: i64| i128::from(value) * i128::from(factor);
            let ends = (at(symbol.low), at(symbol.high));
            range.0 += ends.0.min(ends.1);
            range.1 += ends.0.max(ends.1);
        }
        let narrow = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        (narrow(range.0), narrow(range.1))
    }
}
