//! Errors of a device, and error scopes. The guards of inner scopes cannot leave their thread, so each thread keeps its own.
//!
//! Errors of this crate, about objects of another instance, are also delivered to the scopes, in the order in which
//! they occur.

use super::lock;
use super::object::Fault;
use super::shared::Shared;
use crate::inner_errors::poll_ready;
use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::mem::ManuallyDrop;
use wgpu::{Error, ErrorFilter};

impl Shared {
    /// Reports an error of this crate in the same way as wgpu reports its own.
    pub(crate) fn fail(&self, fault: &Fault, called: &str) {
        self.raise(validation(fault, called));
    }

    /// Reports an error as wgpu does: to an error scope, to the application's handler, or with a panic if there is no
    /// handler.
    pub(crate) fn raise(&self, error: wgpu::Error) {
        let Err(error) = catch(self, error) else { return };
        let handler = lock(&self.handler).clone();
        match handler {
            Some(handler) => handler(error),
            None => panic!("wgpu error: {error}\n"),
        }
    }

    /// Reports the error of a result, if it is one, and returns the result.
    pub(crate) fn reported<T>(&self, made: Result<T, Fault>, called: &str) -> Result<T, Fault> {
        if let Err(fault) = &made {
            self.fail(fault, called);
        }
        made
    }
}

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
fn catch(shared: &Shared, error: Error) -> Result<(), Error> {
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

/// Returns an internal error in wgpu's form.
pub(crate) fn internal(words: String) -> Error {
    Error::Internal { source: words.clone().into(), description: words }
}

/// Returns a validation error in wgpu's form.
fn validation(fault: &Fault, called: &str) -> Error {
    Error::Validation {
        source: Box::new(fault.clone()),
        description: format!("Validation Error\n\nCaused by:\n  In {called}\n    {fault}\n"),
    }
}
