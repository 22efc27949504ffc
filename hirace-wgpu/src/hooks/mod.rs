//! The seam: what a watcher is shown of an application, and what it may change.
//!
//! All objects here are inner ones: a watcher works on the instance that is wrapped, and what it does is not shown to
//! itself. It must not use the application's objects, which belong to the wrapping instance.
//!
//! What a watcher does wrong on the device would reach the application, as an error in its error scopes. Who may fail
//! pushes an error scope on the inner device around what it does.

mod dispatch;
mod objects;
mod pipeline;

pub use dispatch::{Bound, Dispatch, Workgroups};
pub use objects::{
    BoundGroup, BufferPart, Entry, GroupLayout, Layout, Module, Resource, SampledBy, Source, View,
};
pub use pipeline::{ComputePipeline, MadePipeline, PipelineRequest};

pub(crate) use dispatch::Open;
pub(crate) use objects::bind_group;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// Who is asked when an application asks for a device.
pub trait Hooks: Debug + Send + Sync + 'static {
    /// What an adapter is called, for the application.
    fn info(&self, info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
        info
    }

    /// The limits of an adapter as the application sees them. What is taken off here remains for [`Hooks::requesting`] to
    /// ask for: many applications ask for all that an adapter has.
    fn limits(&self, adapter: &wgpu::Adapter, limits: wgpu::Limits) -> wgpu::Limits {
        let _ = adapter;
        limits
    }

    /// The application asks for a device; what it asks for may be changed.
    fn requesting(&self, adapter: &wgpu::Adapter, asked: &mut wgpu::DeviceDescriptor<'_>) {
        let _ = (adapter, asked);
    }

    /// The device is there. Who watches it, if anybody. `asked` is what the application asked for, before it was
    /// changed.
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

/// What a watcher noted while an encoder recorded; it comes back when that is submitted, and is dropped if it never is.
pub type Record = Box<dyn Any + Send + Sync>;

/// Who watches one device. Methods are called on the threads of the application, some of them at once.
pub trait Watcher: Debug + Send + Sync + 'static {
    /// What the device is called, for the application.
    fn info(&self, info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
        info
    }

    /// The features of the device as the application sees them.
    fn features(&self, features: wgpu::Features) -> wgpu::Features {
        features
    }

    /// The limits of the device as the application sees them.
    fn limits(&self, limits: wgpu::Limits) -> wgpu::Limits {
        limits
    }

    /// How a buffer can be used that the application wants to use so. More may be asked for, which the application is not
    /// shown.
    fn buffer_usage(&self, usage: wgpu::BufferUsages) -> wgpu::BufferUsages {
        usage
    }

    /// Likewise a texture.
    ///
    /// # Errors
    /// There can be no such texture, which is a validation error in these words.
    fn texture_usage(
        &self,
        texture: &wgpu::TextureDescriptor<'_>,
    ) -> Result<wgpu::TextureUsages, String> {
        Ok(texture.usage)
    }

    /// A shader module is made of this WGSL. `None` makes it of that; another text may be given in its stead.
    fn wgsl(&self, text: &str) -> Option<String> {
        let _ = text;
        None
    }

    /// A compute pipeline is asked for. `None` makes it as it is asked for; another one may be given in its stead,
    /// with what is to be known of it at each dispatch.
    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<MadePipeline> {
        let _ = request;
        None
    }

    /// Something is made that no method here is shown the work of.
    fn unwatched(&self, what: Unwatched<'_>) {
        let _ = what;
    }

    /// A compute pass begins. The encoder may record what is to be done before it.
    fn pass_begins(&self, encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        let _ = (encoder, records);
    }

    /// A dispatch is recorded. Who overrides this calls [`Dispatch::record`], once, or the dispatch is left out.
    fn dispatch(&self, dispatch: &mut Dispatch<'_>, records: &mut Vec<Record>) {
        let _ = records;
        dispatch.record();
    }

    /// A compute pass has ended. The encoder may record what is to be done after it.
    fn pass_ended(&self, encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        let _ = (encoder, records);
    }

    /// The application finishes an encoder, which may record more.
    fn finishing(&self, encoder: &mut wgpu::CommandEncoder, records: &mut Vec<Record>) {
        let _ = (encoder, records);
    }

    /// The part of a submission has been submitted that ends with this step ([`Dispatch::part`]), and nothing behind it.
    ///
    /// # Errors
    /// What the step is for cannot be done. The rest is not submitted, and the application is told, as of an internal
    /// error.
    fn between(&self, step: Step<'_>) -> Result<(), String> {
        let _ = step;
        Ok(())
    }

    /// What was recorded has been submitted, without an error of the submission.
    fn submitted(&self, submission: Submission<'_>) {
        let _ = submission;
    }

    /// The application destroys the device, or has dropped the last of its handles to it. The inner device can be used
    /// until this returns. It may be called more than once.
    fn closing(&self) {}
}

/// A submission of the application's.
#[derive(Debug)]
pub struct Submission<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// Its queue.
    pub queue: &'a wgpu::Queue,
    /// What can be waited for on that device.
    pub index: &'a wgpu::SubmissionIndex,
    /// What was noted while its command buffers were recorded, in their order.
    pub records: Vec<Record>,
}

/// A step between two parts of a submission.
#[derive(Debug)]
pub struct Step<'a> {
    /// The device.
    pub device: &'a wgpu::Device,
    /// Its queue.
    pub queue: &'a wgpu::Queue,
    /// What can be waited for on that device: what comes before the step.
    pub index: &'a wgpu::SubmissionIndex,
    /// What was given to [`Dispatch::part`].
    pub record: Record,
}

/// What runs shaders and is not shown to watchers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unwatched<'a> {
    /// A render pipeline: its stages may write storage as well.
    RenderPipeline {
        /// Its label.
        label: Option<&'a str>,
    },
    /// A mesh pipeline.
    MeshPipeline {
        /// Its label.
        label: Option<&'a str>,
    },
}
