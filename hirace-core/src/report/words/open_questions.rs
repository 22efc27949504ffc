//! Texts that explain why a launch is inconclusive, and what to supply.

use super::names::count;
use super::replay::flags;
use crate::facts::{InputRequest, LaunchFacts, RequestedInput, Severity, Verdict, Warning};
use crate::watch::NotWatched;

/// The maximum number of flags that are shown.
const MAX_FLAGS: usize = 8;

/// The reasons, other than missed sites, why a launch may be inconclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InconclusiveReasons {
    /// Whether there are only possible findings.
    pub possible: bool,
    /// Whether the launch was cut short.
    pub cut_short: bool,
    /// Whether memory was not watched although the user did not exclude it.
    pub unwatched: bool,
    /// Whether a warning states that something was not checked.
    pub unchecked: bool,
    /// Whether some launch has a fault that no condition excludes.
    pub not_excluded: bool,
}

/// Returns one line for each reason.
pub fn reason_lines(open: InconclusiveReasons) -> Vec<String> {
    let reasons = [
        (open.possible, "the findings depend on guesses"),
        (open.cut_short, "the launch was cut short"),
        (open.unwatched, "not all memory that invocations share and write was watched"),
        (open.unchecked, "a part of the launch was not checked: see the warnings"),
        (open.not_excluded, "some launch has a fault, and whether a host makes it is not known"),
    ];
    let reasons = reasons.iter().filter(|(is_open, _)| *is_open);
    reasons.map(|(_, reason)| (*reason).to_owned()).collect()
}

/// Returns one line for each reason why the launch is inconclusive; empty if it is not.
pub fn inconclusive_reasons(launch: &LaunchFacts) -> Vec<String> {
    if launch.verdict() != Verdict::Inconclusive {
        return Vec::new();
    }
    let mut reasons = reason_lines(InconclusiveReasons {
        possible: launch.errors().next().is_some(),
        cut_short: launch.stats.cut_short,
        unwatched: launch.unwatched.iter().any(|left| left.reason != NotWatched::ExcludedByRequest),
        unchecked: launch.warnings.iter().any(Warning::leaves_unchecked),
        not_excluded: launch.shown_fault().is_some_and(|fault| fault.severity == Severity::Error),
    });
    let missed = launch.stats.sites_missed.len() as u64;
    let of_one = u64::from(launch.stats.sites_executed_once).min(missed);
    if launch.guessed && missed > of_one {
        let sites = count(missed - of_one, "site", "sites");
        reasons.push(format!("this launch was guessed and did not reach {sites}"));
    }
    if launch.guessed && of_one > 0 {
        let sites = count(of_one, "site", "sites");
        reasons.push(format!(
            "this launch was guessed, and only one invocation reached {sites}, so races there were not checked"
        ));
    }
    reasons.extend(launch.wanted.as_ref().map(wanted));
    reasons
}

/// Describes what to supply, with flags to copy and edit.
fn wanted(InputRequest { what, flags: given }: &InputRequest) -> String {
    let shown = flags(&given[..given.len().min(MAX_FLAGS)]);
    let more = if given.len() > MAX_FLAGS { " …" } else { "" };
    match what {
        RequestedInput::Grid => format!("give the grid: {shown}{more}"),
        RequestedInput::Overrides => format!("give what the host sets: {shown}{more}"),
        RequestedInput::Variable { name, of } if given.is_empty() => {
            format!("give all of `{name}` (`{of}`)")
        }
        RequestedInput::Variable { name, of } => format!("give `{name}` (`{of}`): {shown}{more}"),
    }
}
