//! Texts of failed assertions.

use super::context::qualify_message;
use super::finding_text::{FindingContext, FindingText, LabeledPlace};
use super::names::{count, invocation};
use crate::facts::FailedAssertion;
use crate::facts::assertion::{Operands, Scalar};
use crate::ir::claims::Claim;
use crate::report::label::Label;

/// Returns the texts of an assertion that failed.
pub(super) fn finding_text(setting: &FindingContext<'_>, found: &FailedAssertion) -> FindingText {
    let text = setting.context.source.snippet(found.place.span);
    let who = invocation(&setting.grid, found.by);
    let (message, reason) = match found.claim {
        Claim::InRange => (
            format!("`{text}` {}", leaves(found.operands.as_ref())),
            "Rust would panic here; a kernel continues with the result modulo 2^32",
        ),
        Claim::Unreached => (
            format!("`{text}` is reached"),
            "Rust would panic here; a kernel continues as if the statement were not there",
        ),
        Claim::Holds | Claim::Equal | Claim::Different => {
            (format!("assertion failed: `{text}`"), "Rust would panic here; a kernel continues")
        }
    };
    let label = match &found.operands {
        Some(operands) => format!("{} in {who}", shown(operands)),
        None => format!("by {who}"),
    };
    let more = setting.count.saturating_sub(1);
    let more = (more > 0).then(|| format!("{} here", count(more, "more failure", "more failures")));
    FindingText {
        message: qualify_message(setting.is_possible, message),
        reason: reason.to_owned(),
        before: more.into_iter().collect(),
        after: Vec::new(),
        last: None,
        places: vec![LabeledPlace {
            place: found.place,
            kind: "assertion",
            label: Label::without_verb(label),
            who: Some(found.by),
        }],
    }
}

/// Writes an operation with its values: `3 - 5`, `[1.0, 2.0] == [1.0, 2.5]`.
fn shown(operands: &Operands) -> String {
    let side = |values: &[Scalar]| {
        let all: Vec<String> = values.iter().map(Scalar::to_string).collect();
        if values.len() == 1 { all.concat() } else { format!("[{}]", all.join(", ")) }
    };
    let Operands { left, operator, right } = operands;
    format!("{} {operator} {}", side(left), side(right))
}

/// Describes how arithmetic leaves its range.
fn leaves(operands: Option<&Operands>) -> &'static str {
    match operands {
        Some(Operands { left, operator: "-", right }) if below_zero(left, right) => "is below 0",
        _ => "does not fit 32 bits",
    }
}

fn below_zero(left: &[Scalar], right: &[Scalar]) -> bool {
    matches!((left, right), ([Scalar::Int(0..)], [Scalar::Int(0..)]))
}
