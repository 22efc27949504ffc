//! What expressions give.

use super::Rule;
use super::arithmetic::{Arithmetic, limits};
use super::condition::Condition;
use super::form::Form;
use super::symbol::{Level, Operation, Symbols};
use super::value::{Value, Variable};
use super::walk::{Walk, is_at_least_0};
use crate::ir::layout;
use crate::ir::walk::{self, FunctionId};
use naga::{
    AddressSpace, ArraySize, BinaryOperator, Binding, BuiltIn, Expression, GlobalVariable, Handle,
    Literal, MathFunction, ScalarKind, StorageAccess, Type, TypeInner, UnaryOperator, VectorSize,
};

/// Most parts of a value that is followed part by part.
const MOST_PARTS: usize = 64;

impl Walk<'_> {
    /// The value of an expression: what it was when it was computed.
    pub fn value(&mut self, expression: Handle<Expression>) -> Value {
        match self.frame().values.get(&expression) {
            Some(value) => value.clone(),
            None => self.compute(expression),
        }
    }

    /// The condition that an expression is.
    pub fn condition(&mut self, expression: Handle<Expression>) -> Condition {
        match self.value(expression) {
            Value::Bool(condition) => condition,
            other => {
                let level = other.level(&self.symbols);
                Condition::Unknown(self.opaque(level))
            }
        }
    }

    /// Computes an expression.
    pub fn compute(&mut self, expression: Handle<Expression>) -> Value {
        let function = self.frame().function;
        let known = match function.expressions[expression] {
            Expression::Literal(literal) => Some(self.literal(literal)),
            Expression::Constant(constant) => {
                let init = self.program.module.constants[constant].init;
                Some(self.constant(init, 0))
            }
            Expression::ZeroValue(ty) => Some(self.zero(ty)),
            Expression::Compose { ty, ref components } => {
                let parts: Vec<Value> = components.iter().map(|part| self.value(*part)).collect();
                Some(self.composed(ty, parts))
            }
            Expression::Splat { size, value } => {
                let value = self.value(value);
                Some(Value::Parts(vec![value; size as usize]))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.value(vector);
                let parts = pattern[..size as usize].iter();
                let parts: Option<Vec<_>> =
                    parts.map(|&part| vector.part(part as u32).cloned()).collect();
                parts.map(Value::Parts)
            }
            Expression::AccessIndex { base, index } => match self.value(base) {
                Value::Pointer(variable, path) => {
                    let path = path.map(|path| [&path[..], &[index]].concat());
                    Some(Value::Pointer(variable, path))
                }
                value => value.part(index).cloned(),
            },
            Expression::Access { base, index } => self.element(base, index),
            Expression::FunctionArgument(index) => {
                self.frame().arguments.get(index as usize).cloned()
            }
            Expression::LocalVariable(local) => {
                let number = self.frame().number;
                Some(Value::Pointer(Variable::Local(number, local), Some(Vec::new())))
            }
            Expression::GlobalVariable(global) => {
                let space = self.program.module.global_variables[global].space;
                let path = Some(Vec::new());
                (space == AddressSpace::Private)
                    .then_some(Value::Pointer(Variable::Private(global), path))
            }
            Expression::Load { pointer } => return self.load(expression, pointer),
            Expression::Unary { op, expr } => self.unary(op, expr),
            Expression::Binary { op, left, right } => {
                let (left_value, right_value) = (self.value(left), self.value(right));
                let signed = self.is_signed(left);
                Some(self.binary(op, signed, &left_value, &right_value))
            }
            Expression::Select { condition, accept, reject } => {
                let (accept, reject) = (self.value(accept), self.value(reject));
                match self.value(condition) {
                    Value::Bool(Condition::Known(known)) => {
                        Some(if known { accept } else { reject })
                    }
                    Value::Bool(condition) => {
                        let level = condition.level(&self.symbols);
                        Some(self.join_values(accept, reject, Some(&condition), level))
                    }
                    _ => None,
                }
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => self.math(fun, arg, arg1, arg2),
            Expression::As { expr, kind, convert } => self.cast(expr, kind, convert),
            Expression::ArrayLength(array) => {
                self.runtime_length(array).map(|length| Value::Int(Form::constant(length)))
            }
            _ => None,
        };
        known.unwrap_or_else(|| {
            let level = self.level_of_operands(expression);
            self.unknown_of(expression, level)
        })
    }

    /// For whom an expression that is not followed comes out the same.
    fn level_of_operands(&mut self, expression: Handle<Expression>) -> Level {
        let function = self.frame().function;
        let expression = &function.expressions[expression];
        match expression {
            Expression::Access { .. }
            | Expression::AccessIndex { .. }
            | Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::Compose { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Select { .. }
            | Expression::Relational { .. }
            | Expression::Math { .. }
            | Expression::As { .. } => {
                let mut operands = Vec::new();
                walk::operands(expression, &mut |operand| operands.push(operand));
                let levels =
                    operands.into_iter().map(|operand| self.value(operand).level(&self.symbols));
                levels.max().unwrap_or_default()
            }
            Expression::ArrayLength(_) => Level::Dispatch,
            _ => Level::Invocation,
        }
    }

    /// Something of the type of an expression.
    pub fn unknown_of(&mut self, expression: Handle<Expression>, level: Level) -> Value {
        let inner = self.inner(self.frame().id, expression).clone();
        self.unknown(&inner, level)
    }

    fn inner(&self, function: FunctionId, expression: Handle<Expression>) -> &TypeInner {
        let info = self.program.info_of(function);
        info[expression].ty.inner_with(&self.program.module.types)
    }

    /// Something of this type.
    pub fn unknown(&mut self, inner: &TypeInner, level: Level) -> Value {
        match *inner {
            TypeInner::Scalar(scalar) => match (scalar.kind, scalar.width) {
                (ScalarKind::Sint, 4) => Value::Int(self.integer(level, limits(true))),
                (ScalarKind::Uint, 4) => Value::Int(self.integer(level, limits(false))),
                (ScalarKind::Bool, _) => Value::Bool(Condition::Unknown(self.opaque(level))),
                _ => Value::Other(self.opaque(level)),
            },
            TypeInner::Vector { size, scalar } => {
                let part = TypeInner::Scalar(scalar);
                Value::Parts((0..size as u32).map(|_| self.unknown(&part, level)).collect())
            }
            _ => Value::Other(self.opaque(level)),
        }
    }

    fn literal(&mut self, literal: Literal) -> Value {
        match literal {
            Literal::I32(value) => Value::Int(Form::constant(value.into())),
            Literal::U32(value) => Value::Int(Form::constant(value.into())),
            Literal::Bool(value) => Value::Bool(Condition::Known(value)),
            _ => Value::Other(self.opaque(Level::Dispatch)),
        }
    }

    /// A constant expression of the module.
    pub fn constant(&mut self, expression: Handle<Expression>, depth: u32) -> Value {
        let module = &self.program.module;
        match module.global_expressions[expression] {
            Expression::Literal(literal) => self.literal(literal),
            Expression::Constant(constant) if depth < 8 => {
                self.constant(module.constants[constant].init, depth + 1)
            }
            Expression::ZeroValue(ty) => self.zero(ty),
            Expression::Compose { ty, ref components } if depth < 8 => {
                let parts = components.iter().map(|part| self.constant(*part, depth + 1));
                let parts = parts.collect();
                self.composed(ty, parts)
            }
            Expression::Splat { size, value } if depth < 8 => {
                let value = self.constant(value, depth + 1);
                Value::Parts(vec![value; size as usize])
            }
            _ => Value::Other(self.opaque(Level::Dispatch)),
        }
    }

    /// A vector of vectors and scalars, or a struct or array of what it has.
    fn composed(&mut self, ty: Handle<Type>, parts: Vec<Value>) -> Value {
        let level = parts.iter().map(|part| part.level(&self.symbols)).max().unwrap_or_default();
        match self.program.module.types[ty].inner {
            TypeInner::Vector { size, .. } => {
                let flat: Vec<Value> = parts
                    .into_iter()
                    .flat_map(|part| match part {
                        Value::Parts(parts) => parts,
                        one => vec![one],
                    })
                    .collect();
                if flat.len() == size as usize {
                    return Value::Parts(flat);
                }
                let inner = self.program.module.types[ty].inner.clone();
                self.unknown(&inner, level)
            }
            TypeInner::Struct { .. } | TypeInner::Array { .. } if parts.len() <= MOST_PARTS => {
                Value::Parts(parts)
            }
            _ => Value::Other(self.opaque(level)),
        }
    }

    /// The value of this type that is all zeros.
    pub fn zero(&mut self, ty: Handle<Type>) -> Value {
        let module = &self.program.module;
        match module.types[ty].inner {
            TypeInner::Scalar(scalar) => self.zero_scalar(scalar),
            TypeInner::Vector { size, scalar } => {
                Value::Parts((0..size as u32).map(|_| self.zero_scalar(scalar)).collect())
            }
            TypeInner::Struct { ref members, .. } if members.len() <= MOST_PARTS => {
                Value::Parts(members.iter().map(|member| self.zero(member.ty)).collect())
            }
            TypeInner::Array { base, size: ArraySize::Constant(length), .. }
                if length.get() as usize <= MOST_PARTS =>
            {
                let element = self.zero(base);
                Value::Parts(vec![element; length.get() as usize])
            }
            _ => Value::Other(self.opaque(Level::Dispatch)),
        }
    }

    fn zero_scalar(&mut self, scalar: naga::Scalar) -> Value {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Sint | ScalarKind::Uint, 4) => Value::Int(Form::default()),
            (ScalarKind::Bool, _) => Value::Bool(Condition::Known(false)),
            _ => Value::Other(self.opaque(Level::Dispatch)),
        }
    }

    /// What an argument of the entry point is.
    pub fn built_in(&mut self, binding: Option<&Binding>, ty: Handle<Type>) -> Value {
        let module = &self.program.module;
        let three = |forms: [Option<Form>; 3]| {
            let parts: Option<Vec<Value>> =
                forms.into_iter().map(|form| form.map(Value::Int)).collect();
            parts.map(Value::Parts)
        };
        let natural = |form: &Form, symbols: &Symbols| symbols.range(form).1 <= limits(false).1;
        let ids = self.ids.clone();
        let known = match binding {
            Some(Binding::BuiltIn(built_in)) => match built_in {
                BuiltIn::LocalInvocationId => three(ids.local.map(Some)),
                BuiltIn::WorkGroupId => three(ids.workgroup.map(Some)),
                BuiltIn::NumWorkGroups => {
                    three(ids.workgroups.map(|extent| Some(Form::constant(extent.into()))))
                }
                BuiltIn::WorkGroupSize => {
                    three(ids.size.map(|extent| Some(Form::constant(extent.into()))))
                }
                BuiltIn::GlobalInvocationId => three([0, 1, 2].map(|dimension| {
                    ids.global(dimension).filter(|form| natural(form, &self.symbols))
                })),
                BuiltIn::LocalInvocationIndex => ids.index().map(Value::Int),
                _ => None,
            },
            None => match &module.types[ty].inner {
                TypeInner::Struct { members, .. } => {
                    let parts = members.iter();
                    let parts =
                        parts.map(|member| self.built_in(member.binding.as_ref(), member.ty));
                    Some(Value::Parts(parts.collect()))
                }
                _ => None,
            },
            _ => None,
        };
        known.unwrap_or_else(|| self.unknown(&module.types[ty].inner, Level::Invocation))
    }

    fn element(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Option<Value> {
        let index = self.value(index);
        let fixed = index.as_int().and_then(Form::as_constant);
        let fixed = fixed.and_then(|index| u32::try_from(index).ok());
        match self.value(base) {
            Value::Pointer(variable, path) => {
                let path = path.zip(fixed).map(|(path, index)| [&path[..], &[index]].concat());
                Some(Value::Pointer(variable, path))
            }
            value => value.part(fixed?).cloned(),
        }
    }

    fn is_signed(&self, expression: Handle<Expression>) -> bool {
        self.inner(self.frame().id, expression).scalar_kind() == Some(ScalarKind::Sint)
    }

    fn unary(&mut self, operator: UnaryOperator, operand: Handle<Expression>) -> Option<Value> {
        let signed = self.is_signed(operand);
        match (operator, self.value(operand)) {
            (UnaryOperator::LogicalNot, Value::Bool(condition)) => {
                Some(Value::Bool(condition.negated()))
            }
            (UnaryOperator::Negate, value @ Value::Int(_)) => {
                let zero = Value::Int(Form::default());
                Some(self.binary(BinaryOperator::Subtract, signed, &zero, &value))
            }
            _ => None,
        }
    }

    fn binary(&mut self, operator: BinaryOperator, signed: bool, a: &Value, b: &Value) -> Value {
        use BinaryOperator as B;
        match (a, b) {
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let pairs = a.iter().zip(b);
                Value::Parts(pairs.map(|(a, b)| self.binary(operator, signed, a, b)).collect())
            }
            (Value::Parts(a), b) => {
                Value::Parts(a.iter().map(|a| self.binary(operator, signed, a, b)).collect())
            }
            (a, Value::Parts(b)) => {
                Value::Parts(b.iter().map(|b| self.binary(operator, signed, a, b)).collect())
            }
            (Value::Int(a), Value::Int(b)) => match operator {
                B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::Equal | B::NotEqual => {
                    Value::Bool(self.compare(operator, a, b))
                }
                _ => Value::Int(self.arithmetic(signed, |it| it.binary(operator, a, b))),
            },
            (Value::Bool(a), Value::Bool(b)) if matches!(operator, B::And | B::LogicalAnd) => {
                Value::Bool(a.clone().and(b.clone()))
            }
            (Value::Bool(a), Value::Bool(b))
                if matches!(operator, B::InclusiveOr | B::LogicalOr) =>
            {
                Value::Bool(a.clone().or(b.clone()))
            }
            (a, b) => {
                let level = a.level(&self.symbols).max(b.level(&self.symbols));
                match operator {
                    B::Less
                    | B::LessEqual
                    | B::Greater
                    | B::GreaterEqual
                    | B::Equal
                    | B::NotEqual => Value::Bool(Condition::Unknown(self.opaque(level))),
                    _ => Value::Other(self.opaque(level)),
                }
            }
        }
    }

    /// Computes integers.
    fn arithmetic(
        &mut self,
        signed: bool,
        compute: impl FnOnce(&mut Arithmetic<'_>) -> Option<Form>,
    ) -> Form {
        let (facts, effort) = (&self.state.facts, &mut self.effort);
        let mut holds =
            |symbols: &Symbols, form: &Form| is_at_least_0(symbols, facts, effort, form);
        let (symbols, wraps) = (&mut self.symbols, self.rules.keep(Rule::Wrapping));
        let form = compute(&mut Arithmetic { symbols, signed, wraps, is_at_least_0: &mut holds });
        form.unwrap_or_else(|| {
            self.failed = true;
            Form::default()
        })
    }

    fn compare(&mut self, operator: BinaryOperator, a: &Form, b: &Form) -> Condition {
        use BinaryOperator as B;
        let (a, b) = match operator {
            B::Less | B::LessEqual => (b, a),
            _ => (a, b),
        };
        // What is not negative if the first, now the greater, is so.
        let Some(difference) = a.minus(b) else {
            let level = self.symbols.level(a).max(self.symbols.level(b));
            return Condition::Unknown(self.opaque(level));
        };
        let strict = || difference.shifted(-1).unwrap_or_else(|| difference.clone());
        match operator {
            B::Less | B::Greater => Condition::at_least_0(strict(), &self.symbols),
            B::LessEqual | B::GreaterEqual => Condition::at_least_0(difference, &self.symbols),
            B::Equal => Condition::is_0(difference, &self.symbols),
            _ => Condition::is_0(difference, &self.symbols).negated(),
        }
    }

    fn math(
        &mut self,
        function: MathFunction,
        a: Handle<Expression>,
        b: Option<Handle<Expression>>,
        c: Option<Handle<Expression>>,
    ) -> Option<Value> {
        let signed = self.is_signed(a);
        let a = self.value(a);
        let b = b.map(|b| self.value(b));
        let c = c.map(|c| self.value(c));
        match function {
            MathFunction::Min => self.extreme(signed, &a, &b?, true),
            MathFunction::Max => self.extreme(signed, &a, &b?, false),
            MathFunction::Clamp => {
                let raised = self.extreme(signed, &a, &b?, false)?;
                self.extreme(signed, &raised, &c?, true)
            }
            MathFunction::Abs => {
                let natural = self.is_at_least_0(a.as_int()?);
                natural.then_some(a)
            }
            _ => None,
        }
    }

    fn extreme(&mut self, signed: bool, a: &Value, b: &Value, least: bool) -> Option<Value> {
        match (a, b) {
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let pairs = a.iter().zip(b);
                let parts: Option<Vec<Value>> =
                    pairs.map(|(a, b)| self.extreme(signed, a, b, least)).collect();
                parts.map(Value::Parts)
            }
            (Value::Int(a), Value::Int(b)) => {
                Some(Value::Int(self.arithmetic(signed, |it| it.extreme(a, b, least))))
            }
            _ => None,
        }
    }

    fn cast(
        &mut self,
        operand: Handle<Expression>,
        kind: ScalarKind,
        convert: Option<u8>,
    ) -> Option<Value> {
        if convert.is_some_and(|width| width != 4) {
            return None;
        }
        let signed = match kind {
            ScalarKind::Sint => true,
            ScalarKind::Uint => false,
            _ => return None,
        };
        let value = self.value(operand);
        self.cast_value(&value, signed)
    }

    fn cast_value(&mut self, value: &Value, signed: bool) -> Option<Value> {
        match value {
            Value::Parts(parts) => {
                let parts: Option<Vec<Value>> =
                    parts.iter().map(|part| self.cast_value(part, signed)).collect();
                parts.map(Value::Parts)
            }
            Value::Int(form) => Some(Value::Int(self.arithmetic(signed, |it| it.cast(form)))),
            Value::Bool(condition) => {
                let level = condition.level(&self.symbols);
                Some(Value::Int(self.integer(level, (0, 1))))
            }
            _ => None,
        }
    }

    fn load(&mut self, expression: Handle<Expression>, pointer: Handle<Expression>) -> Value {
        if let Value::Pointer(variable, path) = self.value(pointer) {
            let held = self.state.variables.get(&variable);
            let level = held.map_or(Level::Invocation, |value| value.level(&self.symbols));
            let part = path.as_ref().zip(held).and_then(|(path, value)| value.at(path));
            if let Some(part) = part {
                return part.clone();
            }
            let level = if path.is_some() { level } else { Level::Invocation };
            return self.unknown_of(expression, level);
        }
        let function = self.frame().function;
        match walk::root_global(function, pointer) {
            Some(global) if self.is_constant(global) => match self.constant_offset(pointer) {
                Some(offset) => {
                    let inner = self.inner(self.frame().id, expression).clone();
                    self.constant_at(global, &inner, offset, &mut MOST_PARTS.clone())
                }
                None => {
                    let level = self.level_of_indices(pointer);
                    self.unknown_of(expression, level)
                }
            },
            Some(_) if !self.rules.keep(Rule::Loads) => {
                self.unknown_of(expression, Level::Dispatch)
            }
            _ => self.unknown_of(expression, Level::Invocation),
        }
    }

    /// Whether nobody writes to the memory while the dispatch runs.
    fn is_constant(&self, global: Handle<GlobalVariable>) -> bool {
        match self.program.module.global_variables[global].space {
            AddressSpace::Uniform | AddressSpace::Immediate => true,
            AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
            _ => false,
        }
    }

    fn level_of_indices(&mut self, pointer: Handle<Expression>) -> Level {
        let function = self.frame().function;
        let mut level = Level::Dispatch;
        let mut at = pointer;
        loop {
            match function.expressions[at] {
                Expression::Access { base, index } => {
                    level = level.max(self.value(index).level(&self.symbols));
                    at = base;
                }
                Expression::AccessIndex { base, .. } => at = base,
                _ => return level,
            }
        }
    }

    /// The byte that a pointer leads to, if that is the same number for all and within what it points into.
    fn constant_offset(&mut self, pointer: Handle<Expression>) -> Option<u32> {
        let function = self.frame().function;
        let mut offset = 0_u32;
        let mut at = pointer;
        loop {
            let (base, index) = match function.expressions[at] {
                Expression::Access { base, index } => {
                    let index = self.value(index).as_int().and_then(Form::as_constant)?;
                    (base, u32::try_from(index).ok()?)
                }
                Expression::AccessIndex { base, index } => (base, index),
                Expression::GlobalVariable(_) => return Some(offset),
                _ => return None,
            };
            let (bytes, length) = self.part_of(base, index)?;
            if length.is_none_or(|length| i64::from(index) >= length) {
                return None;
            }
            offset = offset.checked_add(bytes)?;
            at = base;
        }
    }

    /// How far a part with this index is from the start of what `base` points to, and how many parts there are, if that
    /// is known.
    pub fn part_of(&self, base: Handle<Expression>, index: u32) -> Option<(u32, Option<i64>)> {
        let module = &self.program.module;
        let equal = |bytes: u32, length: Option<i64>| Some((bytes.checked_mul(index)?, length));
        let vector = |size: VectorSize| Some(i64::from(size as u32));
        match *self.inner(self.frame().id, base) {
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                equal(scalar.width.into(), vector(size))
            }
            TypeInner::Pointer { base: ty, .. } => match module.types[ty].inner {
                TypeInner::Vector { size, scalar } => equal(scalar.width.into(), vector(size)),
                TypeInner::Matrix { columns, rows, scalar } => {
                    equal(layout::column_stride(rows, scalar), vector(columns))
                }
                TypeInner::Array { stride, size: ArraySize::Constant(length), .. } => {
                    equal(stride, Some(length.get().into()))
                }
                TypeInner::Array { stride, .. } => equal(stride, self.runtime_length(base)),
                TypeInner::Struct { ref members, .. } => {
                    let member = members.get(index as usize)?;
                    Some((member.offset, Some(members.len() as i64)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// How many elements a runtime-sized array has.
    fn runtime_length(&self, array: Handle<Expression>) -> Option<i64> {
        let function = self.frame().function;
        let global = walk::root_global(function, array)?;
        let module = &self.program.module;
        let bytes = self.facts.length(global)?;
        let whole = module.global_variables[global].ty;
        let (offset, ty) = match (&function.expressions[array], &module.types[whole].inner) {
            (Expression::GlobalVariable(_), _) => (0, whole),
            (Expression::AccessIndex { index, .. }, TypeInner::Struct { members, .. }) => {
                let member = members.get(*index as usize)?;
                (member.offset, member.ty)
            }
            _ => return None,
        };
        let TypeInner::Array { stride, .. } = module.types[ty].inner else { return None };
        Some((bytes.checked_sub(offset)? / stride.max(1)).into())
    }

    /// What memory that nobody writes holds at a byte.
    fn constant_at(
        &mut self,
        global: Handle<GlobalVariable>,
        inner: &TypeInner,
        offset: u32,
        room: &mut usize,
    ) -> Value {
        let module = &self.program.module;
        *room = room.saturating_sub(1);
        match *inner {
            _ if *room == 0 => Value::Other(self.opaque(Level::Dispatch)),
            TypeInner::Scalar(scalar) if scalar.width == 4 => match scalar.kind {
                ScalarKind::Sint => Value::Int(self.constant_word(global, offset, true)),
                ScalarKind::Uint => Value::Int(self.constant_word(global, offset, false)),
                _ => self.unknown(inner, Level::Dispatch),
            },
            TypeInner::Vector { size, scalar } => {
                let part = TypeInner::Scalar(scalar);
                let offsets = (0..size as u32).map(|n| offset + n * u32::from(scalar.width));
                Value::Parts(
                    offsets.map(|offset| self.constant_at(global, &part, offset, room)).collect(),
                )
            }
            TypeInner::Struct { ref members, .. } => Value::Parts(
                members
                    .iter()
                    .map(|member| {
                        let inner = &module.types[member.ty].inner;
                        self.constant_at(global, inner, offset + member.offset, room)
                    })
                    .collect(),
            ),
            _ => self.unknown(inner, Level::Dispatch),
        }
    }

    fn constant_word(&mut self, global: Handle<GlobalVariable>, offset: u32, signed: bool) -> Form {
        if let Some(word) = self.facts.word(global, offset) {
            let value = if signed { i64::from(word.cast_signed()) } else { i64::from(word) };
            return Form::constant(value);
        }
        let operation = Operation::Constant { global: global.index(), offset, signed };
        let form = self.symbols.computed(operation, Vec::new(), limits(signed), |_| Vec::new());
        form.unwrap_or_else(|| {
            self.failed = true;
            Form::default()
        })
    }

    /// Puts a value where a pointer leads, if that is a variable of a function or a private one.
    pub fn store(&mut self, pointer: Handle<Expression>, value: Value) {
        let Some(variable) = self.variable(pointer) else { return };
        let path = match self.value(pointer) {
            Value::Pointer(_, path) => path,
            _ => None,
        };
        let place =
            path.as_ref().and_then(|path| self.state.variables.get_mut(&variable)?.at_mut(path));
        if let Some(place) = place {
            *place = value;
        } else {
            let level = Level::Invocation;
            let unknown = match path {
                // The variable holds something of which the parts are not known.
                Some(path) if path.is_empty() => value,
                _ => Value::Other(self.opaque(level)),
            };
            self.state.variables.insert(variable, unknown);
        }
    }

    /// What the variables of the function hold before its first statement.
    pub fn initialise_locals(&mut self) {
        let (number, function) = (self.frame().number, self.frame().function);
        for (local, variable) in function.local_variables.iter() {
            let value = match variable.init {
                Some(init) => self.value(init),
                None => self.zero(variable.ty),
            };
            self.state.variables.insert(Variable::Local(number, local), value);
        }
    }

    /// What private variables hold before the first statement.
    pub fn initialise_privates(&mut self) {
        let module = &self.program.module;
        for (global, variable) in module.global_variables.iter() {
            if variable.space == AddressSpace::Private {
                let value = match variable.init {
                    Some(init) => self.constant(init, 0),
                    None => self.zero(variable.ty),
                };
                self.state.variables.insert(Variable::Private(global), value);
            }
        }
    }
}
