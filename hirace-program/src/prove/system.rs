//! Systems of inequalities over the symbols of one invocation, or of two that are compared.

use super::form::{Form, SymbolId};
use super::host::HostValue;
use super::solve::{Effort, Projection, Row, is_impossible, project};
use super::symbol::{Symbols, WrappedForm};
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

/// The limit on pairs of products that are compared in a system.
const MAX_SPLITS: usize = 4;

/// The three cases for two products `a · c` and `b · c`: `a` is greater than, equal to, or less than `b`.
type Split = [Vec<Row>; 3];

/// What inequalities imply for values of the host.
#[derive(Clone, Debug, Default)]
pub(super) struct ImpliedForHost {
    /// Forms that are nonnegative in every solution.
    pub forms: Vec<Form>,
    /// Small values for which no contradiction was found.
    pub values: Vec<(HostValue, i64)>,
}

/// A builder of a system of inequalities.
pub(super) struct System<'s, S> {
    symbols: &'s Symbols,
    /// Returns whether a symbol is the same for both invocations.
    is_same: S,
    variables: FxHashMap<(Side, SymbolId), u32>,
    /// Variables whose facts have not been added yet.
    pending: Vec<(Side, SymbolId)>,
    /// Variables that are products.
    products: Vec<(Side, SymbolId)>,
    /// The number of products that were compared with all others.
    compared: usize,
    splits: Vec<Split>,
    rows: Vec<Row>,
}

impl<'s, S: Fn(SymbolId) -> bool> System<'s, S> {
    /// Creates an empty system.
    pub fn new(symbols: &'s Symbols, is_same: S) -> Self {
        Self {
            symbols,
            is_same,
            variables: FxHashMap::default(),
            pending: Vec::new(),
            products: Vec::new(),
            compared: 0,
            splits: Vec::new(),
            rows: Vec::new(),
        }
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
        let row = self.row(constant, forms);
        self.rows.push(row);
    }

    fn row(&mut self, constant: i64, forms: &[(Side, &Form, i64)]) -> Row {
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
        Row { constant: sum, terms }
    }

    /// Returns whether the inequalities have no solution under these facts about the sides. Only facts about variables of the
    /// system are added.
    pub fn has_no_solution(mut self, facts: &[(Side, &[Form])], effort: &mut Effort) -> bool {
        self.complete(facts);
        is_refuted(&self.rows, &self.splits, effort)
    }

    /// Returns what the inequalities imply for values of the host, under these facts about the sides. Returns `None` if there is
    /// no solution, or it is not known what they imply. `iterations` are the numbers of iterations of loops.
    pub fn implied_for_host(
        mut self,
        facts: &[(Side, &[Form])],
        iterations: &[SymbolId],
        effort: &mut Effort,
    ) -> Option<ImpliedForHost> {
        self.complete(facts);
        let rows = case_with_solution(self.rows.clone(), &self.splits, effort)?;
        let symbols = self.variables_of_host();
        let Projection::Rows(rows) = project(rows, &|it| symbols.contains_key(&it), effort) else {
            return None;
        };
        let forms = rows.into_iter().filter_map(|row| form_of(row, &symbols)).collect();
        let values = self.values_of_host(facts, iterations, effort).unwrap_or_default();
        Some(ImpliedForHost { forms, values })
    }

    /// Returns the variables that only values of the host determine.
    fn variables_of_host(&self) -> FxHashMap<u32, SymbolId> {
        let is_of_host = |side: Side, id: SymbolId| {
            self.side(side, id) == Side::Both && self.symbols.is_of_host(&Form::symbol(id))
        };
        let of_host = self.variables.iter().filter(|((side, id), _)| is_of_host(*side, *id));
        of_host.map(|((_, id), variable)| (*variable, *id)).collect()
    }

    /// Returns small values of the host for which no contradiction was found, with which loops have a second iteration if
    /// possible. Values that are not bounded are left out.
    fn values_of_host(
        mut self,
        facts: &[(Side, &[Form])],
        iterations: &[SymbolId],
        effort: &mut Effort,
    ) -> Option<Vec<(HostValue, i64)>> {
        for &(side, facts) in facts {
            facts.iter().for_each(|fact| self.demand(0, &[(side, fact, 1)]));
        }
        self.complete(&[]);
        // Values for which nothing wraps are the most useful ones.
        for (side, id) in self.variables.keys().copied().collect::<Vec<_>>() {
            if let Some(WrappedForm { exact, .. }) = self.symbols.wrapped_form(id) {
                let own = Form::symbol(id);
                self.demand(0, &[(side, exact, 1), (side, &own, -1)]);
                self.demand(0, &[(side, exact, -1), (side, &own, 1)]);
            }
        }
        self.complete(&[]);
        let mut rows = case_with_solution(std::mem::take(&mut self.rows), &self.splits, effort)?;
        for (&(_, id), &variable) in &self.variables {
            if iterations.contains(&id) {
                let second = Row { constant: -1, terms: vec![(variable, 1)] };
                let with: Vec<Row> = rows.iter().cloned().chain([second]).collect();
                if !is_impossible(with.clone(), effort) {
                    rows = with;
                }
            }
        }
        Some(host_values(self.symbols, &self.variables_of_host(), rows, effort))
    }

    /// Adds the ranges of all variables, the facts about them, and what is known about products.
    fn complete(&mut self, facts: &[(Side, &[Form])]) {
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
            found |= self.compare_products();
            if !found && self.pending.is_empty() {
                return;
            }
        }
    }

    /// Compares each new product with all others that have a factor in common. Returns whether anything was added.
    fn compare_products(&mut self) -> bool {
        let known = self.compared;
        self.compared = self.products.len();
        for second in known..self.compared {
            for first in 0..second {
                self.compare(self.products[first], self.products[second]);
            }
        }
        known < self.compared
    }

    fn compare(&mut self, (side, id): (Side, SymbolId), (other_side, other): (Side, SymbolId)) {
        let symbols = self.symbols;
        let (Some(own), Some(others)) = (symbols.factors(id), symbols.factors(other)) else {
            return;
        };
        let is_common = |factor: &Form| {
            side == other_side || factor.terms.iter().all(|(id, _)| (self.is_same)(*id))
        };
        let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let common = pairs.into_iter().find(|&(i, j): &(usize, usize)| {
            own[i] == others[j] && symbols.range(&own[i]).0 >= 0 && is_common(&own[i])
        });
        let Some((i, j)) = common else { return };
        let (factor, a, b) = (&own[i], &own[1 - i], &others[1 - j]);
        let (p, q) = (Form::symbol(id), Form::symbol(other));
        let (p, q) = ((side, &p), (other_side, &q));
        let (a, b) = ((side, a), (other_side, b));
        if self.splits.len() >= MAX_SPLITS {
            return;
        }
        // In a case, `least ≤ a - b` and `least · factor ≤ p - q`.
        let mut order =
            |a: (Side, &Form), b: (Side, &Form), p: (Side, &Form), q: (Side, &Form), least: i64| {
                let factors = self.row(-least, &[(a.0, a.1, 1), (b.0, b.1, -1)]);
                let products =
                    self.row(0, &[(p.0, p.1, 1), (q.0, q.1, -1), (side, factor, -least)]);
                [factors, products]
            };
        let greater = order(a, b, p, q, 1).to_vec();
        let equal = [order(a, b, p, q, 0), order(b, a, q, p, 0)].concat();
        let less = order(b, a, q, p, 1).to_vec();
        self.splits.push([greater, equal, less]);
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
            if self.symbols.factors(id).is_some() {
                self.products.push((side, id));
            }
            let symbol = self.symbols.get(id);
            let (form, low, high) = (Form::symbol(id), symbol.low, symbol.high);
            let facts = symbol.facts.clone();
            if low != i64::MIN {
                self.demand(low.saturating_neg(), &[(side, &form, 1)]);
            }
            if high != i64::MAX {
                self.demand(high, &[(side, &form, -1)]);
            }
            for fact in &facts {
                self.demand(0, &[(side, fact, 1)]);
            }
        }
    }
}

/// Returns the form of an inequality over these variables, unless its numbers are too large.
fn form_of(row: Row, symbols: &FxHashMap<u32, SymbolId>) -> Option<Form> {
    let term = |&(variable, factor): &(u32, i128)| {
        Form::symbol(symbols[&variable]).checked_mul(factor.try_into().ok()?)
    };
    let constant = Form::constant(row.constant.try_into().ok()?);
    row.terms.iter().try_fold(constant, |sum, one| sum.plus(&term(one)?))
}

/// Returns the inequalities for a variable that has this value.
fn equation(variable: u32, value: i128) -> [Row; 2] {
    [(1, -value), (-1, value)]
        .map(|(factor, constant)| Row { constant, terms: vec![(variable, factor)] })
}

/// Returns whether the inequalities have no solution in any case of the splits.
fn is_refuted(rows: &[Row], splits: &[Split], effort: &mut Effort) -> bool {
    if is_impossible(rows.to_vec(), effort) {
        return true;
    }
    let Some((split, rest)) = splits.split_first() else { return false };
    split.iter().all(|case| is_refuted(&[rows, case].concat(), rest, effort))
}

/// Returns the inequalities together with those of the first cases of the splits that do not contradict them.
fn case_with_solution(rows: Vec<Row>, splits: &[Split], effort: &mut Effort) -> Option<Vec<Row>> {
    if is_impossible(rows.clone(), effort) {
        return None;
    }
    let Some((split, rest)) = splits.split_first() else { return Some(rows) };
    split.iter().find_map(|case| case_with_solution([&rows[..], case].concat(), rest, effort))
}

/// The values that are tried for a value of the host, besides its minimum and maximum.
const TRIED: [i64; 24] =
    [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 256, 512, 1024, 4096];
/// The maximum length for which the largest possible length is looked for.
const MAX_LENGTH: i64 = 1 << 20;

/// Returns values of the host that do not contradict the inequalities as far as that can be decided: small numbers, and
/// lengths that are as large as possible where they are bounded.
fn host_values(
    symbols: &Symbols,
    variables: &FxHashMap<u32, SymbolId>,
    mut rows: Vec<Row>,
    effort: &mut Effort,
) -> Vec<(HostValue, i64)> {
    let base = variables
        .iter()
        .filter_map(|(variable, id)| Some((symbols.as_host_value(*id)?, *variable, *id)));
    let mut base: Vec<(HostValue, u32, SymbolId)> = base.collect();
    let order = |value: &HostValue| match value {
        HostValue::Word { .. } => 0,
        HostValue::Workgroups(_) => 1,
        HostValue::Length(_) => 2,
    };
    base.sort_unstable_by_key(|(value, ..)| (order(value), *value));
    let mut known: FxHashMap<SymbolId, i64> = FxHashMap::default();
    let mut values = Vec::new();
    for (value, variable, id) in base {
        let mut possible = |number: i64| {
            let mut known = known.clone();
            known.insert(id, number);
            let products = variables.iter().filter(|(_, id)| symbols.factors(**id).is_some());
            let products = products.filter_map(|(variable, id)| {
                Some((*variable, symbols.value_of(&Form::symbol(*id), &known)?))
            });
            let fixed = products.chain([(variable, i128::from(number))]);
            let equations = fixed.flat_map(|(variable, number)| equation(variable, number));
            let with: Vec<Row> = rows.iter().cloned().chain(equations).collect();
            (!is_impossible(with.clone(), effort)).then_some(with)
        };
        let symbol = symbols.get(id);
        let in_range = |number: &i64| (symbol.low..=symbol.high).contains(number);
        // A value that is not bounded does not matter.
        let is_grid = matches!(value, HostValue::Workgroups(_));
        if !is_grid && [symbol.low, symbol.high].into_iter().all(|end| possible(end).is_some()) {
            continue;
        }
        let mut tried = TRIED.into_iter().chain([symbol.low, symbol.high]).filter(in_range);
        let Some(mut number) = tried.find(|number| possible(*number).is_some()) else { continue };
        if matches!(value, HostValue::Length(_)) && possible(MAX_LENGTH).is_none() {
            let mut above = MAX_LENGTH;
            while above - number > 1 {
                let middle = number + (above - number) / 2;
                if possible(middle).is_some() { number = middle } else { above = middle }
            }
        }
        if let Some(with) = possible(number) {
            rows = with;
            known.insert(id, number);
            values.push((value, number));
        }
    }
    values
}
