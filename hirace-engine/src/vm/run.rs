//! Running one dispatch, and what comes of it.

pub use super::driver::{run, run_only};
use super::observer::MemoryId;
use super::schedule::{Limits, Schedule};
use crate::ir::claims::Claim;
use crate::ir::sites::SiteId;
use std::sync::atomic::AtomicBool;

/// Where in a box of this size something is that has this linear index.
pub fn coordinates(linear: u32, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(|n| n.max(1));
    [linear % x, linear / x % y, linear / x / y]
}

/// How to run a dispatch.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Workgroups in x, y, z. Any of them may be 0: nothing runs.
    pub workgroups: [u32; 3],
    /// Lanes of a subgroup: a power of two from 1 to 64.
    pub subgroup_size: u32,
    /// The order of things.
    pub schedule: Schedule,
    /// When to give up.
    pub limits: Limits,
    /// Let workgroups run on all cores. Ignored under a schedule other than 0. Repeatable only
    /// if the observer says when values flow between workgroups ([`super::observer::Observer::flowed`]).
    pub parallel: bool,
    /// Set by somebody else to stop the run early (Ctrl-C).
    pub stop: Option<&'a AtomicBool>,
}

/// An invocation of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Invocation {
    /// Linear index of its workgroup.
    pub workgroup: u32,
    /// Its local invocation index.
    pub local: u32,
}

/// What a run found out by itself, whoever watched.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Accesses outside of their memory, one entry a site and variable, the first as example.
    pub out_of_bounds: Vec<OutOfBounds>,
    /// Claims of the source that did not hold, one entry a claim, the first as example.
    pub broken: Vec<Broken>,
    /// Barriers that some invocations of a workgroup did not reach, one entry a barrier site, the
    /// first workgroup as example.
    pub divergences: Vec<Divergence>,
    /// Why the run was ended, if it did not end by itself.
    pub no_progress: Option<NoProgress>,
    /// For each site, by [`SiteId`]: how often it ran.
    pub executed: Vec<Executed>,
    /// Guessed buffers that were too short: memory, and the byte length that would have been enough.
    pub wanted: Vec<(MemoryId, u64)>,
    /// Instructions run, over all subgroups.
    pub steps: u64,
    /// Whether the run was ended by `Options::stop`, or because its time was up.
    pub stopped: bool,
    /// Whether it was left where it was, since all subgroups together had run as long as they may
    /// ([`Limits::total`]).
    pub spent: bool,
    /// Whether the run was serial (asked for, or because values flowed between workgroups).
    pub serial: bool,
}

impl Run {
    /// Whether it ran to its end, so that the next dispatch may begin.
    pub fn ended(&self) -> bool {
        !self.stopped && !self.spent && self.no_progress.is_none()
    }
}

/// How often a site ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// By how many invocations, repetitions counted.
    pub count: u64,
    /// Whether by at least two different invocations.
    pub by_two: bool,
}

/// An index past the end.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfBounds {
    /// The access (or the use of a private or function array, which is no access but has a span).
    pub site: SiteId,
    /// Where the index stands, when `site` is [`SiteId::NONE`] (function memory): its span.
    pub span: crate::source_map::Span,
    /// The memory; `None` for private and function memory.
    pub memory: Option<MemoryId>,
    /// Who did it first.
    pub invocation: Invocation,
    /// The index it used, as the program computed it (a negative i32 stays negative).
    pub index: i64,
    /// How many elements there are.
    pub length: u32,
    /// How often it happened in the run.
    pub count: u64,
}

/// A claim of the source that did not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// What is claimed.
    pub claim: Claim,
    /// The operator it is claimed of, and what its operands are made of.
    pub op: naga::BinaryOperator,
    /// See `op`.
    pub scalar: naga::Scalar,
    /// The words of the operand at the left.
    pub left: Vec<u32>,
    /// And at the right.
    pub right: Vec<u32>,
    /// Where it is claimed.
    pub span: crate::source_map::Span,
    /// Who was the first to break it.
    pub invocation: Invocation,
    /// How often it happened in the run.
    pub count: u64,
}

/// A barrier not reached by all.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The barrier.
    pub site: SiteId,
    /// The first workgroup where it happened.
    pub workgroup: u32,
    /// Local indices of those that arrived.
    pub arrived: Vec<u32>,
    /// Those that did not, and where they are instead.
    pub missing: Vec<(u32, Whereabouts)>,
    /// In how many workgroup visits it happened.
    pub count: u64,
}

/// Where an invocation is that is not where others wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// It returned there (`None`: it fell off the end of the entry point).
    Returned(Option<SiteId>),
    /// It waits at another barrier.
    AtBarrier(SiteId),
    /// It was last seen running here.
    Running(SiteId),
}

/// A run that would not end.
#[derive(Clone, Debug, PartialEq)]
pub struct NoProgress {
    /// Who ran past the step limit, and the innermost loop (or other site) it is in.
    pub stuck: (Invocation, SiteId),
    /// Others that were not done: examples, with where they are.
    pub waiting: Vec<(Invocation, Whereabouts)>,
    /// How many invocations were not done in all.
    pub unfinished: u64,
    /// Steps the stuck one had run.
    pub steps: u64,
    /// Whether it is sure that this never ends: all that is left waits for memory to change, and nothing is left that
    /// could change it. Otherwise a limit was reached, past which the loop may come to its end.
    pub proven: bool,
}
