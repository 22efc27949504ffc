//! A dispatch that is being recorded, and its pass.

use super::objects::BoundGroup;
use super::parts::Parts;
use super::pipeline::ComputePipeline;
use super::Record;
use std::sync::Arc;

/// The number of workgroups of a dispatch.
#[derive(Clone, Debug)]
pub enum Workgroups {
    /// Known when the dispatch is recorded.
    Direct([u32; 3]),
    /// Read from three words of a buffer when the dispatch runs.
    Indirect {
        /// The inner buffer.
        buffer: wgpu::Buffer,
        /// The offset of the words in bytes.
        offset: wgpu::BufferAddress,
    },
}

impl Workgroups {
    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'static>) {
        match self {
            &Self::Direct([x, y, z]) => pass.dispatch_workgroups(x, y, z),
            Self::Indirect { buffer, offset } => pass.dispatch_workgroups_indirect(buffer, *offset),
        }
    }
}

/// A bind group with its dynamic offsets.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The group.
    pub group: Arc<BoundGroup>,
    /// The dynamic offsets.
    pub offsets: Vec<wgpu::DynamicOffset>,
}

/// An open compute pass, with the state that the application has set in it.
#[derive(Debug)]
pub(crate) struct OpenPass {
    /// The inner pass; `None` once the pass has ended.
    pub(crate) inner: Option<wgpu::ComputePass<'static>>,
    pub(crate) label: Option<String>,
    pub(crate) pipeline: Option<Arc<ComputePipeline>>,
    pub(crate) groups: Vec<Option<Bound>>,
    immediates: Immediates,
    /// The maximum number of bind groups of the device.
    most_groups: u32,
    pub(crate) debug_groups: Vec<String>,
    /// The reason why the pass cannot be split, if it cannot.
    pub(crate) whole: Option<&'static str>,
    /// Whether a pipeline statistics query is active.
    pub(crate) counting: bool,
}

/// The immediates that were set since the pass began. wgpu sets them to 0 when the pipeline layout changes, but still
/// treats them as set.
#[derive(Debug, Default)]
struct Immediates {
    bytes: Vec<u8>,
    set: Vec<bool>,
    /// Whether each word was set for the current layout.
    fresh: Vec<bool>,
    /// The size in bytes of the immediates of the current layout, if the application gave the layout. The size of an
    /// automatic layout is not known; words that were set for another layout do not count as set for it.
    size: Option<usize>,
}

const WORD: usize = wgpu::IMMEDIATE_DATA_ALIGNMENT as usize;

impl Immediates {
    fn set(&mut self, offset: usize, data: &[u8]) {
        let end = offset + data.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
            self.set.resize(end / WORD, false);
            self.fresh.resize(end / WORD, false);
        }
        self.bytes[offset..end].copy_from_slice(data);
        self.set[offset / WORD..end / WORD].fill(true);
        self.fresh[offset / WORD..end / WORD].fill(true);
    }

    /// Resets the values after a change of the layout.
    fn zero(&mut self, size: Option<usize>) {
        self.bytes.fill(0);
        self.fresh.fill(false);
        self.size = size;
    }

    /// Returns the bytes that a shader with the current layout can read.
    fn readable(&self) -> &[u8] {
        &self.bytes[..self.size.map_or(self.bytes.len(), |size| size.min(self.bytes.len()))]
    }

    /// Returns the runs of words that count as set, with their offsets in bytes.
    fn runs(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let bytes = self.readable();
        let set = if self.size.is_some() { &self.set } else { &self.fresh };
        let set = &set[..bytes.len() / WORD];
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = next + set[next..].iter().position(|&set| set)?;
            let length = set[start..].iter().position(|&set| !set);
            next = length.map_or(set.len(), |length| start + length);
            Some((start * WORD, &bytes[start * WORD..next * WORD]))
        })
    }
}

impl OpenPass {
    pub(crate) fn new(
        inner: Option<wgpu::ComputePass<'static>>,
        descriptor: &wgpu::ComputePassDescriptor<'_>,
        most_groups: u32,
    ) -> Self {
        let ends = descriptor.timestamp_writes.as_ref();
        let ends = ends.is_some_and(|writes| writes.end_of_pass_write_index.is_some());
        Self {
            inner,
            label: descriptor.label.map(str::to_owned),
            pipeline: None,
            groups: Vec::new(),
            immediates: Immediates::default(),
            most_groups,
            debug_groups: Vec::new(),
            whole: ends.then_some("the pass writes a timestamp at its end"),
            counting: false,
        }
    }

    /// Sets a pipeline. Immediates are kept if the layout is the same as before, and become 0 otherwise. This compares
    /// the pipelines that the application requested, not the ones that replace them.
    pub(crate) fn set_pipeline(&mut self, pipeline: Arc<ComputePipeline>) {
        let before = self.pipeline.replace(Arc::clone(&pipeline));
        if let Some(pass) = &mut self.inner {
            pass.set_pipeline(&pipeline.made.pipeline);
        }
        match before {
            Some(before) if before.same_layout(&pipeline) => {
                if before.made.state.is_some() || pipeline.made.state.is_some() {
                    self.put_back_immediates();
                }
            }
            _ => {
                let size = pipeline.layout.as_ref().map(|layout| layout.immediate_size as usize);
                self.immediates.zero(size);
            }
        }
    }

    pub(crate) fn bind(&mut self, index: u32, bound: Option<Bound>) {
        // wgpu rejects such an index, so there is nothing to restore.
        if index >= self.most_groups {
            return;
        }
        let index = index as usize;
        if self.groups.len() <= index {
            self.groups.resize(index + 1, None);
        }
        self.groups[index] = bound;
    }

    pub(crate) fn set_immediates(&mut self, offset: u32, data: &[u8]) {
        // What wgpu rejects is not recorded.
        let offset = offset as usize;
        if offset.is_multiple_of(WORD) && data.len().is_multiple_of(WORD) && offset < 1 << 16 {
            self.immediates.set(offset, data);
        }
    }

    fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
        // A watcher sees a dispatch only while its pass is open, and ending the pass begins a new one.
        self.inner.as_mut().expect("the pass is open")
    }

    fn put_back(&mut self) {
        let Some(pass) = &mut self.inner else { return };
        if let Some(pipeline) = &self.pipeline {
            pass.set_pipeline(&pipeline.made.pipeline);
        }
        // This includes groups that only a watcher has bound.
        for index in 0..self.most_groups {
            match self.groups.get(index as usize).and_then(Option::as_ref) {
                Some(bound) => pass.set_bind_group(index, &bound.group.inner, &bound.offsets),
                None => pass.set_bind_group(index, None, &[]),
            }
        }
        self.put_back_immediates();
    }

    fn put_back_immediates(&mut self) {
        if let (Some(pass), Some(_)) = (&mut self.inner, &self.pipeline) {
            for (offset, data) in self.immediates.runs() {
                let offset = u32::try_from(offset).expect("immediates are few");
                pass.set_immediates(offset, data);
            }
        }
    }
}

/// A dispatch that is being recorded. It has the state that the application has set, until [`Dispatch::pass`] changes
/// it.
#[derive(Debug)]
pub struct Dispatch<'a> {
    pub(crate) device: &'a wgpu::Device,
    pub(crate) encoder: &'a mut wgpu::CommandEncoder,
    pub(crate) parts: &'a mut Parts,
    pub(crate) open: &'a mut OpenPass,
    pub(crate) pipeline: Arc<ComputePipeline>,
    pub(crate) workgroups: Workgroups,
}

impl Dispatch<'_> {
    /// Returns the device.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        self.device
    }

    /// Returns the current pipeline.
    #[must_use]
    pub fn pipeline(&self) -> &Arc<ComputePipeline> {
        &self.pipeline
    }

    /// Returns the bound groups by index.
    #[must_use]
    pub fn groups(&self) -> &[Option<Bound>] {
        &self.open.groups
    }

    /// Returns the immediates; bytes that were not set are 0.
    #[must_use]
    pub fn immediates(&self) -> &[u8] {
        self.open.immediates.readable()
    }

    /// Returns the number of workgroups.
    #[must_use]
    pub fn workgroups(&self) -> &Workgroups {
        &self.workgroups
    }

    /// Returns the label of the pass.
    #[must_use]
    pub fn pass_label(&self) -> Option<&str> {
        self.open.label.as_deref()
    }

    /// Returns the inner pass. A watcher may set another pipeline and other groups in it, and dispatch them. It must
    /// call [`Dispatch::put_back`] afterwards.
    pub fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
        self.open.pass()
    }

    /// Records the dispatch with the current state.
    pub fn record(&mut self) {
        self.workgroups.record(self.open.pass());
    }

    /// Restores the state that the application has set: the pipeline, groups with their offsets, and immediates. Groups
    /// that the application has not bound are unbound.
    pub fn put_back(&mut self) {
        self.open.put_back();
    }

    /// Ends the inner pass, lets `record` use the encoder, and begins a new pass with the same state. This allows
    /// commands that a pass cannot record, such as copies and clears.
    ///
    /// # Errors
    /// Returns the reason if the pass cannot be split. `record` is then not called.
    pub fn split_with(
        &mut self,
        record: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<(), &'static str> {
        self.interrupt(|dispatch| record(dispatch.encoder))
    }

    /// Splits the recorded commands: submits what was recorded so far, calls [`Watcher::between`] with `step`, and then
    /// submits the rest.
    ///
    /// # Errors
    /// Returns the reason if the pass cannot be split.
    ///
    /// [`Watcher::between`]: super::Watcher::between
    pub fn split(&mut self, step: Record) -> Result<(), &'static str> {
        self.interrupt(|dispatch| dispatch.parts.part(dispatch.device, dispatch.encoder, step))
    }

    /// Ends the inner pass, calls `act`, and begins a new pass with the same state.
    fn interrupt(&mut self, act: impl FnOnce(&mut Self)) -> Result<(), &'static str> {
        if self.open.counting {
            return Err("the pass has an active pipeline statistics query");
        }
        if let Some(why) = self.open.whole {
            return Err(why);
        }
        if let Some(mut pass) = self.open.inner.take() {
            for _ in &self.open.debug_groups {
                pass.pop_debug_group();
            }
        }
        act(self);
        let label = self.open.label.as_deref();
        let descriptor = wgpu::ComputePassDescriptor { label, timestamp_writes: None };
        let mut pass = self.encoder.begin_compute_pass(&descriptor).forget_lifetime();
        for group in &self.open.debug_groups {
            pass.push_debug_group(group);
        }
        self.open.inner = Some(pass);
        self.open.put_back();
        Ok(())
    }
}
