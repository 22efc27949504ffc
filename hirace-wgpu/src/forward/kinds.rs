//! The kinds of objects that are wrapped, each with its inner object and additional data.

use super::object::{Object, Outer};
use super::shared::Shared;
use crate::hooks::{BoundGroup, ComputePipeline, GroupLayout, Layout, Module};
use std::sync::{Arc, Mutex};
use wgpu::custom;

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
