//! Jobs: dispatches with writes and copies between them, in order, in one submission.

use crate::error::Result;
use crate::fits;
use crate::opened::OpenDevice;
use crate::scope::scoped;
use crate::wait::WaitLimit;
use std::collections::BTreeMap;
use std::ops::Range;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferUsages,
    CommandEncoder, ComputePipeline, SubmissionIndex,
};

/// The binding of a shader variable.
#[derive(Clone, Debug)]
pub struct Binding<'a> {
    /// The number of the bind group.
    pub group: u32,
    /// The number of the binding in the group.
    pub binding: u32,
    /// The bound resource.
    pub resource: BindingResource<'a>,
}

/// The bind groups of a pipeline. They can be used for any number of dispatches.
#[derive(Clone, Debug)]
pub struct Bindings {
    groups: Vec<(u32, BindGroup)>,
}

/// Dispatches, writes and copies, in the order in which they take effect.
#[derive(Clone, Debug, Default)]
pub struct Job<'a> {
    steps: Vec<Step<'a>>,
    /// The data of all writes, one after the other.
    written: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Step<'a> {
    Dispatch {
        pipeline: &'a ComputePipeline,
        bindings: &'a Bindings,
        immediates: &'a [u8],
        workgroups: [u32; 3],
    },
    /// Copies these bytes of the job's data to a buffer.
    Write {
        buffer: &'a Buffer,
        first: u64,
        bytes: Range<u64>,
    },
    Clear {
        buffer: &'a Buffer,
    },
    Copy {
        from: &'a Buffer,
        bytes: Range<u64>,
        to: &'a Buffer,
        first: u64,
    },
}

impl<'a> Job<'a> {
    /// Creates an empty job.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a dispatch of a pipeline.
    #[must_use]
    pub fn dispatch(
        self,
        pipeline: &'a ComputePipeline,
        bindings: &'a Bindings,
        workgroups: [u32; 3],
    ) -> Self {
        self.dispatch_with(pipeline, bindings, &[], workgroups)
    }

    /// Adds a dispatch of a pipeline with immediate data.
    #[must_use]
    pub fn dispatch_with(
        self,
        pipeline: &'a ComputePipeline,
        bindings: &'a Bindings,
        immediates: &'a [u8],
        workgroups: [u32; 3],
    ) -> Self {
        self.step(Step::Dispatch { pipeline, bindings, immediates, workgroups })
    }

    /// Adds a write of `bytes` to a buffer at offset `first`. The length and the offset must be multiples of 4.
    #[must_use]
    pub fn write(mut self, buffer: &'a Buffer, first: u64, bytes: &[u8]) -> Self {
        let start = self.written.len() as u64;
        self.written.extend_from_slice(bytes);
        let bytes = start..self.written.len() as u64;
        self.step(Step::Write { buffer, first, bytes })
    }

    /// Adds a step that sets a whole buffer to zero.
    #[must_use]
    pub fn clear(self, buffer: &'a Buffer) -> Self {
        self.step(Step::Clear { buffer })
    }

    /// Adds a copy of these bytes of one buffer to another at offset `first`. The range and the offset must be multiples
    /// of 4.
    #[must_use]
    pub fn copy(self, from: &'a Buffer, bytes: Range<u64>, to: &'a Buffer, first: u64) -> Self {
        self.step(Step::Copy { from, bytes, to, first })
    }

    fn step(mut self, step: Step<'a>) -> Self {
        self.steps.push(step);
        self
    }

    /// Encodes the steps. Consecutive dispatches share a pass. `written` holds the data of all writes.
    pub(crate) fn encode(&self, encoder: &mut CommandEncoder, written: Option<&Buffer>) {
        let mut steps = self.steps.iter().peekable();
        while let Some(step) = steps.peek() {
            match step {
                Step::Dispatch { .. } => {
                    let mut pass = encoder.begin_compute_pass(&Default::default());
                    while let Some(Step::Dispatch { pipeline, bindings, immediates, workgroups }) =
                        steps.peek()
                    {
                        pass.set_pipeline(pipeline);
                        for (number, group) in &bindings.groups {
                            pass.set_bind_group(*number, group, &[]);
                        }
                        if !immediates.is_empty() {
                            pass.set_immediates(0, immediates);
                        }
                        let [x, y, z] = *workgroups;
                        pass.dispatch_workgroups(x, y, z);
                        steps.next();
                    }
                    continue;
                }
                Step::Write { buffer, first, bytes } => {
                    if let Some(written) = written {
                        let length = bytes.end - bytes.start;
                        encoder.copy_buffer_to_buffer(written, bytes.start, buffer, *first, length);
                    }
                }
                Step::Clear { buffer } => encoder.clear_buffer(buffer, 0, None),
                Step::Copy { from, bytes, to, first } => {
                    let length = bytes.end.saturating_sub(bytes.start);
                    encoder.copy_buffer_to_buffer(from, bytes.start, to, *first, length);
                }
            }
            steps.next();
        }
    }
}

impl OpenDevice {
    /// Creates the bind groups of a pipeline.
    pub fn bind<'a>(
        &self,
        pipeline: &ComputePipeline,
        bindings: impl IntoIterator<Item = Binding<'a>>,
    ) -> Result<Bindings> {
        let mut groups: BTreeMap<u32, Vec<BindGroupEntry<'_>>> = BTreeMap::new();
        for Binding { group, binding, resource } in bindings {
            groups.entry(group).or_default().push(BindGroupEntry { binding, resource });
        }
        let groups = scoped(self.device(), || {
            let groups = groups.into_iter().map(|(group, entries)| {
                let made = self.device().create_bind_group(&BindGroupDescriptor {
                    label: None,
                    layout: &pipeline.get_bind_group_layout(group),
                    entries: &entries,
                });
                (group, made)
            });
            groups.collect()
        })?;
        Ok(Bindings { groups })
    }

    /// Submits a job to the device.
    pub fn submit(&self, job: &Job<'_>) -> Result<SubmissionIndex> {
        let written = self.written_of(job)?;
        scoped(self.device(), || {
            let mut encoder = self.device().create_command_encoder(&Default::default());
            job.encode(&mut encoder, written.as_ref());
            self.queue().submit([encoder.finish()])
        })
    }

    /// Creates the buffer with the data that a job writes, if any. Returns an error if a dispatch exceeds the device's
    /// limits.
    pub(crate) fn written_of(&self, job: &Job<'_>) -> Result<Option<Buffer>> {
        for step in &job.steps {
            if let Step::Dispatch { workgroups, .. } = step {
                fits::grid(self.limits(), *workgroups)?;
            }
        }
        match job.written.as_slice() {
            [] => Ok(None),
            bytes => self.buffer("hirace written", bytes, BufferUsages::COPY_SRC).map(Some),
        }
    }

    /// Submits a job and waits for it.
    pub fn run(&self, job: &Job<'_>, until: WaitLimit<'_>) -> Result<()> {
        let submission = self.submit(job)?;
        self.wait(&submission, until)
    }
}
