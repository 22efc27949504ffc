//! What may wrap where it is computed and does not where it is used: an index that comes before its guard.

use super::form::Form;
use super::symbol::Wrapped;
use super::value::Value;
use super::walk::Walk;

/// How deep what wraps is looked for in what wraps.
const DEEPEST: u32 = 8;

impl Walk<'_> {
    /// A value, with what does not wrap here as it is.
    pub fn unwrapped(&mut self, value: Value) -> Value {
        match value {
            Value::Int(form) => Value::Int(self.unwrapped_form(form, 0)),
            Value::Parts(parts) => {
                Value::Parts(parts.into_iter().map(|part| self.unwrapped(part)).collect())
            }
            other => other,
        }
    }

    fn unwrapped_form(&mut self, form: Form, depth: u32) -> Form {
        let mut unwrapped = form.clone();
        for &(symbol, factor) in form.terms.iter().filter(|_| depth < DEEPEST) {
            let Some(Wrapped { exact, signed }) = self.symbols.wrapped(symbol).cloned() else {
                continue;
            };
            let exact = self.unwrapped_form(exact, depth + 1);
            let with = || exact.minus(&Form::symbol(symbol))?.scaled(factor)?.plus(&unwrapped);
            if let Some(with) = with()
                && self.here(signed, |it| it.fits(&exact))
            {
                unwrapped = with;
            }
        }
        unwrapped
    }
}
