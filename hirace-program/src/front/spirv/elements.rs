//! Replaces the stand-ins for elements of arrays of buffers and textures (`prepare::resources`) by a choice between the elements.
//!
//! An operation on a stand-in becomes a switch on the index, with the operation on one element in each case. An index that is too
//! large selects the last element, as for other arrays. It is read through a table in function memory, so that an index out of
//! bounds is found as for other arrays.

use super::prepare::{DynamicElement, PreparedModule, element_name};
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

/// A stand-in for an element.
#[derive(Clone, Debug)]
struct StandIn {
    array: String,
    elements: Vec<Global>,
    /// The private variable that holds the index.
    index: Global,
}

/// Replaces the stand-ins in `module`.
pub fn restore(module: &mut Module, prepared: &PreparedModule) {
    if prepared.dynamic_elements.is_empty() {
        return;
    }
    let named: FxHashMap<&str, Global> = module
        .global_variables
        .iter()
        .filter_map(|(handle, variable)| Some((variable.name.as_deref()?, handle)))
        .collect();
    let stand_in = |of: &DynamicElement| {
        let elements = (0..of.count)
            .map(|number| named.get(element_name(&of.array, number).as_str()).copied());
        let elements = elements.collect::<Option<Vec<_>>>()?;
        let index = *named.get(of.index.as_str())?;
        let handle = *named.get(of.stand_in.as_str())?;
        Some((handle, StandIn { array: of.array.clone(), elements, index }))
    };
    let stand_ins: FxHashMap<Global, StandIn> =
        prepared.dynamic_elements.iter().filter_map(stand_in).collect();
    for (stand_in, of) in &stand_ins {
        unify(module, *stand_in, &of.elements);
    }
    let original = module.clone();
    let mut functions = Arena::new();
    let mut made: Vec<Handle<Function>> = Vec::new();
    for (handle, function) in original.functions.iter() {
        let copy = rebuilt(&original, &mut module.types, function, &stand_ins, &made);
        made.push(functions.append(copy, original.functions.get_span(handle)));
    }
    for entry in &mut module.entry_points {
        entry.function = rebuilt(&original, &mut module.types, &entry.function, &stand_ins, &made);
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
) -> Function {
    let mut change = Choose {
        module,
        types,
        original: function,
        stand_ins,
        tables: FxHashMap::default(),
        typifier: Typifier::new(),
        current: None,
    };
    FunctionBuilder::run(function, made, &mut change)
}

struct Choose<'a> {
    module: &'a Module,
    types: &'a mut UniqueArena<Type>,
    original: &'a Function,
    stand_ins: &'a FxHashMap<Global, StandIn>,
    /// By array: the table that indices are looked up in.
    tables: FxHashMap<String, Handle<LocalVariable>>,
    typifier: Typifier,
    /// The statement that is being copied, if it uses a stand-in, with the stand-in.
    current: Option<(Statement, Global, StandIn)>,
}

impl Choose<'_> {
    /// Returns the stand-in that an expression of the original refers to, directly or through a pointer into it.
    fn stand_in(&self, of: Handle<Expression>) -> Option<(Global, &StandIn)> {
        let global = walk::root_global(self.original, of)?;
        Some((global, self.stand_ins.get(&global)?))
    }

    /// Returns the first stand-in among the operands of an expression.
    fn used_by(&self, expression: &Expression) -> Option<(Global, StandIn)> {
        let mut found = None;
        walk::operands(expression, &mut |used| {
            found = found.take().or_else(|| self.stand_in(used).map(|(at, of)| (at, of.clone())));
        });
        found
    }

    /// Looks up the index of an element, and begins the choice. Returns the selector.
    fn selector(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        of: &StandIn,
        span: Span,
    ) -> Handle<Expression> {
        let table = match self.tables.get(&of.array) {
            Some(known) => *known,
            None => {
                let table = self.table(into, of);
                self.tables.insert(of.array.clone(), table);
                table
            }
        };
        let pointer = into.declare(Expression::GlobalVariable(of.index), span);
        let index = into.emit(Expression::Load { pointer }, span);
        let base = into.declare(Expression::LocalVariable(table), span);
        let pointer = into.emit(Expression::Access { base, index }, span);
        into.emit(Expression::Load { pointer }, span)
    }

    /// Declares a variable in function memory that holds the number of each element.
    fn table(&mut self, into: &mut FunctionBuilder<'_>, of: &StandIn) -> Handle<LocalVariable> {
        let count = of.elements.len() as u32;
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
        let variable = LocalVariable { name: Some(of.array.clone()), ty, init: Some(init) };
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

    /// Returns a copy of `expression`, an expression of the original, in which the stand-in is replaced by `element`.
    fn with_element(
        &self,
        into: &mut FunctionBuilder<'_>,
        expression: Handle<Expression>,
        stand_in: Global,
        element: Global,
    ) -> Handle<Expression> {
        if self.stand_in(expression).is_none_or(|(of, _)| of != stand_in) {
            return into.get(expression);
        }
        let span = self.original.expressions.get_span(expression);
        match self.original.expressions[expression].clone() {
            Expression::GlobalVariable(_) => {
                into.declare(Expression::GlobalVariable(element), span)
            }
            mut copy => {
                operands::of_expression(&mut copy, &mut |operand| {
                    *operand = self.with_element(into, *operand, stand_in, element);
                });
                into.emit(copy, span)
            }
        }
    }

    /// Adds a switch with a case for each element, whose code `add` adds.
    fn choose(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        of: &StandIn,
        span: Span,
        mut add: impl FnMut(&mut Self, &mut FunctionBuilder<'_>, Global),
    ) {
        let selector = self.selector(into, of, span);
        let last = of.elements.len().saturating_sub(1);
        let mut cases = Vec::new();
        for (number, element) in of.elements.iter().enumerate() {
            let outer = into.open();
            add(self, into, *element);
            let body = into.close(outer);
            let value = match number {
                number if number == last => SwitchValue::Default,
                number => SwitchValue::U32(number as u32),
            };
            cases.push(SwitchCase { value, body, fall_through: false });
        }
        into.push(Statement::Switch { selector, cases }, Span::UNDEFINED);
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
        let (mut statement, mut found) = (original.statement.clone(), None);
        operands::of_statement(&mut statement, &mut |used| {
            found = found.take().or_else(|| self.stand_in(*used).map(|(at, of)| (at, of.clone())));
        });
        if let Some((stand_in, of)) = found {
            if let Some(result) = result(&statement) {
                let unused = into.u32(0);
                into.set(result, unused);
            }
            self.current = Some((statement, stand_in, of));
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
        let (stand_in, of) = self.used_by(expression)?;
        let span = self.original.expressions.get_span(original);
        let variable = self.variable(into, original)?;
        let pointer = into.declare(Expression::LocalVariable(variable), span);
        self.choose(into, &of, span, |this, into, element| {
            let mut copy = this.original.expressions[original].clone();
            operands::of_expression(&mut copy, &mut |operand| {
                *operand = this.with_element(into, *operand, stand_in, element);
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
        let Some((original, stand_in, of)) = self.current.take() else {
            return into.push(copy, span);
        };
        let result = result(&original);
        let variable = result.and_then(|result| self.variable(into, result));
        let variable = variable.map(|of| into.declare(Expression::LocalVariable(of), span));
        self.choose(into, &of, span, |this, into, element| {
            let (mut copy, mut value) = (original.clone(), None);
            operands::of_statement(&mut copy, &mut |operand| {
                if Some(*operand) != result {
                    *operand = this.with_element(into, *operand, stand_in, element);
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
