//! Strategies of proptest's for launches (feature `proptest`).

use crate::{Grid, HostShareable, Launch, Length};
use proptest::prelude::*;
use proptest::strategy::{BoxedStrategy, NewTree};
use proptest::test_runner::TestRunner;

/// Launches that differ in what is said here: a strategy of proptest's, which shrinks to a small one of them that fails.
/// Grids and lists become short, numbers small, and the order plain: each part shrinks as its own strategy does, one after the
/// other as they are said. So buffers are best said before the grid that they need.
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
///     Launches::of(given).buffer("input", vec(0..1000u32, 1..300)).workgroups(1..=4u32).orders()
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
/// What hangs on the same number comes of `prop_flat_map`:
///
/// ```
/// use hirace::{Launch, Launches};
/// use proptest::{collection::vec, prelude::*};
///
/// fn blocks() -> impl Strategy<Value = Launch> {
///     (1..=4usize).prop_flat_map(|n| {
///         let sizes = Launch::new().workgroups(n as u32).zeros("output", n);
///         Launches::of(sizes).buffer("input", vec(-1.0..1.0f32, 64 * n)).orders()
///     })
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a strategy does nothing until a test asks for its values"]
pub struct Launches(BoxedStrategy<Launch>);

impl Launches {
    /// Launches of which nothing is said yet: what is left out is guessed.
    pub fn new() -> Self {
        Self::of(Launch::new())
    }

    /// Launches that have in common what is said of `launch`.
    pub fn of(launch: Launch) -> Self {
        Self(Just(launch).boxed())
    }

    /// How many workgroups are dispatched: `1..=8u32`, or pairs of ranges by `prop_map`.
    pub fn workgroups<S>(self, grids: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: Into<Grid>,
    {
        self.with(grids, Launch::workgroups)
    }

    /// What a buffer holds.
    pub fn buffer<S>(self, name: &str, values: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: HostShareable,
    {
        let name = name.to_owned();
        self.with(values, move |launch, value| launch.buffer(&name, &value))
    }

    /// Zeros, in a buffer of so many elements or a texture of so many texels.
    pub fn zeros<S>(self, name: &str, lengths: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: Into<Length>,
    {
        let name = name.to_owned();
        self.with(lengths, move |launch, length| launch.zeros(&name, length))
    }

    /// The value of a pipeline override.
    pub fn set_override<S>(self, name: &str, values: S) -> Self
    where
        S: Strategy + 'static,
        S::Value: Into<f64>,
    {
        let name = name.to_owned();
        self.with(values, move |launch, value| launch.set_override(&name, value))
    }

    /// Any order of workgroups, subgroups and steps. The plain one is the simplest.
    pub fn orders(self) -> Self {
        self.with(any::<u64>(), Launch::schedule)
    }

    /// Launches that differ in something else: `say` says each value of it.
    ///
    /// ```
    /// use hirace::{Launch, Launches};
    /// use proptest::prelude::*;
    ///
    /// let launches = Launches::new().with(0..=6u32, |launch, n| launch.subgroup_size(1 << n));
    /// ```
    pub fn with<S>(self, values: S, say: impl Fn(Launch, S::Value) -> Launch + 'static) -> Self
    where
        S: Strategy + 'static,
    {
        Self((self.0, values).prop_map(move |(launch, value)| say(launch, value)).boxed())
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
