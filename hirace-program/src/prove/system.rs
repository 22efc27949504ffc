//! Systems of inequalities over the symbols of one invocation, or of two that are compared.

use super::form::{Form, SymbolId};
use super::solve::{Effort, Row, is_impossible};
use super::symbol::Symbols;
use rustc_hash::{FxHashMap, FxHashSet};

/// The owner of a symbol. Two invocations have different instances of it unless it is the same for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// The first invocation.
    First,
    /// The second invocation.
    Second,
    /// Both invocations.
    Both,
}

/// A builder of a system of inequalities.
pub(super) struct System<'s, S> {
    symbols: &'s Symbols,
    /// Returns whether a symbol is the same for both invocations.
    is_same: S,
    variables: FxHashMap<(Side, SymbolId), u32>,
    /// Variables whose facts have not been added yet.
    pending: Vec<(Side, SymbolId)>,
    rows: Vec<Row>,
}

impl<'s, S: Fn(SymbolId) -> bool> System<'s, S> {
    /// Creates an empty system.
    pub fn new(symbols: &'s Symbols, is_same: S) -> Self {
        let (variables, pending) = (FxHashMap::default(), Vec::new());
        Self { symbols, is_same, variables, pending, rows: Vec::new() }
    }

    fn side(&self, side: Side, symbol: SymbolId) -> Side {
        if (self.is_same)(symbol) { Side::Both } else { side }
    }

    fn variable(&mut self, side: Side, symbol: SymbolId) -> u32 {
        // A symbol that is common to both but not the same for them is that of the first.
        let side = match self.side(side, symbol) {
            Side::Both if !(self.is_same)(symbol) => Side::First,
            side => side,
        };
        let next = self.variables.len() as u32;
        *self.variables.entry((side, symbol)).or_insert_with(|| {
            self.pending.push((side, symbol));
            next
        })
    }

    /// Adds the inequality `constant + Σ factor · form ≥ 0`, each form with the symbols of its side.
    pub fn demand(&mut self, constant: i64, forms: &[(Side, &Form, i64)]) {
        let mut sum = i128::from(constant);
        let mut terms: FxHashMap<u32, i128> = FxHashMap::default();
        for &(side, form, factor) in forms {
            sum += i128::from(form.constant) * i128::from(factor);
            for &(symbol, own) in &form.terms {
                let variable = self.variable(side, symbol);
                *terms.entry(variable).or_default() += i128::from(own) * i128::from(factor);
            }
        }
        let mut terms: Vec<(u32, i128)> =
            terms.into_iter().filter(|(_, factor)| *factor != 0).collect();
        terms.sort_unstable();
        self.rows.push(Row { constant: sum, terms });
    }

    /// Returns whether the inequalities have no solution under these facts about the sides. Only facts about variables of the
    /// system are added.
    pub fn has_no_solution(mut self, facts: &[(Side, &[Form])], effort: &mut Effort) -> bool {
        let mut used: FxHashSet<(usize, usize)> = FxHashSet::default();
        loop {
            self.put_down_pending();
            let mut found = false;
            for (number, &(side, facts)) in facts.iter().enumerate() {
                for (index, fact) in facts.iter().enumerate() {
                    if !used.contains(&(number, index)) && self.concerns(side, fact) {
                        used.insert((number, index));
                        self.demand(0, &[(side, fact, 1)]);
                        found = true;
                    }
                }
            }
            if !found && self.pending.is_empty() {
                return is_impossible(self.rows, effort);
            }
        }
    }

    /// Returns whether a fact mentions a variable of the system.
    fn concerns(&self, side: Side, fact: &Form) -> bool {
        let is_known = |&(symbol, _): &(SymbolId, i64)| {
            self.variables.contains_key(&(self.side(side, symbol), symbol))
        };
        fact.terms.iter().any(is_known)
    }

    /// Adds the range and the facts of each new variable.
    fn put_down_pending(&mut self) {
        while let Some((side, id)) = self.pending.pop() {
            let symbol = self.symbols.get(id);
            let (form, low, high) = (Form::symbol(id), symbol.low, symbol.high);
            let facts = symbol.facts.clone();
            self.demand(low.saturating_neg(), &[(side, &form, 1)]);
            self.demand(high, &[(side, &form, -1)]);
            for fact in &facts {
                self.demand(0, &[(side, fact, 1)]);
            }
        }
    }
}
