//! Affine forms: a constant and multiples of symbols.

use super::solve::gcd;

/// The identifier of a symbol: an index into [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SymbolId(pub u32);

/// The limit on symbols in a form. Larger forms are not modeled.
const MAX_TERMS: usize = 16;
/// The limit on coefficients and constants, such that sums of several of them do not overflow `i64`.
const MAX_NUMBER: i64 = 1 << 48;

/// `constant + Σ factor · symbol`, over the integers, without wrapping.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Form {
    /// The constant term.
    pub constant: i64,
    /// Terms sorted by symbol; no factor is 0.
    pub terms: Vec<(SymbolId, i64)>,
}

impl Form {
    /// Returns the form of a constant.
    pub fn constant(constant: i64) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// Returns the form of a single symbol.
    pub fn symbol(symbol: SymbolId) -> Self {
        Self { constant: 0, terms: vec![(symbol, 1)] }
    }

    /// Returns the constant, if the form is one.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns whether a symbol is in the form.
    pub fn mentions(&self, symbol: SymbolId) -> bool {
        self.terms.binary_search_by_key(&symbol, |term| term.0).is_ok()
    }

    /// Returns the form without its constant term.
    pub fn without_constant(&self) -> Self {
        Self { constant: 0, terms: self.terms.clone() }
    }

    /// Returns the greatest common divisor of all factors, and the form divided by it. The constant term must be 0.
    pub fn primitive(&self) -> (i64, Self) {
        let common = self.terms.iter().fold(0, |common, (_, factor)| gcd(common, (*factor).into()));
        // It divides a factor.
        let common = common as i64;
        if common <= 1 {
            return (1, self.clone());
        }
        let terms = self.terms.iter().map(|(id, factor)| (*id, factor / common)).collect();
        (common, Self { constant: self.constant / common, terms })
    }

    /// Returns the sum, or `None` if it exceeds the limits.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.plus_scaled(other, 1)
    }

    /// Returns the difference, or `None` if it exceeds the limits.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus_scaled(other, -1)
    }

    /// Returns the form plus a constant.
    pub fn checked_add_constant(&self, by: i64) -> Option<Self> {
        self.plus(&Self::constant(by))
    }

    /// Returns the form times a constant.
    pub fn checked_mul(&self, factor: i64) -> Option<Self> {
        Self::default().plus_scaled(self, factor)
    }

    fn plus_scaled(&self, other: &Self, factor: i64) -> Option<Self> {
        let times = |value: i64| within(value.checked_mul(factor)?);
        let constant = within(self.constant.checked_add(times(other.constant)?)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (symbol, value) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(&&(a, x)), Some(&&(b, y))) if a == b => {
                    left.next();
                    right.next();
                    (a, x.checked_add(times(y)?)?)
                }
                (Some(&&(a, x)), Some(&&(b, _))) if a < b => {
                    left.next();
                    (a, x)
                }
                (Some(&&(a, x)), None) => {
                    left.next();
                    (a, x)
                }
                (_, Some(&&(b, y))) => {
                    right.next();
                    (b, times(y)?)
                }
            };
            if value != 0 {
                terms.push((symbol, within(value)?));
            }
        }
        (terms.len() <= MAX_TERMS).then_some(Self { constant, terms })
    }
}

fn within(value: i64) -> Option<i64> {
    (-MAX_NUMBER..=MAX_NUMBER).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(constant: i64, terms: &[(u32, i64)]) -> Form {
        Form { constant, terms: terms.iter().map(|&(id, factor)| (SymbolId(id), factor)).collect() }
    }

    #[test]
    fn terms_of_one_symbol_are_joined_and_those_that_cancel_are_left_out() {
        let sum = form(1, &[(0, 2), (3, 5)]).plus(&form(2, &[(0, -2), (1, 7), (3, 1)]));
        assert_eq!(sum, Some(form(3, &[(1, 7), (3, 6)])));
        assert_eq!(form(1, &[(2, 3)]).minus(&form(4, &[(2, 1)])), Some(form(-3, &[(2, 2)])));
        assert_eq!(form(1, &[(2, 3)]).checked_mul(0), Some(Form::default()));
    }

    #[test]
    fn what_is_too_large_is_no_form() {
        assert_eq!(form(0, &[(0, 1 << 40)]).checked_mul(1 << 20), None);
        assert_eq!(form(MAX_NUMBER, &[]).checked_add_constant(1), None);
        let many: Vec<(u32, i64)> = (0..MAX_TERMS as u32).map(|id| (id, 1)).collect();
        assert_eq!(form(0, &many).plus(&form(0, &[(99, 1)])), None);
    }
}
