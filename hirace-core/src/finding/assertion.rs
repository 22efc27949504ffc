//! Builds findings from assertions that failed.

use super::executed_launch::ExecutedLaunch;
use super::fingerprint::{SiteText, fingerprint};
use crate::facts::assertion::{Operands, Scalar};
use crate::facts::{FailedAssertion, Finding, FindingKind, Grid, Kind, Place, Suggestion};
use crate::ir::claims::Claim;
use crate::ir::sites::SiteId;
use crate::vm::run::BrokenClaim;
use naga::{BinaryOperator, ScalarKind};

/// Returns the finding for a claim that did not hold.
pub(super) fn finding(ran: &ExecutedLaunch<'_>, grid: Grid, broken: &BrokenClaim) -> Finding {
    let program = ran.program;
    let place = Place::new(&program.source, broken.span);
    let mark = SiteText::new(program, SiteId::NONE, program.source.snippet(place.span));
    Finding {
        fingerprint: fingerprint(Kind::Assertion, "", vec![mark]),
        what: FindingKind::Assertion(FailedAssertion {
            claim: broken.claim,
            place,
            operands: operands(broken),
            by: broken.invocation,
        }),
        count: broken.count,
        doubts: ran.inferred.judge_claim(broken),
        suggestion: suggestion(broken),
        fix: None,
        replay: ran.replay(),
        grid,
        shown_with: ran.inferred_values(),
        caused_by: None,
    }
}

/// Returns the operands that are compared. A plain condition is compared with `true`, which adds no information, so it
/// has none.
fn operands(broken: &BrokenClaim) -> Option<Operands> {
    if broken.scalar.kind == ScalarKind::Bool || broken.scalar.width != 4 {
        return None;
    }
    let of = |words: &[u32]| words.iter().map(|&word| scalar(broken, word)).collect();
    let operator = operator(broken.op)?;
    Some(Operands { left: of(&broken.left), operator, right: of(&broken.right) })
}

fn scalar(broken: &BrokenClaim, word: u32) -> Scalar {
    match broken.scalar.kind {
        ScalarKind::Sint => Scalar::Int((word as i32).into()),
        ScalarKind::Float => Scalar::Float(f32::from_bits(word)),
        ScalarKind::Bool => Scalar::Bool(word != 0),
        _ => Scalar::Int(word.into()),
    }
}

fn operator(op: BinaryOperator) -> Option<&'static str> {
    Some(match op {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        _ => return None,
    })
}

fn suggestion(broken: &BrokenClaim) -> Option<Suggestion> {
    let method = match (broken.claim, broken.op) {
        (Claim::InRange, BinaryOperator::Add) => "add",
        (Claim::InRange, BinaryOperator::Subtract) => "sub",
        (Claim::InRange, BinaryOperator::Multiply) => "mul",
        _ => return None,
    };
    Some(Suggestion::StayInRange(method))
}
