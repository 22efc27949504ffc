//! Identities of findings, by which a run of a mutant is compared with runs of the original.

use crate::facts::{Certainty, Finding, FindingKind, LaunchFacts, Place, Race};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A finding, described by what is the same in every run of the same text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FindingIdentity {
    /// The source.
    pub file: String,
    /// The lines and columns of the sites, from 1, in order.
    pub places: Vec<(u32, u32)>,
    /// The rule code: `HR001`.
    pub rule: String,
    /// The kernels of the launch.
    pub kernel: String,
    /// The variable, if the finding is about memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The number of words, visits or accesses, as for the finding.
    pub count: u64,
    /// Whether it is a race that only an index out of bounds explains, because the index is clamped.
    #[serde(default, skip_serializing_if = "is_false")]
    pub only_by_clamping: bool,
    /// Whether it depends on an assumption.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_possible: bool,
    /// Whether it is only a warning.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_warning: bool,
    /// Whether it is a race of which only one access is known.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_one_sided: bool,
}

impl FindingIdentity {
    fn of(launch: &LaunchFacts, finding: &Finding) -> Self {
        let places = sites(finding);
        let first = places.first().map_or(0, |place| place.span.start);
        let places = places.iter().map(|place| (place.at.line, place.at.column));
        let other = finding.race().and_then(|race| race.other.as_ref());
        Self {
            file: launch.source.file(first).to_owned(),
            places: places.collect::<BTreeSet<_>>().into_iter().collect(),
            rule: finding.kind().code().to_owned(),
            kernel: launch.entries.join(", "),
            variable: finding.memory().map(|memory| memory.variable.clone()),
            count: finding.count,
            only_by_clamping: other.is_some_and(|other| other.only_by_clamping),
            is_possible: finding.certainty() == Certainty::Possible,
            is_warning: !finding.is_error(),
            is_one_sided: finding.race().is_some_and(|race| race.other.is_none()),
        }
    }
}

/// Returns the locations of the sites of a finding. Locations of invocations that wait or are missing elsewhere depend on
/// the run, so they are excluded.
fn sites(finding: &Finding) -> Vec<Place> {
    match &finding.what {
        FindingKind::Race(Race { first, other, .. }) => {
            let others = other.iter().flat_map(|other| {
                std::iter::once(other.access.place).chain(other.same_lines.iter().copied())
            });
            std::iter::once(first.place).chain(others).collect()
        }
        FindingKind::Divergence(found) => vec![found.barrier.place],
        FindingKind::NoProgress(found) => vec![found.place],
        FindingKind::UnlocatedDivergence(_)
        | FindingKind::OutOfBounds(_)
        | FindingKind::Assertion(_) => finding.places(),
    }
}

/// Returns the identities of the findings of these launches for which `keeps` holds.
pub fn finding_identities(
    launches: &[LaunchFacts],
    keeps: impl Fn(Certainty) -> bool,
) -> Vec<FindingIdentity> {
    let of_launch = |launch: &LaunchFacts| -> Vec<FindingIdentity> {
        let findings = launch.findings.iter().filter(|finding| keeps(finding.certainty()));
        findings.map(|finding| FindingIdentity::of(launch, finding)).collect()
    };
    launches.iter().flat_map(of_launch).collect()
}

/// Returns the limits that WebGPU guarantees and these launches exceed, each with the kernel.
pub fn exceeded_limits(launches: &[LaunchFacts]) -> BTreeSet<String> {
    let all = launches.iter().flat_map(|launch| &launch.exceeded_limits);
    all.map(|required| format!("{} of {}", required.limit.name(), required.entry)).collect()
}

fn is_false(is: &bool) -> bool {
    !is
}
