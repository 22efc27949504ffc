//! Loops, and the jumps that leave them.
//!
//! If the loop variable of a `for` cannot go past the end of its type, a WGSL `for` has the same meaning as Rust's. Otherwise
//! (`0..=n`, or steps to an unknown end) the last iteration is recognized by the remaining distance to the end.

use super::body::{Body, Local};
use super::expr::{Effect, Piece};
use super::flow::{Destination, Exit, Frame};
use super::place::call;
use super::text::{Lines, Text};
use super::types;
use crate::builtins::Emit;
use crate::tree::{Block, Expr, ExprKind, For, LabelId, Literal, Place, Scalar, Type};
use crate::walk::{block_children, children};

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
        let (inner, ()) = self.nested(|body| body.block(block, &Destination::Discarded));
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
        let mut simple = None;
        // The condition is part of the loop: a jump in it can leave the loop or continue it.
        let (lines, frame) = self.loop_body(label, Destination::Discarded, block, |body| {
            let (before, test) = body.capture_lines(|body| body.value(condition));
            if before.is_empty() {
                simple = Some(test);
                return;
            }
            body.lines.append(&before);
            let text = Text::from("if (!").text(&test.within(super::expr::Precedence::Primary));
            body.line(text.str(")").at(head).str(" {"));
            body.depth += 1;
            body.line("break;");
            body.depth -= 1;
            body.line("}");
        });
        self.declare_flag(frame.as_ref(), Exit::Break);
        let text = match simple {
            Some(test) => Text::from("while (").text(&test.text).str(")"),
            None => Text::from("loop"),
        };
        self.braces(text.at(head), &lines, Some(expr.place));
        self.print_pending_jumps(frame);
    }
}

/// Returns the place of a loop's keyword or label.
fn head_of(expr: &Expr) -> Place {
    Place { first: expr.place.first, last: expr.place.first }
}

/// The length of the longest runtime-sized array: 4 GiB of elements of at least 4 bytes.
const LONGEST: i128 = 1 << 30;

impl Body<'_> {
    /// Prints a `for`.
    pub(super) fn for_loop(&mut self, expr: &Expr, inner: &For) {
        let last = inner.step.as_ref().map_or(inner.end.place.last, |step| step.place.last);
        let head = expr.place.start().to(Place { first: last, last });
        let mut exprs = vec![&inner.start, &inner.end];
        exprs.extend(&inner.step);
        let mut pieces = self.operands(&exprs);
        // The statements that are bound before the loop must come after the evaluation of the start.
        if pieces.iter().any(|piece| piece.effect == Effect::Acts)
            && let Some(start) = pieces.first_mut()
        {
            self.bind_unless_constant(start, &inner.start.ty);
        }
        for (piece, expr) in pieces.iter_mut().zip(&exprs).skip(1) {
            // The end is compared in every iteration but must be evaluated once.
            if !is_length(expr) {
                self.bind(piece, &expr.ty);
            }
        }
        let mut pieces = pieces.into_iter();
        let (Some(start), Some(end)) = (pieces.next(), pieces.next()) else { return };
        let range = Range { start, end, step: pieces.next(), head };
        match self.in_bounds(inner) {
            true if inner.reversed => self.backwards(expr, inner, range),
            true => self.forwards(expr, inner, range),
            false => self.counted(expr, inner, range),
        }
    }

    /// Returns whether the loop variable, one step past the end, is still in the range of its type.
    fn in_bounds(&self, inner: &For) -> bool {
        let step = inner.step.as_ref().map_or(Some(1), |step| self.scope.number(step));
        if inner.reversed {
            // Counting down by one from the end to the start; the end is exclusive.
            return inner.step.is_none()
                && (!inner.inclusive || self.upper_bound(&inner.end).is_some());
        }
        match (step, inner.inclusive, self.upper_bound(&inner.end)) {
            (Some(1), false, _) => true,
            (Some(step), _, Some(most)) => most + step <= greatest(&inner.end),
            _ => false,
        }
    }

    /// Returns an upper bound of the value, if one is known that is below the maximum of its type.
    fn upper_bound(&self, expr: &Expr) -> Option<i128> {
        let most = if is_length(expr) { Some(LONGEST) } else { self.scope.number(expr) };
        most.filter(|&most| most < greatest(expr))
    }

    /// Returns the name of WGSL's loop variable, and the line that computes Rust's loop variable in each iteration.
    fn variables(&mut self, inner: &For, value: Option<&str>) -> (String, Option<String>) {
        let Local::Let(own) = self.local(inner.local) else {
            // Rust code may assign to its own loop variable, so WGSL's is another one.
            let (own, ty) = match self.local(inner.local) {
                Local::Var(own, _) => (own, self.scope.ty(&inner.start.ty)),
                _ => return (self.fresh("i"), None),
            };
            let counter = self.fresh(&own);
            let value = value.map_or(counter.clone(), |value| value.replace("{}", &counter));
            return (counter, Some(format!("var {own}: {ty} = {value};")));
        };
        let Some(value) = value else { return (own, None) };
        let counter = self.fresh(&own);
        let ty = self.scope.ty(&inner.start.ty);
        let value = value.replace("{}", &counter);
        (counter, Some(format!("let {own}: {ty} = {value};")))
    }

    /// Prints an ascending range as a WGSL `for`.
    fn forwards(&mut self, expr: &Expr, inner: &For, range: Range) {
        let (counter, line) = self.variables(inner, None);
        let compare = if inner.inclusive { "<=" } else { "<" };
        let ty = self.scope.ty(&inner.start.ty);
        let head = Text::from(format!("for (var {counter}: {ty} = ")).text(&range.start.text);
        let head = head.str(&format!("; {counter} {compare} "));
        let head = head.text(&range.end.within(super::expr::Precedence::Sum));
        let step = match &range.step {
            Some(step) => {
                Text::from(format!("; {counter} += ")).text(&stepped(step, &inner.start.ty))
            }
            None => Text::from(format!("; {counter}++")),
        };
        self.with_head(expr, inner, head.text(&step).str(")").at(range.head), line);
    }

    /// Prints a descending range with step one. The counter is one more than the value, so that it never goes below
    /// the start.
    fn backwards(&mut self, expr: &Expr, inner: &For, range: Range) {
        let one = types::literal(Literal::Int(1), &inner.start.ty);
        let (counter, line) = self.variables(inner, Some(&format!("{{}} - {one}")));
        let ty = self.scope.ty(&inner.start.ty);
        let mut start = range.start;
        self.bind(&mut start, &inner.start.ty);
        let head = Text::from(format!("for (var {counter}: {ty} = "));
        let head = match self.scope.number(&inner.end) {
            // naga does not evaluate 64-bit constants.
            Some(end) if inner.inclusive && inner.end.ty.is_wide() => {
                head.str(&types::literal(Literal::Int(end + 1), &inner.end.ty))
            }
            _ => {
                let more = if inner.inclusive { format!(" + {one}") } else { String::new() };
                head.text(&range.end.within(super::expr::Precedence::Sum)).str(&more)
            }
        };
        let head = head.str(&format!("; {counter} > ")).text(&start.text);
        let head = head.str(&format!("; {counter}--)"));
        self.with_head(expr, inner, head.at(range.head), line);
    }

    fn with_head(&mut self, expr: &Expr, inner: &For, head: Text, line: Option<String>) {
        let (lines, frame) =
            self.loop_body(inner.label, Destination::Discarded, &inner.body, |body| {
                if let Some(line) = line {
                    body.line(line);
                }
            });
        self.finish(expr, head, &lines, frame);
    }

    fn finish(&mut self, expr: &Expr, head: Text, lines: &Lines, frame: Option<Frame>) {
        self.declare_flag(frame.as_ref(), Exit::Break);
        self.braces(head, lines, Some(expr.place));
        self.print_pending_jumps(frame);
    }

    /// Prints any other range. Before each step, the remaining distance decides whether the iteration was the last.
    fn counted(&mut self, expr: &Expr, inner: &For, mut range: Range) {
        self.bind(&mut range.start, &inner.start.ty);
        self.bind(&mut range.end, &inner.end.ty);
        let (start, end) = (range.start.text.as_str(), range.end.text.as_str());
        let (counter, line) = self.variables(inner, None);
        let one = types::literal(Literal::Int(1), &inner.start.ty);
        let (least, _) = limits(&inner.start);
        let compare = if inner.inclusive { "<=" } else { "<" };
        let first = match (inner.reversed, inner.inclusive) {
            (false, _) => start.to_owned(),
            (true, true) => end.to_owned(),
            (true, false) => match self.scope.number(&inner.end) {
                // A constant expression must not underflow, even if it is never used.
                Some(end) => types::literal(Literal::Int((end - 1).max(least)), &inner.end.ty),
                None => format!("{end} - {one}"),
            },
        };
        // The distance to the last possible value, as an unsigned integer of the same width.
        let (high, low) = if inner.reversed { (&*counter, start) } else { (end, &*counter) };
        let own = scalar_of(&inner.start.ty);
        let apart = own.wgsl_scalar().with_sign(false);
        let distance = match own.is_signed() {
            true => format!("{0}({high}) - {0}({low})", apart.name()),
            false => format!("{high} - {low}"),
        };
        let apart = Type::Scalar(apart);
        let by = match &range.step {
            Some(step) => stepped(step, &apart).as_str().to_owned(),
            None => types::literal(Literal::Int(1), &apart),
        };
        // The end belongs to the range if it is inclusive; the start always does.
        let too_far = if inner.inclusive || inner.reversed { "<" } else { "<=" };
        let step = match &range.step {
            Some(step) => stepped(step, &inner.start.ty).as_str().to_owned(),
            None => one.clone(),
        };
        let sign = if inner.reversed { "-" } else { "+" };
        let ty = self.scope.ty(&inner.start.ty);
        self.line(Text::from(format!("if ({start} {compare} {end})")).at(range.head).str(" {"));
        self.depth += 1;
        let outer = std::mem::take(&mut self.lines);
        self.line(format!("var {counter}: {ty} = {first};"));
        let (mut lines, frame) =
            self.loop_body(inner.label, Destination::Discarded, &inner.body, |body| {
                if let Some(line) = line {
                    body.line(line);
                }
            });
        // `continue` goes here too.
        lines.ended = false;
        let (step, ()) = self.nested(|body| {
            body.line("continuing {");
            body.depth += 1;
            let last = body.fresh("last");
            body.line(format!("let {last} = {distance} {too_far} {by};"));
            body.line(format!("{counter} {sign}= {step};"));
            body.line(format!("break if {last};"));
            body.depth -= 1;
            body.line("}");
        });
        lines.append(&step);
        self.finish(expr, Text::from("loop").at(range.head), &lines, frame);
        self.depth -= 1;
        let inner = std::mem::replace(&mut self.lines, outer);
        self.lines.nest(&inner);
        self.line("}");
    }
}

/// The printed parts of a range.
struct Range {
    start: Piece,
    end: Piece,
    step: Option<Piece>,
    head: Place,
}

/// Converts a step, which is a `u32`, to the type of the loop variable.
fn stepped(step: &Piece, ty: &Type) -> Text {
    let scalar = scalar_of(ty);
    let number: Option<i32> = step.text.as_str().strip_suffix('u').and_then(|n| n.parse().ok());
    let text = std::slice::from_ref(&step.text);
    match number {
        _ if scalar.wgsl_scalar() == Scalar::U32 => step.text.clone(),
        Some(number) => Text::from(types::literal(Literal::Int(number.into()), ty)),
        None if scalar.is_wide() => {
            let unsigned = call("u64", text);
            if scalar.is_signed() { call("i64", &[unsigned]) } else { unsigned }
        }
        None => call("bitcast<i32>", text),
    }
}

fn scalar_of(ty: &Type) -> Scalar {
    match ty {
        Type::Scalar(scalar) => *scalar,
        _ => Scalar::U32,
    }
}

/// Returns the least and the greatest value of the expression's type in WGSL.
fn limits(expr: &Expr) -> (i128, i128) {
    scalar_of(&expr.ty).wgsl_scalar().range().unwrap_or_default()
}

fn greatest(expr: &Expr) -> i128 {
    limits(expr).1
}

/// Returns whether this is the length of a runtime-sized array.
fn is_length(expr: &Expr) -> bool {
    if let ExprKind::Convert(inner) = &expr.kind {
        return inner.ty.is_same_in_wgsl(&expr.ty) && is_length(inner);
    }
    matches!(&expr.kind, ExprKind::Builtin(builtin, arguments, _)
        if builtin.emit == Emit::Call("arrayLength")
            && arguments.first().is_some_and(|argument| matches!(argument.ty, Type::Slice(_))))
}

/// Returns whether `block` contains a `break` to `label`.
pub(super) fn contains_break(block: &Block, label: LabelId) -> bool {
    let mut found = false;
    block_children(block, &mut |expr| found |= breaks(expr, &|to| to == label));
    found
}

/// Returns whether `expr` contains a `break` to an enclosing loop or block.
pub(super) fn breaks_out(expr: &Expr) -> bool {
    let mut own = Vec::new();
    labels(expr, &mut own);
    breaks(expr, &|to| !own.contains(&to))
}

fn breaks(expr: &Expr, wanted: &dyn Fn(LabelId) -> bool) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Break(label, _) if wanted(label));
    children(expr, &mut |child| found |= breaks(child, wanted));
    found
}

fn labels(expr: &Expr, found: &mut Vec<LabelId>) {
    match &expr.kind {
        ExprKind::Block(Some(label), _) | ExprKind::Loop(label, _) | ExprKind::While(label, ..) => {
            found.push(*label)
        }
        ExprKind::For(inner) => found.push(inner.label),
        _ => {}
    }
    children(expr, &mut |child| labels(child, found));
}
