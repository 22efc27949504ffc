//! Specializes helper functions for each buffer, workgroup variable or texture that they are passed.
//!
//! WGSL lets a helper take `ptr<storage, …>` and `ptr<workgroup, …>`, but naga's validator does not, and the enumeration of
//! accesses needs to know the variable. Therefore a parameter that is a resource (a pointer to anything but function or private
//! memory, a texture, a sampler) is removed, and the helper is cloned for each *access path* that calls pass for it: a variable
//! and the steps into it, `buf[_].x`. Indices that are only known at run time are evaluated at the call, as before, and passed by
//! value.
//!
//! The pass keeps naga's rules: helpers precede their callers, expressions precede their uses, and spans are unchanged. Helpers
//! that take resources and are never called disappear. The pass runs before validation, so it checks itself that arguments have
//! the types of their parameters.

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::operands;
use crate::source_map::{SourceMap, Span};
use naga::common::wgsl::TypeContext;
use naga::front::Typifier;
use naga::proc::{ResolveContext, TypeResolution, compare_types};
use naga::{
    AddressSpace, Arena, Block, Expression, Function, FunctionArgument, GlobalVariable, Handle,
    ImageClass, Module, Range, Scalar, Statement, SwitchCase, Type, TypeInner, UniqueArena,
};
use rustc_hash::FxHashMap;

/// Removes resource parameters from all functions of `module`, which was built from `source`. Returns an error for a call that
/// passes an argument of another type.
pub fn specialize(module: &mut Module, source: &SourceMap) -> Result<()> {
    specialize_with(module, source, false)
}

/// Does the same for a module that was built from SPIR-V. Its parameters may be storage textures of another format and access than
/// the textures that are passed: GLSL declares both only for variables.
pub fn specialize_spirv(module: &mut Module, source: &SourceMap) -> Result<()> {
    specialize_with(module, source, true)
}

fn specialize_with(module: &mut Module, source: &SourceMap, is_spirv: bool) -> Result<()> {
    let _span = tracing::trace_span!("specialize").entered();
    let has_resources =
        |function: &Function| function.arguments.iter().any(|a| is_resource(module, a.ty));
    if !module.functions.iter().any(|(_, function)| has_resources(function)) {
        return Ok(());
    }
    let mut pass = Specialize {
        module,
        source,
        is_spirv,
        types: module.types.clone(),
        functions: Arena::new(),
        made: FxHashMap::default(),
    };
    for (handle, function) in module.functions.iter() {
        if !has_resources(function) {
            pass.helper(handle, vec![None; function.arguments.len()])?;
        }
    }
    let mut entry_points = Vec::new();
    for entry in &module.entry_points {
        let unbound = vec![None; entry.function.arguments.len()];
        let function = Caller::new(&mut pass, &entry.function, &unbound).rewrite()?;
        entry_points.push(naga::EntryPoint { function, ..entry.clone() });
    }
    let Specialize { types, functions, .. } = pass;
    *module = Module { types, functions, entry_points, ..std::mem::take(module) };
    Ok(())
}

/// Returns whether a parameter of this type must be specialized: it refers to memory or an opaque resource outside of the
/// function.
fn is_resource(module: &Module, ty: Handle<Type>) -> bool {
    match module.types[ty].inner {
        TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. } => {
            !matches!(space, AddressSpace::Function | AddressSpace::Private)
        }
        TypeInner::Image { .. } | TypeInner::Sampler { .. } | TypeInner::BindingArray { .. } => {
            true
        }
        _ => false,
    }
}

/// Returns whether two types are storage textures that differ only in their format and in how they may be accessed. The variable
/// replaces the parameter, and what the function does is checked for the variable.
fn is_same_texture(a: &TypeInner, b: &TypeInner) -> bool {
    let parts = |inner: &TypeInner| match *inner {
        TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, .. } } => {
            Some((dim, arrayed, Scalar::from(format)))
        }
        _ => None,
    };
    parts(a).is_some() && parts(a) == parts(b)
}

/// A variable, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AccessPath {
    variable: Handle<GlobalVariable>,
    steps: Vec<Step>,
}

/// A step of an access path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// A member, or an element with a constant index.
    Constant(u32),
    /// The element whose index is the next index parameter, of this type.
    Index(Scalar),
}

/// The access path that each parameter of a function is bound to; `None` for parameters that stay.
type Bindings = Vec<Option<AccessPath>>;

/// An argument for a resource parameter: the access path, and the values of its index parameters, which are expressions of the
/// rewritten caller.
#[derive(Clone)]
struct ResourceArgument {
    place: AccessPath,
    indices: Vec<Handle<Expression>>,
}

/// The state of the pass.
struct Specialize<'a> {
    /// The original module.
    module: &'a Module,
    source: &'a SourceMap,
    is_spirv: bool,
    /// The types of `module`, and those of index parameters.
    types: UniqueArena<Type>,
    /// The functions generated so far, callees first.
    functions: Arena<Function>,
    /// The generated function for each original function and bindings.
    made: FxHashMap<(Handle<Function>, Bindings), Handle<Function>>,
}

impl Specialize<'_> {
    /// Returns the specialization of `original` for `bindings`.
    fn helper(
        &mut self,
        original: Handle<Function>,
        bindings: Bindings,
    ) -> Result<Handle<Function>> {
        let key = (original, bindings);
        if let Some(made) = self.made.get(&key) {
            return Ok(*made);
        }
        let module = self.module;
        let function = Caller::new(self, &module.functions[original], &key.1).rewrite()?;
        let made = self.functions.append(function, module.functions.get_span(original));
        self.made.insert(key, made);
        Ok(made)
    }

    fn error(&self, span: naga::Span, message: String) -> Box<Diagnostic> {
        Box::new(Diagnostic::at(self.source, Span::from(span), message))
    }
}

/// The state of rewriting one function, in its role as a caller.
struct Caller<'p, 'a> {
    pass: &'p mut Specialize<'a>,
    original: &'a Function,
    bindings: &'p Bindings,
    /// Types of the original's expressions.
    types: Typifier,
    /// For each expression of the original: the corresponding expression of the result.
    renumbered: Vec<Handle<Expression>>,
    /// For each parameter of the original that is bound: the argument that it stands for.
    passed: Vec<Option<ResourceArgument>>,
    result: Function,
    /// Emits the access paths of bound parameters.
    prologue: Vec<Range<Expression>>,
}

impl<'p, 'a> Caller<'p, 'a> {
    fn new(pass: &'p mut Specialize<'a>, original: &'a Function, bindings: &'p Bindings) -> Self {
        let result = Function {
            arguments: Vec::new(),
            expressions: Arena::new(),
            named_expressions: Default::default(),
            body: Block::new(),
            ..original.clone()
        };
        Self {
            pass,
            original,
            bindings,
            types: Typifier::new(),
            renumbered: Vec::with_capacity(original.expressions.len()),
            passed: vec![None; bindings.len()],
            result,
            prologue: Vec::new(),
        }
    }

    fn rewrite(mut self) -> Result<Function> {
        let kept = self.parameters();
        for (old, expression) in self.original.expressions.iter() {
            let span = self.original.expressions.get_span(old);
            let new = match *expression {
                Expression::FunctionArgument(index) => {
                    let index = index as usize;
                    match self.bindings.get(index).cloned().flatten() {
                        Some(place) => self.bind(index, place, kept[index], span),
                        None => self.append(Expression::FunctionArgument(kept[index]), span),
                    }
                }
                ref other => {
                    let mut other = other.clone();
                    operands::of_expression(&mut other, &mut |h| *h = self.renumbered[h.index()]);
                    self.append(other, span)
                }
            };
            self.renumbered.push(new);
        }
        self.names();
        for (_, local) in self.result.local_variables.iter_mut() {
            local.init = local.init.map(|init| self.renumbered[init.index()]);
        }
        let mut body = Block::new();
        for range in std::mem::take(&mut self.prologue) {
            body.push(Statement::Emit(range), naga::Span::UNDEFINED);
        }
        body.append(&mut self.block(&self.original.body)?);
        self.result.body = body;
        Ok(self.result)
    }

    /// Adds the parameters. Returns for each of the original's parameters the index of the new one, or of the first of its index
    /// parameters if it is bound.
    fn parameters(&mut self) -> Vec<u32> {
        let mut first = Vec::new();
        for (argument, binding) in self.original.arguments.iter().zip(self.bindings) {
            first.push(self.result.arguments.len() as u32);
            let Some(place) = binding else {
                self.result.arguments.push(argument.clone());
                continue;
            };
            for step in &place.steps {
                let Step::Index(scalar) = *step else { continue };
                let ty = Type { name: None, inner: TypeInner::Scalar(scalar) };
                let ty = self.pass.types.insert(ty, naga::Span::UNDEFINED);
                let name = argument.name.as_ref().map(|name| format!("{name}_index"));
                self.result.arguments.push(FunctionArgument { name, ty, binding: None });
            }
        }
        first
    }

    fn append(&mut self, expression: Expression, span: naga::Span) -> Handle<Expression> {
        self.result.expressions.append(expression, span)
    }

    /// Creates the expression that replaces a bound parameter.
    fn bind(
        &mut self,
        parameter: usize,
        place: AccessPath,
        first_index: u32,
        span: naga::Span,
    ) -> Handle<Expression> {
        let count = place.steps.iter().filter(|step| matches!(step, Step::Index(_))).count() as u32;
        let indices: Vec<_> = (first_index..first_index + count)
            .map(|index| self.append(Expression::FunctionArgument(index), span))
            .collect();
        let mut at = self.append(Expression::GlobalVariable(place.variable), span);
        let mut values = indices.iter();
        let mut steps = None;
        for step in &place.steps {
            let access = match *step {
                Step::Constant(index) => Expression::AccessIndex { base: at, index },
                Step::Index(_) => match values.next() {
                    Some(&index) => Expression::Access { base: at, index },
                    None => break,
                },
            };
            at = self.append(access, span);
            steps = Some((steps.map_or(at, |(first, _)| first), at));
        }
        if let Some((first, last)) = steps {
            self.prologue.push(Range::new_from_bounds(first, last));
        }
        self.passed[parameter] = Some(ResourceArgument { place, indices });
        at
    }

    /// Copies the names of expressions, except for bound parameters, which have none.
    fn names(&mut self) {
        for (old, name) in &self.original.named_expressions {
            let bound = match self.original.expressions[*old] {
                Expression::FunctionArgument(index) => {
                    self.bindings.get(index as usize).is_some_and(Option::is_some)
                }
                _ => false,
            };
            if !bound {
                let new = self.renumbered[old.index()];
                self.result.named_expressions.insert(new, name.clone());
            }
        }
    }

    fn block(&mut self, original: &Block) -> Result<Block> {
        let mut result = Block::with_capacity(original.len());
        for (statement, span) in original.span_iter() {
            let statement = match statement {
                Statement::Call { function, arguments, result } => {
                    self.call(*function, arguments, *result, *span)?
                }
                other => self.renumber(other)?,
            };
            result.push(statement, *span);
        }
        Ok(result)
    }

    fn renumber(&mut self, original: &Statement) -> Result<Statement> {
        let mut statement = operands::without_blocks(original);
        operands::of_statement(&mut statement, &mut |h| *h = self.renumbered[h.index()]);
        match (original, &mut statement) {
            (Statement::Emit(old), Statement::Emit(new)) => {
                if let Some((first, last)) = old.first_and_last() {
                    let (first, last) = (first.index(), last.index());
                    *new = Range::new_from_bounds(self.renumbered[first], self.renumbered[last]);
                }
            }
            (Statement::Block(old), Statement::Block(new)) => *new = self.block(old)?,
            (
                Statement::If { accept: old_accept, reject: old_reject, .. },
                Statement::If { accept, reject, .. },
            ) => {
                *accept = self.block(old_accept)?;
                *reject = self.block(old_reject)?;
            }
            (Statement::Switch { cases: old, .. }, Statement::Switch { cases, .. }) => {
                for case in old {
                    cases.push(SwitchCase { body: self.block(&case.body)?, ..*case });
                }
            }
            (
                Statement::Loop { body: old_body, continuing: old_continuing, .. },
                Statement::Loop { body, continuing, .. },
            ) => {
                *body = self.block(old_body)?;
                *continuing = self.block(old_continuing)?;
            }
            _ => {}
        }
        Ok(statement)
    }

    /// Returns the call that replaces one of `callee`.
    fn call(
        &mut self,
        callee: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        span: naga::Span,
    ) -> Result<Statement> {
        let target = &self.pass.module.functions[callee];
        if target.arguments.len() != arguments.len() {
            let name = target.name.as_deref().unwrap_or("this function");
            let (takes, given) = (target.arguments.len(), arguments.len());
            let message = format!("`{name}` takes {takes} arguments, but {given} are passed");
            return Err(self.pass.error(span, message));
        }
        let mut values = Vec::new();
        let mut bindings = Vec::new();
        for (parameter, argument) in target.arguments.iter().zip(arguments) {
            if is_resource(self.pass.module, parameter.ty) {
                self.check_type(target, parameter, *argument)?;
                let passed = self.place(*argument)?;
                values.extend(passed.indices);
                bindings.push(Some(passed.place));
            } else {
                values.push(self.renumbered[argument.index()]);
                bindings.push(None);
            }
        }
        let function = self.pass.helper(callee, bindings)?;
        let result = result.map(|old| self.renumbered[old.index()]);
        if let Some(result) = result {
            self.result.expressions[result] = Expression::CallResult(function);
        }
        Ok(Statement::Call { function, arguments: values, result })
    }

    /// Returns what `pointer`, an expression of the original, points to (or is, for textures and samplers).
    fn place(&mut self, pointer: Handle<Expression>) -> Result<ResourceArgument> {
        match self.original.expressions[pointer] {
            Expression::GlobalVariable(variable) => Ok(ResourceArgument {
                place: AccessPath { variable, steps: Vec::new() },
                indices: Vec::new(),
            }),
            Expression::FunctionArgument(index)
                if let Some(Some(passed)) = self.passed.get(index as usize) =>
            {
                Ok(passed.clone())
            }
            Expression::AccessIndex { base, index } => {
                let mut passed = self.place(base)?;
                passed.place.steps.push(Step::Constant(index));
                Ok(passed)
            }
            Expression::Access { base, index } => {
                let mut passed = self.place(base)?;
                let module = self.pass.module;
                let TypeInner::Scalar(scalar) = *self.type_of(index)?.inner_with(&module.types)
                else {
                    return Err(self.error(index, "an index must be an integer".into()));
                };
                passed.place.steps.push(Step::Index(scalar));
                passed.indices.push(self.renumbered[index.index()]);
                Ok(passed)
            }
            _ => Err(self.error(pointer, "cannot determine which variable is passed here".into())),
        }
    }

    fn check_type(
        &mut self,
        callee: &Function,
        parameter: &FunctionArgument,
        argument: Handle<Expression>,
    ) -> Result<()> {
        let module = self.pass.module;
        let wanted = TypeResolution::Handle(parameter.ty);
        let is_spirv = self.pass.is_spirv;
        let given = self.type_of(argument)?;
        let inner = given.inner_with(&module.types);
        if compare_types(&wanted, given, &module.types)
            || is_spirv && is_same_texture(&module.types[parameter.ty].inner, inner)
        {
            return Ok(());
        }
        let context = module.to_ctx();
        let message = format!(
            "`{}` takes a `{}` for `{}`, but a `{}` is passed",
            callee.name.as_deref().unwrap_or("this function"),
            context.type_resolution_to_string(&wanted),
            parameter.name.as_deref().unwrap_or("this parameter"),
            context.type_resolution_to_string(given),
        );
        Err(self.error(argument, message))
    }

    fn type_of(&mut self, expression: Handle<Expression>) -> Result<&TypeResolution> {
        let (module, original) = (self.pass.module, self.original);
        let context =
            ResolveContext::with_locals(module, &original.local_variables, &original.arguments);
        match self.types.grow(expression, &original.expressions, &context) {
            Ok(()) => Ok(&self.types[expression]),
            Err(error) => Err(self.error(expression, error.to_string())),
        }
    }

    fn error(&self, place: Handle<Expression>, message: String) -> Box<Diagnostic> {
        self.pass.error(self.original.expressions.get_span(place), message)
    }
}

#[cfg(test)]
mod tests;
