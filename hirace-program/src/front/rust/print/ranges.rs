//! `for` over ranges.
//!
//! Where the loop variable cannot run past the end of its type, WGSL's `for` says what Rust's does. Else
//! (`0..=n`, or steps up to an end that is not known) the last turn is recognised by what is left to go.

use super::body::{Body, Local};
use super::expr::{Effect, Piece};
use super::flow::{Exit, Frame, To};
use super::place::call;
use super::text::{Lines, Text};
use super::types;
use crate::front::rust::builtins::Emit;
use crate::front::rust::tree::{Expr, ExprKind, For, Literal, Place, Scalar, Type};

/// The longest runtime-sized array: 4 GiB of elements of at least 4 bytes.
const LONGEST: i128 = 1 << 30;

impl Body<'_> {
    /// `for`.
    pub(super) fn for_loop(&mut self, expr: &Expr, inner: &For) {
        let last = inner.step.as_ref().map_or(inner.end.place.last, |step| step.place.last);
        let head = expr.place.start().to(Place { first: last, last });
        let mut exprs = vec![&inner.start, &inner.end];
        exprs.extend(&inner.step);
        let mut pieces = self.operands(&exprs);
        // What is bound before the loop comes after the start.
        if pieces.iter().any(|piece| piece.effect == Effect::Acts)
            && let Some(start) = pieces.first_mut()
        {
            self.bind_unless_constant(start, &inner.start.ty);
        }
        for (piece, expr) in pieces.iter_mut().zip(&exprs).skip(1) {
            // Ends are looked at every turn, but evaluated once.
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

    /// Whether one step past the end is still a number of the type.
    fn in_bounds(&self, inner: &For) -> bool {
        let step = inner.step.as_ref().map_or(Some(1), |step| self.scope.number(step));
        if inner.reversed {
            // From the end down to the start by one, with the end not belonging to it.
            return inner.step.is_none() && (!inner.inclusive || self.most(&inner.end).is_some());
        }
        match (step, inner.inclusive, self.most(&inner.end)) {
            (Some(1), false, _) => true,
            (Some(step), _, Some(most)) => most + step <= greatest(&inner.end),
            _ => false,
        }
    }

    /// The greatest value, if it is known and less than the greatest of its type.
    fn most(&self, expr: &Expr) -> Option<i128> {
        let most = if is_length(expr) { Some(LONGEST) } else { self.scope.number(expr) };
        most.filter(|&most| most < greatest(expr))
    }

    /// The loop variable of WGSL's loop, and the line that gives Rust's its value each turn.
    fn variables(&mut self, inner: &For, value: Option<&str>) -> (String, Option<String>) {
        let Local::Let(own) = self.local(inner.local) else {
            // Rust may assign to its own: WGSL's is another.
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

    /// Upwards, with a `for` of WGSL's.
    fn forwards(&mut self, expr: &Expr, inner: &For, range: Range) {
        let (counter, line) = self.variables(inner, None);
        let compare = if inner.inclusive { "<=" } else { "<" };
        let ty = self.scope.ty(&inner.start.ty);
        let head = Text::from(format!("for (var {counter}: {ty} = ")).text(&range.start.text);
        let head = head.str(&format!("; {counter} {compare} "));
        let head = head.text(&range.end.within(super::expr::Level::Sum));
        let step = match &range.step {
            Some(step) => {
                Text::from(format!("; {counter} += ")).text(&stepped(step, &inner.start.ty))
            }
            None => Text::from(format!("; {counter}++")),
        };
        self.with_head(expr, inner, head.text(&step).str(")").at(range.head), line);
    }

    /// Downwards by one. The counter is one more than the value, so that it never falls below the start.
    fn backwards(&mut self, expr: &Expr, inner: &For, range: Range) {
        let one = types::literal(Literal::Int(1), &inner.start.ty);
        let (counter, line) = self.variables(inner, Some(&format!("{{}} - {one}")));
        let ty = self.scope.ty(&inner.start.ty);
        let mut start = range.start;
        self.bind(&mut start, &inner.start.ty);
        let head = Text::from(format!("for (var {counter}: {ty} = "));
        let head = match self.scope.number(&inner.end) {
            // naga computes no constants of 64 bits.
            Some(end) if inner.inclusive && inner.end.ty.is_wide() => {
                head.str(&types::literal(Literal::Int(end + 1), &inner.end.ty))
            }
            _ => {
                let more = if inner.inclusive { format!(" + {one}") } else { String::new() };
                head.text(&range.end.within(super::expr::Level::Sum)).str(&more)
            }
        };
        let head = head.str(&format!("; {counter} > ")).text(&start.text);
        let head = head.str(&format!("; {counter}--)"));
        self.with_head(expr, inner, head.at(range.head), line);
    }

    fn with_head(&mut self, expr: &Expr, inner: &For, head: Text, line: Option<String>) {
        let (lines, frame) = self.turn(inner.label, To::Nowhere, &inner.body, |body| {
            if let Some(line) = line {
                body.line(line);
            }
        });
        self.finish(expr, head, &lines, frame);
    }

    fn finish(&mut self, expr: &Expr, head: Text, lines: &Lines, frame: Option<Frame>) {
        self.declare_flag(frame.as_ref(), Exit::Break);
        self.braces(head, lines, Some(expr.place));
        self.after(frame);
    }

    /// Any other: before each step, what is left to go says whether it is the last.
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
                // A constant expression must not fall below the least number, though it is never used.
                Some(end) => types::literal(Literal::Int((end - 1).max(least)), &inner.end.ty),
                None => format!("{end} - {one}"),
            },
        };
        // The distance to the last value there can be, as an unsigned number of as many bits.
        let (high, low) = if inner.reversed { (&*counter, start) } else { (end, &*counter) };
        let own = scalar_of(&inner.start.ty);
        let apart = own.stored().with_sign(false);
        let distance = match own.is_signed() {
            true => format!("{0}({high}) - {0}({low})", apart.name()),
            false => format!("{high} - {low}"),
        };
        let apart = Type::Scalar(apart);
        let by = match &range.step {
            Some(step) => stepped(step, &apart).as_str().to_owned(),
            None => types::literal(Literal::Int(1), &apart),
        };
        // The end belongs to the range when it is inclusive, and the start always does.
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
        let (mut lines, frame) = self.turn(inner.label, To::Nowhere, &inner.body, |body| {
            if let Some(line) = line {
                body.line(line);
            }
        });
        // `continue` comes here too.
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

/// A range as it is printed.
struct Range {
    start: Piece,
    end: Piece,
    step: Option<Piece>,
    head: Place,
}

/// A step, which is a u32, as a number of the loop's type.
fn stepped(step: &Piece, ty: &Type) -> Text {
    let scalar = scalar_of(ty);
    let number: Option<i32> = step.text.as_str().strip_suffix('u').and_then(|n| n.parse().ok());
    let text = std::slice::from_ref(&step.text);
    match number {
        _ if scalar.stored() == Scalar::U32 => step.text.clone(),
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

/// The least and the greatest number that its type has in WGSL.
fn limits(expr: &Expr) -> (i128, i128) {
    scalar_of(&expr.ty).stored().range().unwrap_or_default()
}

fn greatest(expr: &Expr) -> i128 {
    limits(expr).1
}

/// Whether this is the length of a runtime-sized array.
fn is_length(expr: &Expr) -> bool {
    if let ExprKind::Convert(inner) = &expr.kind {
        return inner.ty.is_same_in_wgsl(&expr.ty) && is_length(inner);
    }
    matches!(&expr.kind, ExprKind::Builtin(builtin, arguments, _)
        if builtin.emit == Emit::Call("arrayLength")
            && arguments.first().is_some_and(|argument| matches!(argument.ty, Type::Slice(_))))
}
