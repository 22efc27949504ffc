//! Mutations of barriers: deletion, replacement with a barrier of another class or of the subgroup. Mutations of
//! uniform loads: loads without their barriers.

use super::Mutation;
use crate::mutate::syntax::{Language, Syntax};
use hirace_core::edit::Edit;

/// The replacements of each barrier, with the names of the operators.
const REPLACEMENTS: [(&str, &[(&str, &str)]); 4] = [
    (
        "workgroupBarrier",
        &[
            ("workgroup-barrier-to-storage-barrier", "storageBarrier"),
            ("workgroup-barrier-to-subgroup-barrier", "subgroupBarrier"),
        ],
    ),
    (
        "storageBarrier",
        &[
            ("storage-barrier-to-workgroup-barrier", "workgroupBarrier"),
            ("storage-barrier-to-subgroup-barrier", "subgroupBarrier"),
        ],
    ),
    (
        "workgroup_barrier",
        &[
            ("workgroup-barrier-to-storage-barrier", "storage_barrier"),
            ("workgroup-barrier-to-subgroup-barrier", "subgroup_barrier"),
        ],
    ),
    (
        "storage_barrier",
        &[
            ("storage-barrier-to-workgroup-barrier", "workgroup_barrier"),
            ("storage-barrier-to-subgroup-barrier", "subgroup_barrier"),
        ],
    ),
];

pub(super) fn mutations(syntax: &Syntax, _: Language) -> Vec<Mutation> {
    match syntax {
        Syntax::Barrier { name, statement, has_subgroups } => {
            let mut mutations = vec![Mutation::new("barrier-deleted", *statement, "")];
            let found = REPLACEMENTS.iter().find(|(known, _)| *known == name.text);
            let others = found.map_or(&[][..], |(_, others)| others).iter();
            let others =
                others.filter(|(_, other)| *has_subgroups || !other.starts_with("subgroup"));
            for (operator, other) in others {
                mutations.push(Mutation::new(*operator, name.at, *other));
            }
            mutations
        }
        // The mutant loads the same value, without the two barriers of the call.
        Syntax::UniformLoad { call, place } => {
            let mut before = *call;
            before.end = place.start;
            let mut after = *call;
            after.start = place.end;
            let ways = vec![vec![Edit::new(before, "(*("), Edit::new(after, "))")]];
            let (operator, replacement) = ("uniform-load-to-load".to_owned(), "a load".to_owned());
            vec![Mutation { operator, at: *call, replacement, ways }]
        }
        _ => Vec::new(),
    }
}
