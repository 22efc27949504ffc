//! A test that is a launch.

use hirace_core::check::Options;
use hirace_core::config::TestSpec;
use hirace_core::launch::spec::Binding;

/// A launch with its expected outputs.
#[derive(Clone, Debug)]
pub struct LaunchTest {
    /// The name.
    pub name: String,
    /// The number of the source that it launches.
    pub source: usize,
    /// The options with the launch.
    pub options: Options,
    /// The expected contents of buffers.
    pub expect: Vec<Binding>,
    /// The tolerance for floats.
    pub tolerance: f64,
    /// Buffers whose contents must be the same as without a mutant; `None` for all buffers that the launch may write.
    pub golden: Option<Vec<String>>,
}

impl LaunchTest {
    /// Creates the test of a configuration file.
    pub fn configured(test: &TestSpec, source: usize, options: &Options) -> Self {
        Self {
            name: test.name.clone(),
            source,
            options: Options { launches: vec![test.launch.clone()], ..options.clone() },
            expect: test.expect.clone(),
            tolerance: test.tolerance,
            golden: (!test.expect.is_empty() || !test.golden.is_empty())
                .then(|| test.golden.clone()),
        }
    }

    /// Creates a test for a launch without expected outputs.
    pub fn launch(name: String, source: usize, options: Options) -> Self {
        Self { name, source, options, expect: Vec::new(), tolerance: 0.0, golden: None }
    }
}
