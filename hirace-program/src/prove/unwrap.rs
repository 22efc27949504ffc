//! Recovers exact forms of values that may wrap where they are computed but not where they are used, such as an index computed
//! before its guard.

use super::form::{Form, SymbolId};
use super::symbol::WrappedForm;
use super::value::Value;
use super::walk::Walk;
use rustc_hash::FxHashMap;

/// The limit on nested wrapped forms.
const DEEPEST: u32 = 8;
/// The limit on wrapped forms that are replaced in one form.
const MAX_REPLACED: usize = 64;

impl Walk<'_> {
    /// Returns the value with symbols replaced by their exact forms where these are proved not to wrap at this point.
    pub fn unwrap_value(&mut self, value: Value) -> Value {
        match value {
            Value::Int(form) => Value::Int(self.unwrapped_form(form, 0, &mut FxHashMap::default())),
            Value::Parts(parts) => {
                Value::Parts(parts.into_iter().map(|part| self.unwrap_value(part)).collect())
            }
            other => other,
        }
    }

    /// Replaces symbols in a form. `known` are the exact forms of symbols that were found before.
    fn unwrapped_form(
        &mut self,
        form: Form,
        depth: u32,
        known: &mut FxHashMap<SymbolId, Form>,
    ) -> Form {
        let mut unwrapped = form.clone();
        for &(symbol, factor) in form.terms.iter().filter(|_| depth < DEEPEST) {
            let Some(WrappedForm { exact, signed }) = self.symbols.wrapped_form(symbol).cloned()
            else {
                continue;
            };
            let exact = match known.get(&symbol) {
                Some(exact) => exact.clone(),
                None if known.len() >= MAX_REPLACED => continue,
                None => {
                    let exact = self.unwrapped_form(exact, depth + 1, known);
                    known.insert(symbol, exact.clone());
                    exact
                }
            };
            let with = || exact.minus(&Form::symbol(symbol))?.checked_mul(factor)?.plus(&unwrapped);
            self.bound_products(&exact);
            if let Some(with) = with()
                && self.here(signed, |it| it.fits(&exact))
            {
                unwrapped = with;
            }
        }
        unwrapped
    }

    /// Returns the form with all symbols replaced by their exact forms, as if nothing wrapped.
    pub fn exact_form(&mut self, form: &Form) -> Form {
        let mut exact = form.clone();
        for depth in 0..DEEPEST {
            let wrapped = exact.terms.iter().find_map(|&(id, factor)| {
                Some((id, factor, self.symbols.wrapped_form(id)?.exact.clone()))
            });
            let Some((id, factor, inner)) = wrapped else { break };
            let step = || inner.minus(&Form::symbol(id))?.checked_mul(factor)?.plus(&exact);
            let Some(next) = step().filter(|_| depth + 1 < DEEPEST) else { break };
            exact = next;
        }
        self.bound_products(&exact);
        exact
    }

    /// Learns bounds of the products in a form: where `a ≤ b` and `c` is a natural number, `a · c ≤ b · c`. Here, `b` and `c`
    /// are values of the host.
    fn bound_products(&mut self, form: &Form) {
        for &(id, _) in &form.terms {
            let Some([a, b]) = self.symbols.factors(id).cloned() else { continue };
            let is_of_host = |form: &Form| self.symbols.is_of_host(form);
            if is_of_host(&a) || !is_of_host(&b) || self.symbols.range(&b).0 < 0 {
                continue;
            }
            let limits = self.state.facts.iter().filter_map(|fact| fact.plus(&a));
            let limits = limits.chain(self.symbols.upper_bound(&a));
            let limits: Vec<Form> = limits.filter(is_of_host).collect();
            for limit in limits {
                let product = self.symbols.product(&limit, &b);
                let fact = product.and_then(|product| product.minus(&Form::symbol(id)));
                self.state.learn(fact.into_iter().collect());
            }
        }
    }
}
