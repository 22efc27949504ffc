//! Evaluation of constant expressions: of constants that are computed by functions, array lengths, patterns, indices, and
//! arithmetic that naga does not evaluate.
//!
//! The interpreter supports the part of the tree that corresponds to Rust's `const fn`. Functions have been inlined at their
//! calls, so there are no calls left, and the only memory are local variables.

mod arithmetic;

pub use arithmetic::bits_of;

use super::super::builtins;
use super::super::tree::{
    Arm, Binary, Block, ConstKind, Count, Expr, ExprKind, LabelId, Literal, LocalId, Module,
    Pattern, Place, Scalar, Statement, Type,
};
use super::body::Body;
use arithmetic::{
    binary, called, convert, exact, is_in_range, number, scalar_of, unary, wrap_value,
};
use rustc_hash::FxHashMap;

/// The maximum number of evaluation steps.
const MAX_STEPS: usize = 4_000_000;

/// The reason why a value is not known, and its location.
pub struct EvaluationError {
    pub place: Place,
    pub why: &'static str,
}

const RUNNING: &str = "this is known only while the kernel runs: compute a constant from literals, constants, \
                       `const fn` and WGSL's built-in functions";
const OVERFLOW: &str = "this overflows its type";

/// Evaluates an expression to literals.
pub fn computed(module: &Module, expr: &Expr) -> Result<Expr, EvaluationError> {
    match Interpreter::new(module).value(expr) {
        Ok(value) => literal(value, &expr.ty, module, expr.place),
        Err(Stop::Unknown(unknown)) => Err(unknown),
        Err(Stop::StepLimit) => Err(EvaluationError {
            place: expr.place,
            why: "evaluating this constant takes too long",
        }),
        Err(Stop::Break(..) | Stop::Continue(_)) => {
            Err(EvaluationError { place: expr.place, why: RUNNING })
        }
    }
}

/// Returns the integer or `bool` that an expression of operators, literals and constants has as its value. Returns `None` if it
/// is not known before the program runs, or overflows.
pub fn evaluate(module: &Module, expr: &Expr) -> Option<Value> {
    let value = consists_of_operators(expr).then(|| Interpreter::new(module).value(expr));
    value?.ok().filter(|value| match (value, &expr.ty) {
        (Value::Int(value), Type::Scalar(scalar)) => is_in_range(*value, *scalar),
        (value, _) => matches!(value, Value::Bool(_)),
    })
}

fn consists_of_operators(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Const(_) | ExprKind::Verbatim(_) => true,
        ExprKind::Convert(a) | ExprKind::Unary(_, a) => consists_of_operators(a),
        ExprKind::Binary(_, a, b) => consists_of_operators(a) && consists_of_operators(b),
        _ => {
            let end = end_of(expr);
            !std::ptr::eq(end, expr) && consists_of_operators(end)
        }
    }
}

/// Returns the message for an index that is known to be out of bounds.
pub fn out_of_bounds(module: &Module, base: &Type, index: &Expr) -> Option<String> {
    let length = match base {
        Type::Array(_, Count::Literal(length)) => i128::from(*length),
        Type::Vector(size, _) => i128::from(*size),
        Type::Matrix { columns, .. } => i128::from(*columns),
        _ => i128::MAX,
    };
    match evaluate(module, end_of(index))? {
        Value::Int(index) if index < 0 => {
            Some(format!("index {index} is out of bounds: the first element is 0"))
        }
        Value::Int(index) if index >= length => {
            let last = length - 1;
            Some(format!("index {index} is out of bounds: the last element is {last}"))
        }
        _ => None,
    }
}

/// Returns the value of a block, ignoring its statements.
fn end_of(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Block(None, block) => block.value.as_deref().map_or(expr, end_of),
        _ => expr,
    }
}

/// Returns whether the result of an operator is in the range of its operands' type.
pub fn fits(operator: Binary, left: &Value, right: &Value, ty: &Type) -> bool {
    let (Some(value), Some(scalar)) = (exact(operator, left, right, bits_of(ty)), scalar_of(ty))
    else {
        return false;
    };
    match value {
        Value::Int(value) => is_in_range(value, scalar),
        _ => true,
    }
}

impl Body<'_, '_> {
    /// Applies an operator to two known 64-bit integers and returns a literal. naga does not evaluate 64-bit integer operations.
    pub fn folded(&self, operator: Binary, left: &Expr, right: &Expr) -> Option<ExprKind> {
        let module = &self.items.module;
        let (a, b) = (evaluate(module, left)?, evaluate(module, right)?);
        match exact(operator, &a, &b, bits_of(&left.ty))? {
            Value::Int(value) if left.ty.is_wide() => Some(ExprKind::Literal(Literal::Int(value))),
            _ => None,
        }
    }

    /// Converts a value to a type, at compile time if its value is known.
    pub fn conversion_of(&self, inner: Box<Expr>, to: Option<&Type>) -> ExprKind {
        if let Some(exact) =
            to.filter(|_| !self.constant).and_then(|to| builtins::float_conversion(&inner.ty, to))
        {
            return ExprKind::Builtin(exact, vec![*inner], None);
        }
        // `x as T` for an `x` of type `T` is `x`. `N as u32` for a `usize` constant is the constant, as required for
        // const arguments. Any other value that WGSL represents in the same way is converted, because its type selects
        // the arithmetic.
        let same = to.is_some_and(|to| match inner.kind {
            ExprKind::Const(_) => inner.ty.is_same_in_wgsl(to),
            _ => inner.ty == *to,
        });
        match to.and_then(|to| self.folded_conversion(&inner, to)) {
            _ if same => inner.kind,
            Some(literal) => literal,
            None => ExprKind::Convert(inner),
        }
    }

    /// Converts a known number to another type, if naga does not: it rejects `f16` results that are infinite in Rust.
    fn folded_conversion(&self, inner: &Expr, to: &Type) -> Option<ExprKind> {
        let Type::Scalar(to) = to else { return None };
        let half = *to == Scalar::F16 || inner.ty == Type::Scalar(Scalar::F16);
        Some(ExprKind::Literal(match (&inner.kind, to) {
            (ExprKind::Literal(number), to) if half && to.is_float() => {
                let value = match *number {
                    Literal::Int(value) => value as f32,
                    Literal::Float(value) => value,
                    Literal::Bool(_) => return None,
                };
                Literal::Float(Some(to.rounded(value)).filter(|value| value.is_finite())?)
            }
            _ if !inner.ty.is_wide() => return None,
            (_, to) => {
                let Value::Int(value) = evaluate(&self.items.module, inner)? else { return None };
                match to {
                    Scalar::F32 => Literal::Float(value as f32),
                    to => Literal::Int(wrap_value(value, *to)?),
                }
            }
        }))
    }
}

/// The value of a constant expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Unit,
    Bool(bool),
    /// An integer in the range of its type.
    Int(i128),
    Float(f32),
    /// The parts of a vector, matrix, array, struct or tuple.
    Parts(Vec<Value>),
    Variant(usize, Vec<Value>),
}

/// The reason why evaluation does not continue.
enum Stop {
    Unknown(EvaluationError),
    /// The step limit is exceeded.
    StepLimit,
    Break(LabelId, Value),
    Continue(LabelId),
}

type EvalResult<T = Value> = Result<T, Stop>;

fn unknown<T>(place: Place, why: &'static str) -> EvalResult<T> {
    Err(Stop::Unknown(EvaluationError { place, why }))
}

struct Interpreter<'m> {
    module: &'m Module,
    locals: FxHashMap<LocalId, Value>,
    left: usize,
}

impl<'m> Interpreter<'m> {
    fn new(module: &'m Module) -> Self {
        Self { module, locals: FxHashMap::default(), left: MAX_STEPS }
    }

    fn value(&mut self, expr: &Expr) -> EvalResult {
        let place = expr.place;
        self.left = match self.left.checked_sub(1) {
            Some(left) => left,
            None => return Err(Stop::StepLimit),
        };
        Ok(match &expr.kind {
            ExprKind::Literal(Literal::Bool(value)) => Value::Bool(*value),
            ExprKind::Literal(Literal::Int(value)) => match &expr.ty {
                Type::Scalar(scalar) if scalar.is_float() => Value::Float(*value as f32),
                _ => Value::Int(*value),
            },
            ExprKind::Literal(Literal::Float(value)) => Value::Float(*value),
            ExprKind::Verbatim(text) => match number(text) {
                Some(value) => Value::Int(value),
                None => return unknown(place, RUNNING),
            },
            ExprKind::Const(id) => match &self.module.consts[id.0].kind {
                ConstKind::Const(value) => self.value(value)?,
                _ => return unknown(place, RUNNING),
            },
            ExprKind::Local(id) => match self.locals.get(id) {
                Some(value) => value.clone(),
                None => return unknown(place, RUNNING),
            },
            ExprKind::Index(..) | ExprKind::Member(..) => self.part(expr)?,
            ExprKind::Swizzle(of, parts) => {
                let Value::Parts(all) = self.value(of)? else { return unknown(place, RUNNING) };
                let mut taken =
                    parts.iter().filter_map(|part| all.get(usize::from(*part))).cloned();
                match (parts.len(), taken.next()) {
                    (1, Some(value)) => value,
                    (_, first) => Value::Parts(first.into_iter().chain(taken).collect()),
                }
            }
            ExprKind::Unary(operator, inner) => {
                let inner = self.value(inner)?;
                unary(*operator, inner, &expr.ty, place)?
            }
            ExprKind::Binary(Binary::AndThen, left, right) => match self.value(left)? {
                Value::Bool(true) => self.value(right)?,
                other => other,
            },
            ExprKind::Binary(Binary::OrElse, left, right) => match self.value(left)? {
                Value::Bool(false) => self.value(right)?,
                other => other,
            },
            ExprKind::Binary(operator, left, right) => {
                let (of, left) = (&left.ty, self.value(left)?);
                binary(*operator, left, self.value(right)?, of, place)?
            }
            ExprKind::Convert(inner) => convert(self.value(inner)?, &expr.ty, place)?,
            ExprKind::Construct(parts) => {
                let all =
                    parts.iter().map(|part| self.value(part)).collect::<EvalResult<Vec<_>>>()?;
                constructed(all, &expr.ty)
            }
            ExprKind::Variant(nth, parts) => {
                let parts = parts.iter().map(|part| self.value(part));
                Value::Variant(*nth, parts.collect::<EvalResult<_>>()?)
            }
            ExprKind::Repeat(of) => {
                let Type::Array(_, Count::Literal(count)) = &expr.ty else {
                    return unknown(place, RUNNING);
                };
                self.left = self.left.saturating_sub(*count as usize);
                Value::Parts(vec![self.value(of)?; (*count as usize).min(MAX_STEPS)])
            }
            ExprKind::Builtin(builtin, parts, _) => {
                let all =
                    parts.iter().map(|part| self.value(part)).collect::<EvalResult<Vec<_>>>()?;
                match (parts.first(), called(builtin.name, &all, parts.first().map(|p| &p.ty))) {
                    (Some(_), Some(value)) => value,
                    _ => return unknown(place, RUNNING),
                }
            }
            ExprKind::Claim(_, condition) => {
                match condition.as_deref().map(|condition| self.value(condition)).transpose()? {
                    Some(Value::Bool(false)) | None => {
                        return unknown(place, "this assertion fails in the constant");
                    }
                    Some(_) => Value::Unit,
                }
            }
            ExprKind::Assign(to, value) => {
                let value = self.value(value)?;
                *self.place(to)? = value;
                Value::Unit
            }
            ExprKind::AssignBinary(operator, to, right) => {
                let (before, right) = (self.value(to)?, self.value(right)?);
                let after = binary(*operator, before, right, &to.ty, place)?;
                *self.place(to)? = after;
                Value::Unit
            }
            ExprKind::Block(label, block) => match (self.block(block), label) {
                (Err(Stop::Break(of, value)), Some(label)) if of == *label => value,
                (done, _) => done?,
            },
            ExprKind::If(condition, then, otherwise) => match self.value(condition)? {
                Value::Bool(true) => self.block(then)?,
                _ => match otherwise {
                    Some(otherwise) => self.value(otherwise)?,
                    None => Value::Unit,
                },
            },
            ExprKind::Match(of, arms) => self.matched(of, arms)?,
            ExprKind::Loop(label, body) => loop {
                if let Some(value) = self.iteration(*label, |evaluator| evaluator.block(body))? {
                    break value;
                }
            },
            ExprKind::While(label, condition, body) => {
                let mut once = || {
                    self.iteration(*label, |evaluator| {
                        match evaluator.value(condition)? == Value::Bool(true) {
                            true => evaluator.block(body),
                            false => Err(Stop::Break(*label, Value::Unit)),
                        }
                    })
                };
                while once()?.is_none() {}
                Value::Unit
            }
            ExprKind::Break(label, value) => {
                let value = value.as_deref().map(|value| self.value(value)).transpose()?;
                return Err(Stop::Break(*label, value.unwrap_or(Value::Unit)));
            }
            ExprKind::Continue(label) => return Err(Stop::Continue(*label)),
            _ => return unknown(place, RUNNING),
        })
    }

    /// Runs one iteration of a loop. Returns the value that the loop is left with, if it is left.
    fn iteration(
        &mut self,
        label: LabelId,
        run: impl FnOnce(&mut Self) -> EvalResult<Value>,
    ) -> EvalResult<Option<Value>> {
        match run(self) {
            Ok(_) => Ok(None),
            Err(Stop::Continue(of)) if of == label => Ok(None),
            Err(Stop::Break(of, value)) if of == label => Ok(Some(value)),
            Err(stop) => Err(stop),
        }
    }

    fn block(&mut self, block: &Block) -> EvalResult {
        for statement in &block.statements {
            match statement {
                Statement::Let(id, Some(value), _) => {
                    let value = self.value(value)?;
                    self.locals.insert(*id, value);
                }
                Statement::Let(id, None, _) => {
                    self.locals.insert(*id, Value::Unit);
                }
                Statement::Expr(expr) => {
                    self.value(expr)?;
                }
            }
        }
        block.value.as_deref().map_or(Ok(Value::Unit), |value| self.value(value))
    }

    fn matched(&mut self, of: &Expr, arms: &[Arm]) -> EvalResult {
        let value = self.value(of)?;
        for arm in arms {
            let taken = self.takes(&arm.pattern, &value)?;
            let guarded = match &arm.guard {
                Some(guard) if taken => self.value(guard)? == Value::Bool(true),
                _ => taken,
            };
            if guarded {
                return self.value(&arm.body);
            }
        }
        unknown(of.place, RUNNING)
    }

    fn takes(&mut self, pattern: &Pattern, value: &Value) -> EvalResult<bool> {
        let parts = |run: &mut Self, patterns: &[Pattern], values: &[Value]| {
            for (pattern, value) in patterns.iter().zip(values) {
                if !run.takes(pattern, value)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(match (pattern, value) {
            (Pattern::Wildcard, _) => true,
            (Pattern::Value(wanted), _) => self.value(wanted)? == *value,
            (Pattern::Range(first, last, inclusive), value) => {
                let first = first.as_ref().map(|end| self.value(end)).transpose()?;
                let last = last.as_ref().map(|end| self.value(end)).transpose()?;
                first.is_none_or(|first| is_less(&first, value) || first == *value)
                    && last.is_none_or(|last| is_less(value, &last) || *inclusive && last == *value)
            }
            (Pattern::Either(patterns), value) => {
                for pattern in patterns {
                    if self.takes(pattern, value)? {
                        return Ok(true);
                    }
                }
                false
            }
            (Pattern::Bind(id, inner), value) => {
                let taken = self.takes(inner, value)?;
                self.locals.insert(*id, value.clone());
                taken
            }
            (Pattern::Tuple(patterns), Value::Parts(values)) => parts(self, patterns, values)?,
            (Pattern::Variant(nth, patterns), Value::Variant(of, values)) => {
                nth == of && parts(self, patterns, values)?
            }
            _ => false,
        })
    }

    /// Evaluates a part of a value without copying the whole.
    fn part(&mut self, expr: &Expr) -> EvalResult {
        let (base, index) = match &expr.kind {
            ExprKind::Index(base, index) => (base, self.index(index)?),
            ExprKind::Member(base, index) => (base, *index),
            _ => return self.value(expr),
        };
        // A long array is not copied to read one of its elements.
        let found = match &base.kind {
            ExprKind::Local(id) => self.locals.get(id).and_then(|value| nth(value, index)).cloned(),
            _ => nth(&self.value(base)?, index).cloned(),
        };
        found.map_or_else(|| unknown(expr.place, "this is out of bounds"), Ok)
    }

    fn index(&mut self, index: &Expr) -> EvalResult<usize> {
        match self.value(index)? {
            Value::Int(value) => Ok(usize::try_from(value).unwrap_or(usize::MAX)),
            _ => unknown(index.place, RUNNING),
        }
    }

    /// Returns the target of an assignment.
    fn place(&mut self, expr: &Expr) -> EvalResult<&mut Value> {
        let (base, index) = match &expr.kind {
            ExprKind::Local(id) => {
                return match self.locals.get_mut(id) {
                    Some(value) => Ok(value),
                    None => unknown(expr.place, RUNNING),
                };
            }
            ExprKind::Index(base, index) => (base, self.index(index)?),
            ExprKind::Member(base, index) => (base, *index),
            ExprKind::Swizzle(base, parts) if parts.len() == 1 => (base, usize::from(parts[0])),
            _ => return unknown(expr.place, RUNNING),
        };
        match self.place(base)? {
            Value::Parts(parts) => match parts.get_mut(index) {
                Some(part) => Ok(part),
                None => unknown(expr.place, "this is out of bounds"),
            },
            _ => unknown(expr.place, RUNNING),
        }
    }
}

fn nth(value: &Value, index: usize) -> Option<&Value> {
    match value {
        Value::Parts(parts) => parts.get(index),
        _ => None,
    }
}

fn is_less(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => left < right,
        (Value::Float(left), Value::Float(right)) => left < right,
        _ => false,
    }
}

/// Constructs a value from its parts. For a vector, a single scalar sets all components, and vectors are flattened.
fn constructed(parts: Vec<Value>, ty: &Type) -> Value {
    let Type::Vector(size, _) = ty else { return Value::Parts(parts) };
    let flat = parts.into_iter().flat_map(|part| match part {
        Value::Parts(parts) => parts,
        part => vec![part],
    });
    let flat: Vec<Value> = flat.collect();
    match &flat[..] {
        [one] => Value::Parts(vec![one.clone(); usize::from(*size)]),
        _ => Value::Parts(flat),
    }
}

/// Converts a value to an expression of a type.
fn literal(
    value: Value,
    ty: &Type,
    module: &Module,
    place: Place,
) -> Result<Expr, EvaluationError> {
    let all = |parts: Vec<Value>, of: &mut dyn Iterator<Item = Type>| {
        let parts = parts.into_iter().zip(of).map(|(part, ty)| literal(part, &ty, module, place));
        parts.collect::<Result<Vec<Expr>, EvaluationError>>()
    };
    let kind = match (value, ty) {
        (Value::Bool(value), Type::Scalar(Scalar::Bool)) => ExprKind::Literal(Literal::Bool(value)),
        (Value::Int(value), Type::Scalar(_)) => ExprKind::Literal(Literal::Int(value)),
        (Value::Float(value), Type::Scalar(_)) if value.is_finite() => {
            ExprKind::Literal(Literal::Float(value))
        }
        (Value::Parts(parts), Type::Vector(_, scalar)) => {
            ExprKind::Construct(all(parts, &mut std::iter::repeat(Type::Scalar(*scalar)))?)
        }
        (Value::Parts(parts), Type::Matrix { rows, .. }) => {
            let column = Type::Vector(*rows, Scalar::F32);
            ExprKind::Construct(all(parts, &mut std::iter::repeat(column))?)
        }
        (Value::Parts(parts), Type::Array(of, _)) => {
            ExprKind::Construct(all(parts, &mut std::iter::repeat((**of).clone()))?)
        }
        (Value::Parts(parts), Type::Tuple(of)) => {
            ExprKind::Construct(all(parts, &mut of.iter().cloned())?)
        }
        (Value::Parts(parts), Type::Struct(id)) => {
            let members = &module.structs[id.0].members;
            ExprKind::Construct(all(parts, &mut members.iter().map(|member| member.ty.clone()))?)
        }
        (Value::Variant(nth, parts), Type::Enum(which, arguments)) => {
            let held = module.variants(*which, arguments).into_iter().nth(nth);
            let held = held.map(|(_, held)| held).unwrap_or_default();
            ExprKind::Variant(nth, all(parts, &mut held.into_iter())?)
        }
        (Value::Float(_), _) => {
            return Err(EvaluationError {
                place,
                why: "WGSL has no constants that are not finite",
            });
        }
        _ => return Err(EvaluationError { place, why: RUNNING }),
    };
    Ok(Expr { kind, ty: ty.clone(), diverges: false, place })
}
