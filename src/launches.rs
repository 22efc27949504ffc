//! Launches as strategies for proptest (feature `proptest`).

use crate::{Grid, HostShareable, Launch, Length};
use proptest::prelude::*;
use proptest::strategy::{BoxedStrategy, NewTree};
use proptest::test_runner::TestRunner;

/// A proptest strategy for launches that vary in the given parts. It shrinks to a small launch that fails: a small grid, short
/// lists, small numbers, and the serial order. The parts shrink one after another, in the order in which they are added, each as
/// its own strategy does. Therefore add buffers before the grid that depends on their size.
///
/// ```
/// use hirace::prelude::*;
/// use hirace::{Launch, Launches, check};
/// use proptest::{collection::vec, prelude::*};
///
/// #[hirace::monitor(workgroup_size(64))]
/// fn add_up(#[builtin(global_invocation_id)] id: UVec3, input: &[u32], sum: &Atomic<u32>) {
///     if id.x < input.len() {
///         sum.fetch_add(input[id.x]);
///     }
/// }
///
/// fn launches() -> Launches {
///     let given = Launch::new().buffer("sum", &0u32);
///     Launches::from_launch(given).buffer("input", vec(0..1000u32, 1..300)).workgroups(1..=4u32).any_schedule()
/// }
///
/// proptest! {
/// # /*
///     #[test]
/// # */
///     fn nothing_races(launch in launches()) {
///         check(&add_up::kernel(), launch)?.assert_clean();
///     }
/// }
/// # fn main() { nothing_races() }
/// ```
///
/// For parts that depend on the same number, use `prop_flat_map`:
///
/// ```
/// use hirace::{Launch, Launches};
/// use proptest::{collection::vec, prelude::*};
///
/// fn blocks() -> impl Strategy<Value = Launch> {
///     (1..=4usize).prop_flat_map(|n| {
///         let sizes = Launch::new().workgroups(n as u32).zeros("output", n);
///         Launches::from_launch(sizes).buffer("input", vec(-1.0..1.0f32, 64 * n)).any_schedule()
///     })
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a strategy does nothing until a test generates values from it"]
pub struct Launches(BoxedStrategy<Launch>);

impl Launches {
    /// Creates a strategy for launches of which nothing is given. hirace infers all parts.
    pub fn new() -> Self {
        Self::from_launch(Launch::new())
    }

    /// Creates a strategy for launches that all have the given parts of `launch`.
    pub fn from_launch(launch: Launch) -> Self {
        Self(Just(launch).boxed())
    }

    /// Varies the number of workgroups. `1..=8u32` varies one dimension; for more, map a tuple of ranges to an array with
    /// `prop_map`.
    pub fn workgroups<S>(self, grids: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: Into<Grid>,
    {
        self.with(grids, Launch::workgroups)
    }

    /// Varies the contents of a buffer.
    pub fn buffer<S>(self, name: &str, values: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: HostShareable,
    {
        let name = name.to_owned();
        self.with(values, move |launch, value| launch.buffer(&name, &value))
    }

    /// Fills a buffer with this number of elements, or a texture with this number of texels, with zeros.
    pub fn zeros<S>(self, name: &str, lengths: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: Into<Length>,
    {
        let name = name.to_owned();
        self.with(lengths, move |launch, length| launch.zeros(&name, length))
    }

    /// Varies the value of a pipeline override.
    pub fn override_value<S>(self, name: &str, values: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: Into<f64>,
    {
        let name = name.to_owned();
        self.with(values, move |launch, value| launch.override_value(&name, value))
    }

    /// Varies the order of workgroups, subgroups and steps. It shrinks to the serial order.
    pub fn any_schedule(self) -> Self {
        self.with(any::<u64>(), Launch::schedule)
    }

    /// Varies something else: `set` adds each value to the launch.
    ///
    /// ```
    /// use hirace::{Launch, Launches};
    /// use proptest::prelude::*;
    ///
    /// let launches = Launches::new().with(0..=6u32, |launch, n| launch.subgroup_size(1 << n));
    /// ```
    pub fn with<S>(self, values: S, set: impl Fn(Launch, S::Value) -> Launch + 'static) -> Self
    where
        S: Strategy + 'static,
    {
        Self((self.0, values).prop_map(move |(launch, value)| set(launch, value)).boxed())
    }
}

impl Default for Launches {
    fn default() -> Self {
        Self::new()
    }
}

impl Strategy for Launches {
    type Tree = <BoxedStrategy<Launch> as Strategy>::Tree;
    type Value = Launch;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        self.0.new_tree(runner)
    }
}
