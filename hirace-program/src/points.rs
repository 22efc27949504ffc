//! Coverage points: what coverage counts, and where. Both the coverage pass for devices and the embedded engine follow this list.
//!
//! Statements that always execute together are a *run*. A run begins with a block, and after each statement inside which control
//! may have left that block, or in which a subgroup may have diverged. Each run has one counter, each arm has one, and each loop
//! has three. If an arm is entered at exactly one point and a run begins there, they share a counter.
//!
//! A loop is left by its condition, by `break`, or by returning from the function. To classify how it was left, iterations are
//! counted, up to two, in a variable that is 0 before the loop's *region*: the loop, or the enclosing `if` that a front end
//! generated to decide whether the loop is entered at all.
//!
//! Visits of barriers are counted per invocation, so no invocation has to wait for another. The minimum and the maximum over a
//! workgroup show how many visits were full.
//!
//! **Architecture invariant:** no other code decides what is counted, so the engine and the pass produce the same counts.

use crate::ir::body::{Arm, ArmId, ArmKind, Branch, BranchKind, Entry, StatementKind};
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId, StatementId};
use crate::program::Program;
use naga::Statement;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The identifier of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counter(pub u32);

impl Counter {
    /// Returns the `n`-th counter after this one.
    pub fn plus(self, n: u32) -> Self {
        Self(self.0 + n)
    }
}

/// A statement of a program.
pub type StatementRef = (FunctionId, StatementId);

/// A loop, and its counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedLoop {
    /// The loop statement.
    pub at: StatementRef,
    /// The statement after which the loop has been left.
    pub region: StatementId,
    /// The first of three counters: the loop was left after no iteration, after one, and after more.
    pub counters: Counter,
    /// The arm of its iterations.
    pub iteration: ArmId,
    /// The arms of leaving the loop because a condition is false.
    pub boundary: [Option<ArmId>; 2],
    /// Whether the loop can be left after no iteration.
    pub may_be_skipped: bool,
}

/// The coverage points of a program.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// By the first statement of a run: its counter, unless it shares that of an arm.
    begins: FxHashMap<StatementRef, Counter>,
    /// By statement: the counter of its run.
    of_statement: FxHashMap<StatementRef, Counter>,
    arms: Vec<Counter>,
    /// Loops, in the order of branches.
    pub loops: Vec<CountedLoop>,
    /// Indices into `loops`, by region.
    by_region: FxHashMap<StatementRef, usize>,
    /// Indices into `loops`, by the arm of the iterations.
    loop_by_arm: FxHashMap<ArmId, usize>,
    /// Workgroup barriers, in statement order.
    pub barriers: Vec<(StatementRef, SiteId)>,
    by_barrier: FxHashMap<StatementRef, usize>,
    /// Number of counters.
    pub counters: u32,
}

impl Points {
    /// Computes the coverage points of `program`.
    pub fn of(program: &Program) -> Self {
        let mut points = Self::default();
        for _ in &program.bodies.arms {
            let counter = points.counter();
            points.arms.push(counter);
        }
        points.find_runs(program);
        points.find_loops(program);
        points.find_barriers(program);
        points
    }

    fn counter(&mut self) -> Counter {
        self.counters += 1;
        Counter(self.counters - 1)
    }

    fn find_runs(&mut self, program: &Program) {
        for body in program.bodies.iter() {
            let id = body.function;
            let numbered = body.statements_of(id.get(&program.module));
            let mut open = vec![(numbered, None)];
            while let Some((block, place)) = open.pop() {
                let mut run = None;
                for at in block.iter() {
                    let counter = *run.get_or_insert_with(|| {
                        // Only the first run of a block can share the arm's counter.
                        let first = block.iter().next().map(|first| first.id) == Some(at.id);
                        let arm = place.filter(|_| first).and_then(|(statement, block)| {
                            self.shared(program, id, statement, block)
                        });
                        arm.unwrap_or_else(|| {
                            let own = self.counter();
                            self.begins.insert((id, at.id), own);
                            own
                        })
                    });
                    self.of_statement.insert((id, at.id), counter);
                    if may_leave(at.statement, JumpScope::default()) || parts(at.statement) {
                        run = None;
                    }
                    let inner = at.blocks().into_iter().enumerate();
                    open.extend(inner.map(|(index, block)| (block, Some((at.id, index)))));
                }
            }
        }
    }

    /// Returns the counter of the arm that is entered only through this block.
    fn shared(
        &self,
        program: &Program,
        id: FunctionId,
        statement: StatementId,
        block: usize,
    ) -> Option<Counter> {
        let arm = program.body(id).arm_at(statement, block)?;
        let here = Entry::Block { statement, block };
        (program.bodies.arm(arm).entries == [here]).then(|| self.arm(arm))
    }

    fn find_loops(&mut self, program: &Program) {
        let bodies = &program.bodies;
        for branch in bodies.branches.iter().filter(|branch| branch.kind == BranchKind::Loop) {
            let at = (branch.function, branch.statement);
            let is_end = |other: &&Branch| {
                other.kind == BranchKind::LoopEnd && (other.function, other.statement) == at
            };
            let end = bodies.branches.iter().find(is_end);
            let boundary_of = |branch| {
                let mut arms = bodies.arms_of(branch);
                arms.find(|(_, arm)| arm.kind == ArmKind::Boundary).map(|(arm, _)| arm)
            };
            let own = boundary_of(branch);
            let boundary = [own, end.and_then(boundary_of)];
            let mut iterations =
                bodies.arms_of(branch).filter(|(_, arm)| arm.kind == ArmKind::Iteration);
            let Some((iteration, _)) = iterations.next() else { continue };
            let entries = own.map_or(&[][..], |arm| &bodies.arm(arm).entries);
            let around = entries.iter().find_map(|entry| match *entry {
                Entry::Block { statement, .. } if statement < branch.statement => Some(statement),
                _ => None,
            });
            let region = around.unwrap_or(branch.statement);
            let counters = self.counter();
            self.counters += 2;
            let index = self.loops.len();
            self.by_region.insert((branch.function, region), index);
            self.loop_by_arm.insert(iteration, index);
            let may_be_skipped = own.is_some();
            self.loops.push(CountedLoop {
                at,
                region,
                counters,
                iteration,
                boundary,
                may_be_skipped,
            });
        }
    }

    fn find_barriers(&mut self, program: &Program) {
        for body in program.bodies.iter() {
            for (at, statement) in body.all() {
                let at = (body.function, at);
                let site = program.sites.barrier(body.function, at.1);
                let Some(site) = site.filter(|_| statement.kind == StatementKind::Barrier) else {
                    continue;
                };
                let does = program.sites.barrier_at(site);
                if !does.is_some_and(|barrier| barrier.is_subgroup_barrier()) {
                    self.by_barrier.insert(at, self.barriers.len());
                    self.barriers.push((at, site));
                }
            }
        }
    }

    /// Returns the counter of an arm.
    ///
    /// # Panics
    /// If the program has no such arm.
    pub fn arm(&self, arm: ArmId) -> Counter {
        self.arms[arm.0 as usize]
    }

    /// Returns the counter of the run that contains this statement.
    pub fn run_of(&self, at: StatementRef) -> Option<Counter> {
        self.of_statement.get(&at).copied()
    }

    /// Returns the counters of these functions, in order.
    pub fn within(&self, program: &Program, functions: &[FunctionId]) -> Vec<Counter> {
        let is_within = |id: FunctionId| functions.contains(&id);
        let bodies = &program.bodies;
        let of_arm = |arm: &Arm| bodies.branch(arm.branch).function;
        let arms = bodies.arms.iter().zip(&self.arms).map(|(arm, &counter)| (of_arm(arm), counter));
        let begins = self.begins.iter().map(|(at, &counter)| (at.0, counter));
        let loops = self.loops.iter();
        let left = loops.flat_map(|of| (0..3).map(|n| (of.at.0, of.counters.plus(n))));
        let all = arms.chain(begins).chain(left);
        let within: BTreeSet<Counter> =
            all.filter(|(function, _)| is_within(*function)).map(|(_, counter)| counter).collect();
        within.into_iter().collect()
    }

    /// Returns the counter to increment before this statement: that of a run that begins here and does not share the counter of
    /// an arm.
    pub fn begins(&self, at: StatementRef) -> Option<Counter> {
        self.begins.get(&at).copied()
    }

    /// Returns the index of the loop whose region is this statement.
    pub fn region(&self, at: StatementRef) -> Option<usize> {
        self.by_region.get(&at).copied()
    }

    /// Returns the index of the loop whose iterations are this arm.
    pub fn iteration(&self, arm: ArmId) -> Option<usize> {
        self.loop_by_arm.get(&arm).copied()
    }

    /// Returns the index of the barrier at this statement.
    pub fn barrier(&self, at: StatementRef) -> Option<usize> {
        self.by_barrier.get(&at).copied()
    }

    /// Returns the indices of the loops whose regions enclose a statement, innermost first.
    pub fn enclosing_loops(&self, program: &Program, at: StatementRef) -> Vec<usize> {
        let body = program.body(at.0);
        let mut around = Vec::new();
        let mut inner = at.1;
        while let Some((outer, _)) = body.statement(inner).parent {
            around.extend(self.region((at.0, outer)));
            inner = outer;
        }
        around
    }
}

/// The statements inside an examined statement that `break` and `continue` can refer to.
#[derive(Clone, Copy, Default)]
struct JumpScope {
    a_loop: bool,
    a_switch: bool,
}

/// Returns whether control may leave the enclosing block from inside a statement.
fn may_leave(statement: &Statement, within: JumpScope) -> bool {
    let inner = match statement {
        Statement::Return { .. } => return true,
        Statement::Break => return !within.a_loop && !within.a_switch,
        Statement::Continue => return !within.a_loop,
        Statement::Loop { .. } => JumpScope { a_loop: true, ..within },
        Statement::Switch { .. } => JumpScope { a_switch: true, ..within },
        _ => within,
    };
    let mut blocks = walk::children(statement).into_iter();
    blocks.any(|block| block.iter().any(|statement| may_leave(statement, inner)))
}

/// Returns whether a statement may split or merge the parts of a subgroup, because some invocations wait for others or execute
/// more iterations in it.
fn parts(statement: &Statement) -> bool {
    match statement {
        Statement::Loop { .. }
        | Statement::Call { .. }
        | Statement::ControlBarrier(_)
        | Statement::WorkGroupUniformLoad { .. }
        | Statement::SubgroupBallot { .. }
        | Statement::SubgroupGather { .. }
        | Statement::SubgroupCollectiveOperation { .. } => true,
        _ => walk::children(statement).into_iter().any(|block| block.iter().any(parts)),
    }
}

/// The counts of a program's coverage points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By counter: the number of invocations.
    pub lanes: Vec<u64>,
    /// By counter: the number of subgroups, or of their divergent parts. `None` if subgroups are not counted.
    pub subgroups: Option<Vec<u64>>,
    /// By workgroup barrier: visits by all and by some of its invocations.
    pub barriers: Vec<BarrierVisits>,
}

/// The number of visits of workgroups to a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BarrierVisits {
    /// Visits by all invocations of a workgroup.
    pub full: u64,
    /// Visits by some but not all invocations of a workgroup.
    pub divergent: u64,
}

impl BarrierVisits {
    /// Computes the visits of a workgroup from the number of visits of each of its invocations.
    pub fn of(each: impl Iterator<Item = u32>) -> Self {
        let bounds = each.fold(None, |bounds: Option<(u32, u32)>, count| {
            let (least, most) = bounds.unwrap_or((count, count));
            Some((least.min(count), most.max(count)))
        });
        let (least, most) = bounds.unwrap_or_default();
        Self { full: least.into(), divergent: (most - least).into() }
    }
}

impl std::ops::AddAssign for BarrierVisits {
    fn add_assign(&mut self, other: Self) {
        self.full = self.full.saturating_add(other.full);
        self.divergent = self.divergent.saturating_add(other.divergent);
    }
}

impl Counts {
    /// Creates counts of zero for all `points`.
    pub fn none(points: &Points, of_subgroups: bool) -> Self {
        let zeros = || vec![0; points.counters as usize];
        Self {
            lanes: zeros(),
            subgroups: of_subgroups.then(zeros),
            barriers: vec![BarrierVisits::default(); points.barriers.len()],
        }
    }

    /// Adds other counts of the same program.
    pub fn add(&mut self, other: &Self) {
        let sum = |to: &mut [u64], from: &[u64]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = to.saturating_add(*from));
        };
        sum(&mut self.lanes, &other.lanes);
        match (&mut self.subgroups, &other.subgroups) {
            (Some(to), Some(from)) => sum(to, from),
            (to, _) => *to = None,
        }
        self.barriers.iter_mut().zip(&other.barriers).for_each(|(to, from)| *to += *from);
    }
}
