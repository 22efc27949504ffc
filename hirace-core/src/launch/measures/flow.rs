//! Follows values through an entry point and the functions that it calls.

use super::constants::{constant, fold, global_constant, mirror};
use super::live::live_expressions;
use super::memory::Memory;
use super::value::{Components, Place, Root, Scalar, ScalarOrigin, Value};
use super::{Ids, Measures, Use, pins};
use crate::ir::dataflow::Facts;
use crate::ir::layout::column_stride;
use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use naga::{
    AddressSpace, BinaryOperator, Binding, BuiltIn, Expression, Function, Handle, MathFunction,
    Module, Statement, SwitchValue, TypeInner,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The maximum number of passes over all functions. What is not known after them is treated as unknown. Values widen in few
/// steps, so real kernels do not reach this limit.
const MAX_ROUNDS: usize = 24;

pub(super) fn measures(program: &Program, entry: usize) -> Measures {
    let mut reader = Reader {
        program,
        module: &program.module,
        entry,
        memory: Memory::new(&program.module),
        arguments: Facts::default(),
        results: Facts::default(),
        live: FxHashMap::default(),
        values: FxHashMap::default(),
        measures: Measures::default(),
        recording: false,
    };
    let functions = program.calls.reachable([FunctionId::Entry(entry)]);
    for _ in 0..MAX_ROUNDS {
        functions.iter().for_each(|&function| reader.function(function));
        let Reader { arguments, results, memory, .. } = &mut reader;
        if !(arguments.take_changed() | results.take_changed() | memory.take_changed()) {
            break;
        }
    }
    reader.recording = true;
    functions.iter().for_each(|&function| reader.function(function));
    let pins = Arc::new(pins::pins(program, entry, &reader.values));
    Measures { pins, ..reader.measures }
}

struct Reader<'a> {
    program: &'a Program,
    module: &'a Module,
    entry: usize,
    memory: Memory<'a>,
    arguments: Facts<(FunctionId, u32), Value>,
    results: Facts<FunctionId, Value>,
    /// For each function, whether each expression contributes to a result.
    live: FxHashMap<FunctionId, Rc<[bool]>>,
    /// The values of the expressions of each function.
    values: FxHashMap<FunctionId, Vec<Value>>,
    measures: Measures,
    /// Whether the fixed point of the values is reached, so that their uses are recorded.
    recording: bool,
}

/// The walk through one function, with the values of its expressions so far.
struct Walk<'r, 'a> {
    reader: &'r mut Reader<'a>,
    id: FunctionId,
    function: &'a Function,
    values: Vec<Value>,
    /// Whether the current expression contributes to a result.
    is_live: bool,
}

impl<'a> Reader<'a> {
    fn function(&mut self, id: FunctionId) {
        let function = id.get(self.module);
        let live = self.live.entry(id).or_insert_with(|| Rc::from(live_expressions(function)));
        let live = Rc::clone(live);
        let mut walk = Walk { reader: self, id, function, values: Vec::new(), is_live: true };
        for (handle, expression) in function.expressions.iter() {
            walk.is_live = live.get(handle.index()) == Some(&true);
            let value = walk.expression(handle, expression);
            walk.values.push(value);
        }
        for (local, variable) in function.local_variables.iter() {
            if let Some(init) = variable.init {
                let place = Place { root: Root::Local(id, local), offset: Some(0) };
                walk.store(place, init);
            }
        }
        walk.is_live = true;
        walk::statements(&function.body, &mut |_, statement, _| walk.statement(statement));
        let values = walk.values;
        if self.recording {
            self.values.insert(id, values);
        }
    }
}

impl<'a> Walk<'_, 'a> {
    fn inner(&self, expression: Handle<Expression>) -> &'a TypeInner {
        let program: &'a Program = self.reader.program;
        program.info_of(self.id)[expression].ty.inner_with(&program.module.types)
    }

    /// Returns the type that a pointer points to, or the type of a value.
    fn pointee(&self, expression: Handle<Expression>) -> TypeInner {
        match *self.inner(expression) {
            TypeInner::Pointer { base, .. } => self.reader.module.types[base].inner.clone(),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                TypeInner::Vector { size, scalar }
            }
            TypeInner::ValuePointer { size: None, scalar, .. } => TypeInner::Scalar(scalar),
            ref other => other.clone(),
        }
    }

    fn is_pointer(&self, expression: Handle<Expression>) -> bool {
        matches!(self.inner(expression), TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. })
    }

    fn value(&self, expression: Handle<Expression>) -> Value {
        self.values.get(expression.index()).copied().unwrap_or(Value::UNKNOWN)
    }

    fn components(&self, expression: Handle<Expression>) -> Components {
        self.value(expression).components()
    }

    /// Returns the number of components of a value.
    fn size(&self, expression: Handle<Expression>) -> usize {
        match *self.inner(expression) {
            TypeInner::Vector { size, .. } => size as usize,
            _ => 1,
        }
    }

    /// Records that the kernel uses these components, and so distinguishes workgroups by them.
    fn uses(&mut self, components: &[Scalar]) {
        if !self.is_live {
            return;
        }
        for scalar in components {
            let (of_grid, within) = (scalar.ids.of_grid(), scalar.ids.of_lanes());
            let Measures { reads, lanes, .. } = &mut self.reader.measures;
            *reads = [0, 1, 2].map(|d| reads[d] || of_grid[d]);
            *lanes = [0, 1, 2].map(|d| lanes[d] || within[d]);
        }
    }

    fn uses_all(&mut self, expression: Handle<Expression>) {
        let (components, size) = (self.components(expression), self.size(expression));
        self.uses(&components[..size]);
    }

    fn expression(&mut self, handle: Handle<Expression>, expression: &Expression) -> Value {
        match *expression {
            Expression::Literal(literal) => self.noted(Value::splat(constant(literal))),
            Expression::ZeroValue(_) => Value::splat(Scalar::is(ScalarOrigin::Constant(0))),
            Expression::Constant(constant) => {
                let init = self.reader.module.constants[constant].init;
                self.noted(global_constant(self.reader.module, init))
            }
            Expression::FunctionArgument(index) => self.argument(index),
            Expression::GlobalVariable(global) => {
                Value::Place(Place { root: Root::Global(global), offset: Some(0) })
            }
            Expression::LocalVariable(local) => {
                Value::Place(Place { root: Root::Local(self.id, local), offset: Some(0) })
            }
            Expression::AccessIndex { base, index } => self.member(handle, base, index),
            Expression::Access { base, index } => self.element(handle, base, index),
            Expression::Load { pointer } => match self.value(pointer) {
                Value::Place(place) => {
                    let value = self.reader.memory.read(place, &self.pointee(pointer));
                    if matches!(self.inner(handle), TypeInner::Scalar(_)) {
                        self.uses(&value.components()[..1]);
                    }
                    value
                }
                other => other,
            },
            Expression::Splat { value, .. } => Value::splat(self.components(value)[0]),
            Expression::Swizzle { size, vector, pattern } => {
                let from = self.components(vector);
                let picked = pattern.map(|component| from[component as usize % 4]);
                self.uses(&picked[..size as usize]);
                Value::Components(picked)
            }
            Expression::Compose { ty, ref components } => {
                if !matches!(self.reader.module.types[ty].inner, TypeInner::Vector { .. }) {
                    let all = components.iter().flat_map(|&part| self.components(part));
                    return Value::splat(all.fold(Scalar::OTHER, Scalar::with));
                }
                let mut list = Vec::with_capacity(4);
                for &part in components {
                    list.extend_from_slice(&self.components(part)[..self.size(part)]);
                }
                Value::Components(
                    [0, 1, 2, 3].map(|i| list.get(i).copied().unwrap_or(Scalar::OTHER)),
                )
            }
            Expression::As { expr, .. } => self.value(expr),
            Expression::Unary { expr, .. } => {
                Value::Components(self.components(expr).map(|scalar| Scalar::of(scalar.ids)))
            }
            Expression::Binary { op, left, right } => self.binary(op, left, right),
            Expression::Select { accept, reject, .. } => {
                let (a, b) = (self.components(accept), self.components(reject));
                Value::Components([0, 1, 2, 3].map(|i| a[i].with(b[i])))
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => self.math(fun, arg, arg1, arg2),
            Expression::CallResult(function) => {
                self.reader.results.get(&FunctionId::Helper(function))
            }
            Expression::ArrayLength(pointer) => {
                if let (Value::Place(Place { root: Root::Global(variable), .. }), true) =
                    (self.value(pointer), self.is_live)
                {
                    self.reader.measures.asked_lengths.insert(variable);
                }
                Value::UNKNOWN
            }
            Expression::ImageLoad { coordinate, array_index, .. } => {
                self.uses_all(coordinate);
                array_index.into_iter().for_each(|index| self.uses_all(index));
                Value::UNKNOWN
            }
            _ => {
                let mut ids = Ids::NONE;
                let mut whole = Vec::new();
                walk::operands(expression, &mut |operand| {
                    self.components(operand)[..self.size(operand)]
                        .iter()
                        .for_each(|scalar| ids |= scalar.ids);
                    whole.push(operand);
                });
                whole.into_iter().for_each(|operand| self.uses_all(operand));
                Value::splat(Scalar::of(ids))
            }
        }
    }

    /// Records the number that a value is.
    fn noted(&mut self, value: Value) -> Value {
        if let (ScalarOrigin::Constant(number), true) = (value.components()[0].what, self.is_live) {
            self.reader.measures.numbers.insert(number);
        }
        value
    }

    fn argument(&self, index: u32) -> Value {
        let FunctionId::Entry(_) = self.id else {
            return self.reader.arguments.get(&(self.id, index));
        };
        match self.function.arguments.get(index as usize).map(|argument| &argument.binding) {
            Some(Some(binding)) => self.built_in(binding),
            _ => Value::Inputs(index),
        }
    }

    fn built_in(&self, binding: &Binding) -> Value {
        let Binding::BuiltIn(built_in) = binding else { return Value::UNKNOWN };
        let each = |of: fn(usize) -> Ids| {
            Value::Components([0, 1, 2, 2].map(|dimension| Scalar::id(of(dimension))))
        };
        match built_in {
            BuiltIn::GlobalInvocationId => each(Ids::global),
            BuiltIn::LocalInvocationId => each(Ids::local),
            BuiltIn::WorkGroupId => each(Ids::workgroup),
            BuiltIn::NumWorkGroups => each(Ids::count),
            BuiltIn::LocalInvocationIndex => {
                let size = self.reader.module.entry_points[self.reader.entry].workgroup_size;
                let all = (0..3).filter(|&d| d == 0 || size[d] > 1).map(Ids::local);
                Value::splat(Scalar::id(all.fold(Ids::NONE, |ids, id| ids | id)))
            }
            _ => Value::UNKNOWN,
        }
    }

    /// Returns the value of `base.index`, or of an element at a constant index.
    fn member(
        &mut self,
        handle: Handle<Expression>,
        base: Handle<Expression>,
        index: u32,
    ) -> Value {
        match self.value(base) {
            Value::Inputs(argument) => {
                let of = self.function.arguments.get(argument as usize);
                let members = of.map(|argument| &self.reader.module.types[argument.ty].inner);
                match members {
                    Some(TypeInner::Struct { members, .. }) => {
                        let binding = members.get(index as usize).and_then(|m| m.binding.clone());
                        binding.map_or(Value::UNKNOWN, |binding| self.built_in(&binding))
                    }
                    _ => Value::UNKNOWN,
                }
            }
            Value::Components(components) => {
                let component = components[index as usize % 4];
                self.uses(&[component]);
                Value::splat(component)
            }
            Value::Place(place) => {
                let within = match self.pointee(base) {
                    TypeInner::Struct { members, .. } => {
                        members.get(index as usize).map(|member| member.offset)
                    }
                    TypeInner::Array { stride, .. } => index.checked_mul(stride),
                    TypeInner::Vector { scalar, .. } => Some(index * u32::from(scalar.width)),
                    TypeInner::Matrix { rows, scalar, .. } => {
                        Some(index * column_stride(rows, scalar))
                    }
                    _ => None,
                };
                self.place(handle, place, within)
            }
        }
    }

    /// Returns the value of `base[index]`.
    fn element(
        &mut self,
        handle: Handle<Expression>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Value {
        let by = self.components(index)[0];
        self.steers(by);
        self.indexes(base, by);
        match self.value(base) {
            Value::Place(place) => {
                let within = match (by.what, self.pointee(base)) {
                    (ScalarOrigin::Constant(index), TypeInner::Array { stride, .. }) => {
                        u32::try_from(index).ok().and_then(|index| index.checked_mul(stride))
                    }
                    _ => None,
                };
                self.place(handle, place, within)
            }
            Value::Components(components) => {
                let size = self.size(base);
                self.uses(&components[..size]);
                Value::splat(components[..size].iter().copied().fold(by, Scalar::with))
            }
            Value::Inputs(_) => Value::UNKNOWN,
        }
    }

    /// Returns what is at offset `within` of a place: the place if the expression is a pointer, or the value stored there.
    fn place(&self, handle: Handle<Expression>, place: Place, within: Option<u32>) -> Value {
        let offset = place.offset.zip(within).and_then(|(start, within)| start.checked_add(within));
        let place = Place { offset, ..place };
        match self.is_pointer(handle) {
            true => Value::Place(place),
            false => self.reader.memory.read(place, self.inner(handle)),
        }
    }

    /// Records that the kernel's control flow or accesses depend on this value.
    fn steers(&mut self, by: Scalar) {
        self.reader.measures.is_steered |= self.is_live && by.ids.are_of_data();
    }

    /// Records that `base` is indexed by this value.
    fn indexes(&mut self, base: Handle<Expression>, by: Scalar) {
        if !self.reader.recording {
            return;
        }
        let length = match self.pointee(base) {
            TypeInner::Array { size, .. } => match size.resolve(self.reader.module.to_ctx()) {
                Ok(naga::proc::IndexableLength::Known(length)) => Some(length),
                _ => None,
            },
            _ => None,
        };
        match by.what {
            ScalarOrigin::Given(slot) => self.reader.measures.add(slot, Use::Index),
            ScalarOrigin::Element(variable) => self.reader.measures.index(variable, length),
            ScalarOrigin::Other if !by.ids.vary() => {
                let counted = &mut self.reader.measures.counted;
                *counted = counted.iter().copied().chain(length).min();
            }
            _ => {}
        }
    }

    fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Value {
        let (a, b) = (self.components(left), self.components(right));
        let count = self.size(left).max(self.size(right));
        if self.reader.recording {
            for i in 0..count {
                self.operation(op, a[i], b[i]);
                self.operation(mirror(op), b[i], a[i]);
            }
        }
        Value::Components([0, 1, 2, 3].map(|i| match (op, a[i].what, b[i].what) {
            // `n - 1u` bounds the same ids as `n`.
            (
                BinaryOperator::Add | BinaryOperator::Subtract,
                ScalarOrigin::Given(_),
                ScalarOrigin::Constant(_),
            ) => a[i],
            (BinaryOperator::Add, ScalarOrigin::Constant(_), ScalarOrigin::Given(_)) => b[i],
            (op, ScalarOrigin::Constant(x), ScalarOrigin::Constant(y)) => match fold(op, x, y) {
                Some(constant) => Scalar::is(ScalarOrigin::Constant(constant)),
                None => Scalar::OTHER,
            },
            _ => a[i].with(b[i]),
        }))
    }

    /// Records what `of op by` says about `by`.
    fn operation(&mut self, op: BinaryOperator, of: Scalar, by: Scalar) {
        use BinaryOperator as Op;
        let (ids, vary) = (of.ids, of.ids.vary());
        if matches!(
            op,
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual
        ) {
            self.steers(of);
        }
        if let (Op::Multiply, true, ScalarOrigin::Constant(stride)) = (op, vary, by.what)
            && let Ok(stride) = u32::try_from(stride)
            && !self.reader.measures.rows.contains(&(ids, stride))
        {
            self.reader.measures.rows.push((ids, stride));
        }
        if let (
            Op::Equal | Op::NotEqual,
            ScalarOrigin::Element(variable),
            ScalarOrigin::Constant(value),
        ) = (op, of.what, by.what)
        {
            self.reader.measures.sentinels.entry(variable).or_default().insert(value);
        }
        let ScalarOrigin::Given(slot) = by.what else { return };
        let used = match op {
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => match of.what {
                ScalarOrigin::Id(id) if id.is_within() => Use::Lane(ids),
                _ if vary => Use::Bound(ids),
                ScalarOrigin::Other | ScalarOrigin::Element(_) => Use::Count,
                _ => return,
            },
            Op::Equal | Op::NotEqual => match of.what {
                ScalarOrigin::Constant(constant) => Use::Equal(constant),
                _ if vary => Use::Pick,
                _ => return,
            },
            Op::Multiply if vary || of.what == ScalarOrigin::Other => Use::Stride(ids),
            Op::Divide if vary => Use::Divisor(ids),
            Op::Modulo if vary => Use::Modulus(ids),
            Op::ShiftLeft | Op::ShiftRight => Use::Shift,
            Op::Subtract if vary => Use::Before,
            Op::Add if vary => Use::Offset,
            Op::Add | Op::Subtract if of.what == ScalarOrigin::Other && !ids.are_of_data() => {
                Use::Step
            }
            _ => return,
        };
        self.reader.measures.add(slot, used);
    }

    fn math(
        &mut self,
        fun: MathFunction,
        arg: Handle<Expression>,
        arg1: Option<Handle<Expression>>,
        arg2: Option<Handle<Expression>>,
    ) -> Value {
        use MathFunction as F;
        let all: Vec<_> = [Some(arg), arg1, arg2].into_iter().flatten().collect();
        let parts: Vec<Components> = all.iter().map(|&part| self.components(part)).collect();
        match fun {
            F::Abs | F::Floor | F::Ceil | F::Round | F::Trunc => Value::Components(parts[0]),
            F::Min | F::Max | F::Clamp => {
                let size = self.size(arg);
                let pairs = parts.iter().enumerate().flat_map(|(i, a)| {
                    parts
                        .iter()
                        .enumerate()
                        .filter(move |(j, _)| *j != i)
                        .map(move |(_, b)| (*a, *b))
                });
                let pairs: Vec<(Components, Components)> = pairs.collect();
                let noted = if self.reader.recording { size } else { 0 };
                for (a, b) in pairs {
                    for i in 0..noted {
                        self.operation(BinaryOperator::Less, a[i], b[i]);
                    }
                }
                Value::Components([0, 1, 2, 3].map(|i| {
                    let is_constant =
                        |part: &&Components| matches!(part[i].what, ScalarOrigin::Constant(_));
                    let others: Vec<Scalar> = parts
                        .iter()
                        .filter(|part| !is_constant(part))
                        .map(|part| part[i])
                        .collect();
                    match others[..] {
                        [only] => only,
                        _ => others.into_iter().fold(Scalar::OTHER, Scalar::with),
                    }
                }))
            }
            F::Fract | F::Fma | F::Mix | F::Step | F::Sign | F::Saturate => Value::Components(
                [0, 1, 2, 3]
                    .map(|i| parts.iter().map(|part| part[i]).fold(Scalar::OTHER, Scalar::with)),
            ),
            _ => {
                all.iter().for_each(|&part| self.uses_all(part));
                let sizes = all.iter().map(|&part| self.size(part));
                let scalars =
                    parts.iter().zip(sizes).flat_map(|(part, size)| part[..size].to_vec());
                Value::splat(scalars.fold(Scalar::OTHER, Scalar::with))
            }
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match *statement {
            Statement::Store { pointer, value } => {
                let Value::Place(place) = self.value(pointer) else { return };
                if let Root::Global(global) = place.root
                    && self.reader.module.global_variables[global].space != AddressSpace::Private
                {
                    self.uses_all(value);
                    return;
                }
                self.store(place, value);
            }
            Statement::Call { function, ref arguments, .. } => {
                let callee = FunctionId::Helper(function);
                for (index, &argument) in (0..).zip(arguments) {
                    let value = self.value(argument);
                    self.reader.arguments.join((callee, index), value);
                }
            }
            Statement::Return { value: Some(value) } => {
                let value = self.value(value);
                self.reader.results.join(self.id, value);
            }
            Statement::Switch { selector, ref cases } if self.reader.recording => {
                self.steers(self.components(selector)[0]);
                let ScalarOrigin::Given(slot) = self.components(selector)[0].what else { return };
                for case in cases {
                    let value = match case.value {
                        SwitchValue::I32(value) => i64::from(value),
                        SwitchValue::U32(value) => i64::from(value),
                        _ => continue,
                    };
                    self.reader.measures.add(slot, Use::Equal(value));
                }
            }
            Statement::Atomic { value, .. } => self.uses_all(value),
            Statement::ImageStore { coordinate, array_index, value, .. }
            | Statement::ImageAtomic { coordinate, array_index, value, .. } => {
                self.uses_all(coordinate);
                array_index.into_iter().for_each(|index| self.uses_all(index));
                self.uses_all(value);
            }
            _ => {}
        }
    }

    /// Records that `value` may be stored at `place`, in a variable of the kernel itself.
    fn store(&mut self, place: Place, value: Handle<Expression>) {
        let (count, width) = match *self.inner(value) {
            TypeInner::Scalar(scalar) => (1, scalar.width),
            TypeInner::Vector { size, scalar } => (size as usize, scalar.width),
            _ => return self.store_whole(place, value),
        };
        let components = self.components(value);
        for (i, &scalar) in components[..count].iter().enumerate() {
            match place.offset {
                Some(offset) => {
                    let offset = offset + i as u32 * u32::from(width);
                    self.reader.memory.put(place.root, offset, scalar);
                }
                None => self.reader.memory.put_somewhere(place.root, scalar),
            }
        }
    }

    fn store_whole(&mut self, place: Place, value: Handle<Expression>) {
        match (self.value(value), place.offset) {
            (Value::Place(source), Some(offset)) => {
                self.reader.memory.copy(place.root, offset, source);
            }
            (other, _) => {
                let scalar = other.components().into_iter().fold(Scalar::OTHER, Scalar::with);
                self.reader.memory.put_somewhere(place.root, scalar);
            }
        }
    }
}
