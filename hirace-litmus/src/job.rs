//! Jobs: a test in an environment with everything that is needed to run it. They are for programs that can run shaders
//! but do not know tests, such as a page in a browser.

use crate::campaign::piece_seed;
use crate::environment::{Environment, Permutation};
use crate::results::check::Checker;
use crate::results::{FinalState, TestInfo};
use crate::run::{Bindings, Failure, Setup, TargetInfo, Words};
use crate::test::{Class, Space, Specification};
use serde::{Deserialize, Serialize};

/// A request for a job: the test, its environment and the limits of the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// The name of the test.
    pub test: String,
    /// The environment.
    pub environment: Environment,
    /// The index of the environment in its list; the seed of the run depends on it.
    #[serde(default)]
    pub index: usize,
    /// The seed.
    pub seed: String,
    /// The version of the specification that classifies outcomes.
    #[serde(default)]
    pub specification: Specification,
    /// The limits of the device.
    pub limits: Limits,
}

/// The limits of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum number of workgroups of a dispatch.
    pub max_workgroups: u32,
    /// The maximum number of invocations of a workgroup.
    pub max_workgroup_size: u32,
    /// The maximum number of words of a buffer.
    pub max_words: u64,
}

/// Converts limits into a device without a name.
impl From<Limits> for TargetInfo {
    fn from(limits: Limits) -> Self {
        let Limits { max_workgroups, max_workgroup_size, max_words } = limits;
        let [name, vendor, driver] = [(); 3].map(|()| String::new());
        Self { name, vendor, driver, max_workgroups, max_workgroup_size, max_words }
    }
}

/// Everything to run a test: clear some buffers, dispatch `test`, then `count`. The counters add up over dispatches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Job {
    /// The description of the test.
    pub tested: TestInfo,
    /// The environment.
    pub environment: Environment,
    /// The shaders in WGSL; their entry points are `main`.
    pub shaders: Texts,
    /// The bindings of each shader.
    pub bindings: Bindings,
    /// The sizes of the buffers in words.
    pub words: Words,
    /// The number of instances of a dispatch.
    pub instances: u64,
    /// The number of workgroups of the counting dispatch.
    pub counting_workgroups: u32,
    /// The permutation of instances.
    pub permutation: Permutation,
    /// The factor that permutes instances for each further location.
    pub second: u32,
    /// The distance of each further location, in words.
    pub offset: u32,
    /// The seed of its dispatches, as 16 hexadecimal digits.
    pub seed: String,
    /// The outcome of each counter. The counter after these counts all other outcomes.
    pub outcomes: Vec<ClassifiedOutcome>,
}

/// The shaders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Texts {
    /// The shader that tests and stresses.
    pub test: String,
    /// The shader that counts.
    pub count: String,
}

/// An outcome with its class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClassifiedOutcome {
    /// The final values.
    #[serde(flatten)]
    pub held: FinalState,
    /// The class.
    pub class: Class,
    /// Whether the outcome meets the condition of the test.
    pub found: bool,
}

/// The reason why a job cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// There is no test of this name.
    #[error("unknown test `{0}`")]
    Test(String),
    /// The test cannot run in the environment.
    #[error(transparent)]
    Failure(#[from] Failure),
}

impl Job {
    /// Creates the job for a request.
    ///
    /// # Errors
    /// The test is unknown, or the environment is invalid on the device or for the test.
    pub fn new(asked: JobRequest, checker: &Checker) -> Result<Self, JobError> {
        let JobRequest { test: name, environment, index, seed, specification: judge, limits } =
            asked;
        let (Some(test), Some(tested), Some(classes)) =
            (checker.test(&name), checker.tested(&name, judge), checker.classes(&name, judge))
        else {
            return Err(JobError::Test(name));
        };
        let about = TargetInfo::from(limits);
        let permutation = Permutation::DEFAULT;
        let setup =
            Setup::new(test, environment.layout, &environment.parameters, permutation, &about)?;
        let space = Space::of(test);
        let outcomes = classes.iter().enumerate().filter_map(|(counter, class)| {
            let outcome = space.outcome(counter)?;
            let found = test.condition.holds(&outcome);
            let held = FinalState { registers: outcome.registers, memory: outcome.memory };
            Some(ClassifiedOutcome { held, class: *class, found })
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
