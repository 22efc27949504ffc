//! Converts the counts of a program to the coverage of its source files.

use super::coverage::{
    Arm, Barrier, Branch, BranchKind, Coverage, File, Function, Kernel, Line, Loop, LoopCase,
};
use super::merge::join;
use crate::facts::place::{Place, last_line, span_of};
use crate::finding::fingerprint::fnv;
use crate::ir::body::{ArmKind, Branch as Of, BranchKind as Kind, Entry};
use crate::ir::possible::PossibleCases;
use crate::ir::sites::SourceForm;
use crate::ir::walk::{FunctionId, StatementId};
use crate::points::{CountedLoop, Counter, Counts, Points};
use crate::program::{Language, Program};
use crate::prove::possible_cases;
use crate::source_map::{LineColumn, Span};
use naga::{Statement, SwitchValue};
use std::collections::BTreeMap;

impl Coverage {
    /// Returns the coverage that `counts` show for `program`, after the given number of dispatches of each entry point.
    pub fn from_counts(
        program: &Program,
        points: &Points,
        counts: &Counts,
        dispatches: &BTreeMap<usize, u64>,
    ) -> Self {
        let possible = possible_cases(program);
        let mut gather = CoverageBuilder { program, points, counts, possible, files: Vec::new() };
        for id in FunctionId::all(&program.module) {
            gather.function(id);
        }
        for (&entry, &count) in dispatches {
            gather.kernel(entry, count);
        }
        let mut coverage = Self::default();
        coverage.add(Self { files: gather.files, ..Self::default() });
        coverage
    }
}

struct CoverageBuilder<'a> {
    program: &'a Program,
    points: &'a Points,
    counts: &'a Counts,
    possible: &'a PossibleCases,
    files: Vec<File>,
}

impl CoverageBuilder<'_> {
    fn count(&self, counter: Counter) -> u64 {
        self.counts.lanes.get(counter.0 as usize).copied().unwrap_or(0)
    }

    /// Returns the file that contains `span`.
    fn file(&mut self, span: Span) -> &mut File {
        let source = &self.program.source;
        let name = source.file(span.start);
        let found = self.files.iter().position(|file| file.file == name);
        let at = found.unwrap_or_else(|| {
            let (text, _) = source.file_text(name);
            // A kernel that a macro has read knows only its own part of the file.
            let is_whole = self.program.language != Language::Rust;
            let text = is_whole.then(|| hash(text));
            self.files.push(File { file: name.to_owned(), text, ..File::default() });
            self.files.len() - 1
        });
        &mut self.files[at]
    }

    fn at(&self, span: Span) -> LineColumn {
        Place::new(&self.program.source, span).at
    }

    fn function(&mut self, id: FunctionId) {
        let program = self.program;
        let Some((name, place)) = self.named(id) else { return };
        let body = program.body(id);
        // A line has the count of the code that begins on it. If no code begins on it, it has the count of the code
        // that continues there.
        let mut lines: BTreeMap<u32, (bool, u64)> = BTreeMap::new();
        for (at, span) in self.spans(id) {
            let Some(counter) = self.points.run_of((id, at)) else { continue };
            let count = self.count(counter);
            let from = self.at(span).line;
            let to = last_line(&program.source, self.kept(span));
            for line in from..=to.max(from) {
                let known = lines.entry(line).or_default();
                *known = (line == from, count).max(*known);
            }
        }
        let entered = body.all().next().and_then(|(at, _)| self.points.run_of((id, at)));
        let entered = entered.map_or(0, |counter| self.count(counter));
        let line = self.at(place).line;
        let file = self.file(place);
        join(&mut file.functions, vec![Function { name: name.clone(), line, count: entered }]);
        let function = || name.clone();
        let lines =
            lines.iter().map(|(&line, &(_, count))| Line { line, count, function: function() });
        join(&mut file.lines, lines.collect());
        let mut there = BTreeMap::new();
        for branch in program.bodies.branches_of(id) {
            self.branch(branch, &name, &mut there);
        }
        let loops = self.points.loops.iter().filter(|of| of.at.0 == id);
        loops.for_each(|of| self.counted_loop(of, &name));
        for (number, &((function, _), site)) in self.points.barriers.iter().enumerate() {
            let span = span_of(program.sites.get(site));
            if function != id || span.is_empty() {
                continue;
            }
            let visits = self.counts.barriers.get(number).copied().unwrap_or_default();
            let LineColumn { line, column } = self.at(span);
            let function = name.clone();
            let (full, divergent) = (visits.full, visits.divergent);
            let barrier = Barrier { line, column, function, complete: full, divergent };
            join(&mut self.file(span).barriers, vec![barrier]);
        }
    }

    /// Returns a span without the white space and semicolon at its end.
    fn kept(&self, span: Span) -> Span {
        Place::new(&self.program.source, span).span
    }

    /// Returns the name of a function in the source, and the span of the name, or of the start of the function. Copies
    /// that were specialized for the memory they are called with have other names in the module.
    fn named(&self, id: FunctionId) -> Option<(String, Span)> {
        let name = id.name(&self.program.module).unwrap_or_default().to_owned();
        if let Some(span) = self.program.function_name(&name).filter(|span| !span.is_empty()) {
            return Some((name, span));
        }
        let first = self.spans(id).into_iter().map(|(_, span)| span).min_by_key(|s| s.start)?;
        if !self.program.language.shows_expressions() {
            return Some((name, first));
        }
        let before = self.program.source.text().get(..first.start as usize)?;
        let keyword = before.rfind("fn ").filter(|at| {
            before[..*at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_')
        });
        let Some(start) = keyword.map(|at| at + 3) else { return Some((name, first)) };
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
        let name: String = before[start..].chars().take_while(|c| is_part(*c)).collect();
        let span = Span::new(start as u32, (start + name.len()) as u32);
        Some((name, span))
    }

    /// Returns the spans of the executable code of a function: simple statements, the expressions that they compute,
    /// and the heads of compound statements.
    fn spans(&self, id: FunctionId) -> Vec<(StatementId, Span)> {
        let program = self.program;
        let function = id.get(&program.module);
        let body = program.body(id);
        let mut spans = Vec::new();
        let mut walk = vec![body.statements_of(function)];
        while let Some(block) = walk.pop() {
            for at in block.iter() {
                let site = program.sites.statement(id, at.id);
                let made = site.and_then(|site| program.sites.source_form(site))
                    == Some(SourceForm::Generated);
                let inner = at.blocks();
                match at.statement {
                    Statement::Emit(range) => spans.extend(range.clone().filter_map(|handle| {
                        let span = Span::from(function.expressions.get_span(handle));
                        (!span.is_empty()).then_some((at.id, span))
                    })),
                    Statement::Block(_) => {}
                    _ if inner.is_empty() => {
                        let own = span_of(site.and_then(|site| program.sites.get(site)));
                        let own = if own.is_empty() { body.statement(at.id).span } else { own };
                        if !own.is_empty() {
                            spans.push((at.id, own));
                        }
                    }
                    _ if made => {}
                    _ => {
                        let head = site.and_then(|site| program.sites.get(site));
                        let head = head.map_or(Span::default(), |site| site.span);
                        if !head.is_empty() {
                            spans.push((at.id, head));
                        }
                    }
                }
                walk.extend(inner);
            }
        }
        spans
    }

    /// Records a branch. `there` counts the branches at each location.
    fn branch(
        &mut self,
        branch: &Of,
        function: &str,
        there: &mut BTreeMap<(LineColumn, BranchKind), u32>,
    ) {
        let kind = match branch.kind {
            Kind::If => BranchKind::If,
            Kind::Switch => BranchKind::Switch,
            Kind::And => BranchKind::And,
            Kind::Or => BranchKind::Or,
            Kind::Select => BranchKind::Select,
            // Loops are recorded separately.
            Kind::Loop | Kind::LoopEnd => return,
        };
        if branch.span.is_empty() {
            return;
        }
        let bodies = &self.program.bodies;
        // In `a && b && c`, both operators begin with `a`, so each is located at its right operand, which it may skip.
        let right = bodies.arms_of(branch).find(|(_, arm)| arm.kind == ArmKind::Right);
        let right = right.map(|(_, arm)| arm.span).filter(|span| !span.is_empty());
        let place = self.at(right.unwrap_or(branch.span));
        let before = there.entry((place, kind)).or_default();
        let nth = std::mem::replace(before, *before + 1);
        let LineColumn { line, column } = place;
        let mut taken = 0;
        let arms = bodies.arms_of(branch).map(|(id, arm)| {
            let counter = self.points.arm(id);
            let of = self.counts.subgroups.as_ref();
            taken += of.and_then(|of| of.get(counter.0 as usize)).copied().unwrap_or(0);
            let count = self.count(counter);
            let may_enter = self.possible.may_enter(bodies, arm);
            #[cfg(test)]
            assert!(count == 0 || may_enter, "an arm at {place:?} was taken, but excluded");
            // What was counted decides.
            let is_possible = count > 0 || may_enter;
            is_possible.then(|| Arm {
                label: label(&arm.kind),
                line: self.at(arm.span).line,
                count,
            })
        });
        let arms: Vec<Option<Arm>> = arms.collect();
        let arms: Vec<Arm> = arms.into_iter().flatten().collect();
        if arms.is_empty() {
            return;
        }
        let diverged = self.diverged(branch, taken);
        let function = function.to_owned();
        let branch_of = Branch { line, column, kind, index: nth, function, arms, diverged };
        join(&mut self.file(branch.span).branches, vec![branch_of]);
    }

    /// Returns how often subgroups took more than one arm, given the number of arms taken; `None` if that is not known.
    fn diverged(&self, branch: &Of, taken: u64) -> Option<u64> {
        let bodies = &self.program.bodies;
        let of = self.counts.subgroups.as_ref()?;
        let is_followed = bodies.arms_of(branch).any(|(_, arm)| {
            let falls = matches!(arm.kind, ArmKind::Case { fallen_into: true, .. });
            let is_value = !matches!(arm.entries[..], [Entry::Block { .. }]);
            falls || is_value
        });
        // Vector values take several arms at once, and a case that another case falls into is entered in two ways.
        if is_followed {
            return None;
        }
        let decided = self.points.run_of((branch.function, branch.decided_at))?;
        Some(taken.saturating_sub(of.get(decided.0 as usize).copied()?))
    }

    fn counted_loop(&mut self, of: &CountedLoop, function: &str) {
        let bodies = &self.program.bodies;
        let span = bodies.branch(bodies.arm(of.iteration).branch).span;
        if span.is_empty() {
            return;
        }
        let LineColumn { line, column } = self.at(span);
        let iterations = |n| self.count(of.counters.plus(n));
        let ends = of.boundary.iter().flatten().map(|&arm| self.count(self.points.arm(arm)));
        let boundary = ends.clone().count() > 0;
        let (function_id, statement) = of.at;
        let cases = self.possible.of_loop(function_id, statement);
        let mut may_end = of.boundary.iter().flatten().map(|&arm| bodies.arm(arm));
        let impossible = [
            (LoopCase::Zero, cases.zero, iterations(0)),
            (LoopCase::Once, cases.once, iterations(1)),
            (LoopCase::Many, cases.many, iterations(2)),
            (
                LoopCase::Boundary,
                may_end.any(|arm| self.possible.may_enter(bodies, arm)),
                ends.clone().sum(),
            ),
        ];
        let is_impossible =
            |(_, is_possible, count): &(LoopCase, bool, u64)| !is_possible && *count == 0;
        let has_case = |case: &LoopCase| match case {
            LoopCase::Zero => of.may_be_skipped,
            LoopCase::Boundary => boundary,
            LoopCase::Once | LoopCase::Many => true,
        };
        #[cfg(test)]
        assert!(
            impossible
                .iter()
                .all(|(case, is_possible, count)| *is_possible || *count == 0 || !has_case(case)),
            "a case of the loop at {line}:{column} occurred, but was excluded: {impossible:?}"
        );
        let impossible = impossible.into_iter().filter(is_impossible).map(|(case, ..)| case);
        let impossible = impossible.filter(has_case).collect();
        let counted = Loop {
            line,
            column,
            function: function.to_owned(),
            zero: of.may_be_skipped.then(|| iterations(0)),
            once: iterations(1),
            many: iterations(2),
            boundary: boundary.then(|| ends.sum()),
            impossible,
        };
        join(&mut self.file(span).loops, vec![counted]);
    }

    fn kernel(&mut self, entry: usize, dispatches: u64) {
        let id = FunctionId::Entry(entry);
        let reached = self.program.calls.reachable([id]);
        let named = reached.iter().filter_map(|&id| self.named(id));
        let mut functions: Vec<String> = named.map(|(name, _)| name).collect();
        functions.sort_unstable();
        functions.dedup();
        let Some((name, span)) = self.named(id) else { return };
        let kernel = Kernel { name, dispatches, functions };
        join(&mut self.file(span).kernels, vec![kernel]);
    }
}

/// Returns the hash of a text for [`File::text`].
pub fn hash(text: &str) -> String {
    format!("{:016x}", fnv(text))
}

/// Returns the name of an arm.
fn label(kind: &ArmKind) -> String {
    match kind {
        ArmKind::Then | ArmKind::Accept => "true".to_owned(),
        ArmKind::Else | ArmKind::Reject => "false".to_owned(),
        ArmKind::Right => "right operand".to_owned(),
        ArmKind::ShortCircuit => "left operand only".to_owned(),
        ArmKind::Iteration => "turn".to_owned(),
        ArmKind::NextIteration => "again".to_owned(),
        ArmKind::Boundary => "end".to_owned(),
        ArmKind::Case { values, is_default, .. } => {
            let value = |value: &SwitchValue| match *value {
                SwitchValue::I32(value) => Some(i64::from(value)),
                SwitchValue::U32(value) => Some(i64::from(value)),
                _ => None,
            };
            // Front ends do not preserve the order of the values.
            let mut values: Vec<i64> = values.iter().filter_map(value).collect();
            values.sort_unstable();
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            match (values.is_empty(), is_default) {
                (true, true) => "default".to_owned(),
                (true, false) => "case".to_owned(),
                (false, true) => format!("case {}, default", values.join(", ")),
                (false, false) => format!("case {}", values.join(", ")),
            }
        }
    }
}
