//! Creates baselines from the findings of a check, for later runs to suppress.

use super::words::{self, Context};
use crate::facts::{LaunchFacts, SuppressedBy};
use crate::finding::baseline::{Baseline, KnownFinding};

/// Returns a baseline of the findings in `launches`, including those that an older baseline suppressed there.
pub fn baseline(launches: &[LaunchFacts]) -> Baseline {
    let mut findings = Vec::new();
    for launch in launches {
        let older = launch.suppressed.iter().filter(|allowed| allowed.by == SuppressedBy::Baseline);
        for finding in launch.findings.iter().chain(older.map(|allowed| &allowed.finding)) {
            findings.push(KnownFinding {
                source: launch.source.name().to_owned(),
                rule: finding.kind().code().to_owned(),
                fingerprint: finding.fingerprint.to_string(),
                message: words::finding(Context::of(launch), finding).message,
            });
        }
    }
    Baseline::new(findings)
}
