//! The errors that calls of inner objects cause.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use wgpu::{Error, ErrorFilter};

/// Runs `act` and returns the validation error that its inner calls cause. The error does not reach any other scope.
pub(crate) fn caught<T>(device: &wgpu::Device, act: impl FnOnce() -> T) -> (T, Option<Error>) {
    let guard = device.push_error_scope(ErrorFilter::Validation);
    let value = act();
    (value, poll_ready(guard.pop()).flatten())
}

/// Returns the value of a future that is ready at once, as those of native back ends are.
pub(crate) fn poll_ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
