//! Builds a launch from what was given, a candidate for the rest, and memory for all of it.

use super::buffers::{self, FillContext, MAX_BYTES};
use super::candidates::{Candidate, FillStrategy, open_fields};
use super::fields::{Field, fields};
use super::fitting::{self, Shape};
use super::host_memory::{LaunchSize, bound_resource};
use super::measures::Slot;
use super::number::scalar_name;
use super::spec::{Binding, Contents, DispatchSpec, LaunchSpec, find_nearest};
use super::used::is_used;
use super::writes::writes;
use super::{Dispatch, Launch, assumed_contents, grid, subgroups, textures};
use crate::deadline::Deadline;
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::{Assumption, FieldValue, Flag, Number, assumption};
use crate::ir::globals::{Role, role};
use crate::ir::scalars::{Footprint, scalar_counts, scalar_types};
use crate::program::Program;
use crate::vm::memory::{Buffer, Resource, Resources, Sampler};
use crate::vm::observer::MemoryId;
use crate::vm::schedule::{Limits, Schedule};
use naga::{AddressSpace, GlobalVariable, Handle, TypeInner};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of steps that a subgroup may run on a guessed launch, if no step limit was given.
pub const MAX_INFERRED_STEPS: u64 = 2_000_000;

/// The number of steps that all subgroups together may run on a guessed launch: enough for each of the eight subgroups of a
/// workgroup to reach its own limit. This takes some seconds if all of them race.
pub const MAX_INFERRED_TOTAL_STEPS: u64 = 16_000_000;

/// The exclusive upper bound of small contents.
const FEW: i128 = 4;

/// The maximum initial size of a guessed buffer, in bytes. Buffers that need more grow.
const MAX_FIRST_BYTES: u32 = 16 << 20;

/// The byte lengths that guessed buffers have grown to.
pub type Grown = BTreeMap<MemoryId, u32>;

/// Builds the launch for `candidate`, with guessed buffers at least as long as `grown` says.
pub fn launch(
    program: &Program,
    spec: &LaunchSpec,
    candidate: &Candidate,
    grown: &Grown,
) -> Result<Launch> {
    launch_within(program, spec, candidate, grown, Deadline::NEVER)
}

/// Builds the launch like [`launch`]. Once the deadline has passed, this returns soon, and the result must not be used.
pub fn launch_within(
    program: &Program,
    spec: &LaunchSpec,
    candidate: &Candidate,
    grown: &Grown,
    deadline: Deadline<'_>,
) -> Result<Launch> {
    let module = &program.module;
    let entries = candidate.dispatches.iter().map(|dispatch| dispatch.entry);
    let required = entries.filter_map(|entry| program.required_subgroup_size(entry));
    let required: BTreeSet<u32> = required.collect();
    if required.len() > 1 && spec.subgroup_size.is_none() {
        let message = "the dispatches of this launch require different sizes of subgroups";
        let error = Diagnostic::new(message);
        return Err(Box::new(error.help("choose one with --subgroup-size")));
    }
    let required = required.first().copied();
    let given = spec.subgroup_size.or(candidate.subgroup_size);
    let subgroup_size = given.or(required).unwrap_or(subgroups::USUAL);
    if !subgroup_size.is_power_of_two() || subgroup_size > 64 {
        let error = Diagnostic::new(format!("a subgroup cannot have {subgroup_size} lanes"));
        return Err(Box::new(error.help("expected a power of two from 1 to 64")));
    }
    let extent = extent(program, &candidate.dispatches);
    let total = extent.iter().fold(1u32, |product, &n| product.saturating_mul(n));
    let mut builder = Builder {
        program,
        spec,
        candidate,
        grown,
        deadline,
        shape: Shape { extent, workgroups: workgroups(&candidate.dispatches) },
        total,
        assumptions: Vec::new(),
        flags: Vec::new(),
        inferred_contents: vec![false; module.global_variables.len()],
        inferred_lengths: vec![false; module.global_variables.len()],
    };
    if let Some(memory) = &spec.memory {
        memory.guessed.iter().for_each(|handle| builder.inferred_contents[handle.index()] = true);
        builder.assumptions.extend(memory.assumptions.iter().cloned());
    }
    let all = module.global_variables.iter();
    let used = all.map(|(handle, _)| (handle, is_used(program, &candidate.dispatches, handle)));
    let used: Vec<_> = used.collect();
    if spec.memory.is_none() {
        let mut size = LaunchSize::new(program, spec);
        used.iter().filter(|(_, used)| *used).try_for_each(|(handle, _)| size.add_type(*handle))?;
    }
    let mut size = LaunchSize::new(program, spec);
    let mut by_global = Vec::with_capacity(used.len());
    for (handle, used) in used {
        let resource = match (used, &spec.memory) {
            (false, _) => None,
            (true, Some(memory)) => bound_resource(program, memory, handle)?,
            (true, None) => builder.resource(handle)?,
        };
        resource.iter().try_for_each(|resource| size.add_resource(handle, resource))?;
        by_global.push(resource);
    }
    let Builder {
        assumptions,
        flags,
        inferred_contents: guessed_contents,
        inferred_lengths: guessed_lengths,
        ..
    } = builder;
    let guessed = candidate.has_inferred_grid || guessed_contents.contains(&true);
    let limits = Limits { timeout: spec.timeout, ..Limits::default() };
    let limits = match (spec.step_limit, guessed) {
        (Some(steps), _) => Limits { steps, ..limits },
        (None, true) => {
            Limits { steps: MAX_INFERRED_STEPS, total: MAX_INFERRED_TOTAL_STEPS, ..limits }
        }
        (None, false) => limits,
    };
    let resources = Resources { by_global };
    let writes = writes(program, spec, &resources)?;
    Ok(Launch {
        dispatches: candidate.dispatches.clone(),
        resources,
        writes,
        kept: spec.kept.clone(),
        inferred_contents: guessed_contents,
        inferred_lengths: guessed_lengths,
        assumptions,
        replay: replay(program, spec, candidate, flags),
        subgroup_size,
        schedule: Schedule::seeded(spec.schedule),
        order: spec.order.clone(),
        limits,
        pins: Arc::clone(&candidate.measures.pins),
    })
}

/// Returns an error for bindings to names that no variable has, or to variables that cannot be bound.
pub fn check_names(program: &Program, spec: &LaunchSpec) -> Result<()> {
    let module = &program.module;
    let bindable = |handle| !matches!(role(module, handle), Role::Internal | Role::Unsupported);
    let writes = spec.writes.iter().map(|(_, binding)| binding);
    for (index, binding) in spec.bindings.iter().chain(writes).enumerate() {
        let (name, target) = (binding.name.as_str(), binding.target());
        let is_first = index < spec.bindings.len();
        if is_first && spec.bindings[..index].iter().any(|other| other.target() == target) {
            return Err(Box::new(Diagnostic::new(format!("`{target}` is given contents twice"))));
        }
        let is_called = |called: &str| {
            let all = module.global_variables.iter();
            let named = all.filter(|(_, variable)| variable.name.as_deref() == Some(called));
            // Workgroup memory may have the same name as a buffer of another kernel.
            named.max_by_key(|(handle, _)| bindable(*handle))
        };
        let has_field = || {
            module.global_variables.iter().find(|(_, variable)| {
                variable.name.as_deref().is_some_and(|name| binding.field_of(name).is_some())
            })
        };
        // Names that compilers generate may contain dots.
        let named = is_called(&target).or_else(|| is_called(name)).or_else(has_field);
        let Some((handle, variable)) = named else {
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
            return Err(Box::new(match find_nearest(name, names.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None if names.is_empty() => error.note("it has no buffers or textures"),
                None => error.note(format!("its buffers and textures are: {}", names.join(", "))),
            }));
        };
        let own = variable.name.as_deref().unwrap_or_default();
        if let Some(path) = binding.field_of(own).filter(|_| own != target) {
            let all = fields(module, variable.ty);
            if !all.iter().any(|field| field.path == path) {
                return Err(no_such_field(&target, name, &all));
            }
        }
        if role(module, handle) == Role::Internal {
            return Err(Box::new(Diagnostic::new(format!(
                "`{name}` is not a buffer or texture: its memory belongs to the workgroup or the invocation and starts as zeros"
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

fn no_such_field(target: &str, name: &str, all: &[Field]) -> Box<Diagnostic> {
    let names: Vec<String> = all.iter().map(|field| format!("{name}{}", field.path)).collect();
    let error = Diagnostic::new(format!("there is no field `{target}`"));
    Box::new(match find_nearest(target, names.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => error.note(format!("`{name}` has no fields")),
        None => error.note(format!("its fields are: {}", names.join(", "))),
    })
}

/// Returns the maximum number of invocations of a dispatch in each dimension.
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

/// Returns the maximum number of workgroups of a dispatch in each dimension.
fn workgroups(dispatches: &[Dispatch]) -> [u32; 3] {
    dispatches
        .iter()
        .fold([1; 3], |most, dispatch| [0, 1, 2].map(|i| most[i].max(dispatch.workgroups[i])))
}

/// Returns the flags that reproduce this launch, if flags can express it. `guessed` are the flags for what was not given.
fn replay(
    program: &Program,
    spec: &LaunchSpec,
    candidate: &Candidate,
    guessed: Vec<Flag>,
) -> Option<Vec<Flag>> {
    // Flags cannot express writes between dispatches, nor the memory of a host.
    if !spec.writes.is_empty() || spec.memory.is_some() {
        return None;
    }
    let mut flags = Vec::new();
    let name = |dispatch: &Dispatch| {
        let entry = program.module.entry_points.get(dispatch.entry);
        entry.map(|entry| entry.name.clone()).unwrap_or_default()
    };
    match candidate.dispatches.as_slice() {
        [dispatch] => {
            if program.entries().count() > 1 {
                flags.push(Flag::Entry(name(dispatch)));
            }
            flags.push(Flag::Workgroups(dispatch.workgroups));
        }
        dispatches => flags.extend(dispatches.iter().map(|dispatch| Flag::Dispatch {
            entry: name(dispatch),
            workgroups: dispatch.workgroups,
        })),
    }
    flags.extend(content_flags(spec)?);
    flags.extend(guessed);
    flags.extend((spec.seed != 0).then_some(Flag::Seed(spec.seed)));
    flags.extend(spec.subgroup_size.or(candidate.subgroup_size).map(Flag::SubgroupSize));
    flags.extend(spec.step_limit.map(Flag::StepLimit));
    flags.extend((spec.schedule != 0).then_some(Flag::Schedule(spec.schedule)));
    flags.extend(spec.order.clone().map(Flag::Replay));
    Some(flags)
}

/// Returns the flags for overrides and contents, or `None` if flags cannot express the contents.
fn content_flags(spec: &LaunchSpec) -> Option<Vec<Flag>> {
    let overrides = spec.overrides.iter();
    let overrides =
        overrides.map(|(name, value)| Some(Flag::Override { name: name.clone(), value: *value }));
    let bindings = spec
        .bindings
        .iter()
        .map(|binding| Some(Flag::Buffer { name: binding.target(), spec: binding.text.clone()? }));
    overrides.chain(bindings).collect()
}

/// Returns the flags for the given part of a launch of an entry point, without its schedule; `None` if flags cannot express it.
pub fn given_flags(program: &Program, spec: &LaunchSpec, entry: usize) -> Option<Vec<Flag>> {
    if !spec.writes.is_empty() || spec.memory.is_some() {
        return None;
    }
    let mut flags = Vec::new();
    for DispatchSpec { entry, workgroups } in &spec.dispatches {
        let workgroups = workgroups.or(spec.workgroups)?;
        flags.push(Flag::Dispatch { entry: entry.clone(), workgroups });
    }
    if spec.dispatches.is_empty() {
        let entry = &program.module.entry_points[entry].name;
        flags.extend((program.entries().count() > 1).then(|| Flag::Entry(entry.clone())));
        flags.extend(spec.workgroups.map(Flag::Workgroups));
    }
    flags.extend(content_flags(spec)?);
    flags.extend((spec.seed != 0).then_some(Flag::Seed(spec.seed)));
    Some(flags)
}

struct Builder<'a> {
    program: &'a Program,
    spec: &'a LaunchSpec,
    candidate: &'a Candidate,
    grown: &'a Grown,
    deadline: Deadline<'a>,
    shape: Shape,
    /// The total number of invocations.
    total: u32,
    assumptions: Vec<Assumption>,
    /// The flags that reproduce what was guessed.
    flags: Vec<Flag>,
    inferred_contents: Vec<bool>,
    inferred_lengths: Vec<bool>,
}

impl<'a> Builder<'a> {
    fn resource(&mut self, handle: Handle<GlobalVariable>) -> Result<Option<Resource>> {
        let module = &self.program.module;
        let variable = &module.global_variables[handle];
        let name = variable.name.as_deref().unwrap_or("(unnamed)");
        let given = self.spec.whole(name);
        match role(module, handle) {
            Role::Internal => Ok(None),
            Role::Unsupported => {
                let span = module.global_variables.get_span(handle);
                Err(Box::new(Diagnostic::at(
                    &self.program.source,
                    span.into(),
                    format!("`{name}` has a type that hirace does not support yet"),
                )))
            }
            Role::Sampler => {
                Ok(Some(Resource::Sampler(Sampler { linear: true, ..Sampler::default() })))
            }
            Role::Texture => self.texture(handle, name, given).map(Some),
            Role::Parameters if given.is_none() => self.parameters(handle, name).map(Some),
            Role::Parameters | Role::Data => self.buffer(handle, name, given).map(Some),
        }
    }

    fn surroundings(
        &self,
        handle: Handle<GlobalVariable>,
        footprint: Footprint,
    ) -> FillContext<'a> {
        let most = footprint.elements(MAX_FIRST_BYTES).max(1);
        let grown = self.grown.get(&MemoryId(handle.index() as u32));
        let grown = grown.map_or(0, |&bytes| footprint.elements(bytes));
        FillContext {
            deadline: self.deadline,
            seed: self.spec.seed,
            stream: handle.index() as u64,
            elements: self.guessed_length(handle).min(most).max(grown),
            below: self.below(handle),
            sentinels: &[],
        }
    }

    /// Returns the number of elements of a runtime-sized array: one per invocation, or slightly fewer if the candidate varies the
    /// lengths that the kernel queries.
    fn guessed_length(&self, handle: Handle<GlobalVariable>) -> u32 {
        let Candidate { values, measures, .. } = self.candidate;
        match values.is_ragged && measures.asked_lengths.contains(&handle) {
            true => fitting::shortened_size(self.total),
            false => self.total,
        }
    }

    /// Returns the exclusive upper bound of random integers in a variable, chosen so that most of them are valid indices.
    fn below(&self, handle: Handle<GlobalVariable>) -> u32 {
        let indexed = self.candidate.measures.indices.get(&handle).copied().flatten();
        indexed.map_or(self.total, |length| length.clamp(1, self.total.max(1)))
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
        let asked = self.candidate.measures.sentinels.get(&handle);
        let asked: Vec<i64> = asked.into_iter().flatten().copied().collect();
        let context = FillContext { sentinels: &asked, ..self.surroundings(handle, footprint) };
        let (bytes, length_given) = match given {
            Some(binding) => {
                let filled = buffers::fill(module, name, ty, &binding.contents, &context)?;
                (filled.bytes, filled.length_given)
            }
            None => {
                self.inferred_contents[handle.index()] = true;
                let bytes = match self.filling(handle) {
                    Some(contents) => {
                        self.flags.extend(
                            assumed_contents::spec(&contents)
                                .map(|spec| Flag::Buffer { name: name.to_owned(), spec }),
                        );
                        buffers::fill(module, name, ty, &contents, &context)?.bytes
                    }
                    None => buffers::infer_bytes(module, name, ty, &context)?,
                };
                (bytes, footprint.stride.is_none())
            }
        };
        let mut bytes = bytes;
        if given.is_none() {
            self.fit(handle, name, &mut bytes)?;
        }
        self.put_fields(handle, name, &mut bytes)?;
        let elements = footprint.elements(bytes.len() as u32);
        if given.is_none() || !length_given {
            self.assumptions.push(Assumption::Buffer {
                variable: name.to_owned(),
                elements: (!length_given).then_some(elements),
                contents: given.is_none().then(|| self.contents_of(handle)),
                grown: !length_given && self.grown.contains_key(&MemoryId(handle.index() as u32)),
            });
        }
        self.inferred_lengths[handle.index()] = !length_given;
        let mut buffer = Buffer::new(&bytes);
        buffer.elastic = !length_given;
        Ok(Resource::Buffer(buffer))
    }

    /// Returns the contents of a guessed buffer, if they are not random.
    fn filling(&self, handle: Handle<GlobalVariable>) -> Option<Contents> {
        let Candidate { variation, measures, filling, .. } = self.candidate;
        let varied = variation.contents(handle, measures, &self.shape);
        varied.or_else(|| match filling {
            FillStrategy::Random => None,
            FillStrategy::Few => Some(Contents::Below(None, Number::Int(FEW), None)),
            FillStrategy::Zeros => Some(Contents::Zeros(None)),
            FillStrategy::Permuted => {
                self.holds_indices(handle).then_some(Contents::Permutation(None, None))
            }
        })
    }

    /// Returns whether a buffer consists of single numbers that are used as indices.
    fn holds_indices(&self, handle: Handle<GlobalVariable>) -> bool {
        let module = &self.program.module;
        let ty = module.global_variables[handle].ty;
        let (fixed, per_element) = scalar_counts(module, ty);
        let is_one = fixed + per_element == 1;
        let has_atomics = scalar_types(module, ty).iter().any(|(_, atomic)| *atomic);
        is_one && !has_atomics && self.candidate.measures.indices.contains_key(&handle)
    }

    /// Returns the contents of a guessed buffer, for the report.
    fn contents_of(&self, handle: Handle<GlobalVariable>) -> assumption::Contents {
        let filling = self.filling(handle);
        if let Some(known) =
            filling.and_then(|filling| assumed_contents::to_assumption(&filling, self.spec.seed))
        {
            return known;
        }
        let module = &self.program.module;
        let types = scalar_types(module, module.global_variables[handle].ty);
        let atomics = types.iter().any(|(_, atomic)| *atomic);
        let others = types.iter().any(|(_, atomic)| !atomic);
        match (atomics, others) {
            (true, false) => assumption::Contents::Zeros,
            (zero_atomics, _) => self.random(zero_atomics),
        }
    }

    fn random(&self, zero_atomics: bool) -> assumption::Contents {
        assumption::Contents::Random { seed: self.spec.seed, zero_atomics }
    }

    fn parameters(&mut self, handle: Handle<GlobalVariable>, name: &str) -> Result<Resource> {
        let module = &self.program.module;
        let ty = module.global_variables[handle].ty;
        let bytes = Footprint::of(module, ty).bytes(0).unwrap_or(0).min(MAX_BYTES);
        let mut bytes = vec![0; bytes as usize];
        self.pass(handle, &mut bytes);
        let is_open = self.fit(handle, name, &mut bytes)?;
        self.put_fields(handle, name, &mut bytes)?;
        self.inferred_contents[handle.index()] = is_open;
        Ok(Resource::Buffer(Buffer::new(&bytes)))
    }

    /// Writes the values that the source language's runtime passes into the push constants.
    fn pass(&self, handle: Handle<GlobalVariable>, bytes: &mut [u8]) {
        if self.program.module.global_variables[handle].space != AddressSpace::Immediate {
            return;
        }
        let Some(dispatch) = self.candidate.dispatches.first() else { return };
        let entry = &self.program.module.entry_points[dispatch.entry];
        for passed in &self.program.passed {
            let values = passed.what.of(self.shape.workgroups, entry.workgroup_size);
            let place = bytes.get_mut(passed.offset as usize..).unwrap_or_default();
            let words = place.chunks_exact_mut(4).take(passed.size as usize / 4);
            for (word, value) in words.zip(values) {
                word.copy_from_slice(&value.to_le_bytes());
            }
        }
    }

    /// Assigns values that fit the launch to the fields that were not given. Returns whether there are any such fields.
    fn fit(
        &mut self,
        handle: Handle<GlobalVariable>,
        name: &str,
        bytes: &mut [u8],
    ) -> Result<bool> {
        let Candidate { measures, values: choice, variation, .. } = self.candidate;
        let open = open_fields(self.program, self.spec, measures, handle);
        let mut shown = Vec::new();
        for field in &open {
            let mut values = Vec::new();
            for (component, offset) in (0..).zip(field.offsets()) {
                let slot = Slot { variable: handle, offset };
                let varied = variation.number(slot, field.scalar, measures, &self.shape);
                let fitting = varied.unwrap_or_else(|| {
                    fitting::value(measures, slot, field, component, &self.shape, *choice)
                });
                // A value that the type cannot hold (an extent beyond f16's range) is replaced by zero.
                let value = match fitting.encode(field.scalar) {
                    Some(encoded) => {
                        buffers::put(bytes, offset, &encoded);
                        fitting
                    }
                    None => Number::Int(0),
                };
                values.push(value);
            }
            let spec: Vec<String> = values.iter().map(Number::to_string).collect();
            let path = format!("{name}{}", field.path);
            self.flags.push(Flag::Buffer { name: path.clone(), spec: spec.join(",") });
            shown.push(FieldValue { path, values });
        }
        if !open.is_empty() {
            let variable = name.to_owned();
            self.assumptions.push(Assumption::Parameters { variable, fields: shown, tried: 1 });
        }
        Ok(!open.is_empty())
    }

    /// Writes the given fields into a buffer.
    fn put_fields(
        &self,
        handle: Handle<GlobalVariable>,
        name: &str,
        bytes: &mut [u8],
    ) -> Result<()> {
        let module = &self.program.module;
        let all = || fields(module, module.global_variables[handle].ty);
        for (path, binding) in self.spec.fields_of(name) {
            let target = binding.target();
            let Some(field) = all().into_iter().find(|field| field.path == path) else {
                return Err(no_such_field(&target, name, &all()));
            };
            let Contents::List(values) = &binding.contents else { continue };
            if values.len() != field.components as usize {
                return Err(Box::new(Diagnostic::new(format!(
                    "`{target}` has {} {}, got {}",
                    field.components,
                    if field.components == 1 { "scalar" } else { "components" },
                    values.len()
                ))));
            }
            for (value, offset) in values.iter().zip(field.offsets()) {
                let Some(encoded) = value.encode(field.scalar) else {
                    let scalar = scalar_name(field.scalar);
                    return Err(Box::new(Diagnostic::new(format!(
                        "contents of `{target}`: {value} is not a value of its scalar type {scalar}"
                    ))));
                };
                buffers::put(bytes, offset, &encoded);
            }
        }
        Ok(())
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
            return Err(Box::new(Diagnostic::new(format!("`{name}` is not a texture"))));
        };
        let kind = textures::TextureType { dim, arrayed, class };
        let context = FillContext {
            deadline: self.deadline,
            seed: self.spec.seed,
            stream: handle.index() as u64,
            elements: 0,
            below: self.total,
            sentinels: &[],
        };
        let varied = match given {
            None => {
                self.candidate.variation.contents(handle, &self.candidate.measures, &self.shape)
            }
            Some(_) => None,
        };
        let varied = varied.filter(|contents| !matches!(contents, Contents::Permutation(..)));
        let contents = match (given, &varied) {
            (Some(given), _) => given.contents.clone(),
            (None, Some(varied)) => {
                self.flags.extend(
                    assumed_contents::spec(varied)
                        .map(|spec| Flag::Buffer { name: name.to_owned(), spec }),
                );
                varied.clone()
            }
            (None, None) => Contents::Random(None, None),
        };
        let (texture, size_given) =
            textures::fill(name, kind, &contents, &context, self.shape.extent)?;
        if given.is_none() || !size_given {
            self.assumptions.push(Assumption::Texture {
                variable: name.to_owned(),
                size: texture.size,
                contents: given.is_none().then(|| {
                    let known =
                        varied.and_then(|of| assumed_contents::to_assumption(&of, self.spec.seed));
                    known.unwrap_or_else(|| self.random(false))
                }),
            });
        }
        self.inferred_contents[handle.index()] |= given.is_none();
        self.inferred_lengths[handle.index()] = !size_given;
        Ok(Resource::Texture(texture))
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
