//! Results in the published form of MC Mutants and GPUHarbor: JSON with an entry for each environment.
//!
//! An entry has the `params` of the environment. For each test, by name, it has the numbers of instances in three buckets
//! and the running time. In addition to the entries, a file may have `platformInfo`, `randomSeed` and `userInfo`.
//! Files that were published in 2022 lack `workgroupSize` and `iterations`.

mod campaign;
mod checksum;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use checksum::CountMismatch;

use super::Software;
use crate::environment::Parameters;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The maximum number of entries of a file.
pub const MAX_ENTRIES: usize = 100_000;
/// The maximum number of tests of an entry.
pub const MAX_TESTS: usize = 10_000;
/// The maximum number of instances in a bucket: JavaScript, which wrote these files, counts exactly only up to this
/// number.
pub const MAX_INSTANCES: u64 = 1 << 53;

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PublishedResults {
    /// The entries, in the order of the file.
    pub entries: Vec<Entry>,
    /// The description of the GPU, the browser and the system, as in the file.
    pub platform: Option<Map<String, Value>>,
    /// The seed of the environments.
    pub random_seed: Option<String>,
    /// The description of the user, as in the file.
    pub user: Option<Map<String, Value>>,
}

/// An environment and the results of the tests in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The number of the environment.
    pub number: u32,
    /// The parameters of the environment, if the file has them.
    pub parameters: Option<Parameters>,
    /// The results of each test, by its published name, in the order of the file.
    pub runs: Vec<(String, Run)>,
}

/// The number of instances of a test in each bucket, and their running time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Run {
    /// Instances that executed the threads one after the other.
    #[serde(rename = "seq", deserialize_with = "read::instances")]
    pub sequential: u64,
    /// Instances that interleaved the threads.
    #[serde(deserialize_with = "read::instances")]
    pub interleaved: u64,
    /// Instances that met the condition of the test.
    #[serde(deserialize_with = "read::instances")]
    pub weak: u64,
    /// The running time of all instances, in seconds. It is not negative.
    #[serde(deserialize_with = "read::seconds")]
    pub duration_seconds: f64,
}

/// The purpose of a file or an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Many tests in one environment, to compare environments.
    Tuning,
    /// One test in an environment that was chosen for it.
    Conformance,
}

impl Entry {
    /// Returns the purpose of the entry, as GPUHarbor distinguishes them: an entry of one test is for conformance.
    pub fn purpose(&self) -> Purpose {
        match self.runs.len() {
            1 => Purpose::Conformance,
            _ => Purpose::Tuning,
        }
    }
}

impl Run {
    /// Returns the number of instances.
    pub fn instances(&self) -> u64 {
        // Each number is far below the maximum of `u64`, so the sum cannot overflow.
        self.sequential + self.interleaved + self.weak
    }
}

impl PublishedResults {
    /// Returns the software that the platform names as `os` or `browser`.
    pub fn software(&self, what: &str) -> Option<Software> {
        let of = self.platform.as_ref()?.get(what)?;
        let field = |name| of.get(name)?.as_str().filter(|text| !text.is_empty());
        let version = field("version").map(str::to_owned);
        Some(Software { name: field("vendor")?.to_owned(), version })
    }

    /// Returns a field of the GPU's description: `vendor`, `architecture`, `device` or `description`.
    pub fn gpu(&self, what: &str) -> Option<&str> {
        let text = self.platform.as_ref()?.get("gpu")?.get(what)?.as_str()?;
        (!text.is_empty()).then_some(text)
    }
}
