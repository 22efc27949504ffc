//! Texts of conditions and faults.

use crate::facts::contract::{Contract, Difference, Inequality, Sum, Term, Violation};
use crate::facts::{Kind, Place};
use crate::program::Language;
use crate::report::words::spelling;

/// Writes a condition: `dispatch.y == 1`, `arrayLength(&out) >= 64 * dispatch.x`.
pub(super) fn condition(language: Language, condition: &Inequality) -> String {
    let Inequality { left, right } = condition;
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

/// Writes what may happen: ``index out of bounds: `out[id.x]` at line 9``.
pub(super) fn violation(contract: &Contract, of: &Violation) -> String {
    let what = match of.kind {
        Kind::DataRace => "data race",
        Kind::OutOfBounds => "index out of bounds",
        _ => return "some invocations of a workgroup may not reach a barrier".to_owned(),
    };
    let access = |place: &Place| {
        let text = contract.source.snippet(place.span);
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
