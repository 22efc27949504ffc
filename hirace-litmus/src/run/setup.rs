//! A test in an environment, before it is run.

use super::{About, Failure, Shaders};
use crate::environment::{Layout, Parameters, Permutation};
use crate::shader;
use crate::test::{Space, Test};
use serde::{Deserialize, Serialize};

/// A test in an environment that suits it.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The test.
    pub test: &'a Test,
    /// How instances lie.
    pub layout: Layout,
    /// The environment's parameters.
    pub parameters: &'a Parameters,
    /// By what instances are permuted.
    pub permutation: Permutation,
    /// The shaders.
    pub shaders: Shaders,
}

/// How long the memory is that the shaders bind, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Words {
    /// Locations.
    pub locations: u64,
    /// Registers; one word if there are none.
    pub results: u64,
    /// A word for each workgroup: which one it is. As many are the words of what it stresses.
    pub workgroups: u64,
    /// Scratch memory.
    pub scratchpad: u64,
    /// Counters of outcomes.
    pub counters: u64,
}

/// The shaders' bindings by number: each is in group 0.
pub mod binding {
    /// Locations of all instances.
    pub const LOCATIONS: u32 = 0;
    /// Registers of all instances.
    pub const RESULTS: u32 = 1;
    /// Which workgroup each one is.
    pub const SHUFFLED: u32 = 2;
    /// How many invocations have arrived.
    pub const ARRIVED: u32 = 3;
    /// Memory that is stressed.
    pub const SCRATCHPAD: u32 = 4;
    /// Which word of it each workgroup stresses.
    pub const TARGETS: u32 = 5;
    /// What is drawn for a dispatch.
    pub const UNIFORM: u32 = 6;
    /// Counters of outcomes.
    pub const COUNTERS: u32 = 7;
}

/// Bindings of the two shaders: layouts have what a shader uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bindings {
    /// Of the shader that tests.
    pub test: Vec<u32>,
    /// Of the one that counts.
    pub count: Vec<u32>,
}

impl<'a> Setup<'a> {
    /// A test in an environment, on a target.
    ///
    /// # Errors
    /// The environment cannot be there, or not for the test.
    pub fn new(
        test: &'a Test,
        layout: Layout,
        parameters: &'a Parameters,
        permutation: Permutation,
        about: &About,
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

    /// How many instances a dispatch runs.
    pub fn instances(&self) -> u64 {
        self.layout.instances(self.parameters)
    }

    /// The workgroups of the dispatch that counts.
    pub fn counting_workgroups(&self) -> u32 {
        match self.layout {
            Layout::Parallel => self.parameters.testing_workgroups,
            Layout::Single => 1,
        }
    }

    /// How long the memory is.
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

    /// Which of the shaders' bindings each of the two has: those that it uses.
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

    /// By what instances are permuted for each further location.
    pub fn second(&self) -> u32 {
        if self.is_aliased() { 1 } else { self.permutation.second }
    }

    /// How many words further each further location lies.
    pub fn offset(&self) -> u32 {
        if self.is_aliased() { 0 } else { self.parameters.mem_stride }
    }

    /// Tests of one location have no second to be elsewhere.
    fn is_aliased(&self) -> bool {
        self.test.locations() < 2
    }

    fn fits(&self, about: &About) -> Result<(), Failure> {
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
