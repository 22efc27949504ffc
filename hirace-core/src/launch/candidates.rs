//! Candidate launches, tried if not everything was given: each chooses a grid and values for guessed parameters.
//!
//! They are in order of size, so that a finding is shown on the smallest launch that has it.

use super::Dispatch;
use super::fields::{Field, all_fields, fields};
use super::fitting::{self, ChoiceCounts, ValueChoice};
use super::grid::{self, InferredGrid};
use super::measures::{Measures, Slot};
use super::spec::LaunchSpec;
use super::subgroups;
use super::used::is_used;
use super::variation::Variation;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::globals::{Role, role};
use crate::program::Program;
use naga::{AddressSpace, GlobalVariable, Handle, TypeInner};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A launch to try.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The dispatches.
    pub dispatches: Vec<Dispatch>,
    /// Whether any of the grids was guessed.
    pub has_inferred_grid: bool,
    /// Whether the kernel's text implies that it may be launched on these grids.
    pub grid_implied: bool,
    /// The choice of values for numbers that were not given.
    pub values: ValueChoice,
    /// Whether numbers of which nothing is known have values that a host might never give. Such a launch is only for code that
    /// does not run in the other launches.
    pub unlikely_values: bool,
    /// The contents of guessed buffers.
    pub filling: FillStrategy,
    /// The differences from the most probable launch.
    pub variation: Variation,
    /// The number of lanes of a subgroup, if it was not given and a size other than the default is tried.
    pub subgroup_size: Option<u32>,
    /// What is known about the numbers that the kernel is given.
    pub measures: Arc<Measures>,
}

/// The contents of guessed buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FillStrategy {
    /// Random numbers.
    #[default]
    Random,
    /// Each index once, in random order, in buffers that are used as indices. Random numbers in all others.
    Permuted,
    /// Small numbers, such as counts.
    Few,
    /// Zeros, because hosts often clear buffers.
    Zeros,
}

impl Candidate {
    /// Returns the maximum number of workgroups in a dispatch.
    pub fn workgroups(&self) -> u64 {
        let count = |dispatch: &Dispatch| {
            dispatch.workgroups.iter().fold(1u64, |product, &n| product.saturating_mul(n.into()))
        };
        self.dispatches.iter().map(count).max().unwrap_or(0)
    }
}

/// Returns the launches to try for what `spec` leaves open. If `spec` gives dispatches, these run, and `entry` is ignored.
pub fn candidates(program: &Program, spec: &LaunchSpec, entry: usize) -> Result<Vec<Candidate>> {
    let given: Vec<(usize, Option<[u32; 3]>)> = match spec.dispatches.is_empty() {
        true => vec![(entry, spec.workgroups)],
        false => spec
            .dispatches
            .iter()
            .map(|d| Ok((find_entry(program, &d.entry)?, d.workgroups.or(spec.workgroups))))
            .collect::<Result<_>>()?,
    };
    for &(entry, workgroups) in &given {
        if let (Some(workgroups), Some(entry)) =
            (workgroups, program.module.entry_points.get(entry))
        {
            grid::check(workgroups, entry)?;
        }
    }
    let (grids, measures) = grids(program, &given);
    let measures = Arc::new(measures);
    let longest = grids.iter().map(Vec::len).max().unwrap_or(1);
    let mut candidates: Vec<Candidate> = (0..longest)
        .map(|nth| {
            let chosen = || grids.iter().map(|of| of[nth.min(of.len() - 1)]);
            let dispatch = |(&(entry, _), guess): (&(usize, _), InferredGrid)| Dispatch {
                entry,
                workgroups: guess.workgroups,
            };
            Candidate {
                dispatches: given.iter().zip(chosen()).map(dispatch).collect(),
                has_inferred_grid: given.iter().any(|(_, workgroups)| workgroups.is_none()),
                grid_implied: chosen().all(|guess| guess.is_implied),
                values: ValueChoice::default(),
                unlikely_values: false,
                filling: FillStrategy::Random,
                variation: Variation::default(),
                subgroup_size: None,
                measures: Arc::clone(&measures),
            }
        })
        .collect();
    // Uses the grid of several workgroups if there is a choice: it shows everything that one workgroup shows, and more.
    let several = candidates[candidates.len().min(2) - 1].clone();
    let tries = tries(program, spec, &several);
    let with = |values| Candidate { values, ..several.clone() };
    candidates.extend(tries.all().into_iter().skip(1).map(with));
    let guessed = guessed_buffers(program, spec, &several);
    if guessed.iter().any(|variable| several.measures.indices.contains_key(variable)) {
        candidates.push(Candidate { filling: FillStrategy::Permuted, ..several.clone() });
    }
    if !guessed.is_empty() && several.measures.is_steered {
        candidates.push(Candidate { filling: FillStrategy::Zeros, ..several.clone() });
    }
    let has_required =
        given.iter().any(|&(entry, _)| program.required_subgroup_size(entry).is_some());
    if spec.subgroup_size.is_none()
        && !has_required
        && given.iter().any(|&(entry, _)| subgroups::are_used(program, entry))
    {
        let others = subgroups::SIZES.into_iter().skip(1);
        candidates
            .extend(others.map(|size| Candidate { subgroup_size: Some(size), ..several.clone() }));
    }
    let unlikely = |values| Candidate { values, unlikely_values: true, ..several.clone() };
    candidates.extend(tries.unlikely_choices().into_iter().map(unlikely));
    Ok(candidates)
}

/// Returns the grids to try for each dispatch, and what is known about the numbers that the kernels are given.
fn grids(
    program: &Program,
    given: &[(usize, Option<[u32; 3]>)],
) -> (Vec<Vec<InferredGrid>>, Measures) {
    let mut together = Measures::default();
    let grids = given.iter().map(|&(entry, workgroups)| {
        let measures = Measures::of(program, entry);
        let grids = match workgroups {
            Some(workgroups) => vec![InferredGrid { workgroups, is_implied: true }],
            None => grid::infer_grids(program, entry, &measures),
        };
        together.join(measures);
        grids
    });
    (grids.collect(), together)
}

/// Returns the choices of values and lengths that were not given.
fn tries(program: &Program, spec: &LaunchSpec, candidate: &Candidate) -> ChoiceCounts {
    let used = program.module.global_variables.iter().map(|(handle, _)| handle);
    let used = used.filter(|&handle| is_used(program, &candidate.dispatches, handle));
    let of_fields = used.fold(ChoiceCounts::default(), |all, handle| {
        let fields = open_fields(program, spec, &candidate.measures, handle);
        all.and(fitting::tries(&candidate.measures, handle, &fields))
    });
    let guessed = guessed_buffers(program, spec, candidate);
    let asks = guessed.iter().any(|handle| candidate.measures.asked_lengths.contains(handle));
    ChoiceCounts { ragged: of_fields.ragged || asks, ..of_fields }
}

/// Returns the fields of a variable whose values are chosen because they were not given: all fields of a parameter block, and the
/// fields of other buffers that the kernel uses like parameters.
pub fn open_fields(
    program: &Program,
    spec: &LaunchSpec,
    measures: &Measures,
    handle: Handle<GlobalVariable>,
) -> Vec<Field> {
    let module = &program.module;
    let variable = &module.global_variables[handle];
    let name = variable.name.as_deref().unwrap_or_default();
    let role = role(module, handle);
    if !matches!(role, Role::Parameters | Role::Data) || spec.gives(Some(name)) {
        return Vec::new();
    }
    let mut open = fields(module, variable.ty);
    let is_given = |field: &Field| spec.gives_field(name, &field.path);
    let is_known = |field: &Field| {
        let mut offsets = field.offsets();
        offsets.any(|offset| fitting::is_known(measures, Slot { variable: handle, offset }))
    };
    let is_passed = |field: &Field| {
        variable.space == AddressSpace::Immediate
            && program.passed.iter().any(|passed| passed.holds(field.offset))
    };
    open.retain(|field| !is_given(field) && !is_passed(field));
    open.retain(|field| role == Role::Parameters || is_known(field));
    open
}

/// Returns the members of uniforms that `spec` gives field by field, by index.
pub fn given_members(
    program: &Program,
    spec: &LaunchSpec,
) -> FxHashSet<(Handle<GlobalVariable>, u32)> {
    let module = &program.module;
    let mut given = FxHashSet::default();
    for (handle, variable) in module.global_variables.iter() {
        let name = variable.name.as_deref().unwrap_or_default();
        if variable.space != AddressSpace::Uniform || spec.fields_of(name).next().is_none() {
            continue;
        }
        let TypeInner::Struct { members, .. } = &module.types[variable.ty].inner else { continue };
        given.extend((0..).zip(members).filter_map(|(index, member)| {
            let prefix = format!(".{}", member.name.as_deref()?);
            let fields = all_fields(module, member.ty)?;
            let mut paths = fields.iter().map(|field| format!("{prefix}{}", field.path));
            paths.all(|path| spec.gives_field(name, &path)).then_some((handle, index))
        }));
    }
    given
}

/// Returns the used buffers that were not given, except parameter blocks.
fn guessed_buffers(
    program: &Program,
    spec: &LaunchSpec,
    candidate: &Candidate,
) -> Vec<Handle<GlobalVariable>> {
    let module = &program.module;
    let all = module.global_variables.iter().filter(|(handle, variable)| {
        role(module, *handle) == Role::Data
            && is_used(program, &candidate.dispatches, *handle)
            && !spec.gives(variable.name.as_deref())
    });
    all.map(|(handle, _)| handle).collect()
}

/// Returns the index of the compute entry point `name`.
///
/// # Errors
/// If there is no such entry point.
pub fn find_entry(program: &Program, name: &str) -> Result<usize> {
    if let Some((index, _)) = program.entries().find(|(_, entry)| *entry == name) {
        return Ok(index);
    }
    let names: Vec<&str> = program.entries().map(|(_, name)| name).collect();
    let error =
        Diagnostic::new(format!("{} has no compute entry point `{name}`", program.source.name()));
    Err(Box::new(match super::spec::find_nearest(name, names.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.note(format!("its compute entry points are: {}", names.join(", "))),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use crate::launch::spec::{Binding, DispatchSpec};

    fn program() -> Program {
        let text = "
            struct Params { n: u32 }
            @group(0) @binding(0) var<uniform> params: Params;
            @group(0) @binding(1) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3u) {
                if (id.x < params.n) { out[id.x] *= 2u; }
            }
            @compute @workgroup_size(8, 8) fn clear(@builtin(global_invocation_id) id: vec3u) {
                out[id.y * 8u + id.x] = 0u;
            }";
        let parsed = wgsl::parse("test.wgsl", text).unwrap();
        Program::new(&parsed, &Default::default()).unwrap()
    }

    fn shape(candidates: &[Candidate]) -> Vec<([u32; 3], usize, bool)> {
        let of =
            |one: &Candidate| (one.dispatches[0].workgroups, one.values.nth, one.values.is_ragged);
        candidates.iter().map(of).collect()
    }

    #[test]
    fn grids_go_from_one_workgroup_to_odd_sizes_and_sizes_fit_or_are_a_little_less() {
        let program = program();
        let all = candidates(&program, &LaunchSpec::default(), 0).unwrap();
        let expected = [
            ([1, 1, 1], 0, false),
            ([2, 1, 1], 0, false),
            ([5, 1, 1], 0, false),
            ([2, 1, 1], 0, true),
        ];
        assert_eq!(shape(&all), expected);
        assert!(all.iter().all(|one| one.has_inferred_grid));
        let implied: Vec<bool> = all.iter().map(|one| one.grid_implied).collect();
        assert_eq!(implied, [true, true, false, true]);
    }

    #[test]
    fn a_kernel_without_parameters_has_none_guessed() {
        let program = program();
        let all = candidates(&program, &LaunchSpec::default(), 1).unwrap();
        assert_eq!(
            shape(&all).iter().map(|r| r.0).collect::<Vec<_>>(),
            [[1, 1, 1], [2, 2, 1], [5, 3, 1]]
        );
    }

    #[test]
    fn what_is_given_is_not_guessed() {
        let program = program();
        for given in ["params=448", "params.n=448"] {
            let spec = LaunchSpec {
                workgroups: Some([7, 1, 1]),
                bindings: vec![Binding::parse(given).unwrap()],
                ..LaunchSpec::default()
            };
            let all_given = candidates(&program, &spec, 0).unwrap();
            assert_eq!(shape(&all_given), [([7, 1, 1], 0, false)]);
            assert!(!all_given[0].has_inferred_grid);
        }
        let dispatches = vec![
            DispatchSpec::parse("clear:2,2").unwrap(),
            DispatchSpec::parse("scale:4").unwrap(),
        ];
        let bindings = vec![Binding::parse("params=448").unwrap()];
        let spec = LaunchSpec { dispatches, bindings, ..LaunchSpec::default() };
        let two = candidates(&program, &spec, 0).unwrap();
        assert_eq!(two.len(), 1);
        assert_eq!(two[0].dispatches[0], Dispatch { entry: 1, workgroups: [2, 2, 1] });
        assert_eq!(two[0].dispatches[1], Dispatch { entry: 0, workgroups: [4, 1, 1] });
    }

    #[test]
    fn contents_that_steer_a_kernel_are_random_a_permutation_and_zeros() {
        let text = "
            @group(0) @binding(0) var<storage> order: array<u32>;
            @group(0) @binding(1) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
                out[order[id.x]] = 1u;
            }";
        let parsed = wgsl::parse("test.wgsl", text).unwrap();
        let program = Program::new(&parsed, &Default::default()).unwrap();
        let fillings = |given: &[&str]| -> Vec<FillStrategy> {
            let bindings = given.iter().map(|text| Binding::parse(text).unwrap()).collect();
            let workgroups = Some([2, 1, 1]);
            let spec = LaunchSpec { bindings, workgroups, ..LaunchSpec::default() };
            let all = candidates(&program, &spec, 0).unwrap();
            all.iter().map(|one| one.filling).collect()
        };
        assert_eq!(
            fillings(&[]),
            [FillStrategy::Random, FillStrategy::Permuted, FillStrategy::Zeros]
        );
        assert_eq!(fillings(&["order=iota:128", "out=zeros:128"]), [FillStrategy::Random]);
    }

    #[test]
    fn where_subgroups_matter_their_sizes_are_tried() {
        let text = "
            @group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
                out[id.x] = subgroupAdd(1u);
            }";
        let parsed = wgsl::parse("test.wgsl", text).unwrap();
        let program = Program::new(&parsed, &Default::default()).unwrap();
        let all = candidates(&program, &LaunchSpec::default(), 0).unwrap();
        let sizes: Vec<_> = all.iter().map(|one| one.subgroup_size).collect();
        assert_eq!(sizes, [None, None, None, Some(4), Some(8), Some(16), Some(64)]);
        let given = LaunchSpec { subgroup_size: Some(16), ..LaunchSpec::default() };
        assert_eq!(candidates(&program, &given, 0).unwrap().len(), 3);
    }

    #[test]
    fn wrong_names_and_grids_are_refused() {
        let program = program();
        let error = find_entry(&program, "scael").unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `scale`?"));
        let error = find_entry(&program, "xyz").unwrap_err();
        assert!(error.notes[0].contains("scale, clear"));
        let spec = LaunchSpec { workgroups: Some([0, 1, 1]), ..LaunchSpec::default() };
        assert!(candidates(&program, &spec, 0).is_err());
    }
}
