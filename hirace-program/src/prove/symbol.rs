//! Symbols: the unknown integers in forms, and the facts about each.

use super::form::{Form, SymbolId};
use super::host::HostValue;
use rustc_hash::{FxHashMap, FxHashSet};

/// The limit on symbols of an analysis.
const MAX_SYMBOLS: usize = 1 << 16;

/// The limit on nested products.
const MAX_PRODUCTS: u32 = 4;

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

/// The values that determine an integer. Later variants include earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// Constants, the ids of the invocation and of its workgroup, and numbers of iterations.
    #[default]
    Ids,
    /// Also the number of workgroups.
    Grid,
    /// Also lengths of arrays, and words of memory that is not written.
    Host,
    /// Anything.
    Contents,
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
    /// Minimum, or `i64::MIN` if there is none.
    pub low: i64,
    /// Maximum, or `i64::MAX` if there is none.
    pub high: i64,
    /// The loops on whose iterations the value depends, outermost first.
    pub loops: Vec<LoopId>,
    /// Forms that are nonnegative by the definition of the symbol.
    pub facts: Vec<Form>,
    /// The values that determine it.
    pub origin: Origin,
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
    /// The product of two forms, as an integer that does not wrap.
    Product,
    /// A value that the host gives.
    Host(HostValue),
}

/// All symbols of an analysis.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    list: Vec<Symbol>,
    computed: FxHashMap<(Operation, Vec<Form>), SymbolId>,
    wrapped: FxHashMap<SymbolId, WrappedForm>,
    products: FxHashMap<SymbolId, Product>,
    /// The operands of computed symbols.
    operands: FxHashMap<SymbolId, Vec<Form>>,
    host: FxHashMap<SymbolId, HostValue>,
    /// Values of the host, and products of them.
    of_host: FxHashSet<SymbolId>,
}

/// The definition of a symbol that is a product.
#[derive(Clone, Debug)]
struct Product {
    factors: [Form; 2],
    /// The number of nested products, with this one.
    depth: u32,
}

/// The definition of a symbol that is a form wrapped to the range of a type.
#[derive(Clone, Debug)]
pub(super) struct WrappedForm {
    /// The form. It equals the symbol where it is in range.
    pub exact: Form,
    /// Whether the type is `i32`.
    pub signed: bool,
}

impl Symbols {
    /// Adds a symbol. Returns `None` if there are too many.
    pub fn add(&mut self, symbol: Symbol) -> Option<SymbolId> {
        if self.list.len() >= MAX_SYMBOLS {
            return None;
        }
        self.list.push(symbol);
        Some(SymbolId(self.list.len() as u32 - 1))
    }

    /// Adds the id of a workgroup in a dimension with this number of workgroups.
    pub fn add_below(&mut self, level: Level, count: &Form) -> Option<Form> {
        let (_, high) = self.range(count);
        let (loops, facts) = (Vec::new(), Vec::new());
        let (low, high, origin) = (0, high - 1, Origin::Ids);
        let id = self.add(Symbol { level, low, high, loops, facts, origin })?;
        let form = Form::symbol(id);
        if count.as_constant().is_none() {
            let below = count.minus(&form).and_then(|form| form.checked_add_constant(-1));
            self.list[id.0 as usize].facts.extend(below);
        }
        Some(form)
    }

    /// Returns a value that the host gives, which is in this range.
    pub fn host_value(&mut self, value: HostValue, range: (i64, i64)) -> Option<Form> {
        let form = self.computed(Operation::Host(value), Vec::new(), range, |_| Vec::new())?;
        if let [(id, 1)] = form.terms[..] {
            self.host.insert(id, value);
            self.of_host.insert(id);
        }
        Some(form)
    }

    /// Returns the value of the host that a symbol stands for, if it does.
    pub fn as_host_value(&self, id: SymbolId) -> Option<HostValue> {
        self.host.get(&id).copied()
    }

    /// Returns whether a form consists of values of the host and products of them.
    pub fn is_of_host(&self, form: &Form) -> bool {
        form.terms.iter().all(|(id, _)| self.of_host.contains(id))
    }

    /// Returns an upper bound of a form in terms of values of the host, by the facts about its symbols.
    pub fn upper_bound(&self, form: &Form) -> Option<Form> {
        form.terms.iter().try_fold(Form::constant(form.constant), |sum, &(id, factor)| {
            let symbol = self.get(id);
            let own = Form::symbol(id);
            let of_host = || symbol.facts.iter().filter_map(|fact| fact.plus(&own));
            let bound = match factor {
                _ if self.is_of_host(&own) => own.clone(),
                1.. => of_host()
                    .find(|bound| self.is_of_host(bound))
                    .unwrap_or_else(|| Form::constant(symbol.high)),
                _ => Form::constant(symbol.low),
            };
            sum.plus(&bound.checked_mul(factor)?)
        })
    }

    /// Returns the number that a form is for these values of symbols, if all are known.
    pub fn value_of(&self, form: &Form, known: &FxHashMap<SymbolId, i64>) -> Option<i128> {
        form.terms.iter().try_fold(i128::from(form.constant), |sum, &(id, factor)| {
            let value = match (known.get(&id), self.factors(id)) {
                (Some(value), _) => i128::from(*value),
                (None, Some([a, b])) => {
                    self.value_of(a, known)?.checked_mul(self.value_of(b, known)?)?
                }
                (None, None) => return None,
            };
            sum.checked_add(value.checked_mul(factor.into())?)
        })
    }

    /// Returns the symbols that a form mentions, directly or in operands.
    pub fn mentioned_in(&self, form: &Form) -> FxHashSet<SymbolId> {
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        let mut left: Vec<SymbolId> = form.terms.iter().map(|(id, _)| *id).collect();
        while let Some(id) = left.pop() {
            if seen.insert(id) {
                let operands = self.operands.get(&id).into_iter().flatten();
                left.extend(operands.flat_map(|of| &of.terms).map(|(id, _)| *id));
            }
        }
        seen
    }

    /// Returns the values that determine a form.
    pub fn origin(&self, form: &Form) -> Origin {
        form.terms.iter().map(|&(id, _)| self.get(id).origin).max().unwrap_or_default()
    }

    /// Returns whether values of the host determine a form.
    pub fn is_determined_by_host(&self, form: &Form) -> bool {
        self.is_constant(form) && self.origin(form) <= Origin::Host
    }

    /// Returns the factors of a symbol that is a product.
    pub fn factors(&self, id: SymbolId) -> Option<&[Form; 2]> {
        self.products.get(&id).map(|product| &product.factors)
    }

    /// Returns the product of two forms, without wrapping.
    ///
    /// Constant parts are multiplied out, such that `(x + 1) * y` and `x * y + y` are the same form.
    pub fn product(&mut self, a: &Form, b: &Form) -> Option<Form> {
        if let Some(factor) = b.as_constant() {
            return a.checked_mul(factor);
        }
        if let Some(factor) = a.as_constant() {
            return b.checked_mul(factor);
        }
        let (a_rest, b_rest) = (a.without_constant(), b.without_constant());
        let ((a_scale, a_rest), (b_scale, b_rest)) = (a_rest.primitive(), b_rest.primitive());
        let scale = a_scale.checked_mul(b_scale)?;
        let product = self.product_symbol(a_rest, b_rest)?.checked_mul(scale)?;
        let by_constants =
            b.checked_mul(a.constant)?.plus(&a.without_constant().checked_mul(b.constant)?)?;
        product.plus(&by_constants)
    }

    fn product_symbol(&mut self, a: Form, b: Form) -> Option<Form> {
        let key = |form: &Form| (self.level(form), form.terms.clone());
        let factors = if key(&a) >= key(&b) { [a, b] } else { [b, a] };
        let terms = factors.iter().flat_map(|factor| &factor.terms);
        let depths = terms.filter_map(|(id, _)| Some(self.products.get(id)?.depth));
        let depth = 1 + depths.max().unwrap_or_default();
        if depth > MAX_PRODUCTS {
            return None;
        }
        let [(low_a, high_a), (low_b, high_b)] = [0, 1].map(|at: usize| self.range(&factors[at]));
        let corners = [(low_a, low_b), (low_a, high_b), (high_a, low_b), (high_a, high_b)];
        let corners = corners.map(|(a, b)| wide(a).saturating_mul(wide(b)));
        let low = narrow(corners.into_iter().fold(i128::MAX, i128::min));
        let high = narrow(corners.into_iter().fold(i128::MIN, i128::max));
        let [a, b] = &factors;
        // McCormick's inequalities: `(a - end) * (b - end)` has a known sign for each pair of ends of the ranges.
        let ends =
            [(low_a, low_b, 1), (high_a, high_b, 1), (high_a, low_b, -1), (low_a, high_b, -1)];
        let facts = |product: &Form| {
            let fact = |(a_end, b_end, sign): (i64, i64, i64)| {
                let linear = b.checked_mul(a_end)?.plus(&a.checked_mul(b_end)?)?;
                let linear =
                    linear.checked_add_constant(a_end.checked_mul(b_end)?.checked_neg()?)?;
                product.minus(&linear)?.checked_mul(sign)
            };
            ends.into_iter().map(fact).collect()
        };
        let product = self.computed(Operation::Product, factors.to_vec(), (low, high), facts)?;
        if let [(id, 1)] = product.terms[..] {
            if factors.iter().all(|factor| self.is_of_host(factor)) {
                self.of_host.insert(id);
            }
            self.products.insert(id, Product { factors, depth });
        }
        Some(product)
    }

    /// Returns the symbol.
    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.list[id.0 as usize]
    }

    /// Records that `form`, a single symbol, is the wrapped value of `exact`.
    pub fn wraps(&mut self, form: &Form, exact: Form, signed: bool) {
        if let [(id, 1)] = form.terms[..] {
            self.wrapped.insert(id, WrappedForm { exact, signed });
        }
    }

    /// Returns the wrapped form that a symbol is defined by.
    pub fn wrapped_form(&self, id: SymbolId) -> Option<&WrappedForm> {
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
        let origin = match key.0 {
            Operation::Host(HostValue::Workgroups(_)) => Origin::Grid,
            Operation::Host(_) => Origin::Host,
            _ => key.1.iter().map(|form| self.origin(form)).max().unwrap_or_default(),
        };
        let id = self.add(Symbol { level, low, high, loops, facts: Vec::new(), origin })?;
        let form = Form::symbol(id);
        let facts = facts(&form).into_iter().flatten().collect();
        self.list[id.0 as usize].facts = facts;
        self.operands.insert(id, key.1.clone());
        self.computed.insert(key, id);
        Some(form)
    }

    /// Returns the level at which invocations agree on a form.
    pub fn level(&self, form: &Form) -> Level {
        form.terms.iter().map(|&(id, _)| self.get(id).level).max().unwrap_or_default()
    }

    /// Returns whether a form is the same for all invocations and in all iterations.
    pub fn is_constant(&self, form: &Form) -> bool {
        self.level(form) == Level::Dispatch && self.loops(form).next().is_none()
    }

    fn loops<'s>(&'s self, form: &'s Form) -> impl Iterator<Item = LoopId> + 's {
        form.terms.iter().flat_map(|&(id, _)| self.get(id).loops.iter().copied())
    }

    /// Returns the minimum and maximum of a form, computed from the ranges of its symbols, as in [`Symbol`].
    pub fn range(&self, form: &Form) -> (i64, i64) {
        let (mut low, mut high) =
            (Some(i128::from(form.constant)), Some(i128::from(form.constant)));
        for &(id, factor) in &form.terms {
            let symbol = self.get(id);
            let least = (symbol.low != i64::MIN).then_some(i128::from(symbol.low));
            let most = (symbol.high != i64::MAX).then_some(i128::from(symbol.high));
            let ends = if factor > 0 { (least, most) } else { (most, least) };
            let add = |sum: Option<i128>, end: Option<i128>| Some(sum? + end? * i128::from(factor));
            (low, high) = (add(low, ends.0), add(high, ends.1));
        }
        (low.map_or(i64::MIN, narrow), high.map_or(i64::MAX, narrow))
    }
}

/// Returns a bound of a range as a number, with which a product exceeds `i64` if the bound stands for no bound.
fn wide(bound: i64) -> i128 {
    match bound {
        i64::MIN => -(1 << 72),
        i64::MAX => 1 << 72,
        bound => bound.into(),
    }
}

/// Returns a number as a bound of a range. One that is too large stands for no bound.
fn narrow(number: i128) -> i64 {
    number.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
