//! Determines whether all racing writes write the same value.

use super::stores::StoreSites;
use crate::facts::{Number, SameValue};
use crate::finding::executed_launch::ExecutedLaunch;
use crate::finding::group::Group;
use crate::finding::log::Log;
use crate::ir::sites::SiteId;
use crate::ir::{layout, naming};
use crate::observe::Granule;
use crate::observe::trace::{Event, WrittenBits};
use crate::program::Program;
use naga::{Literal, Scalar, ScalarKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Returns the value that the writes at these sites store to the words of `group`, if all racing writes store the same.
pub(super) fn common_value(
    ran: &ExecutedLaunch<'_>,
    log: &Log<'_>,
    group: &Group,
    sites: &BTreeSet<SiteId>,
    stores: &StoreSites<'_>,
) -> Option<SameValue> {
    let words = group.traced_words.len() as u64;
    if let Some(literal) = constant(sites, stores) {
        return Some(SameValue { always: true, value: of_literal(literal), words: group.words });
    }
    let mut values = BTreeSet::new();
    for &word in &group.traced_words {
        if !log.is_complete(word.0) {
            return None;
        }
        let written = log.events(word).iter().filter(|event| sites.contains(&event.site));
        values.extend(common_values(&written.copied().collect::<Vec<_>>())?);
    }
    let mut values = values.into_iter();
    let value = values.next().filter(|_| values.next().is_none());
    let scalar = group.traced_words.first().and_then(|&(_, word)| scalar(ran.program, word));
    let value = value.and_then(|bits| number(bits, scalar?));
    (words > 0).then_some(SameValue { always: false, value, words })
}

/// Returns the constant that all of these stores write.
fn constant(sites: &BTreeSet<SiteId>, stores: &StoreSites<'_>) -> Option<Literal> {
    let mut literals = sites.iter().map(|&site| stores.constant(site));
    let first = literals.next()??;
    literals.all(|literal| literal == Some(first)).then_some(first)
}

/// Returns the values written to a word if all unordered writes of it write the same: one value, or one per epoch.
fn common_values(written: &[&Event]) -> Option<BTreeSet<u32>> {
    let first = written.first()?.invocation.workgroup;
    let across = written.iter().any(|event| event.invocation.workgroup != first);
    let mut values: FxHashMap<u32, u32> = FxHashMap::default();
    for event in written {
        let WrittenBits::Bits(bits) = event.written else { return None };
        let epoch = if across { 0 } else { event.epoch };
        if *values.entry(epoch).or_insert(bits) != bits {
            return None;
        }
    }
    Some(values.into_values().collect())
}

/// Returns the scalar type that fills a word, if there is one.
fn scalar(program: &Program, word: Granule) -> Option<Scalar> {
    let (_, global) = crate::finding::element::variable(program, word.memory)?;
    let shift = layout::granule_shift(&program.module, global.ty);
    let scalar = naming::scalar_at(&program.module, global.ty, word.index << shift)?;
    (u32::from(scalar.width) == 1 << shift || scalar.kind == ScalarKind::Bool).then_some(scalar)
}

fn number(bits: u32, scalar: Scalar) -> Option<Number> {
    Some(match (scalar.kind, scalar.width) {
        (ScalarKind::Uint, _) => Number::Int(bits.into()),
        (ScalarKind::Sint, 2) => Number::Int((bits as u16 as i16).into()),
        (ScalarKind::Sint, _) => Number::Int((bits as i32).into()),
        (ScalarKind::Float, 4) => return float(f32::from_bits(bits)),
        _ => return None,
    })
}

fn of_literal(literal: Literal) -> Option<Number> {
    Some(match literal {
        Literal::U32(n) => Number::Int(n.into()),
        Literal::I32(n) => Number::Int(n.into()),
        Literal::U16(n) => Number::Int(n.into()),
        Literal::I16(n) => Number::Int(n.into()),
        Literal::U64(n) => Number::Int(n.into()),
        Literal::I64(n) => Number::Int(n.into()),
        Literal::F32(x) => return float(x),
        _ => return None,
    })
}

/// Returns the number with the fewest digits that distinguish it from other values of its type.
fn float(x: f32) -> Option<Number> {
    x.is_finite().then(|| x.to_string().parse().ok().map(Number::Float))?
}
