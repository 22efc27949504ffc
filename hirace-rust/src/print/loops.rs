//! `loop` and `while`. `for` is in [`super::ranges`].

use super::body::Body;
use super::flow::{Destination, Exit, Frame};
use super::text::{Lines, Text};
use crate::tree::{Block, Expr, LabelId, Place};

impl Body<'_> {
    /// Prints the body of a loop, after what `first` prints.
    pub(super) fn loop_body(
        &mut self,
        label: LabelId,
        to: Destination,
        block: &Block,
        first: impl FnOnce(&mut Self),
    ) -> (Lines, Option<Frame>) {
        self.frames.push(Frame::new(label, true, to));
        let (head, ()) = self.nested(first);
        let (inner, ()) = self.nested(|body| body.block(block, &Destination::Nowhere));
        let frame = self.frames.pop();
        let (mut lines, ()) = self.nested(|body| body.declare_flag(frame.as_ref(), Exit::Continue));
        lines.append(&head);
        lines.append(&inner);
        (lines, frame)
    }

    /// Prints a `loop`.
    pub(super) fn loop_expr(
        &mut self,
        expr: &Expr,
        label: LabelId,
        block: &Block,
        to: &Destination,
    ) {
        let returns = self.returns;
        let (lines, frame) = self.loop_body(label, to.clone(), block, |_| {});
        if self.returns == returns && frame.as_ref().is_some_and(|frame| !frame.is_left) {
            self.error(
                head_of(expr),
                "WGSL does not allow a loop without an exit: add a `break` or a `return`",
            );
        }
        self.declare_flag(frame.as_ref(), Exit::Break);
        self.braces(Text::from("loop").at(head_of(expr)), &lines, Some(expr.place));
        self.print_pending_jumps(frame);
    }

    /// Prints a `while`.
    pub(super) fn while_loop(
        &mut self,
        expr: &Expr,
        label: LabelId,
        condition: &Expr,
        block: &Block,
    ) {
        let head = expr.place.start().to(condition.place);
        let (before, test) = self.nested(|body| body.value(condition));
        if before.is_empty() {
            let (lines, frame) = self.loop_body(label, Destination::Nowhere, block, |_| {});
            self.declare_flag(frame.as_ref(), Exit::Break);
            let text = Text::from("while (").text(&test.text).str(")").at(head);
            self.braces(text, &lines, Some(expr.place));
            return self.print_pending_jumps(frame);
        }
        let (lines, frame) = self.loop_body(label, Destination::Nowhere, block, |body| {
            body.lines.append(&before);
            let text = Text::from("if (!").text(&test.within(super::expr::Precedence::Primary));
            body.line(text.str(")").at(head).str(" {"));
            body.depth += 1;
            body.line("break;");
            body.depth -= 1;
            body.line("}");
        });
        self.declare_flag(frame.as_ref(), Exit::Break);
        self.braces(Text::from("loop").at(head), &lines, Some(expr.place));
        self.print_pending_jumps(frame);
    }
}

/// Returns the place of a loop's keyword or label.
fn head_of(expr: &Expr) -> Place {
    Place { first: expr.place.first, last: expr.place.first }
}
