//! What all wrapped objects have in common: where they belong, and the inner object, or why there is none.

use super::shared::Shared;
use crate::hooks::{BoundGroup, ComputePipeline, GroupLayout, Layout, Module};
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use wgpu::custom;

/// The wrapped instance that an object belongs to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Home(u64);

impl Home {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The inner object, of one of this instance.
    pub(crate) fn open<O: Outer>(self, outer: &O) -> Result<&O::Inner, Fault> {
        self.object(outer)?.inner.as_ref().map_err(Clone::clone)
    }

    /// The wrapped object, of one of this instance.
    pub(crate) fn object<O: Outer>(self, outer: &O) -> Result<&Object<O::Inner, O::Own>, Fault> {
        outer.object().filter(|object| object.home == self).ok_or_else(|| Fault::foreign(O::WHAT))
    }

    /// The inner objects of several, of which some may be left out.
    pub(crate) fn open_some<'a, O: Outer + 'a>(
        self,
        outer: Option<&'a O>,
    ) -> Result<Option<&'a O::Inner>, Fault> {
        outer.map(|outer| self.open(outer)).transpose()
    }

    pub(crate) fn wrap<T>(self, inner: T) -> Object<T> {
        Object { home: self, inner: Ok(inner), own: () }
    }
}

/// Why an object is not there, or cannot be used.
#[derive(Clone, Debug)]
pub(crate) struct Fault(Arc<str>);

impl Fault {
    pub(crate) fn new(words: impl Into<Arc<str>>) -> Self {
        Self(words.into())
    }

    pub(crate) fn foreign(what: &str) -> Self {
        Self::new(format!(
            "the {what} was made by another wgpu instance than the one it is used with; objects of a wrapped \
             instance go with those of the same instance only"
        ))
    }

    /// What is invalid because of it.
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

/// An object of wgpu's that may be a wrapped one.
pub(crate) trait Outer {
    /// What is wrapped.
    type Inner;
    /// What else its wrapper holds.
    type Own;
    /// What it is, in words.
    const WHAT: &'static str;

    /// The wrapper, if it is one.
    fn object(&self) -> Option<&Object<Self::Inner, Self::Own>>;
}

macro_rules! outer {
    (@ ($what:literal, $inner:ty, $own:ty) $outer:ty) => {
        impl Outer for $outer {
            type Inner = $inner;
            type Own = $own;
            const WHAT: &'static str = $what;

            fn object(&self) -> Option<&Object<$inner, $own>> {
                self.as_custom()
            }
        }
    };
    ($($wrapper:tt => $($outer:ty),+;)*) => { $($( outer!(@ $wrapper $outer); )+)* };
}

outer! {
    ("bind group", Arc<BoundGroup>, ()) => custom::DispatchBindGroup;
    ("bind group layout", Arc<GroupLayout>, ()) => wgpu::BindGroupLayout;
    ("pipeline layout", Arc<Layout>, ()) => wgpu::PipelineLayout;
    ("shader module", Arc<Module>, ()) => wgpu::ShaderModule;
    ("compute pipeline", Arc<ComputePipeline>, Arc<Shared>) => custom::DispatchComputePipeline;
    ("render pipeline", wgpu::RenderPipeline, Arc<Shared>) => custom::DispatchRenderPipeline;
    ("pipeline cache", wgpu::PipelineCache, ()) => wgpu::PipelineCache;
    ("buffer", wgpu::Buffer, Mutex<()>) => wgpu::Buffer, custom::DispatchBuffer;
    ("texture", wgpu::Texture, ()) => wgpu::Texture, custom::DispatchTexture;
    ("texture view", wgpu::TextureView, wgpu::TextureViewDescriptor<'static>) => wgpu::TextureView, custom::DispatchTextureView;
    ("external texture", wgpu::ExternalTexture, ()) => wgpu::ExternalTexture;
    ("sampler", wgpu::Sampler, wgpu::SamplerDescriptor<'static>) => wgpu::Sampler;
    ("query set", wgpu::QuerySet, ()) => wgpu::QuerySet, custom::DispatchQuerySet;
    ("render bundle", wgpu::RenderBundle, ()) => custom::DispatchRenderBundle;
    ("bottom-level acceleration structure", wgpu::Blas, ()) => wgpu::Blas, custom::DispatchBlas;
    ("top-level acceleration structure", wgpu::Tlas, ()) => wgpu::Tlas;
    ("surface", wgpu::Surface<'static>, ()) => wgpu::Surface<'_>, custom::DispatchSurface;
}
