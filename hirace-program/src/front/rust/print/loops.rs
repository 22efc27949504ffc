//! `loop` and `while`. `for` is in [`super::ranges`].

use super::body::Body;
use super::flow::{Exit, Frame, To};
use super::text::{Lines, Text};
use crate::front::rust::tree::{Block, Expr, LabelId, Place};

impl Body<'_> {
    /// Prints the body of a loop, after what `first` prints.
    pub(super) fn turn(
        &mut self,
        label: LabelId,
        to: To,
        block: &Block,
        first: impl FnOnce(&mut Self),
    ) -> (Lines, Option<Frame>) {
        self.frames.push(Frame::new(label, true, to));
        let (head, ()) = self.nested(first);
        let (inner, ()) = self.nested(|body| body.block(block, &To::Nowhere));
        let frame = self.frames.pop();
        let (mut lines, ()) = self.nested(|body| body.declare_flag(frame.as_ref(), Exit::Continue));
        lines.append(&head);
        lines.append(&inner);
        (lines, frame)
    }

    /// Prints a `loop`.
    pub(super) fn endless(&mut self, expr: &Expr, label: LabelId, block: &Block, to: &To) {
        let returns = self.returns;
        let (lines, frame) = self.turn(label, to.clone(), block, |_| {});
        if self.returns == returns && frame.as_ref().is_some_and(|frame| !frame.left) {
            self.error(
                head_of(expr),
                "WGSL does not allow a loop without an exit: add a `break` or a `return`",
            );
        }
        self.declare_flag(frame.as_ref(), Exit::Break);
        self.braces(Text::from("loop").at(head_of(expr)), &lines, Some(expr.place));
        self.after(frame);
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
            let (lines, frame) = self.turn(label, To::Nowhere, block, |_| {});
            self.declare_flag(frame.as_ref(), Exit::Break);
            let text = Text::from("while (").text(&test.text).str(")").at(head);
            self.braces(text, &lines, Some(expr.place));
            return self.after(frame);
        }
        let (lines, frame) = self.turn(label, To::Nowhere, block, |body| {
            body.lines.append(&before);
            let text = Text::from("if (!").text(&test.within(super::expr::Level::Primary));
            body.line(text.str(")").at(head).str(" {"));
            body.depth += 1;
            body.line("break;");
            body.depth -= 1;
            body.line("}");
        });
        self.declare_flag(frame.as_ref(), Exit::Break);
        self.braces(Text::from("loop").at(head), &lines, Some(expr.place));
        self.after(frame);
    }
}

/// Returns the place of a loop's keyword or label.
fn head_of(expr: &Expr) -> Place {
    Place { first: expr.place.first, last: expr.place.first }
}
