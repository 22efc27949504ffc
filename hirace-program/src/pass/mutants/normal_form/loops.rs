//! Loops. A loop whose conditions are decided in each iteration is written as the sequence of its iterations, so that an
//! iteration that does nothing leaves no trace.

use super::Writer;
use super::terms::Constant;
use crate::ir::walk;
use naga::{Block, Expression, Handle, Statement};

/// The number of iterations of a loop that is unrolled.
const MAX_ITERATIONS: usize = 64;

/// The number of lines that the unrolled loops of a function may have.
const MAX_LINES: usize = 2000;

/// The parts of a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopParts<'b> {
    pub body: &'b Block,
    pub continuing: &'b Block,
    pub break_if: Option<Handle<Expression>>,
}

/// How an iteration ends.
enum IterationEnd {
    Next,
    Break,
}

impl Writer<'_> {
    /// Writes a loop.
    pub(super) fn any_loop(&mut self, parts: LoopParts<'_>, lines: &mut Vec<String>) -> Option<()> {
        let (start, counter, depth) = (lines.len(), self.counter, self.depth);
        let (held, known) = (self.held.clone(), self.known.clone());
        if self.unroll(parts, lines).is_some() {
            return Some(());
        }
        lines.truncate(start);
        (self.counter, self.depth) = (counter, depth);
        (self.held, self.known) = (held, known);
        self.whole_loop(parts, lines)
    }

    /// Writes a loop as a loop.
    fn whole_loop(&mut self, parts: LoopParts<'_>, lines: &mut Vec<String>) -> Option<()> {
        let LoopParts { body, continuing, break_if } = parts;
        self.forget_stored([body, continuing].into_iter());
        let held = self.held.clone();
        let mut inside = Vec::new();
        self.block(body, &mut inside)?;
        if inside == ["break"] {
            self.held = held;
            return Some(());
        }
        // `continue` leads here from any point of the body.
        self.held = held.clone();
        inside.push("continuing".to_owned());
        self.block(continuing, &mut inside)?;
        let ends = match break_if {
            Some(condition) => self.term(condition)?.to_string(),
            None => String::new(),
        };
        self.held = held;
        lines.push("loop".to_owned());
        lines.append(&mut inside);
        lines.push(format!("break if {ends}"));
        Some(())
    }

    /// Writes all iterations of a loop, or returns `None` if they are not known.
    fn unroll(&mut self, parts: LoopParts<'_>, lines: &mut Vec<String>) -> Option<()> {
        for _ in 0..=MAX_ITERATIONS {
            self.forget_emitted(parts.body);
            self.forget_emitted(parts.continuing);
            let start = lines.len();
            let end = self.iteration(parts, lines)?;
            self.unrolled += 1 + lines.len() - start;
            if self.unrolled > MAX_LINES || may_leave(&lines[start..]) {
                return None;
            }
            if matches!(end, IterationEnd::Break) {
                return Some(());
            }
        }
        None
    }

    /// Writes an iteration, or returns `None` if it is not known how it ends.
    fn iteration(&mut self, parts: LoopParts<'_>, lines: &mut Vec<String>) -> Option<IterationEnd> {
        let start = lines.len();
        if !self.block(parts.body, lines)? {
            match lines.get(start..)?.last()?.as_str() {
                "break" => {
                    lines.pop();
                    return Some(IterationEnd::Break);
                }
                "continue" => {
                    lines.pop();
                }
                _ => return None,
            }
        }
        if !self.block(parts.continuing, lines)? {
            return None;
        }
        let Some(condition) = parts.break_if else { return Some(IterationEnd::Next) };
        let condition = self.term(condition)?;
        match self.terms.constant(condition)? {
            Constant::Bool(true) => Some(IterationEnd::Break),
            Constant::Bool(false) => Some(IterationEnd::Next),
            _ => None,
        }
    }

    /// Forgets the terms of expressions that a block evaluates.
    fn forget_emitted(&mut self, block: &Block) {
        walk::statements(block, &mut |_, statement, _| {
            if let Statement::Emit(range) = statement {
                for handle in range.clone() {
                    self.known.remove(&handle);
                }
            }
        });
    }
}

/// Returns whether these lines may leave the iteration that they are written for, or contain a `switch`, in which `break` has
/// another meaning.
fn may_leave(lines: &[String]) -> bool {
    let mut depth = 0_u32;
    lines.iter().any(|line| {
        match line.as_str() {
            "loop" => depth += 1,
            "break" | "continue" => return depth == 0,
            line if line.starts_with("break if") => depth = depth.saturating_sub(1),
            line if line.starts_with("switch") => return true,
            _ => {}
        }
        false
    })
}
