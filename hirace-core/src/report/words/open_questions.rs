//! Why nothing can be concluded from a launch, in words, and what to give.

use super::replay::flags;
use super::who::count;
use crate::facts::{LaunchFacts, Verdict, Wanted, Warning, What};
use crate::watch::NotWatched;

/// How many flags are shown.
const MOST_FLAGS: usize = 8;

/// What leaves a launch open, guessed or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// There are findings.
    pub possible: bool,
    /// It did not run to its end.
    pub cut_short: bool,
    /// Memory was not watched that nobody asked to leave out.
    pub unwatched: bool,
    /// A warning says that a part was not checked.
    pub unchecked: bool,
}

/// A line for each of these.
pub fn reasons(open: Open) -> Vec<String> {
    let reasons = [
        (open.possible, "what was found hangs on guesses"),
        (open.cut_short, "the launch did not run to its end"),
        (open.unwatched, "not all memory that invocations share and write was watched"),
        (open.unchecked, "a part was not checked: see the warnings"),
    ];
    let reasons = reasons.iter().filter(|(is_open, _)| *is_open);
    reasons.map(|(_, reason)| (*reason).to_owned()).collect()
}

/// A line for each reason; none, if something was concluded.
pub fn open_questions(launch: &LaunchFacts) -> Vec<String> {
    if launch.verdict() != Verdict::Inconclusive {
        return Vec::new();
    }
    let mut reasons = reasons(Open {
        possible: !launch.findings.is_empty(),
        cut_short: launch.stats.cut_short,
        unwatched: launch.unwatched.iter().any(|left| left.reason != NotWatched::AsAsked),
        unchecked: launch.warnings.iter().any(Warning::leaves_unchecked),
    });
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
