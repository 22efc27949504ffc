//! Notes about the kernels of a launch.

use crate::analysis::ineffective_barriers::{IneffectiveBarrier, ineffective_barriers};
use crate::analysis::order_dependence::{OrderDependence, order_dependence};
use crate::facts::{LaunchFacts, Note, Place, Replay};
use crate::finding::barriers;
use crate::launch::build::given_flags;
use crate::launch::spec::LaunchSpec;
use crate::program::Program;
use crate::vm::observer::MemoryId;
use naga::{GlobalVariable, Handle};

/// Returns the notes about the entry points of a launch. They do not depend on what the launch did, so that those of shards are the
/// same.
pub(super) fn notes(program: &Program, spec: &LaunchSpec, launch: &LaunchFacts) -> Vec<Note> {
    let entries = program.module.entry_points.iter().enumerate();
    let launched = entries.filter(|(_, entry)| launch.entries.contains(&entry.name));
    let launched: Vec<usize> = launched.map(|(index, _)| index).collect();
    // Other dispatches may have other grids.
    let workgroups = (launched.len() == 1).then_some(launch.grid.workgroups);
    let mut notes = Vec::new();
    for &entry in &launched {
        for found in ineffective_barriers(program, entry) {
            let note = ineffective_barrier(program, found);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    let mut dependences = launched
        .iter()
        .filter_map(|&entry| Some((entry, order_dependence(program, entry, workgroups)?)));
    notes.extend(dependences.next().map(|(entry, found)| {
        let OrderDependence { atomic, reaches } = found;
        let source = program.source.name().to_owned();
        Note::OrderDependence {
            atomic: Place::of(program, atomic),
            reaches: name(program, reaches),
            amplify: given_flags(program, spec, entry).map(|flags| Replay::new(source, flags)),
        }
    }));
    notes
}

fn ineffective_barrier(program: &Program, found: IneffectiveBarrier) -> Note {
    let IneffectiveBarrier { barrier, accesses, variable } = found;
    Note::IneffectiveBarrier {
        barrier: barriers::barrier(program, barrier),
        accesses: accesses.map(|site| Place::of(program, site)),
        variable: name(program, variable),
        class: barriers::class_of(program, MemoryId(variable.index() as u32)),
    }
}

fn name(program: &Program, variable: Handle<GlobalVariable>) -> String {
    program.module.global_variables[variable].name.clone().unwrap_or_default()
}
