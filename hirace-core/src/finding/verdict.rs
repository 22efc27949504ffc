//! What may be concluded from a launch.
//!
//! - Something certain was found: `findings`.
//! - Nothing certain, but something possible: `inconclusive`. A race that hangs on guessed contents
//!   may be none, so it fails no run as a finding does; but a launch that shows it was not clean.
//! - A launch that was cut short (stopped from outside): `inconclusive`.
//! - A guessed launch in which some access site was not run by two invocations: `inconclusive`, since
//!   what never ran was never checked. On a given launch that is what the user asked for: `clean`.
//! - Else `clean`.
//!
//! What is allowed counts for nothing here.

use super::{Certainty, LaunchReport, Verdict};

/// The verdict on one launch.
pub(crate) fn of_launch(report: &LaunchReport) -> Verdict {
    if report.findings.iter().any(|finding| finding.certainty == Certainty::Certain) {
        Verdict::Findings
    } else if !report.findings.is_empty()
        || report.stats.cut_short
        || report.guessed && !report.stats.sites_missed.is_empty()
    {
        Verdict::Inconclusive
    } else {
        Verdict::Clean
    }
}

/// The verdict on several: the worst.
pub(crate) fn of_all(launches: &[LaunchReport]) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Clean => 0,
        Verdict::Inconclusive => 1,
        Verdict::Findings => 2,
    };
    launches.iter().map(|launch| launch.verdict).max_by_key(rank).unwrap_or(Verdict::Inconclusive)
}
