//! The common part of wrapped objects: the instance to which they belong, and the inner object or the reason why there
//! is none.

use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// The identity of a wrapped instance.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Home(u64);

impl Home {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the inner object of `outer`, which must belong to this instance.
    pub(crate) fn open<O: WrapperObject>(self, outer: &O) -> Result<&O::InnerObject, Fault> {
        self.object(outer)?.inner.as_ref().map_err(Clone::clone)
    }

    /// Returns the [`Object`] of `outer`, which must belong to this instance.
    pub(crate) fn object<O: WrapperObject>(
        self,
        outer: &O,
    ) -> Result<&Object<O::InnerObject, O::ExtraData>, Fault> {
        outer.object().filter(|object| object.home == self).ok_or_else(|| Fault::foreign(O::WHAT))
    }

    /// Returns the inner object of `outer`, if there is one.
    pub(crate) fn open_some<'a, O: WrapperObject + 'a>(
        self,
        outer: Option<&'a O>,
    ) -> Result<Option<&'a O::InnerObject>, Fault> {
        outer.map(|outer| self.open(outer)).transpose()
    }

    pub(crate) fn wrap<T>(self, inner: T) -> Object<T> {
        Object { home: self, inner: Ok(inner), own: () }
    }
}

/// The reason why an object does not exist or cannot be used.
#[derive(Clone, Debug)]
pub(crate) struct Fault(Arc<str>);

impl Fault {
    pub(crate) fn new(message: impl Into<Arc<str>>) -> Self {
        Self(message.into())
    }

    pub(crate) fn foreign(what: &str) -> Self {
        Self::new(format!(
            "the {what} was made by another wgpu instance; objects of a wrapped instance can only be used \
             with objects of the same instance"
        ))
    }

    /// Returns the error for an object that is invalid because of this one.
    pub(crate) fn makes_invalid(&self, what: &str, label: Option<&str>) -> Self {
        let label = label.unwrap_or_default();
        Self::new(format!("{what} with '{label}' label is invalid: {self}"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Fault {}

/// A wrapped object.
#[derive(Debug)]
pub(crate) struct Object<T, X = ()> {
    pub(crate) home: Home,
    pub(crate) inner: Result<T, Fault>,
    pub(crate) own: X,
}

/// A wgpu object that may be a wrapped one.
pub(crate) trait WrapperObject {
    /// The type of the inner object.
    type InnerObject;
    /// The type of the wrapper's additional data.
    type ExtraData;
    /// The kind of object, for messages.
    const WHAT: &'static str;

    /// Returns the wrapper, if this is a wrapped object.
    fn object(&self) -> Option<&Object<Self::InnerObject, Self::ExtraData>>;
}
