//! `cargo xtask test`.

use crate::binaries::{self, Job};
use crate::{run, slowest};
use hirace_testing::{Facility, Options, Tier};

/// The options of `cargo xtask test`.
///
/// Without options it runs the quick tier: what `cargo test --no-default-features` runs.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run what CI runs: all features and crates, and larger random samples.
    #[arg(long, group = "long_tier")]
    ci: bool,
    /// Run everything except the trials that run only by name. This takes hours.
    #[arg(long, group = "long_tier")]
    full: bool,
    /// Write the checked-in text and snapshots that tests compare, instead of comparing them.
    #[arg(long)]
    bless: bool,
    /// Fail instead of ignoring tests if one of these facilities is missing: `all`, or names separated by commas.
    #[arg(long, value_name = "LIST", default_value = "")]
    require: String,
    /// Set the seed of random suites [default: 0 in the quick tier, else a fresh one].
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// Print the twenty tests that took longest.
    #[arg(long)]
    slowest: bool,
    /// Run only the tests of this package (repeatable).
    #[arg(short, long, value_name = "PACKAGE")]
    package: Vec<String>,
    /// Exclude this package (repeatable).
    #[arg(long, value_name = "PACKAGE", requires = "long_tier")]
    exclude: Vec<String>,
    /// Run only the tests whose names contain this text.
    filter: Option<String>,
    /// Pass these arguments to the test binaries, such as `--ignored`.
    #[arg(last = true)]
    rest: Vec<String>,
}

/// Runs the tests. Returns whether all passed.
///
/// # Errors
/// An argument cannot be read, or the tests cannot be built or started.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let tier = match arguments {
        Arguments { full: true, .. } => Tier::Full,
        Arguments { ci: true, .. } => Tier::Ci,
        _ => Tier::Quick,
    };
    let seed = match arguments.seed {
        Some(seed) => seed,
        None if tier == Tier::Quick => 0,
        None => getrandom::u32().map_err(|error| error.to_string())?,
    };
    let required = Facility::parse_list(&arguments.require)?;
    let options = Options { tier, bless: arguments.bless, required, seed: seed.into() };

    let mut selection = match tier {
        Tier::Quick => vec!["--no-default-features"],
        Tier::Ci | Tier::Full => vec!["--workspace"],
    };
    selection.extend(arguments.exclude.iter().flat_map(|package| ["--exclude", package]));
    let built = binaries::build(&selection)?;
    let wanted = |package: &str| {
        arguments.package.is_empty() || arguments.package.iter().any(|name| name == package)
    };
    let mut jobs: Vec<Job> = built.jobs.into_iter().filter(|job| wanted(&job.package)).collect();
    if jobs.is_empty() {
        return Err(format!("no package is named {}", arguments.package.join(" or ")));
    }
    // Doctests have no binary. They are not asked for one by one.
    if arguments.package.is_empty() && arguments.filter.is_none() {
        jobs.push(Job::doctests(&selection));
    }
    let mut rest: Vec<String> = arguments.filter.iter().cloned().collect();
    rest.extend(arguments.rest.iter().cloned());

    println!("seed {seed}");
    slowest::forget(&built.target);
    let results = run::all(jobs, &rest, &options, &built.target)?;
    if arguments.slowest {
        slowest::print(&results, &built.target);
    }
    if tier == Tier::Ci {
        slowest::print_without_reason(&built.target);
    }
    let failed: Vec<&run::JobResult> = results.iter().filter(|result| !result.passed).collect();
    for result in &failed {
        for test in &result.failures {
            let more = if tier == Tier::Full {
                " --full"
            } else if tier == Tier::Ci {
                " --ci"
            } else {
                ""
            };
            println!(
                "failed: {test}\n    cargo xtask test{more} --seed {seed} -p {} '{test}'",
                result.package
            );
        }
        if result.failures.is_empty() {
            println!("failed: {} of {}", result.name, result.package);
        }
    }
    println!("seed {seed}");
    Ok(failed.is_empty())
}
