//! Shader modules, which record their source.

use super::object::Object;
use super::shared::SharedDevice;
use crate::hooks::{Module, Source};
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use wgpu::custom::{DispatchShaderModule, ShaderCompilationInfoFuture, ShaderModuleInterface};

impl ShaderModuleInterface for Object<Arc<Module>> {
    fn get_compilation_info(&self) -> Pin<Box<dyn ShaderCompilationInfoFuture>> {
        match &self.inner {
            Ok(module) => Box::pin(module.inner.get_compilation_info()),
            Err(_) => Box::pin(ready(wgpu::CompilationInfo { messages: Vec::new() })),
        }
    }
}

#[expect(unsafe_code, reason = "the requested runtime checks are set by an unsafe method")]
pub(crate) fn module(
    shared: &SharedDevice,
    descriptor: wgpu::ShaderModuleDescriptor<'_>,
    checks: wgpu::ShaderRuntimeChecks,
) -> DispatchShaderModule {
    let mut descriptor = descriptor;
    // Without a watcher the source is not needed, and it may be long.
    let source = match &shared.watcher {
        Some(watcher) => {
            let other = match &descriptor.source {
                wgpu::ShaderSource::Wgsl(text) => watcher.wgsl(text),
                _ => None,
            };
            if let Some(other) = other {
                descriptor.source = wgpu::ShaderSource::Wgsl(other.into());
            }
            Source::of(&descriptor.source)
        }
        None => Source::Unread,
    };
    let label = descriptor.label.map(str::to_owned);
    // SAFETY: if the application called the safe method, wgpu calls this with all checks enabled. If it called the
    // unsafe method, it has made the required promise for these checks and this source.
    let inner = unsafe { shared.device.create_shader_module_trusted(descriptor, checks) };
    wrap(shared, Module { inner, label, source, checks: Some(checks) })
}

#[expect(unsafe_code, reason = "the inner method is unsafe")]
pub(crate) unsafe fn passthrough(
    shared: &SharedDevice,
    descriptor: &wgpu::ShaderModuleDescriptorPassthrough<'_>,
) -> DispatchShaderModule {
    let source = Source::Passthrough {
        spirv: descriptor.spirv.as_deref().map(<[u32]>::to_vec),
        wgsl: descriptor.wgsl.as_deref().map(str::to_owned),
        glsl: descriptor.glsl.as_deref().map(str::to_owned),
    };
    // SAFETY: the caller promises the same of the same source.
    let inner = unsafe { shared.device.create_shader_module_passthrough(descriptor.clone()) };
    let label = descriptor.label.map(str::to_owned);
    wrap(shared, Module { inner, label, source, checks: None })
}

fn wrap(shared: &SharedDevice, module: Module) -> DispatchShaderModule {
    DispatchShaderModule::custom(shared.home.wrap(Arc::new(module)))
}
