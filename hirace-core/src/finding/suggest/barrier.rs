//! Suggestions for barriers that would order the accesses of a race within a workgroup.

use crate::analysis::uniformity::{
    NonUniformPoints, NonUniformPointsByEntry, VaryingOrigin, non_uniform_points_if_shared,
};
use crate::facts::place::line_of;
use crate::facts::{BarrierClass, Suggestion};
use crate::finding::barriers::class_of;
use crate::finding::element;
use crate::finding::group::Group;
use crate::finding::structure::{StatementRelation, Structure};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, StatementId};
use crate::program::Program;
use crate::vm::observer::MemoryId;
use naga::AddressSpace;
use std::cell::OnceCell;

/// A race within a workgroup that needs a barrier.
pub(super) struct BarrierAdvice<'a> {
    program: &'a Program,
    class: BarrierClass,
    points: &'a NonUniformPoints,
    sites: [SiteId; 2],
    writes: bool,
    entry: usize,
    /// The points that are not uniform even if barriers separate the reads of the memory from its writes. A load of workgroup memory
    /// that no write races with has the same value in all invocations of a workgroup.
    if_separated: OnceCell<Option<NonUniformPoints>>,
    memory: MemoryId,
}

impl<'a> BarrierAdvice<'a> {
    pub fn new(
        program: &'a Program,
        points: &'a NonUniformPointsByEntry<'_>,
        entry: usize,
        group: &Group,
    ) -> Self {
        let (a, b) = (group.pair.earlier, group.pair.later);
        Self {
            program,
            class: class_of(program, a.granule.memory),
            points: points.entry(entry),
            sites: [a.site, b.site],
            writes: a.action == Action::Write && b.action == Action::Write,
            entry,
            if_separated: OnceCell::new(),
            memory: a.granule.memory,
        }
    }

    /// Returns the suggestion for the race.
    pub fn within_workgroup(&self) -> Suggestion {
        let class = self.class;
        let Some((structure, [a, b])) = self.common_function() else {
            return Suggestion::CallWhereAllPass { class, lines: self.lines() };
        };
        if self.writes && self.sites[0] == self.sites[1] {
            return self.one_writer(&structure, a);
        }
        let common_loop = structure.common_loop(a, b);
        let loop_has_barrier = common_loop.is_some_and(|l| self.has_barrier(&structure, l));
        let at_loop_end = |of: StatementId| self.at_loop_end(&structure, of);
        match structure.between(a, b) {
            StatementRelation::Branches { of: keyword, line } => {
                Suggestion::SplitBranch { class, keyword, line }
            }
            StatementRelation::Sequence { first_line, second_line, second } => {
                let lines = [first_line, second_line];
                if structure.barrier_between(a, b, class.flag()) {
                    return match common_loop {
                        Some(of) => at_loop_end(of),
                        None => Suggestion::ReachBarrier { class, lines },
                    };
                }
                match self.before_statement(&structure, second) {
                    Some(origin) => self.restructure(&origin),
                    None => self.between(&structure, common_loop, lines),
                }
            }
            StatementRelation::SameStatement => match common_loop {
                Some(of) if !loop_has_barrier => at_loop_end(of),
                _ => self.read_first(&structure, a.max(b)),
            },
        }
    }

    /// Returns the suggestion to call a barrier between the two accesses, if they are in sequence, no barrier separates
    /// them, and all invocations of the workgroup reach that point.
    pub fn barrier_in_sequence(&self) -> Option<Suggestion> {
        let (structure, [a, b]) = self.common_function()?;
        let StatementRelation::Sequence { first_line, second_line, second } =
            structure.between(a, b)
        else {
            return None;
        };
        let is_missing = !structure.barrier_between(a, b, self.class.flag())
            && self.before_statement(&structure, second).is_none();
        let lines = [first_line, second_line];
        is_missing.then(|| self.between(&structure, structure.common_loop(a, b), lines))
    }

    /// Suggests a barrier between these lines, and at the end of the enclosing loop if the loop has none.
    fn between(
        &self,
        structure: &Structure<'_>,
        common_loop: Option<StatementId>,
        lines: [u32; 2],
    ) -> Suggestion {
        let end = common_loop.filter(|&of| {
            !self.has_barrier(structure, of) && self.loop_end_is_uniform(structure, of)
        });
        let at_loop_end = end.and_then(|of| structure.loop_body_end(of));
        Suggestion::CallBetween { class: self.class, lines, at_loop_end }
    }

    /// Returns the function that contains both sites, with the statements there. If the sites are in different
    /// functions, returns the entry point, provided that each site is in it or in a function that it calls exactly once.
    fn common_function(&self) -> Option<(Structure<'a>, [StatementId; 2])> {
        let functions =
            self.sites.map(|site| self.program.sites.get(site).map(|site| site.function));
        let [Some(f), Some(g)] = functions else { return None };
        if f == g {
            let structure = Structure::new(self.program, f);
            let at = [structure.ordinal(self.sites[0])?, structure.ordinal(self.sites[1])?];
            return Some((structure, at));
        }
        let entry = FunctionId::Entry(self.entry);
        let structure = Structure::new(self.program, entry);
        let at = |site: SiteId, function: FunctionId| match function == entry {
            true => structure.ordinal(site),
            false => structure.only_call_of(function),
        };
        let at = [at(self.sites[0], f)?, at(self.sites[1], g)?];
        (at[0] != at[1]).then_some((structure, at))
    }

    fn lines(&self) -> [u32; 2] {
        let mut lines = self.sites.map(|site| line_of(self.program, site));
        lines.sort_unstable();
        lines
    }

    fn has_barrier(&self, structure: &Structure<'_>, of: StatementId) -> bool {
        structure.holds_barrier(of, self.class.flag())
    }

    fn loop_end_is_uniform(&self, structure: &Structure<'_>, of: StatementId) -> bool {
        self.loop_end(structure, of).is_none()
    }

    /// Returns why control flow is not uniform before a statement, if a barrier there would not make it uniform.
    fn before_statement(
        &self,
        structure: &Structure<'_>,
        at: StatementId,
    ) -> Option<VaryingOrigin> {
        self.remaining(|points| points.before_statement(structure.function, at))
    }

    /// Returns why control flow is not uniform at the end of a loop's body, if a barrier there would not make it uniform.
    fn loop_end(&self, structure: &Structure<'_>, of: StatementId) -> Option<VaryingOrigin> {
        self.remaining(|points| points.loop_end(structure.function, of))
    }

    /// Returns the origin that is in the points of the program, if one is also in the points with a barrier.
    fn remaining(
        &self,
        origin: impl Fn(&NonUniformPoints) -> Option<VaryingOrigin>,
    ) -> Option<VaryingOrigin> {
        let found = origin(self.points)?;
        let with_barrier = self.if_separated.get_or_init(|| {
            let (global, variable) = element::variable(self.program, self.memory)?;
            // Other workgroups may write other memory.
            (variable.space == AddressSpace::WorkGroup)
                .then(|| non_uniform_points_if_shared(self.program, self.entry, global))
        });
        match with_barrier {
            Some(points) => origin(points),
            None => Some(found),
        }
    }

    fn at_loop_end(&self, structure: &Structure<'_>, of: StatementId) -> Suggestion {
        match self.loop_end(structure, of) {
            Some(origin) => self.restructure(&origin),
            None => {
                let after = structure.loop_body_end(of);
                Suggestion::CallAtLoopEnd { class: self.class, after }
            }
        }
    }

    /// Suggests a read before a barrier, for one statement that reads what the same statement writes in another
    /// invocation.
    fn read_first(&self, structure: &Structure<'_>, at: StatementId) -> Suggestion {
        match self.before_statement(structure, at) {
            Some(origin) => self.restructure(&origin),
            None => Suggestion::ReadFirst(self.class),
        }
    }

    fn one_writer(&self, structure: &Structure<'_>, at: StatementId) -> Suggestion {
        let of = structure.common_loop(at, at).filter(|&of| {
            !self.has_barrier(structure, of) && self.loop_end_is_uniform(structure, of)
        });
        Suggestion::OneWriter {
            loop_end_barrier: of.map(|of| (self.class, structure.loop_body_end(of))),
        }
    }

    /// Suggests restructuring, because a barrier is needed at a point that not all invocations reach.
    fn restructure(&self, origin: &VaryingOrigin) -> Suggestion {
        Suggestion::Restructure { class: self.class, lines: self.lines(), origin: origin.what }
    }
}
