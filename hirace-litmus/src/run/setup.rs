//! The setup of a run: a test in an environment.

use super::{Failure, Shaders, TargetInfo};
use crate::environment::{Layout, Parameters, Permutation};
use crate::shader;
use crate::test::{Space, Test};
use serde::{Deserialize, Serialize};

/// A test in an environment that suits it.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The test.
    pub test: &'a Test,
    /// The layout of instances.
    pub layout: Layout,
    /// The parameters of the environment.
    pub parameters: &'a Parameters,
    /// The permutation of instances.
    pub permutation: Permutation,
    /// The shaders.
    pub shaders: Shaders,
}

/// The sizes of the buffers that the shaders bind, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Words {
    /// The size of the locations.
    pub locations: u64,
    /// The size of the registers; one word if there are none.
    pub results: u64,
    /// The size of the shuffled ids of workgroups, and of their stressed words: one word per workgroup.
    pub workgroups: u64,
    /// The size of the scratch memory.
    pub scratchpad: u64,
    /// The number of counters of outcomes.
    pub counters: u64,
}

/// The binding numbers of the shaders; all are in group 0.
pub mod binding {
    /// The locations of all instances.
    pub const LOCATIONS: u32 = 0;
    /// The registers of all instances.
    pub const RESULTS: u32 = 1;
    /// The shuffled id of each workgroup.
    pub const SHUFFLED: u32 = 2;
    /// The number of invocations that have arrived.
    pub const ARRIVED: u32 = 3;
    /// The scratch memory, which is stressed.
    pub const SCRATCHPAD: u32 = 4;
    /// The word of the scratch memory that each workgroup stresses.
    pub const TARGETS: u32 = 5;
    /// The random choices of a dispatch.
    pub const UNIFORM: u32 = 6;
    /// The counters of outcomes.
    pub const COUNTERS: u32 = 7;
}

/// The bindings of the two shaders: a layout has only the bindings that its shader uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bindings {
    /// The bindings of the shader that tests.
    pub test: Vec<u32>,
    /// The bindings of the shader that counts.
    pub count: Vec<u32>,
}

impl<'a> Setup<'a> {
    /// Creates the setup of a test in an environment on a target.
    ///
    /// # Errors
    /// The environment is invalid on the target, or does not suit the test.
    pub fn new(
        test: &'a Test,
        layout: Layout,
        parameters: &'a Parameters,
        permutation: Permutation,
        about: &TargetInfo,
    ) -> Result<Self, Failure> {
        parameters.check(about.max_workgroups, about.max_workgroup_size)?;
        parameters.suit(test)?;
        permutation.check(parameters)?;
        let setup = Self {
            test,
            layout,
            parameters,
            permutation,
            shaders: Shaders::of(test, layout, parameters),
        };
        setup.fits(about)?;
        Ok(setup)
    }

    /// Returns the number of instances of a dispatch.
    pub fn instances(&self) -> u64 {
        self.layout.instances(self.parameters)
    }

    /// Returns the number of workgroups of the counting dispatch.
    pub fn counting_workgroups(&self) -> u32 {
        match self.layout {
            Layout::Parallel => self.parameters.testing_workgroups,
            Layout::Single => 1,
        }
    }

    /// Returns the sizes of the buffers.
    pub fn words(&self) -> Words {
        let Self { test, layout, parameters, .. } = *self;
        Words {
            locations: shader::location_words(
                test,
                layout,
                parameters,
                parameters.testing_invocations(),
            ),
            results: (self.instances() * test.registers() as u64).max(1),
            workgroups: parameters.max_workgroups.into(),
            scratchpad: parameters.scratch_memory_size.into(),
            counters: Space::of(test).counters() as u64,
        }
    }

    /// Returns the bindings of the two shaders.
    pub fn bindings(&self) -> Bindings {
        let results = (self.test.registers() > 0).then_some(binding::RESULTS);
        let shuffled = (self.layout == Layout::Single).then_some(binding::SHUFFLED);
        let tests = [
            binding::LOCATIONS,
            binding::SHUFFLED,
            binding::ARRIVED,
            binding::SCRATCHPAD,
            binding::TARGETS,
            binding::UNIFORM,
        ];
        let counts = [binding::LOCATIONS, binding::UNIFORM, binding::COUNTERS];
        Bindings {
            test: tests.into_iter().chain(results).collect(),
            count: counts.into_iter().chain(results).chain(shuffled).collect(),
        }
    }

    /// Returns the factor that permutes instances for each further location.
    pub fn second(&self) -> u32 {
        if self.is_aliased() { 1 } else { self.permutation.second }
    }

    /// Returns the distance of each further location, in words.
    pub fn offset(&self) -> u32 {
        if self.is_aliased() { 0 } else { self.parameters.mem_stride }
    }

    /// Returns whether the test has only one location, so that there is no second one to place elsewhere.
    fn is_aliased(&self) -> bool {
        self.test.locations() < 2
    }

    fn fits(&self, about: &TargetInfo) -> Result<(), Failure> {
        let Words { locations, results, workgroups, scratchpad, counters } = self.words();
        let buffers = [
            ("words of locations", locations),
            ("words of registers", results),
            ("words of workgroups", workgroups),
            ("words of scratch memory", scratchpad),
            ("counters", counters),
        ];
        let most = about.max_words.min(u32::MAX.into());
        match buffers.into_iter().find(|(_, asked)| *asked > most) {
            Some((what, asked)) => Err(Failure::TooLarge { what: what.to_owned(), asked, most }),
            None => Ok(()),
        }
    }
}
