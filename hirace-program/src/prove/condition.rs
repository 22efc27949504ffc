//! Conditions: the meaning of a `bool` in terms of integers.

use super::form::Form;
use super::symbol::{Level, Opaque, Origin, Symbols};

/// The limit on operands of a condition. Larger conditions are unknown.
const MAX_OPERANDS: usize = 24;

/// A condition. Negations are pushed down to the leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// Always true or always false.
    Known(bool),
    /// The form is nonnegative.
    AtLeast0(Form),
    /// The form is 0.
    Is0(Form),
    /// The form is not 0.
    NonZero(Form),
    /// All conditions hold.
    All(Vec<Self>),
    /// At least one condition holds.
    Any(Vec<Self>),
    /// An unknown condition.
    Unknown(Opaque),
}

impl Condition {
    /// Returns the condition `form ≥ 0`.
    pub fn nonnegative(form: Form, symbols: &Symbols) -> Self {
        match symbols.range(&form) {
            (0.., _) => Self::Known(true),
            (_, ..0) => Self::Known(false),
            _ => Self::AtLeast0(form),
        }
    }

    /// Returns the condition `form = 0`.
    pub fn is_0(form: Form, symbols: &Symbols) -> Self {
        match symbols.range(&form) {
            (0, 0) => Self::Known(true),
            (low, high) if low > 0 || high < 0 => Self::Known(false),
            _ => Self::Is0(form),
        }
    }

    /// Returns the negation.
    pub fn negate(&self) -> Self {
        match self {
            Self::Known(known) => Self::Known(!known),
            // -f - 1 ≥ 0
            Self::AtLeast0(form) => {
                let negated = form.checked_mul(-1).and_then(|form| form.checked_add_constant(-1));
                negated.map_or(Self::Unknown(Opaque::ANY), Self::AtLeast0)
            }
            Self::Is0(form) => Self::NonZero(form.clone()),
            Self::NonZero(form) => Self::Is0(form.clone()),
            Self::All(all) => Self::Any(all.iter().map(Self::negate).collect()),
            Self::Any(any) => Self::All(any.iter().map(Self::negate).collect()),
            // The negation of an unknown condition is a different unknown.
            Self::Unknown(Opaque { level, .. }) => {
                Self::Unknown(Opaque { level: *level, ..Opaque::ANY })
            }
        }
    }

    /// Returns whether the condition has the same truth value as any equal condition.
    pub fn has_identity(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().all(Self::has_identity),
            Self::Unknown(opaque) => opaque.number != Opaque::ANY.number,
            _ => true,
        }
    }

    /// Returns the conjunction.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(false), _) | (_, Self::Known(false)) => Self::Known(false),
            (Self::Known(true), other) | (other, Self::Known(true)) => other,
            (Self::All(mut all), other) => {
                match other {
                    Self::All(others) => all.extend(others),
                    other => all.push(other),
                }
                Self::bounded(Self::All(all))
            }
            (one, Self::All(mut all)) => {
                all.insert(0, one);
                Self::bounded(Self::All(all))
            }
            (one, other) => Self::bounded(Self::All(vec![one, other])),
        }
    }

    /// Returns the disjunction.
    pub fn or(self, other: Self) -> Self {
        self.negate().and(other.negate()).negate()
    }

    /// Returns `yes` where the condition holds, otherwise `no`.
    pub fn choose(self, yes: Self, no: Self) -> Self {
        if yes == no && yes.has_identity() {
            return yes;
        }
        // `&&` and `||` that front ends have made branches of.
        match (&yes, &no) {
            (_, Self::Known(false)) => return self.and(yes),
            (Self::Known(true), _) => return self.or(no),
            (Self::Known(false), _) => return self.negate().and(no),
            (_, Self::Known(true)) => return self.negate().or(yes),
            _ => {}
        }
        let not = self.negate();
        self.and(yes).or(not.and(no))
    }

    /// Returns the condition, or an unknown one if it is too large.
    fn bounded(self) -> Self {
        if self.size() <= MAX_OPERANDS { self } else { Self::Unknown(Opaque::ANY) }
    }

    /// Returns the number of operands.
    pub fn size(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::size).sum(),
            _ => 1,
        }
    }

    /// Returns the level at which invocations agree on the condition.
    pub fn level(&self, symbols: &Symbols) -> Level {
        match self {
            Self::Known(_) => Level::Dispatch,
            Self::AtLeast0(form) | Self::Is0(form) | Self::NonZero(form) => symbols.level(form),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().map(|part| part.level(symbols)).max().unwrap_or_default()
            }
            Self::Unknown(opaque) => opaque.level,
        }
    }

    /// Returns the values that determine the condition.
    pub fn origin(&self, symbols: &Symbols) -> Origin {
        match self {
            Self::Known(_) => Origin::Ids,
            Self::AtLeast0(form) | Self::Is0(form) | Self::NonZero(form) => symbols.origin(form),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().map(|part| part.origin(symbols)).max().unwrap_or_default()
            }
            Self::Unknown(_) => Origin::Contents,
        }
    }

    /// Returns whether the condition holds wherever its [facts](Self::facts) do.
    pub fn equals_its_facts(&self, symbols: &Symbols) -> bool {
        match self {
            Self::Known(known) => *known,
            Self::AtLeast0(_) => true,
            Self::Is0(form) => form.checked_mul(-1).is_some(),
            // It then has facts.
            Self::NonZero(form) => {
                let (low, high) = symbols.range(form);
                (low == 0 || high == 0) && !self.facts(symbols).is_empty()
            }
            Self::All(all) => all.iter().all(|part| part.equals_its_facts(symbols)),
            Self::Any(_) | Self::Unknown(_) => false,
        }
    }

    /// Returns forms that are nonnegative where the condition holds.
    pub fn facts(&self, symbols: &Symbols) -> Vec<Form> {
        let negated = |form: &Form| form.checked_mul(-1);
        match self {
            Self::AtLeast0(form) => vec![form.clone()],
            Self::Is0(form) => [Some(form.clone()), negated(form)].into_iter().flatten().collect(),
            // If 0 is a bound of the form's range, its sign is known.
            Self::NonZero(form) => match symbols.range(form) {
                (0, _) => form.checked_add_constant(-1).into_iter().collect(),
                (_, 0) => negated(form)
                    .and_then(|form| form.checked_add_constant(-1))
                    .into_iter()
                    .collect(),
                _ => Vec::new(),
            },
            Self::All(all) => all.iter().flat_map(|part| part.facts(symbols)).collect(),
            Self::Known(_) | Self::Any(_) | Self::Unknown(_) => Vec::new(),
        }
    }
}
