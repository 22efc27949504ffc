//! Conditions, in the sense of gcov and its like, which know of nothing else that control hangs on: branches, and the
//! conditions of loops.
//!
//! A loop has one where it is known how often that ended it. Its two ways are that there was a turn and that the condition
//! ended the loop; the first is counted once for each time that the loop was come to, as turns themselves are not. Whether
//! a loop was seen with no, one and more turns has no place in these formats, nor have barriers.

use hirace_core::cover::coverage::{BranchKind, File, Loop};
use std::collections::BTreeMap;

/// A place that control goes several ways from.
pub(super) struct Condition<'a> {
    /// The function that it is in.
    pub function: &'a str,
    /// Whether it has more than two ways, or could.
    pub is_switch: bool,
    /// How often each way was taken.
    pub ways: Vec<u64>,
}

impl Condition<'_> {
    /// How many ways were taken.
    pub fn taken(&self) -> u64 {
        self.ways.iter().filter(|count| **count > 0).count() as u64
    }
}

/// A line, with the conditions on it.
pub(super) struct Row<'a> {
    /// How often it ran.
    pub count: u64,
    /// From left to right.
    pub conditions: Vec<Condition<'a>>,
}

/// The lines that hold something to run.
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
        let ways = ways(of)?.to_vec();
        let condition = Condition { function: &of.function, is_switch: false, ways };
        Some(((of.line, of.column), condition))
    });
    let mut conditions: Vec<_> = branches.chain(loops).collect();
    conditions.sort_by_key(|(at, _)| *at);
    for ((line, _), condition) in conditions {
        // What stands on a line makes it one that holds something to run, and it ran if that did.
        let seen = || row(condition.ways.iter().copied().max().unwrap_or(0));
        rows.entry(line).or_insert_with(seen).conditions.push(condition);
    }
    rows
}

/// The ways of a loop's condition: that it says to go on, and that it says to end.
fn ways(of: &Loop) -> Option<[u64; 2]> {
    let ends = of.boundary?;
    // A body that runs before the condition is first asked says nothing of it.
    let goes_on = if of.zero.is_some() { of.once.saturating_add(of.many) } else { of.many };
    Some([goes_on, ends])
}
