//! Arithmetic of `i32` and `u32` on forms.
//!
//! Forms do not wrap, but the integers of a kernel do. A sum is a form only where it is proved to stay in the range of its type.
//! Otherwise it is a new symbol with a known range, and the same operands yield the same symbol.

use super::form::Form;
use super::symbol::{Operation, Symbols};
use crate::ir::integers::folded;
use naga::BinaryOperator;

/// The limit on set bits in a constant operand of `^` or `|` for which the result is modeled.
const MAX_BITS: u32 = 2;

/// Returns the minimum and maximum of a type.
pub(super) const fn limits(signed: bool) -> (i64, i64) {
    if signed { (i32::MIN as i64, i32::MAX as i64) } else { (0, u32::MAX as i64) }
}

/// Integer arithmetic of one type, with the facts known at the point of evaluation.
pub(super) struct Arithmetic<'w> {
    /// The symbols of the analysis.
    pub symbols: &'w mut Symbols,
    /// Whether the integers are `i32`.
    pub signed: bool,
    /// Whether the integers wrap.
    pub wraps: bool,
    /// Returns whether a form is nonnegative at this point.
    pub is_nonnegative: &'w mut dyn FnMut(&Symbols, &Form) -> bool,
}

impl Arithmetic<'_> {
    /// Returns the result of the operator, or `None` if there are too many symbols.
    pub fn binary(&mut self, operator: BinaryOperator, a: &Form, b: &Form) -> Option<Form> {
        if let (true, Some(a), Some(b)) = (self.wraps, a.as_constant(), b.as_constant())
            && let Some(known) = folded(operator, self.signed, a, b)
        {
            return Some(Form::constant(known));
        }
        let exact = match operator {
            BinaryOperator::Add => a.plus(b),
            BinaryOperator::Subtract => a.minus(b),
            BinaryOperator::Multiply => self.symbols.product(a, b),
            BinaryOperator::ShiftLeft => match b.as_constant() {
                Some(by @ 0..32) => a.checked_mul(1 << by),
                _ => None,
            },
            BinaryOperator::Divide => self.quotient_by(a, b),
            BinaryOperator::Modulo => self.remainder(a, b),
            BinaryOperator::ShiftRight => match b.as_constant() {
                Some(by @ 0..32) => self.quotient(a, 1 << by),
                _ => None,
            },
            BinaryOperator::And => self.and(a, b),
            BinaryOperator::ExclusiveOr => self.exclusive_or(a, b),
            BinaryOperator::InclusiveOr => self.inclusive_or(a, b),
            _ => None,
        };
        match exact {
            Some(exact) if self.fits(&exact) => Some(exact),
            exact => {
                let wrapped = self.opaque(operator, a, b)?;
                // For other operators, exactness depends on the facts known at this point.
                use BinaryOperator::{Add, Multiply, ShiftLeft, Subtract};
                if matches!(operator, Add | Subtract | Multiply | ShiftLeft)
                    && let Some(exact) = exact
                {
                    self.symbols.wraps(&wrapped, exact, self.signed);
                }
                Some(wrapped)
            }
        }
    }

    /// Returns the smaller of the two (`least`), or the larger.
    pub fn extreme(&mut self, a: &Form, b: &Form, least: bool) -> Option<Form> {
        let operation = if least { Operation::Min } else { Operation::Max };
        let operands = vec![a.clone(), b.clone()];
        let (Some(a_less), Some(b_less)) = (b.minus(a), a.minus(b)) else {
            let limits = limits(self.signed);
            return self.symbols.computed(operation, operands, limits, |_| Vec::new());
        };
        for (first, second, difference) in [(a, b, &a_less), (b, a, &b_less)] {
            if (self.is_nonnegative)(self.symbols, difference) {
                return Some(if least { first } else { second }.clone());
            }
        }
        let ((low_a, high_a), (low_b, high_b)) = (self.symbols.range(a), self.symbols.range(b));
        if least {
            let range = (low_a.min(low_b), high_a.min(high_b));
            let facts = |form: &Form| vec![a.minus(form), b.minus(form)];
            self.symbols.computed(operation, operands, range, facts)
        } else {
            let range = (low_a.max(low_b), high_a.max(high_b));
            let facts = |form: &Form| vec![form.minus(a), form.minus(b)];
            self.symbols.computed(operation, operands, range, facts)
        }
    }

    /// Returns the integer of this type with the same bits.
    pub fn cast(&mut self, form: &Form) -> Option<Form> {
        if self.fits(form) {
            return Some(form.clone());
        }
        let operation = Operation::Cast { signed: self.signed };
        let limits = limits(self.signed);
        let cast = self.symbols.computed(operation, vec![form.clone()], limits, |_| Vec::new())?;
        self.symbols.wraps(&cast, form.clone(), self.signed);
        Some(cast)
    }

    /// Returns whether a form is proved to be in the range of the type.
    pub fn fits(&mut self, form: &Form) -> bool {
        if !self.wraps {
            return true;
        }
        let (low, high) = limits(self.signed);
        let above = form.checked_add_constant(-low);
        let below = form.checked_mul(-1).and_then(|form| form.checked_add_constant(high));
        let mut holds = |form: Option<Form>| {
            form.is_some_and(|form| (self.is_nonnegative)(self.symbols, &form))
        };
        holds(above) && holds(below)
    }

    /// Returns a new symbol for a result of which only the range is known.
    fn opaque(&mut self, operator: BinaryOperator, a: &Form, b: &Form) -> Option<Form> {
        let limits = limits(self.signed);
        let (a_range, b_range) = (self.symbols.range(a), self.symbols.range(b));
        let range = match operator {
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo
                if a_range.0 >= 0 && b_range.0 >= 0 =>
            {
                let high = match operator {
                    BinaryOperator::Multiply => a_range.1.checked_mul(b_range.1),
                    _ => Some(a_range.1),
                };
                high.filter(|high| *high <= limits.1).map_or(limits, |high| (0, high))
            }
            _ => limits,
        };
        let operation = Operation::Binary(operator as u8 + if self.signed { 64 } else { 0 });
        self.symbols.computed(operation, vec![a.clone(), b.clone()], range, |_| Vec::new())
    }

    fn is_natural(&mut self, form: &Form) -> bool {
        (self.is_nonnegative)(self.symbols, form)
    }

    fn quotient_by(&mut self, a: &Form, b: &Form) -> Option<Form> {
        self.quotient(a, b.as_constant().filter(|by| *by > 0)?)
    }

    /// Returns the quotient of a nonnegative form and the positive constant `by`.
    fn quotient(&mut self, form: &Form, by: i64) -> Option<Form> {
        if !self.is_natural(form) {
            return None;
        }
        // Terms that are multiples of `by` are divided exactly. The quotient of the rest is a symbol.
        let mut whole = Form::constant(form.constant.div_euclid(by));
        let mut rest = Form::constant(form.constant.rem_euclid(by));
        for &(symbol, factor) in &form.terms {
            let into = if factor % by == 0 { &mut whole } else { &mut rest };
            let factor = if factor % by == 0 { factor / by } else { factor };
            *into = into.plus(&Form::symbol(symbol).checked_mul(factor)?)?;
        }
        let (low, high) = self.symbols.range(&rest);
        let divided = |bound: i64| match bound {
            i64::MIN | i64::MAX => bound,
            bound => bound.div_euclid(by),
        };
        let range = (divided(low), divided(high));
        if range.0 == range.1 {
            return whole.checked_add_constant(range.0);
        }
        let part =
            self.symbols.computed(Operation::Quotient(by), vec![rest.clone()], range, |part| {
                let multiple = part.checked_mul(by);
                let above = multiple.as_ref().and_then(|multiple| rest.minus(multiple));
                let below = above
                    .as_ref()
                    .and_then(|above| above.checked_mul(-1)?.checked_add_constant(by - 1));
                vec![above, below]
            })?;
        whole.plus(&part)
    }

    fn remainder(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let by = b.as_constant().filter(|by| *by > 0)?;
        let quotient = self.quotient(a, by)?;
        a.minus(&quotient.checked_mul(by)?)
    }

    /// Returns the bit of a form with the value `bit`, as 0 or 1.
    fn bit(&mut self, form: &Form, bit: i64) -> Option<Form> {
        let above = self.quotient(form, bit.checked_mul(2)?)?;
        self.quotient(form, bit)?.minus(&above.checked_mul(2)?)
    }

    fn and(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let (a, mask) = with_constant(a, b)?;
        let mask = mask.as_constant()?;
        if mask == 0 {
            return Some(Form::constant(0));
        }
        if mask > 0 && (mask + 1).count_ones() == 1 {
            return self.remainder(a, &Form::constant(mask + 1));
        }
        if mask > 0 && mask.count_ones() == 1 {
            return self.bit(a, mask)?.checked_mul(mask);
        }
        let range = (0, mask);
        let operation = Operation::Binary(BinaryOperator::And as u8);
        let known = mask > 0 && self.is_natural(a);
        let operands = vec![a.clone(), Form::constant(mask)];
        if known { self.symbols.computed(operation, operands, range, |_| Vec::new()) } else { None }
    }

    fn exclusive_or(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let (a, mask) = with_constant(a, b)?;
        let mask = mask.as_constant().filter(|mask| *mask >= 0)?;
        if mask.count_ones() > MAX_BITS {
            return None;
        }
        let mut changed = a.clone();
        for bit in (0..31).map(|bit| 1_i64 << bit).filter(|bit| mask & bit != 0) {
            let own = self.bit(a, bit)?;
            changed = changed.checked_add_constant(bit)?.minus(&own.checked_mul(2 * bit)?)?;
        }
        (mask < 1 << 31).then_some(changed)
    }

    fn inclusive_or(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let (a, mask) = with_constant(a, b)?;
        let mask = mask.as_constant().filter(|mask| *mask >= 0)?;
        if mask.count_ones() > MAX_BITS {
            return None;
        }
        let mut changed = a.clone();
        for bit in (0..31).map(|bit| 1_i64 << bit).filter(|bit| mask & bit != 0) {
            let own = self.bit(a, bit)?;
            changed = changed.checked_add_constant(bit)?.minus(&own.checked_mul(bit)?)?;
        }
        (mask < 1 << 31).then_some(changed)
    }
}

/// Returns the two forms with the constant one second, or `None` if neither is a constant.
fn with_constant<'f>(a: &'f Form, b: &'f Form) -> Option<(&'f Form, &'f Form)> {
    match (a.as_constant(), b.as_constant()) {
        (_, Some(_)) => Some((a, b)),
        (Some(_), None) => Some((b, a)),
        _ => None,
    }
}
