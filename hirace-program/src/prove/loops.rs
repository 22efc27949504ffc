//! Loops.
//!
//! The walk assumes values of variables at the start of an iteration, and compares them with the values at its end, which is the
//! start of the next. Assumptions that do not hold are weakened and the loop is walked again, until all hold. By induction they
//! then hold at every iteration. A loop with barriers is unrolled instead, if it is known of each iteration whether it is
//! executed.

use super::Rule;
use super::arithmetic::limits;
use super::condition::Condition;
use super::form::{Form, SymbolId};
use super::instance::{EnclosingLoop, Iteration};
use super::interval::{BarrierId, Interval};
use super::state::{Flow, State};
use super::symbol::{Level, LoopId, Origin, Symbol};
use super::value::{Value, Variable};
use super::walk::{Jumps, Walk};
use crate::ir::walk::{self, StatementId, Statements};
use naga::{Expression, Handle, Module, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// The limit on attempts to find assumptions that hold for a loop.
const MAX_TRIES: usize = 12;
/// The limit on iterations of a loop that is unrolled.
const MAX_UNROLLED: u32 = 40;
/// The limit on statements of all unrolled iterations.
const MAX_STATEMENTS: u32 = 6_000;
/// The limit on iterations of a loop that is unrolled for a single invocation.
const MAX_FOLLOWED: u32 = 256;
/// The limit on statements of all these iterations.
const MAX_FOLLOWED_STATEMENTS: u32 = 20_000;

/// The assumption about a variable, or a part of one, at the start of each iteration.
#[derive(Clone, Debug, PartialEq)]
enum LoopAssumption {
    /// An integer.
    Int {
        /// The increment per iteration, if it is the same in all iterations and for all invocations.
        step: Option<Form>,
        /// Whether the value never increases.
        falls: bool,
        /// Whether the value never decreases.
        rises: bool,
        level: Level,
        signed: bool,
    },
    Bool(Level),
    Parts(Vec<Self>),
    Other(Level),
    /// The value before the loop.
    Unchanged,
}

/// All assumptions about a loop.
struct Header {
    variables: BTreeMap<Variable, LoopAssumption>,
    intervals: [Interval; 3],
    flow: Flow,
    /// Whether constant increments were already looked for.
    has_steps: bool,
}

impl<'a> Walk<'a> {
    /// Walks a loop.
    pub(super) fn repeat(
        &mut self,
        at: StatementId,
        blocks: &[Statements<'a>],
        break_if: Option<Handle<Expression>>,
    ) {
        let &[body, continuing] = blocks else { return };
        self.note_iterations(at, body, continuing, break_if);
        if self.failed {
            return;
        }
        let waits = [body, continuing].iter().any(|part| self.waits(part.block()));
        let unrolls = waits || self.followed.is_some();
        if unrolls && self.unroll(at, body, continuing, break_if) || self.failed {
            return;
        }
        if self.followed.is_some() {
            return self.walk_two_iterations(at, (body, continuing, break_if), waits);
        }
        let id = LoopId(self.place(at, 0));
        let outer = self.state.flow;
        let mut entry = State { flow: outer.into_loop(), ..self.state.clone() };
        entry.intervals.iter_mut().for_each(|interval| interval.enter(id));
        let assigned = self.assigned(&[body, continuing]);
        let mut header = self.header(&entry, &assigned);
        self.loops.push(id);
        let mark = self.mark();
        let mut done = None;
        let conditions = self.conditions;
        for _ in 0..MAX_TRIES {
            self.rewind(mark);
            self.conditions = conditions;
            let (start, number) = self.start(&entry, &header);
            let iteration = number.map_or(Iteration::Unrolled(0), Iteration::Any);
            self.enclosing_loops
                .push(EnclosingLoop { statement: (self.frame().id, at), iteration });
            let (mut end, exits) = self.walk_iteration(start.clone(), body, continuing, break_if);
            self.enclosing_loops.pop();
            end.intervals.iter_mut().for_each(|interval| interval.cross(id));
            if self.failed {
                break;
            }
            if !self.weaken(&mut header, &start, end.clone()) {
                self.note_max_iterations(at, self.iteration_limit(&end, number));
                done = Some((end, exits));
                break;
            }
        }
        self.loops.pop();
        let Some((end, exits)) = done else {
            self.failed = true;
            return;
        };
        self.note_conditions_since(mark);
        self.leave_loop(&entry, &assigned, end.flow, exits);
        self.state.flow = Flow { returned: self.state.flow.returned.max(outer.returned), ..outer };
    }

    /// Walks one iteration. Returns the state at its end, and the states in which the loop was left.
    pub(super) fn walk_iteration(
        &mut self,
        start: State,
        body: Statements<'a>,
        continuing: Statements<'a>,
        break_if: Option<Handle<Expression>>,
    ) -> (State, Vec<State>) {
        self.state = start;
        self.jumps.push(Jumps { is_loop: true, ..Jumps::default() });
        self.block(body);
        let Jumps { mut breaks, continues, .. } = self.jumps.pop().unwrap_or_default();
        self.state.is_exact &= continues.is_empty();
        for state in continues {
            let level = state.flow.level().max(self.state.flow.level());
            let so_far = self.state.clone();
            self.state = self.join(so_far, state, None, level);
            self.state.is_exact = false;
        }
        self.state.flow.continued = Level::Dispatch;
        let before = break_if.map(|_| (self.state.clone(), self.mark()));
        self.block(continuing);
        if let Some(break_if) = break_if.filter(|_| self.state.is_live && !self.failed) {
            let condition = self.condition(break_if);
            self.conditions = self.conditions.max(condition.origin(&self.symbols));
            let level = condition.level(&self.symbols).max(self.state.flow.level());
            let mut left = self.state.clone();
            left.learn(condition.facts(&self.symbols));
            left.is_exact = false;
            match condition {
                Condition::Known(false) => left.is_live = false,
                Condition::Known(true) => self.state.is_live = false,
                ref unknown => {
                    let continues = unknown.negate();
                    if let Some((state, mark)) = before
                        && mark == self.mark()
                    {
                        // In iterations that another one follows, values may have smaller ranges: `i + 1` does not wrap if
                        // `i < n`.
                        self.state = state;
                        self.learn(&continues);
                        self.block(continuing);
                        match self.condition(break_if).negate() {
                            Condition::Known(continues) => self.state.is_live &= continues,
                            unknown => self.learn(&unknown),
                        }
                    } else {
                        self.learn(&continues);
                    }
                    left.flow.broke = level;
                    self.state.flow.broke = level;
                }
            }
            breaks.push(left);
        }
        breaks.retain(|state| state.is_live);
        (self.state.clone(), breaks)
    }

    /// Joins the states in which the loop was left. Variables that the loop assigns to get new values that do not depend on
    /// iterations.
    fn leave_loop(
        &mut self,
        entry: &State,
        assigned: &BTreeSet<Variable>,
        end: Flow,
        exits: Vec<State>,
    ) {
        let level = exits.iter().map(|state| state.flow.level()).max().unwrap_or_default();
        let level = level.max(end.level());
        let mut before = entry.clone();
        before.flow = before.flow.with_jumps_of(end);
        self.meet(before, exits, level);
        self.state.retain_common_facts(entry);
        for variable in assigned {
            if let Some(value) = self.state.variables.get(variable).cloned() {
                let known = entry.variables.get(variable);
                let value = match known {
                    Some(known) if known.is_same(&value) => value,
                    _ => self.detached(value, level),
                };
                self.state.variables.insert(*variable, value);
            }
        }
    }

    /// Returns a new unknown value with the ranges of this one.
    fn detached(&mut self, value: Value, level: Level) -> Value {
        let level = level.max(value.level(&self.symbols));
        match value {
            Value::Int(form) if form.as_constant().is_some() => Value::Int(form),
            Value::Int(form) => {
                let range = self.symbols.range(&form);
                Value::Int(self.integer(level, range))
            }
            Value::Bool(_) => {
                let opaque = self.opaque(level);
                Value::Bool(Condition::Unknown(opaque))
            }
            Value::Parts(parts) => {
                Value::Parts(parts.into_iter().map(|part| self.detached(part, level)).collect())
            }
            Value::Pointer(..) => value,
            Value::Other(_) => Value::Other(self.opaque(level)),
        }
    }

    /// Unrolls a loop, if it is known of each iteration whether it is executed. Returns whether that succeeded.
    fn unroll(
        &mut self,
        at: StatementId,
        body: Statements<'a>,
        continuing: Statements<'a>,
        break_if: Option<Handle<Expression>>,
    ) -> bool {
        let (before, mark, statements) = (self.state.clone(), self.mark(), self.statements);
        let (outer, path, conditions) = (self.state.flow, self.path, self.conditions);
        let mut start = State { flow: outer.into_loop(), ..self.state.clone() };
        let mut done = false;
        let (max_unrolled, max_statements) = match self.followed {
            Some(_) => (MAX_FOLLOWED, MAX_FOLLOWED_STATEMENTS),
            None => (MAX_UNROLLED, MAX_STATEMENTS),
        };
        for number in 0..max_unrolled {
            self.path = path;
            self.path = self.place(at, number + 1);
            let iteration = Iteration::Unrolled(number);
            self.enclosing_loops
                .push(EnclosingLoop { statement: (self.frame().id, at), iteration });
            let (end, exits) = self.walk_iteration(start, body, continuing, break_if);
            self.enclosing_loops.pop();
            if self.failed || self.statements - statements > max_statements {
                break;
            }
            if !end.is_live {
                self.meet(end, exits, Level::Dispatch);
                self.note_max_iterations(at, Some(u64::from(number) + 1));
                done = true;
                break;
            }
            if !exits.is_empty() {
                break;
            }
            start = end;
        }
        self.path = path;
        if done {
            self.state.flow = Flow { returned: self.state.flow.returned, ..outer };
        } else {
            // A loop that exceeds the limits when unrolled may still be analyzed with assumptions.
            self.failed = self.was_stopped || self.effort.steps() == 0;
            (self.state, self.conditions) = (before, conditions);
            self.rewind(mark);
        }
        done
    }

    /// Walks the first two iterations of a loop. What follows them is not walked, so nothing is known about variables that the loop
    /// assigns to.
    fn walk_two_iterations(
        &mut self,
        at: StatementId,
        (body, continuing, break_if): (Statements<'a>, Statements<'a>, Option<Handle<Expression>>),
        waits: bool,
    ) {
        let (before, path, leaves) = (self.state.clone(), self.path, self.leaves);
        let mut start = State { flow: before.flow.into_loop(), ..before.clone() };
        for number in 0..2 {
            self.path = path;
            self.path = self.place(at, number + 1);
            let (end, _) = self.walk_iteration(start, body, continuing, break_if);
            if self.failed || !end.is_live {
                break;
            }
            start = end;
        }
        self.path = path;
        self.state = before;
        for variable in self.assigned(&[body, continuing]) {
            if let Some(value) = self.state.variables.get(&variable).cloned() {
                let value = self.forgotten(value);
                self.state.variables.insert(variable, value);
            }
        }
        // All invocations that enter the loop leave it, unless they return. The last barrier is the same one for all of them.
        for part in [body, continuing] {
            walk::statements(part.block(), &mut |_, statement, _| {
                self.is_cut |= matches!(statement, Statement::Return { .. } | Statement::Kill);
            });
        }
        self.leaves = leaves;
        if waits {
            let last = BarrierId(self.place(at, u32::MAX));
            self.state.intervals = [(); 3].map(|()| Interval::after(last, &self.loops));
        }
    }

    /// Returns an unknown value of the type of this one.
    fn forgotten(&mut self, value: Value) -> Value {
        let level = Level::Invocation;
        match value {
            Value::Int(_) => Value::Int(self.integer(level, (i32::MIN.into(), u32::MAX.into()))),
            Value::Bool(_) => Value::Bool(Condition::Unknown(self.opaque(level))),
            Value::Parts(parts) => {
                Value::Parts(parts.into_iter().map(|part| self.forgotten(part)).collect())
            }
            Value::Pointer(variable, _) => Value::Pointer(variable, None),
            Value::Other(_) => Value::Other(self.opaque(level)),
        }
    }

    /// Returns the numbers of accesses, open bounds and returns that were recorded so far.
    fn mark(&self) -> [usize; 3] {
        let open_bounds = self.open_bounds.as_ref().map_or(0, Vec::len);
        [self.instances.len(), open_bounds, self.frame().returns.len()]
    }

    /// Records the conditions so far for all accesses since a mark. Any condition in a loop may decide whether a later iteration
    /// reaches an access.
    fn note_conditions_since(&mut self, [instances, open_bounds, _]: [usize; 3]) {
        let conditions = self.conditions;
        self.instances[instances..].iter_mut().for_each(|it| it.conditions = conditions);
        let open = self.open_bounds.iter_mut().flatten().skip(open_bounds);
        open.for_each(|it| it.conditions = conditions);
    }

    /// Forgets what was recorded since a mark. The current frame must be that of the mark.
    fn rewind(&mut self, [instances, open_bounds, returns]: [usize; 3]) {
        self.instances.truncate(instances);
        if let Some(open) = &mut self.open_bounds {
            open.truncate(open_bounds);
        }
        let last = self.frames.len() - 1;
        self.frames[last].returns.truncate(returns);
    }

    /// Returns the initial, strongest assumptions.
    fn header(&self, entry: &State, assigned: &BTreeSet<Variable>) -> Header {
        let variables = assigned.iter().filter_map(|&variable| {
            let value = entry.variables.get(&variable)?;
            let ty = self.type_of(variable)?;
            Some((variable, self.guess(value, Some(&self.program.module.types[ty].inner))))
        });
        let variables = variables.collect();
        Header { variables, intervals: entry.intervals.clone(), flow: entry.flow, has_steps: false }
    }

    fn type_of(&self, variable: Variable) -> Option<Handle<naga::Type>> {
        match variable {
            Variable::Private(global) => Some(self.program.module.global_variables[global].ty),
            Variable::Local(number, local) => {
                let mut frames = self.frames.iter();
                let frame = frames.find(|frame| frame.number == number)?;
                Some(frame.function.local_variables[local].ty)
            }
        }
    }

    fn guess(&self, value: &Value, inner: Option<&naga::TypeInner>) -> LoopAssumption {
        let level = value.level(&self.symbols);
        match value {
            Value::Int(_) => {
                let kind = inner.and_then(naga::TypeInner::scalar_kind);
                let signed = kind != Some(naga::ScalarKind::Uint);
                LoopAssumption::Int { step: None, falls: false, rises: false, level, signed }
            }
            Value::Bool(_) => LoopAssumption::Bool(level),
            Value::Parts(parts) => {
                let types = &self.program.module.types;
                let part = |(index, value): (usize, &Value)| {
                    let inner = match inner {
                        Some(naga::TypeInner::Struct { members, .. }) => {
                            members.get(index).map(|member| &types[member.ty].inner)
                        }
                        Some(naga::TypeInner::Array { base, .. }) => Some(&types[*base].inner),
                        inner => inner,
                    };
                    self.guess(value, inner)
                };
                LoopAssumption::Parts(parts.iter().enumerate().map(part).collect())
            }
            Value::Pointer(..) => LoopAssumption::Unchanged,
            Value::Other(_) => LoopAssumption::Other(level),
        }
    }

    /// Records an upper bound on the iterations of a loop at this point.
    fn note_max_iterations(&mut self, at: StatementId, iterations: Option<u64>) {
        if let Some(site) = self.program.sites.statement(self.frame().id, at) {
            let known = self.max_iterations.entry(site).or_insert(iterations);
            *known = known.zip(iterations).map(|(known, iterations)| known.max(iterations));
        }
    }

    /// Returns an upper bound on the iterations of a loop, from the state at the end of the iteration numbered `number`, which is
    /// not the last one.
    fn iteration_limit(&self, end: &State, number: Option<SymbolId>) -> Option<u64> {
        if !end.is_live {
            return Some(1);
        }
        let number = number?;
        let last = end.facts.iter().filter_map(|fact| {
            let (_, factor) =
                *fact.terms.iter().find(|(id, factor)| *id == number && *factor < 0)?;
            let rest = fact.minus(&Form::symbol(number).checked_mul(factor)?)?;
            let (_, most) = self.symbols.range(&rest);
            u64::try_from(most / factor.checked_neg()?).ok()
        });
        last.min().map(|last| last.saturating_add(2))
    }

    /// Returns the state at the start of an iteration under the assumptions, and the symbol of the iteration number.
    fn start(&mut self, entry: &State, header: &Header) -> (State, Option<SymbolId>) {
        let mut start = entry.clone();
        start.intervals = header.intervals.clone();
        start.flow = header.flow;
        let loops = self.loops.clone();
        let high = i64::from(u32::MAX);
        let (level, facts, origin) = (Level::Dispatch, Vec::new(), Origin::Ids);
        let symbol = Symbol { level, low: 0, high, loops, facts, origin };
        let Some(number) = self.symbols.add(symbol) else {
            self.failed = true;
            return (start, None);
        };
        self.iterations.push(number);
        for (variable, guess) in &header.variables {
            if let Some(value) = entry.variables.get(variable) {
                let value = self.guessed(guess, value, &Form::symbol(number), &mut start.facts);
                start.variables.insert(*variable, value);
            }
        }
        (start, Some(number))
    }

    fn guessed(
        &mut self,
        guess: &LoopAssumption,
        before: &Value,
        number: &Form,
        facts: &mut Vec<Form>,
    ) -> Value {
        match (guess, before) {
            (LoopAssumption::Unchanged, before) => before.clone(),
            (LoopAssumption::Int { step: Some(step), signed, .. }, Value::Int(before)) => {
                let grown = self.symbols.product(number, step);
                let form = grown.and_then(|grown| grown.plus(before));
                let Some(form) = form else {
                    return Value::Int(self.integer(Level::Invocation, limits(*signed)));
                };
                // In any case, the value is an integer in the range of its type.
                let (low, high) = limits(*signed);
                facts.extend(form.checked_add_constant(-low));
                facts.extend(form.checked_mul(-1).and_then(|form| form.checked_add_constant(high)));
                Value::Int(form)
            }
            (LoopAssumption::Int { falls, rises, level, signed, .. }, before) => {
                let form = self.integer(*level, limits(*signed));
                if let Value::Int(before) = before {
                    facts.extend(falls.then(|| before.minus(&form)).flatten());
                    facts.extend(rises.then(|| form.minus(before)).flatten());
                }
                Value::Int(form)
            }
            (LoopAssumption::Bool(level), _) => {
                let opaque = self.opaque(*level);
                Value::Bool(Condition::Unknown(opaque))
            }
            (LoopAssumption::Parts(guesses), Value::Parts(parts))
                if guesses.len() == parts.len() =>
            {
                let pairs = guesses.iter().zip(parts);
                Value::Parts(
                    pairs.map(|(guess, part)| self.guessed(guess, part, number, facts)).collect(),
                )
            }
            (LoopAssumption::Parts(_), _) => Value::Other(self.opaque(Level::Invocation)),
            (LoopAssumption::Other(level), _) => Value::Other(self.opaque(*level)),
        }
    }

    /// Compares the assumptions with the end of an iteration and weakens them. Returns whether any changed.
    fn weaken(&mut self, header: &mut Header, start: &State, end: State) -> bool {
        if !end.is_live {
            return false;
        }
        let keeps = self.rules.keep(Rule::Loops);
        let looks_for_steps = !std::mem::replace(&mut header.has_steps, true);
        let mut changed = false;
        self.state = end;
        let flow =
            Flow { continued: Level::Dispatch, ..header.flow.with_jumps_of(self.state.flow) };
        changed |= flow != header.flow;
        header.flow = flow;
        for (own, end) in header.intervals.iter_mut().zip(&self.state.intervals.clone()) {
            if !own.holds(end) {
                changed = true;
                self.failed |= !own.join(end);
            }
        }
        for (variable, guess) in &mut header.variables {
            let (Some(start), Some(end)) =
                (start.variables.get(variable), self.state.variables.get(variable).cloned())
            else {
                continue;
            };
            changed |= self.weaken_guess(guess, start, &end, looks_for_steps);
        }
        changed && (keeps || looks_for_steps)
    }

    fn weaken_guess(
        &mut self,
        guess: &mut LoopAssumption,
        start: &Value,
        end: &Value,
        steps: bool,
    ) -> bool {
        let level = end.level(&self.symbols);
        let raise = |own: &mut Level| {
            let raised = level.max(*own);
            std::mem::replace(own, raised) != raised
        };
        match (&mut *guess, start, end) {
            (LoopAssumption::Unchanged, start, end) => {
                let changed = start != end;
                if changed {
                    *guess = LoopAssumption::Other(Level::Invocation);
                }
                changed
            }
            (LoopAssumption::Parts(guesses), Value::Parts(start), Value::Parts(end))
                if guesses.len() == start.len() && start.len() == end.len() =>
            {
                let pairs = start.iter().zip(end);
                guesses.iter_mut().zip(pairs).fold(false, |changed, (guess, (start, end))| {
                    self.weaken_guess(guess, start, end, steps) | changed
                })
            }
            (LoopAssumption::Parts(_), ..) => {
                *guess = LoopAssumption::Other(Level::Invocation);
                true
            }
            (LoopAssumption::Bool(own) | LoopAssumption::Other(own), ..) => raise(own),
            (
                LoopAssumption::Int { step, falls, rises, level: own, .. },
                Value::Int(start),
                Value::Int(end),
            ) => {
                let grown = end.minus(start);
                if step.is_some() {
                    let holds = grown == *step;
                    if !holds {
                        *step = None;
                        raise(own);
                    }
                    return !holds;
                }
                let mut changed = raise(own);
                let less = grown.as_ref().and_then(|grown| grown.checked_mul(-1));
                let is_constant = |grown: &&Form| self.symbols.is_constant(grown);
                let constant = grown.as_ref().filter(is_constant).cloned();
                let mut holds = |form: &Option<Form>| {
                    form.as_ref().is_some_and(|form| self.is_at_least_0(form))
                };
                if steps {
                    *step = constant;
                    (*falls, *rises) = (holds(&less), holds(&grown));
                    return changed || step.is_some() || *falls || *rises;
                }
                for (guessed, form) in [(falls, less), (rises, grown)] {
                    if *guessed && !holds(&form) {
                        *guessed = false;
                        changed = true;
                    }
                }
                changed
            }
            (LoopAssumption::Int { .. }, ..) => {
                *guess = LoopAssumption::Other(Level::Invocation);
                true
            }
        }
    }

    /// Returns whether a block contains barriers, directly or in called functions.
    fn waits(&self, block: &'a naga::Block) -> bool {
        let mut found = false;
        let program = self.program;
        walk::statements(block, &mut |_, statement, _| {
            found |= match statement {
                Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => true,
                Statement::Call { function, .. } => {
                    let functions = program.calls.reachable([walk::FunctionId::Helper(*function)]);
                    functions.into_iter().any(|id| {
                        let of_kind = |kind| kind == crate::ir::body::StatementKind::Barrier;
                        program.body(id).of_kind(of_kind).next().is_some()
                    })
                }
                _ => false,
            };
        });
        found
    }

    /// Returns the variables that these statements may assign to, excluding locals of functions that they call.
    fn assigned(&self, blocks: &[Statements<'a>]) -> BTreeSet<Variable> {
        let mut assigned = BTreeSet::new();
        let mut calls = false;
        for part in blocks {
            walk::statements(part.block(), &mut |_, statement, _| match statement {
                Statement::Store { pointer, .. } => assigned.extend(self.variable(*pointer)),
                Statement::Call { arguments, .. } => {
                    calls = true;
                    assigned.extend(arguments.iter().filter_map(|pointer| self.variable(*pointer)));
                }
                _ => {}
            });
        }
        if calls {
            assigned.extend(stored_privates(&self.program.module));
        }
        assigned
    }
}

/// Returns the private variables that any function may store to.
fn stored_privates(module: &Module) -> BTreeSet<Variable> {
    let mut stored = BTreeSet::new();
    for id in walk::FunctionId::all(module) {
        let function = id.get(module);
        let mut note = |pointer: Handle<Expression>| {
            if let Some(global) = walk::root_global(function, pointer)
                && module.global_variables[global].space == naga::AddressSpace::Private
            {
                stored.insert(Variable::Private(global));
            }
        };
        walk::statements(&function.body, &mut |_, statement, _| match statement {
            Statement::Store { pointer, .. } => note(*pointer),
            Statement::Call { arguments, .. } => arguments.iter().for_each(|it| note(*it)),
            _ => {}
        });
    }
    stored
}
