//! A dispatch while it is recorded, and the pass that it is recorded in.

use super::objects::BoundGroup;
use super::pipeline::ComputePipeline;
use super::Record;
use crate::forward::Parts;
use std::sync::Arc;

/// How many workgroups are dispatched.
#[derive(Clone, Debug)]
pub enum Workgroups {
    /// So many.
    Direct([u32; 3]),
    /// As many as the three words in a buffer say when the dispatch runs.
    Indirect {
        /// The inner buffer.
        buffer: wgpu::Buffer,
        /// Where the words are, in bytes.
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

/// A bind group as it is bound.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The group.
    pub group: Arc<BoundGroup>,
    /// Its dynamic offsets.
    pub offsets: Vec<wgpu::DynamicOffset>,
}

/// A compute pass that is open, and what the application has set in it.
#[derive(Debug)]
pub(crate) struct Open {
    /// `None` once it has ended.
    pub(crate) inner: Option<wgpu::ComputePass<'static>>,
    pub(crate) label: Option<String>,
    pub(crate) pipeline: Option<Arc<ComputePipeline>>,
    pub(crate) groups: Vec<Option<Bound>>,
    immediates: Immediates,
    /// How many groups the device has.
    most_groups: u32,
    pub(crate) debug_groups: Vec<String>,
    /// Why the pass cannot be ended and begun anew, if it cannot.
    pub(crate) whole: Option<&'static str>,
    /// Whether pipeline statistics are being counted.
    pub(crate) counting: bool,
}

/// The words of immediates that were set since the pass began. wgpu makes them 0 when the layout of the pipeline
/// changes, and still takes them as set.
#[derive(Debug, Default)]
struct Immediates {
    bytes: Vec<u8>,
    set: Vec<bool>,
    /// Those that were set for the layout that the pipeline has.
    fresh: Vec<bool>,
    /// How many bytes that layout has, if the application gave it. Of an automatic one it is not known, and what was
    /// set for another is not set for it.
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

    /// The layout is another now.
    fn zero(&mut self, size: Option<usize>) {
        self.bytes.fill(0);
        self.fresh.fill(false);
        self.size = size;
    }

    /// The bytes that a shader with the layout could read.
    fn readable(&self) -> &[u8] {
        &self.bytes[..self.size.map_or(self.bytes.len(), |size| size.min(self.bytes.len()))]
    }

    /// The runs of words that count as set.
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

impl Open {
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
            whole: ends.then_some("a timestamp is written at the end of the pass"),
            counting: false,
        }
    }

    /// Sets a pipeline. Immediates stay as they are if it has the layout of the one before, and are 0 if not; that
    /// is held to what the application asked for, whatever pipelines stand for those.
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
        // wgpu refuses more, and nothing is to be put back.
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
        // What wgpu refuses is not kept.
        let offset = offset as usize;
        if offset.is_multiple_of(WORD) && data.len().is_multiple_of(WORD) && offset < 1 << 16 {
            self.immediates.set(offset, data);
        }
    }

    fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
        // A dispatch is shown of a pass that is open, and who ends it begins another.
        self.inner.as_mut().expect("the pass is open")
    }

    fn put_back(&mut self) {
        let Some(pass) = &mut self.inner else { return };
        if let Some(pipeline) = &self.pipeline {
            pass.set_pipeline(&pipeline.made.pipeline);
        }
        // Those too that only a watcher has bound.
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

/// A dispatch that the application records: what is set is the application's, until it is changed in
/// [`Dispatch::pass`].
#[derive(Debug)]
pub struct Dispatch<'a> {
    pub(crate) device: &'a wgpu::Device,
    pub(crate) encoder: &'a mut wgpu::CommandEncoder,
    pub(crate) parts: &'a mut Parts,
    pub(crate) open: &'a mut Open,
    pub(crate) pipeline: Arc<ComputePipeline>,
    pub(crate) workgroups: Workgroups,
}

impl Dispatch<'_> {
    /// The device.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        self.device
    }

    /// The pipeline that is set.
    #[must_use]
    pub fn pipeline(&self) -> &Arc<ComputePipeline> {
        &self.pipeline
    }

    /// The groups that are bound, by their index.
    #[must_use]
    pub fn groups(&self) -> &[Option<Bound>] {
        &self.open.groups
    }

    /// The immediates that are set; bytes between them that were not are 0.
    #[must_use]
    pub fn immediates(&self) -> &[u8] {
        self.open.immediates.readable()
    }

    /// How many workgroups are dispatched.
    #[must_use]
    pub fn workgroups(&self) -> &Workgroups {
        &self.workgroups
    }

    /// The label of the pass.
    #[must_use]
    pub fn pass_label(&self) -> Option<&str> {
        self.open.label.as_deref()
    }

    /// The inner pass. Another pipeline and other groups may be set in it, and dispatched; [`Dispatch::put_back`] is
    /// called after that.
    pub fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
        self.open.pass()
    }

    /// Records the dispatch, with what is set.
    pub fn record(&mut self) {
        self.workgroups.record(self.open.pass());
    }

    /// Sets what the application has set: pipeline, groups with their offsets, immediates. Groups that it
    /// has not bound are unbound.
    pub fn put_back(&mut self) {
        self.open.put_back();
    }

    /// Ends the inner pass, lets `record` use the encoder, and begins a pass in which all is set as it was. For
    /// copies and clears, which no pass can record.
    ///
    /// # Errors
    /// If the pass cannot be in two parts; `record` is not called then. The words say why.
    pub fn between(
        &mut self,
        record: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<(), &'static str> {
        self.interrupt(|dispatch| record(dispatch.encoder))
    }

    /// Parts what is recorded: what was recorded so far is submitted by itself, then [`Watcher::between`] is called with
    /// `step`, and then the rest is submitted.
    ///
    /// # Errors
    /// If the pass cannot be in two parts; the words say why.
    ///
    /// [`Watcher::between`]: super::Watcher::between
    pub fn part(&mut self, step: Record) -> Result<(), &'static str> {
        self.interrupt(|dispatch| dispatch.parts.part(dispatch.device, dispatch.encoder, step))
    }

    /// Ends the inner pass, does `act`, and begins another in which all is set as it was.
    fn interrupt(&mut self, act: impl FnOnce(&mut Self)) -> Result<(), &'static str> {
        if self.open.counting {
            return Err("pipeline statistics are counted in the pass");
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
