//! Interleavings: who does each step, chosen one by one.
//!
//! The strategies of [`super::strategy`] order whole subgroups and switch between instructions. Here the machine
//! ([`super::machine`]) is stepped, and a [`Chooser`] is asked before every step; so a run can be drawn by PCT,
//! enumerated, recorded, had once more and shrunk. Runs that need none of that do not come here and pay nothing.
//!
//! # What is interleaved
//! - The *unit* is one invocation, whatever the subgroup size: WGSL promises no lockstep. Units are numbered from 0 on,
//!   workgroup by workgroup, by local invocation index. All workgroups are resident from the start.
//! - A *step* is one access to memory that others share and somebody may write: a read, a write, an atomic (a vector is
//!   accessed in one step). What comes between two steps of an invocation nobody can see, so it takes none; so do
//!   fences, and coming to a barrier. ([`Limits`](super::limits::Limits) count instructions, here as everywhere.)
//! - A unit is *enabled* if it stands before a step. One that waits at a barrier or at a subgroup operation is not, and
//!   neither is one that goes round in a loop that nothing but a change of memory can end, until memory changes. If
//!   none is enabled and some are not done, that is a run without progress, and it is certain.
//!
//! # What is promised
//! The same code over the same memory under the same [`Interleaving`] is the same run. Every run gives the [`Choices`]
//! that it was made of, by which it can be had once more. Memory is sequentially consistent: what only a weak memory
//! shows is not seen here.
//!
//! Coverage is not counted in steps: the counters of [`crate::points`] are those of whole subgroups.
//!
//! A new strategy is a file with a [`Kind`] in it and its name in the list below.

mod bound;
mod choices;
mod enabled;
mod exhaustive;
mod floor;
mod shrink;
mod stepper;
mod stuck;
mod text;

pub use bound::interleavings;
pub use choices::{Choices, ChoicesError};
pub use enabled::Enabled;
pub use exhaustive::Exhaustive;
pub use floor::Stepped;
pub use shrink::{Shrunk, shrink};
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

/// One invocation of a dispatch: its workgroup's linear index times the invocations of a workgroup, plus its local
/// invocation index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub u32);

/// Decides who does each step. One that is asked the same things in the same order must give the same answers.
pub trait Chooser {
    /// A run of so many units begins. Called once a run, before all else.
    fn begin(&mut self, _units: u32) {}

    /// Who does the next step. If the answer is not enabled, the default order goes on.
    fn next(&mut self, enabled: &Enabled) -> Unit;

    /// How many steps each unit may do, from unit 0 on (those past the end none); `None` if as many as they do. One that
    /// had them all is no longer enabled; when all that are left had theirs, the run ends.
    fn most_steps(&self) -> Option<&[u64]> {
        None
    }
}

/// A kind of strategy: its name, what it is given, and how one is made.
#[derive(Debug)]
pub struct Kind {
    /// What texts call it: small letters, digits and hyphens.
    pub name: &'static str,
    /// The numbers that it is given, in order.
    pub parameters: &'static [Parameter],
    /// Whether a list of choices follows those.
    pub takes_choices: bool,
    /// Makes one, given a number for each parameter, within its bounds.
    pub make: fn(&[u64], &Choices) -> Box<dyn Chooser>,
}

/// A number that a strategy is given.
#[derive(Debug)]
pub struct Parameter {
    /// What messages call it.
    pub name: &'static str,
    /// The least that it may be.
    pub least: u64,
    /// The most that it may be.
    pub most: u64,
}
