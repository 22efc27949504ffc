//! Uniformity analysis: finds barriers in control flow that may not be uniform over the workgroup.
//!
//! WGSL requires uniform control flow at a barrier. Compilers based on Tint reject what they cannot prove uniform; naga
//! accepts it. This analysis follows the specification's rules ("Uniformity") as far as they concern barriers in
//! compute shaders: a flow-sensitive walk over naga's structured statements, with a fixpoint for loops, in the context
//! of each call.
//!
//! Non-uniform values are: the ids of an invocation within its workgroup, loads from writable memory, results of
//! atomics and subgroup operations, values computed from those, and variables that are stored to under control flow
//! that depends on non-uniform values. Variables are tracked as wholes. A reported barrier need not diverge in any run:
//! the condition may always have the same value.

use crate::facts::Varying;
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId, Numbered, StatementId, Statements};
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

/// Returns the barriers reachable from an entry point that may be in non-uniform control flow, ordered by site.
pub fn non_uniform_barriers(program: &Program, entry: usize) -> Vec<NonUniformBarrier> {
    analyse(program, entry).found.into_values().collect()
}

/// The points reachable from an entry point where control flow may be non-uniform, so that no barrier may be inserted.
#[derive(Clone, Debug, Default)]
pub struct NonUniformPoints {
    statements: FxHashMap<(FunctionId, StatementId), VaryingOrigin>,
    loop_ends: FxHashMap<(FunctionId, StatementId), VaryingOrigin>,
}

impl NonUniformPoints {
    /// Returns the origin of non-uniform control flow just before this statement, if it may be non-uniform.
    pub fn before(&self, function: FunctionId, at: StatementId) -> Option<VaryingOrigin> {
        self.statements.get(&(function, at)).copied()
    }

    /// Returns the origin of non-uniform control flow at the end of this loop's body, if it may be non-uniform.
    pub fn loop_end(&self, function: FunctionId, of: StatementId) -> Option<VaryingOrigin> {
        self.loop_ends.get(&(function, of)).copied()
    }
}

/// The non-uniform points of each entry point of a program. An entry point is analysed on first use.
#[derive(Debug)]
pub struct NonUniformPointsByEntry<'a> {
    program: &'a Program,
    by_entry: Vec<OnceCell<NonUniformPoints>>,
}

impl<'a> NonUniformPointsByEntry<'a> {
    /// Creates the collection for a program, without analysing it.
    pub fn new(program: &'a Program) -> Self {
        Self { program, by_entry: vec![OnceCell::new(); program.module.entry_points.len()] }
    }

    /// Returns the points reachable from this entry point.
    pub fn entry(&self, entry: usize) -> &NonUniformPoints {
        self.by_entry[entry].get_or_init(|| analyse(self.program, entry).points)
    }
}

fn analyse(program: &Program, entry: usize) -> Analysis<'_> {
    let mut analysis = Analysis {
        program,
        found: BTreeMap::new(),
        points: NonUniformPoints::default(),
        privates: FxHashMap::default(),
        seen_calls: FxHashMap::default(),
    };
    let id = FunctionId::Entry(entry);
    let function = id.get(&program.module);
    let arguments = function
        .arguments
        .iter()
        .map(|argument| argument_origin(program, argument.binding.as_ref(), argument.ty));
    let arguments = arguments.collect();
    analysis.call(id, arguments, None);
    analysis
}

/// Returns the origin of an entry point's argument, if it is non-uniform. A struct of several built-ins counts as a
/// whole.
fn argument_origin(
    program: &Program,
    binding: Option<&naga::Binding>,
    ty: Handle<naga::Type>,
) -> Option<VaryingOrigin> {
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

fn builtin_origin(builtin: BuiltIn) -> Option<VaryingOrigin> {
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

/// A variable of the function, or a private one of the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Local(Handle<LocalVariable>),
    Private(Handle<GlobalVariable>),
}

/// Why control flow is not uniform at a point.
#[derive(Clone, Copy, PartialEq)]
struct Cause {
    branch: Option<SiteId>,
    origin: VaryingOrigin,
}

/// Control flow at a point. Each `Some` means that some invocations of the workgroup may not have arrived there.
#[derive(Clone, Copy, Default, PartialEq)]
struct Flow {
    /// The point is in a branch that only some invocations took.
    branch: Option<Cause>,
    /// Some invocations have left the innermost loop or switch.
    broke: Option<Cause>,
    /// Some invocations have gone on to the loop's continuing block.
    continued: Option<Cause>,
    /// Some invocations have returned from the function.
    returned: Option<Cause>,
}

impl Flow {
    fn cause(self) -> Option<Cause> {
        self.branch.or(self.broke).or(self.continued).or(self.returned)
    }
}

type Variables = FxHashMap<Variable, VaryingOrigin>;

struct Analysis<'a> {
    program: &'a Program,
    found: BTreeMap<SiteId, NonUniformBarrier>,
    points: NonUniformPoints,
    /// Private variables, tracked flow-insensitively because they live across calls.
    privates: FxHashMap<Handle<GlobalVariable>, VaryingOrigin>,
    /// Summaries of calls by their context; a call in the same context is not analysed again.
    seen_calls: FxHashMap<(FunctionId, Vec<bool>, bool), Summary>,
}

/// The effect of a call on the uniformity of its caller.
#[derive(Clone, Default)]
struct Summary {
    result: Option<VaryingOrigin>,
    /// For each argument that is a pointer: the origin of a non-uniform value stored through it.
    stored: Vec<Option<VaryingOrigin>>,
    /// The number of private variables that were known to be non-uniform when the summary was made.
    privates: usize,
}

impl Analysis<'_> {
    fn call(
        &mut self,
        id: FunctionId,
        arguments: Vec<Option<VaryingOrigin>>,
        cause: Option<Cause>,
    ) -> Summary {
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
            variables: Variables::default(),
            flow: Flow { branch: cause, ..Flow::default() },
            summary: Summary { stored, ..Summary::default() },
        };
        walk.block(program.body(id).numbered(function));
        let mut summary = walk.summary;
        summary.privates = self.privates.len();
        self.seen_calls.insert(key, summary.clone());
        summary
    }
}

/// The walk over one function in one context.
struct Walk<'w, 'a> {
    analysis: &'w mut Analysis<'a>,
    id: FunctionId,
    function: &'a Function,
    arguments: Vec<Option<VaryingOrigin>>,
    values: FxHashMap<Handle<Expression>, Option<VaryingOrigin>>,
    variables: Variables,
    flow: Flow,
    summary: Summary,
}

impl Walk<'_, '_> {
    fn block(&mut self, statements: Statements<'_>) {
        for at in statements.iter() {
            self.statement(at);
        }
    }

    fn statement(&mut self, at: Numbered<'_>) {
        let id = at.id;
        if let Some(cause) = self.flow.cause() {
            self.analysis.points.statements.entry((self.id, id)).or_insert(cause.origin);
        }
        match at.statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    let origin = self.evaluate(expression);
                    self.values.insert(expression, origin);
                }
            }
            Statement::Block(_) => at.blocks().into_iter().for_each(|block| self.block(block)),
            Statement::If { condition, .. } => {
                let outer = self.enter_branch(*condition, id);
                let before = (self.variables.clone(), self.flow);
                let [accept, reject] = at.blocks()[..] else { return };
                self.block(accept);
                let after_accept = (
                    std::mem::replace(&mut self.variables, before.0),
                    std::mem::replace(&mut self.flow, before.1),
                );
                self.block(reject);
                self.join(after_accept);
                self.flow.branch = outer;
            }
            Statement::Switch { selector, .. } => {
                let outer = self.enter_branch(*selector, id);
                let outer_broke = self.flow.broke.take();
                let before = (self.variables.clone(), self.flow);
                for case in at.blocks() {
                    // A case is entered from the head, or by falling through from the one before.
                    self.join(before.clone());
                    self.block(case);
                }
                self.flow.branch = outer;
                self.flow.broke = outer_broke;
            }
            Statement::Loop { break_if, .. } => {
                let [body, continuing] = at.blocks()[..] else { return };
                let outer = self.flow;
                self.flow.broke = None;
                self.flow.continued = None;
                loop {
                    let before = (self.variables.clone(), self.flow);
                    self.block(body);
                    if let Some(cause) = self.flow.cause() {
                        self.analysis.points.loop_ends.entry((self.id, id)).or_insert(cause.origin);
                    }
                    self.flow.continued = None;
                    self.block(continuing);
                    if let Some(condition) = *break_if {
                        let branch = self.flow.branch;
                        self.enter_branch(condition, id);
                        self.flow.broke = self.flow.cause();
                        self.flow.branch = branch;
                    }
                    self.join(before.clone());
                    if (&self.variables, self.flow) == (&before.0, before.1) {
                        break;
                    }
                }
                // Invocations that left the loop reconverge after it; those that returned do not.
                self.flow = Flow { returned: self.flow.returned, ..outer };
            }
            Statement::Break => self.flow.broke = self.flow.cause(),
            Statement::Continue => self.flow.continued = self.flow.cause(),
            Statement::Return { value } => {
                let value = value.and_then(|value| self.value(value));
                let cause = self.flow.cause();
                self.summary.result =
                    self.summary.result.or(value).or(cause.map(|cause| cause.origin));
                self.flow.returned = cause;
            }
            Statement::ControlBarrier(_) => self.barrier(id),
            Statement::WorkGroupUniformLoad { result, .. } => {
                self.barrier(id);
                self.values.insert(*result, None);
            }
            Statement::Store { pointer, value } => {
                let origin = self
                    .value(*value)
                    .or_else(|| self.value(*pointer))
                    .or(self.flow.cause().map(|cause| cause.origin));
                self.store(*pointer, origin);
            }
            Statement::Atomic { result: Some(result), .. } => {
                let origin = self.origin(Varying::Atomic, *result);
                self.values.insert(*result, Some(origin));
            }
            Statement::SubgroupBallot { result, .. }
            | Statement::SubgroupGather { result, .. }
            | Statement::SubgroupCollectiveOperation { result, .. } => {
                let origin = self.origin(Varying::SubgroupOperation, *result);
                self.values.insert(*result, Some(origin));
            }
            Statement::Call { function, arguments, result } => {
                let given: Vec<_> = arguments.iter().map(|&a| self.argument(a)).collect();
                let cause = self.flow.cause();
                let summary = self.analysis.call(FunctionId::Helper(*function), given, cause);
                for (argument, stored) in arguments.iter().zip(&summary.stored) {
                    if stored.is_some() {
                        self.store(*argument, *stored);
                    }
                }
                if let Some(result) = *result {
                    self.values.insert(result, summary.result);
                }
            }
            _ => {}
        }
    }

    /// Records that control flow depends on `condition`. Returns the previous cause, to be restored after the branch.
    fn enter_branch(&mut self, condition: Handle<Expression>, at: StatementId) -> Option<Cause> {
        let outer = self.flow.branch;
        if let Some(origin) = self.value(condition) {
            let branch = self.analysis.program.sites.statement(self.id, at);
            self.flow.branch = outer.or(Some(Cause { branch, origin }));
        }
        outer
    }

    /// Merges the state of another path to this point.
    fn join(&mut self, (variables, flow): (Variables, Flow)) {
        for (variable, origin) in variables {
            self.variables.entry(variable).or_insert(origin);
        }
        self.flow.broke = self.flow.broke.or(flow.broke);
        self.flow.continued = self.flow.continued.or(flow.continued);
        self.flow.returned = self.flow.returned.or(flow.returned);
    }

    fn barrier(&mut self, at: StatementId) {
        let sites = &self.analysis.program.sites;
        let barrier = sites.barrier(self.id, at);
        let of_workgroup = |site: &SiteId| {
            sites.barrier_at(*site).is_some_and(|barrier| !barrier.is_subgroup_barrier())
        };
        if let (Some(cause), Some(barrier)) = (self.flow.cause(), barrier.filter(of_workgroup)) {
            let found = NonUniformBarrier { barrier, branch: cause.branch, origin: cause.origin };
            self.analysis.found.entry(barrier).or_insert(found);
        }
    }

    /// Returns the variable that a pointer points into, if it is tracked; otherwise the argument that it comes from, if
    /// any.
    fn root(&self, pointer: Handle<Expression>) -> Result<Variable, Option<u32>> {
        match *walk::root(self.function, pointer) {
            Expression::LocalVariable(local) => Ok(Variable::Local(local)),
            Expression::GlobalVariable(global) => Ok(Variable::Private(global)),
            Expression::FunctionArgument(index) => Err(Some(index)),
            _ => Err(None),
        }
    }

    fn store(&mut self, pointer: Handle<Expression>, origin: Option<VaryingOrigin>) {
        let is_variable =
            matches!(self.function.expressions[pointer], Expression::LocalVariable(_));
        match (self.root(pointer), origin) {
            (Ok(Variable::Private(global)), Some(origin)) => {
                let space = self.analysis.program.module.global_variables[global].space;
                if space == AddressSpace::Private {
                    self.analysis.privates.entry(global).or_insert(origin);
                }
            }
            (Ok(variable), Some(origin)) => {
                self.variables.insert(variable, origin);
            }
            // A uniform value replaces the whole variable.
            (Ok(variable), None) if is_variable => {
                self.variables.remove(&variable);
            }
            (Err(Some(index)), Some(origin)) => {
                let index = index as usize;
                self.summary.stored[index] = self.summary.stored[index].or(Some(origin));
                self.arguments[index] = self.arguments[index].or(Some(origin));
            }
            _ => {}
        }
    }

    /// Returns the origin of an argument of a call; for a pointer, that of the contents of its variable.
    fn argument(&self, argument: Handle<Expression>) -> Option<VaryingOrigin> {
        match self.root(argument) {
            Ok(variable @ Variable::Local(_)) => {
                self.variables.get(&variable).copied().or_else(|| self.value(argument))
            }
            _ => self.value(argument),
        }
    }

    fn origin(&self, what: Varying, at: Handle<Expression>) -> VaryingOrigin {
        VaryingOrigin { what, span: self.function.expressions.get_span(at).into() }
    }

    /// Returns the origin of an expression's value, as computed at its `Emit`, or computed now if it has none.
    fn value(&self, expression: Handle<Expression>) -> Option<VaryingOrigin> {
        match self.values.get(&expression) {
            Some(&origin) => origin,
            None => self.evaluate(expression),
        }
    }

    fn evaluate(&self, expression: Handle<Expression>) -> Option<VaryingOrigin> {
        match self.function.expressions[expression] {
            Expression::FunctionArgument(index) => self.arguments[index as usize],
            Expression::Load { pointer } => self.load(expression, pointer),
            Expression::ImageLoad { image, .. } if self.writable_image(image) => {
                Some(self.origin(Varying::Texture, expression))
            }
            ref other => {
                let mut origin = None;
                walk::operands(other, &mut |operand| origin = origin.or(self.value(operand)));
                origin
            }
        }
    }

    fn load(&self, at: Handle<Expression>, pointer: Handle<Expression>) -> Option<VaryingOrigin> {
        let through_index = self.value(pointer);
        through_index.or_else(|| match self.root(pointer) {
            Ok(variable @ Variable::Local(_)) => self.variables.get(&variable).copied(),
            Ok(Variable::Private(global)) => {
                match self.analysis.program.module.global_variables[global].space {
                    AddressSpace::Private => self.analysis.privates.get(&global).copied(),
                    AddressSpace::WorkGroup => Some(self.origin(Varying::WorkgroupMemory, at)),
                    AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                        Some(self.origin(Varying::StorageMemory, at))
                    }
                    _ => None,
                }
            }
            Err(_) => None,
        })
    }

    fn writable_image(&self, image: Handle<Expression>) -> bool {
        let Expression::GlobalVariable(global) = self.function.expressions[image] else {
            return false;
        };
        let module = &self.analysis.program.module;
        matches!(
            module.types[module.global_variables[global].ty].inner,
            naga::TypeInner::Image { class: naga::ImageClass::Storage { access, .. }, .. }
                if access.contains(StorageAccess::STORE)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @group(0) @binding(1) var<uniform> n: u32;
        @group(0) @binding(2) var<storage, read> fixed: array<u32>;
        var<workgroup> tile: array<u32, 64>;
        var<private> mine: u32;
        fn sync() { workgroupBarrier(); }
        fn sync_if(on: bool) { if (on) { workgroupBarrier(); } }
        fn put(p: ptr<function, u32>, v: u32) { *p = v; }
        fn wait_some(v: u32) -> u32 { if (v > 3u) { return 1u; } return 2u; }
    ";

    /// Returns the origins of the non-uniform barriers in this body.
    fn origins(body: &str) -> Vec<&'static str> {
        let text = format!(
            "{HEAD}
            @compute @workgroup_size(64)
            fn main(
                @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>) {{ {body} }}"
        );
        let parsed = crate::front::wgsl::parse("test.wgsl", &text).expect("it parses");
        let program = Program::new(&parsed, &Default::default()).expect("it is valid");
        let found = non_uniform_barriers(&program, 0).into_iter();
        found.map(|found| crate::report::words::varying(found.origin.what)).collect()
    }

    #[test]
    fn uniform_control_flow_is_not_reported() {
        for body in [
            "workgroupBarrier();",
            "if (n > 3u) { workgroupBarrier(); }",
            "if (fixed[g.x] == 0u) { storageBarrier(); }",
            "if (l < 3u) { data[l] = 1u; } workgroupBarrier();",
            "for (var s = 32u; s > 0u; s /= 2u) { if (l < s) { tile[l] = 1u; } workgroupBarrier(); }",
            "for (var i = 0u; i < n; i++) { if (i == 7u) { break; } workgroupBarrier(); }",
            "for (var i = l; i < n; i += 64u) { data[i] = 1u; } workgroupBarrier();",
            "let v = workgroupUniformLoad(&tile[3]); if (v == 1u) { workgroupBarrier(); }",
            "var x = l; x = 3u; if (x == 3u) { workgroupBarrier(); }",
            "let w = wait_some(l); workgroupBarrier(); data[l] = w;",
            "if (n == 0u) { return; } workgroupBarrier();",
            "switch (n) { case 0u: { workgroupBarrier(); } default: { sync(); } }",
            "loop { workgroupBarrier(); if (l == 3u) { continue; } data[l] = 0u; continuing { break if n > 4u; } }",
            "sync_if(n > 2u);",
            "var x = 0u; put(&x, n); if (x == 3u) { workgroupBarrier(); }",
        ] {
            assert_eq!(origins(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn what_makes_control_flow_non_uniform_is_named() {
        for (body, what) in [
            ("if (l < 3u) { workgroupBarrier(); }", "local_invocation_index"),
            ("if (l > n) { return; } workgroupBarrier();", "local_invocation_index"),
            ("for (var i = 0u; i < l; i++) { workgroupBarrier(); }", "local_invocation_index"),
            (
                "for (var i = 0u; i < n; i++) { if (i == l) { break; } workgroupBarrier(); }",
                "local_invocation_index",
            ),
            (
                "for (var i = 0u; i < n; i++) { if (i == l) { continue; } storageBarrier(); }",
                "local_invocation_index",
            ),
            ("if (data[0] == 0u) { workgroupBarrier(); }", "a load from writable storage memory"),
            ("if (tile[0] == 0u) { workgroupBarrier(); }", "a load from workgroup memory"),
            ("if (fixed[l] == 0u) { workgroupBarrier(); }", "local_invocation_index"),
            (
                "var x = 1u; if (l == 0u) { x = 2u; } if (x == 2u) { workgroupBarrier(); }",
                "local_invocation_index",
            ),
            ("if (l == 0u) { sync(); }", "local_invocation_index"),
            ("sync_if(l == 0u);", "local_invocation_index"),
            ("if (wait_some(l) == 1u) { workgroupBarrier(); }", "local_invocation_index"),
            ("mine = l; if (mine == 3u) { workgroupBarrier(); }", "local_invocation_index"),
            (
                "var x = 0u; put(&x, l); if (x == 3u) { workgroupBarrier(); }",
                "local_invocation_index",
            ),
            (
                "if (l == 0u && n == 3u) { let v = workgroupUniformLoad(&tile[3]); }",
                "local_invocation_index",
            ),
            (
                "switch (l) { case 0u: { workgroupBarrier(); } default: {} }",
                "local_invocation_index",
            ),
        ] {
            assert_eq!(origins(body), [what], "{body}");
        }
    }
}
