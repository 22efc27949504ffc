//! How an invocation goes on hangs on nothing but the answers that it was given. So each way that it went is run once,
//! and looked up where another execution goes it, too.

use super::invocation::is_read;
use crate::program::{Program, Step, Value};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// So many places are kept; what comes after more is run each time, so that memory stays what it is.
const MOST: usize = 1 << 13;

/// An invocation, run to an operation.
#[derive(Debug)]
pub(super) struct Stand<S> {
    /// The state, which waits in the operation.
    pub(super) state: S,
    /// The operation.
    pub(super) step: Step,
    forgets: OnceLock<bool>,
    next: Next<S>,
}

type Next<S> = OnceLock<Box<After<S>>>;

/// Where an invocation stands after an answer, and after others.
#[derive(Debug)]
struct After<S> {
    answer: Option<Value>,
    stand: Arc<Stand<S>>,
    other: Next<S>,
}

impl<S> Stand<S> {
    fn new(state: S, step: Step) -> Arc<Self> {
        Arc::new(Self { state, step, forgets: OnceLock::new(), next: OnceLock::new() })
    }
}

/// The ways of all invocations of a program, as far as they were run and are kept.
pub(super) struct Histories<'a, P: Program> {
    program: &'a P,
    starts: Vec<Arc<Stand<P::State>>>,
    kept: AtomicUsize,
}

impl<'a, P: Program> Histories<'a, P> {
    pub(super) fn new(program: &'a P) -> Self {
        let start = |number| {
            let mut state = program.start(number);
            let step = program.step(number, &mut state, None);
            Stand::new(state, step)
        };
        let starts = (0..program.invocations().len()).map(start).collect();
        Self { program, starts, kept: AtomicUsize::new(0) }
    }

    /// Where an invocation stands before anything is done.
    pub(super) fn start(&self, number: usize) -> Arc<Stand<P::State>> {
        self.starts[number].clone()
    }

    /// Where it stands once its operation is done, and answered so if it reads.
    pub(super) fn after(
        &self,
        stand: &Stand<P::State>,
        number: usize,
        answer: Option<Value>,
    ) -> Arc<Stand<P::State>> {
        let mut next = &stand.next;
        while let Some(after) = next.get() {
            if after.answer == answer {
                return after.stand.clone();
            }
            next = &after.other;
        }
        let mut state = stand.state.clone();
        let step = self.program.step(number, &mut state, answer);
        let made = Stand::new(state, step);
        if self.kept.load(Ordering::Relaxed) < MOST {
            self.kept.fetch_add(1, Ordering::Relaxed);
            let after = After { answer, stand: made.clone(), other: OnceLock::new() };
            // If another thread was first, it is run once more the next time.
            let _ = next.set(Box::new(after));
        }
        made
    }

    /// Whether the answer to the operation is looked at nowhere.
    pub(super) fn forgets(&self, stand: &Stand<P::State>, number: usize) -> bool {
        let looks = || self.program.forgets(number, &stand.state);
        is_read(&stand.step) && *stand.forgets.get_or_init(looks)
    }
}
