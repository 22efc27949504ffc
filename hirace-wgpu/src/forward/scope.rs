//! Error scopes: wgpu's guards of the inner ones cannot leave their thread, so each thread keeps its own.
//!
//! Errors that are ours, of objects that do not belong, go to the scopes too, in the order in which they come.

use super::object::Fault;
use super::shared::Shared;
use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use wgpu::{Error, ErrorFilter};

struct Scope {
    index: u32,
    filter: ErrorFilter,
    /// An application that never pops a scope leaves it to the end of its thread, where nothing of wgpu can be called
    /// any more.
    guard: ManuallyDrop<wgpu::ErrorScopeGuard>,
    /// The first error that came in it, if that is known already.
    first: Option<Error>,
}

thread_local! {
    /// The scopes that are open on this thread, by the device's number.
    static SCOPES: RefCell<HashMap<u64, Vec<Scope>>> = RefCell::default();
}

fn with_scopes<R>(shared: &Shared, act: impl FnOnce(&mut Vec<Scope>) -> R) -> R {
    SCOPES.with_borrow_mut(|all| {
        let scopes = all.entry(shared.number).or_default();
        let result = act(scopes);
        if scopes.is_empty() {
            all.remove(&shared.number);
        }
        result
    })
}

/// Opens a scope.
pub(crate) fn push(shared: &Shared, filter: ErrorFilter) -> u32 {
    let guard = ManuallyDrop::new(shared.device.push_error_scope(filter));
    with_scopes(shared, |scopes| {
        let index = scopes.last().map_or(0, |scope| scope.index + 1);
        scopes.push(Scope { index, filter, guard, first: None });
        index
    })
}

/// Closes a scope, and gives the first error that came in it.
pub(crate) fn pop(
    shared: &Shared,
    index: u32,
) -> impl Future<Output = Option<Error>> + Send + 'static {
    let scope = with_scopes(shared, |scopes| {
        let place = scopes.iter().position(|scope| scope.index == index)?;
        Some(scopes.remove(place))
    });
    // wgpu panics where it is not this scope's turn, or where it is another thread's, unless one panics already.
    assert!(
        scope.is_some() || std::thread::panicking(),
        "Mismatched pop_error_scope call: no error scope for this thread. Error scopes are thread-local."
    );
    let parts = scope.map(|scope| (scope.first, ManuallyDrop::into_inner(scope.guard).pop()));
    async move {
        let (first, inner) = parts?;
        let inner = inner.await;
        first.or(inner)
    }
}

/// An error of ours: it goes to the innermost scope for such, if there is one on this thread.
pub(crate) fn catch(shared: &Shared, error: Error) -> Result<(), Error> {
    let filter = match error {
        Error::OutOfMemory { .. } => ErrorFilter::OutOfMemory,
        Error::Validation { .. } => ErrorFilter::Validation,
        Error::Internal { .. } => ErrorFilter::Internal,
    };
    // The inner scope may have caught something before, which then is the one to report. To see that it is closed,
    // with all in it, and they are opened anew. The thread's scopes are free meanwhile: the inner device may be a
    // wrapped one, with scopes beside these.
    let taken = with_scopes(shared, |scopes| {
        let place = scopes.iter().rposition(|scope| scope.filter == filter)?;
        Some(scopes.split_off(place))
    });
    let Some(mut taken) = taken else { return Err(error) };
    let mut closed = Vec::new();
    while let Some(Scope { index, filter, guard, first }) = taken.pop() {
        let inner = now(ManuallyDrop::into_inner(guard).pop()).flatten();
        closed.push((index, filter, first.or(inner)));
    }
    let mut ours = Some(error);
    for (index, filter, first) in closed.into_iter().rev() {
        // The first of them is the one that catches ours.
        let first = first.or(ours.take());
        let guard = ManuallyDrop::new(shared.device.push_error_scope(filter));
        with_scopes(shared, |scopes| scopes.push(Scope { index, filter, guard, first }));
    }
    Ok(())
}

/// What a future gives that does not wait, as those of native back ends do not.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// The validation error that inner calls in `act` cause, which then reaches nobody else.
pub(crate) fn caught<T>(device: &wgpu::Device, act: impl FnOnce() -> T) -> (T, Option<Error>) {
    let guard = device.push_error_scope(ErrorFilter::Validation);
    let value = act();
    (value, now(guard.pop()).flatten())
}

/// An internal error of ours, in the form of wgpu's.
pub(crate) fn internal(words: String) -> Error {
    Error::Internal { source: words.clone().into(), description: words }
}

/// A validation error of ours, in the form of wgpu's.
pub(crate) fn validation(fault: &Fault, called: &str) -> Error {
    Error::Validation {
        source: Box::new(fault.clone()),
        description: format!("Validation Error\n\nCaused by:\n  In {called}\n    {fault}\n"),
    }
}
