//! Restores built-in values as parameters. naga's SPIR-V and GLSL front ends turn them into private variables that are filled by
//! a wrapper around the entry point's function. This module makes them parameters of entry points again, as in WGSL, and of the
//! helper functions that read them.
//!
//! Analyses that ask which workgroups or invocations a kernel distinguishes look at parameters.

use crate::ir::calls::CallGraph;
use crate::ir::operands;
use crate::ir::rebuild::{FunctionBuilder, RebuildChange};
use crate::ir::walk::{self, FunctionId, StatementId};
use naga::{
    Arena, EntryPoint, Expression, Function, FunctionArgument, GlobalVariable, Handle, Literal,
    Module, ScalarKind, Span, Statement,
};
use rustc_hash::{FxHashMap, FxHashSet};

type Global = Handle<GlobalVariable>;

/// Restores the built-in values of the functions of `module`. If an entry point does not have naga's form, the module is left
/// unchanged.
pub fn restore(module: &mut Module) {
    let Some(wrappers) = module.entry_points.iter().map(wrapper).collect::<Option<Vec<_>>>() else {
        return;
    };
    let calls = CallGraph::of(module);
    let helpers = || module.functions.iter().map(|(handle, _)| FunctionId::Helper(handle));
    let all_called: FxHashSet<Handle<Function>> =
        helpers().flat_map(|helper| calls.callees(helper)).collect();
    if wrappers.iter().any(|wrapper| all_called.contains(&wrapper.body)) {
        return;
    }
    let mut inputs: FxHashSet<Global> =
        wrappers.iter().flat_map(|wrapper| wrapper.inputs.keys().copied()).collect();
    for (_, function) in module.functions.iter() {
        otherwise_used(function, &mut inputs);
    }
    let needs = needs(module, &calls, &mut inputs, &wrappers);
    let rewritten = Rewrite { module, needs: &needs }.run(&wrappers);
    *module = rewritten;
}

/// An entry point that fills private variables and calls a function.
struct Wrapper {
    /// The called function.
    body: Handle<Function>,
    /// By variable: the index of the parameter that it holds, and the type that it is converted to.
    inputs: FxHashMap<Global, (u32, Option<ScalarKind>)>,
}

/// Analyses naga's wrapper of an entry point. Returns `None` if the entry point has another form.
fn wrapper(entry: &EntryPoint) -> Option<Wrapper> {
    let function = &entry.function;
    let (mut body, mut inputs) = (None, FxHashMap::default());
    for statement in &function.body {
        match *statement {
            Statement::Emit(_) | Statement::Return { value: None } => {}
            Statement::Store { pointer, value } => {
                let Expression::GlobalVariable(global) = function.expressions[pointer] else {
                    return None;
                };
                let (argument, kind) = match function.expressions[value] {
                    Expression::As { expr, kind, .. } => (expr, Some(kind)),
                    _ => (value, None),
                };
                let Expression::FunctionArgument(index) = function.expressions[argument] else {
                    return None;
                };
                inputs.insert(global, (index, kind));
            }
            Statement::Call { function, ref arguments, result: None } if arguments.is_empty() => {
                body = Some(function);
            }
            _ => return None,
        }
    }
    Some(Wrapper { body: body?, inputs })
}

/// Returns the variable that a pointer points into, if it is one of `inputs`.
fn input(
    function: &Function,
    pointer: Handle<Expression>,
    inputs: &FxHashSet<Global>,
) -> Option<Global> {
    walk::root_global(function, pointer).filter(|global| inputs.contains(global))
}

/// Removes from `inputs` the variables that a function uses other than by loading them, or parts of them.
fn otherwise_used(function: &Function, inputs: &mut FxHashSet<Global>) {
    let mut kept: FxHashSet<Global> = FxHashSet::default();
    let mut keep = |used: Handle<Expression>, inputs: &FxHashSet<Global>| {
        kept.extend(input(function, used, inputs));
    };
    for (_, expression) in function.expressions.iter() {
        let base = match *expression {
            Expression::Load { .. } => continue,
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => Some(base),
            _ => None,
        };
        walk::operands(expression, &mut |used| {
            if Some(used) != base {
                keep(used, inputs);
            }
        });
    }
    walk::statements(&function.body, &mut |_, statement, _| {
        let mut statement = operands::without_blocks(statement);
        if !matches!(statement, Statement::Emit(_)) {
            operands::of_statement(&mut statement, &mut |used| keep(*used, inputs));
        }
    });
    inputs.retain(|global| !kept.contains(global));
}

/// Returns, for each function, the inputs that it or its callees read. Removes from `inputs` those that an entry point needs but
/// does not receive.
fn needs(
    module: &Module,
    calls: &CallGraph,
    inputs: &mut FxHashSet<Global>,
    wrappers: &[Wrapper],
) -> Vec<Vec<Global>> {
    loop {
        let mut all: Vec<Vec<Global>> = Vec::new();
        // Callees precede their callers.
        for (handle, function) in module.functions.iter() {
            let mut own: Vec<Global> = Vec::new();
            for (_, expression) in function.expressions.iter() {
                if let Expression::Load { pointer } = *expression {
                    own.extend(input(function, pointer, inputs));
                }
            }
            for called in calls.callees(FunctionId::Helper(handle)) {
                own.extend(all.get(called.index()).into_iter().flatten());
            }
            own.sort_unstable();
            own.dedup();
            all.push(own);
        }
        let missing: Vec<Global> = wrappers
            .iter()
            .flat_map(|wrapper| {
                let needed = all.get(wrapper.body.index()).into_iter().flatten();
                needed.filter(|global| !wrapper.inputs.contains_key(global))
            })
            .copied()
            .collect();
        if missing.is_empty() {
            return all;
        }
        inputs.retain(|global| !missing.contains(global));
    }
}

struct Rewrite<'a> {
    module: &'a Module,
    needs: &'a [Vec<Global>],
}

impl Rewrite<'_> {
    fn run(&self, wrappers: &[Wrapper]) -> Module {
        // A placeholder for functions that are not called any more.
        let nobody = Arena::new().append(Function::default(), Span::UNDEFINED);
        let (mut functions, mut made, mut origins) = (Arena::new(), Vec::new(), Vec::new());
        for (handle, function) in self.module.functions.iter() {
            if wrappers.iter().any(|wrapper| wrapper.body == handle) {
                made.push(nobody);
                continue;
            }
            let of = handle.index();
            let copy = self.function(function, &made, &origins, of, &Source::AsParameters);
            origins.push(of);
            made.push(functions.append(copy, self.module.functions.get_span(handle)));
        }
        let entries = self.module.entry_points.iter().zip(wrappers);
        let entry_points = entries.map(|(entry, wrapper)| {
            let body = &self.module.functions[wrapper.body];
            let source = Source::ByEntry(wrapper, &entry.function.arguments);
            let of = wrapper.body.index();
            let function = self.function(body, &made, &origins, of, &source);
            EntryPoint { function, ..entry.clone() }
        });
        let entry_points = entry_points.collect();
        Module { functions, entry_points, ..self.module.clone() }
    }

    fn function(
        &self,
        original: &Function,
        made: &[Handle<Function>],
        origins: &[usize],
        of: usize,
        source: &Source<'_>,
    ) -> Function {
        let mut change = Restore {
            module: self.module,
            needs: self.needs,
            origins,
            original,
            own: &self.needs[of],
            source,
            values: FxHashMap::default(),
        };
        FunctionBuilder::run(original, made, &mut change)
    }
}

/// The source of a function's inputs.
enum Source<'a> {
    /// Additional parameters, one per input.
    AsParameters,
    /// The arguments of the entry point.
    ByEntry(&'a Wrapper, &'a [FunctionArgument]),
}

struct Restore<'a> {
    module: &'a Module,
    needs: &'a [Vec<Global>],
    /// By function of the new module: the index of the original function.
    origins: &'a [usize],
    original: &'a Function,
    /// The inputs that the function needs.
    own: &'a [Global],
    source: &'a Source<'a>,
    /// The values of these inputs in the new function.
    values: FxHashMap<Global, Handle<Expression>>,
}

impl Restore<'_> {
    /// Returns the value of a constant that is the index of a component.
    fn constant(&self, expression: &Expression) -> Option<u32> {
        let literal = match *expression {
            Expression::Constant(constant) => {
                let init = self.module.constants[constant].init;
                self.module.global_expressions[init].clone()
            }
            ref other => other.clone(),
        };
        match literal {
            Expression::Literal(Literal::U32(value)) => Some(value),
            Expression::Literal(Literal::I32(value)) => u32::try_from(value).ok(),
            _ => None,
        }
        .filter(|index| *index < 3)
    }
}

impl RebuildChange for Restore<'_> {
    fn enter(&mut self, into: &mut FunctionBuilder<'_>) {
        for &global in self.own {
            let variable = &self.module.global_variables[global];
            let span = self.module.global_variables.get_span(global);
            let index = into.function.arguments.len() as u32;
            let (argument, kind) = match self.source {
                Source::AsParameters => {
                    let (name, ty) = (variable.name.clone(), variable.ty);
                    (FunctionArgument { name, ty, binding: None }, None)
                }
                Source::ByEntry(wrapper, arguments) => {
                    let Some(&(of, kind)) = wrapper.inputs.get(&global) else { continue };
                    let Some(argument) = arguments.get(of as usize) else { continue };
                    (FunctionArgument { name: variable.name.clone(), ..argument.clone() }, kind)
                }
            };
            into.function.arguments.push(argument);
            let mut value = into.declare(Expression::FunctionArgument(index), span);
            if let Some(kind) = kind {
                value = into.emit(Expression::As { expr: value, kind, convert: None }, span);
            }
            self.values.insert(global, value);
        }
        for (handle, expression) in self.original.expressions.iter() {
            if let Expression::GlobalVariable(global) = expression
                && let Some(value) = self.values.get(global)
            {
                into.set(handle, *value);
            }
        }
    }

    /// Replaces a dynamic access by a constant index with an access to that component, so that analyses see which components are
    /// read.
    fn expression(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        original: Handle<Expression>,
        copy: &mut Expression,
    ) {
        let Expression::Access { base: pointer, .. } = self.original.expressions[original] else {
            return;
        };
        let of_input = walk::root_global(self.original, pointer);
        if let Expression::Access { base, index } = *copy
            && of_input.is_some_and(|global| self.values.contains_key(&global))
            && let Some(index) = self.constant(&into.function.expressions[index])
        {
            *copy = Expression::AccessIndex { base, index };
        }
    }

    fn replace_expression(
        &mut self,
        _: &mut FunctionBuilder<'_>,
        original: Handle<Expression>,
        copy: &Expression,
    ) -> Option<Handle<Expression>> {
        let (Expression::Load { pointer }, Expression::Load { pointer: value }) =
            (&self.original.expressions[original], copy)
        else {
            return None;
        };
        let global = walk::root_global(self.original, *pointer)?;
        self.values.contains_key(&global).then_some(*value)
    }

    fn statement(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        _: StatementId,
        mut copy: Statement,
        span: Span,
    ) {
        if let Statement::Call { function, arguments, .. } = &mut copy {
            let of = self.origins.get(function.index());
            let needed = of.and_then(|of| self.needs.get(*of)).into_iter().flatten();
            arguments.extend(needed.filter_map(|global| self.values.get(global)));
        }
        into.push(copy, span);
    }
}
