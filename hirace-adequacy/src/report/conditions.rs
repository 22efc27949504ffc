//! Conditions in the sense of gcov and similar formats, where only branches and loop conditions affect control flow.
//!
//! A loop has a condition if it is known how often the condition ended it. Its two outcomes are "continue", counted
//! once per execution of the loop with an iteration (iterations themselves are not counted), and "end". These formats
//! cannot express whether a loop ran with zero, one or more iterations, nor barriers.

use hirace_core::cover::coverage::{BranchKind, File, Loop, LoopCase};
use std::collections::BTreeMap;

/// A point from which control continues in several ways.
pub(super) struct Condition<'a> {
    /// The enclosing function.
    pub function: &'a str,
    /// Whether it has, or could have, more than two outcomes.
    pub is_switch: bool,
    /// The number of times each outcome was taken.
    pub ways: Vec<u64>,
}

impl Condition<'_> {
    /// Returns the number of outcomes that were taken.
    pub fn taken(&self) -> u64 {
        self.ways.iter().filter(|count| **count > 0).count() as u64
    }
}

/// A line with its conditions.
pub(super) struct Row<'a> {
    /// The number of times the line ran.
    pub count: u64,
    /// The conditions from left to right.
    pub conditions: Vec<Condition<'a>>,
}

/// Returns the executable lines of a file, by number.
pub(super) fn rows(file: &File, hits: bool) -> BTreeMap<u32, Row<'_>> {
    let counts = super::missing::counts(file, hits);
    let row = |count| Row { count, conditions: Vec::new() };
    let mut rows: BTreeMap<u32, Row<'_>> =
        counts.into_iter().map(|(line, count)| (line, row(count))).collect();
    let branches = file.branches.iter().map(|branch| {
        let condition = Condition {
            function: &branch.function,
            is_switch: branch.kind == BranchKind::Switch,
            ways: branch.arms.iter().map(|arm| arm.count).collect(),
        };
        ((branch.line, branch.column), condition)
    });
    let loops = file.loops.iter().filter_map(|of| {
        let ways = ways(of)?;
        let condition = Condition { function: &of.function, is_switch: false, ways };
        Some(((of.line, of.column), condition))
    });
    let mut conditions: Vec<_> = branches.chain(loops).collect();
    conditions.sort_by_key(|(at, _)| *at);
    for ((line, _), condition) in conditions {
        // A condition makes its line executable, and the line ran if the condition did.
        let seen = || row(condition.ways.iter().copied().max().unwrap_or(0));
        rows.entry(line).or_insert_with(seen).conditions.push(condition);
    }
    rows
}

/// Returns the counts of a loop condition: how often it continued the loop, and how often it ended it, without what constants
/// exclude. `None` if nothing remains.
fn ways(of: &Loop) -> Option<Vec<u64>> {
    let ends = of.boundary?;
    // If the body runs before the first test, a single iteration says nothing about the condition.
    let goes_on = if of.zero.is_some() { of.once.saturating_add(of.many) } else { of.many };
    let is_possible = |case: LoopCase| !of.impossible.contains(&case);
    let continues = is_possible(LoopCase::Many) || of.zero.is_some() && is_possible(LoopCase::Once);
    let ways = [(continues, goes_on), (is_possible(LoopCase::Boundary), ends)];
    let ways: Vec<u64> = ways.into_iter().filter(|(may, _)| *may).map(|(_, count)| count).collect();
    (!ways.is_empty()).then_some(ways)
}
