//! Options of a run of the project's own tests, and helpers that depend on them.
//!
//! `cargo xtask test` passes its options to every test binary in one environment variable, [`VARIABLE`]. Plain `cargo test` sets
//! no variable and runs the quick tier with seed 0.

mod checked_in;
#[cfg(feature = "harness")]
pub mod harness;
mod options;

pub use checked_in::{assert_up_to_date, check_part_up_to_date, check_up_to_date};
pub use options::{Facility, Options, Tier, VARIABLE};

use std::ops::Range;
use std::sync::OnceLock;

/// Returns the options of this run.
///
/// # Panics
/// The variable has a value that `cargo xtask test` does not set.
pub fn options() -> &'static Options {
    static OPTIONS: OnceLock<Options> = OnceLock::new();
    OPTIONS.get_or_init(|| match std::env::var(VARIABLE) {
        Ok(value) => value.parse().unwrap_or_else(|error| panic!("{VARIABLE}: {error}")),
        Err(_) => Options::default(),
    })
}

/// Returns whether tests of this tier run.
pub fn runs(tier: Tier) -> bool {
    options().tier >= tier
}

/// Returns the size of a sample: `quick` in the quick tier, `full` in the full tier, and a twentieth of `full`, but at least
/// `quick`, in the ci tier.
pub fn sample_size(quick: u64, full: u64) -> u64 {
    match options().tier {
        Tier::Quick => quick,
        Tier::Ci => (full / 20).max(quick),
        Tier::Full => full,
    }
}

/// Returns the seeds of a random suite: [`sample_size`] consecutive seeds, starting with the seed of this run.
pub fn seeds(quick: u64, full: u64) -> Range<u64> {
    let first = options().seed;
    first..first + sample_size(quick, full)
}
