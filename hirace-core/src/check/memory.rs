//! Reads the contents of buffers and textures after a launch as values of Rust types.

use crate::deadline::Deadline;
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::Number;
use crate::ir::scalars::{Footprint, scalars};
use crate::launch::buffers::{self, FillContext};
use crate::launch::spec::{Binding, find_nearest};
use crate::launch::textures::TextureType;
use crate::launch::values::{Shape, type_name};
use crate::program::Program;
use crate::vm::memory::{Resource, Resources, Texture};
use naga::{GlobalVariable, Handle, Module, Type, TypeInner};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Memory after a launch.
#[derive(Clone, Debug)]
pub struct FinalMemory {
    /// The program that was launched.
    pub program: Arc<Program>,
    /// Contents after the last dispatch, without resources that no dispatch used.
    pub resources: Resources,
    /// Contents after the dispatches whose results were to be kept, by the dispatch's index.
    pub kept: BTreeMap<usize, Resources>,
    /// Contents after the same launch under other schedules, by the seed.
    pub schedules: BTreeMap<u64, Resources>,
}

impl FinalMemory {
    /// Creates the memory that a launch of `program` left.
    pub fn new(program: Arc<Program>, resources: Resources) -> Self {
        Self { program, resources, kept: BTreeMap::new(), schedules: BTreeMap::new() }
    }

    /// Returns memory after the dispatch with this index, if it was kept.
    pub fn after_dispatch(&self, dispatch: usize) -> Option<Self> {
        self.kept.get(&dispatch).map(|resources| self.with(resources))
    }

    /// Returns memory after the launch under the schedule with this seed.
    pub fn after_schedule(&self, schedule: u64) -> Option<Self> {
        self.schedules.get(&schedule).map(|resources| self.with(resources))
    }

    fn with(&self, resources: &Resources) -> Self {
        Self::new(Arc::clone(&self.program), resources.clone())
    }

    /// Returns whether there is a buffer or texture `name`.
    pub fn holds(&self, name: &str) -> bool {
        self.resource(name).is_ok()
    }

    /// Returns the bytes of the scalars of buffer `name` for a value of `shape`, the shape of the Rust type named
    /// `rust`.
    pub fn values(&self, name: &str, shape: &Shape, rust: &str) -> Result<Vec<u8>> {
        let (handle, resource) = self.resource(name)?;
        let Resource::Buffer(buffer) = resource else { return Err(self.other_kind(handle)) };
        let module = &self.program.module;
        let ty = module.global_variables[handle].ty;
        buffers::read(module, name, ty, &buffer.bytes(), shape, rust)
    }

    /// Returns the bytes of buffer `name`.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        match self.resource(name)? {
            (_, Resource::Buffer(buffer)) => Ok(buffer.bytes()),
            (handle, _) => Err(self.other_kind(handle)),
        }
    }

    /// Returns the exact contents of buffer or texture `name`, for comparison with other contents.
    pub fn contents(&self, name: &str) -> Result<Vec<u8>> {
        Ok(match self.resource(name)? {
            (_, Resource::Buffer(buffer)) => buffer.bytes(),
            (_, Resource::Texture(Texture { texels, .. })) => {
                texels.snapshot().iter().flat_map(|word| word.to_le_bytes()).collect()
            }
            (handle, _) => return Err(self.other_kind(handle)),
        })
    }

    /// Returns the texels of texture `name`, x fastest, then y, then z, as a list of `shape`.
    pub fn texels(&self, name: &str, shape: &Shape, rust: &str) -> Result<Vec<u8>> {
        let (handle, resource) = self.resource(name)?;
        let module = &self.program.module;
        let inner = &module.types[module.global_variables[handle].ty].inner;
        let (Resource::Texture(Texture { texels, .. }), &TypeInner::Image { dim, arrayed, class }) =
            (resource, inner)
        else {
            return Err(self.other_kind(handle));
        };
        let components =
            TextureType { dim, arrayed, class }.components(shape).ok_or_else(|| {
                let ty = type_name(module, module.global_variables[handle].ty);
                Diagnostic::new(format!("`{name}` is `{ty}`: its texels are not `{rust}`"))
            })?;
        let words = texels.snapshot();
        let texels = words.chunks(4).flat_map(|texel| texel.iter().take(components as usize));
        Ok(texels.flat_map(|word| word.to_le_bytes()).collect())
    }

    /// Returns the first scalar of buffer `name` that differs from `expected`. Floating-point numbers may differ by
    /// `tolerance`, which is relative to the expected value where that is greater than 1.
    pub fn find_difference(
        &self,
        expected: &Binding,
        tolerance: f64,
    ) -> Result<Option<Difference>> {
        let name = expected.target();
        let (handle, resource) = self.resource(&name)?;
        let Resource::Buffer(buffer) = resource else { return Err(self.other_kind(handle)) };
        let module = &self.program.module;
        let ty = module.global_variables[handle].ty;
        let elements = Footprint::of(module, ty).elements(buffer.len());
        let context = FillContext {
            deadline: Deadline::NEVER,
            seed: 0,
            stream: 0,
            elements,
            below: u32::MAX,
            sentinels: &[],
        };
        let filled = buffers::fill(module, &name, ty, &expected.contents, &context)?;
        let actual_bytes = buffer.bytes();
        if filled.bytes.len() != actual_bytes.len() {
            let error = Diagnostic::new(format!(
                "`{name}` has {} bytes after the launch, but {} were expected",
                actual_bytes.len(),
                filled.bytes.len()
            ));
            return Err(Box::new(error));
        }
        Ok(first_difference(module, ty, &actual_bytes, &filled.bytes, tolerance))
    }

    fn resource(&self, name: &str) -> Result<(Handle<GlobalVariable>, &Resource)> {
        let module = &self.program.module;
        let variables = module.global_variables.iter();
        let source = self.program.source.name();
        let named = variables.filter(|(_, v)| v.name.as_deref() == Some(name));
        let Some((handle, _)) = named.max_by_key(|(_, v)| v.binding.is_some()) else {
            let names = || module.global_variables.iter().filter(|(_, v)| v.binding.is_some());
            let names: Vec<&str> = names().filter_map(|(_, v)| v.name.as_deref()).collect();
            let error = Diagnostic::new(format!("{source} has no buffer `{name}`"));
            return Err(Box::new(match find_nearest(name, names.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None if names.is_empty() => error.note("it has no buffers or textures"),
                None => error.note(format!("it has: {}", names.join(", "))),
            }));
        };
        match self.resources.by_global.get(handle.index()).and_then(Option::as_ref) {
            Some(resource) => Ok((handle, resource)),
            None if module.global_variables[handle].binding.is_none() => {
                Err(Box::new(Diagnostic::new(format!(
                    "`{name}` is not a buffer or texture: its memory does not outlive the workgroup or invocation"
                ))))
            }
            None => Err(Box::new(Diagnostic::new(format!(
                "`{name}` has no contents: the launch does not use it"
            )))),
        }
    }

    fn other_kind(&self, handle: Handle<GlobalVariable>) -> Box<Diagnostic> {
        let variable = &self.program.module.global_variables[handle];
        let (name, ty) = (variable.name.as_deref(), type_name(&self.program.module, variable.ty));
        let name = name.unwrap_or("(unnamed)");
        let error = Diagnostic::new(format!("`{name}` is `{ty}`"));
        Box::new(match self.program.module.types[variable.ty].inner {
            TypeInner::Image { .. } => error.help("read it as a texture"),
            TypeInner::Sampler { .. } => error.note("a sampler has no contents"),
            _ => error.help("read it as a buffer"),
        })
    }
}

/// A scalar that differs from the expected value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The index of the scalar in the buffer's layout.
    pub index: usize,
    /// The actual value.
    pub actual: Number,
    /// The expected value.
    pub expected: Number,
    /// The number of scalars that differ from their expected values.
    pub count: u64,
}

fn first_difference(
    module: &Module,
    ty: Handle<Type>,
    actual_bytes: &[u8],
    expected: &[u8],
    tolerance: f64,
) -> Option<Difference> {
    let elements =
        Footprint::of(module, ty).elements(u32::try_from(actual_bytes.len()).unwrap_or(u32::MAX));
    let (mut index, mut found) = (0, None);
    scalars(module, ty, elements, &mut |slot| {
        let number = |bytes| Number::read(slot, bytes);
        if let (Some(actual), Some(expected)) = (number(actual_bytes), number(expected))
            && !actual.is_close(expected, tolerance)
        {
            found.get_or_insert(Difference { index, actual, expected, count: 0 }).count += 1;
        }
        index += 1;
    });
    found
}
