//! Symbols: the integers that forms are made of, and what is known of each.

use super::form::Form;
use rustc_hash::FxHashMap;

/// Most symbols of an analysis.
const MOST_SYMBOLS: usize = 1 << 16;

/// Names a symbol; an index into [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SymbolId(pub u32);

/// Names a loop as it stands in the entry point, calls followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LoopId(pub u32);

/// Who all have the same value, at the same turn of all loops around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Level {
    /// All invocations of the dispatch.
    #[default]
    Dispatch,
    /// Those of one workgroup.
    Workgroup,
    /// Each by itself.
    Invocation,
}

/// An integer.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    /// Who has the same.
    pub level: Level,
    /// The least that it may be.
    pub low: i64,
    /// The most.
    pub high: i64,
    /// The loops whose turns it hangs on, outer ones first.
    pub loops: Vec<LoopId>,
    /// Forms that are not negative, by what the symbol is.
    pub facts: Vec<Form>,
}

/// Operations whose result is a symbol: the same for the same operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// Of integers, with this number.
    Binary(u8),
    /// The same bits as an `i32` or `u32`.
    Cast { signed: bool },
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// Whole multiples of this number.
    Quotient(i64),
    /// What memory that nobody writes has, at this byte of this variable.
    Constant { global: usize, offset: u32, signed: bool },
}

/// All symbols of an analysis.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    list: Vec<Symbol>,
    computed: FxHashMap<(Operation, Vec<Form>), SymbolId>,
    wrapped: FxHashMap<SymbolId, Wrapped>,
}

/// What a symbol is, brought into the range of a type.
#[derive(Clone, Debug)]
pub(super) struct Wrapped {
    /// What it is where that is in the range.
    pub exact: Form,
    /// Whether the type is `i32`.
    pub signed: bool,
}

impl Symbols {
    /// Another one. `None`, if there are too many.
    pub fn add(&mut self, symbol: Symbol) -> Option<SymbolId> {
        if self.list.len() >= MOST_SYMBOLS {
            return None;
        }
        self.list.push(symbol);
        Some(SymbolId(self.list.len() as u32 - 1))
    }

    /// The symbol itself.
    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.list[id.0 as usize]
    }

    /// Takes note that a form, which is a symbol, is another one that wraps.
    pub fn wraps(&mut self, form: &Form, exact: Form, signed: bool) {
        if let [(id, 1)] = form.terms[..] {
            self.wrapped.insert(id, Wrapped { exact, signed });
        }
    }

    /// What it is that wraps and gives a symbol.
    pub fn wrapped(&self, id: SymbolId) -> Option<&Wrapped> {
        self.wrapped.get(&id)
    }

    /// The symbol that an operation on these gives, in this range; `facts` says what holds of it.
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

    /// Who all have the same of a form.
    pub fn level(&self, form: &Form) -> Level {
        form.terms.iter().map(|&(id, _)| self.get(id).level).max().unwrap_or_default()
    }

    fn loops<'s>(&'s self, form: &'s Form) -> impl Iterator<Item = LoopId> + 's {
        form.terms.iter().flat_map(|&(id, _)| self.get(id).loops.iter().copied())
    }

    /// The least and the most that a form may be, symbol by symbol.
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
