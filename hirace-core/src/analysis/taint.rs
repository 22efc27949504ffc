//! What hangs on a guess: which sites have an address, or control flow, that depends on contents
//! nobody gave.
//!
//! Two classes are told apart, because guards on them mean different things:
//! - *parameters* (uniforms and blocks like them): `if (i >= params.n) { return; }` is there so that
//!   some grid and some `n` fit each other. A kernel is run with values for which its code runs, so
//!   that *whether* a site runs may hang on parameters and a race there is still certain; *which*
//!   word it touches may not, since a guessed stride of 1 makes invocations overlap that never do.
//! - *contents* (storage buffers, textures): a branch or an index taken from data may be guarded by
//!   what a host puts there, so neither may hang on it.
//!
//! The analysis is flow-insensitive over variables taken as wholes, in any order of calls, to a
//! fixpoint. Values assigned under control flow that hangs on contents hang on them too; such that
//! are assigned under a guard on parameters do not, for the reason above (a loop counter of `for
//! (i = 0; i < params.n; i++)` takes the values it would take anyway). Guessed lengths of buffers and
//! sizes of textures count as parameters.

use crate::ir::globals::{Role, role};
use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::walk::{self, FunctionId};
use crate::launch::Launch;
use crate::program::Program;
use crate::source_map::Span;
use crate::vm::run::OutOfBounds;
use naga::{Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Statement};
use rustc_hash::FxHashMap;
use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A set of guesses that something hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guesses(u64);

impl Guesses {
    /// Nothing: it follows from the program and what was given.
    pub const NONE: Self = Self(0);

    /// The `index`-th thing guessed. Those past the 64th share a place, and are all named where one of
    /// them is meant.
    fn nth(index: usize) -> Self {
        Self(1 << index.min(63))
    }

    /// Whether there is any.
    pub fn any(self) -> bool {
        self != Self::NONE
    }
}

impl BitOr for Guesses {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Guesses {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOrAssign for Guesses {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What a site hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteTaint {
    /// What it touches (for accesses).
    pub address: Guesses,
    /// Whether it runs.
    pub control: Guesses,
}

/// What the sites of a program hang on, for one choice of guessed variables.
#[derive(Clone, Debug, Default)]
pub struct Taint {
    sites: Vec<SiteTaint>,
    /// Of what is no site and may be out of bounds: uses of private and function memory, by span.
    spans: FxHashMap<Span, SiteTaint>,
    /// What was guessed, of which variable, by its place in [`Guesses`].
    guessed: Vec<(Guessed, String)>,
    /// Those of them that are contents, not parameters.
    contents: Guesses,
}

impl Taint {
    /// What the sites reached from the entry points of `launch` hang on.
    pub fn of(program: &Program, launch: &Launch) -> Self {
        let entries: Vec<usize> = launch.dispatches.iter().map(|dispatch| dispatch.entry).collect();
        Self::new(program, &entries, &launch.guessed_contents, &launch.guessed_lengths)
    }

    /// What the sites reached from these entry points hang on, where `contents` says for each global
    /// variable by index whether its contents were guessed, and `lengths` whether its length was.
    fn new(program: &Program, entries: &[usize], contents: &[bool], lengths: &[bool]) -> Self {
        let module = &program.module;
        let mut taint = Self::default();
        let (mut globals, mut sizes) = (FxHashMap::default(), FxHashMap::default());
        let mut guess = |what: Guessed, name: &Option<String>| {
            taint.guessed.push((what, name.clone().unwrap_or_default()));
            Guesses::nth(taint.guessed.len() - 1)
        };
        for (handle, variable) in module.global_variables.iter() {
            if contents.get(handle.index()) == Some(&true) {
                let guess = guess(Guessed::Contents, &variable.name);
                if role(module, handle) != Role::Parameters {
                    taint.contents |= guess;
                }
                globals.insert(handle, guess);
            }
            if lengths.get(handle.index()) == Some(&true) {
                sizes.insert(handle, guess(Guessed::Length, &variable.name));
            }
        }
        let mut analysis = Analysis {
            program,
            contents: taint.contents,
            globals,
            sizes,
            locals: FxHashMap::default(),
            results: FxHashMap::default(),
            functions: FxHashMap::default(),
            sites: vec![SiteTaint::default(); program.sites.list.len()],
            spans: FxHashMap::default(),
            changed: true,
        };
        while std::mem::take(&mut analysis.changed) {
            let mut reached: Vec<_> =
                entries.iter().map(|&entry| FunctionId::Entry(entry)).collect();
            let mut next = 0;
            while let Some(&function) = reached.get(next) {
                analysis.function(function, &mut reached);
                next += 1;
            }
        }
        Self { sites: analysis.sites, spans: analysis.spans, ..taint }
    }

    /// What `site` hangs on.
    pub fn site(&self, site: SiteId) -> SiteTaint {
        self.sites.get(site.0 as usize).copied().unwrap_or_default()
    }

    /// Whether what happened at `site` may be owed to a guess, so that a finding there (a race, a
    /// divergence, an index out of bounds) is `possible` and not certain.
    pub fn possible(&self, site: SiteId) -> bool {
        let SiteTaint { address, control } = self.site(site);
        address.any() || (control & self.contents).any()
    }

    /// Whether how long a loop or wait at `site` takes may be owed to a guess. Here parameters count:
    /// a guessed step of 0 makes a loop endless that never is.
    pub fn possibly_endless(&self, site: SiteId) -> bool {
        let SiteTaint { address, control } = self.site(site);
        (address | control).any()
    }

    /// Why a finding at `site`, of this kind, may be owed to a guess: «its index depends on the
    /// contents of `offsets`, which were guessed». `None` if it is owed to none.
    pub fn reason(&self, program: &Program, site: SiteId) -> Option<String> {
        let SiteTaint { address, control } = self.site(site);
        let is_loop = program.sites.get(site).is_some_and(|site| site.kind == SiteKind::Loop);
        if is_loop {
            let names = self.names(address | control)?;
            return Some(format!("when it ends depends on {names}"));
        }
        if let Some(names) = self.names(address) {
            return Some(format!("what it touches depends on {names}"));
        }
        let names = self.names(control & self.contents)?;
        Some(format!("whether it runs depends on {names}"))
    }

    /// Why an index out of bounds may be owed to a guess. Here parameters count however they steer the
    /// kernel: a loop up to a guessed `n` runs past the end of an array that a true `n` fits.
    pub fn reason_out_of_bounds(&self, found: &OutOfBounds) -> Option<String> {
        let taint = match found.site {
            SiteId::NONE => self.spans.get(&found.span).copied().unwrap_or_default(),
            site => self.site(site),
        };
        match self.names(taint.address) {
            Some(names) => Some(format!("the index depends on {names}")),
            None => Some(format!("whether it runs depends on {}", self.names(taint.control)?)),
        }
    }

    /// «the contents of `a` and `b` and the length of `c`, which were guessed».
    fn names(&self, guesses: Guesses) -> Option<String> {
        let of = |what: Guessed| -> Vec<String> {
            let among = |&(index, guessed): &(usize, &(Guessed, String))| {
                guessed.0 == what && (guesses & Guesses::nth(index)).any()
            };
            let found = self.guessed.iter().enumerate().filter(among);
            found.map(|(_, (_, name))| format!("`{name}`")).collect()
        };
        let (contents, lengths) = (of(Guessed::Contents), of(Guessed::Length));
        Some(match (contents.len(), lengths.len()) {
            (0, 0) => return None,
            (0, 1) => format!("the length of {}, which was guessed", lengths[0]),
            (0, _) => format!("the lengths of {}, which were guessed", listed(&lengths)),
            (_, 0) => format!("the contents of {}, which were guessed", listed(&contents)),
            (_, _) => format!(
                "the contents of {} and the length of {}, which were guessed",
                listed(&contents),
                listed(&lengths)
            ),
        })
    }
}

/// `a`, `b` and `c`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// What of a variable was guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guessed {
    Contents,
    Length,
}

/// Where a pointer leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Global(Handle<GlobalVariable>),
    Local(Handle<LocalVariable>),
    Argument(u32),
    Unknown,
}

/// What is known of a helper function, joined over its callers.
#[derive(Clone, Default)]
struct Summary {
    /// The values of its arguments; for a pointer: where it points.
    arguments: Vec<Guesses>,
    /// The contents of what its arguments point to.
    pointees: Vec<Guesses>,
    /// Whether it is called.
    control: Guesses,
    /// What it returns.
    result: Guesses,
}

struct Analysis<'a> {
    program: &'a Program,
    /// Which guesses are contents, not parameters.
    contents: Guesses,
    globals: FxHashMap<Handle<GlobalVariable>, Guesses>,
    /// Lengths of buffers and sizes of textures.
    sizes: FxHashMap<Handle<GlobalVariable>, Guesses>,
    locals: FxHashMap<(FunctionId, Handle<LocalVariable>), Guesses>,
    /// Results that statements produce (of atomics, subgroup operations …).
    results: FxHashMap<(FunctionId, Handle<Expression>), Guesses>,
    functions: FxHashMap<FunctionId, Summary>,
    sites: Vec<SiteTaint>,
    spans: FxHashMap<Span, SiteTaint>,
    changed: bool,
}

/// Adds `guesses` to what stands at `place`; says in `changed` if that was new.
fn join(place: &mut Guesses, guesses: Guesses, changed: &mut bool) {
    let joined = *place | guesses;
    *changed |= joined != *place;
    *place = joined;
}

impl Analysis<'_> {
    fn function(&mut self, id: FunctionId, reached: &mut Vec<FunctionId>) {
        let function = id.get(&self.program.module);
        let summary = self.functions.entry(id).or_default();
        summary.arguments.resize(function.arguments.len(), Guesses::NONE);
        summary.pointees.resize(function.arguments.len(), Guesses::NONE);
        let control = summary.control;
        let mut walk =
            Walk { analysis: self, id, function, values: Vec::new(), reached, ordinal: 0 };
        walk.evaluate();
        walk.block(&function.body, control);
    }
}

/// What made control leave a block early hangs on.
#[derive(Clone, Copy, Default)]
struct Left {
    returned: Guesses,
    broke: Guesses,
    continued: Guesses,
}

impl Left {
    fn any_way(self) -> Guesses {
        self.returned | self.broke | self.continued
    }

    fn join(&mut self, other: Self) {
        self.returned |= other.returned;
        self.broke |= other.broke;
        self.continued |= other.continued;
    }
}

/// The walk over one function, once.
struct Walk<'w, 'a> {
    analysis: &'w mut Analysis<'a>,
    id: FunctionId,
    function: &'a Function,
    /// By expression: what its value hangs on.
    values: Vec<Guesses>,
    reached: &'w mut Vec<FunctionId>,
    /// Of the next statement.
    ordinal: u32,
}

impl Walk<'_, '_> {
    /// Computes every expression's guesses from what is known of variables so far. An expression
    /// refers to earlier ones only.
    fn evaluate(&mut self) {
        for (handle, expression) in self.function.expressions.iter() {
            let mut value = match *expression {
                Expression::FunctionArgument(index) => {
                    self.summary().arguments.get(index as usize).copied().unwrap_or_default()
                }
                Expression::Load { pointer } => self.content(self.root(pointer)),
                Expression::ImageLoad { image, .. } | Expression::ImageSample { image, .. } => {
                    self.content(self.root(image))
                }
                Expression::CallResult(callee) => {
                    let callee = self.analysis.functions.get(&FunctionId::Helper(callee));
                    callee.map_or(Guesses::NONE, |summary| summary.result)
                }
                Expression::ArrayLength(pointer) => self.size(self.root(pointer)),
                Expression::ImageQuery { image, .. } => self.size(self.root(image)),
                _ => self.analysis.results.get(&(self.id, handle)).copied().unwrap_or_default(),
            };
            walk::operands(expression, &mut |operand| value |= self.value(operand));
            self.values.push(value);
        }
    }

    fn value(&self, expression: Handle<Expression>) -> Guesses {
        self.values.get(expression.index()).copied().unwrap_or_default()
    }

    fn summary(&mut self) -> &mut Summary {
        self.analysis.functions.entry(self.id).or_default()
    }

    fn root(&self, mut pointer: Handle<Expression>) -> Root {
        loop {
            match self.function.expressions[pointer] {
                Expression::GlobalVariable(global) => return Root::Global(global),
                Expression::LocalVariable(local) => return Root::Local(local),
                Expression::FunctionArgument(index) => return Root::Argument(index),
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                    pointer = base;
                }
                _ => return Root::Unknown,
            }
        }
    }

    fn content(&mut self, root: Root) -> Guesses {
        match root {
            Root::Global(global) => self.analysis.globals.get(&global).copied(),
            Root::Local(local) => self.analysis.locals.get(&(self.id, local)).copied(),
            Root::Argument(index) => self.summary().pointees.get(index as usize).copied(),
            Root::Unknown => None,
        }
        .unwrap_or_default()
    }

    fn size(&self, root: Root) -> Guesses {
        match root {
            Root::Global(global) => self.analysis.sizes.get(&global).copied().unwrap_or_default(),
            Root::Local(_) | Root::Argument(_) | Root::Unknown => Guesses::NONE,
        }
    }

    /// Whatever `root` holds may now hang on `guesses`.
    fn taint(&mut self, root: Root, guesses: Guesses) {
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
        join(place, guesses, changed);
    }

    fn result(&mut self, result: Handle<Expression>, guesses: Guesses) {
        let place = self.analysis.results.entry((self.id, result)).or_default();
        join(place, guesses, &mut self.analysis.changed);
    }

    fn site(&mut self, site: Option<SiteId>, address: Guesses, control: Guesses) {
        if let Some(taint) = site.and_then(|site| self.analysis.sites.get_mut(site.0 as usize)) {
            taint.address |= address;
            taint.control |= control;
        }
    }

    fn span(&mut self, span: Span, address: Guesses, control: Guesses) {
        let taint = self.analysis.spans.entry(span).or_default();
        taint.address |= address;
        taint.control |= control;
    }

    fn block(&mut self, block: &Block, control: Guesses) -> Left {
        let mut left = Left::default();
        for (statement, span) in block.span_iter() {
            let control = control | left.any_way();
            if let Statement::Store { pointer, .. } = *statement {
                self.span((*span).into(), self.value(pointer), control);
            }
            left.join(self.statement(statement, control));
        }
        left
    }

    fn statement(&mut self, statement: &Statement, control: Guesses) -> Left {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        let sites = &self.analysis.program.sites;
        let site = sites.statement(self.id, ordinal);
        let barrier = sites.barrier(self.id, ordinal);
        self.site(barrier, Guesses::NONE, control);
        if !matches!(site.and_then(|s| sites.get(s)).map(|s| &s.kind), Some(SiteKind::Access(_))) {
            self.site(site, Guesses::NONE, control);
        }
        // Parameters that decide whether something is assigned are left out, as said above.
        let assigned = control & self.analysis.contents;
        match *statement {
            Statement::Emit(ref range) => {
                for expression in range.clone() {
                    self.load(expression, control);
                }
            }
            Statement::Block(ref block) => return self.block(block, control),
            Statement::If { condition, ref accept, ref reject } => {
                let control = control | self.value(condition);
                let mut left = self.block(accept, control);
                left.join(self.block(reject, control));
                return left;
            }
            Statement::Switch { selector, ref cases } => {
                let control = control | self.value(selector);
                let mut left = Left::default();
                for case in cases {
                    left.join(self.block(&case.body, control));
                }
                return Left { broke: Guesses::NONE, ..left };
            }
            Statement::Loop { ref body, ref continuing, break_if } => {
                return self.repeat(body, continuing, break_if, site, control);
            }
            Statement::Break => return Left { broke: control, ..Left::default() },
            Statement::Continue => return Left { continued: control, ..Left::default() },
            Statement::Kill => return Left { returned: control, ..Left::default() },
            Statement::Return { value } => {
                let value = value.map_or(Guesses::NONE, |value| self.value(value));
                let mut result = self.summary().result;
                join(&mut result, value | assigned, &mut self.analysis.changed);
                self.summary().result = result;
                return Left { returned: control, ..Left::default() };
            }
            Statement::Store { pointer, value } => {
                let address = self.value(pointer);
                self.site(site, address, control);
                self.taint(self.root(pointer), address | self.value(value) | assigned);
            }
            Statement::Atomic { pointer, ref fun, value, result } => {
                let address = self.value(pointer);
                self.site(site, address, control);
                let mut stored = address | self.value(value) | assigned;
                if let naga::AtomicFunction::Exchange { compare: Some(compare) } = *fun {
                    stored |= self.value(compare);
                }
                let root = self.root(pointer);
                self.taint(root, stored);
                if let Some(result) = result {
                    let held = self.content(root);
                    self.result(result, held | stored);
                }
            }
            Statement::ImageStore { image, coordinate, array_index, value }
            | Statement::ImageAtomic { image, coordinate, array_index, value, .. } => {
                let layer = array_index.map_or(Guesses::NONE, |index| self.value(index));
                let address = self.value(image) | self.value(coordinate) | layer;
                self.site(site, address, control);
                self.taint(self.root(image), address | self.value(value) | assigned);
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let address = self.value(pointer);
                self.site(site, address, control);
                let held = self.content(self.root(pointer));
                self.result(result, address | held);
            }
            Statement::SubgroupBallot { result, predicate } => {
                let given = predicate.map_or(Guesses::NONE, |predicate| self.value(predicate));
                self.result(result, given | assigned);
            }
            Statement::SubgroupGather { mode, argument, result } => {
                let lane = gather_index(&mode).map_or(Guesses::NONE, |index| self.value(index));
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
        Left::default()
    }

    fn load(&mut self, expression: Handle<Expression>, control: Guesses) {
        if let Expression::Access { .. } | Expression::Load { .. } =
            self.function.expressions[expression]
        {
            let span = self.function.expressions.get_span(expression).into();
            self.span(span, self.value(expression), control);
        }
        let address = match self.function.expressions[expression] {
            Expression::Load { pointer } => self.value(pointer),
            Expression::ImageLoad { image, coordinate, array_index, .. } => {
                let layer = array_index.map_or(Guesses::NONE, |index| self.value(index));
                self.value(image) | self.value(coordinate) | layer
            }
            _ => return,
        };
        let site = self.analysis.program.sites.load(self.id, expression);
        self.site(site, address, control);
    }

    /// A loop: whether its body runs again hangs on whatever can end it.
    fn repeat(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
        site: Option<SiteId>,
        outside: Guesses,
    ) -> Left {
        let first = self.ordinal;
        let mut control =
            outside | break_if.map_or(Guesses::NONE, |condition| self.value(condition));
        loop {
            self.ordinal = first;
            let mut left = self.block(body, control);
            left.continued = Guesses::NONE;
            left.join(self.block(continuing, control | left.any_way()));
            let again = control | left.any_way();
            if again == control {
                self.site(site, Guesses::NONE, control);
                return Left { returned: left.returned, ..Left::default() };
            }
            control = again;
        }
    }

    fn call(&mut self, callee: FunctionId, arguments: &[Handle<Expression>], control: Guesses) {
        if !self.reached.contains(&callee) {
            self.reached.push(callee);
        }
        for (index, &argument) in arguments.iter().enumerate() {
            let root = self.root(argument);
            let (value, held) = (self.value(argument), self.content(root));
            let summary = self.analysis.functions.entry(callee).or_default();
            let length = summary.arguments.len().max(arguments.len());
            summary.arguments.resize(length, Guesses::NONE);
            summary.pointees.resize(length, Guesses::NONE);
            join(&mut summary.arguments[index], value, &mut self.analysis.changed);
            join(&mut summary.pointees[index], held, &mut self.analysis.changed);
            let back = summary.pointees[index];
            self.taint(root, back);
        }
        let summary = self.analysis.functions.entry(callee).or_default();
        join(&mut summary.control, control, &mut self.analysis.changed);
    }
}

/// The lane that a gather reads, where it is computed.
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

#[cfg(test)]
#[path = "taint_tests.rs"]
mod tests;
