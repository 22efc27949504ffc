//! The nesting of statements, in terms of lines: where code can be inserted between two sites.

use crate::facts::place::last_line;
use crate::ir::body::{self, Body, StatementKind};
use crate::ir::calls::Call;
use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, StatementId};
use crate::program::Program;
use naga::{Block, Statement};
use std::ops::Deref;

/// The statement structure of a function.
pub(crate) struct Structure<'a> {
    program: &'a Program,
    body: &'a Body,
}

/// The position of two statements relative to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementRelation {
    /// In sequence: the line on which the first ends and the line on which the second begins. `second` is the statement
    /// that contains the second one, in the innermost block that encloses both; `first` is the one that contains the first.
    Sequence { first_line: u32, second_line: u32, first: StatementId, second: StatementId },
    /// Both are parts of one statement, for example a loop, or an `if` or `switch` of which one is the condition.
    SameStatement,
    /// In two branches of the `if` or `switch` that begins at this line.
    Branches { of: &'static str, line: u32 },
}

impl<'a> Structure<'a> {
    /// Returns the structure of `function`.
    pub fn new(program: &'a Program, function: FunctionId) -> Self {
        Self { program, body: program.body(function) }
    }

    /// Returns the position of the statements `a` and `b` relative to each other.
    pub fn between(&self, a: StatementId, b: StatementId) -> StatementRelation {
        let source = &self.program.source;
        match self.body.between(a, b) {
            body::StatementRelation::SameStatement => StatementRelation::SameStatement,
            body::StatementRelation::Branches(of) => {
                let line = self.line(of);
                let of = self.keyword(of).unwrap_or("if");
                StatementRelation::Branches { of, line }
            }
            body::StatementRelation::Sequence(first, second) => {
                let first_line = last_line(source, self.statement(first).span);
                // The body of a `while` begins with its first statement, not with the brace after the condition.
                let begin = match self.statement(second).kind {
                    StatementKind::Block => self.first_in(second, 0).unwrap_or(second),
                    _ => second,
                };
                let second_line = self.line(begin);
                StatementRelation::Sequence { first_line, second_line, first, second }
            }
        }
    }

    /// Returns the keyword with which a statement begins, if it is a branch or a loop.
    pub fn keyword(&self, of: StatementId) -> Option<&'static str> {
        // A Rust `match` may become either an `if` or a `switch`.
        let (keywords, otherwise) = match self.statement(of).kind {
            StatementKind::If => (&["match"][..], "if"),
            StatementKind::Switch => (&["match"][..], "switch"),
            StatementKind::Loop => (&["for", "while", "do"][..], "loop"),
            _ => return None,
        };
        let text = self.program.source.snippet(self.statement(of).span).trim_start();
        let found = keywords.iter().copied().find(|keyword| text.starts_with(keyword));
        Some(found.unwrap_or(otherwise))
    }

    /// Returns the line on which the last statement in the body of a loop ends.
    pub fn loop_body_end(&self, of: StatementId) -> Option<u32> {
        if !self.program.language.shows_expressions() {
            return self
                .written_in(of)
                .map(|(_, at)| last_line(&self.program.source, at.span))
                .max();
        }
        let last = self.loop_body_last(of)?;
        Some(last_line(&self.program.source, self.statement(last).span))
    }

    /// Returns the statement and the block of it that hold the body of a loop, as it is in the source.
    pub fn loop_body(&self, of: StatementId) -> Option<(StatementId, usize)> {
        match self.keyword(of)? {
            // The loop begins with the test of the condition.
            "for" | "while" => {
                let body = self.last_in(of, 0)?;
                (self.statement(body).kind == StatementKind::Block).then_some((body, 0))
            }
            _ => Some((of, 0)),
        }
    }

    /// Returns the next statement in the block of a statement that is not on its lines.
    pub fn next_sibling(&self, of: StatementId) -> Option<StatementId> {
        let own = self.statement(of);
        let end = last_line(&self.program.source, own.span);
        let mut later = self.all().skip(of.index() + 1);
        later.find(|(id, at)| at.parent == own.parent && self.line(*id) > end).map(|(id, _)| id)
    }

    /// Returns the last statement of the source in the body of a loop, which may contain further ones.
    pub fn last_written(&self, of: StatementId) -> Option<StatementId> {
        if self.program.language.shows_expressions() {
            return self.loop_body_last(of);
        }
        let is_in_body = |id: &StatementId| {
            self.self_and_ancestors(*id).any(|at| self.statement(at).parent == Some((of, 0)))
        };
        let last = self.written_in(of).map(|(id, _)| id).filter(is_in_body).max()?;
        // The statement that contains it in the body. In SPIR-V, the body may be in an arm of the test of the loop.
        let mut outward: Vec<StatementId> =
            self.self_and_ancestors(last).take_while(|id| *id != of).collect();
        outward.reverse();
        outward.into_iter().find(|&id| id == last || self.continues_after(id))
    }

    /// Returns whether the statement is not a block, and control may continue after it.
    fn continues_after(&self, id: StatementId) -> bool {
        let function = self.function.get(&self.program.module);
        let Some(at) = self.statements_of(function).find(id) else { return false };
        let jumps = |block: &Block| {
            use Statement::{Break, Continue, Kill, Return};
            matches!(block.last(), Some(Break | Continue | Kill | Return { .. }))
        };
        match at.statement {
            Statement::Block(_) => false,
            Statement::If { .. } | Statement::Switch { .. } => {
                !at.blocks().iter().all(|inner| jumps(inner.block()))
            }
            _ => true,
        }
    }

    /// Iterates over the simple statements of a loop that are in the source. In SPIR-V, statements that naga generated have no
    /// span, and the last one may be the test of the loop.
    fn written_in(
        &self,
        of: StatementId,
    ) -> impl Iterator<Item = (StatementId, &body::Statement)> + '_ {
        use StatementKind::{Barrier, Call, Plain};
        let inside = self.all().skip(of.index() + 1);
        let inside = inside.take_while(move |(id, _)| self.order().holds(of, *id));
        inside.filter(|(_, at)| matches!(at.kind, Plain | Call(_) | Barrier) && !at.span.is_empty())
    }

    /// Returns the statements of a block after `first` up to `last`, which are both in it, in reverse order.
    pub fn backwards(&self, first: StatementId, last: StatementId) -> Vec<StatementId> {
        let parent = self.statement(last).parent;
        let range = self.all().skip(first.index() + 1).take_while(|(id, _)| *id <= last);
        let siblings = range.filter(|(_, at)| at.parent == parent).map(|(id, _)| id);
        let mut siblings: Vec<StatementId> = siblings.collect();
        siblings.reverse();
        siblings
    }

    /// Returns the first of the statements after `first` that are on the line of `at` and before it in its block. naga evaluates
    /// the operands of a statement before it.
    pub fn start_of_line(&self, first: StatementId, at: StatementId) -> StatementId {
        let line = self.line(at);
        let on_line = self.backwards(first, at).into_iter();
        on_line.take_while(|id| self.line(*id) == line).last().unwrap_or(at)
    }

    /// Returns the line on which this statement begins.
    pub fn line(&self, of: StatementId) -> u32 {
        self.program.source.position(self.statement(of).span.start).line
    }

    /// Returns the statements of this function that are at `site` or call a function that reaches it, in order.
    pub fn positions(&self, site: SiteId) -> Vec<StatementId> {
        let Some(at) = self.program.sites.get(site) else { return Vec::new() };
        if at.function == self.function {
            return self.ordinal(site).into_iter().collect();
        }
        let calls = &self.program.calls;
        let reaches = |call: &&Call| {
            calls.reachable([FunctionId::Helper(call.callee)]).contains(&at.function)
        };
        calls.calls_in(self.function).iter().filter(reaches).map(|call| call.at).collect()
    }
}

impl Deref for Structure<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        self.body
    }
}
