//! The coverage pass: makes a module count which of its code runs.
//!
//! [`Points`] defines what is counted, and where. Each invocation counts the code that the requested entry points can reach in
//! its own variables, and adds the counts to a storage buffer when it ends. `runtime` contains the functions for this, written in
//! WGSL. Nothing else in the module changes.
//!
//! A counter in the buffer has two words, so that it does not wrap. In addition, there are two words for each barrier of each
//! workgroup: the maximum number of visits by one of its invocations, and the complement of the minimum. An invocation updates
//! both when it leaves the entry point, so that counting needs no synchronization.

mod runtime;

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::body::ArmId;
use crate::ir::rebuild::{FunctionBuilder, RebuildChange};
use crate::ir::unused;
use crate::ir::walk::{FunctionId, NumberedStatement};
use crate::pass::rewrite;
use crate::pass::runtime::Runtime;
use crate::points::{BarrierVisits, Counter, Counts, Points};
use crate::program::{DerivedModule, Program};
use naga::{
    BuiltIn, Expression, Handle, Literal, LocalVariable, MathFunction, ResourceBinding, Span,
    Statement,
};
use rustc_hash::FxHashMap;

/// Options of the coverage pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether to record only if code ran, not how often. Uses stores, which cost less than atomic additions.
    pub hits: bool,
    /// Whether to count by subgroups as well, which shows where their invocations diverge. Requires subgroup operations in
    /// divergent control flow, which not every WGSL validator accepts.
    pub subgroups: bool,
}

/// A program with coverage counters.
#[derive(Clone, Debug)]
pub struct CoverageProgram {
    /// The module, with the requested entry points only. Variables of the program keep their handles.
    pub derived: DerivedModule,
    /// The binding of the counter buffer.
    pub binding: ResourceBinding,
    /// The layout of the counter buffer.
    pub layout: Layout,
}

/// The layout of the counter buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The program's counters that are in the buffer, sorted.
    counted: Vec<Counter>,
    /// The number of counters of the program.
    of: u32,
    barriers: u32,
    options: Options,
}

impl Layout {
    /// Returns the number of counters in the buffer: only those that the entry points can reach.
    pub fn counters(&self) -> u32 {
        self.counted.len() as u32
    }

    fn of_subgroups(&self) -> bool {
        self.options.subgroups && !self.options.hits
    }

    /// Returns the index in the buffer of a counter of the program.
    fn number(&self, counter: Counter) -> Option<u32> {
        self.counted.binary_search(&counter).ok().map(|at| at as u32)
    }

    /// Returns the number of words of all counters. The words of barriers follow them.
    fn words_of_counters(&self) -> u32 {
        let each = if self.of_subgroups() { 4 } else { 2 };
        each * self.counters()
    }

    /// Returns the number of words for a dispatch of `workgroups` workgroups. All must be 0 at its start.
    pub fn words(&self, workgroups: u64) -> u64 {
        let of_barriers = workgroups.saturating_mul(2 * u64::from(self.barriers));
        (u64::from(self.words_of_counters()) + of_barriers).max(1)
    }

    /// Reads the counts of a dispatch.
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
        let mut visits = vec![BarrierVisits::default(); self.barriers as usize];
        for workgroup in barriers.chunks_exact(2 * (self.barriers.max(1) as usize)) {
            for (sum, pair) in visits.iter_mut().zip(workgroup.chunks_exact(2)) {
                // Both are 0 in a workgroup of which no invocation ended.
                if let [most, least] = *pair
                    && pair != [0, 0]
                {
                    *sum += BarrierVisits::of([most, !least].into_iter());
                }
            }
        }
        Counts { lanes, subgroups, barriers: visits }
    }
}

/// Makes these entry points of `program` count at `points`, the coverage points of the program.
pub fn cover(
    program: &Program,
    points: &Points,
    entries: &[usize],
    options: Options,
) -> Result<CoverageProgram> {
    let _span = tracing::debug_span!("cover").entered();
    let module = &program.module;
    let prefix = unused::prefix(module);
    let Some(binding) = unused::bindings(module).next() else {
        return Err(internal(program, "no binding is available"));
    };
    let barriers = points.barriers.len() as u32;
    let entered = entries.iter().map(|&entry| FunctionId::Entry(entry));
    let counted = points.within(program, &program.calls.reachable(entered));
    let layout = Layout { counted, of: points.counters, barriers, options };
    let loops = points.loops.iter().filter_map(|of| layout.number(of.counters));
    let derived = program.derive(|original| {
        let mut module = rewrite::without_functions(original);
        let text = runtime::text(&prefix, binding, &layout, loops.clone());
        let runtime = Runtime::graft(&mut module, &text, &prefix)
            .map_err(|error| internal(program, &error))?;
        rewrite::rewrite(program, original, &mut module, entries, |id| Count {
            program,
            points,
            layout: &layout,
            runtime: &runtime,
            id,
            iterations: FxHashMap::default(),
        });
        rewrite::end_with(&mut module, &runtime, &["record_counts", "record_visits"]);
        Ok(module)
    })?;
    Ok(CoverageProgram { derived, binding, layout })
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
    /// By loop: the variable that counts its iterations.
    iterations: FxHashMap<usize, Handle<LocalVariable>>,
}

impl Count<'_> {
    fn call(&self, into: &mut FunctionBuilder<'_>, name: &str, arguments: Vec<Handle<Expression>>) {
        self.runtime.call(into, name, arguments, Span::UNDEFINED);
    }

    fn count(&self, into: &mut FunctionBuilder<'_>, counter: Counter) {
        if let Some(counter) = self.layout.number(counter) {
            self.call(into, &format!("count_{counter}"), Vec::new());
        }
    }

    fn iterations(&self, into: &mut FunctionBuilder<'_>, of: usize) -> Option<Handle<Expression>> {
        let variable = *self.iterations.get(&of)?;
        Some(into.declare(Expression::LocalVariable(variable), Span::UNDEFINED))
    }

    fn set_iterations(&self, into: &mut FunctionBuilder<'_>, of: usize, value: Handle<Expression>) {
        if let Some(pointer) = self.iterations(into, of) {
            into.push(Statement::Store { pointer, value }, Span::UNDEFINED);
        }
    }

    /// Counts an iteration, up to two.
    fn count_iteration(&self, into: &mut FunctionBuilder<'_>, of: usize) {
        let Some(pointer) = self.iterations(into, of) else { return };
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
        self.set_iterations(into, of, value);
    }

    /// Counts the exit from a loop.
    fn count_loop_exit(&self, into: &mut FunctionBuilder<'_>, of: usize) {
        let Some(pointer) = self.iterations(into, of) else { return };
        let iterations = into.emit(Expression::Load { pointer }, Span::UNDEFINED);
        if let Some(first) = self.layout.number(self.points.loops[of].counters) {
            self.call(into, &format!("leave_loop_{first}"), vec![iterations]);
        }
    }

    fn is_entry(&self) -> bool {
        matches!(self.id, FunctionId::Entry(_))
    }
}

impl RebuildChange for Count<'_> {
    fn enter(&mut self, into: &mut FunctionBuilder<'_>) {
        for (index, of) in self.points.loops.iter().enumerate() {
            if of.at.0 == self.id {
                let name = Some(self.runtime.name("iterations"));
                let variable = LocalVariable { name, ty: self.runtime.u32, init: None };
                let local = into.function.local_variables.append(variable, Span::UNDEFINED);
                self.iterations.insert(index, local);
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
            self.call(into, "enter_workgroup", vec![id, count]);
        }
    }

    fn arm(&mut self, into: &mut FunctionBuilder<'_>, arm: ArmId) {
        self.count(into, self.points.arm(arm));
        if let Some(of) = self.points.iteration(arm) {
            self.count_iteration(into, of);
        }
    }

    fn before(&mut self, into: &mut FunctionBuilder<'_>, original: NumberedStatement<'_>) {
        let at = (self.id, original.id);
        if let Some(counter) = self.points.begins(at) {
            self.count(into, counter);
        }
        if let Some(of) = self.points.region(at) {
            let zero = into.declare(Expression::Literal(Literal::U32(0)), Span::UNDEFINED);
            self.set_iterations(into, of, zero);
        }
        if let Some(barrier) = self.points.barrier(at) {
            let barrier = into.u32(barrier as u32);
            self.call(into, "visit_barrier", vec![barrier]);
        }
        if matches!(original.statement, Statement::Return { .. }) {
            for of in self.points.enclosing_loops(self.program, at) {
                self.count_loop_exit(into, of);
            }
        }
    }

    fn after(&mut self, into: &mut FunctionBuilder<'_>, original: NumberedStatement<'_>) {
        if let Some(of) = self.points.region((self.id, original.id)) {
            self.count_loop_exit(into, of);
        }
    }
}
