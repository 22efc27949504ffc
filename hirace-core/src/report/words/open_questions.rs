//! Why nothing can be concluded from a launch, in words, and what to give.

use super::replay::flags;
use super::who::count;
use crate::facts::{LaunchFacts, Verdict, Wanted, Warning, What};
use crate::watch::NotWatched;

/// How many flags are shown.
const MOST_FLAGS: usize = 8;

/// A line for each reason; none, if something was concluded.
pub fn open_questions(launch: &LaunchFacts) -> Vec<String> {
    let mut reasons = Vec::new();
    if launch.verdict() != Verdict::Inconclusive {
        return reasons;
    }
    if !launch.findings.is_empty() {
        reasons.push("what was found hangs on guesses".to_owned());
    }
    if launch.stats.cut_short {
        reasons.push("the launch did not run to its end".to_owned());
    }
    if launch.unwatched.iter().any(|left| left.reason != NotWatched::AsAsked) {
        reasons.push("not all memory that invocations share and write was watched".to_owned());
    }
    if launch.warnings.iter().any(Warning::leaves_unchecked) {
        reasons.push("a part was not checked: see the warnings".to_owned());
    }
    let missed = launch.stats.sites_missed.len() as u64;
    let of_one = u64::from(launch.stats.sites_of_one).min(missed);
    if launch.guessed && missed > of_one {
        let sites = count(missed - of_one, "site", "sites");
        reasons.push(format!("this launch was guessed and did not come to {sites}"));
    }
    if launch.guessed && of_one > 0 {
        let sites = count(of_one, "site", "sites");
        reasons.push(format!(
            "this launch was guessed, and one invocation alone came to {sites}: what two do there is not known"
        ));
    }
    reasons.extend(launch.wanted.as_ref().map(wanted));
    reasons
}

/// What to give, with the flags to paste and change.
fn wanted(Wanted { what, flags: given }: &Wanted) -> String {
    let shown = flags(&given[..given.len().min(MOST_FLAGS)]);
    let more = if given.len() > MOST_FLAGS { " …" } else { "" };
    match what {
        What::Grid => format!("give the grid: {shown}{more}"),
        What::Variable { name, of } => format!("give `{name}` (`{of}`): {shown}{more}"),
    }
}
