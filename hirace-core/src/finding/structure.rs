//! How the statements around two sites nest, in lines: where something can be put between them.

use crate::facts::place::last_line;
use crate::ir::body::{self, Body, StatementKind};
use crate::ir::walk::{FunctionId, StatementId};
use crate::program::Program;
use std::ops::Deref;

/// The structure of a function, of which words speak.
pub(crate) struct Structure<'a> {
    program: &'a Program,
    body: &'a Body,
}

/// How two statements of a function lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// In sequence: where the first ends and where the second begins. The second is the statement, in the
    /// block of both, that holds it.
    Sequence { first_line: u32, second_line: u32, second: StatementId },
    /// Parts of one statement (a loop, an `if` or `switch` of which one is the condition included).
    Same,
    /// In two branches of the `if` (or `switch`) that begins at this line.
    Branches { of: &'static str, line: u32 },
}

impl<'a> Structure<'a> {
    /// The structure of `function`.
    pub fn new(program: &'a Program, function: FunctionId) -> Self {
        Self { program, body: program.body(function) }
    }

    /// How the statements `a` and `b` lie to each other.
    pub fn between(&self, a: StatementId, b: StatementId) -> Between {
        let source = &self.program.source;
        match self.body.between(a, b) {
            body::Between::Same => Between::Same,
            body::Between::Branches(of) => {
                let line = self.line(of);
                // In Rust, a `match` may be either.
                let text = source.snippet(self.statement(of).span);
                let of = match self.statement(of).kind {
                    _ if text.starts_with("match") => "match",
                    StatementKind::Switch => "switch",
                    _ => "if",
                };
                Between::Branches { of, line }
            }
            body::Between::Sequence(first, second) => {
                let first_line = last_line(source, self.statement(first).span);
                // The body of a `while` begins with its first statement, not with the brace behind the head.
                let begin = match self.statement(second).kind {
                    StatementKind::Block => self.first_in(second, 0).unwrap_or(second),
                    _ => second,
                };
                Between::Sequence { first_line, second_line: self.line(begin), second }
            }
        }
    }

    /// The line on which the last statement in the body of a loop ends.
    pub fn loop_body_end(&self, of: StatementId) -> Option<u32> {
        let last = self.loop_body_last(of)?;
        Some(last_line(&self.program.source, self.statement(last).span))
    }

    /// The line on which this statement begins.
    pub fn line(&self, of: StatementId) -> u32 {
        self.program.source.position(self.statement(of).span.start).line
    }

    /// Where a site of another function is reached from this one: its only call here.
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
