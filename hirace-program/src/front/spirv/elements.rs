//! Replaces the stand-ins for elements of arrays of buffers and textures (`prepare::resources`) by a choice between the elements.
//!
//! An operation on a stand-in becomes a switch on the index, with the operation on one element in each case. An array with several
//! dimensions, and an operation on several stand-ins, become nested switches. An index that is too large selects the last element,
//! as for other arrays. It is read through a table in function memory, so that an index out of bounds is found as for other arrays.
//!
//! Functions that are called with an element are specialized for the stand-in before. The call is then the same for all elements, and
//! a barrier in the function is one barrier.

use super::prepare::{DynamicElement, PreparedModule};
use crate::ir::operands;
use crate::ir::rebuild::{FunctionBuilder, RebuildChange};
use crate::ir::walk::{self, NumberedStatement, StatementId};
use naga::front::Typifier;
use naga::proc::{ResolveContext, TypeResolution};
use naga::{
    AddressSpace, Arena, ArraySize, Expression, Function, GlobalVariable, Handle, Literal,
    LocalVariable, Module, Scalar, Span, Statement, SwitchCase, SwitchValue, Type, TypeInner,
    UniqueArena,
};
use rustc_hash::FxHashMap;
use std::num::NonZeroU32;

type Global = Handle<GlobalVariable>;

/// The maximum number of cases that the operations on elements have in total.
const CASES: usize = 1 << 18;

/// A stand-in for an element.
#[derive(Clone, Debug)]
struct StandIn {
    /// The variable.
    variable: Global,
    array: String,
    /// The number of elements of each dimension.
    dimensions: Vec<u32>,
    elements: Vec<Global>,
    /// By dimension: the private variable that holds the index.
    indices: Vec<Global>,
    /// The access to the element.
    access: usize,
    /// The span of the switches that choose the element: that of the access.
    span: Span,
}

/// Replaces the stand-ins in `module`. Returns the instruction whose replacement has too many cases, if there is one.
pub fn restore(module: &mut Module, prepared: &PreparedModule) -> Option<usize> {
    if prepared.dynamic_elements.is_empty() {
        return None;
    }
    let named: FxHashMap<&str, Global> = module
        .global_variables
        .iter()
        .filter_map(|(handle, variable)| Some((variable.name.as_deref()?, handle)))
        .collect();
    let stand_in = |of: &DynamicElement| {
        let elements = of.elements.iter().map(|name| named.get(name.as_str()).copied());
        let elements = elements.collect::<Option<Vec<_>>>()?;
        let indices = of.indices.iter().map(|name| named.get(name.as_str()).copied());
        let indices = indices.collect::<Option<Vec<_>>>()?;
        let variable = *named.get(of.stand_in.as_str())?;
        let (array, dimensions) = (of.array.clone(), of.dimensions.clone());
        let span = prepared.span(of.access).unwrap_or_default();
        let access = of.access;
        let stand_in = StandIn { variable, array, dimensions, elements, indices, access, span };
        Some((variable, stand_in))
    };
    let stand_ins: FxHashMap<Global, StandIn> =
        prepared.dynamic_elements.iter().filter_map(stand_in).collect();
    for (stand_in, of) in &stand_ins {
        unify(module, *stand_in, &of.elements);
    }
    let original = module.clone();
    let mut functions = Arena::new();
    let mut made: Vec<Handle<Function>> = Vec::new();
    let mut budget = CaseBudget { cases: CASES, exceeded_at: None };
    for (handle, function) in original.functions.iter() {
        let copy = rebuilt(&original, &mut module.types, function, &stand_ins, &made, &mut budget);
        made.push(functions.append(copy, original.functions.get_span(handle)));
    }
    for entry in &mut module.entry_points {
        let (types, function) = (&mut module.types, &entry.function);
        entry.function = rebuilt(&original, types, function, &stand_ins, &made, &mut budget);
    }
    module.functions = functions;
    // Nothing uses the stand-ins any more, and no host binds them.
    let uint = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    let ty = module.types.insert(uint, Span::UNDEFINED);
    for stand_in in stand_ins.keys() {
        let variable = &mut module.global_variables[*stand_in];
        (variable.space, variable.binding, variable.ty) = (AddressSpace::Private, None, ty);
        variable.memory_decorations = naga::MemoryDecorations::empty();
    }
    budget.exceeded_at
}

/// The cases that may still be added.
struct CaseBudget {
    cases: usize,
    /// The access whose cases were too many.
    exceeded_at: Option<usize>,
}

/// Gives the variables of an array the same type. naga makes the members that atomics access atomic, for each variable.
fn unify(module: &mut Module, stand_in: Global, elements: &[Global]) {
    let mut ty = module.global_variables[stand_in].ty;
    for element in elements {
        ty = merged(&mut module.types, ty, module.global_variables[*element].ty);
    }
    for variable in elements.iter().chain([&stand_in]) {
        module.global_variables[*variable].ty = ty;
    }
}

/// Returns the type whose members are atomic where those of `a` or `b` are, which are otherwise equal.
fn merged(types: &mut UniqueArena<Type>, a: Handle<Type>, b: Handle<Type>) -> Handle<Type> {
    if a == b {
        return a;
    }
    let (name, span) = (types[a].name.clone(), types.get_span(a));
    let inner = match (types[a].inner.clone(), types[b].inner.clone()) {
        (TypeInner::Scalar(_), TypeInner::Atomic(_)) => return b,
        (TypeInner::Array { base: first, size, stride }, TypeInner::Array { base: second, .. }) => {
            TypeInner::Array { base: merged(types, first, second), size, stride }
        }
        (TypeInner::Struct { mut members, span }, TypeInner::Struct { members: others, .. }) => {
            for (member, other) in members.iter_mut().zip(others) {
                member.ty = merged(types, member.ty, other.ty);
            }
            TypeInner::Struct { members, span }
        }
        _ => return a,
    };
    types.insert(Type { name, inner }, span)
}

fn rebuilt(
    module: &Module,
    types: &mut UniqueArena<Type>,
    function: &Function,
    stand_ins: &FxHashMap<Global, StandIn>,
    made: &[Handle<Function>],
    budget: &mut CaseBudget,
) -> Function {
    let mut change = Choose {
        module,
        types,
        original: function,
        stand_ins,
        tables: FxHashMap::default(),
        typifier: Typifier::new(),
        current: None,
        budget,
    };
    FunctionBuilder::run(function, made, &mut change)
}

struct Choose<'a> {
    module: &'a Module,
    types: &'a mut UniqueArena<Type>,
    original: &'a Function,
    stand_ins: &'a FxHashMap<Global, StandIn>,
    /// By array and number of elements of a dimension: the table that indices are looked up in.
    tables: FxHashMap<(String, u32), Handle<LocalVariable>>,
    typifier: Typifier,
    /// The statement that is being copied, if it uses stand-ins, with the stand-ins.
    current: Option<(Statement, Vec<StandIn>)>,
    budget: &'a mut CaseBudget,
}

/// The element that each stand-in is replaced by.
type ChosenElements = FxHashMap<Global, Global>;

/// The part of a choice that remains.
#[derive(Clone, Copy)]
struct Choice<'c> {
    /// The stand-ins whose elements are not chosen yet.
    stand_ins: &'c [StandIn],
    /// The chosen indices of the outer dimensions of the first one.
    path: &'c [u32],
}

/// Adds the code for chosen elements.
type AddCase<'c, 'a, 'b> =
    &'c mut dyn FnMut(&mut Choose<'a>, &mut FunctionBuilder<'b>, &ChosenElements);

impl Choose<'_> {
    /// Returns the stand-in that an expression of the original refers to, directly or through a pointer into it.
    fn stand_in(&self, of: Handle<Expression>) -> Option<&StandIn> {
        self.stand_ins.get(&walk::root_global(self.original, of)?)
    }

    /// Adds the stand-in that an operand refers to, if it refers to one.
    fn add_stand_in(&self, used: Handle<Expression>, to: &mut Vec<StandIn>) {
        if let Some(found) = self.stand_in(used)
            && to.iter().all(|known| known.variable != found.variable)
        {
            to.push(found.clone());
        }
    }

    /// Looks up the index in a dimension with `count` elements, which is in the variable `index`. Returns the selector.
    fn selector(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        array: &str,
        (count, index): (u32, Global),
        span: Span,
    ) -> Handle<Expression> {
        let key = (array.to_owned(), count);
        let table = match self.tables.get(&key) {
            Some(known) => *known,
            None => {
                let table = self.table(into, array, count);
                self.tables.insert(key, table);
                table
            }
        };
        let pointer = into.declare(Expression::GlobalVariable(index), span);
        let index = into.emit(Expression::Load { pointer }, span);
        let base = into.declare(Expression::LocalVariable(table), span);
        let pointer = into.emit(Expression::Access { base, index }, span);
        into.emit(Expression::Load { pointer }, span)
    }

    /// Declares a variable in function memory that holds the number of each element.
    fn table(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        array: &str,
        count: u32,
    ) -> Handle<LocalVariable> {
        let uint = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
        let base = self.types.insert(uint, Span::UNDEFINED);
        let size = ArraySize::Constant(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN));
        let inner = TypeInner::Array { base, size, stride: 4 };
        let ty = self.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        let mut components = Vec::new();
        for number in 0..count {
            let literal = Expression::Literal(Literal::U32(number));
            components.push(into.declare(literal, Span::UNDEFINED));
        }
        let init = into.declare(Expression::Compose { ty, components }, Span::UNDEFINED);
        let variable = LocalVariable { name: Some(array.to_owned()), ty, init: Some(init) };
        into.function.local_variables.append(variable, Span::UNDEFINED)
    }

    /// Declares a variable for the result of an expression of the original.
    fn variable(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        of: Handle<Expression>,
    ) -> Option<Handle<LocalVariable>> {
        let locals = &self.original.local_variables;
        let context = ResolveContext::with_locals(self.module, locals, &self.original.arguments);
        self.typifier.grow(of, &self.original.expressions, &context).ok()?;
        let ty = match self.typifier[of].clone() {
            TypeResolution::Handle(handle) => handle,
            TypeResolution::Value(inner) => {
                self.types.insert(Type { name: None, inner }, Span::UNDEFINED)
            }
        };
        let variable = LocalVariable { name: None, ty, init: None };
        Some(into.function.local_variables.append(variable, Span::UNDEFINED))
    }

    /// Returns a copy of `expression`, an expression of the original, in which stand-ins are replaced by elements.
    fn with_elements(
        &self,
        into: &mut FunctionBuilder<'_>,
        expression: Handle<Expression>,
        chosen: &ChosenElements,
    ) -> Handle<Expression> {
        let element = self.stand_in(expression).and_then(|of| chosen.get(&of.variable));
        let Some(&element) = element else { return into.get(expression) };
        let span = self.original.expressions.get_span(expression);
        match self.original.expressions[expression].clone() {
            Expression::GlobalVariable(_) => {
                into.declare(Expression::GlobalVariable(element), span)
            }
            mut copy => {
                operands::of_expression(&mut copy, &mut |operand| {
                    *operand = self.with_elements(into, *operand, chosen);
                });
                into.emit(copy, span)
            }
        }
    }
}

impl<'a> Choose<'a> {
    /// Adds a switch with a case for each element, nested for several stand-ins. `add` adds the code of each case.
    fn choose<'b>(
        &mut self,
        into: &mut FunctionBuilder<'b>,
        stand_ins: &[StandIn],
        span: Span,
        add: AddCase<'_, 'a, 'b>,
    ) {
        let all = stand_ins.iter().map(|of| of.elements.len()).fold(1, usize::saturating_mul);
        match self.budget.cases.checked_sub(all) {
            Some(rest) => self.budget.cases = rest,
            None => {
                let access = stand_ins.first().map(|of| of.access);
                self.budget.exceeded_at = self.budget.exceeded_at.or(access);
                return;
            }
        }
        let mut chosen = ChosenElements::default();
        self.choose_index(into, Choice { stand_ins, path: &[] }, &mut chosen, span, add);
    }

    fn choose_index<'b>(
        &mut self,
        into: &mut FunctionBuilder<'b>,
        Choice { stand_ins, path }: Choice<'_>,
        chosen: &mut ChosenElements,
        span: Span,
        add: AddCase<'_, 'a, 'b>,
    ) {
        let Some((of, rest)) = stand_ins.split_first() else { return add(self, into, chosen) };
        let dimension = of.dimensions.get(path.len()).zip(of.indices.get(path.len()));
        let Some((&count, &index)) = dimension else {
            let number = of
                .dimensions
                .iter()
                .zip(path)
                .fold(0, |number, (count, index)| number * *count as usize + *index as usize);
            if let Some(element) = of.elements.get(number) {
                chosen.insert(of.variable, *element);
                self.choose_index(into, Choice { stand_ins: rest, path: &[] }, chosen, span, add);
            }
            return;
        };
        let selector = self.selector(into, &of.array, (count, index), span);
        let mut cases = Vec::new();
        for number in 0..count {
            let outer = into.open();
            let path = [path, &[number]].concat();
            self.choose_index(into, Choice { stand_ins, path: &path }, chosen, span, add);
            let body = into.close(outer);
            let value = match number + 1 == count {
                true => SwitchValue::Default,
                false => SwitchValue::U32(number),
            };
            cases.push(SwitchCase { value, body, fall_through: false });
        }
        into.push(Statement::Switch { selector, cases }, of.span);
    }
}

impl RebuildChange for Choose<'_> {
    fn enter(&mut self, into: &mut FunctionBuilder<'_>) {
        // Every use of a stand-in is replaced, so what its copy would be does not matter.
        let unused = into.u32(0);
        for (handle, expression) in self.original.expressions.iter() {
            if let Expression::GlobalVariable(global) = expression
                && self.stand_ins.contains_key(global)
            {
                into.set(handle, unused);
            }
        }
    }

    fn before(&mut self, into: &mut FunctionBuilder<'_>, original: NumberedStatement<'_>) {
        self.current = None;
        if matches!(original.statement, Statement::Emit(_)) || !original.blocks().is_empty() {
            return;
        }
        let (mut statement, mut found) = (original.statement.clone(), Vec::new());
        operands::of_statement(&mut statement, &mut |used| self.add_stand_in(*used, &mut found));
        if !found.is_empty() {
            if let Some(result) = result(&statement) {
                let unused = into.u32(0);
                into.set(result, unused);
            }
            self.current = Some((statement, found));
        }
    }

    fn replace_expression(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        original: Handle<Expression>,
        _: &Expression,
    ) -> Option<Handle<Expression>> {
        let expression = &self.original.expressions[original];
        // Pointers are computed where they are used.
        if matches!(expression, Expression::Access { .. } | Expression::AccessIndex { .. }) {
            return self.stand_in(original).is_some().then(|| into.u32(0));
        }
        let mut found = Vec::new();
        walk::operands(expression, &mut |used| self.add_stand_in(used, &mut found));
        if found.is_empty() {
            return None;
        }
        let span = self.original.expressions.get_span(original);
        let variable = self.variable(into, original)?;
        let pointer = into.declare(Expression::LocalVariable(variable), span);
        self.choose(into, &found, span, &mut |this, into, chosen| {
            let mut copy = this.original.expressions[original].clone();
            operands::of_expression(&mut copy, &mut |operand| {
                *operand = this.with_elements(into, *operand, chosen);
            });
            let value = into.emit(copy, span);
            into.push(Statement::Store { pointer, value }, Span::UNDEFINED);
        });
        Some(into.emit(Expression::Load { pointer }, Span::UNDEFINED))
    }

    fn statement(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        _: StatementId,
        copy: Statement,
        span: Span,
    ) {
        let Some((original, found)) = self.current.take() else {
            return into.push(copy, span);
        };
        let result = result(&original);
        let variable = result.and_then(|result| self.variable(into, result));
        let variable = variable.map(|of| into.declare(Expression::LocalVariable(of), span));
        self.choose(into, &found, span, &mut |this, into, chosen| {
            let (mut copy, mut value) = (original.clone(), None);
            operands::of_statement(&mut copy, &mut |operand| {
                if Some(*operand) != result {
                    *operand = this.with_elements(into, *operand, chosen);
                    return;
                }
                let mut own = this.original.expressions[*operand].clone();
                if let Expression::CallResult(function) = &mut own {
                    *function = into.function_now(*function);
                }
                *operand = into.declare(own, span);
                value = Some(*operand);
            });
            if let Statement::Call { function, .. } = &mut copy {
                *function = into.function_now(*function);
            }
            into.push(copy, span);
            if let (Some(pointer), Some(value)) = (variable, value) {
                into.push(Statement::Store { pointer, value }, Span::UNDEFINED);
            }
        });
        if let (Some(result), Some(pointer)) = (result, variable) {
            let value = into.emit(Expression::Load { pointer }, Span::UNDEFINED);
            into.set(result, value);
        }
    }
}

/// Returns the expression that stands for the result of a statement.
fn result(statement: &Statement) -> Option<Handle<Expression>> {
    match statement {
        Statement::Atomic { result, .. } | Statement::Call { result, .. } => *result,
        _ => None,
    }
}
