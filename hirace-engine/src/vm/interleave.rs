//! Interleavings: the unit that does each step is chosen step by step.
//!
//! The strategies of [`super::strategy`] order whole subgroups and switch between instructions. This module
//! steps the machine ([`super::machine`]) and asks a [`Chooser`] before every step. So a run can be drawn by
//! PCT, enumerated, recorded, replayed and shrunk. Runs that need none of this do not use this module and
//! have no overhead.
//!
//! # What is interleaved
//! - The *unit* is one invocation, whatever the subgroup size: WGSL does not guarantee lockstep. Units are
//!   numbered from 0 on, workgroup by workgroup, by local invocation index. All workgroups are resident from
//!   the start.
//! - A *step* is one access to memory that is shared and may be written: a read, a write, an atomic operation
//!   (a vector is accessed in one step). What an invocation does between two steps is not visible and takes
//!   no step; nor do fences and arriving at a barrier. ([`Limits`](super::limits::Limits) count instructions,
//!   as everywhere.)
//! - A unit is *enabled* if a step is next. A unit that waits at a barrier or at a subgroup operation is not
//!   enabled, nor is a unit in a loop that only a change of memory can end, until memory changes. If no unit
//!   is enabled and some are not done, that is a run without progress, and this is certain.
//!
//! # Guarantees
//!
//! The same code over the same memory under the same [`Interleaving`] gives the same run. Every run returns
//! the [`Choices`] that it made, which reproduce it. Memory is sequentially consistent: behavior that only a
//! weak memory model allows is not found.
//!
//! Coverage is not counted here: the counters of [`crate::points`] are those of whole subgroups.
//!
//! To add a strategy, write a file with a [`Kind`] and add its name to the list below.

mod bound;
mod choices;
mod enabled;
mod execution;
mod exhaustive;
mod no_progress;
mod shrink;
mod stepper;
mod text;

pub use bound::interleavings;
pub use choices::{Choices, ChoicesError};
pub use enabled::EnabledUnits;
pub use execution::SteppedRun;
pub use exhaustive::Exhaustive;
pub use shrink::{ShrinkResult, shrink};
pub use stepper::Stepper;
pub use text::{Interleaving, InterleavingError};

macro_rules! kinds {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+

        /// The strategies that a text can name.
        pub static ALL: &[&Kind] = &[$(&$name::KIND),+];
    };
}

kinds![random, pct, replay];

/// One invocation of a dispatch: its workgroup's linear index times the number of invocations of a workgroup,
/// plus its local invocation index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub u32);

/// Decides which unit does each step. A chooser that is asked the same questions in the same order must give
/// the same answers.
pub trait Chooser {
    /// Called once when a run of `_units` units begins, before all other methods.
    fn begin(&mut self, _units: u32) {}

    /// Returns the unit that does the next step. If this unit is not enabled, the default order continues.
    fn next(&mut self, enabled: &EnabledUnits) -> Unit;

    /// Returns the maximum number of steps of each unit, from unit 0 on (units past the end may do none);
    /// `None` if it is not limited. A unit that has used up its steps is no longer enabled; when all
    /// unfinished units have, the run ends.
    fn most_steps(&self) -> Option<&[u64]> {
        None
    }
}

/// A kind of strategy: its name, its parameters, and its constructor.
#[derive(Debug)]
pub struct Kind {
    /// The name in texts: lower-case letters, digits and hyphens.
    pub name: &'static str,
    /// The numeric parameters, in order.
    pub parameters: &'static [Parameter],
    /// Whether a list of choices follows the parameters.
    pub takes_choices: bool,
    /// Creates a strategy from one number per parameter, within its bounds.
    pub make: fn(&[u64], &Choices) -> Box<dyn Chooser>,
}

/// A numeric parameter of a strategy.
#[derive(Debug)]
pub struct Parameter {
    /// The name in messages.
    pub name: &'static str,
    /// The minimum.
    pub least: u64,
    /// The maximum.
    pub most: u64,
}
