//! Texts of contracts.

use super::context::Context;
use super::error::place;
use super::replay::replay;
use super::spelling;
use crate::facts::contract::{
    Condition, ContractOutcome, Difference, Inequality, Sum, Term, Violation,
};
use crate::facts::{Kind, Place};
use crate::program::Language;
use crate::report::document;

/// Converts what is known about every launch.
pub fn contract(context: Context<'_>, outcome: &ContractOutcome) -> document::Contract {
    let condition = |of: &Condition| document::Condition {
        condition: inequality(context.language, &of.inequality),
        otherwise: violation(context, &of.otherwise),
    };
    let (conditions, open) = match outcome {
        ContractOutcome::Proved(conditions) => (conditions.iter().map(condition).collect(), None),
        ContractOutcome::Open(open) => (Vec::new(), Some(violation(context, open))),
        ContractOutcome::TooComplex => (Vec::new(), None),
    };
    document::Contract { is_proved: outcome.proved_verdict().is_some(), conditions, open }
}

/// Writes a condition: `dispatch.y == 1`, `arrayLength(&out) >= 64 * dispatch.x`.
fn inequality(language: Language, of: &Inequality) -> String {
    let Inequality { left, right } = of;
    match (&left.terms[..], &right.terms[..]) {
        ([], [(1, Term::Workgroups(dimension))]) if left.constant - right.constant == 1 => {
            format!("{} == 1", workgroups(*dimension))
        }
        ([], [_, ..]) => {
            let limit = Sum { constant: left.constant - right.constant, terms: Vec::new() };
            let right = Sum { constant: 0, terms: right.terms.clone() };
            format!("{} <= {}", sum(language, &right), sum(language, &limit))
        }
        _ => format!("{} >= {}", sum(language, left), sum(language, right)),
    }
}

fn workgroups(dimension: usize) -> String {
    format!("dispatch.{}", ["x", "y", "z"].get(dimension).unwrap_or(&"?"))
}

fn sum(language: Language, of: &Sum) -> String {
    let term = |(factor, term): &(i64, Term)| {
        let value = match term {
            Term::Workgroups(dimension) => workgroups(*dimension),
            Term::Length(array) => spelling::length(language, array),
            Term::Field(path) => path.clone(),
            Term::Product(factors) => {
                let [a, b] = [0, 1].map(|index: usize| difference(language, &factors[index]));
                format!("{a} * {b}")
            }
        };
        if *factor == 1 { value } else { format!("{factor} * {value}") }
    };
    let mut text = of.terms.iter().map(term).collect::<Vec<_>>().join(" + ");
    match of.constant {
        constant if text.is_empty() => text = constant.to_string(),
        0 => {}
        constant @ 1.. => text += &format!(" + {constant}"),
        constant => text += &format!(" - {}", constant.unsigned_abs()),
    }
    text
}

/// Writes a factor, in parentheses if it has several terms.
fn difference(language: Language, of: &Difference) -> String {
    let Difference { plus, minus } = of;
    let count = |sum: &Sum| sum.terms.len() + usize::from(sum.constant != 0);
    match (count(plus), count(minus)) {
        (1, 0) => sum(language, plus),
        (_, 0) => format!("({})", sum(language, plus)),
        (_, 1) => format!("({} - {})", sum(language, plus), sum(language, minus)),
        _ => format!("({} - ({}))", sum(language, plus), sum(language, minus)),
    }
}

/// Converts a fault.
fn violation(context: Context<'_>, of: &Violation) -> document::Violation {
    document::Violation {
        rule: of.kind.code().to_owned(),
        message: fault(context, of),
        places: of.places.iter().map(|at| place(context.source, at.span, String::new())).collect(),
        shown_by: of.shown_by.as_ref().map(replay),
    }
}

/// Writes what may happen: ``index out of bounds: `out[id.x]` at line 9``.
fn fault(context: Context<'_>, of: &Violation) -> String {
    let what = match of.kind {
        Kind::DataRace => "a data race",
        Kind::OutOfBounds => "an index out of bounds",
        _ => return "a barrier that some invocations of a workgroup may not reach".to_owned(),
    };
    let access = |place: &Place| {
        let text = context.source.snippet(place.span);
        match text.contains('\n') || text.is_empty() {
            true => format!("line {}", place.at.line),
            false => format!("`{text}` at line {}", place.at.line),
        }
    };
    let mut accesses: Vec<String> = of.places.iter().map(access).collect();
    accesses.dedup();
    if accesses.is_empty() {
        return format!("{what}, of a value or of memory that is not shared");
    }
    format!("{what}: {}", accesses.join(" and "))
}
