//! Builds the additional data of a shard's document from facts.

use super::launch_shard::{LaunchShard, MissedSite, PartialResults, ShownFinding};
use super::words;
use crate::facts::{Finding, LaunchFacts, Warning, launch_shard};
use crate::watch::NotWatched;

/// Returns the additional data for a launch; `None` if no shard ran it.
pub fn part(launch: &LaunchFacts) -> Option<LaunchShard> {
    let part = launch.part.as_ref()?;
    Some(LaunchShard {
        number: part.number,
        divided: part.partial.as_ref().map(|of| divided(launch, of)),
    })
}

fn divided(launch: &LaunchFacts, of: &launch_shard::PartialResults) -> PartialResults {
    let missed = of.missed.iter();
    let shown = |finding: &Finding| shown(finding, of);
    PartialResults {
        accesses_checked: of.accesses_checked,
        cut_short: of.cut_short,
        has_valid_run: of.one_is_sound,
        unwatched: launch.unwatched.iter().any(|left| left.reason != NotWatched::ExcludedByRequest),
        unchecked: launch.warnings.iter().any(Warning::leaves_unchecked),
        missed: missed
            .map(|&(site, place)| MissedSite {
                site: site.0,
                location: words::location(&launch.source, place),
            })
            .collect(),
        warnings: of.warnings.clone(),
        findings: launch.findings.iter().map(shown).collect(),
        allowed: launch.suppressed.iter().map(|allowed| shown(&allowed.finding)).collect(),
    }
}

fn shown(finding: &Finding, of: &launch_shard::PartialResults) -> ShownFinding {
    let known = of.findings.iter().find(|shown| shown.is_of(finding));
    ShownFinding {
        lines: finding.lines(),
        location: finding.places().first().map(|place| [place.at.line, place.at.column]),
        across_workgroups: finding.race().is_some_and(|race| race.is_across_workgroups()),
        run: known.map_or(0, |shown| shown.run),
    }
}
