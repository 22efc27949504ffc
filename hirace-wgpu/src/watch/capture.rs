//! A dispatch with copies of its resources, made before it runs.

use super::bindings::{Bindings, BufferCopy, Part};
use super::checker::catch_panic;
use super::kernel::{Kernel, ParsedKernel};
use super::not_watched::NotWatchedReason;
use super::shaders::Shaders;
use super::{budget, texels};
use crate::hooks::{Dispatch, Workgroups};
use crate::inner_errors::{caught, poll_ready};
use hirace_core::facts::{Assumption, HostDispatch};
use hirace_core::launch::spec::HostMemory;
use hirace_core::vm::memory::{Buffer, Resource, Resources};
use naga::{GlobalVariable, Handle, ImageClass, TypeInner};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::{mpsc, Arc};
use std::time::Duration;

/// A dispatch and its bindings, before copies are made.
#[derive(Debug)]
pub(crate) struct PlannedCapture {
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) read: Arc<ParsedKernel>,
    pub(crate) host: HostDispatch,
    grid: Grid,
    /// The limit per dimension. wgpu skips an indirect dispatch that exceeds it.
    max_workgroups: u32,
    immediates: Vec<u8>,
    bindings: Bindings,
}

/// A dispatch with copies of its resources. See the [module](self).
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) plan: PlannedCapture,
    copies: wgpu::Buffer,
    _budget: Option<budget::Allocation>,
}

#[derive(Debug)]
enum Grid {
    Direct([u32; 3]),
    /// The three words in a buffer that hold the number of workgroups.
    Copied(BufferCopy),
}

/// The mapped copies.
pub(crate) struct MappedCopies<'a> {
    plan: &'a PlannedCapture,
    view: wgpu::BufferView,
    pub(crate) workgroups: [u32; 3],
}

impl PlannedCapture {
    /// Collects the bindings of `dispatch`, whose number is `number`.
    pub(crate) fn of(
        dispatch: &Dispatch<'_>,
        kernel: &Arc<Kernel>,
        shaders: &Shaders,
        number: u64,
    ) -> Result<Self, NotWatchedReason> {
        catch_panic(|| Self::plan_capture(dispatch, kernel, shaders, number))
    }

    fn plan_capture(
        dispatch: &Dispatch<'_>,
        kernel: &Arc<Kernel>,
        shaders: &Shaders,
        number: u64,
    ) -> Result<Self, NotWatchedReason> {
        let read = kernel.read(shaders)?;
        let mut bindings = Bindings::of(dispatch, &read)?;
        let grid = match dispatch.workgroups() {
            Workgroups::Direct(workgroups) => Grid::Direct(*workgroups),
            Workgroups::Indirect { buffer, offset } => {
                let words = bindings.piece(buffer, *offset, 12);
                let to_error =
                    |why| NotWatchedReason::NotCopyable("the number of workgroups".to_owned(), why);
                Grid::Copied(words.map_err(to_error)?)
            }
        };
        Ok(Self {
            kernel: Arc::clone(kernel),
            read,
            host: HostDispatch::new(
                kernel.label.clone(),
                dispatch.pass_label().filter(|label| !label.is_empty()).map(str::to_owned),
                number,
            ),
            grid,
            max_workgroups: dispatch.device().limits().max_compute_workgroups_per_dimension,
            immediates: dispatch.immediates().to_vec(),
            bindings,
        })
    }

    /// Records the copies before the dispatch.
    pub(crate) fn record_copies(
        self,
        dispatch: &mut Dispatch<'_>,
        budget: &Arc<budget::Budget>,
    ) -> Result<Capture, NotWatchedReason> {
        let bytes = self.bindings.bytes.max(4);
        let allocation = budget.take(bytes, dispatch.device().limits().max_buffer_size)?;
        let copies = staging(dispatch.device(), bytes)?;
        dispatch
            .split_with(|encoder| self.copy(encoder, &copies))
            .map_err(NotWatchedReason::Pass)?;
        Ok(Capture { plan: self, copies, _budget: Some(allocation) })
    }

    /// Makes the copies now, and waits for them.
    pub(crate) fn now(
        self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
    ) -> Result<Capture, NotWatchedReason> {
        let copies = staging(device, self.bindings.bytes.max(4))?;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.copy(&mut encoder, &copies);
        let index = queue.submit([encoder.finish()]);
        let capture = Capture { plan: self, copies, _budget: None };
        let mapped = capture.map();
        capture.wait(device, index, &mapped)?;
        Ok(capture)
    }

    fn copy(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer) {
        self.bindings.parts.iter().for_each(|(_, part)| part.copy(encoder, to));
        if let Grid::Copied(words) = &self.grid {
            words.copy(encoder, to);
        }
    }

    /// Returns the bound buffer parts by variable.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = (Handle<GlobalVariable>, &BufferCopy)> {
        self.bindings.parts.iter().filter_map(|(handle, part)| match part {
            Part::Buffer(piece) => Some((*handle, piece)),
            _ => None,
        })
    }
}

/// The receiver of the result of mapping.
pub(crate) type MapResult = mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>;

/// The timeout for a result that another thread is about to deliver.
const MAP_TIMEOUT: Duration = Duration::from_secs(10);

impl Capture {
    /// Requests mapping of the copies once they are made.
    pub(crate) fn map(&self) -> MapResult {
        let (sender, receiver) = mpsc::channel();
        // The receiver may have been dropped.
        self.copies.map_async(wgpu::MapMode::Read, .., move |mapped| drop(sender.send(mapped)));
        receiver
    }

    /// Waits until the copies are mapped. They are made by the submission `index`.
    pub(crate) fn wait(
        &self,
        device: &wgpu::Device,
        index: wgpu::SubmissionIndex,
        mapped: &MapResult,
    ) -> Result<(), NotWatchedReason> {
        let to_error = |error: &dyn std::fmt::Display| NotWatchedReason::NotRead(error.to_string());
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
        device.poll(wait).map_err(|error| to_error(&error))?;
        // Another thread that polls may have run the callback, and may not have sent the result yet.
        let result = mapped.recv_timeout(MAP_TIMEOUT).map_err(|error| to_error(&error))?;
        result.map_err(|error| to_error(&error))
    }

    /// Returns the copies, which must be mapped.
    pub(crate) fn copied(&self) -> Result<MappedCopies<'_>, NotWatchedReason> {
        let plan = &self.plan;
        let view = self.copies.slice(..).get_mapped_range();
        let view = view.map_err(|error| NotWatchedReason::NotRead(error.to_string()))?;
        let workgroups = match &plan.grid {
            Grid::Direct(workgroups) => *workgroups,
            Grid::Copied(BufferCopy { at, .. }) => {
                let words = view.get(*at as usize..).unwrap_or_default().as_chunks::<4>().0;
                let counts: [u32; 3] = std::array::from_fn(|i| {
                    words.get(i).map_or(0, |word| u32::from_le_bytes(*word))
                });
                match counts.iter().all(|&count| count <= plan.max_workgroups) {
                    true => counts,
                    false => [0; 3],
                }
            }
        };
        Ok(MappedCopies { plan, view, workgroups })
    }
}

impl MappedCopies<'_> {
    /// Returns the hash of everything on which the result of the launch depends.
    pub(crate) fn digest(&self) -> u64 {
        let mut hash = FxHasher::default();
        self.workgroups.iter().for_each(|&count| hash.write_u32(count));
        hash.write(&self.plan.immediates);
        // The same bytes may belong to different variables.
        for (_, part) in &self.plan.bindings.parts {
            match part {
                Part::Buffer(BufferCopy { at, bytes, .. }) => [at, bytes].hash(&mut hash),
                Part::Texture { format, levels, .. } => (format, levels).hash(&mut hash),
                Part::Blank { size, .. } => size.hash(&mut hash),
                Part::Sampler(sampler) => sampler.hash(&mut hash),
                Part::Immediates(bytes) => bytes.hash(&mut hash),
            }
        }
        self.plan.bindings.plainer.hash(&mut hash);
        hash.write(&self.view);
        hash.finish()
    }

    /// Returns the bound memory. Textures that are read with simplified samplers are marked as inferred, because the
    /// application may read other values.
    pub(crate) fn memory(&self) -> Result<HostMemory, NotWatchedReason> {
        catch_panic(|| self.create_memory())
    }

    fn create_memory(&self) -> Result<HostMemory, NotWatchedReason> {
        let PlannedCapture { read, immediates, bindings: Bindings { parts, plainer, .. }, .. } =
            self.plan;
        let module = &read.program.module;
        let name = |handle: &Handle<GlobalVariable>| {
            module.global_variables[*handle].name.clone().unwrap_or_default()
        };
        let mut resources = Resources { by_global: vec![None; module.global_variables.len()] };
        for (handle, part) in parts {
            let resource = match part {
                Part::Buffer(BufferCopy { at, bytes, .. }) => {
                    let (at, bytes) = (*at as usize, *bytes as usize);
                    let copied = self.view.get(at..at + bytes).unwrap_or_default();
                    Resource::Buffer(Buffer::new(copied))
                }
                Part::Texture { format, levels, .. } => {
                    Resource::Texture(format.texture(levels, &self.view))
                }
                Part::Blank { size, .. } => {
                    let too_large =
                        || NotWatchedReason::NotCopyable(name(handle), "it is too large");
                    Resource::Texture(texels::blank(*size).ok_or_else(too_large)?)
                }
                Part::Sampler(sampler) => Resource::Sampler(*sampler),
                Part::Immediates(size) => {
                    let mut data = immediates.clone();
                    data.resize(*size as usize, 0);
                    Resource::Buffer(Buffer::new(&data))
                }
            };
            resources.by_global[handle.index()] = Some(resource);
        }
        let is_sampled = |handle: &Handle<GlobalVariable>| {
            let inner = &module.types[module.global_variables[*handle].ty].inner;
            matches!(inner, TypeInner::Image { class, .. } if !matches!(class, ImageClass::Storage { .. }))
        };
        let guessed = match plainer.is_empty() {
            true => Vec::new(),
            false => parts.iter().map(|(handle, _)| *handle).filter(is_sampled).collect(),
        };
        let assumption = |handle| Assumption::Sampler { variable: name(handle) };
        Ok(HostMemory {
            resources: Arc::new(resources),
            guessed,
            assumptions: plainer.iter().map(assumption).collect(),
        })
    }
}

/// Creates a buffer for copies. Errors do not reach the error scopes of the application.
fn staging(device: &wgpu::Device, bytes: u64) -> Result<wgpu::Buffer, NotWatchedReason> {
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let descriptor = wgpu::BufferDescriptor {
        label: Some("hirace: copies of bindings"),
        size: bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    };
    let (buffer, error) = caught(device, || device.create_buffer(&descriptor));
    match (poll_ready(memory.pop()).flatten(), error) {
        (None, None) => Ok(buffer),
        _ => Err(NotWatchedReason::OutOfMemory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_staging_does_not_reach_the_application() {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::NOOP;
        descriptor.backend_options.noop = wgpu::NoopBackendOptions::enabled();
        let instance = wgpu::Instance::new(descriptor);
        let adapter = poll_ready(instance.request_adapter(&Default::default())).unwrap().unwrap();
        let (device, _queue) =
            poll_ready(adapter.request_device(&Default::default())).unwrap().unwrap();
        // Without an error scope of its own, `staging` would panic here.
        assert!(matches!(staging(&device, 1 << 60), Err(NotWatchedReason::OutOfMemory)));
        assert!(staging(&device, 64).is_ok());
    }
}
