//! Kernels in Rust on wgpu devices (feature `wgpu`).
//!
//! For each kernel, `#[hirace::monitor]` adds a function `pipeline`, and a struct `Args` with a field for each of its bound
//! parameters. All objects are wgpu's: its pipelines, layouts, bind groups, buffers and passes can be used together with the
//! items of this module, or instead of them.
//!
//! ```no_run
//! use hirace::pipeline::Gpu;
//! use hirace::prelude::*;
//!
//! #[hirace::monitor(workgroup_size(64))]
//! pub fn scale(#[builtin(global_invocation_id)] id: UVec3, data: &mut [f32], #[uniform] by: f32) {
//!     if id.x < data.len() {
//!         data[id.x] *= by;
//!     }
//! }
//!
//! let gpu = Gpu::open()?;
//! let (data, by) = (gpu.buffer(&vec![1.0f32; 1000])?, gpu.buffer(&2.0f32)?);
//! let pipeline = scale::pipeline(&gpu.device)?;
//! let bound = pipeline.bind(&gpu.device, scale::Args { data: &data, by: &by })?;
//! gpu.compute(|pass| pipeline.dispatch_for(pass, &bound, 1000))?;
//! assert_eq!(gpu.read(&data)?, [2.0; 1000]);
//! # Ok::<(), hirace::pipeline::Error>(())
//! ```

mod arguments;
mod buffer;
mod error;
mod gpu;

pub use arguments::{Arguments, BufferArgument, ParameterType};
pub use buffer::Buffer;
pub use error::{Error, Result};
pub use gpu::Gpu;
pub use hirace_gpu::Error as DeviceError;
pub use hirace_gpu::Excess;
pub use hirace_gpu::fits::{BufferTooLarge, GridTooLarge, TextureTooLarge, WorkgroupTooLarge};

use crate::prelude::classes::Sealed;
use crate::{Grid, Kernel};
use hirace_gpu::application::{self, CompiledPipeline};
use hirace_gpu::{Shader, Source, wgpu};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A kernel as a type, so that its pipelines accept only its own arguments: `name::Entry`.
///
/// Only generated code implements this trait, so a later version may add methods.
pub trait Entry {
    /// Returns the kernel.
    fn kernel() -> Kernel;
}

/// A type of pipeline overrides: `u32`, `i32`, `f32` or `bool`. Other types cannot implement it.
pub trait Override: Copy + Sealed {
    /// Returns the value in wgpu's representation.
    fn value(self) -> f64;
}

macro_rules! overrides {
    ($($ty:ty)*) => {$(
        impl Override for $ty {
            fn value(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}

overrides! { u32 i32 f32 }

impl Override for bool {
    fn value(self) -> f64 {
        f64::from(u8::from(self))
    }
}

/// The pipeline of a kernel on a device.
#[derive(Debug)]
pub struct Pipeline<E> {
    compiled: CompiledPipeline,
    /// The bindings of each group, for [`Pipeline::bind`].
    groups: BTreeMap<u32, (wgpu::BindGroupLayout, Vec<(u32, String)>)>,
    most_workgroups: u32,
    entry: PhantomData<fn() -> E>,
}

/// The bound arguments of a kernel, created by [`Pipeline::bind`] for that pipeline.
#[derive(Debug)]
pub struct Bound<E> {
    groups: Vec<(u32, wgpu::BindGroup)>,
    /// The pipeline whose layouts the bind groups have. Automatic layouts cannot be shared between pipelines.
    pipeline: wgpu::ComputePipeline,
    entry: PhantomData<fn() -> E>,
}

impl<E: Entry> Pipeline<E> {
    /// Compiles the kernel with these values of its overrides, by their names in Rust. Generated code calls this:
    /// `name::pipeline(&device)`, `name::pipeline_with(&device, name::Overrides { … })`.
    pub fn new(device: &wgpu::Device, overrides: &[(&str, f64)]) -> Result<Self> {
        let kernel = E::kernel();
        let key = |&(name, value): &(&str, f64)| {
            let found = kernel.constants().iter().find(|constant| constant.name == name);
            found.map(|constant| (constant.key, value))
        };
        let constants: Vec<_> = overrides.iter().filter_map(key).collect();
        let (wgsl, entry) = (kernel.wgsl(), kernel.wgsl_entry().unwrap_or_default());
        let source = Source::Wgsl(&wgsl);
        let shader = Shader { source, entry, constants: &constants, layout: None };
        let compiled = application::compile(device, &shader)?;
        let mut groups = BTreeMap::new();
        for binding in kernel.bindings() {
            let (_, bindings) = match groups.entry(binding.group) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(new) => {
                    let layout = application::layout(device, &compiled.pipeline, binding.group)?;
                    new.insert((layout, Vec::new()))
                }
            };
            bindings.push((binding.binding, binding.name.clone().into_owned()));
        }
        let most_workgroups = device.limits().max_compute_workgroups_per_dimension;
        Ok(Self { compiled, groups, most_workgroups, entry: PhantomData })
    }

    /// Creates the bind groups of these arguments: `name::Args { … }`.
    pub fn bind(&self, device: &wgpu::Device, arguments: impl Arguments<E>) -> Result<Bound<E>> {
        let given = arguments.resources();
        let mut groups = Vec::new();
        for (&group, (layout, bindings)) in &self.groups {
            let entry = |(binding, name): &(u32, String)| {
                let (_, resource) = given.iter().find(|(given, _)| given == name)?;
                Some(wgpu::BindGroupEntry { binding: *binding, resource: resource.clone() })
            };
            let entries: Vec<_> = bindings.iter().filter_map(entry).collect();
            let label = E::kernel();
            let label = label.entry().unwrap_or_default();
            groups.push((group, application::bind(device, label, layout, &entries)?));
        }
        Ok(Bound { groups, pipeline: self.compiled.pipeline.clone(), entry: PhantomData })
    }

    /// Dispatches this number of workgroups in `pass`: `4`, `[8, 8]`, `[4, 4, 2]`. Sets the pass's pipeline and bind groups.
    pub fn dispatch(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &Bound<E>,
        workgroups: impl Into<Grid>,
    ) -> Result<()> {
        let [x, y, z] = workgroups.into().dimensions();
        let limits = wgpu::Limits {
            max_compute_workgroups_per_dimension: self.most_workgroups,
            ..wgpu::Limits::default()
        };
        hirace_gpu::fits::grid(&limits, [x, y, z]).map_err(hirace_gpu::Error::from)?;
        if bound.pipeline != self.compiled.pipeline {
            return Err(Error::OtherPipeline);
        }
        pass.set_pipeline(&self.compiled.pipeline);
        for (group, bound) in &bound.groups {
            pass.set_bind_group(*group, bound, &[]);
        }
        pass.dispatch_workgroups(x, y, z);
        Ok(())
    }

    /// Dispatches the smallest number of workgroups that has at least this number of invocations in each dimension. The kernel
    /// must ignore the surplus invocations.
    pub fn dispatch_for(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &Bound<E>,
        invocations: impl Into<Grid>,
    ) -> Result<()> {
        self.dispatch(pass, bound, self.workgroups_for(invocations))
    }

    /// Returns the smallest number of workgroups that has at least this number of invocations in each dimension.
    pub fn workgroups_for(&self, invocations: impl Into<Grid>) -> Grid {
        invocations.into().workgroups_of(self.compiled.workgroup_size)
    }

    /// Returns the workgroup size, with the given values of overrides.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.compiled.workgroup_size
    }

    /// Returns the wgpu pipeline.
    pub fn raw(&self) -> &wgpu::ComputePipeline {
        &self.compiled.pipeline
    }

    /// Returns the layout of a bind group, if the kernel has one with this number.
    pub fn layout(&self, group: u32) -> Option<&wgpu::BindGroupLayout> {
        self.groups.get(&group).map(|(layout, _)| layout)
    }
}

impl<E> Bound<E> {
    /// Returns the bind groups with their numbers.
    pub fn groups(&self) -> &[(u32, wgpu::BindGroup)] {
        &self.groups
    }
}
