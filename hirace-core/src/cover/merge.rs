//! Reads coverage, and merges the counts of several runs.

use super::coverage::{
    Arm, Barrier, Branch, BranchKind, Coverage, File, Function, Kernel, Line, Loop, Summary, Test,
};
use std::mem;

/// An item with counts that can be merged.
pub(super) trait Merge {
    /// The identity of an item: the counts of items with the same key are added up.
    type Key<'a>: Ord
    where
        Self: 'a;

    fn key(&self) -> Self::Key<'_>;

    /// Adds the counts of `other`, which is the same item in another coverage.
    fn add(&mut self, other: Self);
}

/// Merges a list into a sorted list: counts of known items are added up, and new items are inserted in order.
pub(super) fn join<T: Merge>(known: &mut Vec<T>, others: Vec<T>) {
    for other in others {
        match known.binary_search_by(|one| one.key().cmp(&other.key())) {
            Ok(at) => known[at].add(other),
            Err(at) => known.insert(at, other),
        }
    }
}

/// Inserts items into a sorted set.
pub(super) fn join_sets<T: Ord>(known: &mut Vec<T>, others: Vec<T>) {
    known.extend(others);
    known.sort_unstable();
    known.dedup();
}

fn sum(to: &mut u64, from: u64) {
    *to = to.saturating_add(from);
}

/// Adds two counts; if only one is known, the sum is that one.
fn sum_known(to: &mut Option<u64>, from: Option<u64>) {
    *to = match (*to, from) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
}

impl Merge for File {
    type Key<'a> = (&'a str, Option<&'a str>);

    fn key(&self) -> Self::Key<'_> {
        (&self.file, self.text.as_deref())
    }

    fn add(&mut self, other: Self) {
        join(&mut self.kernels, other.kernels);
        join(&mut self.lines, other.lines);
        join(&mut self.functions, other.functions);
        join(&mut self.branches, other.branches);
        join(&mut self.loops, other.loops);
        join(&mut self.barriers, other.barriers);
    }
}

/// Tests with the same name are merged.
impl Merge for Test {
    type Key<'a> = &'a str;

    fn key(&self) -> &str {
        &self.name
    }

    fn add(&mut self, other: Self) {
        sum(&mut self.launches, other.launches);
        join_sets(&mut self.kernels, other.kernels);
    }
}

impl Merge for Kernel {
    type Key<'a> = &'a str;

    fn key(&self) -> &str {
        &self.name
    }

    fn add(&mut self, other: Self) {
        sum(&mut self.dispatches, other.dispatches);
        join_sets(&mut self.functions, other.functions);
    }
}

/// Lines of functions with the same name are merged, so that the instances of a generic function count as one.
impl Merge for Line {
    type Key<'a> = (u32, &'a str);

    fn key(&self) -> (u32, &str) {
        (self.line, &self.function)
    }

    fn add(&mut self, other: Self) {
        sum(&mut self.count, other.count);
    }
}

impl Merge for Function {
    type Key<'a> = (u32, &'a str);

    fn key(&self) -> (u32, &str) {
        (self.line, &self.name)
    }

    fn add(&mut self, other: Self) {
        sum(&mut self.count, other.count);
    }
}

impl Merge for Branch {
    type Key<'a> = (u32, u32, BranchKind, &'a str, u32);

    fn key(&self) -> Self::Key<'_> {
        (self.line, self.column, self.kind, &self.function, self.index)
    }

    fn add(&mut self, other: Self) {
        let labels =
            |of: &[Arm]| of.iter().map(|arm| (arm.line, arm.label.clone())).collect::<Vec<_>>();
        if labels(&self.arms) == labels(&other.arms) {
            let arms = self.arms.iter_mut().zip(&other.arms);
            arms.for_each(|(known, arm)| sum(&mut known.count, arm.count));
            return sum_known(&mut self.diverged, other.diverged);
        }
        // Instances of a generic kernel may have different arms.
        for arm in other.arms {
            let is_same = |known: &&mut Arm| (known.line, &known.label) == (arm.line, &arm.label);
            match self.arms.iter_mut().find(is_same) {
                Some(known) => sum(&mut known.count, arm.count),
                None => self.arms.push(arm),
            }
        }
        sum_known(&mut self.diverged, other.diverged);
    }
}

impl Merge for Loop {
    type Key<'a> = (u32, u32, &'a str);

    fn key(&self) -> Self::Key<'_> {
        (self.line, self.column, &self.function)
    }

    fn add(&mut self, other: Self) {
        sum_known(&mut self.zero, other.zero);
        sum(&mut self.once, other.once);
        sum(&mut self.many, other.many);
        sum_known(&mut self.boundary, other.boundary);
        // Other values of constants may make a case possible.
        self.impossible.retain(|case| other.impossible.contains(case));
    }
}

impl Merge for Barrier {
    type Key<'a> = (u32, u32, &'a str);

    fn key(&self) -> Self::Key<'_> {
        (self.line, self.column, &self.function)
    }

    fn add(&mut self, other: Self) {
        sum(&mut self.complete, other.complete);
        sum(&mut self.divergent, other.divergent);
    }
}

impl Coverage {
    /// Parses coverage from JSON. Its lists may be in any order, because other programs may have written it.
    ///
    /// # Errors
    /// Returns an error if the text is not coverage in JSON.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        let mut read: Self = serde_json::from_str(text)?;
        let files = mem::take(&mut read.files).into_iter().map(File::sorted);
        join(&mut read.files, files.collect());
        let tests = mem::take(&mut read.tests);
        join(&mut read.tests, tests);
        Ok(read)
    }

    /// Merges `other` into this coverage. If both have a file with the same name but different texts, its entries stay separate.
    /// The lists of each file must be sorted, as [`Coverage::from_counts`] and [`Coverage::read`] return them.
    pub fn add(&mut self, other: Self) {
        self.hits |= other.hits;
        join(&mut self.files, other.files);
        join(&mut self.tests, other.tests);
        join_sets(&mut self.unobserved, other.unobserved);
        join_sets(&mut self.launched, other.launched);
        join_sets(&mut self.shards, other.shards);
        join_sets(&mut self.errors, other.errors);
        self.run_id = self.run_id.take().or(other.run_id);
        self.stopped |= other.stopped;
        if self.hits {
            self.reduce_to_hits();
        }
        let parts = self.files.iter().map(File::summary);
        self.summary = parts.fold(Summary::default(), Summary::and);
    }

    /// Sorts the files and tests, and merges duplicates.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        let files = mem::take(&mut self.files).into_iter().map(File::sorted).collect();
        let tests = mem::take(&mut self.tests);
        self.add(Self { files, tests, ..Self::default() });
        self
    }
}

impl File {
    /// Sorts all lists of the file.
    pub(super) fn sorted(self) -> Self {
        let (file, text) = (self.file.clone(), self.text.clone());
        let mut ordered = Self { file, text, ..Self::default() };
        ordered.add(self);
        ordered
    }

    /// Reduces counts to 0 or 1: not executed or executed.
    pub(super) fn reduce_to_hits(&mut self) {
        let hit = |count: &mut u64| *count = (*count).min(1);
        self.lines.iter_mut().for_each(|line| hit(&mut line.count));
        self.functions.iter_mut().for_each(|function| hit(&mut function.count));
        for branch in &mut self.branches {
            branch.arms.iter_mut().for_each(|arm| hit(&mut arm.count));
            branch.diverged.iter_mut().for_each(hit);
        }
        for of in &mut self.loops {
            [&mut of.once, &mut of.many].into_iter().for_each(hit);
            [&mut of.zero, &mut of.boundary].into_iter().flatten().for_each(hit);
        }
        for barrier in &mut self.barriers {
            [&mut barrier.complete, &mut barrier.divergent].into_iter().for_each(hit);
        }
    }
}
