//! The parts of a file that were not covered.

use hirace_core::cover::coverage::{Barrier, Branch, File, Function, Loop};
use std::collections::BTreeMap;

/// A branch, loop or barrier that is not fully covered.
#[derive(Clone, Copy)]
pub(crate) enum Gap<'a> {
    /// A branch with arms that were never taken.
    Arms(&'a Branch),
    /// A loop with cases that were never observed.
    Cases(&'a Loop),
    /// A barrier that was never reached, or was reached only by some invocations.
    Barrier(&'a Barrier),
}

impl Gap<'_> {
    /// Returns the line and column, from 1.
    pub fn at(self) -> (u32, u32) {
        match self {
            Self::Arms(branch) => (branch.line, branch.column),
            Self::Cases(of) => (of.line, of.column),
            Self::Barrier(barrier) => (barrier.line, barrier.column),
        }
    }
}

/// Returns the gaps of a file: branches, then loops, then barriers, each in source order.
pub(crate) fn gaps(file: &File) -> impl Iterator<Item = Gap<'_>> {
    let is_gap = |branch: &&Branch| branch.arms.iter().any(|arm| arm.count == 0);
    let branches = file.branches.iter().filter(is_gap).map(Gap::Arms);
    let is_gap = |of: &&Loop| of.cases().any(|(_, count)| count == 0);
    let loops = file.loops.iter().filter(is_gap).map(Gap::Cases);
    let barriers = file.barriers.iter().filter(|barrier| !barrier.is_covered()).map(Gap::Barrier);
    branches.chain(loops).chain(barriers)
}

/// Returns how often each line ran. For a line shared by several functions, the counts are added.
pub(crate) fn counts(file: &File, hits: bool) -> BTreeMap<u32, u64> {
    let mut counts = BTreeMap::<u32, u64>::new();
    for line in &file.lines {
        let known = counts.entry(line.line).or_default();
        *known = known.saturating_add(line.count);
    }
    if hits {
        counts.values_mut().for_each(|count| *count = (*count).min(1));
    }
    counts
}

/// Returns ranges of lines that never ran, as first and last line. Lines without code do not end a range, but the next
/// function does.
pub(crate) fn lines(file: &File) -> Vec<(u32, u32)> {
    let counts = counts(file, false);
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut open: Option<&str> = None;
    for line in &file.lines {
        let never = counts.get(&line.line) == Some(&0);
        match ranges.last_mut() {
            Some((_, last)) if never && open == Some(&line.function) => *last = line.line,
            // Belongs to another function on the same line.
            Some((_, last)) if never && *last == line.line => {}
            _ if never => ranges.push((line.line, line.line)),
            _ => {}
        }
        open = never.then_some(&line.function);
    }
    ranges
}

/// Returns the functions that were never called.
pub(crate) fn functions(file: &File) -> impl Iterator<Item = &Function> {
    file.functions.iter().filter(|function| function.count == 0)
}
