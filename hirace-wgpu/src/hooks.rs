//! Hooks into an application: what a watcher sees, and what it can change.
//!
//! All objects here are inner objects: a watcher uses the wrapped instance, and does not see its own actions. It must
//! not use the application's objects, which belong to the wrapping instance.
//!
//! An error that a watcher causes on the device would reach the error scopes of the application. A watcher that may
//! cause errors must therefore push an error scope on the inner device.

mod dispatch;
mod objects;
mod parts;
mod pipeline;

pub use dispatch::{BoundGroupOffsets, Dispatch, Workgroups};
pub use objects::{
    BoundGroup, BoundSampler, BufferPart, Entry, GroupLayout, Layout, Module, Resource, Source,
    View,
};
pub use pipeline::{ComputePipeline, CreatedPipeline, PipelineRequest};

pub(crate) use dispatch::OpenPass;
pub(crate) use objects::bind_group;
pub(crate) use parts::Parts;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// Callbacks for the creation of devices.
pub trait Hooks: Debug + Send + Sync + 'static {
    /// Returns the adapter information that the application sees.
    fn info(&self, info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
        info
    }

    /// Returns the adapter limits that the application sees. Many applications request all limits of an adapter; limits
    /// that are reduced here remain available to [`Hooks::requesting`].
    fn limits(&self, adapter: &wgpu::Adapter, limits: wgpu::Limits) -> wgpu::Limits {
        let _ = adapter;
        limits
    }

    /// Called when the application requests a device. May change the request.
    fn requesting(&self, adapter: &wgpu::Adapter, asked: &mut wgpu::DeviceDescriptor<'_>) {
        let _ = (adapter, asked);
    }

    /// Called when a device has been created. Returns its watcher, if there is one. `asked` is the unchanged request of
    /// the application.
    fn device(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        let _ = (device, queue, asked);
        None
    }
}

/// Hooks that watch nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoHooks;

impl Hooks for NoHooks {}

/// Data that a watcher attaches to an encoder. It is returned when the commands are submitted, and dropped if they
/// never are.
pub type Record = Box<dyn Any + Send + Sync>;

/// Callbacks for one device. They are called on the threads of the application, possibly at the same time.
pub trait Watcher: Debug + Send + Sync + 'static {
    /// Returns the adapter information that the application sees on the device.
    fn info(&self, info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
        info
    }

    /// Returns the features of the device that the application sees.
    fn features(&self, features: wgpu::Features) -> wgpu::Features {
        features
    }

    /// Returns the limits of the device that the application sees.
    fn limits(&self, limits: wgpu::Limits) -> wgpu::Limits {
        limits
    }

    /// Returns the usage to create a buffer with, given the requested one. It may contain more flags, which the
    /// application does not see.
    fn buffer_usage(&self, usage: wgpu::BufferUsages) -> wgpu::BufferUsages {
        usage
    }

    /// Returns the usage to create a texture with, given the requested one.
    ///
    /// # Errors
    /// Returns a message if the texture is not supported. It is reported as a validation error.
    fn texture_usage(
        &self,
        texture: &wgpu::TextureDescriptor<'_>,
    ) -> Result<wgpu::TextureUsages, String> {
        Ok(texture.usage)
    }

    /// Called when a shader module is created from WGSL. Returns another text to use instead, or `None`.
    fn wgsl(&self, text: &str) -> Option<String> {
        let _ = text;
        None
    }

    /// Called when a compute pipeline is requested. Returns another pipeline to use instead, with a state for its
    /// dispatches, or `None`.
    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<CreatedPipeline> {
        let _ = request;
        None
    }

    /// Called when an object is created whose work the watcher will not see.
    fn unwatched(&self, what: UnwatchedPipeline<'_>) {
        let _ = what;
    }

    /// Called when a compute pass begins. The encoder can record commands before the pass.
    fn pass_begins(&self, encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        let _ = (encoder, records);
    }

    /// Called when a dispatch is recorded. An implementation must call [`Dispatch::record`] once; otherwise the
    /// dispatch is omitted.
    fn dispatch(&self, dispatch: &mut Dispatch<'_>, records: &mut Vec<Record>) {
        let _ = records;
        dispatch.record();
    }

    /// Called when a compute pass has ended. The encoder can record commands after the pass.
    fn pass_ended(&self, encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        let _ = (encoder, records);
    }

    /// Called when the application finishes an encoder, which can record further commands.
    fn finishing(&self, encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        let _ = (encoder, records);
    }

    /// Called after the part of a submission that ends with this step ([`Dispatch::split`]) has been submitted, and
    /// before the rest.
    ///
    /// # Errors
    /// Returns a message if the step failed. The rest is then not submitted, and the application receives an internal
    /// error.
    fn between(&self, step: Step<'_>) -> Result<(), String> {
        let _ = step;
        Ok(())
    }

    /// Called when the recorded commands have been submitted without an error.
    fn submitted(&self, submission: Submission<'_>) {
        let _ = submission;
    }

    /// Called when the application destroys the device or has dropped its last handle to it. The inner device remains
    /// usable until this returns. May be called more than once.
    fn closing(&self) {}
}

/// A submission of the application.
#[derive(Debug)]
pub struct Submission<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// The queue of the device.
    pub queue: &'a wgpu::Queue,
    /// The submission index, for waiting on the device.
    pub index: &'a wgpu::SubmissionIndex,
    /// The records that were attached to the command buffers, in order.
    pub records: Vec<Record>,
}

/// A step between two parts of a submission.
#[derive(Debug)]
pub struct Step<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// The queue of the device.
    pub queue: &'a wgpu::Queue,
    /// The index of the submission before the step, for waiting on the device.
    pub index: &'a wgpu::SubmissionIndex,
    /// The record that was passed to [`Dispatch::split`].
    pub record: Record,
}

/// An object that runs shaders and whose work watchers do not see.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UnwatchedPipeline<'a> {
    /// A render pipeline, whose stages may also write storage.
    RenderPipeline {
        /// The label.
        label: Option<&'a str>,
    },
    /// A mesh pipeline.
    MeshPipeline {
        /// The label.
        label: Option<&'a str>,
    },
}
