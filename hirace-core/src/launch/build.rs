//! Building a launch: what was given, a rung of the ladder for what was not, and the memory for all
//! of it.

use super::buffers::{self, MAX_BYTES, Surroundings};
use super::infer::{Parameters, Rung};
use super::number::Number;
use super::spec::{Binding, Contents, LaunchSpec, nearest};
use super::{Dispatch, Launch, grid, textures};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::globals::{Role, role};
use crate::ir::scalars::{Footprint, scalars};
use crate::program::Program;
use crate::vm::memory::{Buffer, Resource, Resources, Sampler};
use crate::vm::observer::MemoryId;
use crate::vm::schedule::{Limits, Schedule};
use naga::{GlobalVariable, Handle, Type, TypeInner};
use std::collections::BTreeMap;

/// Lanes of a subgroup when the user does not say.
pub const SUBGROUP_SIZE: u32 = 32;

/// Steps a subgroup may run on a guessed launch, where nobody said that the kernel is a heavy one.
pub const GUESSED_STEPS: u64 = 2_000_000;

/// No guessed buffer starts larger than this; what needs more grows.
const MAX_FIRST_GUESS: u32 = 16 << 20;

/// Byte lengths that guessed buffers have grown to.
pub type Grown = BTreeMap<MemoryId, u32>;

/// The launch that `rung` is, with guessed buffers at least as long as `grown` says.
pub fn launch(program: &Program, spec: &LaunchSpec, rung: &Rung, grown: &Grown) -> Result<Launch> {
    let module = &program.module;
    let subgroup_size = spec.subgroup_size.unwrap_or(SUBGROUP_SIZE);
    if !subgroup_size.is_power_of_two() || subgroup_size > 64 {
        let error = Diagnostic::new(format!("a subgroup cannot have {subgroup_size} lanes"));
        return Err(Box::new(error.help("expected a power of two from 1 to 64")));
    }
    let extent = extent(program, &rung.dispatches);
    let total = extent.iter().map(|&n| u64::from(n)).product::<u64>();
    let total = u32::try_from(total).unwrap_or(u32::MAX);
    let mut builder = Builder {
        program,
        spec,
        rung,
        grown,
        extent,
        total,
        inferred: Vec::new(),
        guessed_contents: vec![false; module.global_variables.len()],
        guessed_lengths: vec![false; module.global_variables.len()],
    };
    let mut by_global = Vec::with_capacity(module.global_variables.len());
    for (handle, _) in module.global_variables.iter() {
        by_global.push(match is_used(program, &rung.dispatches, handle) {
            true => builder.resource(handle)?,
            false => None,
        });
    }
    let Builder { mut inferred, guessed_contents, guessed_lengths, .. } = builder;
    if rung.grid_guessed {
        inferred.insert(0, format!("grid: {}", shown_grids(program, &rung.dispatches)));
    }
    let guessed = rung.grid_guessed || guessed_contents.contains(&true);
    let steps = match (spec.step_limit, guessed) {
        (Some(steps), _) => steps,
        (None, true) => GUESSED_STEPS,
        (None, false) => Limits::default().steps,
    };
    Ok(Launch {
        dispatches: rung.dispatches.clone(),
        resources: Resources { by_global },
        guessed_contents,
        guessed_lengths,
        inferred,
        replay: replay(program, spec, rung),
        subgroup_size,
        schedule: Schedule::seeded(spec.schedule),
        limits: Limits { steps, timeout: spec.timeout, ..Limits::default() },
    })
}

/// Whether one of `dispatches` touches `global`.
pub fn is_used(program: &Program, dispatches: &[Dispatch], global: Handle<GlobalVariable>) -> bool {
    dispatches.iter().any(|dispatch| {
        dispatch.entry < program.module.entry_points.len()
            && !program.info.get_entry_point(dispatch.entry)[global].is_empty()
    })
}

/// Refuses bindings of names that no variable has, or that nothing can be bound to.
pub fn check_names(program: &Program, spec: &LaunchSpec) -> Result<()> {
    let module = &program.module;
    let bindable = |handle| !matches!(role(module, handle), Role::Internal | Role::Unsupported);
    for (index, binding) in spec.bindings.iter().enumerate() {
        let name = binding.name.as_str();
        if spec.bindings[..index].iter().any(|other| other.name == name) {
            return Err(Box::new(Diagnostic::new(format!("`{name}` is given contents twice"))));
        }
        let mut variables = module.global_variables.iter();
        let Some((handle, _)) = variables.find(|(_, v)| v.name.as_deref() == Some(name)) else {
            let names: Vec<&str> = module
                .global_variables
                .iter()
                .filter(|(handle, _)| bindable(*handle))
                .filter_map(|(_, variable)| variable.name.as_deref())
                .collect();
            let error = Diagnostic::new(format!(
                "{} has no variable `{name}` to give contents to",
                program.source.name()
            ));
            return Err(Box::new(match nearest(name, names.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None if names.is_empty() => error.note("it takes no buffers or textures"),
                None => error.note(format!("it takes: {}", names.join(", "))),
            }));
        };
        if role(module, handle) == Role::Internal {
            return Err(Box::new(Diagnostic::new(format!(
                "`{name}` is no buffer or texture: its memory belongs to the workgroup or the invocation and starts as zeros"
            ))));
        }
        if role(module, handle) == Role::Sampler {
            return Err(Box::new(Diagnostic::new(format!(
                "`{name}` is a sampler and has no contents"
            ))));
        }
    }
    Ok(())
}

/// The most invocations that a dispatch has in each dimension.
fn extent(program: &Program, dispatches: &[Dispatch]) -> [u32; 3] {
    dispatches.iter().fold([1; 3], |most, dispatch| {
        match program.module.entry_points.get(dispatch.entry) {
            Some(entry) => {
                let extent = grid::extent(dispatch.workgroups, entry);
                [0, 1, 2].map(|i| most[i].max(extent[i]))
            }
            None => most,
        }
    })
}

fn shown_grids(program: &Program, dispatches: &[Dispatch]) -> String {
    let shown = |dispatch: &Dispatch| {
        let grid = grid::show(dispatch.workgroups);
        let plural = if dispatch.workgroups == [1; 3] { "" } else { "s" };
        let entry = program.module.entry_points.get(dispatch.entry);
        match entry {
            Some(entry) if dispatches.len() > 1 => {
                format!("{grid} workgroup{plural} of `{}`", entry.name)
            }
            _ => format!("{grid} workgroup{plural}"),
        }
    };
    dispatches.iter().map(shown).collect::<Vec<_>>().join(", then ")
}

/// The flags that give this launch again, if flags can.
fn replay(program: &Program, spec: &LaunchSpec, rung: &Rung) -> Option<Vec<String>> {
    let mut flags = Vec::new();
    let mut flag = |name: &str, value: String| flags.extend([name.to_owned(), value]);
    let name = |entry: usize| {
        program.module.entry_points.get(entry).map_or("", |entry| entry.name.as_str())
    };
    match rung.dispatches.as_slice() {
        [dispatch] => {
            if program.entries().count() > 1 {
                flag("--entry", name(dispatch.entry).to_owned());
            }
            flag("--workgroups", grid::show(dispatch.workgroups));
        }
        dispatches => {
            for dispatch in dispatches {
                let grid = grid::show(dispatch.workgroups);
                flag("--dispatch", format!("{}:{grid}", name(dispatch.entry)));
            }
        }
    }
    for (name, value) in &spec.overrides {
        flag("--override", format!("{name}={value}"));
    }
    for binding in &spec.bindings {
        flag("--buffer", format!("{}={}", binding.name, binding.text.as_deref()?));
    }
    if spec.seed != 0 {
        flag("--seed", spec.seed.to_string());
    }
    if let Some(size) = spec.subgroup_size {
        flag("--subgroup-size", size.to_string());
    }
    if let Some(steps) = spec.step_limit {
        flag("--step-limit", steps.to_string());
    }
    if spec.schedule != 0 {
        flag("--schedule", format!("{:#x}", spec.schedule));
    }
    Some(flags)
}

struct Builder<'a> {
    program: &'a Program,
    spec: &'a LaunchSpec,
    rung: &'a Rung,
    grown: &'a Grown,
    extent: [u32; 3],
    /// Invocations in all.
    total: u32,
    inferred: Vec<String>,
    guessed_contents: Vec<bool>,
    guessed_lengths: Vec<bool>,
}

impl Builder<'_> {
    fn resource(&mut self, handle: Handle<GlobalVariable>) -> Result<Option<Resource>> {
        let module = &self.program.module;
        let variable = &module.global_variables[handle];
        let name = variable.name.as_deref().unwrap_or("(unnamed)");
        let given = self.spec.bindings.iter().find(|binding| binding.name == name);
        match role(module, handle) {
            Role::Internal => Ok(None),
            Role::Unsupported => {
                let span = module.global_variables.get_span(handle);
                Err(Box::new(Diagnostic::at(
                    &self.program.source,
                    span.into(),
                    format!("`{name}` is of a kind that cannot be run yet"),
                )))
            }
            Role::Sampler => {
                Ok(Some(Resource::Sampler(Sampler { linear: true, ..Sampler::default() })))
            }
            Role::Texture => self.texture(handle, name, given).map(Some),
            Role::Parameters if given.is_none() => Ok(Some(self.parameters(handle, name))),
            Role::Parameters | Role::Data => self.buffer(handle, name, given).map(Some),
        }
    }

    fn surroundings(&self, handle: Handle<GlobalVariable>, footprint: Footprint) -> Surroundings {
        let most = footprint.elements(MAX_FIRST_GUESS).max(1);
        let grown = self.grown.get(&MemoryId(handle.index() as u32));
        let grown = grown.map_or(0, |&bytes| footprint.elements(bytes));
        Surroundings {
            seed: self.spec.seed,
            stream: handle.index() as u64,
            elements: self.total.min(most).max(grown),
            below: self.total,
        }
    }

    fn buffer(
        &mut self,
        handle: Handle<GlobalVariable>,
        name: &str,
        given: Option<&Binding>,
    ) -> Result<Resource> {
        let module = &self.program.module;
        let ty = module.global_variables[handle].ty;
        let footprint = Footprint::of(module, ty);
        let around = self.surroundings(handle, footprint);
        let (bytes, length_given) = match given {
            Some(binding) => {
                let filled = buffers::fill(module, name, ty, &binding.contents, &around)?;
                (filled.bytes, filled.length_given)
            }
            None => {
                self.guessed_contents[handle.index()] = true;
                (buffers::guess(module, name, ty, &around)?, footprint.stride.is_none())
            }
        };
        let elements = footprint.elements(bytes.len() as u32);
        match (given, length_given) {
            (Some(_), true) => {}
            (Some(_), false) => self.inferred.push(format!("`{name}`: {elements} elements")),
            (None, true) => self.inferred.push(format!("`{name}`: {}", self.buffer_said(ty))),
            (None, false) => {
                self.inferred
                    .push(format!("`{name}`: {elements} elements, {}", self.buffer_said(ty)));
            }
        }
        self.guessed_lengths[handle.index()] = !length_given;
        let mut buffer = Buffer::new(&bytes);
        buffer.elastic = !length_given;
        Ok(Resource::Buffer(buffer))
    }

    /// What a guessed buffer of this type holds.
    fn buffer_said(&self, ty: Handle<Type>) -> String {
        let (mut atomics, mut others) = (false, false);
        scalars(&self.program.module, ty, 1, &mut |place| {
            atomics |= place.atomic;
            others |= !place.atomic;
        });
        match (atomics, others) {
            (true, false) => "zeros".to_owned(),
            (true, true) => format!("{}, zeros in atomics", self.contents_said()),
            (false, _) => self.contents_said(),
        }
    }

    fn contents_said(&self) -> String {
        format!("random contents from seed {}", self.spec.seed)
    }

    fn parameters(&mut self, handle: Handle<GlobalVariable>, name: &str) -> Resource {
        let module = &self.program.module;
        let ty = module.global_variables[handle].ty;
        let bytes = Footprint::of(module, ty).bytes(0).unwrap_or(0).min(MAX_BYTES);
        let mut bytes = vec![0; bytes as usize];
        scalars(module, ty, 0, &mut |place| {
            let value = match self.rung.parameters {
                Parameters::Zero => 0,
                Parameters::One => 1,
                Parameters::Extent => {
                    self.extent.get(place.component as usize).copied().unwrap_or(1)
                }
            };
            let start = place.offset as usize;
            // What the type cannot hold (an extent past f16's range) stays zero.
            if let Some(encoded) = Number::Int(value.into()).encode(place.scalar)
                && let Some(to) = bytes.get_mut(start..start + encoded.len())
            {
                to.copy_from_slice(&encoded);
            }
        });
        let value = match self.rung.parameters {
            Parameters::Zero => "0".to_owned(),
            Parameters::One => "1".to_owned(),
            Parameters::Extent => {
                format!("the number of invocations, {}", grid::show(self.extent))
            }
        };
        self.inferred.push(format!("`{name}`: every scalar is {value}"));
        self.guessed_contents[handle.index()] = true;
        Resource::Buffer(Buffer::new(&bytes))
    }

    fn texture(
        &mut self,
        handle: Handle<GlobalVariable>,
        name: &str,
        given: Option<&Binding>,
    ) -> Result<Resource> {
        let module = &self.program.module;
        let TypeInner::Image { dim, arrayed, class } =
            module.types[module.global_variables[handle].ty].inner
        else {
            return Err(Box::new(Diagnostic::new(format!("`{name}` is no texture"))));
        };
        let kind = textures::Kind { dim, arrayed, class };
        let around = Surroundings {
            seed: self.spec.seed,
            stream: handle.index() as u64,
            elements: 0,
            below: self.total,
        };
        let contents = given.map_or(Contents::Random(None, None), |given| given.contents.clone());
        let (texture, size_given) = textures::fill(name, kind, &contents, &around, self.extent)?;
        let [x, y, z] = texture.size;
        match (given, size_given) {
            (Some(_), true) => {}
            (Some(_), false) => self.inferred.push(format!("`{name}`: {x}x{y}x{z} texels")),
            (None, _) => {
                let contents = self.contents_said();
                self.inferred.push(format!("`{name}`: {x}x{y}x{z} texels, {contents}"));
                self.guessed_contents[handle.index()] = true;
            }
        }
        self.guessed_lengths[handle.index()] = !size_given;
        Ok(Resource::Texture(texture))
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
