//! Shaders of tests. The first dispatch runs the test and the stress, the second one counts the outcomes.
//!
//! | binding | content |
//! | --- | --- |
//! | 0 | the locations of all instances, initially zero |
//! | 1 | the registers of all instances |
//! | 2 | the shuffled id of each workgroup; read-only, so that barriers that depend on it are in uniform control flow |
//! | 3 | the number of invocations that have arrived, initially zero |
//! | 4 | scratch memory, which is stressed |
//! | 5 | the word of the scratch memory that each workgroup stresses |
//! | 6 | a uniform of 12 words: [`crate::run::Iteration::uniform`] |
//! | 7 | the counters of outcomes |
//!
//! The first dispatch binds 0 to 6, the second one 0, 1, 2, 6 and 7.
//!
//! In the parallel layout (MC Mutants, Sec. 4), an invocation runs thread 0 of the instance with its own number, and
//! thread 1 of an instance that belongs to another invocation. A permutation selects that instance, so that each
//! instance has each thread once. Each further thread applies the permutation once more, and its workgroup differs from
//! those of all earlier threads.

mod count;
#[cfg(test)]
mod samples;
mod test;

use crate::environment::{Layout, Parameters};
use crate::test::{Memory, Test};

/// The shaders of a test in an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shaders {
    /// The WGSL of the dispatch that tests and stresses; its entry point is `main`.
    pub test: String,
    /// The WGSL of the dispatch that counts outcomes, with one invocation per instance; its entry point is `main`.
    pub count: String,
}

const PARAMETERS: &str = include_str!("shader/parts/parameters.wgsl");
const PARALLEL: &str = include_str!("shader/parts/parallel.wgsl");
const SINGLE: &str = include_str!("shader/parts/single.wgsl");
const STRESS: &str = include_str!("shader/parts/stress.wgsl");

impl Shaders {
    /// Creates the shaders of a test in an environment.
    ///
    /// # Errors
    /// The environment is invalid on every device, or does not suit the test.
    pub fn new(
        test: &Test,
        layout: Layout,
        parameters: &Parameters,
    ) -> Result<Self, crate::environment::EnvironmentError> {
        parameters.check(u32::MAX, u32::MAX)?;
        parameters.suit(test)?;
        Ok(Self::of(test, layout, parameters))
    }

    /// Creates the shaders of a test that suits the environment.
    pub(crate) fn of(test: &Test, layout: Layout, parameters: &Parameters) -> Self {
        let shape = Shape { test, layout, parameters };
        Self { test: test::text(&shape), count: count::text(&shape) }
    }
}

/// The values that the texts of the shaders depend on.
struct Shape<'a> {
    test: &'a Test,
    layout: Layout,
    parameters: &'a Parameters,
}

impl Shape<'_> {
    /// Returns the text that both shaders start with.
    fn common(&self) -> String {
        let size = self.parameters.workgroup_size;
        let locations = stretch(self.test);
        let location_index = match self.layout {
            Layout::Parallel => PARALLEL,
            Layout::Single => SINGLE,
        };
        format!(
            "const WORKGROUP_SIZE: u32 = {size};\nconst LOCATIONS: u32 = {locations};\n\n{PARAMETERS}{location_index}"
        )
    }
}

/// Returns the number of locations reserved per instance: at least two, so that tests of one location have the same
/// placement.
pub(crate) fn stretch(test: &Test) -> u32 {
    test.locations().max(2) as u32
}

/// Returns the number of words for the locations of these instances.
pub(crate) fn location_words(
    test: &Test,
    layout: Layout,
    parameters: &Parameters,
    instances: u64,
) -> u64 {
    let stride = parameters.mem_stride;
    match layout {
        Layout::Parallel => instances * u64::from(stretch(test)) * u64::from(stride),
        Layout::Single => instances + ((test.locations() as u64) << stride),
    }
}

/// Returns the type of an element of a test's memory.
fn element(memory: Memory) -> &'static str {
    if memory.atomic { "atomic<u32>" } else { "u32" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Preset;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    fn check(text: &str) {
        let module = naga::front::wgsl::parse_str(text);
        let module =
            module.unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        if let Err(error) = validator.validate(&module) {
            panic!("{}\n{text}", error.emit_to_string(text));
        }
    }

    #[test]
    fn each_test_is_valid_wgsl_in_each_layout() {
        let parameters = Preset::Stress.parameters();
        let tests = [samples::all(), crate::test::all()].concat();
        assert!(tests.len() > 5);
        for test in &tests {
            for layout in [Layout::Parallel, Layout::Single] {
                let shaders = Shaders::of(test, layout, &parameters);
                check(&shaders.test);
                check(&shaders.count);
            }
        }
    }

    #[test]
    fn message_passing_looks_like_this() {
        let shaders = Shaders::of(
            &samples::message_passing(),
            Layout::Parallel,
            &Preset::Stress.parameters(),
        );
        insta::assert_snapshot!(shaders.test + "\n// Counts:\n" + &shaders.count);
    }
}
