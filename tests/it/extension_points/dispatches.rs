//! Runs dispatches of a program with given memory, on the embedded machine and as a job of the device service, so that passes
//! from outside can compare both. Nothing here depends on races.

use hirace::raw::front::{self, Kind, rust};
use hirace::raw::program::Program;
use hirace::raw::vm::driver;
use hirace::raw::vm::lower;
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::NoObserver;
use hirace::raw::vm::run::Options;
use hirace::raw::vm::schedule::{Limits, Schedule};
use naga::{AddressSpace, GlobalVariable, Handle, Module, ResourceBinding, Span, Type, TypeInner};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// The words of each global variable's buffer, if it is one.
pub type Memory = Vec<Option<Vec<u32>>>;

/// Dispatches of the first entry point of a program, one after the other with the same memory.
#[derive(Clone, Copy)]
pub struct Dispatches<'a> {
    pub program: &'a Program,
    pub workgroups: u32,
    pub subgroup_size: u32,
    /// The variable whose first word the host sets before each dispatch.
    pub uniform: Option<&'a str>,
    /// The values of that word, one for each dispatch.
    pub values: &'a [u32],
}

impl Dispatches<'_> {
    /// Returns the contents of `memory` after the dispatches on the embedded machine.
    pub fn embedded(&self, memory: &Memory) -> Result<Memory, String> {
        let code = lower::lower(self.program, 0).map_err(|error| error.to_string())?;
        let buffer = |words: &Vec<u32>| Resource::Buffer(Buffer::new(&bytes(words)));
        let by_global = memory.iter().map(|words| words.as_ref().map(buffer)).collect();
        let resources = Resources { by_global };
        let options = Options {
            workgroups: [self.workgroups, 1, 1],
            subgroup_size: self.subgroup_size,
            schedule: Schedule::default(),
            limits: Limits::default(),
            parallel: false,
            stop: None,
        };
        let uniform = self.uniform.map(|name| global(self.program, name)).transpose()?;
        for value in self.values {
            let set = uniform.and_then(|at| resources.by_global[at].as_ref());
            if let Some(Resource::Buffer(buffer)) = set {
                buffer.words()[0].store(*value, Ordering::Relaxed);
            }
            let ran = driver::run(&code, &resources, &options, &NoObserver)
                .map_err(|error| error.to_string())?;
            if ran.no_progress.is_some() {
                return Err(format!("the dispatch does not terminate: {ran:?}"));
            }
        }
        let left = |resource: &Option<Resource>| match resource {
            Some(Resource::Buffer(buffer)) => Some(buffer.snapshot()),
            _ => None,
        };
        Ok(resources.by_global.iter().map(left).collect())
    }

    /// Returns the contents of `memory` after the dispatches on a device, as one job.
    #[cfg(feature = "gpu")]
    pub fn run_on_device(
        &self,
        device: &hirace_gpu::Device,
        memory: &Memory,
    ) -> Result<Memory, String> {
        let uniform = self.uniform.map(|name| global(self.program, name)).transpose()?;
        let left = device.hold(|device| self.job(device, uniform, memory));
        left.map_err(|error| error.to_string())
    }

    #[cfg(feature = "gpu")]
    fn job(
        &self,
        device: &hirace_gpu::OpenDevice,
        uniform: Option<usize>,
        memory: &Memory,
    ) -> hirace_gpu::Result<Memory> {
        use hirace_gpu::wgpu::BufferUsages;
        use hirace_gpu::{Binding, Job, Shader, Source, WaitLimit};
        let module = &self.program.module;
        let entry = module.entry_points[0].name.as_str();
        let shader = Shader { source: Source::Naga(module), entry, constants: &[], layout: None };
        let pipeline = device.compile(&shader)?;
        let mut buffers = Vec::new();
        for ((_, variable), words) in module.global_variables.iter().zip(memory) {
            let usage = match variable.space {
                AddressSpace::Uniform => BufferUsages::UNIFORM,
                _ => BufferUsages::STORAGE,
            } | BufferUsages::COPY_SRC
                | BufferUsages::COPY_DST;
            let made = words.as_ref().map(|words| device.buffer("seam", &bytes(words), usage));
            buffers.push(made.transpose()?);
        }
        let used = self.program.info.get_entry_point(0);
        let bound = module.global_variables.iter().zip(&buffers);
        let bound = bound.filter(|((handle, _), _)| !used[*handle].is_empty());
        let bindings = bound.filter_map(|((_, variable), buffer)| {
            let ResourceBinding { group, binding } = variable.binding?;
            Some(Binding { group, binding, resource: buffer.as_ref()?.as_entire_binding() })
        });
        let bindings = device.bind(&pipeline, bindings)?;
        let mut job = Job::new();
        for value in self.values {
            if let Some(buffer) = uniform.and_then(|at| buffers[at].as_ref()) {
                job = job.write(buffer, 0, &value.to_le_bytes());
            }
            job = job.dispatch(&pipeline, &bindings, [self.workgroups, 1, 1]);
        }
        device.run(&job, WaitLimit::default())?;
        let left = buffers.iter().map(|buffer| match buffer {
            Some(buffer) => device.read_words(buffer, 0..buffer.size() / 4).map(Some),
            None => Ok(None),
        });
        left.collect()
    }
}

/// Returns a trial that needs a device: without one it shows as ignored, with the reason.
#[cfg(feature = "gpu")]
pub fn trial_on_device(
    name: &str,
    test: impl FnOnce(&hirace_gpu::Device) -> Result<(), String> + Send + 'static,
) -> hirace_testing::harness::Trial {
    let run = move || {
        let adapter = crate::device::adapter().as_ref()?;
        let features = hirace_gpu::compute_features();
        test(&hirace_gpu::Device::open(adapter, features, adapter.limits())?)?;
        Ok(())
    };
    hirace_testing::harness::Trial::test(name, run).needs(crate::device::need())
}

/// Adds a variable to a module, at a free binding of group 0.
pub fn add(
    module: &mut Module,
    name: &str,
    space: AddressSpace,
    inner: TypeInner,
) -> Handle<GlobalVariable> {
    let bindings = module.global_variables.iter().filter_map(|(_, global)| global.binding);
    let taken = bindings.filter(|binding| binding.group == 0).map(|binding| binding.binding);
    let binding = taken.max().map_or(0, |last| last + 1);
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let variable = GlobalVariable {
        name: Some(name.to_owned()),
        space,
        binding: Some(ResourceBinding { group: 0, binding }),
        ty,
        init: None,
        memory_decorations: Default::default(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

/// Returns the index of a variable in a program's memory.
pub fn global(program: &Program, name: &str) -> Result<usize, String> {
    let mut globals = program.module.global_variables.iter();
    let at = globals.find(|(_, global)| global.name.as_deref() == Some(name));
    at.map(|(handle, _)| handle.index()).ok_or_else(|| format!("no variable `{name}`"))
}

/// Returns the memory of a program, with the contents that `words` returns for each variable.
pub fn memory(program: &Program, words: impl Fn(&GlobalVariable) -> Option<Vec<u32>>) -> Memory {
    program.module.global_variables.iter().map(|(_, global)| words(global)).collect()
}

/// Returns the program of the first kernel in a source of any language.
pub fn program(name: &str, source: &[u8]) -> Result<Program, String> {
    let parsed = match Kind::of(name, source) {
        Kind::Rust => {
            let text = std::str::from_utf8(source).map_err(|error| error.to_string())?;
            let file = rust::parse_file(name, text).map_err(|error| error.to_string())?;
            file.items.into_iter().next().ok_or("the source has no kernel")?
        }
        _ => front::parse_bytes(name, source, &|_| None),
    };
    let parsed = parsed.map_err(|error| error.to_string())?;
    Program::new(&parsed, &BTreeMap::new()).map_err(|error| error.to_string())
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
