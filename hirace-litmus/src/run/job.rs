//! A test in an environment with all that it takes to run it, for whoever can run shaders and knows nothing of tests: a page in a
//! browser.

use super::setup::{Bindings, Setup, Words};
use super::{About, Failure};
use crate::campaign::piece_seed;
use crate::environment::Permutation;
use crate::results::check::Checker;
use crate::results::{Environment, Held, Tested};
use crate::test::{Class, Space, Specification};
use serde::{Deserialize, Serialize};

/// What is to be run, and on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The name of the test.
    pub test: String,
    /// Its environment.
    pub environment: Environment,
    /// The number of the environment in its list: what is drawn hangs on it.
    #[serde(default)]
    pub index: usize,
    /// What is drawn by.
    pub seed: String,
    /// The version of the specification that judges.
    #[serde(default)]
    pub specification: Specification,
    /// What the device has.
    pub limits: Limits,
}

/// What a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The most workgroups of a dispatch.
    pub max_workgroups: u32,
    /// The most invocations of a workgroup.
    pub max_workgroup_size: u32,
    /// The most words of a buffer.
    pub max_words: u64,
}

/// A device that has no name.
impl From<Limits> for About {
    fn from(limits: Limits) -> Self {
        let Limits { max_workgroups, max_workgroup_size, max_words } = limits;
        let [name, vendor, driver] = [(); 3].map(|()| String::new());
        Self { name, vendor, driver, max_workgroups, max_workgroup_size, max_words }
    }
}

/// How it is run: `test` on buffers of which some are cleared before, then `count`; counters add up over dispatches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Job {
    /// What the test is.
    pub tested: Tested,
    /// Its environment.
    pub environment: Environment,
    /// The shaders, in WGSL; their entry points are `main`.
    pub shaders: Texts,
    /// Which buffers each of the shaders has.
    pub bindings: Bindings,
    /// How long the buffers are.
    pub words: Words,
    /// How many instances a dispatch runs.
    pub instances: u64,
    /// The workgroups of the dispatch that counts.
    pub counting_workgroups: u32,
    /// By what instances are permuted.
    pub permutation: Permutation,
    /// By what they are for each further location.
    pub second: u32,
    /// How many words further each further location lies.
    pub offset: u32,
    /// What its dispatches are drawn by, as 16 hexadecimal digits.
    pub seed: String,
    /// What each counter counts; the one behind these counts all else.
    pub outcomes: Vec<Judged>,
}

/// The shaders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Texts {
    /// Of the dispatch that tests and stresses.
    pub test: String,
    /// Of the dispatch that counts.
    pub count: String,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Judged {
    /// What it leaves.
    #[serde(flatten)]
    pub held: Held,
    /// What it is.
    pub class: Class,
    /// Whether it is what the test looks for.
    pub found: bool,
}

/// Why there is no such job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoJob {
    /// Nothing is called so.
    #[error("no test is called `{0}`")]
    Test(String),
    /// It cannot be run there.
    #[error(transparent)]
    Failure(#[from] Failure),
}

impl Job {
    /// Of what is asked for.
    ///
    /// # Errors
    /// Some name is of nothing, or the environment can be on no such device, or not for the test.
    pub fn new(asked: Asked, checker: &Checker) -> Result<Self, NoJob> {
        let Asked { test: name, environment, index, seed, specification: judge, limits } = asked;
        let (Some(test), Some(tested), Some(classes)) =
            (checker.test(&name), checker.tested(&name, judge), checker.classes(&name, judge))
        else {
            return Err(NoJob::Test(name));
        };
        let about = About::from(limits);
        let permutation = Permutation::DEFAULT;
        let setup =
            Setup::new(test, environment.layout, &environment.parameters, permutation, &about)?;
        let space = Space::of(test);
        let outcomes = classes.iter().enumerate().filter_map(|(counter, class)| {
            let outcome = space.outcome(counter)?;
            let found = test.condition.holds(&outcome);
            let held = Held { registers: outcome.registers, memory: outcome.memory };
            Some(Judged { held, class: *class, found })
        });
        Ok(Self {
            tested: tested.clone(),
            outcomes: outcomes.collect(),
            bindings: setup.bindings(),
            words: setup.words(),
            instances: setup.instances(),
            counting_workgroups: setup.counting_workgroups(),
            permutation,
            second: setup.second(),
            offset: setup.offset(),
            seed: format!("{:016x}", piece_seed(&seed, index, &name)),
            shaders: Texts { test: setup.shaders.test.clone(), count: setup.shaders.count.clone() },
            environment,
        })
    }
}
