//! Error scopes. The guards of inner scopes cannot leave their thread, so each thread keeps its own.
//!
//! Errors of this crate, about objects of another instance, are also delivered to the scopes, in the order in which
//! they occur.

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
    /// An application that never pops a scope keeps it until the end of its thread, where wgpu can no longer be called.
    guard: ManuallyDrop<wgpu::ErrorScopeGuard>,
    /// The first error in the scope, if it is already known.
    first: Option<Error>,
}

thread_local! {
    /// The open scopes of this thread, by the number of the device.
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

/// Opens a scope and returns its index.
pub(crate) fn push(shared: &Shared, filter: ErrorFilter) -> u32 {
    let guard = ManuallyDrop::new(shared.device.push_error_scope(filter));
    with_scopes(shared, |scopes| {
        let index = scopes.last().map_or(0, |scope| scope.index + 1);
        scopes.push(Scope { index, filter, guard, first: None });
        index
    })
}

/// Closes a scope and returns the first error in it.
pub(crate) fn pop(
    shared: &Shared,
    index: u32,
) -> impl Future<Output = Option<Error>> + Send + 'static {
    let scope = with_scopes(shared, |scopes| {
        let place = scopes.iter().position(|scope| scope.index == index)?;
        Some(scopes.remove(place))
    });
    // wgpu panics if this is not the innermost scope of this thread, unless the thread is already panicking.
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

/// Delivers an error of this crate to the innermost scope for it on this thread. Returns the error if there is none.
pub(crate) fn catch(shared: &Shared, error: Error) -> Result<(), Error> {
    let filter = match error {
        Error::OutOfMemory { .. } => ErrorFilter::OutOfMemory,
        Error::Validation { .. } => ErrorFilter::Validation,
        Error::Internal { .. } => ErrorFilter::Internal,
    };
    // The inner scope may already have caught an error, which is then the one to report. To find out, the scope and all
    // scopes in it are closed and opened again. The thread's scopes are not borrowed during this, because the inner
    // device may be a wrapped one, which has its own scopes here.
    let taken = with_scopes(shared, |scopes| {
        let place = scopes.iter().rposition(|scope| scope.filter == filter)?;
        Some(scopes.split_off(place))
    });
    let Some(mut taken) = taken else { return Err(error) };
    let mut closed = Vec::new();
    while let Some(Scope { index, filter, guard, first }) = taken.pop() {
        let inner = poll_ready(ManuallyDrop::into_inner(guard).pop()).flatten();
        closed.push((index, filter, first.or(inner)));
    }
    let mut ours = Some(error);
    for (index, filter, first) in closed.into_iter().rev() {
        // The outermost of these scopes catches the error.
        let first = first.or(ours.take());
        let guard = ManuallyDrop::new(shared.device.push_error_scope(filter));
        with_scopes(shared, |scopes| scopes.push(Scope { index, filter, guard, first }));
    }
    Ok(())
}

/// Returns the value of a future that is ready at once, as those of native back ends are.
pub(crate) fn poll_ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Runs `act` and returns the validation error that its inner calls cause. The error does not reach any other scope.
pub(crate) fn caught<T>(device: &wgpu::Device, act: impl FnOnce() -> T) -> (T, Option<Error>) {
    let guard = device.push_error_scope(ErrorFilter::Validation);
    let value = act();
    (value, poll_ready(guard.pop()).flatten())
}

/// Returns an internal error in wgpu's form.
pub(crate) fn internal(words: String) -> Error {
    Error::Internal { source: words.clone().into(), description: words }
}

/// Returns a validation error in wgpu's form.
pub(crate) fn validation(fault: &Fault, called: &str) -> Error {
    Error::Validation {
        source: Box::new(fault.clone()),
        description: format!("Validation Error\n\nCaused by:\n  In {called}\n    {fault}\n"),
    }
}
