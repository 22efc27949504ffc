//! Uniformity analysis: finds barriers in control flow that may not be uniform over the workgroup.
//!
//! WGSL requires uniform control flow at a barrier. Compilers based on Tint reject what they cannot prove uniform; naga
//! accepts it. This analysis follows the specification's rules ("Uniformity") as far as they concern barriers in
//! compute shaders, as a forward analysis ([`dataflow`]) of each function in the context of each call.
//!
//! Non-uniform values are: the ids of an invocation within its workgroup, loads from writable memory, results of
//! atomics and subgroup operations, values computed from those, and variables that are stored to under control flow
//! that depends on non-uniform values. Variables are tracked as wholes. A reported barrier need not diverge in any run:
//! the condition may always have the same value.

use crate::facts::Varying;
use crate::facts::place::span_of;
use crate::facts::warning::UniformityRequirement;
use crate::ir::dataflow::{self, Analysis, Edge, JoinSemiLattice};
use crate::ir::globals::is_writable;
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId, NumberedStatement, StatementId};
use crate::program::Program;
use crate::source_map::Span;
use naga::{
    AddressSpace, BuiltIn, Expression, Function, GlobalVariable, Handle, LocalVariable, Statement,
    StorageAccess,
};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// A barrier that may be in non-uniform control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonUniformBarrier {
    /// The barrier.
    pub barrier: SiteId,
    /// The branch or loop that the invocations may take differently. It is the one around the call, if the barrier is
    /// in a helper function that is called in non-uniform control flow.
    pub branch: Option<SiteId>,
    /// The origin of the non-uniform condition.
    pub origin: VaryingOrigin,
}

/// The origin of a value that may differ between invocations of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaryingOrigin {
    /// The kind of value.
    pub what: Varying,
    /// The span where it is read (empty for an entry point's argument).
    pub span: Span,
}

/// The origin of a value, if it may differ between invocations.
type Origin = Option<VaryingOrigin>;

/// An operation that WGSL requires to be uniform and that may not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonUniformOperation {
    /// The operation.
    pub span: Span,
    /// What has to be uniform.
    pub requires: UniformityRequirement,
    /// The branch or loop that the invocations may take differently.
    pub branch: Option<SiteId>,
    /// The origin of the non-uniform condition or operand.
    pub origin: VaryingOrigin,
}

/// Returns the operations for which compilers based on Tint reject the module, in the order of their spans: those reachable from
/// an entry point, and those in functions that are not called.
pub fn non_uniform_operations(program: &Program, entry: usize) -> Vec<NonUniformOperation> {
    let mut analysis = Contexts { is_of_wgsl: true, ..Contexts::new(program) };
    analysis.entry(entry);
    let module = &program.module;
    let called = program.calls.reachable((0..module.entry_points.len()).map(FunctionId::Entry));
    for id in FunctionId::all(module).filter(|id| !called.contains(id)) {
        let arguments = vec![None; id.get(module).arguments.len()];
        analysis.call(id, arguments, None);
    }
    analysis.operations.into_values().collect()
}

/// Returns the barriers reachable from an entry point that may be in non-uniform control flow, ordered by site.
pub fn non_uniform_barriers(program: &Program, entry: usize) -> Vec<NonUniformBarrier> {
    analyze(program, entry).found.into_values().collect()
}

/// The points reachable from an entry point where control flow may be non-uniform, so that no barrier may be inserted.
#[derive(Clone, Debug, Default)]
pub struct NonUniformPoints {
    statements: FxHashMap<(FunctionId, StatementId), VaryingOrigin>,
    loop_ends: FxHashMap<(FunctionId, StatementId), VaryingOrigin>,
}

impl NonUniformPoints {
    /// Returns the origin of non-uniform control flow just before this statement, if it may be non-uniform.
    pub fn before_statement(&self, function: FunctionId, at: StatementId) -> Origin {
        self.statements.get(&(function, at)).copied()
    }

    /// Returns the origin of non-uniform control flow at the end of this loop's body, if it may be non-uniform.
    pub fn loop_end(&self, function: FunctionId, of: StatementId) -> Origin {
        self.loop_ends.get(&(function, of)).copied()
    }
}

/// Returns the points of an entry point where control flow may be non-uniform even if all invocations of a workgroup read the same
/// contents of the variable `read`. This is the case if barriers separate its reads from its writes.
pub fn non_uniform_points_if_shared(
    program: &Program,
    entry: usize,
    read: Handle<GlobalVariable>,
) -> NonUniformPoints {
    let mut analysis = Contexts { shared: Some(read), ..Contexts::new(program) };
    analysis.entry(entry);
    analysis.points
}

/// The non-uniform points of each entry point of a program. An entry point is analyzed on first use.
#[derive(Debug)]
pub struct NonUniformPointsByEntry<'a> {
    program: &'a Program,
    by_entry: Vec<OnceCell<NonUniformPoints>>,
}

impl<'a> NonUniformPointsByEntry<'a> {
    /// Creates the collection for a program, without analyzing it.
    pub fn new(program: &'a Program) -> Self {
        Self { program, by_entry: vec![OnceCell::new(); program.module.entry_points.len()] }
    }

    /// Returns the points reachable from this entry point.
    pub fn entry(&self, entry: usize) -> &NonUniformPoints {
        self.by_entry[entry].get_or_init(|| analyze(self.program, entry).points)
    }
}

fn analyze(program: &Program, entry: usize) -> Contexts<'_> {
    let mut analysis = Contexts::new(program);
    analysis.entry(entry);
    analysis
}

/// Returns the origin of an entry point's argument, if it is non-uniform. A struct of several built-ins counts as a
/// whole.
fn argument_origin(
    program: &Program,
    binding: Option<&naga::Binding>,
    ty: Handle<naga::Type>,
) -> Origin {
    match binding {
        Some(naga::Binding::BuiltIn(builtin)) => builtin_origin(*builtin),
        Some(naga::Binding::Location { .. }) => None,
        None => match &program.module.types[ty].inner {
            naga::TypeInner::Struct { members, .. } => members
                .iter()
                .find_map(|member| argument_origin(program, member.binding.as_ref(), member.ty)),
            _ => None,
        },
    }
}

fn builtin_origin(builtin: BuiltIn) -> Origin {
    let what = match builtin {
        BuiltIn::GlobalInvocationId => Varying::GlobalInvocationId,
        BuiltIn::LocalInvocationId => Varying::LocalInvocationId,
        BuiltIn::LocalInvocationIndex => Varying::LocalInvocationIndex,
        BuiltIn::SubgroupInvocationId => Varying::SubgroupInvocationId,
        BuiltIn::SubgroupId => Varying::SubgroupId,
        _ => return None,
    };
    Some(VaryingOrigin { what, span: Span::default() })
}

/// Why control flow is not uniform at a point.
#[derive(Clone, Copy)]
struct Cause {
    branch: Option<SiteId>,
    origin: VaryingOrigin,
}

/// Of two causes, the first that was found is kept.
impl JoinSemiLattice for Cause {
    fn join(&mut self, _: &Self) -> bool {
        false
    }
}

/// Of two origins, the first that was found is kept.
impl JoinSemiLattice for VaryingOrigin {
    fn join(&mut self, _: &Self) -> bool {
        false
    }
}

type Variables = FxHashMap<Handle<LocalVariable>, VaryingOrigin>;

/// The analysis of an entry point: what was found, and the calls that were analyzed.
struct Contexts<'a> {
    program: &'a Program,
    found: BTreeMap<SiteId, NonUniformBarrier>,
    operations: BTreeMap<(Span, UniformityRequirement), NonUniformOperation>,
    points: NonUniformPoints,
    /// Whether the analysis is WGSL's own, which accepts less: each load from a private variable is non-uniform, and
    /// so is all that follows a non-uniform `continue` in a loop.
    is_of_wgsl: bool,
    /// A variable in workgroup memory of which all invocations of a workgroup are assumed to read the same contents.
    shared: Option<Handle<GlobalVariable>>,
    /// Private variables, tracked flow-insensitively because they live across calls.
    privates: FxHashMap<Handle<GlobalVariable>, VaryingOrigin>,
    /// Summaries of calls by their context; a call in the same context is not analyzed again.
    seen_calls: FxHashMap<(FunctionId, Vec<bool>, bool), Summary>,
}

/// The effect of a call on the uniformity of its caller.
#[derive(Clone, Default)]
struct Summary {
    result: Origin,
    /// For each argument that is a pointer: the origin of a non-uniform value stored through it.
    stored: Vec<Origin>,
    /// The number of private variables that were known to be non-uniform when the summary was made.
    privates: usize,
}

impl<'a> Contexts<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            found: BTreeMap::new(),
            operations: BTreeMap::new(),
            points: NonUniformPoints::default(),
            is_of_wgsl: false,
            shared: None,
            privates: FxHashMap::default(),
            seen_calls: FxHashMap::default(),
        }
    }

    fn entry(&mut self, entry: usize) {
        let program = self.program;
        let id = FunctionId::Entry(entry);
        let arguments = id.get(&program.module).arguments.iter();
        let arguments =
            arguments.map(|of| argument_origin(program, of.binding.as_ref(), of.ty)).collect();
        self.call(id, arguments, None);
    }

    fn call(&mut self, id: FunctionId, arguments: Vec<Origin>, cause: Option<Cause>) -> Summary {
        let key = (id, arguments.iter().map(Option::is_some).collect(), cause.is_some());
        if let Some(summary) = self.seen_calls.get(&key)
            && summary.privates == self.privates.len()
        {
            return summary.clone();
        }
        let program = self.program;
        let function = id.get(&program.module);
        let stored = vec![None; arguments.len()];
        let mut walk = Walk {
            analysis: self,
            id,
            function,
            arguments,
            values: FxHashMap::default(),
            summary: Summary { stored, ..Summary::default() },
        };
        let body = program.body(id).statements_of(function);
        dataflow::solve(&mut walk, body.iter(), Variables::default(), cause);
        let mut summary = walk.summary;
        summary.privates = self.privates.len();
        self.seen_calls.insert(key, summary.clone());
        summary
    }
}

/// The analysis of one function in one context.
struct Walk<'w, 'a> {
    analysis: &'w mut Contexts<'a>,
    id: FunctionId,
    function: &'a Function,
    arguments: Vec<Origin>,
    values: FxHashMap<Handle<Expression>, Origin>,
    summary: Summary,
}

impl<'a> Analysis<'a> for Walk<'_, 'a> {
    /// The variables that may be non-uniform.
    type State = Variables;
    /// Why control flow may be non-uniform.
    type Cause = Option<Cause>;

    fn bottom(&self) -> Variables {
        Variables::default()
    }

    fn statement(
        &mut self,
        at: NumberedStatement<'a>,
        variables: &mut Variables,
        control: &Option<Cause>,
    ) {
        let id = at.id;
        let flow = control.map(|cause| cause.origin);
        if let Some(origin) = flow {
            self.analysis.points.statements.entry((self.id, id)).or_insert(origin);
        }
        match at.statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    let origin = self.evaluate(expression, variables);
                    self.values.insert(expression, origin);
                }
            }
            Statement::Return { value } => {
                let value = value.and_then(|value| self.value(value, variables));
                self.summary.result = self.summary.result.or(value).or(flow);
            }
            Statement::ControlBarrier(_) => self.barrier(id, *control),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.barrier(id, *control);
                let operand = self.value(*pointer, variables);
                let operand = operand.map(|origin| Cause { branch: None, origin });
                self.require(UniformityRequirement::Pointer, at.span.into(), operand);
                self.values.insert(*result, None);
            }
            Statement::Store { pointer, value } => {
                let origin = self.value(*value, variables);
                let origin = origin.or_else(|| self.value(*pointer, variables)).or(flow);
                self.store(*pointer, origin, variables);
            }
            Statement::Atomic { result: Some(result), .. } => {
                let origin = self.origin(Varying::Atomic, *result);
                self.values.insert(*result, Some(origin));
            }
            Statement::SubgroupBallot { result, .. }
            | Statement::SubgroupGather { result, .. }
            | Statement::SubgroupCollectiveOperation { result, .. } => {
                self.require(UniformityRequirement::Subgroup, at.span.into(), *control);
                let origin = self.origin(Varying::SubgroupOperation, *result);
                self.values.insert(*result, Some(origin));
            }
            Statement::Call { function, arguments, result } => {
                let given = arguments.iter().map(|&a| self.argument(a, variables)).collect();
                let summary = self.analysis.call(FunctionId::Helper(*function), given, *control);
                for (argument, stored) in arguments.iter().zip(&summary.stored) {
                    if stored.is_some() {
                        self.store(*argument, *stored, variables);
                    }
                }
                if let Some(result) = *result {
                    self.values.insert(result, summary.result);
                }
            }
            _ => {}
        }
    }

    /// WGSL's own analysis does not join the invocations that continued a loop with the others.
    fn reconverges_at_continuing(&self) -> bool {
        !self.analysis.is_of_wgsl
    }

    fn enter(
        &mut self,
        at: NumberedStatement<'a>,
        edge: Edge,
        _: &mut Variables,
        control: &Option<Cause>,
    ) {
        if let (Statement::Loop { .. }, Edge::Block(1), Some(cause)) = (at.statement, edge, control)
        {
            self.analysis.points.loop_ends.entry((self.id, at.id)).or_insert(cause.origin);
        }
    }

    fn cause(
        &mut self,
        at: NumberedStatement<'a>,
        condition: Handle<Expression>,
        variables: &Variables,
    ) -> Option<Cause> {
        let origin = self.value(condition, variables)?;
        Some(Cause { branch: self.analysis.program.sites.statement(self.id, at.id), origin })
    }
}

impl Walk<'_, '_> {
    /// Records an operation that has to be uniform, if there is a cause for which it may not be.
    fn require(&mut self, requires: UniformityRequirement, span: Span, cause: Option<Cause>) {
        let Some(Cause { branch, origin }) = cause else { return };
        let found = NonUniformOperation { span, requires, branch, origin };
        self.analysis.operations.entry((span, requires)).or_insert(found);
    }

    fn barrier(&mut self, at: StatementId, control: Option<Cause>) {
        let sites = &self.analysis.program.sites;
        let barrier = sites.barrier(self.id, at);
        let of_workgroup = |site: &SiteId| {
            sites.barrier_at(*site).is_some_and(|barrier| !barrier.is_subgroup_barrier())
        };
        if let (Some(cause), Some(barrier)) = (control, barrier.filter(of_workgroup)) {
            let found = NonUniformBarrier { barrier, branch: cause.branch, origin: cause.origin };
            self.analysis.found.entry(barrier).or_insert(found);
            let span = span_of(sites.get(barrier));
            self.require(UniformityRequirement::Barrier, span, control);
        }
    }

    fn space(&self, global: Handle<GlobalVariable>) -> AddressSpace {
        self.analysis.program.module.global_variables[global].space
    }

    fn store(&mut self, pointer: Handle<Expression>, origin: Origin, variables: &mut Variables) {
        let is_whole = matches!(self.function.expressions[pointer], Expression::LocalVariable(_));
        match (walk::root(self.function, pointer), origin) {
            (&Expression::LocalVariable(local), Some(origin)) => {
                variables.insert(local, origin);
            }
            // A uniform value replaces the whole variable.
            (Expression::LocalVariable(local), None) if is_whole => {
                variables.remove(local);
            }
            (&Expression::GlobalVariable(global), Some(origin))
                if self.space(global) == AddressSpace::Private =>
            {
                self.analysis.privates.entry(global).or_insert(origin);
            }
            (&Expression::FunctionArgument(index), Some(origin)) => {
                self.summary.stored[index as usize].get_or_insert(origin);
                self.arguments[index as usize].get_or_insert(origin);
            }
            _ => {}
        }
    }

    /// Returns the origin of an argument of a call; for a pointer, that of the contents of its variable.
    fn argument(&self, argument: Handle<Expression>, variables: &Variables) -> Origin {
        let held = match walk::root(self.function, argument) {
            Expression::LocalVariable(local) => variables.get(local).copied(),
            Expression::GlobalVariable(global)
                if self.analysis.is_of_wgsl && self.space(*global) == AddressSpace::Private =>
            {
                Some(self.origin(Varying::PrivateMemory, argument))
            }
            _ => None,
        };
        held.or_else(|| self.value(argument, variables))
    }

    fn origin(&self, what: Varying, at: Handle<Expression>) -> VaryingOrigin {
        VaryingOrigin { what, span: self.function.expressions.get_span(at).into() }
    }

    /// Returns the origin of an expression's value, as computed at its `Emit`, or computed now if it has none.
    fn value(&self, expression: Handle<Expression>, variables: &Variables) -> Origin {
        match self.values.get(&expression) {
            Some(&origin) => origin,
            None => self.evaluate(expression, variables),
        }
    }

    fn evaluate(&self, expression: Handle<Expression>, variables: &Variables) -> Origin {
        match self.function.expressions[expression] {
            Expression::FunctionArgument(index) => self.arguments[index as usize],
            Expression::Load { pointer } => self.load(expression, pointer, variables),
            Expression::ImageLoad { image, .. } if self.writable_image(image) => {
                Some(self.origin(Varying::Texture, expression))
            }
            ref other => {
                let mut origin = None;
                walk::operands(other, &mut |operand| {
                    origin = origin.or_else(|| self.value(operand, variables));
                });
                origin
            }
        }
    }

    fn load(
        &self,
        at: Handle<Expression>,
        pointer: Handle<Expression>,
        variables: &Variables,
    ) -> Origin {
        let through_index = self.value(pointer, variables);
        through_index.or_else(|| match *walk::root(self.function, pointer) {
            Expression::LocalVariable(local) => variables.get(&local).copied(),
            Expression::GlobalVariable(global) => match self.space(global) {
                AddressSpace::Private if self.analysis.is_of_wgsl => {
                    Some(self.origin(Varying::PrivateMemory, at))
                }
                AddressSpace::Private => self.analysis.privates.get(&global).copied(),
                AddressSpace::WorkGroup if self.analysis.shared == Some(global) => None,
                AddressSpace::WorkGroup => Some(self.origin(Varying::WorkgroupMemory, at)),
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                    Some(self.origin(Varying::StorageMemory, at))
                }
                _ => None,
            },
            _ => None,
        })
    }

    fn writable_image(&self, image: Handle<Expression>) -> bool {
        let Expression::GlobalVariable(global) = self.function.expressions[image] else {
            return false;
        };
        let module = &self.analysis.program.module;
        is_writable(module, &module.global_variables[global])
    }
}

#[cfg(test)]
mod tests;
