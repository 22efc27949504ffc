//! Puts the inferred types into the tree, and makes the decisions that depend only on types.

use super::super::builtins::{Builtin, Class, Emit, Parameter};
use super::super::tree::{
    Arm, Binary, Block, Expr, ExprKind, For, Literal, Local, Pattern, Place, Scalar, Statement,
    Type, Unary,
};
use super::body::{Body, Node};
use super::comparison::in_parts;
use super::evaluate::{self, Value, evaluate};
use super::exhaustive;
use super::expressions::number_of;
use super::functions::holds_memory;
use super::infer::Ty;

static ALL: Builtin = bool_reduction("all");
static ANY: Builtin = bool_reduction("any");

const fn bool_reduction(name: &'static str) -> Builtin {
    Builtin {
        name,
        class: Class::Bool,
        parameters: &[Parameter::T],
        result: Parameter::Scalar(Scalar::Bool),
        emit: Emit::Call(name),
    }
}

impl Body<'_, '_> {
    /// Returns the function's locals. Reports an error and returns `None` if the type of one is unknown or not allowed.
    pub fn write_back_locals(&mut self) -> Option<Vec<Local>> {
        let mut locals = Vec::new();
        let mut failed = false;
        for index in 0..self.locals.len() {
            let variable = &self.locals[index];
            let (name, mutable, declared) =
                (variable.name.clone(), variable.mutable, variable.ty.clone());
            let deep = self.types.deep(&declared);
            let found = self.types.known(&deep);
            let problem = match (&deep, &found) {
                _ if self.has_error(&deep) => Some(None),
                (_, None) => Some(Some("type annotations needed: write `let x: T = …`".to_owned())),
                (Ty::Never, _) => None,
                (Ty::Reference(..), Some(_)) => None,
                (_, Some(Type::Unit)) => {
                    Some(Some("this expression has no value: remove `let`".to_owned()))
                }
                (_, Some(ty)) if self.items.has_override_length(ty) => Some(Some(
                    "only arrays in workgroup memory can have an override as length".to_owned(),
                )),
                (_, Some(ty)) if holds_memory(ty) || self.items.is_unsized(ty) => {
                    let named = self.describe(&deep);
                    Some(Some(format!("a `{named}` cannot be stored in a variable")))
                }
                _ => None,
            };
            if let Some(problem) = problem {
                failed = true;
                if let Some(message) = problem {
                    self.report(name.place, message);
                    // The error is reported once.
                    self.types.unify(&declared, &Ty::Error);
                }
                continue;
            }
            locals.extend(found.map(|ty| Local { name, ty, mutable }));
        }
        (!failed).then_some(locals)
    }

    /// Returns whether a type is or contains an error.
    pub fn has_error(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Error => true,
            Ty::Reference(_, to) => self.has_error(to),
            Ty::Array(element, length) => self.has_error(element) || self.has_error(length),
            Ty::Slice(element) => self.has_error(element),
            Ty::Tuple(parts) | Ty::Enum(_, parts) => parts.iter().any(|part| self.has_error(part)),
            _ => false,
        }
    }

    /// Returns the expression with its types. Returns `None` if one of them is an error, or is unknown, which is reported.
    pub fn write_back(&mut self, node: Node) -> Option<Expr> {
        let Node { kind, ty, diverges, place } = node;
        if let Ty::Length(count) = self.types.resolve_shallow(&ty) {
            let ty = Type::Scalar(Scalar::Usize);
            return Some(Expr { kind: number_of(&count), ty, diverges, place });
        }
        let kind = match kind {
            ExprKind::Instance(index, arguments) => {
                self.resolve_instance(index, arguments, place)?
            }
            other => other,
        };
        if let Ty::Array(element, _) = self.types.resolve_shallow(&ty)
            && let Ty::Reference(..) = self.types.resolve_shallow(&element)
        {
            let message = "references cannot be stored: use them in place, `[&a, &b].map(…)`";
            self.report(place, message);
            return None;
        }
        if let ExprKind::Call(id, arguments) = &kind {
            self.report_uninferred_lengths(*id, arguments, place);
        }
        let known = self.types.known(&ty);
        if known.is_none() && !self.has_error(&self.types.deep(&ty)) {
            self.report(place, "type annotations needed: write `let x: T = …`");
            self.types.unify(&ty, &Ty::Error);
        }
        let kind = self.write_back_kind(kind, known.as_ref(), place);
        Some(Expr { kind: kind?, ty: known?, diverges, place })
    }

    fn write_back_boxed(&mut self, node: Node) -> Option<Box<Expr>> {
        self.write_back(node).map(Box::new)
    }

    fn write_back_optional(&mut self, node: Option<Box<Node>>) -> Option<Option<Box<Expr>>> {
        match node {
            None => Some(None),
            Some(node) => self.write_back_boxed(*node).map(Some),
        }
    }

    /// Writes back all nodes, so that the errors of each are reported.
    fn write_back_all(&mut self, nodes: Vec<Node>) -> Option<Vec<Expr>> {
        let expressions: Vec<Option<Expr>> =
            nodes.into_iter().map(|node| self.write_back(node)).collect();
        expressions.into_iter().collect()
    }

    fn write_back_kind(
        &mut self,
        kind: ExprKind<Ty>,
        ty: Option<&Type>,
        place: Place,
    ) -> Option<ExprKind> {
        Some(match kind {
            ExprKind::Literal(literal) => {
                ExprKind::Literal(self.literal_in_range(literal, ty?, place)?)
            }
            ExprKind::Const(id) => ExprKind::Const(id),
            ExprKind::Verbatim(text) => ExprKind::Verbatim(text),
            ExprKind::Local(id) => ExprKind::Local(id),
            ExprKind::Global(id) => ExprKind::Global(id),
            ExprKind::Index(base, index) => {
                let (base, index) = (self.write_back_boxed(*base), self.write_back_boxed(*index));
                let (base, index) = (base?, index?);
                self.check_bounds(&base.ty, &index)?;
                ExprKind::Index(base, index)
            }
            ExprKind::Member(base, index) => ExprKind::Member(self.write_back_boxed(*base)?, index),
            ExprKind::Swizzle(base, parts) => {
                ExprKind::Swizzle(self.write_back_boxed(*base)?, parts)
            }
            ExprKind::Unary(Unary::Not, inner) => {
                let inner = self.write_back_boxed(*inner)?;
                ExprKind::Unary(
                    if inner.ty.is_bool() { Unary::Not } else { Unary::Complement },
                    inner,
                )
            }
            ExprKind::Unary(operator, inner) => {
                let inner = self.write_back_boxed(*inner)?;
                match inner.ty {
                    // WGSL cannot negate matrices.
                    Type::Matrix { .. } => {
                        ExprKind::Binary(Binary::Multiply, inner, Box::new(minus_one(place)))
                    }
                    _ => ExprKind::Unary(operator, inner),
                }
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.write_back_boxed(*left), self.write_back_boxed(*right));
                let (left, right) = (left?, right?);
                if in_parts(&left.ty)
                    && left.ty == right.ty
                    && matches!(operator, Binary::Equal | Binary::NotEqual)
                {
                    return Some(self.equal_in_parts(operator, *left, *right, place));
                }
                if in_parts(&left.ty) && left.ty == right.ty && is_ordering(operator) {
                    return Some(self.ordered_in_parts(operator, *left, *right, place));
                }
                self.check_operation(operator, &left, &right, place)?;
                match self.folded(operator, &left, &right) {
                    Some(literal) => literal,
                    None => binary(operator, *left, *right),
                }
            }
            ExprKind::AssignBinary(operator, left, right) => {
                let (left, right) = (self.write_back_boxed(*left), self.write_back_boxed(*right));
                let (left, right) = (left?, right?);
                self.check_operation(operator, &left, &right, place)?;
                if operator == Binary::Xor && left.ty.is_bool() {
                    let value = Expr {
                        kind: binary(operator, (*left).clone(), *right),
                        ty: left.ty.clone(),
                        diverges: false,
                        place,
                    };
                    return Some(ExprKind::Assign(left, Box::new(value)));
                }
                let right = right_operand(operator, &left.ty, *right);
                ExprKind::AssignBinary(operator, left, Box::new(right))
            }
            ExprKind::Convert(inner) => {
                let inner = self.write_back_boxed(*inner)?;
                self.conversion_of(inner, ty)
            }
            ExprKind::Bitcast(inner) => ExprKind::Bitcast(self.write_back_boxed(*inner)?),
            ExprKind::Construct(parts) => ExprKind::Construct(self.write_back_all(parts)?),
            ExprKind::Variant(nth, parts) => ExprKind::Variant(nth, self.write_back_all(parts)?),
            ExprKind::Repeat(value) => ExprKind::Repeat(self.write_back_boxed(*value)?),
            ExprKind::Call(id, arguments) => ExprKind::Call(id, self.write_back_all(arguments)?),
            // `resolve_instance` has replaced it by a call.
            ExprKind::Instance(..) => return None,
            ExprKind::Part(..) | ExprKind::Slice(..) => {
                let message = "a part of an array is not a value: pass a reference, `&x[a..b]`, or loop over it";
                self.report(place, message);
                return None;
            }
            ExprKind::Builtin(Builtin { emit: Emit::Cast, .. }, mut arguments, _) => {
                let inner = self.write_back_boxed(arguments.pop()?)?;
                self.conversion_of(inner, ty)
            }
            ExprKind::Builtin(builtin, arguments, ordered) => {
                ExprKind::Builtin(builtin, self.write_back_all(arguments)?, ordered)
            }
            ExprKind::Plain(inner) => ExprKind::Plain(self.write_back_boxed(*inner)?),
            ExprKind::Claim(claim, condition) => {
                ExprKind::Claim(claim, self.write_back_optional(condition)?)
            }
            ExprKind::Assign(left, right) => {
                let (left, right) = (self.write_back_boxed(*left), self.write_back_boxed(*right));
                ExprKind::Assign(left?, right?)
            }
            ExprKind::Block(label, block) => ExprKind::Block(label, self.write_back_block(block)?),
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.write_back_boxed(*condition);
                let then = self.write_back_block(then);
                let otherwise = self.write_back_optional(otherwise);
                ExprKind::If(condition?, then?, otherwise?)
            }
            ExprKind::Match(value, arms) => {
                let value = self.write_back_boxed(*value);
                let arms: Vec<Option<Arm>> =
                    arms.into_iter().map(|arm| self.write_back_arm(arm)).collect();
                let (value, arms) = (value?, arms.into_iter().collect::<Option<Vec<Arm>>>()?);
                if let Some(missing) = exhaustive::missing(&self.items.module, &value.ty, &arms) {
                    let message = format!(
                        "non-exhaustive `match`: `{missing}` is not covered; add an arm `_ => …`"
                    );
                    self.report(value.place, message);
                    return None;
                }
                ExprKind::Match(value, arms)
            }
            ExprKind::Loop(label, body) => ExprKind::Loop(label, self.write_back_block(body)?),
            ExprKind::While(label, condition, body) => {
                let (condition, body) =
                    (self.write_back_boxed(*condition), self.write_back_block(body));
                ExprKind::While(label, condition?, body?)
            }
            ExprKind::For(range_loop) => ExprKind::For(Box::new(self.write_back_for(*range_loop)?)),
            ExprKind::Break(label, value) => {
                ExprKind::Break(label, self.write_back_optional(value)?)
            }
            ExprKind::Continue(label) => ExprKind::Continue(label),
            ExprKind::Return(value) => ExprKind::Return(self.write_back_optional(value)?),
        })
    }

    fn literal_in_range(&mut self, literal: Literal, ty: &Type, place: Place) -> Option<Literal> {
        let (value, (least, greatest)) = match (literal, ty) {
            (Literal::Int(value), Type::Scalar(scalar)) => match scalar.range() {
                Some(range) => (value, range),
                None => return Some(literal),
            },
            _ => return Some(literal),
        };
        if (least..=greatest).contains(&value) {
            return Some(literal);
        }
        let named = self.describe(&ty.into());
        let hint = match value {
            0..=0xffff_ffff => ": use a `u32`",
            0x1_0000_0000..=0xffff_ffff_ffff_ffff => ": use a `u64`",
            _ => "",
        };
        self.report(place, format!("{value} is out of range for `{named}`{hint}"));
        None
    }

    /// Rejects an index that is known to be out of bounds.
    fn check_bounds(&mut self, base: &Type, index: &Expr) -> Option<()> {
        let message = evaluate::out_of_bounds(&self.items.module, base, index);
        message.map_or(Some(()), |message| {
            self.report(index.place, message);
            None
        })
    }

    /// Rejects a constant operation that overflows. In Rust it would panic, and WGSL rejects it too.
    fn check_operation(
        &mut self,
        operator: Binary,
        left: &Expr,
        right: &Expr,
        place: Place,
    ) -> Option<()> {
        let module = &self.items.module;
        let (a, b) = (evaluate(module, left), evaluate(module, right));
        let message = match (operator, a, b) {
            (Binary::Divide | Binary::Remainder, _, Some(Value::Int(0))) => {
                "this operation divides by zero".to_owned()
            }
            (Binary::ShiftLeft | Binary::ShiftRight, _, Some(Value::Int(by)))
                if !(0..i128::from(evaluate::bits_of(&left.ty))).contains(&by) =>
            {
                let named = self.describe(&(&left.ty).into());
                format!(
                    "this operation shifts by {by}, but `{named}` has only {} bits",
                    evaluate::bits_of(&left.ty)
                )
            }
            (_, Some(a @ Value::Int(_)), Some(b))
                if !evaluate::fits(operator, &a, &b, &left.ty) =>
            {
                format!("this operation overflows `{}`", self.describe(&(&left.ty).into()))
            }
            _ => return Some(()),
        };
        self.report(place, message);
        None
    }

    fn write_back_block(&mut self, block: Block<Ty>) -> Option<Block> {
        let mut statements = Vec::new();
        let mut failed = false;
        for statement in block.statements {
            let written = match statement {
                Statement::Let(id, None, place) => Some(Statement::Let(id, None, place)),
                Statement::Let(id, Some(value), place) => {
                    self.write_back(value).map(|value| Statement::Let(id, Some(value), place))
                }
                Statement::Expr(value) => self.write_back(value).map(Statement::Expr),
            };
            failed |= written.is_none();
            statements.extend(written);
        }
        let value = self.write_back_optional(block.value)?;
        (!failed).then_some(Block { statements, value, place: block.place })
    }

    fn write_back_arm(&mut self, arm: Arm<Ty>) -> Option<Arm> {
        let pattern = self.write_back_pattern(arm.pattern);
        let guard = match arm.guard {
            Some(guard) => self.write_back(guard).map(Some),
            None => Some(None),
        };
        let body = self.write_back(arm.body);
        Some(Arm { pattern: pattern?, guard: guard?, body: body? })
    }

    fn write_back_pattern(&mut self, pattern: Pattern<Ty>) -> Option<Pattern> {
        let write_back_patterns = |body: &mut Self, patterns: Vec<Pattern<Ty>>| {
            patterns
                .into_iter()
                .map(|pattern| body.write_back_pattern(pattern))
                .collect::<Option<Vec<_>>>()
        };
        Some(match pattern {
            Pattern::Wildcard => Pattern::Wildcard,
            Pattern::Value(value) => Pattern::Value(self.write_back(value)?),
            Pattern::Range(first, last, inclusive) => {
                let mut write_back_end = |end: Option<Node>| match end {
                    Some(end) => self.write_back(end).map(Some),
                    None => Some(None),
                };
                Pattern::Range(write_back_end(first)?, write_back_end(last)?, inclusive)
            }
            Pattern::Either(patterns) => Pattern::Either(write_back_patterns(self, patterns)?),
            Pattern::Bind(id, inner) => {
                Pattern::Bind(id, Box::new(self.write_back_pattern(*inner)?))
            }
            Pattern::Tuple(patterns) => Pattern::Tuple(write_back_patterns(self, patterns)?),
            Pattern::Variant(nth, patterns) => {
                Pattern::Variant(nth, write_back_patterns(self, patterns)?)
            }
            Pattern::ExchangeResult(ok, inner) => {
                Pattern::ExchangeResult(ok, Box::new(self.write_back_pattern(*inner)?))
            }
        })
    }

    fn write_back_for(&mut self, range_loop: For<Ty>) -> Option<For> {
        let (start, end) = (self.write_back(range_loop.start), self.write_back(range_loop.end));
        let step = match range_loop.step {
            Some(step) => self.write_back(step).map(|step| Some(unsigned(step))),
            None => Some(None),
        };
        let body = self.write_back_block(range_loop.body);
        Some(For {
            label: range_loop.label,
            local: range_loop.local,
            start: start?,
            end: end?,
            inclusive: range_loop.inclusive,
            step: step?,
            reversed: range_loop.reversed,
            body: body?,
        })
    }
}

fn is_ordering(operator: Binary) -> bool {
    use Binary::{Greater, GreaterOrEqual, Less, LessOrEqual};
    matches!(operator, Less | LessOrEqual | Greater | GreaterOrEqual)
}

/// Returns an operator with its operands in WGSL's form.
pub fn binary(operator: Binary, left: Expr, right: Expr) -> ExprKind {
    let binary_expr = |operator, left: Expr, right: Expr| {
        ExprKind::Binary(operator, Box::new(left), Box::new(right))
    };
    match (operator, &left.ty) {
        // In Rust, `==` on vectors is a `bool`; in WGSL it is a vector of `bool`.
        (Binary::Equal | Binary::NotEqual, Type::Vector(size, _)) => {
            let place = left.place.to(right.place);
            let reduction = if operator == Binary::Equal { &ALL } else { &ANY };
            let ty = Type::Vector(*size, Scalar::Bool);
            let comparison =
                Expr { kind: binary_expr(operator, left, right), ty, diverges: false, place };
            ExprKind::Builtin(reduction, vec![comparison], None)
        }
        (Binary::Xor, ty) if ty.is_bool() => binary_expr(Binary::NotEqual, left, right),
        (_, ty) => {
            let right = right_operand(operator, &ty.clone(), right);
            let left = left_operand(operator, left, &right.ty);
            binary_expr(operator, left, right)
        }
    }
}

/// Converts the right operand to WGSL's form: a `u32` for shifts, and a vector where the left operand requires one.
fn right_operand(operator: Binary, left: &Type, right: Expr) -> Expr {
    let right = match operator {
        Binary::ShiftLeft | Binary::ShiftRight => unsigned(right),
        Binary::And | Binary::Or | Binary::Xor => right,
        _ => return right,
    };
    match (left, &right.ty) {
        (Type::Vector(size, _), Type::Scalar(scalar)) => splat(*size, *scalar, right),
        _ => right,
    }
}

fn left_operand(operator: Binary, left: Expr, right: &Type) -> Expr {
    match (operator, &left.ty, right) {
        (Binary::And | Binary::Or | Binary::Xor, Type::Scalar(scalar), Type::Vector(size, _)) => {
            splat(*size, *scalar, left)
        }
        _ => left,
    }
}

fn minus_one(place: Place) -> Expr {
    let kind = ExprKind::Literal(Literal::Float(-1.0));
    Expr { kind, ty: Type::Scalar(Scalar::F32), diverges: false, place }
}

fn splat(size: u8, scalar: Scalar, value: Expr) -> Expr {
    let (place, diverges) = (value.place, value.diverges);
    Expr { kind: ExprKind::Construct(vec![value]), ty: Type::Vector(size, scalar), diverges, place }
}

/// Converts an integer, or a vector of them, to `u32`.
fn unsigned(value: Expr) -> Expr {
    let ty = match value.ty {
        Type::Scalar(scalar) if scalar != Scalar::U32 => Type::Scalar(Scalar::U32),
        Type::Vector(size, Scalar::I32) => Type::Vector(size, Scalar::U32),
        _ => return value,
    };
    let (place, diverges) = (value.place, value.diverges);
    let kind = match value.kind {
        ExprKind::Literal(Literal::Int(number @ 0..)) => ExprKind::Literal(Literal::Int(number)),
        _ => ExprKind::Convert(Box::new(value)),
    };
    Expr { kind, ty, diverges, place }
}
