//! Strategies: who starts, who runs next and for how long, and when to let more be resident. A file
//! each.
//!
//! A strategy only decides. Starting, running, releasing barriers, and noticing that nothing can go on,
//! that a limit is reached or that somebody wants the run to end are the driver's alone
//! (`vm::driver`), and the same for all of them. A strategy that is asked the same things in the
//! same order must give the same answers: so runs are repeatable.
//!
//! A new one is a file with a [`Kind`] in it and its name in the list below. One that stands in another
//! crate is not listed, and so cannot be named in a text; all else works ([`Schedule::new`]).
//!
//! [`Schedule::new`]: super::schedule::Schedule::new

mod over_serial;
pub(super) mod parallel;

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

strategies![serial, seeded, favouring, target_first, occupancy];

/// The most parameters that a strategy has.
pub const MOST_ARGUMENTS: usize = 4;

/// A kind of strategy: its name, what it can be given, and how one is made.
#[derive(Debug)]
pub struct Kind {
    /// What texts call it: small letters, digits and hyphens.
    pub name: &'static str,
    /// The names of its parameters, all of them numbers; at most [`MOST_ARGUMENTS`].
    pub parameters: &'static [&'static str],
    /// Makes one, given a number for each parameter.
    pub make: fn(&[u64], &Limits) -> Box<dyn Strategy>,
}

/// Decides in which order things run. Called by the driver, once for each decision.
pub trait Strategy {
    /// Whether to start a workgroup now, and which. Called before every turn until it says no, while
    /// some are left and the limits allow one more. If it says no while none is resident, the first of
    /// those left starts all the same; while all that are resident are blocked, the run ends with a
    /// no-progress finding.
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        (view.residents.is_empty() || view.all_blocked).then_some(Start::First)
    }

    /// Whether to leave the run here, unfinished. Called before every turn.
    fn gives_up(&mut self, _view: &View<'_>) -> bool {
        false
    }

    /// Who has the next turn, by place among the residents. Barriers of it that can be passed are, and
    /// then one of the functions below is called.
    fn turn(&mut self, view: &View<'_>) -> usize;

    /// The workgroup at this place can run. `None`: it does not, and has had its turn.
    fn slice(&mut self, place: usize, ready: &Ready<'_>, view: &View<'_>) -> Option<Slice>;

    /// The workgroup at this place cannot run until another changes memory: it has had its turn.
    fn blocked(&mut self, _place: usize, _view: &View<'_>) {}

    /// The workgroup at this place is done and leaves. What becomes of its place?
    fn ended(&mut self, _place: usize, _view: &View<'_>) -> Gap {
        Gap::Close
    }
}

/// What a strategy can see of a run.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The linear indices of the workgroups that were started and are not done. Their order is that in
    /// which they started, but for what [`Gap`]s made of it.
    pub residents: &'a [u32],
    /// How many were not started.
    pub not_started: u32,
    /// Whether none of the residents can run as memory is.
    pub all_blocked: bool,
    /// Instructions run so far.
    pub steps: u64,
    /// Of the run.
    pub limits: &'a Limits,
}

/// A workgroup of those that were not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// That of the lowest index, if all before were [`Start::First`] or [`Start::Last`].
    First,
    /// That of the highest index, likewise.
    Last,
    /// Any: the number is below [`View::not_started`]. Which one each number means changes whenever one
    /// is taken, always in the same way.
    Nth(u32),
    /// That of this linear index.
    Workgroup(u32),
    /// Likewise, and soon found however many there are, where all but a few are asked for in ascending order.
    Ahead(u32),
}

/// A part of a workgroup's turn: one of its fragments runs for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Which.
    pub fragment: Pick,
    /// For at most so many instructions; at least one.
    pub fuel: u64,
}

/// One of the fragments that can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The one whose turn it is, if they take turns: it goes on until it waits or its fuel is spent.
    InTurn,
    /// The one of this number among [`Ready`].
    Nth(usize),
}

/// What becomes of the place of a workgroup that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Those behind it move up.
    Close,
    /// The last one takes it.
    TakeLast,
}

/// The fragments of a workgroup that can run.
#[derive(Clone, Copy)]
pub struct Ready<'a> {
    /// How many; not 0.
    pub count: usize,
    pub(super) nth: &'a dyn Fn(usize) -> Option<Standpoint>,
}

impl Ready<'_> {
    /// Where the one of this number stands.
    pub fn fragment(&self, nth: usize) -> Option<Standpoint> {
        (self.nth)(nth)
    }
}

/// Where a fragment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standpoint {
    /// The index of its subgroup in the workgroup.
    pub subgroup: u32,
    /// The site of what it runs next.
    pub site: SiteId,
    /// Instructions that it has run.
    pub steps: u64,
}
