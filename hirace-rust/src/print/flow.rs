//! Statements, blocks, `if`, and jumps.
//!
//! WGSL's `break` and `continue` affect only the innermost loop. To leave an outer loop, a flag is set and the inner
//! loop is left; the code after the inner loop tests the flag.

use super::body::{Body, Local};
use super::deferred;
use super::expr::{Effect, Piece, can_overflow};
use super::loops::contains_break;
use super::text::{Lines, Text};
use super::value::{claims_range, is_place};
use crate::ir::claims::Claim;
use crate::map::EntryKind;
use crate::tree::{
    Binary, Block, Expr, ExprKind, LabelId, LocalId, Place, Scalar, Statement, Type,
};

/// The destination of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Destination {
    /// The value does not exist or is unused.
    Discarded,
    /// Into a variable.
    Variable(String),
    /// The value is returned to the caller.
    Caller,
}

/// A kind of jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Break,
    Continue,
}

/// An enclosing loop or labeled block.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) label: LabelId,
    /// Whether it is a loop. Otherwise it is a `switch`, which `break` leaves and `continue` ignores.
    pub(super) is_loop: bool,
    /// The destination of the values of its `break`s.
    pub(super) to: Destination,
    /// Whether anything in it leaves it.
    pub(super) is_left: bool,
    /// The flags that inner loops set to leave or continue this one, if any.
    pub(super) flags: [Option<String>; 2],
    /// The jumps that must continue after it: their flags and destinations.
    pub(super) pending: Vec<(String, LabelId, Exit)>,
}

impl Frame {
    pub(super) fn new(label: LabelId, is_loop: bool, to: Destination) -> Self {
        Self { label, is_loop, to, is_left: false, flags: [None, None], pending: Vec::new() }
    }
}

impl Body<'_> {
    /// Prints a statement.
    pub(super) fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expr(expr) => self.run(expr, &Destination::Discarded),
            Statement::Let(local, None, place) => {
                if let Some((name, ty)) = self.declared(*local, true) {
                    self.line(Text::from(format!("var {name}: {ty};")).at(*place));
                }
            }
            Statement::Let(local, Some(value), place) => self.declare(*local, value, *place),
        }
    }

    /// Returns the name and type of a local. If `variable` is set, the local becomes a variable.
    fn declared(&mut self, id: LocalId, variable: bool) -> Option<(String, String)> {
        let ty = self.function?.locals.get(id.0).map(|local| self.scope.ty(&local.ty))?;
        let local = self.locals.get_mut(id.0)?;
        let name = match local {
            Local::Let(name) | Local::Var(name, _) => name.clone(),
            _ => return None,
        };
        if variable && matches!(local, Local::Let(_)) {
            *local = Local::Var(name.clone(), false);
        }
        Some((name, ty))
    }

    fn declare(&mut self, id: LocalId, value: &Expr, place: Place) {
        match &value.kind {
            ExprKind::Block(None, block) => {
                for statement in &block.statements {
                    self.statement(statement);
                }
                match &block.value {
                    Some(value) => self.declare(id, value, place),
                    None => self.run(value, &Destination::Discarded),
                }
            }
            _ if is_control(value) && value.ty != Type::Unit => {
                let Some((name, ty)) = self.declared(id, true) else { return };
                self.line(Text::from(format!("var {name}: {ty};")).at(place));
                self.run(value, &Destination::Variable(name));
            }
            _ => {
                let piece = self.value(value);
                let Some((name, ty)) = self.declared(id, deferred::is_computed_late(value)) else {
                    return self.discard(&piece, &value.ty, place);
                };
                let keyword = if matches!(self.local(id), Local::Var(..)) { "var" } else { "let" };
                let head = Text::from(format!("{keyword} {name}: {ty} = "));
                self.line(head.text(&piece.text).str(";").at(place));
            }
        }
    }

    /// Prints the effects of an expression, and stores its value at its destination.
    pub(super) fn run(&mut self, expr: &Expr, to: &Destination) {
        let start = self.lines.next(self.depth);
        self.run_unmarked(expr, to);
        self.lines.mark(start, expr.place);
    }

    fn run_unmarked(&mut self, expr: &Expr, to: &Destination) {
        match &expr.kind {
            ExprKind::Block(None, block) if *to == Destination::Discarded => {
                let (lines, ()) = self.nested(|body| body.block(block, to));
                if !lines.is_empty() {
                    self.braces_bare(&lines);
                    self.lines.ended |= lines.ended;
                }
            }
            ExprKind::Block(None, block) => self.block(block, to),
            ExprKind::Block(Some(label), block) => self.labeled(expr, *label, block, to),
            ExprKind::If(condition, then, otherwise) => {
                let piece = self.value(condition);
                let head = expr.place.start().to(condition.place);
                let ended = self.branches("", head, &piece, then, otherwise.as_deref(), to);
                self.lines.ended |= ended;
            }
            ExprKind::Match(subject, arms) => self.match_expr(expr, subject, arms, to),
            ExprKind::Loop(label, block) => self.loop_expr(expr, *label, block, to),
            ExprKind::While(label, condition, block) => {
                self.while_loop(expr, *label, condition, block);
            }
            ExprKind::For(inner) => self.for_loop(expr, inner),
            ExprKind::Break(label, value) => {
                let to = self.frames.iter().rfind(|frame| frame.label == *label);
                let to = to.map_or(Destination::Discarded, |frame| frame.to.clone());
                if let Some(value) = value {
                    self.run(value, &to);
                }
                self.exit(*label, Exit::Break, expr.place);
            }
            ExprKind::Continue(label) => self.exit(*label, Exit::Continue, expr.place),
            ExprKind::Return(None) => self.put_return(Text::from("return"), expr.place),
            ExprKind::Return(Some(value)) if value.ty == Type::Unit => {
                self.run(value, &Destination::Discarded);
                self.put_return(Text::from("return"), expr.place);
            }
            ExprKind::Return(Some(value)) => {
                let piece = self.value(value);
                self.put_return(Text::from("return ").text(&piece.text), expr.place);
            }
            ExprKind::Claim(claim, condition) => {
                self.claim(*claim, condition.as_deref(), expr.place);
            }
            ExprKind::Assign(place, value) => self.assign(expr, place, value),
            ExprKind::AssignBinary(op, place, value) => self.update(expr, *op, place, value),
            _ => {
                let piece = self.value(expr);
                match to {
                    Destination::Discarded => self.discard(&piece, &expr.ty, expr.place),
                    Destination::Variable(name) => {
                        let head = Text::from(format!("{name} = "));
                        self.line(head.text(&piece.text).str(";").at(expr.place));
                    }
                    Destination::Caller => {
                        self.put_return(Text::from("return ").text(&piece.text), expr.place);
                    }
                }
            }
        }
    }

    /// Prints a block's statements, and stores its value at its destination.
    pub(super) fn block(&mut self, block: &Block, to: &Destination) {
        for statement in &block.statements {
            self.statement(statement);
        }
        if let Some(value) = &block.value {
            let to = if value.ty == Type::Unit { &Destination::Discarded } else { to };
            self.run(value, to);
        }
    }

    fn braces_bare(&mut self, lines: &Lines) {
        self.line("{");
        self.lines.nest(lines);
        self.line("}");
    }

    fn put_return(&mut self, text: Text, place: Place) {
        self.line(text.at(place).str(";"));
        self.lines.ended = true;
        self.returns += 1;
    }

    /// Prints the effects of a value that is unused.
    fn discard(&mut self, piece: &Piece, ty: &Type, place: Place) {
        if piece.statement {
            self.line(piece.text.clone().str(";").at(place));
        } else if piece.effect != Effect::Constant && *ty != Type::Unit {
            self.line(Text::from("_ = ").text(&piece.text).str(";").at(place));
        }
    }

    /// Prints an `if`, after `before` on the same line. Returns whether control never continues after it.
    fn branches(
        &mut self,
        before: &str,
        head: Place,
        condition: &Piece,
        then: &Block,
        otherwise: Option<&Expr>,
        to: &Destination,
    ) -> bool {
        let test = Text::from("if (").text(&condition.text).str(")").at(head);
        let start = self.lines.next(self.depth) + before.len();
        let ended = self.branch(before, test, then, otherwise, to);
        let last = otherwise.map_or(then.place.last, |otherwise| otherwise.place.last);
        self.lines.mark(start, head.start().to(Place { first: last, last }));
        ended
    }

    fn branch(
        &mut self,
        before: &str,
        test: Text,
        then: &Block,
        otherwise: Option<&Expr>,
        to: &Destination,
    ) -> bool {
        self.line(Text::from(before).text(&test).str(" {"));
        let (first, ()) = self.nested(|body| body.block(then, to));
        self.lines.nest(&first);
        let Some(otherwise) = otherwise else {
            self.line("}");
            return false;
        };
        if let ExprKind::If(condition, then, rest) = &otherwise.kind {
            let head = otherwise.place.start().to(condition.place);
            let (lines, piece) = self.nested(|body| body.value(condition));
            if lines.is_empty() {
                let ended = self.branches("} else ", head, &piece, then, rest.as_deref(), to);
                return first.ended && ended;
            }
            let (second, ()) = self.nested(|body| {
                body.lines.append(&lines);
                let ended = body.branches("", head, &piece, then, rest.as_deref(), to);
                body.lines.ended |= ended;
            });
            return self.otherwise(&second) && first.ended;
        }
        let (second, ()) = self.nested(|body| match &otherwise.kind {
            ExprKind::Block(None, block) => body.block(block, to),
            _ => body.run(otherwise, to),
        });
        if second.is_empty() {
            self.line("}");
            return false;
        }
        self.otherwise(&second) && first.ended
    }

    fn otherwise(&mut self, lines: &Lines) -> bool {
        self.line("} else {");
        self.lines.nest(lines);
        self.line("}");
        lines.ended
    }

    /// Prints a labeled block as a `switch` with one case, which `break` leaves.
    fn labeled(&mut self, expr: &Expr, label: LabelId, block: &Block, to: &Destination) {
        if !contains_break(block, label) {
            return self.block(block, to);
        }
        self.frames.push(Frame::new(label, false, to.clone()));
        self.depth += 1;
        let (lines, ()) = self.nested(|body| body.block(block, to));
        self.depth -= 1;
        let frame = self.frames.pop();
        let head = Place { first: expr.place.first, last: expr.place.first };
        self.declare_flag(frame.as_ref(), Exit::Break);
        self.line(Text::from("switch 0u").at(head).str(" {"));
        self.depth += 1;
        self.braces(Text::from("default:"), &lines, None);
        self.depth -= 1;
        self.line("}");
        self.print_pending_jumps(frame);
    }

    /// Declares the flag with which inner loops leave `frame`, if there is one.
    pub(super) fn declare_flag(&mut self, frame: Option<&Frame>, exit: Exit) {
        if let Some(flag) = frame.and_then(|frame| frame.flags[exit as usize].as_ref()) {
            self.line(format!("var {flag}: bool = false;"));
        }
    }

    /// Prints the jumps that left `frame` and must continue outside it.
    pub(super) fn print_pending_jumps(&mut self, frame: Option<Frame>) {
        for (flag, label, exit) in frame.into_iter().flat_map(|frame| frame.pending) {
            let (lines, ()) = self.nested(|body| body.step_out(label, exit, Some(&flag), None));
            self.braces(Text::from(format!("if ({flag})")), &lines, None);
        }
    }

    /// Prints the `break` or `continue` at `place` in Rust.
    fn exit(&mut self, label: LabelId, exit: Exit, place: Place) {
        self.step_out(label, exit, None, Some(place));
    }

    /// Prints a jump out of the innermost loop or an outer one. `flag` is given if a flag for the jump has been set
    /// already.
    fn step_out(&mut self, label: LabelId, exit: Exit, flag: Option<&str>, place: Option<Place>) {
        if self.lines.ended {
            return;
        }
        let Some(target) = self.frames.iter().rposition(|frame| frame.label == label) else {
            return;
        };
        self.frames[target].is_left |= exit == Exit::Break;
        let mut inner = self.frames[target + 1..].iter();
        let direct = !inner.any(|frame| exit == Exit::Break || frame.is_loop);
        let keyword = if direct && exit == Exit::Continue { "continue" } else { "break" };
        if !direct {
            let name = match flag {
                Some(flag) => flag.to_owned(),
                None => {
                    let name = self.flag(target, exit);
                    self.line(format!("{name} = true;"));
                    name
                }
            };
            if let Some(innermost) = self.frames.last_mut() {
                let pending = (name, label, exit);
                if !innermost.pending.contains(&pending) {
                    innermost.pending.push(pending);
                }
                innermost.is_left = true;
            }
        }
        let text = Text::from(keyword);
        self.line(match place {
            Some(place) => text.at(place).str(";"),
            None => text.str(";"),
        });
        self.lines.ended = true;
    }

    fn flag(&mut self, target: usize, exit: Exit) -> String {
        if let Some(flag) = &self.frames[target].flags[exit as usize] {
            return flag.clone();
        }
        let name = self.fresh(if exit == Exit::Break { "leave" } else { "next_iteration" });
        self.frames[target].flags[exit as usize] = Some(name.clone());
        name
    }

    /// Prints `place = value`. Rust evaluates the value first.
    fn assign(&mut self, expr: &Expr, place: &Expr, value: &Expr) {
        if is_control(value)
            && let Some(Local::Var(name, _)) = self.as_variable(place)
        {
            return self.run(value, &Destination::Variable(name));
        }
        if value.ty == Type::Unit || !is_place(place) {
            return self.run(value, &Destination::Discarded);
        }
        let mut values = vec![value];
        self.place_values(place, &mut values);
        let mut pieces = self.operands(&values);
        self.bind_value_first(&mut pieces, &value.ty);
        let mut pieces = pieces.into_iter();
        let Some(piece) = pieces.next() else { return };
        let target = self.place_piece(place, &mut pieces);
        let line = match place.kind {
            ExprKind::Plain(_) => self.plain_store(place, &target, &piece),
            _ => target.text.str(" = ").text(&piece.text),
        };
        self.line(line.str(";").at(expr.place));
    }

    /// Binds the value, which is the first of the pieces, to a name if the evaluation order matters: WGSL evaluates
    /// the place before the value.
    fn bind_value_first(&mut self, pieces: &mut [Piece], ty: &Type) {
        let Some((value, indices)) = pieces.split_first_mut() else { return };
        let indices = indices.iter().map(|piece| piece.effect).max().unwrap_or(Effect::Constant);
        let acts = value.effect.max(indices) == Effect::Acts;
        if acts && value.effect != Effect::Constant && indices != Effect::Constant {
            self.bind_unless_constant(value, ty);
        }
    }

    /// Prints `place op= value`. Rust evaluates the value first, except for vectors and matrices, whose operators are
    /// functions.
    fn update(&mut self, expr: &Expr, op: Binary, place: &Expr, value: &Expr) {
        let value_first = matches!(place.ty, Type::Scalar(_));
        let mut values = Vec::new();
        if value_first {
            values.push(value);
        }
        self.place_values(place, &mut values);
        if !value_first {
            values.push(value);
        }
        let mut pieces = self.operands(&values);
        if !value_first {
            // The value's side effects must happen after the indices are evaluated, and before the place is read.
            if pieces.last().is_some_and(|piece| piece.effect == Effect::Acts) {
                for (piece, of) in pieces.iter_mut().zip(&values) {
                    self.bind_unless_constant(piece, &of.ty);
                }
            }
            pieces.rotate_right(1);
        } else if let Some(first) = pieces.first_mut()
            && first.effect == Effect::Acts
        {
            self.bind_unless_constant(first, &value.ty);
        } else {
            self.bind_value_first(&mut pieces, &value.ty);
        }
        let plain = matches!(place.kind, ExprKind::Plain(_));
        // WGSL has no `^=` on `bool`.
        let of_bool = place.ty == Type::Scalar(Scalar::Bool) && op == Binary::Xor;
        let narrow = can_overflow(op, &place.ty);
        if plain || of_bool || narrow {
            // The place is written twice in the output.
            if pieces.iter().skip(1).any(|piece| !piece.is_simple()) {
                let mut types: Vec<Type> = values.iter().map(|value| value.ty.clone()).collect();
                if !value_first {
                    types.rotate_right(1);
                }
                for (piece, ty) in pieces.iter_mut().zip(&types) {
                    self.bind(piece, ty);
                }
            }
        }
        let mut pieces = pieces.into_iter();
        let Some(piece) = pieces.next() else { return };
        let target = self.place_piece(place, &mut pieces);
        let line = if plain {
            let old = self.plain_load(place, &target);
            let new = old.binary(op, of_bool, &piece);
            self.plain_store(place, &target, &new)
        } else if narrow {
            let new = super::expr::narrowed(target.binary(op, false, &piece), &place.ty);
            target.text.clone().str(" = ").text(&new.text)
        } else if of_bool {
            let new = target.binary(op, of_bool, &piece);
            target.text.clone().str(" = ").text(&new.text)
        } else {
            let (symbol, _) = super::expr::operator(op, false);
            target.text.str(&format!(" {symbol}= ")).text(&piece.text)
        };
        let line = line.str(";");
        self.line(match claims_range(op, &place.ty) {
            true => line.with_mark(expr.place, EntryKind::Claim(Claim::InRange)),
            false => line.at(expr.place),
        });
    }

    /// Returns an `atomicStore` to memory that is plain in Rust.
    fn plain_store(&mut self, place: &Expr, target: &Piece, value: &Piece) -> Text {
        let arguments = [super::place::reference(target).text, value.argument()];
        super::place::call("atomicStore", &arguments).plain_at(place.place)
    }
}

/// Returns whether an expression is printed as statements that store its value.
pub(super) fn is_control(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Block(Some(_), _) | ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Loop(..)
    )
}
