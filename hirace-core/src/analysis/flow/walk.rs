//! Propagates marks through the functions of a program.

use super::{Flow, Marks, SiteMarks, Sources, loop_exits};
use crate::ir::body::BranchKind;
use crate::ir::built_ins::built_ins;
use crate::ir::dataflow::{self, Analysis, Edge, Facts, JoinSemiLattice};
use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::walk::{self, FunctionId, NumberedStatement, StatementId};
use crate::program::Program;
use crate::source_map::Span;
use naga::{
    AddressSpace, BuiltIn, Expression, Function, GlobalVariable, Handle, LocalVariable, Statement,
    TypeInner,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Propagates `sources` through the functions `reached` until nothing changes.
pub(super) fn fixpoint(program: &Program, reached: &[FunctionId], sources: &Sources) -> Flow {
    let mut facts = Facts::default();
    for (&global, &marks) in &sources.globals {
        let variable = Variable::Global(global);
        facts.join(Cell::Variable(variable), marks);
        facts.join(Cell::Whole(variable), marks);
    }
    let mut propagation = Propagation {
        program,
        sources,
        facts,
        operators: match sources.by_logic {
            true => reached.iter().flat_map(|&id| operators(program, id)).collect(),
            false => FxHashSet::default(),
        },
        found: Flow {
            sites: vec![SiteMarks::default(); program.sites.list.len()],
            ..Flow::default()
        },
    };
    loop {
        reached.iter().for_each(|&function| propagation.function(function));
        if !propagation.facts.take_changed() {
            return propagation.found;
        }
    }
}

/// Returns the statements of a function that implement `&&`, `||` or `select`.
fn operators(
    program: &Program,
    id: FunctionId,
) -> impl Iterator<Item = (FunctionId, StatementId)> + '_ {
    let is_operator = |kind| matches!(kind, BranchKind::And | BranchKind::Or | BranchKind::Select);
    let branches = program.bodies.branches_of(id);
    branches
        .filter(move |branch| is_operator(branch.kind))
        .map(move |branch| (id, branch.statement))
}

/// What carries marks, apart from expressions. Facts about functions are joined over their callers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Cell {
    /// All contents of a variable.
    Variable(Variable),
    /// What was written to a variable without choosing a field.
    Whole(Variable),
    /// What was written to a field of a variable, or to the fields of this index of its elements.
    Field(Variable, u32),
    /// An argument; for a pointer, its address.
    Argument(FunctionId, u32),
    /// The result of a statement (atomics, subgroup operations …).
    Result(FunctionId, Handle<Expression>),
    /// The returned value of a function.
    Returned(FunctionId),
    /// What the calls of a function depend on.
    Called(FunctionId),
}

/// What a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Global(Handle<GlobalVariable>),
    Local(FunctionId, Handle<LocalVariable>),
    /// What an argument points to.
    Pointee(FunctionId, u32),
}

impl JoinSemiLattice for Marks {
    fn join(&mut self, other: &Self) -> bool {
        let before = *self;
        *self |= *other;
        *self != before
    }
}

struct Propagation<'a> {
    program: &'a Program,
    sources: &'a Sources,
    facts: Facts<Cell, Marks>,
    /// The `if` statements that implement operators, if they propagate marks.
    operators: FxHashSet<(FunctionId, StatementId)>,
    found: Flow,
}

impl Propagation<'_> {
    fn function(&mut self, id: FunctionId) {
        let program = self.program;
        let function = id.get(&program.module);
        let called = self.facts.get(&Cell::Called(id));
        let (values, logic) = Default::default();
        let mut walk = Walk { propagation: self, id, function, values, logic };
        walk.evaluate();
        dataflow::solve(&mut walk, program.body(id).statements_of(function).iter(), (), called);
    }
}

/// One pass over a function.
struct Walk<'w, 'a> {
    propagation: &'w mut Propagation<'a>,
    id: FunctionId,
    function: &'a Function,
    /// The marks of each expression's value, by index.
    values: Vec<Marks>,
    /// The marks of the left operands of `&&` and `||`, by the statement that implements the operator.
    logic: FxHashMap<StatementId, Marks>,
}

impl Walk<'_, '_> {
    /// Computes the marks of every expression from those of variables so far. An expression refers only to earlier
    /// ones.
    fn evaluate(&mut self) {
        for (handle, expression) in self.function.expressions.iter() {
            if let Some(marks) = self.member_of_argument(expression) {
                self.values.push(marks);
                continue;
            }
            let facts = &self.propagation.facts;
            let mut value = match *expression {
                Expression::FunctionArgument(index) => {
                    facts.get(&Cell::Argument(self.id, index)) | self.built_in(index, None)
                }
                Expression::Load { pointer } => self.content(pointer) | self.read(handle),
                Expression::ImageLoad { image, .. } => self.content(image) | self.read(handle),
                Expression::ImageSample { image, .. } => self.content(image),
                Expression::CallResult(callee) => {
                    facts.get(&Cell::Returned(FunctionId::Helper(callee)))
                }
                Expression::ArrayLength(of) | Expression::ImageQuery { image: of, .. } => {
                    self.size(of)
                }
                _ => facts.get(&Cell::Result(self.id, handle)),
            };
            walk::operands(expression, &mut |operand| value |= self.value(operand));
            self.values.push(value);
        }
    }

    /// Returns the marks of an argument of an entry point, or of one of its members.
    fn built_in(&self, argument: u32, member: Option<u32>) -> Marks {
        let FunctionId::Entry(_) = self.id else { return Marks::NONE };
        let Some(argument) = self.function.arguments.get(argument as usize) else {
            return Marks::NONE;
        };
        let values = built_ins(&self.propagation.program.module, argument);
        let is_marked = values.into_iter().any(|(at, built_in)| {
            built_in == BuiltIn::NumWorkGroups && (member.is_none() || at == member)
        });
        if is_marked { self.propagation.sources.num_workgroups } else { Marks::NONE }
    }

    /// Returns the marks of a member of an argument of an entry point. Unlike other structs, its members have marks of their own.
    fn member_of_argument(&self, expression: &Expression) -> Option<Marks> {
        let Expression::AccessIndex { base, index } = *expression else { return None };
        let Expression::FunctionArgument(argument) = self.function.expressions[base] else {
            return None;
        };
        let ty = self.function.arguments.get(argument as usize)?.ty;
        let is_struct =
            matches!(self.propagation.program.module.types[ty].inner, TypeInner::Struct { .. });
        let is_of_entry = matches!(self.id, FunctionId::Entry(_));
        (is_of_entry && is_struct).then(|| self.built_in(argument, Some(index)))
    }

    fn value(&self, expression: Handle<Expression>) -> Marks {
        self.values.get(expression.index()).copied().unwrap_or_default()
    }

    fn value_of(&self, expression: Option<Handle<Expression>>) -> Marks {
        expression.map_or(Marks::NONE, |expression| self.value(expression))
    }

    /// Returns the source marks of the load `expression`, independently of the memory's marks.
    fn read(&self, expression: Handle<Expression>) -> Marks {
        self.read_at(self.propagation.program.sites.load(self.id, expression))
    }

    fn read_at(&self, site: Option<SiteId>) -> Marks {
        let reads = &self.propagation.sources.reads;
        site.and_then(|site| reads.get(&site)).copied().unwrap_or_default()
    }

    /// Returns the variable that a pointer points into, if it is known.
    fn root(&self, pointer: Handle<Expression>) -> Option<Variable> {
        match *walk::root(self.function, pointer) {
            Expression::GlobalVariable(global) => Some(Variable::Global(global)),
            Expression::LocalVariable(local) => Some(Variable::Local(self.id, local)),
            Expression::FunctionArgument(index) => Some(Variable::Pointee(self.id, index)),
            _ => None,
        }
    }

    /// Returns the index of the field that a pointer points into: the outermost one of its variable.
    fn field(&self, mut pointer: Handle<Expression>) -> Option<u32> {
        let program = self.propagation.program;
        let mut field = None;
        loop {
            pointer = match self.function.expressions[pointer] {
                Expression::AccessIndex { base, index } => {
                    let types = &program.module.types;
                    let inner = program.info_of(self.id)[base].ty.inner_with(types);
                    if let TypeInner::Pointer { base: held, .. } = *inner
                        && let TypeInner::Struct { .. } = types[held].inner
                    {
                        field = Some(index);
                    }
                    base
                }
                Expression::Access { base, .. } => base,
                _ => return field,
            };
        }
    }

    /// Returns the global variable that a pointer points into, and the index of its member, if both are known.
    fn member(&self, mut pointer: Handle<Expression>) -> Option<(Handle<GlobalVariable>, u32)> {
        loop {
            pointer = match self.function.expressions[pointer] {
                Expression::AccessIndex { base, index } => {
                    if let Expression::GlobalVariable(global) = self.function.expressions[base] {
                        return Some((global, index));
                    }
                    base
                }
                Expression::Access { base, .. } => base,
                _ => return None,
            };
        }
    }

    /// Returns the marks of what a pointer points to.
    fn content(&self, pointer: Handle<Expression>) -> Marks {
        let Some(root) = self.root(pointer) else { return Marks::NONE };
        let member = self.member(pointer);
        if member.is_some_and(|it| self.propagation.sources.unmarked_members.contains(&it)) {
            return Marks::NONE;
        }
        if let Variable::Global(global) = root
            && self.propagation.sources.not_through_shared
            && self.propagation.program.module.global_variables[global].space
                != AddressSpace::Private
        {
            return Marks::NONE;
        }
        let facts = &self.propagation.facts;
        match self.field(pointer) {
            Some(field) => facts.get(&Cell::Whole(root)) | facts.get(&Cell::Field(root, field)),
            None => facts.get(&Cell::Variable(root)),
        }
    }

    fn size(&self, pointer: Handle<Expression>) -> Marks {
        match self.root(pointer) {
            Some(Variable::Global(global)) => {
                self.propagation.sources.sizes.get(&global).copied().unwrap_or_default()
            }
            _ => Marks::NONE,
        }
    }

    /// Adds `marks` to what a pointer points to.
    fn mark(&mut self, pointer: Handle<Expression>, marks: Marks) {
        let Some(root) = self.root(pointer) else { return };
        let part = match self.field(pointer) {
            Some(field) => Cell::Field(root, field),
            None => Cell::Whole(root),
        };
        self.propagation.facts.join(part, marks);
        self.propagation.facts.join(Cell::Variable(root), marks);
    }

    fn result(&mut self, result: Handle<Expression>, marks: Marks) {
        self.propagation.facts.join(Cell::Result(self.id, result), marks);
    }

    fn site(&mut self, site: Option<SiteId>, address: Marks, control: Marks) {
        if let Some(taint) =
            site.and_then(|site| self.propagation.found.sites.get_mut(site.0 as usize))
        {
            taint.address |= address;
            taint.control |= control;
        }
    }

    fn span(&mut self, span: Span, address: Marks, control: Marks) {
        let taint = self.propagation.found.spans.entry(span).or_default();
        taint.address |= address;
        taint.control |= control;
    }

    /// Returns the marks of the left operands of the `&&` and `||` that enclose a statement.
    fn logic_around(&self, at: StatementId) -> Marks {
        if self.logic.is_empty() {
            return Marks::NONE;
        }
        let around = self.propagation.program.body(self.id).self_and_ancestors(at).skip(1);
        let marks = around.filter_map(|outer| self.logic.get(&outer));
        marks.fold(Marks::NONE, |all, &marks| all | marks)
    }
}

impl<'a> Analysis<'a> for Walk<'_, 'a> {
    type State = ();
    type Cause = Marks;

    fn bottom(&self) {}

    fn cause(&mut self, _: NumberedStatement<'a>, condition: Handle<Expression>, (): &()) -> Marks {
        self.value(condition)
    }

    fn enter(&mut self, at: NumberedStatement<'a>, edge: Edge, (): &mut (), &control: &Marks) {
        // Whether the body of a loop runs again depends on every condition that can end it.
        if let (Statement::Loop { .. }, Edge::Block(0)) = (at.statement, edge) {
            let site = self.propagation.program.sites.statement(self.id, at.id);
            self.site(site, Marks::NONE, control);
        }
    }

    fn statement(&mut self, at: NumberedStatement<'a>, (): &mut (), &control: &Marks) {
        let sites = &self.propagation.program.sites;
        let site = sites.statement(self.id, at.id);
        let barrier = sites.barrier(self.id, at.id);
        self.site(barrier, Marks::NONE, control);
        if !matches!(site.and_then(|s| sites.get(s)).map(|s| &s.kind), Some(SiteKind::Access(_))) {
            self.site(site, Marks::NONE, control);
        }
        let by_control = control & self.propagation.sources.by_control;
        let assigned = by_control | self.logic_around(at.id);
        match *at.statement {
            Statement::Emit(ref range) => {
                for expression in range.clone() {
                    self.load(expression, control);
                    self.indexed(expression);
                }
            }
            Statement::If { condition, .. }
                if self.propagation.operators.contains(&(self.id, at.id)) =>
            {
                self.logic.insert(at.id, self.value(condition));
            }
            Statement::Loop { ref body, break_if, .. } => {
                if let Some(site) = site {
                    let exits = loop_exits::exit_marks(body, &|condition| self.value(condition));
                    let ends = exits | self.value_of(break_if);
                    *self.propagation.found.ends.entry(site).or_default() |= ends;
                }
            }
            Statement::Return { value } => {
                let value = self.value_of(value) | assigned;
                self.propagation.facts.join(Cell::Returned(self.id), value);
            }
            Statement::Store { pointer, value } => {
                let address = self.value(pointer);
                self.span(at.span.into(), address, control);
                self.site(site, address, control);
                let value = self.value(value) | assigned;
                if let Some(site) = site {
                    *self.propagation.found.stored.entry(site).or_default() |= value;
                }
                self.mark(pointer, address | value);
            }
            Statement::Atomic { pointer, ref fun, value, result } => {
                let address = self.value(pointer);
                self.site(site, address, control);
                let mut stored = address | self.value(value) | assigned;
                if let naga::AtomicFunction::Exchange { compare: Some(compare) } = *fun {
                    stored |= self.value(compare);
                }
                self.mark(pointer, stored);
                if let Some(result) = result {
                    let held = self.content(pointer) | self.read_at(site);
                    self.result(result, held | stored);
                }
            }
            Statement::ImageStore { image, coordinate, array_index, value }
            | Statement::ImageAtomic { image, coordinate, array_index, value, .. } => {
                let index = self.value(coordinate) | self.value_of(array_index);
                let address = self.value(image) | index;
                self.site(site, address, control);
                self.index(at.span.into(), index);
                self.mark(image, address | self.value(value) | assigned);
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let address = self.value(pointer);
                self.site(site, address, control);
                let held = self.content(pointer) | self.read_at(site);
                self.result(result, address | held);
            }
            Statement::SubgroupBallot { result, predicate } => {
                self.result(result, self.value_of(predicate) | assigned);
            }
            Statement::SubgroupGather { mode, argument, result } => {
                let given = self.value_of(gather_index(&mode)) | self.value(argument);
                self.result(result, given | assigned);
            }
            Statement::SubgroupCollectiveOperation { argument, result, .. } => {
                let given = self.value(argument);
                self.result(result, given | assigned);
            }
            Statement::Call { function, ref arguments, .. } => {
                self.call(FunctionId::Helper(function), arguments, control);
            }
            _ => {}
        }
    }
}

impl Walk<'_, '_> {
    fn load(&mut self, expression: Handle<Expression>, control: Marks) {
        if let Some((_, span)) = self.propagation.program.sites.claim(self.id, expression) {
            self.span(span, self.value(expression), control);
        }
        if let Expression::Access { .. } | Expression::Load { .. } =
            self.function.expressions[expression]
        {
            let span = self.function.expressions.get_span(expression).into();
            self.span(span, self.value(expression), control);
        }
        let address = match self.function.expressions[expression] {
            Expression::Load { pointer } => self.value(pointer),
            Expression::ImageLoad { image, coordinate, array_index, .. } => {
                self.value(image) | self.value(coordinate) | self.value_of(array_index)
            }
            _ => return,
        };
        let site = self.propagation.program.sites.load(self.id, expression);
        self.site(site, address, control);
    }

    /// Records the marks of the index of an expression.
    fn indexed(&mut self, expression: Handle<Expression>) {
        let index = match self.function.expressions[expression] {
            Expression::Access { index, .. } => self.value(index),
            Expression::ImageLoad { coordinate, array_index, .. } => {
                self.value(coordinate) | self.value_of(array_index)
            }
            _ => return,
        };
        self.index(self.function.expressions.get_span(expression).into(), index);
    }

    fn index(&mut self, span: Span, index: Marks) {
        if index.has_any() {
            *self.propagation.found.indices.entry(span).or_default() |= index;
        }
    }

    fn call(&mut self, callee: FunctionId, arguments: &[Handle<Expression>], control: Marks) {
        for (index, &argument) in (0..).zip(arguments) {
            let (value, held) = (self.value(argument), self.content(argument));
            let (facts, pointee) = (&mut self.propagation.facts, Variable::Pointee(callee, index));
            facts.join(Cell::Argument(callee, index), value);
            facts.join(Cell::Variable(pointee), held);
            facts.join(Cell::Whole(pointee), held);
            let back = facts.get(&Cell::Variable(pointee));
            self.mark(argument, back);
        }
        self.propagation.facts.join(Cell::Called(callee), control);
    }
}

/// Returns the expression of the lane that a gather reads, if it is computed.
fn gather_index(mode: &naga::GatherMode) -> Option<Handle<Expression>> {
    use naga::GatherMode;
    match *mode {
        GatherMode::Broadcast(index)
        | GatherMode::Shuffle(index)
        | GatherMode::ShuffleDown(index)
        | GatherMode::ShuffleUp(index)
        | GatherMode::ShuffleXor(index)
        | GatherMode::QuadBroadcast(index) => Some(index),
        GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => None,
    }
}
