//! The first conflict of an entry point, and what is known about it.

use super::pairs::{MAX_PAIRS, prepared};
use super::solve::Interruption;
use super::symbol::Origin;
use super::system::ImpliedForHost;
use super::walk::Walk;
use crate::ir::sites::SiteId;

/// Two accesses that were not proved not to conflict.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    /// The sites of the accesses.
    pub sites: [SiteId; 2],
    /// What a conflict implies for values of the host.
    pub implied: ImpliedForHost,
    /// The values that determine which addresses the accesses have and, as far as that is modeled, who executes them.
    pub origin: Origin,
}

/// Returns the first pair of accesses that were not proved not to conflict.
///
/// # Errors
/// There are too many pairs, or the walk was stopped.
pub(super) fn first_conflict(walk: &mut Walk<'_>) -> Result<Option<Conflict>, Interruption> {
    let (assumed, stop) = (walk.state.facts.clone(), walk.stop);
    let (by_memory, mut pairs) = prepared(walk);
    pairs.keeps_conflict = true;
    let mut remaining = MAX_PAIRS;
    for instances in by_memory.values() {
        for (index, first) in instances.iter().enumerate() {
            for second in &instances[index..] {
                if stop() {
                    return Err(Interruption::Stopped);
                }
                remaining = remaining.checked_sub(1).ok_or(Interruption::TooComplex)?;
                if pairs.excluded(first, second).is_none() {
                    let implied = pairs.implied.take().unwrap_or_default();
                    let origins = [first, second].map(|access| {
                        let facts = access.facts.iter().filter(|fact| !assumed.contains(fact));
                        let Some(address) = access.address.forms() else { return Origin::Contents };
                        let forms = address.iter().chain(facts);
                        let origins = forms.map(|form| pairs.symbols.origin(form));
                        origins.fold(access.conditions, Origin::max)
                    });
                    let origin = origins[0].max(origins[1]);
                    let sites = [first.site, second.site];
                    return Ok(Some(Conflict { sites, implied, origin }));
                }
            }
        }
    }
    Ok(None)
}
