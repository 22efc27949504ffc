//! Conditions of litmus tests on final states.

use super::names::Names;
use super::token::{Kind, Tokens};
use crate::program::Value;
use hirace_core::diagnostic::Result;

/// The maximum nesting depth of conditions.
const DEPTH: u32 = 64;

/// The condition of a test on its executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The quantifier over executions.
    pub quantifier: Quantifier,
    /// The condition on a final state.
    pub condition: Condition,
    /// Executions whose final state does not satisfy this condition are ignored.
    pub filter: Option<Condition>,
}

/// The quantifier over executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// At least one.
    Exists,
    /// None.
    Never,
    /// All.
    Always,
}

/// A formula over a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A comparison of two terms.
    Compare(Term, Comparison, Term),
    /// The negation of a condition.
    Not(Box<Condition>),
    /// The conjunction of conditions.
    All(Vec<Condition>),
    /// The disjunction of conditions.
    Any(Vec<Condition>),
}

/// An operand of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A constant.
    Value(Value),
    /// The value of a location, by its index.
    Location(usize),
    /// The value of a register, by the indices of its column and of the register.
    Register(usize, usize),
}

/// An unsigned comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Not equal.
    Differ,
    /// Less than.
    Less,
    /// At most.
    LessOrEqual,
    /// Greater than.
    Greater,
    /// At least.
    GreaterOrEqual,
}

impl Comparison {
    /// Returns whether the comparison holds for two values.
    pub fn holds(self, left: Value, right: Value) -> bool {
        match self {
            Self::Equal => left == right,
            Self::Differ => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

impl Condition {
    /// Returns whether the condition holds for these values of terms.
    pub fn holds(&self, value: &impl Fn(Term) -> Value) -> bool {
        match self {
            Self::Compare(left, comparison, right) => comparison.holds(value(*left), value(*right)),
            Self::Not(condition) => !condition.holds(value),
            Self::All(all) => all.iter().all(|condition| condition.holds(value)),
            Self::Any(any) => any.iter().any(|condition| condition.holds(value)),
        }
    }

    fn has(&self, is_it: &impl Fn(&Term) -> bool) -> bool {
        match self {
            Self::Compare(left, _, right) => is_it(left) || is_it(right),
            Self::Not(condition) => condition.has(is_it),
            Self::All(all) | Self::Any(all) => all.iter().any(|condition| condition.has(is_it)),
        }
    }
}

impl Claim {
    /// Returns whether the condition mentions this register.
    pub fn names(&self, column: usize, register: usize) -> bool {
        self.has(&|term| *term == Term::Register(column, register))
    }

    /// Returns whether the condition mentions a register of this column.
    pub fn names_column(&self, column: usize) -> bool {
        self.has(&|term| matches!(term, Term::Register(of, _) if *of == column))
    }

    fn has(&self, is_it: &impl Fn(&Term) -> bool) -> bool {
        self.condition.has(is_it) || self.filter.as_ref().is_some_and(|filter| filter.has(is_it))
    }

    /// Reads the condition at the end of a file; `None` if there is none.
    pub fn read(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<Option<Self>> {
        let filter = match tokens.accept("filter")? {
            true => Some(either(tokens, names, DEPTH)?),
            false => None,
        };
        let start = tokens.peek();
        let quantifier = if tokens.accept("exists")? {
            Quantifier::Exists
        } else if tokens.accept("forall")? {
            Quantifier::Always
        } else if tokens.accept("~")? || tokens.accept("not")? {
            tokens.expect("exists", "after a negation outside of a condition")?;
            Quantifier::Never
        } else if start.kind == Kind::End && filter.is_none() {
            return Ok(None);
        } else {
            let wrong = tokens.wrong(start, "expected a condition on the final states");
            return Err(Box::new(
                wrong.help("write `exists`, `~exists` or `forall`, followed by a condition"),
            ));
        };
        let condition = either(tokens, names, DEPTH)?;
        let rest = tokens.peek();
        if rest.kind != Kind::End {
            let wrong = tokens.wrong(rest, "unexpected text after the condition");
            return Err(Box::new(
                wrong.help(
                    "combine conditions with `/\\` or `\\/`, and write comments as `(* … *)`",
                ),
            ));
        }
        Ok(Some(Self { quantifier, condition, filter }))
    }
}

fn either(tokens: &mut Tokens<'_>, names: &mut Names, depth: u32) -> Result<Condition> {
    let mut any = vec![both(tokens, names, depth)?];
    while tokens.accept("\\/")? || tokens.accept("||")? {
        any.push(both(tokens, names, depth)?);
    }
    Ok(alone(any).unwrap_or_else(Condition::Any))
}

fn both(tokens: &mut Tokens<'_>, names: &mut Names, depth: u32) -> Result<Condition> {
    let mut all = vec![one(tokens, names, depth)?];
    while tokens.accept("/\\")? || tokens.accept("&&")? {
        all.push(one(tokens, names, depth)?);
    }
    Ok(alone(all).unwrap_or_else(Condition::All))
}

fn alone(mut conditions: Vec<Condition>) -> std::result::Result<Condition, Vec<Condition>> {
    match conditions.pop() {
        Some(one) if conditions.is_empty() => Ok(one),
        last => {
            conditions.extend(last);
            Err(conditions)
        }
    }
}

fn one(tokens: &mut Tokens<'_>, names: &mut Names, depth: u32) -> Result<Condition> {
    let start = tokens.peek();
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Box::new(tokens.wrong(start, "this condition is nested too deeply")));
    };
    if tokens.accept("~")? || tokens.accept("not")? {
        return Ok(Condition::Not(Box::new(one(tokens, names, depth)?)));
    }
    if tokens.accept("(")? {
        let condition = either(tokens, names, depth)?;
        tokens.expect(")", "after a condition in parentheses")?;
        return Ok(condition);
    }
    if tokens.accept("true")? {
        return Ok(Condition::All(Vec::new()));
    }
    if tokens.accept("false")? {
        return Ok(Condition::Any(Vec::new()));
    }
    let left = term(tokens, names)?;
    let sign = tokens.take()?;
    let comparison = match tokens.text(sign) {
        "=" | "==" => Comparison::Equal,
        "!=" => Comparison::Differ,
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">" => Comparison::Greater,
        ">=" => Comparison::GreaterOrEqual,
        _ => {
            return Err(Box::new(
                tokens.wrong(sign, "expected a comparison operator").help("write `==` or `!=`"),
            ));
        }
    };
    Ok(Condition::Compare(left, comparison, term(tokens, names)?))
}

/// Reads `7`, `x`, `[x]`, `P1:r0` or `1:r0`.
fn term(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<Term> {
    if tokens.accept("[")? {
        let (token, name) = tokens.word("the name of a location")?;
        tokens.expect("]", "after the name of a location in brackets")?;
        return Ok(Term::Location(names.location(tokens, token, name)?));
    }
    let token = tokens.take()?;
    let text = tokens.text(token);
    let of_column = tokens.accept(":")?;
    match token.kind {
        Kind::Number(_) | Kind::Word if of_column => {
            let column = names.column(tokens, token, text)?;
            let (_, register) = tokens.word("the name of a register")?;
            Ok(Term::Register(column, names.register(column, register)))
        }
        Kind::Number(value) => Ok(Term::Value(u64::from(value as u32))),
        Kind::Word => Ok(Term::Location(names.location(tokens, token, text)?)),
        _ => {
            let wrong = tokens.wrong(token, "expected a value");
            Err(Box::new(
                wrong.help("write a number, a location such as `x`, or a register such as `P1:r0`"),
            ))
        }
    }
}
