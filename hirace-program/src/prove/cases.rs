//! Finds the arms of branches and the cases of loops that can occur in some launch.
//!
//! The walk enters a block only if it cannot exclude that an invocation does, so the blocks that it enters include all that any
//! launch enters. For a loop, its first two iterations are walked with exact values before the assumptions about all iterations
//! are found: they show whether the loop can be left after no iteration, after one, or after more. The values of a launch
//! (its grid, lengths and contents of buffers) are unknown here.

use super::condition::Condition;
use super::form::Form;
use super::rules::Rules;
use super::solve::Effort;
use super::symbol::Level;
use super::walk::Walk;
use super::{EFFORT, Facts};
use crate::ir::body::{ArmKind, BranchKind, Entry};
use crate::ir::possible::{BlockRef, LoopCases, PossibleCases};
use crate::ir::walk::{self, FunctionId, StatementId, Statements};
use crate::program::Program;
use naga::{Expression, Handle, ShaderStage, Statement, SwitchValue};
use std::collections::BTreeSet;

/// Facts that hold for every dispatch.
pub(super) struct AnyDispatch;

impl Facts for AnyDispatch {}

/// Returns the arms and cases of a program that can occur. They are computed on first use; the module must not be changed after
/// that. Functions that a limit of the analysis or a shader of another stage affects have all arms and cases.
pub fn possible_cases(program: &Program) -> &PossibleCases {
    program.possible.get_or_init(|| {
        let _span = tracing::trace_span!("possible_cases").entered();
        let mut all = PossibleCases::default();
        // Coverage is about all values of overrides.
        if program.has_overrides {
            return all;
        }
        let mut unknown = BTreeSet::new();
        for (entry, of) in program.module.entry_points.iter().enumerate() {
            let functions = program.calls.reachable([FunctionId::Entry(entry)]);
            let found =
                (of.stage == ShaderStage::Compute).then(|| cases_of(program, entry)).flatten();
            let Some(found) = found else {
                unknown.extend(functions);
                continue;
            };
            all.known.extend(functions);
            all.entered.extend(found.entered);
            for (at, cases) in found.loops {
                all.loops.entry(at).or_default().add(cases);
            }
        }
        all.known.retain(|function| !unknown.contains(function));
        all
    })
}

/// Returns the arms and cases that can occur in dispatches of an entry point, or `None` if a limit was exceeded.
fn cases_of(program: &Program, entry: usize) -> Option<PossibleCases> {
    let mut walk = Walk::new(program, entry, &AnyDispatch, (Rules::default(), Effort::new(EFFORT)));
    walk.cases = Some(PossibleCases::default());
    walk.run(entry);
    walk.cases.filter(|_| !walk.failed)
}

impl LoopCases {
    fn add(&mut self, other: Self) {
        self.zero |= other.zero;
        self.once |= other.once;
        self.many |= other.many;
    }
}

impl<'a> Walk<'a> {
    /// Records that an invocation may enter a block.
    pub(super) fn note_entered(&mut self, block: BlockRef) {
        let function = self.frame().id;
        if let Some(cases) = self.cases.as_mut().filter(|_| self.state.is_live) {
            cases.entered.insert((function, block));
        }
    }

    /// Returns a condition as known, if cases are recorded and what is known at this point decides it.
    pub(super) fn decide(&mut self, condition: Condition) -> Condition {
        if self.cases.is_none() {
            return condition;
        }
        let known = match &condition {
            Condition::AtLeast0(_) | Condition::Is0(_) | Condition::NonZero(_) => {
                match self.is_excluded(&condition) {
                    true => Some(false),
                    false => self.is_excluded(&condition.negate()).then_some(true),
                }
            }
            Condition::All(parts) => {
                parts.iter().any(|part| self.is_excluded(part)).then_some(false)
            }
            Condition::Any(parts) => {
                parts.iter().any(|part| self.is_excluded(&part.negate())).then_some(true)
            }
            Condition::Known(_) | Condition::Unknown(_) => None,
        };
        known.map_or(condition, Condition::Known)
    }

    /// Returns whether it is proved that a condition does not hold at this point.
    fn is_excluded(&mut self, condition: &Condition) -> bool {
        let negative = |form: &Form| form.checked_mul(-1)?.checked_add_constant(-1);
        let positive = |form: &Form| form.checked_add_constant(-1);
        let mut holds = |form: Option<Form>| form.is_some_and(|form| self.is_at_least_0(&form));
        match condition {
            Condition::Known(known) => !known,
            Condition::AtLeast0(form) => holds(negative(form)),
            Condition::Is0(form) => holds(negative(form)) || holds(positive(form)),
            Condition::NonZero(form) => holds(Some(form.clone())) && holds(form.checked_mul(-1)),
            Condition::All(_) | Condition::Any(_) | Condition::Unknown(_) => false,
        }
    }

    /// Returns whether it is proved that a selector has no value of a case. `all` are the values of all cases.
    pub(super) fn excludes_case(
        &mut self,
        selector: Option<&Form>,
        value: SwitchValue,
        all: impl Iterator<Item = SwitchValue>,
    ) -> bool {
        let (Some(selector), true) = (selector, self.cases.is_some()) else { return false };
        if let Some(value) = number(value) {
            let difference = selector.checked_add_constant(-value);
            return difference.is_some_and(|form| {
                let condition = Condition::is_0(form, &self.symbols);
                self.is_excluded(&condition)
            });
        }
        let mut values: Vec<i64> = all.filter_map(number).collect();
        values.sort_unstable();
        // The default is excluded if the selector is in a range whose values all have cases.
        values.chunk_by(|one, next| next - one <= 1).any(|run| {
            let least = selector.checked_add_constant(-run[0]);
            let most = selector.checked_mul(-1);
            let most = most.and_then(|form| form.checked_add_constant(run[run.len() - 1]));
            let mut holds = |form: Option<Form>| form.is_some_and(|form| self.is_at_least_0(&form));
            holds(least) && holds(most)
        })
    }

    /// Records after how many iterations a loop can be left, from its first two iterations.
    pub(super) fn note_iterations(
        &mut self,
        at: StatementId,
        body: Statements<'a>,
        continuing: Statements<'a>,
        break_if: Option<Handle<Expression>>,
    ) {
        if self.cases.is_none() {
            return;
        }
        self.note_entered((at, 0));
        self.note_entered((at, 1));
        let function = self.frame().id;
        let found = match self.head_of(at) {
            Some(head) => self.first_iterations(at, &head, (body, continuing, break_if)),
            None => LoopCases::ALL,
        };
        if let Some(cases) = &mut self.cases {
            cases.loops.entry((function, at)).or_default().add(found);
        }
    }

    fn head_of(&self, at: StatementId) -> Option<LoopHead> {
        let (bodies, function) = (&self.program.bodies, self.frame().id);
        let is_it = |kind, statement| kind == BranchKind::Loop && statement == at;
        let branch = bodies.branches_of(function).find(|of| is_it(of.kind, of.statement))?;
        let blocks = |wanted: ArmKind| -> Option<Vec<BlockRef>> {
            let arms = bodies.arms_of(branch).filter(move |(_, arm)| arm.kind == wanted);
            let entries = arms.flat_map(|(_, arm)| &arm.entries);
            entries
                .map(|entry| match *entry {
                    Entry::Block { statement, block } => Some((statement, block)),
                    Entry::Value { .. } => None,
                })
                .collect()
        };
        let (iteration, boundary) = (blocks(ArmKind::Iteration)?, blocks(ArmKind::Boundary)?);
        (!iteration.is_empty()).then_some(LoopHead { iteration, boundary })
    }

    fn first_iterations(
        &mut self,
        at: StatementId,
        head: &LoopHead,
        (body, continuing, break_if): (Statements<'a>, Statements<'a>, Option<Handle<Expression>>),
    ) -> LoopCases {
        let (before, instances, path) = (self.state.clone(), self.instances.len(), self.path);
        let returns = self.frame().returns.len();
        let function = self.frame().id;
        let mut found = LoopCases {
            // A front end may test before the loop whether to enter it.
            zero: head.boundary.iter().any(|&(statement, block)| {
                let cases = self.cases.as_ref();
                statement < at
                    && cases.is_some_and(|cases| {
                        cases.entered.contains(&(function, (statement, block)))
                    })
            }),
            ..LoopCases::default()
        };
        let mut start = before.clone();
        start.flow.branch = before.flow.level();
        start.flow.broke = Level::Dispatch;
        start.flow.continued = Level::Dispatch;
        for number in 0..2 {
            self.path = path;
            self.path = self.place(at, number + 1);
            let mut entered = self.cases.as_mut().map(|of| std::mem::take(&mut of.entered));
            let returned = self.frame().returns.len();
            let (end, exits) = self.walk_iteration(start, body, continuing, break_if);
            let Some(cases) = &mut self.cases else { break };
            let is_entered = |block: &BlockRef| cases.entered.contains(&(function, *block));
            let is_iterated = head.iteration.iter().any(|block| block.0 == at || is_entered(block));
            let is_ended = head.boundary.iter().any(|block| block.0 > at && is_entered(block));
            if let Some(before) = entered.take() {
                cases.entered.extend(before);
            }
            if self.failed {
                break;
            }
            let is_left =
                exits.len() > usize::from(is_ended) || self.frame().returns.len() > returned;
            if number == 0 {
                found.zero |= is_ended || is_left && head.may_be_left_before(body);
                found.once |= is_iterated && is_left;
            } else {
                found.once |= is_ended || is_left && head.may_be_left_before(body);
                found.many |= is_iterated;
            }
            if !end.is_live || !is_iterated {
                break;
            }
            start = end;
        }
        let last = self.frames.len() - 1;
        self.frames[last].returns.truncate(returns);
        self.instances.truncate(instances);
        (self.state, self.path) = (before, path);
        found
    }
}

/// The blocks at the head of a loop.
struct LoopHead {
    /// Those that begin an iteration.
    iteration: Vec<BlockRef>,
    /// Those that leave the loop because its condition does not hold.
    boundary: Vec<BlockRef>,
}

impl LoopHead {
    /// Returns whether a statement of the loop before its head may leave it.
    fn may_be_left_before(&self, body: Statements<'_>) -> bool {
        let is_head = |at: StatementId| self.iteration.iter().any(|block| block.0 == at);
        let mut before = body.iter().take_while(|at| !is_head(at.id));
        before.any(|at| {
            let mut leaves = matches!(at.statement, Statement::Return { .. } | Statement::Break);
            for block in at.blocks() {
                walk::statements(block.block(), &mut |_, statement, _| {
                    leaves |= matches!(statement, Statement::Return { .. } | Statement::Break);
                });
            }
            leaves
        })
    }
}

fn number(value: SwitchValue) -> Option<i64> {
    match value {
        SwitchValue::I32(value) => Some(i64::from(value)),
        SwitchValue::U32(value) => Some(i64::from(value)),
        SwitchValue::Default => None,
    }
}
