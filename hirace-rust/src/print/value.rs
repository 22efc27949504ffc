//! Expressions as values.
//!
//! [`Body::value`] prints the statements that an expression needs, and returns the WGSL expression that has its value
//! afterwards. [`Body::operands`] does this for several expressions in order: statements of a later one are printed
//! after the earlier ones have been evaluated.

use super::body::Body;
use super::deferred;
use super::expr::{
    Effect, Piece, Precedence, can_overflow, clamped, narrowed, operator, prefix_can_overflow,
};
use super::flow::Destination;
use super::place::{call, reference};
use super::text::Text;
use super::types::{self, Variants};
use crate::builtins::{self, Builtin, Emit, Parameter};
use crate::ir::claims::Claim;
use crate::map::EntryKind;
use crate::tree::{Binary, Count, Expr, ExprKind, FunctionId, PassMode, Scalar, Type, Unary};

impl Body<'_> {
    /// Prints an expression and returns its value.
    pub(super) fn value(&mut self, expr: &Expr) -> Piece {
        self.scope.note(&expr.ty);
        match &expr.kind {
            ExprKind::Literal(literal) => {
                let text = types::literal(*literal, &expr.ty);
                let level =
                    if text.starts_with('-') { Precedence::Unary } else { Precedence::Primary };
                Piece { level, ..Piece::primary(text, Effect::Constant) }
            }
            ExprKind::Const(id) => {
                let name = self.scope.consts.get(id.0).cloned().unwrap_or_default();
                Piece::primary(name, Effect::Constant)
            }
            ExprKind::Verbatim(text) => {
                let level =
                    if text.starts_with('-') { Precedence::Unary } else { Precedence::Primary };
                Piece { level, ..Piece::primary(*text, Effect::Constant) }
            }
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Index(..)
            | ExprKind::Member(..)
            | ExprKind::Swizzle(..) => self.part(expr),
            ExprKind::Plain(place) => {
                let place = self.part(place);
                self.plain_load(expr, &place)
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.value(operand);
                let symbol = match op {
                    Unary::Negate => "-",
                    Unary::Not => "!",
                    Unary::Complement => "~",
                };
                let text = Text::from(symbol).text(&operand.within(Precedence::Primary));
                let piece = Piece { text, level: Precedence::Unary, statement: false, ..operand };
                match prefix_can_overflow(*op, &expr.ty) {
                    true => narrowed(piece, &expr.ty).at(expr.place),
                    false => piece.at(expr.place),
                }
            }
            ExprKind::Binary(op @ (Binary::AndThen | Binary::OrElse), left, right) => {
                self.short_circuit(expr, *op, left, right)
            }
            ExprKind::Binary(op, left, right) => {
                let [mut a, b] = self.two(left, right);
                self.defer_operand(left, right, &mut a);
                let piece = a.binary(*op, left.ty.is_bool(), &b);
                match claims_range(*op, &expr.ty) {
                    true => {
                        let text =
                            piece.text.marked(expr.place, EntryKind::Claimed(Claim::InRange));
                        Piece { text, ..piece }
                    }
                    false if can_overflow(*op, &expr.ty) => {
                        narrowed(piece, &expr.ty).at(expr.place)
                    }
                    false => piece.at(expr.place),
                }
            }
            ExprKind::Convert(inner) if inner.ty.is_same_in_wgsl(&expr.ty) => self.value(inner),
            ExprKind::Convert(inner) => {
                let ty = self.scope.ty(&expr.ty);
                if let Some(converted) = self.deferred_conversion(inner, expr) {
                    return narrowed(converted, &expr.ty).at(expr.place);
                }
                if inner.ty == Type::Scalar(Scalar::F32) {
                    let value = self.value(inner);
                    if let Some(text) = clamped(&value, &expr.ty) {
                        let text = call(&ty, &[text]);
                        return Piece::primary(text, value.effect).at(expr.place);
                    }
                    return Piece::primary(call(&ty, &[value.argument()]), value.effect)
                        .at(expr.place);
                }
                let piece = match deferred::intermediate_scalar(&inner.ty, &expr.ty) {
                    Some(first) => {
                        let widened = self.applied(first.name(), inner, expr);
                        Piece { text: call(&ty, &[widened.text]), ..widened }
                    }
                    None => self.applied(&ty, inner, expr),
                };
                narrowed(piece, &expr.ty).at(expr.place)
            }
            ExprKind::Bitcast(inner) => {
                let function = format!("bitcast<{}>", self.scope.ty(&expr.ty));
                self.applied(&function, inner, expr)
            }
            ExprKind::Construct(_) if expr.ty == Type::Unit => self.placeholder(expr),
            ExprKind::Construct(parts) => {
                let parts: Vec<&Expr> = parts.iter().collect();
                let pieces = self.operands(&parts);
                let effect = effect(&pieces);
                let arguments: Vec<Text> = pieces.iter().map(Piece::argument).collect();
                let ty = self.scope.ty(&expr.ty);
                Piece::primary(call(&ty, &arguments), effect).at(expr.place)
            }
            ExprKind::Variant(nth, parts) => self.variant(expr, *nth, parts),
            ExprKind::Repeat(value) => self.repeat(expr, value),
            ExprKind::Call(function, arguments) => self.call(expr, *function, arguments),
            ExprKind::Builtin(builtin, arguments, _) => self.builtin(expr, builtin, arguments),
            // `lower` has replaced these by calls.
            ExprKind::Instance(..) | ExprKind::Part(..) | ExprKind::Slice(..) => {
                self.placeholder(expr)
            }
            ExprKind::Block(None, block) => {
                for statement in &block.statements {
                    self.statement(statement);
                }
                match &block.value {
                    Some(value) => self.value(value),
                    None => self.placeholder(expr),
                }
            }
            _ if expr.ty == Type::Unit || expr.diverges => {
                self.run(expr, &Destination::Nowhere);
                self.placeholder(expr)
            }
            _ => {
                let name = self.fresh("value");
                self.line(format!("var {name}: {};", self.scope.ty(&expr.ty)));
                self.run(expr, &Destination::Variable(name.clone()));
                Piece::primary(name, Effect::Constant)
            }
        }
    }

    /// Prints the construction of an enum value.
    fn variant(&mut self, expr: &Expr, nth: usize, parts: &[Expr]) -> Piece {
        let Type::Enum(which, arguments) = &expr.ty else { return self.placeholder(expr) };
        let of = Variants::of(self.scope.module, *which, arguments);
        let number = Piece::primary(of.number(nth), Effect::Constant).at(expr.place);
        if of.is_fieldless() {
            return number;
        }
        let places = of.places.get(nth).cloned().unwrap_or_default();
        let kept = parts.iter().zip(places).filter_map(|(part, slot)| Some((part, slot?)));
        let (parts, places): (Vec<&Expr>, Vec<usize>) = kept.unzip();
        let pieces = self.operands(&parts);
        let effect = effect(&pieces);
        let empty = |slot: &Type| Text::from(format!("{}()", self.scope.ty(slot)));
        let mut members: Vec<Text> = of.slots.iter().map(empty).collect();
        for (slot, piece) in places.into_iter().zip(&pieces) {
            members[slot] = piece.argument();
        }
        members.insert(0, number.argument());
        Piece::primary(call(&self.scope.ty(&expr.ty), &members), effect).at(expr.place)
    }

    /// Prints several expressions in this order and returns their values.
    pub(super) fn operands(&mut self, exprs: &[&Expr]) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let (before, piece) = self.capture_lines(|body| body.value(expr));
            if !before.is_empty() {
                for (earlier, of) in pieces.iter_mut().zip(exprs) {
                    self.bind_unless_constant(earlier, &of.ty);
                }
                self.lines.append(&before);
            }
            pieces.push(piece);
        }
        pieces
    }

    fn two(&mut self, left: &Expr, right: &Expr) -> [Piece; 2] {
        let mut pieces = self.operands(&[left, right]).into_iter();
        [(); 2].map(|()| pieces.next().unwrap_or_else(|| self.placeholder(left)))
    }

    /// Returns `function(inner)`.
    fn applied(&mut self, function: &str, inner: &Expr, expr: &Expr) -> Piece {
        let inner = self.value(inner);
        Piece::primary(call(function, &[inner.argument()]), inner.effect).at(expr.place)
    }

    /// Prints `&&` or `||`, as an `if` if the right side needs statements.
    fn short_circuit(&mut self, expr: &Expr, op: Binary, left: &Expr, right: &Expr) -> Piece {
        let first = self.value(left);
        let (lines, second) = self.nested(|body| body.value(right));
        if lines.is_empty() {
            return logic(&first, op, &second).at(expr.place);
        }
        let name = self.fresh("value");
        self.line(Text::from(format!("var {name}: bool = ")).text(&first.text).str(";"));
        let not = if op == Binary::AndThen { "" } else { "!" };
        self.line(Text::from(format!("if ({not}{name})")).at(expr.place).str(" {"));
        self.lines.nest(&lines);
        if !lines.ended {
            self.depth += 1;
            self.line(Text::from(format!("{name} = ")).text(&second.text).str(";"));
            self.depth -= 1;
        }
        self.line("}");
        Piece::primary(name, Effect::Constant)
    }

    /// Prints a call of a helper.
    fn call(&mut self, expr: &Expr, id: FunctionId, arguments: &[Expr]) -> Piece {
        let Some(callee) = self.scope.module.functions.get(id.0) else {
            return self.placeholder(expr);
        };
        let by_pointer = |index: usize| {
            callee.parameters.get(index).is_some_and(|p| p.passed == PassMode::Mutable)
        };
        let mut values = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            match by_pointer(index) {
                true => self.place_values(argument, &mut values),
                false => values.push(argument),
            }
        }
        let types: Vec<Type> = values.iter().map(|value| value.ty.clone()).collect();
        let copied = |body: &Self, index: usize, argument: &Expr| {
            by_pointer(index) && body.as_variable(argument).is_none()
        };
        let mut pieces = self.operands(&values);
        let copies = arguments.iter().enumerate().any(|(i, argument)| copied(self, i, argument));
        if copies {
            for (piece, ty) in pieces.iter_mut().zip(&types) {
                self.bind_unless_constant(piece, ty);
            }
        }
        let effect = Effect::Acts;
        let mut pieces = pieces.into_iter();
        let mut texts = Vec::new();
        let mut back = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            if !by_pointer(index) {
                let piece = pieces.next().unwrap_or_else(|| self.placeholder(argument));
                texts.push(piece.argument());
                continue;
            }
            let place = self.place_piece(argument, &mut pieces);
            if !copied(self, index, argument) {
                texts.push(reference(&place).text);
                continue;
            }
            // Not every WGSL compiler accepts a pointer to a part of a variable.
            let copy = self.fresh("part");
            let declaration = format!("var {copy}: {} = ", self.scope.ty(&argument.ty));
            self.line(Text::from(declaration).text(&place.text).str(";"));
            texts.push(Text::from(format!("&{copy}")));
            if is_place(argument) {
                back.push(place.text.str(&format!(" = {copy};")));
            }
        }
        let name = self.scope.functions.get(id.0).cloned().unwrap_or_default();
        let text = call(&name, &texts).at(expr.place);
        let mut piece = Piece { statement: true, ..Piece::primary(text, effect) };
        if back.is_empty() {
            return piece;
        }
        match expr.ty {
            Type::Unit => {
                self.line(piece.text.str(";"));
                piece = self.placeholder(expr);
            }
            _ => self.bind(&mut piece, &expr.ty),
        }
        for line in back {
            self.line(line);
        }
        piece
    }

    /// Prints a call of a WGSL built-in function.
    fn builtin(&mut self, expr: &Expr, builtin: &Builtin, arguments: &[Expr]) -> Piece {
        if let (Emit::Call("arrayLength"), Some(Type::Array(_, count))) =
            (builtin.emit, arguments.first().map(|argument| &argument.ty))
        {
            return match count {
                Count::Literal(number) => Piece::primary(format!("{number}u"), Effect::Constant),
                Count::Const(_) => Piece::primary(self.scope.count(count), Effect::Constant),
            };
        }
        if matches!(expr.ty, Type::Exchange(_)) {
            return self.exchange_value(expr, builtin, arguments);
        }
        let mut operands = self.builtin_operands(builtin, arguments);
        self.defer_arguments(builtin, (arguments, expr), &mut operands);
        self.builtin_of(expr, builtin, arguments, &operands)
    }

    /// Returns the arguments of a WGSL built-in function. Arguments that the template repeats are bound to names.
    pub(super) fn builtin_operands(&mut self, builtin: &Builtin, arguments: &[Expr]) -> Vec<Piece> {
        let by_reference = |index: usize| {
            matches!(
                builtin.parameters.get(index),
                Some(Parameter::AtomicPlace | Parameter::Place | Parameter::ArrayPlace)
            )
        };
        let mut values = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            match by_reference(index) {
                true => self.place_values(argument, &mut values),
                false => values.push(argument),
            }
        }
        let mut pieces = self.operands(&values);
        if matches!(builtin.emit, Emit::Retried(_)) {
            for (piece, value) in pieces.iter_mut().zip(&values) {
                self.bind(piece, &value.ty);
            }
        }
        let mut pieces = pieces.into_iter();
        let mut all = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            all.push(match by_reference(index) {
                true => reference(&self.place_piece(argument, &mut pieces)),
                false => pieces.next().unwrap_or_else(|| self.placeholder(argument)),
            });
        }
        let last = (0..all.len()).rfind(|&i| builtin.repeats(i) && !all[i].is_simple());
        if let Some(last) = last {
            for index in (0..=last).filter(|&index| !by_reference(index)) {
                self.bind(&mut all[index], &arguments[index].ty);
            }
        }
        all
    }

    /// Returns a call of a WGSL built-in function with its printed arguments.
    pub(super) fn builtin_of(
        &mut self,
        expr: &Expr,
        builtin: &Builtin,
        arguments: &[Expr],
        operands: &[Piece],
    ) -> Piece {
        let variable = variable(builtin, arguments, &expr.ty);
        let templates = builtin.pieces(variable.as_ref());
        let is_call = matches!(builtin.emit, Emit::Call(_) | Emit::Retried(_));
        let level = if is_call { Precedence::Bits } else { Precedence::Primary };
        let arguments: Vec<Text> = operands.iter().map(|piece| piece.within(level)).collect();
        let mut texts: Vec<Text> =
            templates.iter().map(|parts| filled(parts, &arguments)).collect();
        let names = texts.iter().map(|text| effect_of(text.as_str()));
        let effect = match builtin.emit {
            Emit::Call("arrayLength") => Effect::Constant,
            _ => names.fold(effect(operands), Effect::max),
        };
        let text = match texts.len() {
            1 => texts.remove(0),
            _ => call(&self.scope.ty(&expr.ty), &texts),
        };
        let statement = matches!(builtin.emit, Emit::Call(name) if is_statement(name));
        let text = match expr.kind {
            ExprKind::Builtin(_, _, Some(ordered)) => {
                text.marked(expr.place, EntryKind::Ordered(ordered))
            }
            _ => text.at(expr.place),
        };
        Piece { statement, ..Piece::primary(text, effect) }
    }
}

/// Returns whether an operator on this type implies the claim that its result is in range, as Rust requires for
/// positions and lengths.
pub(super) fn claims_range(op: Binary, ty: &Type) -> bool {
    matches!(op, Binary::Add | Binary::Subtract | Binary::Multiply)
        && matches!(ty, Type::Scalar(Scalar::Usize | Scalar::Isize))
}

/// Returns the type that a builtin's type variable has in a call.
fn variable(builtin: &Builtin, arguments: &[Expr], result: &Type) -> Option<Type> {
    let of = |parameter: &Parameter, ty: &Type| match (parameter, ty) {
        (Parameter::AtomicPlace | Parameter::Place, Type::Atomic(scalar)) => {
            Some(Type::Scalar(*scalar))
        }
        (Parameter::T | Parameter::AtomicPlace | Parameter::Place, _) => Some(ty.clone()),
        _ => None,
    };
    let types = arguments.iter().map(|argument| &argument.ty);
    let mut given = builtin.parameters.iter().zip(types);
    given.find_map(|(parameter, ty)| of(parameter, ty)).or_else(|| of(&builtin.result, result))
}

/// Inserts arguments into an expanded template.
fn filled(parts: &[builtins::Piece], arguments: &[Text]) -> Text {
    let mut text = Text::default();
    for part in parts {
        match part {
            builtins::Piece::Text(part) => text = text.str(part),
            builtins::Piece::Argument(index) => {
                if let Some(argument) = arguments.get(*index) {
                    text.push(argument);
                }
            }
        }
    }
    text
}

/// Returns `a && b` or `a || b`. WGSL requires parentheses if the two are mixed.
pub(super) fn logic(a: &Piece, op: Binary, b: &Piece) -> Piece {
    let (symbol, level) = operator(op, false);
    let left = if a.level == level { a.text.clone() } else { a.within(Precedence::Comparison) };
    let text = left.str(&format!(" {symbol} ")).text(&b.within(Precedence::Comparison));
    Piece { text, level, effect: a.effect.max(b.effect), statement: false }
}

/// Returns whether an expression is a place that can be written to.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_) | ExprKind::Global(_) => true,
        ExprKind::Index(base, _) | ExprKind::Member(base, _) => is_place(base),
        ExprKind::Swizzle(base, components) => components.len() == 1 && is_place(base),
        ExprKind::Plain(base) => is_place(base),
        _ => false,
    }
}

fn effect(pieces: &[Piece]) -> Effect {
    pieces.iter().map(|piece| piece.effect).max().unwrap_or(Effect::Constant)
}

/// Returns the side effects of a WGSL built-in function.
fn effect_of(name: &str) -> Effect {
    let acts = ["subgroup", "quad", "textureStore", "textureAtomic", "workgroupUniformLoad"];
    if name.contains("atomicLoad") || name.contains("textureLoad") {
        Effect::Reads
    } else if name.contains("atomic")
        || name.contains("Barrier")
        || acts.iter().any(|start| name.contains(start))
    {
        Effect::Acts
    } else {
        Effect::Constant
    }
}

/// Returns whether WGSL allows a call of this function as a statement.
fn is_statement(name: &str) -> bool {
    name.ends_with("Barrier")
        || name == "textureStore"
        || name.starts_with("textureAtomic")
        || name.starts_with("atomic") && name != "atomicLoad"
}
