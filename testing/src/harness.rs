//! The harness of integration tests that make their list of trials at run time.
//!
//! A [`Trial`] says in which tier it runs and what it needs. A list of trials is made without looking at the machine: what a
//! trial needs is looked for when the trial runs, so that listing takes milliseconds. A trial that lacks something shows as
//! ignored, with the reason, or fails if that was required.
//!
//! The harness records how long trials take, and starts those first that took longest.

use crate::{Facility, Tier, options};
use libtest_mimic::{Arguments, Completion, Failed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Something that a trial needs.
pub struct Need {
    /// The facility of `--require` that makes its absence a failure.
    facility: Option<Facility>,
    /// Returns why it is unavailable, if it is.
    missing: Box<dyn FnOnce() -> Option<String> + Send>,
}

impl Need {
    /// Creates a need. `missing` returns the reason if what is needed is unavailable.
    pub fn new(
        facility: impl Into<Option<Facility>>,
        missing: impl FnOnce() -> Option<String> + Send + 'static,
    ) -> Self {
        Self { facility: facility.into(), missing: Box::new(missing) }
    }

    /// Creates the need for a program on the path.
    pub fn program(name: &'static str, facility: impl Into<Option<Facility>>) -> Self {
        Self::new(facility, move || {
            (!is_installed(name)).then(|| format!("{name} is not installed"))
        })
    }
}

/// Returns whether a program of this name is on the path.
pub fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths)
        .any(|folder| folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)).is_file())
}

/// A test of an integration binary.
pub struct Trial {
    name: String,
    /// The first tier that runs it; `None` if it runs only by name.
    tier: Option<Tier>,
    needs: Vec<Need>,
    test: Box<dyn FnOnce() -> Result<Completion, Failed> + Send>,
}

impl Trial {
    /// Makes a trial of the quick tier.
    pub fn test(
        name: impl Into<String>,
        test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) -> Self {
        Self::ignorable_test(name, || test().map(|()| Completion::Completed))
    }

    /// Makes a trial of the quick tier that decides while it runs whether it can.
    pub fn ignorable_test(
        name: impl Into<String>,
        test: impl FnOnce() -> Result<Completion, Failed> + Send + 'static,
    ) -> Self {
        let (name, test) = (name.into(), Box::new(test));
        Self { name, tier: Some(Tier::Quick), needs: Vec::new(), test }
    }

    /// Makes a trial of the ci tier.
    pub fn ci(
        name: impl Into<String>,
        test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) -> Self {
        Self::test(name, test).in_tier(Tier::Ci)
    }

    /// Moves the trial to this tier, if it was in a lower one.
    pub fn in_tier(mut self, tier: Tier) -> Self {
        self.tier = self.tier.map(|before| before.max(tier));
        self
    }

    /// Moves the trial to the full tier, unless it is in the sample that the seed of this run draws: one in `one_in` of all such
    /// trials. Each run of the ci tier draws others.
    pub fn drawn(self, one_in: u64) -> Self {
        match is_drawn(&self.name, options().seed, one_in) {
            true => self,
            false => self.in_tier(Tier::Full),
        }
    }

    /// Removes the trial from all tiers. It takes hours, and runs only with `--ignored` and its name.
    pub fn only_by_name(mut self) -> Self {
        self.tier = None;
        self
    }

    /// Adds something that the trial needs.
    pub fn needs(mut self, need: Need) -> Self {
        self.needs.push(need);
        self
    }

    /// Makes the trial of libtest-mimic, which runs this one and records how long that took.
    fn timed(self, times: &'static Times) -> libtest_mimic::Trial {
        let Self { name, tier, needs, test } = self;
        let own = name.clone();
        let run = move || {
            let start = Instant::now();
            let completion = checked(needs).and_then(|ready| match ready {
                Completion::Completed => test(),
                ignored @ Completion::Ignored { .. } => Ok(ignored),
            });
            if matches!(completion, Ok(Completion::Completed)) {
                times.record(own, start.elapsed().as_secs_f64());
            }
            completion
        };
        let trial = libtest_mimic::Trial::ignorable_test(name, run);
        match tier {
            Some(tier) if crate::runs(tier) => trial,
            Some(Tier::Full) => trial.with_kind("full tier").with_ignored_flag(true),
            Some(_) => trial.with_kind("ci tier").with_ignored_flag(true),
            None => trial.with_kind("by name").with_ignored_flag(true),
        }
    }
}

/// Checks the needs of a trial.
fn checked(needs: Vec<Need>) -> Result<Completion, Failed> {
    for Need { facility, missing } in needs {
        let required = facility.filter(|&facility| options().requires(facility));
        match (missing(), required) {
            (Some(reason), Some(facility)) => {
                return Err(format!("{} is required: {reason}", facility.name()).into());
            }
            (Some(reason), None) => return Ok(Completion::ignored_with(reason)),
            (None, _) => {}
        }
    }
    Ok(Completion::Completed)
}

/// The file with the times of all runs.
const ALL_TIMES: &str = "times.tsv";

/// The file with the times of the last run.
const LAST_TIMES: &str = "last.tsv";

/// The durations of trials in seconds, by name.
#[derive(Default)]
struct Times(Mutex<BTreeMap<String, f64>>);

impl Times {
    fn record(&self, name: String, seconds: f64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, seconds);
    }

    /// Reads lines of seconds and a name. Invalid lines are skipped.
    fn parse(text: &str) -> BTreeMap<String, f64> {
        let line = |line: &str| {
            let (seconds, name) = line.split_once('\t')?;
            Some((name.to_owned(), seconds.parse().ok()?))
        };
        text.lines().filter_map(line).collect()
    }

    /// Writes the times of this run to `last.tsv` in a folder, and with those of earlier runs to `times.tsv`.
    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let path = folder.join(ALL_TIMES);
        let mut all = Self::parse(&std::fs::read_to_string(&path).unwrap_or_default());
        all.extend(last.clone());
        for (times, path) in [(last, folder.join(LAST_TIMES)), (all, path)] {
            let mut text = String::new();
            for (name, seconds) in times {
                let _ = writeln!(text, "{seconds:.2}\t{name}");
            }
            let temporary = path.with_extension("new");
            std::fs::write(&temporary, text)?;
            std::fs::rename(temporary, path)?;
        }
        Ok(())
    }
}

/// Runs trials as the arguments of this process say, the longest first.
///
/// Times are kept in `times.tsv` in `folder`. `slow` names the trials that take long, one per line, with the reason after a `#`.
/// The quick tier leaves these out, and without a record of times they start first. Those whose reason begins with `full tier:`
/// are left out by the ci tier too.
///
/// # Panics
/// Two trials have one name, or a line of `slow` has no reason.
pub fn run(folder: &Path, slow: &str, trials: Vec<Trial>) -> ExitCode {
    static TIMES: Times = Times(Mutex::new(BTreeMap::new()));
    let path = folder.join(ALL_TIMES);
    let known = Times::parse(&std::fs::read_to_string(&path).unwrap_or_default());
    let slow: Vec<(&str, Tier)> = slow.lines().map(slow_trial).collect();
    let of_tier = |trial: Trial| match slow.iter().find(|(name, _)| *name == trial.name) {
        Some((_, tier)) => trial.in_tier(*tier),
        None => trial,
    };
    let mut trials: Vec<Trial> = trials.into_iter().map(of_tier).collect();
    let mut names = BTreeSet::new();
    for trial in &trials {
        assert!(names.insert(trial.name.clone()), "two trials are named {}", trial.name);
    }
    // Recorded times decide. Without a record, the trials listed as slow come first, in the order of the list.
    trials.sort_by_key(|trial| {
        let listed = slow.iter().position(|(name, _)| *name == trial.name);
        let seconds = known.get(&trial.name).copied();
        let unknown = if listed.is_some() { 20.0 } else { 0.0 };
        let tenths = (seconds.unwrap_or(unknown) * 10.0) as u64;
        (std::cmp::Reverse(tenths), listed.unwrap_or(slow.len()))
    });
    let trials = trials.into_iter().map(|trial| trial.timed(&TIMES)).collect();
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    let _ = std::fs::create_dir_all(folder).and_then(|()| TIMES.write(folder));
    conclusion.exit_code()
}

/// Returns whether a seed draws a trial with this name. It draws about one in `one_in` names.
fn is_drawn(name: &str, seed: u64, one_in: u64) -> bool {
    let mut hasher = DefaultHasher::new();
    (name, seed).hash(&mut hasher);
    hasher.finish().is_multiple_of(one_in)
}

/// Reads a line of the list of slow trials: a name, and the tier that runs it.
fn slow_trial(line: &str) -> (&str, Tier) {
    let (name, reason) = line.split_once('#').unwrap_or((line, ""));
    assert!(!reason.trim().is_empty(), "there is no reason in `{line}`");
    let is_full = reason.trim().starts_with("full tier:");
    (name.trim(), if is_full { Tier::Full } else { Tier::Ci })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_kept_over_runs() {
        let folder = std::env::temp_dir().join(format!("hirace-testing-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let times = |all: &[(&str, f64)]| {
            let times = Times::default();
            all.iter().for_each(|(name, seconds)| times.record((*name).to_owned(), *seconds));
            times
        };
        times(&[("a", 1.0), ("b::c", 2.5)]).write(&folder).unwrap();
        times(&[("a", 3.0)]).write(&folder).unwrap();
        let [text, last] =
            [ALL_TIMES, LAST_TIMES].map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(text, "3.00\ta\n2.50\tb::c\n");
        assert_eq!(last, "3.00\ta\n");
        assert_eq!(Times::parse("x\ty\n1\n2.5\tb::c\n"), [("b::c".to_owned(), 2.5)].into());
    }

    #[test]
    fn seeds_draw_different_samples() {
        let drawn = |seed| -> Vec<u32> {
            (0..300).filter(|n| is_drawn(&format!("trial {n}"), seed, 3)).collect()
        };
        assert!((60..140).contains(&drawn(1).len()), "{}", drawn(1).len());
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        let all: BTreeSet<u32> = (0..60).flat_map(drawn).collect();
        assert_eq!(all.len(), 300);
    }

    #[test]
    fn slow_trials_have_a_name_and_a_reason() {
        assert_eq!(slow_trial("a::b # takes a minute"), ("a::b", Tier::Ci));
        assert_eq!(slow_trial("a b # full tier: takes an hour"), ("a b", Tier::Full));
        assert!(std::panic::catch_unwind(|| slow_trial("a::b #")).is_err());
    }

    #[test]
    fn what_is_missing_is_the_reason_to_be_ignored() {
        let missing = |reason: Option<&'static str>| {
            checked(vec![Need::new(None, move || reason.map(str::to_owned))])
        };
        assert!(matches!(missing(None), Ok(Completion::Completed)));
        assert!(matches!(missing(Some("no driver")), Ok(Completion::Ignored { .. })));
        assert!(is_installed("cargo") && !is_installed("no-such-program"));
    }

    #[test]
    fn a_trial_never_moves_to_a_lower_tier() {
        let trial = || Trial::ci("a", || Ok(()));
        assert_eq!(trial().in_tier(Tier::Quick).tier, Some(Tier::Ci));
        assert_eq!(trial().in_tier(Tier::Full).tier, Some(Tier::Full));
        assert_eq!(trial().only_by_name().in_tier(Tier::Full).tier, None);
    }
}
