//! The nesting of statements, in terms of lines: where code can be inserted between two sites.

use crate::facts::place::last_line;
use crate::ir::body::{self, Body, StatementKind};
use crate::ir::walk::{FunctionId, StatementId};
use crate::program::Program;
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
    /// that contains the second one, in the innermost block that encloses both.
    Sequence { first_line: u32, second_line: u32, second: StatementId },
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
                // A Rust `match` may become either an `if` or a `switch`.
                let text = source.snippet(self.statement(of).span);
                let of = match self.statement(of).kind {
                    _ if text.starts_with("match") => "match",
                    StatementKind::Switch => "switch",
                    _ => "if",
                };
                StatementRelation::Branches { of, line }
            }
            body::StatementRelation::Sequence(first, second) => {
                let first_line = last_line(source, self.statement(first).span);
                // The body of a `while` begins with its first statement, not with the brace after the condition.
                let begin = match self.statement(second).kind {
                    StatementKind::Block => self.first_in(second, 0).unwrap_or(second),
                    _ => second,
                };
                StatementRelation::Sequence { first_line, second_line: self.line(begin), second }
            }
        }
    }

    /// Returns the line on which the last statement in the body of a loop ends.
    pub fn loop_body_end(&self, of: StatementId) -> Option<u32> {
        if !self.program.language.shows_expressions() {
            // In SPIR-V, statements that naga generated have no span, and the last one may be the test of the loop.
            let is_simple = |at: &body::Statement| {
                use StatementKind::{Barrier, Call, Plain};
                matches!(at.kind, Plain | Call(_) | Barrier) && !at.span.is_empty()
            };
            let inside = self.all().skip(of.index() + 1);
            let inside = inside.take_while(|(id, _)| self.order().holds(of, *id));
            let lines = inside.filter(|(_, at)| is_simple(at));
            return lines.map(|(_, at)| last_line(&self.program.source, at.span)).max();
        }
        let last = self.loop_body_last(of)?;
        Some(last_line(&self.program.source, self.statement(last).span))
    }

    /// Returns the line on which this statement begins.
    pub fn line(&self, of: StatementId) -> u32 {
        self.program.source.position(self.statement(of).span.start).line
    }

    /// Returns the call through which this function reaches `callee`, if it is the only call.
    pub fn only_call_of(&self, callee: FunctionId) -> Option<StatementId> {
        self.program.calls.only_call(self.function, callee)
    }
}

impl Deref for Structure<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        self.body
    }
}
