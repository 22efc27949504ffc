//! What to try when not everything was given: candidate launches, each a choice of grid and of values for
//! guessed parameters.
//!
//! They stand in the order of their size, so that what is found first is found on the smallest launch that
//! shows it.

use super::Dispatch;
use super::grid;
use super::spec::LaunchSpec;
use super::used::is_used;
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::ParameterValue;
use crate::ir::globals::{Role, role};
use crate::program::Program;

/// One launch to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What is dispatched.
    pub dispatches: Vec<Dispatch>,
    /// Whether a grid among these was guessed.
    pub grid_guessed: bool,
    /// What guessed parameters are set to.
    pub parameters: ParameterValue,
}

/// The launches to try for what `spec` leaves open. With dispatches given, these are what runs, and
/// `entry` is not asked.
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
    let grid_guessed = given.iter().any(|(_, workgroups)| workgroups.is_none());
    let grids = if grid_guessed { 3 } else { 1 };
    let mut candidates: Vec<Candidate> = (0..grids)
        .map(|nth| {
            let dispatch = |&(entry, workgroups): &(usize, Option<[u32; 3]>)| {
                let workgroups = workgroups.unwrap_or_else(|| {
                    let entry = program.module.entry_points.get(entry);
                    let grids = entry.map(|entry| grid::guesses(&program.module, entry));
                    grids.and_then(|grids| grids.get(nth).copied()).unwrap_or([1; 3])
                });
                Dispatch { entry, workgroups }
            };
            let dispatches = given.iter().map(dispatch).collect();
            Candidate { dispatches, grid_guessed, parameters: ParameterValue::Invocations }
        })
        .collect();
    if guesses_parameters(program, spec, &candidates) {
        // On the grid of several workgroups if there is a choice: it shows what one does, and more.
        let several = candidates[candidates.len().min(2) - 1].clone();
        for parameters in [ParameterValue::One, ParameterValue::Zero] {
            candidates.push(Candidate { parameters, ..several.clone() });
        }
    }
    Ok(candidates)
}

fn guesses_parameters(program: &Program, spec: &LaunchSpec, candidates: &[Candidate]) -> bool {
    let Some(first) = candidates.first() else { return false };
    program.module.global_variables.iter().any(|(handle, variable)| {
        role(&program.module, handle) == Role::Parameters
            && is_used(program, &first.dispatches, handle)
            && !spec.bindings.iter().any(|binding| Some(&binding.name) == variable.name.as_ref())
    })
}

/// The compute entry point called `name`.
pub fn find_entry(program: &Program, name: &str) -> Result<usize> {
    if let Some((index, _)) = program.entries().find(|(_, entry)| *entry == name) {
        return Ok(index);
    }
    let names: Vec<&str> = program.entries().map(|(_, name)| name).collect();
    let error =
        Diagnostic::new(format!("{} has no compute entry point `{name}`", program.source.name()));
    Err(Box::new(match super::spec::nearest(name, names.iter().copied()) {
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

    fn shape(candidates: &[Candidate]) -> Vec<([u32; 3], ParameterValue)> {
        candidates.iter().map(|one| (one.dispatches[0].workgroups, one.parameters)).collect()
    }

    #[test]
    fn grids_go_from_one_workgroup_to_odd_sizes_and_parameters_take_three_values() {
        use ParameterValue::*;
        let program = program();
        let all = candidates(&program, &LaunchSpec::default(), 0).unwrap();
        assert_eq!(
            shape(&all),
            [
                ([1, 1, 1], Invocations),
                ([2, 1, 1], Invocations),
                ([5, 1, 1], Invocations),
                ([2, 1, 1], One),
                ([2, 1, 1], Zero)
            ]
        );
        assert!(all.iter().all(|one| one.grid_guessed));
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
        let spec = LaunchSpec {
            workgroups: Some([7, 1, 1]),
            bindings: vec![Binding::parse("params=448").unwrap()],
            ..LaunchSpec::default()
        };
        let all_given = candidates(&program, &spec, 0).unwrap();
        assert_eq!(shape(&all_given), [([7, 1, 1], ParameterValue::Invocations)]);
        assert!(!all_given[0].grid_guessed);
        let dispatches = vec![
            DispatchSpec::parse("clear:2,2").unwrap(),
            DispatchSpec::parse("scale:4").unwrap(),
        ];
        let spec = LaunchSpec { dispatches, workgroups: None, ..spec };
        let two = candidates(&program, &spec, 0).unwrap();
        assert_eq!(two.len(), 1);
        assert_eq!(two[0].dispatches[0], Dispatch { entry: 1, workgroups: [2, 2, 1] });
        assert_eq!(two[0].dispatches[1], Dispatch { entry: 0, workgroups: [4, 1, 1] });
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
