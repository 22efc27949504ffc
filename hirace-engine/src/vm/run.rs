//! The options and the result of one dispatch.

use super::observer::MemoryId;
use super::schedule::{Limits, Schedule};
use crate::ir::claims::Claim;
use crate::ir::sites::SiteId;
use std::sync::atomic::AtomicBool;

/// Returns the coordinates of the element with this linear index in a box of size `size`.
pub fn coordinates(linear: u32, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(|n| n.max(1));
    [linear % x, linear / x % y, linear / x / y]
}

/// The options of a dispatch.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Number of workgroups in x, y and z. Any of them may be 0: then nothing runs.
    pub workgroups: [u32; 3],
    /// Number of lanes in a subgroup: a power of two from 1 to 64.
    pub subgroup_size: u32,
    /// The schedule: the order in which workgroups and subgroups run.
    pub schedule: Schedule,
    /// The limits at which the run is ended.
    pub limits: Limits,
    /// Whether to run workgroups on all cores. Ignored unless the schedule is the serial one. The run is repeatable
    /// only if the observer reports when values flow between workgroups
    /// ([`super::observer::Observer::flowed`]).
    pub parallel: bool,
    /// A flag by which another thread stops the run early, for example on Ctrl-C.
    pub stop: Option<&'a AtomicBool>,
}

/// An invocation of a dispatch. These two numbers identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Invocation {
    /// The linear index of the invocation's workgroup.
    pub workgroup: u32,
    /// The invocation's local index in its workgroup.
    pub local: u32,
}

/// The result of a run that the engine collects independently of the observer.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Out-of-bounds accesses: one entry per site and variable, with the first access as the example.
    pub out_of_bounds: Vec<OutOfBounds>,
    /// Violated claims of the source: one entry per claim, with the first violation as the example.
    pub broken_claims: Vec<BrokenClaim>,
    /// Barriers that some invocations of a workgroup did not reach: one entry per barrier site, with the
    /// first workgroup as the example.
    pub divergences: Vec<Divergence>,
    /// Why the run made no progress, if it was ended for that reason.
    pub no_progress: Option<NoProgress>,
    /// How often each site was executed, indexed by [`SiteId`].
    pub executed: Vec<ExecutionCount>,
    /// Buffers of assumed length that were too short: the memory, and the length in bytes that would have
    /// sufficed.
    pub wanted_lengths: Vec<(MemoryId, u64)>,
    /// Number of instructions that all subgroups executed in total.
    pub steps: u64,
    /// Whether the run was ended by `Options::stop` or by its timeout.
    pub stopped: bool,
    /// Whether the run was abandoned because all subgroups together reached their step limit
    /// ([`Limits::total`]).
    pub reached_total_limit: bool,
    /// Whether the run was serial, because it was requested or because values flowed between workgroups.
    pub serial: bool,
}

impl Run {
    /// Returns whether the run completed, so that the next dispatch may begin.
    pub fn is_complete(&self) -> bool {
        !self.stopped && !self.reached_total_limit && self.no_progress.is_none()
    }
}

/// How often a site was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExecutionCount {
    /// Number of executions, summed over all invocations.
    pub count: u64,
    /// Whether at least two different invocations executed the site.
    pub by_several_invocations: bool,
}

/// An out-of-bounds access.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfBounds {
    /// The access site; [`SiteId::NONE`] for private and function memory, which have no access sites.
    pub site: SiteId,
    /// The source span of the access, or of the index if `site` is [`SiteId::NONE`].
    pub span: crate::source_map::Span,
    /// The memory; `None` for private and function memory.
    pub memory: Option<MemoryId>,
    /// The first invocation that made the access.
    pub invocation: Invocation,
    /// The index as the program computed it (a negative i32 stays negative).
    pub index: i64,
    /// Number of elements.
    pub length: u32,
    /// Number of occurrences in the run.
    pub count: u64,
    /// Whether the access writes, or a value that it read may be used. [`ReadFollower`](super::ReadFollower) finds reads whose values are not
    /// used; until then, this is true.
    pub is_used: bool,
}

/// A claim of the source that was violated.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokenClaim {
    /// The claim.
    pub claim: Claim,
    /// The operator that the claim is about.
    pub op: naga::BinaryOperator,
    /// The scalar type of the operator's operands.
    pub scalar: naga::Scalar,
    /// The words of the left operand.
    pub left: Vec<u32>,
    /// The words of the right operand.
    pub right: Vec<u32>,
    /// The source span of the claim.
    pub span: crate::source_map::Span,
    /// The first invocation that violated the claim.
    pub invocation: Invocation,
    /// Number of violations in the run.
    pub count: u64,
}

/// A barrier that not all invocations of a workgroup reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The barrier's site.
    pub site: SiteId,
    /// The first workgroup in which the divergence occurred.
    pub workgroup: u32,
    /// Local indices of the invocations that arrived.
    pub arrived: Vec<u32>,
    /// Local indices of the invocations that did not arrive, each with its position.
    pub missing: Vec<(u32, InvocationStatus)>,
    /// Number of times that a workgroup diverged at the barrier.
    pub count: u64,
}

/// The status of an invocation that has not arrived at a barrier or operation at which others wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvocationStatus {
    /// The invocation returned at this site (`None`: it reached the end of the entry point).
    Returned(Option<SiteId>),
    /// The invocation waits at another barrier.
    AtBarrier(SiteId),
    /// The invocation was last seen running at this site.
    Running(SiteId),
}

/// Describes why a run made no progress.
#[derive(Clone, Debug, PartialEq)]
pub struct NoProgress {
    /// The invocation that exceeded the step limit, and the innermost loop (or other site) that it is in.
    pub stuck: (Invocation, SiteId),
    /// Examples of other unfinished invocations, with their positions.
    pub waiting: Vec<(Invocation, InvocationStatus)>,
    /// Total number of unfinished invocations.
    pub unfinished: u64,
    /// Number of steps that the stuck invocation had run.
    pub steps: u64,
    /// Whether non-termination is certain: every unfinished invocation waits for memory to change, and
    /// nothing remains that could change it. Otherwise a limit was reached, and the loop might still have
    /// terminated.
    pub proven: bool,
}
