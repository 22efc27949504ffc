//! Determines whether all racing writes write the same value.

use super::stores::StoreSites;
use super::uniform_value::SameFor;
use crate::facts::{Number, SameValue};
use crate::finding::executed_launch::ExecutedLaunch;
use crate::finding::group::Group;
use crate::finding::log::Log;
use crate::ir::access::Access;
use crate::ir::sites::SiteId;
use crate::ir::{layout, naming};
use crate::observe::Granule;
use crate::observe::trace::{Event, WrittenBits};
use crate::program::Program;
use naga::{Literal, Scalar, ScalarKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The words of a race.
#[derive(Clone, Copy)]
pub(super) struct RacyWords<'a> {
    /// The race.
    pub group: &'a Group,
    /// Whether all racy words of the launch belong to a race of which at least one access is known.
    pub all_explained: bool,
}

/// Returns the value that the writes at these sites store to the racy words, if all racing writes store the same.
pub(super) fn common_value(
    ran: &ExecutedLaunch<'_>,
    log: &Log<'_>,
    racy: RacyWords<'_>,
    sites: &BTreeSet<SiteId>,
    stores: &StoreSites<'_>,
) -> Option<SameValue> {
    let group = racy.group;
    let words = group.traced_words.len() as u64;
    if let Some(literal) = always_same(sites, stores, group)
        && knows_all_sites(ran, log, racy, sites)
    {
        let value = literal.and_then(number_of_literal);
        return Some(SameValue { always: true, value, words: group.words });
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

/// Returns `Some(Some(constant))` if all of these stores write the same constant in every launch, and `Some(None)` if there is only
/// one store, whose value is the same for all invocations of the race. Returns `None` otherwise.
fn always_same(
    sites: &BTreeSet<SiteId>,
    stores: &StoreSites<'_>,
    group: &Group,
) -> Option<Option<Literal>> {
    let &first = sites.first()?;
    if let Some(literal) = stores.constant(first) {
        let is_same = |&site: &SiteId| {
            stores.constant(site).is_some_and(|other| have_same_bits(literal, other))
        };
        return sites.iter().all(is_same).then_some(Some(literal));
    }
    let is_same = match stores.same_for(first)? {
        SameFor::Dispatch => true,
        // Words that were not traced may race between workgroups.
        SameFor::Workgroup => {
            !group.across_workgroups && group.words == group.traced_words.len() as u64
        }
    };
    (is_same && sites.len() == 1).then_some(None)
}

/// Returns whether two literals have the same bits. Unlike with `==`, 0 and -0 differ.
fn have_same_bits(a: Literal, b: Literal) -> bool {
    match (a, b) {
        (Literal::F64(a), Literal::F64(b)) => a.to_bits() == b.to_bits(),
        (Literal::F32(a), Literal::F32(b)) => a.to_bits() == b.to_bits(),
        (Literal::F16(a), Literal::F16(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}

/// Returns whether all accesses that race on the words of a race are known to be at these sites. Words that were not traced may
/// race with other accesses, unless the program has none.
fn knows_all_sites(
    ran: &ExecutedLaunch<'_>,
    log: &Log<'_>,
    RacyWords { group, all_explained }: RacyWords<'_>,
    sites: &BTreeSet<SiteId>,
) -> bool {
    let is_traced = all_explained
        && group.words == group.traced_words.len() as u64
        && group.traced_words.iter().all(|(dispatch, _)| log.is_complete(*dispatch));
    let memory = group.pair.later.granule.memory;
    let global = crate::finding::element::variable(ran.program, memory).map(|(global, _)| global);
    let mut accesses = ran.program.sites.accesses();
    let is_known =
        |(site, access): (SiteId, &Access)| Some(access.global) != global || sites.contains(&site);
    is_traced || accesses.all(|(site, _, access)| is_known((site, access)))
}

/// Returns the values written to a word if all unordered writes to it write the same value. Writes of one workgroup are ordered
/// between epochs, so that each epoch has one value. Writes of several workgroups are unordered, so that there is only one value.
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

fn number_of_literal(literal: Literal) -> Option<Number> {
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
