//! Suggestions for barriers that would order the accesses of a race within a workgroup.

use super::candidate::{Candidate, Candidates, Change};
use crate::analysis::uniformity::{
    NonUniformPoints, NonUniformPointsByEntry, VaryingOrigin, non_uniform_points_if_shared,
};
use crate::facts::place::{last_line, line_of};
use crate::facts::{Barrier, BarrierClass, Suggestion};
use crate::finding::barriers::class_of;
use crate::finding::element;
use crate::finding::group::Group;
use crate::finding::structure::{StatementRelation, Structure};
use crate::ir::access::Action;
use crate::ir::body::StatementKind;
use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, StatementId};
use crate::pass::insert_barriers::{InsertionPoint, Side};
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
    /// Whether both accesses are writes.
    writes: bool,
    /// Whether a statement writes what the same statement writes in another invocation.
    is_write_of_several: bool,
    entry: usize,
    /// The points that are not uniform even if barriers separate the reads of the memory from its writes. A load of workgroup memory
    /// that no write races with has the same value in all invocations of a workgroup.
    if_separated: OnceCell<Option<NonUniformPoints>>,
    memory: MemoryId,
}

/// The end of the body of a loop.
struct LoopEnd {
    /// Where to insert a barrier.
    point: InsertionPoint,
    /// The line after which the point is.
    line: u32,
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
            is_write_of_several: group.sites.iter().any(|&(a, b)| {
                let access = |site| program.sites.access(site);
                a == b && access(a).is_some_and(|access| access.action == Action::Write)
            }),
            entry,
            if_separated: OnceCell::new(),
            memory: a.granule.memory,
        }
    }

    /// Returns the suggestions for the race.
    pub fn within_workgroup(&self) -> Candidates {
        let class = self.class;
        let Some((structure, at)) = self.common_function() else {
            return Suggestion::CallWhereAllPass { class, lines: self.lines() }.into();
        };
        let loop_ends = self.loop_ends(&structure, at);
        let first: Vec<Candidate> = self.within_iteration(&structure, at).into_iter().collect();
        let at_loop_end: Vec<Candidate> =
            loop_ends.iter().map(|end| self.at_loop_end(end)).collect();
        let both: Vec<Candidate> = first
            .iter()
            .flat_map(|first| loop_ends.iter().filter_map(|end| self.with_loop_end(first, end)))
            .collect();
        let lacks_loop_end = structure
            .common_loop(at[0], at[1])
            .is_some_and(|of| !structure.holds_barrier(of, class.flag()));
        let otherwise = self.explanation(&structure, at);
        let preferred = match structure.between(at[0], at[1]) {
            StatementRelation::Branches { .. } => None,
            StatementRelation::Sequence { .. } if self.has_barrier_between(&structure, at) => {
                at_loop_end.first()
            }
            StatementRelation::Sequence { .. } if lacks_loop_end => both.first().or(first.first()),
            StatementRelation::SameStatement if lacks_loop_end => at_loop_end.first(),
            StatementRelation::Sequence { .. } | StatementRelation::SameStatement => first.first(),
        };
        let untried = match preferred {
            _ if at[0] == at[1] && self.writes => {
                let end = loop_ends.first().filter(|_| lacks_loop_end);
                let loop_end_barrier = end.map(|end| (class, Some(end.line)));
                Suggestion::OneWriter { loop_end_barrier }
            }
            Some(preferred) => preferred.suggestion.clone(),
            None => otherwise.clone(),
        };
        let between_calls = self.between_calls(&structure);
        let within_loop = self.within_loop(&structure, at);
        let list = first.into_iter().chain(at_loop_end).chain(both).chain(within_loop);
        let list = list.chain(between_calls).collect();
        Candidates { list, untried, otherwise }
    }

    /// Returns the suggestions to call a barrier between the two accesses, if they are in sequence, no barrier separates them, and
    /// all invocations of the workgroup reach a point between them.
    pub fn barrier_in_sequence(&self) -> Option<Candidates> {
        let (structure, at) = self.common_function()?;
        let relation = structure.between(at[0], at[1]);
        let is_sequence = matches!(relation, StatementRelation::Sequence { .. });
        let is_missing = is_sequence && self.within_iteration(&structure, at).is_some();
        let otherwise = Suggestion::MakeBothAtomic;
        is_missing.then(|| Candidates { otherwise, ..self.within_workgroup() })
    }

    /// Returns the suggestion to call a barrier next to one that orders other memory.
    pub fn next_to(&self, barrier: &Barrier) -> Option<Candidate> {
        let function = self.program.sites.get(barrier.site)?.function;
        let structure = Structure::new(self.program, function);
        let at = structure.ordinal(barrier.site)?;
        let suggestion = Suggestion::AlsoCall { class: self.class, line: barrier.place.at.line };
        Some(self.candidate(suggestion, vec![self.point(&structure, at, Side::Before)]))
    }

    /// Returns the barrier that orders the accesses within one iteration of the loops that enclose both, if there is a point for it.
    fn within_iteration(
        &self,
        structure: &Structure<'_>,
        [a, b]: [StatementId; 2],
    ) -> Option<Candidate> {
        let class = self.class;
        if a == b && self.writes {
            return None;
        }
        match structure.between(a, b) {
            StatementRelation::Branches { .. } => None,
            StatementRelation::Sequence { first_line, second_line, first, second } => {
                if self.has_barrier_between(structure, [a, b]) {
                    return None;
                }
                let backwards = structure.backwards(first, second);
                let at = *backwards.iter().find(|at| self.before(structure, **at).is_none())?;
                let lines = [first_line, second_line];
                let (keyword, line) = (structure.keyword(at), structure.line(at));
                let suggestion = match at == second {
                    true => Suggestion::CallBetween { class, lines, at_loop_end: None },
                    false => Suggestion::CallBefore { class, keyword, line },
                };
                let start = structure.start_of_line(first, at);
                Some(self.candidate(suggestion, vec![self.point(structure, start, Side::Before)]))
            }
            StatementRelation::SameStatement => {
                let (first, second) = structure.siblings(a.min(b), a.max(b));
                let is_plain = |at| structure.statement(at).kind == StatementKind::Plain;
                // A pointer may be declared before a store and used after it.
                let suggestion = match first != second && is_plain(first) {
                    true => {
                        Suggestion::CallBetween { class, lines: self.lines(), at_loop_end: None }
                    }
                    false if is_plain(second) => Suggestion::ReadFirst { class, at_loop_end: None },
                    false => return None,
                };
                let points = vec![self.point(structure, second, Side::Before)];
                let is_possible = self.before(structure, second).is_none();
                is_possible.then(|| self.candidate(suggestion, points))
            }
        }
    }

    /// Returns the suggestion if no barrier helps.
    fn explanation(&self, structure: &Structure<'_>, [a, b]: [StatementId; 2]) -> Suggestion {
        let class = self.class;
        let common_loop = structure.common_loop(a, b);
        let mut last = a.max(b);
        match structure.between(a, b) {
            StatementRelation::Branches { of: keyword, line } => {
                return Suggestion::SplitBranch { class, keyword, line };
            }
            StatementRelation::Sequence { first_line, second_line, second, .. } => {
                if common_loop.is_none() && self.has_barrier_between(structure, [a, b]) {
                    return Suggestion::ReachBarrier { class, lines: [first_line, second_line] };
                }
                last = second;
            }
            StatementRelation::SameStatement if self.is_write_of_several => {
                return Suggestion::OneWriter { loop_end_barrier: None };
            }
            StatementRelation::SameStatement => {}
        }
        let loop_end = || common_loop.and_then(|of| self.loop_end(structure, of));
        let origin = self.before(structure, last).or_else(loop_end).map(|origin| origin.what);
        Suggestion::Restructure { class, lines: self.lines(), origin }
    }

    fn has_barrier_between(&self, structure: &Structure<'_>, [a, b]: [StatementId; 2]) -> bool {
        structure.barrier_between(a, b, self.class.flag())
    }

    /// Returns the ends of the loops that enclose both statements and that all invocations reach, the innermost first.
    fn loop_ends(&self, structure: &Structure<'_>, [a, b]: [StatementId; 2]) -> Vec<LoopEnd> {
        let loops = structure.self_and_ancestors(a).filter(|&at| {
            structure.statement(at).kind == StatementKind::Loop && structure.order().holds(at, b)
        });
        let end = |of: StatementId| {
            let last = structure.last_written(of)?;
            let is_uniform =
                self.loop_end(structure, of).is_none() && self.before(structure, last).is_none();
            let line = structure.loop_body_end(of)?;
            let point = self.point(structure, last, Side::After);
            is_uniform.then_some(LoopEnd { point, line })
        };
        loops.filter_map(end).collect()
    }

    /// Returns the barriers at the beginning of the body of each loop that encloses both statements, and directly after the later one
    /// in it, the innermost loop first. A `continue` does not skip them, unlike a barrier at the end of the body.
    fn within_loop(&self, structure: &Structure<'_>, [a, b]: [StatementId; 2]) -> Vec<Candidate> {
        let class = self.class;
        let loops = structure.self_and_ancestors(a).filter(|&at| {
            structure.statement(at).kind == StatementKind::Loop && structure.order().holds(at, b)
        });
        let candidates = loops.filter_map(|of| {
            let body = structure.loop_body(of)?;
            let is_uniform = |at| self.before(structure, at).is_none();
            let first = structure.first_in(body.0, body.1)?;
            let at_start = is_uniform(first).then(|| {
                let suggestion =
                    Suggestion::CallAtLoopStart { class, before: structure.line(first) };
                self.candidate(suggestion, vec![self.point(structure, first, Side::Before)])
            });
            let later = structure
                .self_and_ancestors(a.max(b))
                .find(|at| structure.statement(*at).parent == Some(body));
            let after = later.and_then(|later| {
                let next = structure.next_sibling(later)?;
                let line = last_line(&self.program.source, structure.statement(later).span);
                let suggestion = Suggestion::CallAfter { class, line };
                let point = self.point(structure, later, Side::After);
                is_uniform(next).then(|| self.candidate(suggestion, vec![point]))
            });
            Some(after.into_iter().chain(at_start))
        });
        candidates.flatten().collect()
    }

    /// Returns the barriers in the entry point between the calls of the helper function that contains both accesses.
    fn between_calls(&self, structure: &Structure<'_>) -> Vec<Candidate> {
        let entry = FunctionId::Entry(self.entry);
        if structure.function == entry {
            return Vec::new();
        }
        let structure = Structure::new(self.program, entry);
        let calls = structure.positions(self.sites[0]);
        let pairs = calls.windows(2).filter_map(|calls| match *calls {
            [first, second] => self.within_iteration(&structure, [first, second]),
            _ => None,
        });
        let loop_ends = calls.iter().flat_map(|&call| self.loop_ends(&structure, [call, call]));
        pairs.chain(loop_ends.map(|end| self.at_loop_end(&end))).collect()
    }

    fn at_loop_end(&self, end: &LoopEnd) -> Candidate {
        let suggestion = Suggestion::CallAtLoopEnd { class: self.class, after: Some(end.line) };
        self.candidate(suggestion, vec![end.point])
    }

    /// Adds a barrier at the end of a loop to a candidate, if its suggestion can express that.
    fn with_loop_end(&self, candidate: &Candidate, end: &LoopEnd) -> Option<Candidate> {
        let mut suggestion = candidate.suggestion.clone();
        let (Suggestion::CallBetween { at_loop_end, .. }
        | Suggestion::ReadFirst { at_loop_end, .. }) = &mut suggestion
        else {
            return None;
        };
        *at_loop_end = Some(end.line);
        let Change::Barriers { points, .. } = &candidate.change else { return None };
        let points = points.iter().copied().chain([end.point]).collect();
        Some(self.candidate(suggestion, points))
    }

    fn candidate(&self, suggestion: Suggestion, points: Vec<InsertionPoint>) -> Candidate {
        Candidate { suggestion, change: Change::Barriers { class: self.class, points } }
    }

    fn point(
        &self,
        structure: &Structure<'_>,
        statement: StatementId,
        side: Side,
    ) -> InsertionPoint {
        InsertionPoint { function: structure.function, statement, side }
    }

    /// Returns the function that contains both sites, with the statements there. If the sites are in different
    /// functions, returns the entry point with the statements that are or call them, provided that all of one site precede all of
    /// the other.
    fn common_function(&self) -> Option<(Structure<'a>, [StatementId; 2])> {
        let functions =
            self.sites.map(|site| self.program.sites.get(site).map(|site| site.function));
        let [Some(f), Some(g)] = functions else { return None };
        if f == g {
            let structure = Structure::new(self.program, f);
            let at = [structure.ordinal(self.sites[0])?, structure.ordinal(self.sites[1])?];
            return Some((structure, at));
        }
        let structure = Structure::new(self.program, FunctionId::Entry(self.entry));
        let [a, b] = self.sites.map(|site| structure.positions(site));
        let (first_a, last_a, first_b, last_b) = (*a.first()?, *a.last()?, *b.first()?, *b.last()?);
        match () {
            () if last_a < first_b => Some((structure, [last_a, first_b])),
            () if last_b < first_a => Some((structure, [first_a, last_b])),
            () => None,
        }
    }

    fn lines(&self) -> [u32; 2] {
        let mut lines = self.sites.map(|site| line_of(self.program, site));
        lines.sort_unstable();
        lines
    }

    /// Returns why control flow is not uniform before a statement, if a barrier there would not make it uniform.
    fn before(&self, structure: &Structure<'_>, at: StatementId) -> Option<VaryingOrigin> {
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
}
