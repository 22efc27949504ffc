//! Derives the verdict on a launch.
//!
//! - At least one certain finding: `findings`.
//! - Only possible findings: `inconclusive`. A race that depends on guessed contents may not exist, so it does not fail
//!   the run; but the launch that showed it was not clean.
//! - The launch was cut short (stopped from outside, or abandoned in a loop that may terminate): `inconclusive`.
//! - Shared, written memory was not watched although the user did not exclude it, or something else was not checked:
//!   `inconclusive`.
//! - The launch was guessed and some access site was not executed by two invocations: `inconclusive`, because code that
//!   never ran was never checked. In a given launch, that is what the user requested: `clean`.
//! - Otherwise: `no findings` if the launch was guessed, `clean` if it was given.
//!
//! If nothing was given, what is known about every launch comes first. If every launch is safe, possibly under
//! conditions, the verdict is `proved` or `proved if`, whatever the guessed launches reached; findings of other kinds, and
//! loops that may not terminate, count as above. If a launch shows a fault that no condition excludes, the verdict is at
//! best `inconclusive`.
//!
//! Suppressed findings do not count, and neither do warnings. A strict verdict counts warnings as errors.

use crate::facts::contract::{ContractOutcome, Violation};
use crate::facts::{Certainty, Finding, LaunchFacts, NotChecked, Severity, Verdict, Warning};
use crate::watch::NotWatched;

impl LaunchFacts {
    /// Returns the verdict on the launch.
    pub fn verdict(&self) -> Verdict {
        self.verdict_from(Severity::Error)
    }

    /// Returns the verdict on the launch if warnings count as errors.
    pub fn strict_verdict(&self) -> Verdict {
        self.verdict_from(Severity::Warning)
    }

    /// Returns the verdict if findings of this severity and above count.
    fn verdict_from(&self, least: Severity) -> Verdict {
        let counts = |finding: &&Finding| finding.severity() <= least;
        let has_findings = self.findings.iter().any(|finding| counts(&finding));
        let mut counted = self.findings.iter().filter(counts);
        if counted.any(|finding| finding.certainty() == Certainty::Certain) {
            Verdict::Findings
        } else if let Some(verdict) = self.proved_verdict()
            && !has_findings
            && !(self.stats.cut_short && self.warnings.iter().any(Warning::is_of_loop))
        {
            verdict
        } else if has_findings
            || self.shown_fault().is_some_and(|fault| fault.severity <= least)
            || self.stats.cut_short
            || self.unwatched.iter().any(|left| left.reason != NotWatched::ExcludedByRequest)
            || self.warnings.iter().any(Warning::leaves_unchecked)
            || self.guessed && !self.stats.sites_missed.is_empty()
        {
            Verdict::Inconclusive
        } else if self.guessed {
            Verdict::NoFindings
        } else {
            Verdict::Clean
        }
    }

    /// Returns the verdict from a proof about every launch, if there is one that does not depend on guesses.
    fn proved_verdict(&self) -> Option<Verdict> {
        self.contract.as_ref().filter(|_| !self.has_inferred_program())?.proved_verdict()
    }

    /// Returns the fault that some launch has and that no condition excludes, unless contents of memory decide it: whether a
    /// host can have such contents is not known.
    pub(crate) fn shown_fault(&self) -> Option<&Violation> {
        match &self.contract {
            Some(ContractOutcome::Open(open)) => {
                let is_suppressed =
                    self.suppressed.iter().any(|one| open.is_shown_by(&one.finding));
                let is_possible = open.shown_by.is_some() && !open.depends_on_contents;
                (is_possible && !is_suppressed).then_some(open)
            }
            _ => None,
        }
    }
}

/// Returns the worst of several verdicts. If something was not checked, the result is not `clean`.
pub fn worst_verdict(launches: impl Iterator<Item = Verdict>, some_not_checked: bool) -> Verdict {
    let worst = launches.max().unwrap_or(Verdict::Inconclusive);
    if some_not_checked { worst.max(Verdict::Inconclusive) } else { worst }
}

/// Returns the verdict on a run.
pub fn run_verdict(launches: &[LaunchFacts], not_checked: &[NotChecked]) -> Verdict {
    worst_verdict(launches.iter().map(LaunchFacts::verdict), !not_checked.is_empty())
}

/// Returns the verdict on a run if warnings count as errors.
pub fn strict_run_verdict(launches: &[LaunchFacts], not_checked: &[NotChecked]) -> Verdict {
    worst_verdict(launches.iter().map(LaunchFacts::strict_verdict), !not_checked.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::NotCheckedReason;
    use crate::facts::warning::UncheckedBarriersReason;
    use crate::finding::certainty::InferredParts;
    use crate::tests::fixture::Fixture;
    use crate::vm::run::{Divergence, ExecutionCount};

    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32) { data[lane] = 1u; workgroupBarrier(); }";

    fn verdict(change: impl FnOnce(&mut Fixture), guessed: bool) -> Verdict {
        let mut fixture = Fixture::new(TEXT, [1, 1, 1]);
        change(&mut fixture);
        fixture.launch(&InferredParts { grid: guessed, ..InferredParts::NONE }).verdict()
    }

    fn nothing_ran(fixture: &mut Fixture) {
        fixture.outcome.dispatches[0]
            .run
            .executed
            .fill(ExecutionCount { count: 1, by_several_invocations: false });
    }

    #[test]
    fn a_launch_that_was_given_is_clean_whatever_it_left_out() {
        assert_eq!(verdict(|_| (), false), Verdict::Clean);
        assert_eq!(verdict(nothing_ran, false), Verdict::Clean);
    }

    #[test]
    fn a_launch_that_was_guessed_has_no_findings_if_it_left_out_nothing() {
        assert_eq!(verdict(|_| (), true), Verdict::NoFindings);
        assert_eq!(verdict(nothing_ran, true), Verdict::Inconclusive);
    }

    #[test]
    fn a_launch_that_was_stopped_concludes_nothing() {
        let stop = |fixture: &mut Fixture| fixture.outcome.dispatches[0].run.stopped = true;
        assert_eq!(verdict(stop, false), Verdict::Inconclusive);
    }

    #[test]
    fn a_launch_whose_barriers_were_not_judged_is_not_clean() {
        let unjudged = |fixture: &mut Fixture| {
            let (barriers, why) = (Vec::new(), UncheckedBarriersReason::NoRoom);
            let warnings = &mut fixture.outcome.dispatches[0].warnings;
            warnings.push(Warning::BarriersNotChecked { barriers, why });
        };
        assert_eq!(verdict(unjudged, false), Verdict::Inconclusive);
    }

    #[test]
    fn the_worst_verdict_is_that_of_all() {
        let mut fixture = Fixture::new(TEXT, [1, 1, 1]);
        let clean = fixture.launch(&InferredParts::NONE);
        let site = fixture.barrier(4);
        let divergence =
            Divergence { site, workgroup: 0, arrived: vec![0], missing: vec![], count: 1 };
        fixture.outcome.dispatches[0].run.divergences.push(divergence);
        let bad = fixture.launch(&InferredParts::NONE);
        assert_eq!(bad.findings[0].certainty(), Certainty::Certain);
        assert_eq!(run_verdict(&[clean.clone(), bad, clean.clone()], &[]), Verdict::Findings);
        assert_eq!(run_verdict(std::slice::from_ref(&clean), &[]), Verdict::Clean);
        let left = NotChecked { input: None, why: NotCheckedReason::StoppedBefore };
        assert_eq!(run_verdict(&[clean], &[left]), Verdict::Inconclusive);
        assert_eq!(run_verdict(&[], &[]), Verdict::Inconclusive, "nothing was checked");
    }
}
