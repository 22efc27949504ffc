//! Results in the form in which MC Mutants and GPUHarbor published theirs: JSON, with an entry for each environment.
//!
//! An entry has the environment's `params` and, by the name of each test, how often its instances ended in each of three
//! ways and how long that took. Beside the entries may stand `platformInfo`, `randomSeed` and `userInfo`. Files of 2022 lack
//! `workgroupSize` and `iterations`.

mod campaign;
mod checksum;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use checksum::Miscounted;

use crate::environment::Parameters;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The most entries of a file.
pub const MOST_ENTRIES: usize = 100_000;
/// The most tests of an entry.
pub const MOST_TESTS: usize = 10_000;
/// The most instances that are counted in one of the three ways: beyond, JavaScript, which wrote these files, does not count.
pub const MOST_INSTANCES: u64 = 1 << 53;

/// What a file has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    /// By number, in the order of the file.
    pub entries: Vec<Entry>,
    /// Of the GPU, the browser and the system. What it has is kept as it is: it describes, and nothing is computed of it.
    pub platform: Option<Map<String, Value>>,
    /// What environments were drawn from.
    pub random_seed: Option<String>,
    /// Who ran it, kept as it is.
    pub user: Option<Map<String, Value>>,
}

/// An environment, and what tests showed there.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number.
    pub number: u32,
    /// Its parameters, where the file has them.
    pub parameters: Option<Parameters>,
    /// Each test by its published name, in the order of the file.
    pub runs: Vec<(String, Run)>,
}

/// How often instances of a test ended in each way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Run {
    /// One thread after the other.
    #[serde(rename = "seq", deserialize_with = "read::instances")]
    pub sequential: u64,
    /// As an interleaving of the threads.
    #[serde(deserialize_with = "read::instances")]
    pub interleaved: u64,
    /// As the test looks for.
    #[serde(deserialize_with = "read::instances")]
    pub weak: u64,
    /// How long all of them took; not negative.
    #[serde(deserialize_with = "read::seconds")]
    pub duration_seconds: f64,
}

/// What a file or an entry is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Many tests in one environment, to compare environments.
    Tuning,
    /// One test in an environment that was chosen for it.
    Conformance,
}

impl Entry {
    /// As GPUHarbor tells them apart: an entry of one test is of conformance.
    pub fn purpose(&self) -> Purpose {
        match self.runs.len() {
            1 => Purpose::Conformance,
            _ => Purpose::Tuning,
        }
    }
}

impl Run {
    /// How many instances there were.
    pub fn instances(&self) -> u64 {
        // Each is far below the greatest `u64`.
        self.sequential + self.interleaved + self.weak
    }
}

impl Published {
    /// What the platform says of the GPU: `vendor`, `architecture`, `device` or `description`.
    pub fn gpu(&self, what: &str) -> Option<&str> {
        let said = self.platform.as_ref()?.get("gpu")?.get(what)?.as_str()?;
        (!said.is_empty()).then_some(said)
    }
}
