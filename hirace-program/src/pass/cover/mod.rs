//! The coverage pass: makes a module count what of it runs.
//!
//! What is counted, and where, [`Points`] say. Each invocation counts for itself, what the entry points that were asked for
//! can come to, and adds it to one storage buffer when it is done; `runtime` holds the functions that do so, written in
//! WGSL. Nothing else of the module changes.
//!
//! A counter of the buffer is two words, so that it does not wrap. Beside counters there are two words for each barrier of each
//! workgroup: the greatest number of visits that one of its invocations made, and the complement of the least. Both are
//! noted when an invocation leaves the entry point, so that nobody waits for anybody.

mod runtime;

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::body::ArmId;
use crate::ir::rebuild::{Change, Rebuild};
use crate::ir::unused;
use crate::ir::walk::{FunctionId, Numbered};
use crate::pass::rewrite;
use crate::pass::runtime::Runtime;
use crate::points::{Counter, Counts, Points, Visits};
use crate::program::{Derived, Program};
use naga::{
    BuiltIn, Expression, Handle, Literal, LocalVariable, MathFunction, ResourceBinding, Span,
    Statement,
};
use rustc_hash::FxHashMap;

/// What is counted, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether something ran, and not how often: by stores, which cost less than atomic additions.
    pub hits: bool,
    /// Also count by subgroups, which shows where their invocations go different ways. Needs subgroup operations where
    /// not all invocations of a subgroup run, which not every validator of WGSL takes.
    pub subgroups: bool,
}

/// A program that counts what of it runs.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The module, with the entry points that were asked for only. Variables of the program keep their handles.
    pub derived: Derived,
    /// Where the counters are bound.
    pub binding: ResourceBinding,
    /// What words of them mean.
    pub layout: Layout,
}

/// What the words of the counters mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Which counters of the program there are, in order.
    counted: Vec<Counter>,
    /// How many the program has.
    of: u32,
    barriers: u32,
    options: Options,
}

impl Layout {
    /// How many counters there are: of what the entry points come to, and of nothing else.
    pub fn counters(&self) -> u32 {
        self.counted.len() as u32
    }

    fn of_subgroups(&self) -> bool {
        self.options.subgroups && !self.options.hits
    }

    /// The number of a counter of the program among those there are.
    fn number(&self, counter: Counter) -> Option<u32> {
        self.counted.binary_search(&counter).ok().map(|at| at as u32)
    }

    /// Words of all counters, which those of barriers follow.
    fn words_of_counters(&self) -> u32 {
        let each = if self.of_subgroups() { 4 } else { 2 };
        each * self.counters()
    }

    /// How many words a dispatch of so many workgroups needs, all of them 0 at its start.
    pub fn words(&self, workgroups: u64) -> u64 {
        let of_barriers = workgroups.saturating_mul(2 * u64::from(self.barriers));
        (u64::from(self.words_of_counters()) + of_barriers).max(1)
    }

    /// What a dispatch left in them.
    pub fn read(&self, words: &[u32]) -> Counts {
        let (counters, barriers) =
            words.split_at((self.words_of_counters() as usize).min(words.len()));
        let count = |pair: &[u32]| match *pair {
            [low, high] => u64::from(high) << 32 | u64::from(low),
            _ => 0,
        };
        let mut counts = counters.chunks(2).map(count);
        let mut of_all = || {
            let mut all = vec![0; self.of as usize];
            for (counter, count) in self.counted.iter().zip(counts.by_ref()) {
                all[counter.0 as usize] = count;
            }
            all
        };
        let lanes = of_all();
        let subgroups = self.of_subgroups().then(of_all);
        let mut visits = vec![Visits::default(); self.barriers as usize];
        for workgroup in barriers.chunks_exact(2 * (self.barriers.max(1) as usize)) {
            for (sum, pair) in visits.iter_mut().zip(workgroup.chunks_exact(2)) {
                // Both are 0 in a workgroup of which no invocation was done.
                if let [most, least] = *pair
                    && pair != [0, 0]
                {
                    *sum += Visits::of([most, !least].into_iter());
                }
            }
        }
        Counts { lanes, subgroups, barriers: visits }
    }
}

/// Makes these entry points of `program` count at `points`, which are its own.
pub fn cover(
    program: &Program,
    points: &Points,
    entries: &[usize],
    options: Options,
) -> Result<Covered> {
    let _span = tracing::debug_span!("cover").entered();
    let module = &program.module;
    let prefix = unused::prefix(module);
    let Some(binding) = unused::bindings(module).next() else {
        return Err(internal(program, "there is no binding left"));
    };
    let barriers = points.barriers.len() as u32;
    let entered = entries.iter().map(|&entry| FunctionId::Entry(entry));
    let counted = points.within(program, &program.calls.reachable(entered));
    let layout = Layout { counted, of: points.counters, barriers, options };
    let loops = points.loops.iter().filter_map(|of| layout.number(of.counters));
    let derived = program.derive(|original| {
        let mut module = rewrite::empty(original);
        let text = runtime::text(&prefix, binding, &layout, loops.clone());
        let runtime = Runtime::graft(&mut module, &text, &prefix)
            .map_err(|error| internal(program, &error))?;
        rewrite::rewrite(program, original, &mut module, entries, |id| Count {
            program,
            points,
            layout: &layout,
            runtime: &runtime,
            id,
            turns: FxHashMap::default(),
        });
        rewrite::end_with(&mut module, &runtime, &["keep", "leave"]);
        Ok(module)
    })?;
    Ok(Covered { derived, binding, layout })
}

fn internal(program: &Program, error: &str) -> Box<Diagnostic> {
    let name = program.source.name();
    let bug = Diagnostic::new(format!("the coverage pass failed on `{name}`"));
    Box::new(bug.note(error).help("this is a bug in hirace; please report it with the file"))
}

/// The change that makes a function count.
struct Count<'a> {
    program: &'a Program,
    points: &'a Points,
    layout: &'a Layout,
    runtime: &'a Runtime,
    id: FunctionId,
    /// By loop: the variable that its turns are counted in.
    turns: FxHashMap<usize, Handle<LocalVariable>>,
}

impl Count<'_> {
    fn call(&self, into: &mut Rebuild<'_>, name: &str, arguments: Vec<Handle<Expression>>) {
        self.runtime.call(into, name, arguments, Span::UNDEFINED);
    }

    fn count(&self, into: &mut Rebuild<'_>, counter: Counter) {
        if let Some(counter) = self.layout.number(counter) {
            self.call(into, &format!("count_{counter}"), Vec::new());
        }
    }

    fn turns(&self, into: &mut Rebuild<'_>, of: usize) -> Option<Handle<Expression>> {
        let variable = *self.turns.get(&of)?;
        Some(into.declare(Expression::LocalVariable(variable), Span::UNDEFINED))
    }

    fn set_turns(&self, into: &mut Rebuild<'_>, of: usize, value: Handle<Expression>) {
        if let Some(pointer) = self.turns(into, of) {
            into.push(Statement::Store { pointer, value }, Span::UNDEFINED);
        }
    }

    /// One more turn; two are as good as more.
    fn counts_turn(&self, into: &mut Rebuild<'_>, of: usize) {
        let Some(pointer) = self.turns(into, of) else { return };
        let left = into.emit(Expression::Load { pointer }, Span::UNDEFINED);
        let (one, two) = (into.u32(1), into.u32(2));
        let op = naga::BinaryOperator::Add;
        let sum = into.emit(Expression::Binary { op, left, right: one }, Span::UNDEFINED);
        let least = Expression::Math {
            fun: MathFunction::Min,
            arg: sum,
            arg1: Some(two),
            arg2: None,
            arg3: None,
        };
        let value = into.emit(least, Span::UNDEFINED);
        self.set_turns(into, of, value);
    }

    /// The loop is left.
    fn left(&self, into: &mut Rebuild<'_>, of: usize) {
        let Some(pointer) = self.turns(into, of) else { return };
        let turns = into.emit(Expression::Load { pointer }, Span::UNDEFINED);
        if let Some(first) = self.layout.number(self.points.loops[of].counters) {
            self.call(into, &format!("left_{first}"), vec![turns]);
        }
    }

    fn is_entry(&self) -> bool {
        matches!(self.id, FunctionId::Entry(_))
    }
}

impl Change for Count<'_> {
    fn enter(&mut self, into: &mut Rebuild<'_>) {
        for (index, of) in self.points.loops.iter().enumerate() {
            if of.at.0 == self.id {
                let name = Some(self.runtime.name("turns"));
                let variable = LocalVariable { name, ty: self.runtime.u32, init: None };
                let local = into.function.local_variables.append(variable, Span::UNDEFINED);
                self.turns.insert(index, local);
            }
        }
        if self.is_entry() && self.layout.of_subgroups() {
            let types = &self.program.module.types;
            let index = self.runtime.builtin(into, types, BuiltIn::LocalInvocationIndex);
            self.call(into, "enter_subgroup", vec![index]);
        }
        if self.is_entry() && !self.points.barriers.is_empty() {
            let types = &self.program.module.types;
            let id = self.runtime.builtin(into, types, BuiltIn::WorkGroupId);
            let count = self.runtime.builtin(into, types, BuiltIn::NumWorkGroups);
            self.call(into, "enter", vec![id, count]);
        }
    }

    fn arm(&mut self, into: &mut Rebuild<'_>, arm: ArmId) {
        self.count(into, self.points.arm(arm));
        if let Some(of) = self.points.turn(arm) {
            self.counts_turn(into, of);
        }
    }

    fn before(&mut self, into: &mut Rebuild<'_>, original: Numbered<'_>) {
        let at = (self.id, original.id);
        if let Some(counter) = self.points.begins(at) {
            self.count(into, counter);
        }
        if let Some(of) = self.points.region(at) {
            let zero = into.declare(Expression::Literal(Literal::U32(0)), Span::UNDEFINED);
            self.set_turns(into, of, zero);
        }
        if let Some(barrier) = self.points.barrier(at) {
            let barrier = into.u32(barrier as u32);
            self.call(into, "visit", vec![barrier]);
        }
        if matches!(original.statement, Statement::Return { .. }) {
            for of in self.points.loops_around(self.program, at) {
                self.left(into, of);
            }
        }
    }

    fn after(&mut self, into: &mut Rebuild<'_>, original: Numbered<'_>) {
        if let Some(of) = self.points.region((self.id, original.id)) {
            self.left(into, of);
        }
    }
}
