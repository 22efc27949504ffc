//! Recovers exact forms of values that may wrap where they are computed but not where they are used, such as an index computed
//! before its guard.

use super::form::Form;
use super::symbol::WrappedForm;
use super::value::Value;
use super::walk::Walk;

/// The limit on nested wrapped forms.
const DEEPEST: u32 = 8;

impl Walk<'_> {
    /// Returns the value with symbols replaced by their exact forms where these are proved not to wrap at this point.
    pub fn unwrap_value(&mut self, value: Value) -> Value {
        match value {
            Value::Int(form) => Value::Int(self.unwrapped_form(form, 0)),
            Value::Parts(parts) => {
                Value::Parts(parts.into_iter().map(|part| self.unwrap_value(part)).collect())
            }
            other => other,
        }
    }

    fn unwrapped_form(&mut self, form: Form, depth: u32) -> Form {
        let mut unwrapped = form.clone();
        for &(symbol, factor) in form.terms.iter().filter(|_| depth < DEEPEST) {
            let Some(WrappedForm { exact, signed }) = self.symbols.wrapped_form(symbol).cloned()
            else {
                continue;
            };
            let exact = self.unwrapped_form(exact, depth + 1);
            let with = || exact.minus(&Form::symbol(symbol))?.checked_mul(factor)?.plus(&unwrapped);
            if let Some(with) = with()
                && self.here(signed, |it| it.fits(&exact))
            {
                unwrapped = with;
            }
        }
        unwrapped
    }
}
