//! Propagates marks through the functions of a program.

use super::{Flow, Marks, SiteMarks, Sources, loop_exits};
use crate::ir::body::BranchKind;
use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::walk::{self, FunctionId, Numbered, StatementId, Statements};
use crate::program::Program;
use crate::source_map::Span;
use naga::{AddressSpace, Expression, Function, GlobalVariable, Handle, LocalVariable, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// Propagates `sources` through the functions `reached` until nothing changes.
pub(super) fn fixpoint(program: &Program, reached: &[FunctionId], sources: &Sources) -> Flow {
    let mut analysis = Analysis {
        program,
        sources,
        globals: sources.globals.clone(),
        locals: FxHashMap::default(),
        results: FxHashMap::default(),
        functions: FxHashMap::default(),
        operators: match sources.by_logic {
            true => reached.iter().flat_map(|&id| operators(program, id)).collect(),
            false => FxHashSet::default(),
        },
        found: Flow {
            sites: vec![SiteMarks::default(); program.sites.list.len()],
            ..Flow::default()
        },
        changed: true,
    };
    while std::mem::take(&mut analysis.changed) {
        reached.iter().for_each(|&function| analysis.function(function));
    }
    analysis.found
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

/// What a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Global(Handle<GlobalVariable>),
    Local(Handle<LocalVariable>),
    Argument(u32),
    Unknown,
}

/// The summary of a helper function, joined over its callers.
#[derive(Clone, Default)]
struct Summary {
    /// The marks of its arguments; for a pointer, those of the address.
    arguments: Vec<Marks>,
    /// The marks of what its arguments point to.
    pointees: Vec<Marks>,
    /// What its being called depends on.
    control: Marks,
    /// The marks of the returned value.
    result: Marks,
}

struct Analysis<'a> {
    program: &'a Program,
    sources: &'a Sources,
    globals: FxHashMap<Handle<GlobalVariable>, Marks>,
    locals: FxHashMap<(FunctionId, Handle<LocalVariable>), Marks>,
    /// The marks of results that statements produce (atomics, subgroup operations …).
    results: FxHashMap<(FunctionId, Handle<Expression>), Marks>,
    functions: FxHashMap<FunctionId, Summary>,
    /// The `if` statements that implement operators, if they propagate marks.
    operators: FxHashSet<(FunctionId, StatementId)>,
    found: Flow,
    changed: bool,
}

/// Adds `marks` to `place`, and sets `changed` if any was new.
fn join(place: &mut Marks, marks: Marks, changed: &mut bool) {
    let joined = *place | marks;
    *changed |= joined != *place;
    *place = joined;
}

impl Analysis<'_> {
    fn function(&mut self, id: FunctionId) {
        let program = self.program;
        let function = id.get(&program.module);
        let summary = self.functions.entry(id).or_default();
        summary.arguments.resize(function.arguments.len(), Marks::NONE);
        summary.pointees.resize(function.arguments.len(), Marks::NONE);
        let control = summary.control;
        let mut walk =
            Walk { analysis: self, id, function, values: Vec::new(), logic: Marks::NONE };
        walk.evaluate();
        walk.block(program.body(id).numbered(function), control);
    }
}

/// The marks of the conditions under which control leaves a block early.
#[derive(Clone, Copy, Default)]
struct EarlyExits {
    returned: Marks,
    broke: Marks,
    continued: Marks,
}

impl EarlyExits {
    fn any_way(self) -> Marks {
        self.returned | self.broke | self.continued
    }

    fn join(&mut self, other: Self) {
        self.returned |= other.returned;
        self.broke |= other.broke;
        self.continued |= other.continued;
    }
}

/// One pass over a function.
struct Walk<'w, 'a> {
    analysis: &'w mut Analysis<'a>,
    id: FunctionId,
    function: &'a Function,
    /// The marks of each expression's value, by index.
    values: Vec<Marks>,
    /// The marks of the left operands of the `&&` and `||` that enclose the statement.
    logic: Marks,
}

impl Walk<'_, '_> {
    /// Computes the marks of every expression from those of variables so far. An expression refers only to earlier
    /// ones.
    fn evaluate(&mut self) {
        for (handle, expression) in self.function.expressions.iter() {
            let mut value = match *expression {
                Expression::FunctionArgument(index) => {
                    self.summary().arguments.get(index as usize).copied().unwrap_or_default()
                }
                Expression::Load { pointer } => {
                    self.content(self.root(pointer)) | self.read(handle)
                }
                Expression::ImageLoad { image, .. } => {
                    self.content(self.root(image)) | self.read(handle)
                }
                Expression::ImageSample { image, .. } => self.content(self.root(image)),
                Expression::CallResult(callee) => {
                    let callee = self.analysis.functions.get(&FunctionId::Helper(callee));
                    callee.map_or(Marks::NONE, |summary| summary.result)
                }
                Expression::ArrayLength(pointer) => self.size(self.root(pointer)),
                Expression::ImageQuery { image, .. } => self.size(self.root(image)),
                _ => self.analysis.results.get(&(self.id, handle)).copied().unwrap_or_default(),
            };
            walk::operands(expression, &mut |operand| value |= self.value(operand));
            self.values.push(value);
        }
    }

    fn value(&self, expression: Handle<Expression>) -> Marks {
        self.values.get(expression.index()).copied().unwrap_or_default()
    }

    /// Returns the source marks of the load `expression`, independently of the memory's marks.
    fn read(&self, expression: Handle<Expression>) -> Marks {
        self.read_at(self.analysis.program.sites.load(self.id, expression))
    }

    fn read_at(&self, site: Option<SiteId>) -> Marks {
        let reads = &self.analysis.sources.reads;
        site.and_then(|site| reads.get(&site)).copied().unwrap_or_default()
    }

    fn summary(&mut self) -> &mut Summary {
        self.analysis.functions.entry(self.id).or_default()
    }

    fn root(&self, pointer: Handle<Expression>) -> Root {
        match *walk::root(self.function, pointer) {
            Expression::GlobalVariable(global) => Root::Global(global),
            Expression::LocalVariable(local) => Root::Local(local),
            Expression::FunctionArgument(index) => Root::Argument(index),
            _ => Root::Unknown,
        }
    }

    fn content(&mut self, root: Root) -> Marks {
        match root {
            Root::Global(global) => {
                let space = self.analysis.program.module.global_variables[global].space;
                if self.analysis.sources.not_through_shared && space != AddressSpace::Private {
                    return Marks::NONE;
                }
                self.analysis.globals.get(&global).copied()
            }
            Root::Local(local) => self.analysis.locals.get(&(self.id, local)).copied(),
            Root::Argument(index) => self.summary().pointees.get(index as usize).copied(),
            Root::Unknown => None,
        }
        .unwrap_or_default()
    }

    fn size(&self, root: Root) -> Marks {
        match root {
            Root::Global(global) => {
                self.analysis.sources.sizes.get(&global).copied().unwrap_or_default()
            }
            Root::Local(_) | Root::Argument(_) | Root::Unknown => Marks::NONE,
        }
    }

    /// Adds `marks` to the contents of `root`.
    fn mark(&mut self, root: Root, marks: Marks) {
        let Analysis { globals, locals, functions, changed, .. } = &mut *self.analysis;
        let place = match root {
            Root::Global(global) => globals.entry(global).or_default(),
            Root::Local(local) => locals.entry((self.id, local)).or_default(),
            Root::Argument(index) => {
                match functions.entry(self.id).or_default().pointees.get_mut(index as usize) {
                    Some(place) => place,
                    None => return,
                }
            }
            Root::Unknown => return,
        };
        join(place, marks, changed);
    }

    fn result(&mut self, result: Handle<Expression>, marks: Marks) {
        let place = self.analysis.results.entry((self.id, result)).or_default();
        join(place, marks, &mut self.analysis.changed);
    }

    fn site(&mut self, site: Option<SiteId>, address: Marks, control: Marks) {
        if let Some(taint) =
            site.and_then(|site| self.analysis.found.sites.get_mut(site.0 as usize))
        {
            taint.address |= address;
            taint.control |= control;
        }
    }

    fn span(&mut self, span: Span, address: Marks, control: Marks) {
        let taint = self.analysis.found.spans.entry(span).or_default();
        taint.address |= address;
        taint.control |= control;
    }

    fn block(&mut self, statements: Statements<'_>, control: Marks) -> EarlyExits {
        let mut left = EarlyExits::default();
        for at in statements.iter() {
            let control = control | left.any_way();
            if let Statement::Store { pointer, .. } = *at.statement {
                self.span(at.span.into(), self.value(pointer), control);
            }
            left.join(self.statement(at, control));
        }
        left
    }

    fn blocks(&mut self, of: Numbered<'_>, control: Marks) -> EarlyExits {
        let mut left = EarlyExits::default();
        for block in of.blocks() {
            left.join(self.block(block, control));
        }
        left
    }

    fn statement(&mut self, at: Numbered<'_>, control: Marks) -> EarlyExits {
        let sites = &self.analysis.program.sites;
        let site = sites.statement(self.id, at.id);
        let barrier = sites.barrier(self.id, at.id);
        self.site(barrier, Marks::NONE, control);
        if !matches!(site.and_then(|s| sites.get(s)).map(|s| &s.kind), Some(SiteKind::Access(_))) {
            self.site(site, Marks::NONE, control);
        }
        let assigned = control & self.analysis.sources.by_control | self.logic;
        match *at.statement {
            Statement::Emit(ref range) => {
                for expression in range.clone() {
                    self.load(expression, control);
                    self.indexed(expression);
                }
            }
            Statement::Block(_) => return self.blocks(at, control),
            Statement::If { condition: by, .. } => {
                let by = self.value(by);
                let outside = self.logic;
                if self.analysis.operators.contains(&(self.id, at.id)) {
                    self.logic |= by;
                }
                let left = self.blocks(at, control | by);
                self.logic = outside;
                return left;
            }
            Statement::Switch { selector: by, .. } => {
                let left = self.blocks(at, control | self.value(by));
                return EarlyExits { broke: Marks::NONE, ..left };
            }
            Statement::Loop { break_if, .. } => return self.repeat(at, break_if, site, control),
            Statement::Break => return EarlyExits { broke: control, ..EarlyExits::default() },
            Statement::Continue => {
                return EarlyExits { continued: control, ..EarlyExits::default() };
            }
            Statement::Kill => return EarlyExits { returned: control, ..EarlyExits::default() },
            Statement::Return { value } => {
                let value = value.map_or(Marks::NONE, |value| self.value(value));
                let mut result = self.summary().result;
                join(&mut result, value | assigned, &mut self.analysis.changed);
                self.summary().result = result;
                return EarlyExits { returned: control, ..EarlyExits::default() };
            }
            Statement::Store { pointer, value } => {
                let address = self.value(pointer);
                self.site(site, address, control);
                let value = self.value(value) | assigned;
                if let Some(site) = site {
                    *self.analysis.found.stored.entry(site).or_default() |= value;
                }
                self.mark(self.root(pointer), address | value);
            }
            Statement::Atomic { pointer, ref fun, value, result } => {
                let address = self.value(pointer);
                self.site(site, address, control);
                let mut stored = address | self.value(value) | assigned;
                if let naga::AtomicFunction::Exchange { compare: Some(compare) } = *fun {
                    stored |= self.value(compare);
                }
                let root = self.root(pointer);
                self.mark(root, stored);
                if let Some(result) = result {
                    let held = self.content(root) | self.read_at(site);
                    self.result(result, held | stored);
                }
            }
            Statement::ImageStore { image, coordinate, array_index, value }
            | Statement::ImageAtomic { image, coordinate, array_index, value, .. } => {
                let layer = array_index.map_or(Marks::NONE, |index| self.value(index));
                let index = self.value(coordinate) | layer;
                let address = self.value(image) | index;
                self.site(site, address, control);
                self.index(at.span.into(), index);
                self.mark(self.root(image), address | self.value(value) | assigned);
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let address = self.value(pointer);
                self.site(site, address, control);
                let held = self.content(self.root(pointer)) | self.read_at(site);
                self.result(result, address | held);
            }
            Statement::SubgroupBallot { result, predicate } => {
                let given = predicate.map_or(Marks::NONE, |predicate| self.value(predicate));
                self.result(result, given | assigned);
            }
            Statement::SubgroupGather { mode, argument, result } => {
                let lane = gather_index(&mode).map_or(Marks::NONE, |index| self.value(index));
                let given = lane | self.value(argument);
                self.result(result, given | assigned);
            }
            Statement::SubgroupCollectiveOperation { argument, result, .. } => {
                let given = self.value(argument);
                self.result(result, given | assigned);
            }
            Statement::Call { function, ref arguments, .. } => {
                self.call(FunctionId::Helper(function), arguments, control);
            }
            Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_)
            | Statement::RayQuery { .. }
            | Statement::RayPipelineFunction(_)
            | Statement::CooperativeStore { .. } => {}
        }
        EarlyExits::default()
    }

    fn load(&mut self, expression: Handle<Expression>, control: Marks) {
        if let Some((_, span)) = self.analysis.program.sites.claim(self.id, expression) {
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
                let layer = array_index.map_or(Marks::NONE, |index| self.value(index));
                self.value(image) | self.value(coordinate) | layer
            }
            _ => return,
        };
        let site = self.analysis.program.sites.load(self.id, expression);
        self.site(site, address, control);
    }

    /// Records the marks of the index of an expression.
    fn indexed(&mut self, expression: Handle<Expression>) {
        let index = match self.function.expressions[expression] {
            Expression::Access { index, .. } => self.value(index),
            Expression::ImageLoad { coordinate, array_index, .. } => {
                let layer = array_index.map_or(Marks::NONE, |index| self.value(index));
                self.value(coordinate) | layer
            }
            _ => return,
        };
        self.index(self.function.expressions.get_span(expression).into(), index);
    }

    fn index(&mut self, span: Span, index: Marks) {
        if index.any() {
            *self.analysis.found.indices.entry(span).or_default() |= index;
        }
    }

    /// Walks a loop: whether its body runs again depends on every condition that can end it.
    fn repeat(
        &mut self,
        of: Numbered<'_>,
        break_if: Option<Handle<Expression>>,
        site: Option<SiteId>,
        outside: Marks,
    ) -> EarlyExits {
        let [body, continuing] = of.blocks()[..] else { return EarlyExits::default() };
        if let Some(site) = site {
            let by = |condition| self.value(condition);
            let ends = break_if.map_or(Marks::NONE, by) | loop_exits::exit_marks(body.block(), &by);
            *self.analysis.found.ends.entry(site).or_default() |= ends;
        }
        let mut control = outside | break_if.map_or(Marks::NONE, |condition| self.value(condition));
        loop {
            let mut left = self.block(body, control);
            left.continued = Marks::NONE;
            left.join(self.block(continuing, control | left.any_way()));
            let widened = control | left.any_way();
            if widened == control {
                self.site(site, Marks::NONE, control);
                return EarlyExits { returned: left.returned, ..EarlyExits::default() };
            }
            control = widened;
        }
    }

    fn call(&mut self, callee: FunctionId, arguments: &[Handle<Expression>], control: Marks) {
        for (index, &argument) in arguments.iter().enumerate() {
            let root = self.root(argument);
            let (value, held) = (self.value(argument), self.content(root));
            let summary = self.analysis.functions.entry(callee).or_default();
            let length = summary.arguments.len().max(arguments.len());
            summary.arguments.resize(length, Marks::NONE);
            summary.pointees.resize(length, Marks::NONE);
            join(&mut summary.arguments[index], value, &mut self.analysis.changed);
            join(&mut summary.pointees[index], held, &mut self.analysis.changed);
            let back = summary.pointees[index];
            self.mark(root, back);
        }
        let summary = self.analysis.functions.entry(callee).or_default();
        join(&mut summary.control, control, &mut self.analysis.changed);
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
