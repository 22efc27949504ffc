//! Strategies: they decide which workgroup starts, which runs next and for how long, and when more workgroups
//! become resident. One file per strategy.
//!
//! A strategy only decides. The driver (`vm::driver`) starts and runs workgroups, releases barriers, and
//! detects that nothing can run, that a limit is reached or that the run was cancelled; it is the same for
//! all strategies. A strategy that is asked the same questions in the same order must give the same answers,
//! because this makes runs repeatable.
//!
//! To add a strategy, write a file with a [`Kind`] and add its name to the list below. A strategy of another
//! crate is not in the list, so a text cannot name it; everything else works ([`Schedule::new`]).
//!
//! [`Schedule::new`]: super::schedule::Schedule::new

pub(super) mod parallel;
mod serial_override;

use super::limits::Limits;
use crate::ir::sites::SiteId;
pub use target_first::targets;

macro_rules! strategies {
    ($($name:ident),+ $(,)?) => {
        $(pub(super) mod $name;)+

        /// The strategies that a text can name.
        pub static ALL: &[&Kind] = &[$(&$name::KIND),+];
    };
}

strategies![serial, seeded, favoring, target_first, occupancy];

/// The maximum number of parameters of a strategy.
pub const MAX_ARGUMENTS: usize = 4;

/// A kind of strategy: its name, its parameters, and its constructor.
#[derive(Debug)]
pub struct Kind {
    /// The name in texts: lower-case letters, digits and hyphens.
    pub name: &'static str,
    /// The names of its parameters, all of them numbers; at most [`MAX_ARGUMENTS`].
    pub parameters: &'static [&'static str],
    /// Creates a strategy from one number per parameter.
    pub make: fn(&[u64], &Limits) -> Box<dyn Strategy>,
}

/// Decides in which order things run. The driver calls it once for each decision.
pub trait Strategy {
    /// Returns which workgroup to start now, if any. The driver calls this before every turn until it returns
    /// `None`, as long as workgroups remain and the limits allow one more. If it returns `None` while no
    /// workgroup is resident, the driver starts the first remaining one; if it does so while all residents
    /// are blocked, the run ends with a no-progress finding.
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        (view.residents.is_empty() || view.all_blocked).then_some(Start::First)
    }

    /// Returns whether to abandon the run, unfinished. Called before every turn.
    fn gives_up(&mut self, _view: &View<'_>) -> bool {
        false
    }

    /// Returns the resident that has the next turn, by its place in [`View::residents`]. The driver releases
    /// its barriers that can be passed and then calls one of the functions below.
    fn turn(&mut self, view: &View<'_>) -> usize;

    /// Called when the workgroup at this place can run: returns what part of it runs. `None`: it does not
    /// run, and its turn is over.
    fn slice(&mut self, place: usize, ready: &Ready<'_>, view: &View<'_>) -> Option<TimeSlice>;

    /// Called when the workgroup at this place cannot run until another one changes memory: its turn is over.
    fn blocked(&mut self, _place: usize, _view: &View<'_>) {}

    /// Called when the workgroup at this place is done and leaves: returns how its place is filled.
    fn ended(&mut self, _place: usize, _view: &View<'_>) -> Gap {
        Gap::Close
    }
}

/// What a strategy can see of a run.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The linear indices of the resident workgroups: those that were started and are not done. They are in
    /// the order in which they started, apart from changes made by [`Gap`]s.
    pub residents: &'a [u32],
    /// Number of workgroups that were not started.
    pub not_started: u32,
    /// Whether no resident can run with the current memory.
    pub all_blocked: bool,
    /// Number of instructions run so far.
    pub steps: u64,
    /// The limits of the run.
    pub limits: &'a Limits,
}

/// One of the workgroups that were not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The workgroup with the lowest index, if all previous ones were [`Start::First`] or [`Start::Last`].
    First,
    /// The workgroup with the highest index, under the same condition.
    Last,
    /// Any workgroup: the number is below [`View::not_started`]. Which workgroup a number means changes
    /// deterministically whenever one is taken.
    Nth(u32),
    /// The workgroup with this linear index.
    Workgroup(u32),
    /// The workgroup with this linear index. Fast for any number of workgroups if all but a few are requested
    /// in ascending order.
    Ascending(u32),
}

/// A part of a workgroup's turn: one of its fragments runs for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSlice {
    /// The fragment that runs.
    pub fragment: Pick,
    /// The maximum number of instructions; at least one.
    pub fuel: u64,
}

/// A choice among the fragments that can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The next fragment in round-robin order: it runs until it waits or its fuel is spent.
    RoundRobin,
    /// The fragment with this index in [`Ready`].
    Nth(usize),
}

/// How the place of a finished workgroup is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The residents behind it move up.
    Close,
    /// The last resident takes its place.
    TakeLast,
}

/// The fragments of a workgroup that can run.
#[derive(Clone, Copy)]
pub struct Ready<'a> {
    /// Number of fragments; not 0.
    pub count: usize,
    pub(super) nth: &'a dyn Fn(usize) -> Option<FragmentPosition>,
}

impl Ready<'_> {
    /// Returns the position of the fragment with this index.
    pub fn fragment(&self, nth: usize) -> Option<FragmentPosition> {
        (self.nth)(nth)
    }
}

/// The position of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentPosition {
    /// The index of the fragment's subgroup in the workgroup.
    pub subgroup: u32,
    /// The site of the fragment's next instruction.
    pub site: SiteId,
    /// Number of instructions that the fragment has run.
    pub steps: u64,
}
