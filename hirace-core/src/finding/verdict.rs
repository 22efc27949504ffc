//! What may be concluded from a launch.
//!
//! - Something certain was found: `findings`.
//! - Nothing certain, but something possible: `inconclusive`. A race that hangs on guessed contents
//!   may be none, so it fails no run as a finding does; but a launch that shows it was not clean.
//! - A launch that was cut short (stopped from outside, or left in a loop that may end): `inconclusive`.
//! - One in which memory that is shared and written was not watched, though nobody asked to leave it out, or
//!   something else went unchecked: `inconclusive`.
//! - A guessed launch in which some access site was not run by two invocations: `inconclusive`, since
//!   what never ran was never checked. On a given launch that is what the user asked for: `clean`.
//! - Else `clean`.
//!
//! What is allowed counts for nothing here.

use crate::facts::{Certainty, LaunchFacts, NotChecked, Verdict, Warning};
use crate::watch::NotWatched;

impl LaunchFacts {
    /// What may be concluded of it.
    pub fn verdict(&self) -> Verdict {
        let is_certain = |certainty| certainty == Certainty::Certain;
        if self.findings.iter().any(|finding| is_certain(finding.certainty())) {
            Verdict::Findings
        } else if !self.findings.is_empty()
            || self.stats.cut_short
            || self.unwatched.iter().any(|left| left.reason != NotWatched::AsAsked)
            || self.warnings.iter().any(Warning::leaves_unchecked)
            || self.guessed && !self.stats.sites_missed.is_empty()
        {
            Verdict::Inconclusive
        } else {
            Verdict::Clean
        }
    }
}

/// The verdict on several: the worst. Where something was not checked, it is not clean.
pub fn worst(launches: impl Iterator<Item = Verdict>, some_not_checked: bool) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Clean => 0,
        Verdict::Inconclusive => 1,
        Verdict::Findings => 2,
    };
    match launches.max_by_key(rank).unwrap_or(Verdict::Inconclusive) {
        Verdict::Clean if some_not_checked => Verdict::Inconclusive,
        verdict => verdict,
    }
}

/// The verdict on a run.
pub fn of_run(launches: &[LaunchFacts], not_checked: &[NotChecked]) -> Verdict {
    worst(launches.iter().map(LaunchFacts::verdict), !not_checked.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Why;
    use crate::facts::warning::BarriersUnjudged;
    use crate::finding::certainty::Guesses;
    use crate::finding::fixture::Fixture;
    use crate::vm::run::{Divergence, Executed};

    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32) { data[lane] = 1u; workgroupBarrier(); }";

    fn verdict(change: impl FnOnce(&mut Fixture), guessed: bool) -> Verdict {
        let mut fixture = Fixture::new(TEXT, [1, 1, 1]);
        change(&mut fixture);
        fixture.launch(&Guesses { grid: guessed, ..Guesses::NONE }).verdict()
    }

    fn nothing_ran(fixture: &mut Fixture) {
        fixture.outcome.dispatches[0].run.executed.fill(Executed { count: 1, by_two: false });
    }

    #[test]
    fn a_launch_that_was_given_is_clean_whatever_it_left_out() {
        assert_eq!(verdict(|_| (), false), Verdict::Clean);
        assert_eq!(verdict(nothing_ran, false), Verdict::Clean);
    }

    #[test]
    fn a_launch_that_was_guessed_is_clean_if_it_left_out_nothing() {
        assert_eq!(verdict(|_| (), true), Verdict::Clean);
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
            let (barriers, why) = (Vec::new(), BarriersUnjudged::NoRoom);
            let warnings = &mut fixture.outcome.dispatches[0].warnings;
            warnings.push(Warning::BarriersNotJudged { barriers, why });
        };
        assert_eq!(verdict(unjudged, false), Verdict::Inconclusive);
    }

    #[test]
    fn the_worst_verdict_is_that_of_all() {
        let mut fixture = Fixture::new(TEXT, [1, 1, 1]);
        let clean = fixture.launch(&Guesses::NONE);
        let site = fixture.barrier(4);
        let divergence =
            Divergence { site, workgroup: 0, arrived: vec![0], missing: vec![], count: 1 };
        fixture.outcome.dispatches[0].run.divergences.push(divergence);
        let bad = fixture.launch(&Guesses::NONE);
        assert_eq!(bad.findings[0].certainty(), Certainty::Certain);
        assert_eq!(of_run(&[clean.clone(), bad, clean.clone()], &[]), Verdict::Findings);
        assert_eq!(of_run(std::slice::from_ref(&clean), &[]), Verdict::Clean);
        let left = NotChecked { input: None, why: Why::StoppedBefore };
        assert_eq!(of_run(&[clean], &[left]), Verdict::Inconclusive);
        assert_eq!(of_run(&[], &[]), Verdict::Inconclusive, "nothing was checked");
    }
}
