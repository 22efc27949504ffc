//! A cache of invocation states. The behavior of an invocation depends only on the answers to its reads, so each
//! sequence of answers is run once and looked up when another execution gives the same answers.

use crate::program::{Operation, Program, Step, Value};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The maximum number of cached states. States beyond it are recomputed each time, which bounds the memory.
const MOST: usize = 1 << 13;

/// An invocation that has run up to an operation.
#[derive(Debug)]
pub(super) struct CachedState<S> {
    /// The state, which waits at the operation.
    pub(super) state: S,
    /// The operation.
    pub(super) step: Step,
    forgets: OnceLock<bool>,
    next: Next<S>,
}

type Next<S> = OnceLock<Box<Successor<S>>>;

/// The state that follows one answer, and a link to the states that follow other answers.
#[derive(Debug)]
struct Successor<S> {
    answer: Option<Value>,
    stand: Arc<CachedState<S>>,
    other: Next<S>,
}

impl<S> CachedState<S> {
    fn new(state: S, step: Step) -> Arc<Self> {
        Arc::new(Self { state, step, forgets: OnceLock::new(), next: OnceLock::new() })
    }
}

/// The cached states of all invocations of a program, as a tree of answers per invocation.
pub(super) struct StateCache<'a, P: Program> {
    program: &'a P,
    starts: Vec<Arc<CachedState<P::State>>>,
    kept: AtomicUsize,
}

impl<'a, P: Program> StateCache<'a, P> {
    pub(super) fn new(program: &'a P) -> Self {
        let start = |number| {
            let mut state = program.start(number);
            let step = program.step(number, &mut state, None);
            CachedState::new(state, step)
        };
        let starts = (0..program.invocations().len()).map(start).collect();
        Self { program, starts, kept: AtomicUsize::new(0) }
    }

    /// Returns the state of an invocation before its first operation.
    pub(super) fn start(&self, number: usize) -> Arc<CachedState<P::State>> {
        self.starts[number].clone()
    }

    /// Returns the state after the operation of `stand` is done. `answer` is its result if it reads.
    pub(super) fn after(
        &self,
        stand: &CachedState<P::State>,
        number: usize,
        answer: Option<Value>,
    ) -> Arc<CachedState<P::State>> {
        let mut next = &stand.next;
        while let Some(after) = next.get() {
            if after.answer == answer {
                return after.stand.clone();
            }
            next = &after.other;
        }
        let mut state = stand.state.clone();
        let step = self.program.step(number, &mut state, answer);
        let made = CachedState::new(state, step);
        if self.kept.load(Ordering::Relaxed) < MOST {
            self.kept.fetch_add(1, Ordering::Relaxed);
            let after = Successor { answer, stand: made.clone(), other: OnceLock::new() };
            // If another thread stored its result first, this state is recomputed the next time.
            let _ = next.set(Box::new(after));
        }
        made
    }

    /// Returns whether the operation reads and its result is never used.
    pub(super) fn forgets(&self, stand: &CachedState<P::State>, number: usize) -> bool {
        let looks = || self.program.is_result_unused(number, &stand.state);
        is_read(&stand.step) && *stand.forgets.get_or_init(looks)
    }
}

/// Returns whether a step is a read or an update, which is answered with a value.
pub(super) fn is_read(step: &Step) -> bool {
    matches!(step.operation, Operation::Read(_) | Operation::Update(..))
}
