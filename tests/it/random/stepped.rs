//! Compares invocations that are stepped singly with whole subgroups, in random kernels and in those of `kernels/`. In the same
//! order, both produce the same memory contents, run the same sites and race on the same words.
//!
//! The order is that of the serial strategy: one workgroup after another, one subgroup after another, and in a subgroup the
//! lanes that are furthest behind, in their order. A subgroup's loads and stores at one instruction are one step of all its
//! lanes, so no request is answered before all lanes that are behind have made theirs.

use super::engine::{LoadedKernel, RunOrder};
use super::generate;
use crate::support::root;
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::front::{rust, wgsl};
use hirace::raw::launch::build::{self, Grown};
use hirace::raw::launch::candidates::candidates;
use hirace::raw::launch::spec::LaunchSpec;
use hirace::raw::observe::fsm::Fsm;
use hirace::raw::observe::{Granule, Shape};
use hirace::raw::program::Program;
use hirace::raw::vm::driver::run;
use hirace::raw::vm::machine::{Group, Machine, Notes, Place, Request, UndoMemory};
use hirace::raw::vm::memory::{Resource, Resources};
use hirace::raw::vm::observer::{MemoryId, NoObserver, Observer, Space};
use hirace::raw::vm::run::{ExecutionCount, Options, Run};
use hirace::raw::vm::schedule::{Limits, Schedule};
use hirace::raw::vm::{Code, lower};
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The number of random kernels that are stepped.
const SAMPLE: u64 = 100;
/// The same number in the long suites.
const LONG_SAMPLE: u64 = 2_000;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("random::stepped_invocations_behave_like_whole_subgroups", random),
        Trial::test(
            "random::stepped_invocations_agree_on_kernels_of_the_repository",
            repository_kernels,
        ),
    ]
}

/// A dispatch, its memory and its observer.
struct SteppedDispatch<'a, O: Observer> {
    machine: &'a Machine<'a>,
    memory: UndoMemory,
    notes: Notes,
    observer: &'a O,
}

impl<O: Observer> SteppedDispatch<'_, O> {
    fn dispatch(&mut self, subgroup_size: u32) -> Result<(), String> {
        for workgroup in 0..self.machine.workgroups() {
            let mut watcher = self.observer.watch(workgroup);
            let mut group = self.machine.start(workgroup);
            let mut subgroup = 0;
            while !group.is_done() {
                self.subgroup(&mut group, subgroup, subgroup_size, &mut watcher)?;
                let others = |group: &Group| can_run(group, |s| s != subgroup, subgroup_size);
                let before = others(&group);
                group.release(self.machine, &mut self.notes, &mut watcher);
                // The workgroup passed a barrier, or no invocation of this subgroup can run.
                if !before && others(&group) || !can_run(&group, |s| s == subgroup, subgroup_size) {
                    let first = group.live_invocations().find(|local| group.can_run(*local));
                    match first {
                        Some(local) => subgroup = local / subgroup_size,
                        None if group.is_done() => {}
                        None => return Err(format!("workgroup {workgroup} is stuck")),
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs a subgroup until all its invocations wait.
    fn subgroup(
        &mut self,
        group: &mut Group,
        subgroup: u32,
        size: u32,
        watcher: &mut O::Watcher<'_>,
    ) -> Result<(), String> {
        loop {
            let runnable: Vec<u32> = group
                .live_invocations()
                .filter(|local| local / size == subgroup && group.can_run(*local))
                .collect();
            let mut requests = Vec::new();
            for local in runnable {
                match group.step(self.machine, &mut self.notes, local) {
                    Request::End | Request::Barrier { .. } | Request::Subgroup { .. } => {}
                    stuck @ (Request::Spinning { .. } | Request::Limit { .. }) => {
                        return Err(format!("{local}: {stuck:?}"));
                    }
                    request => requests.push((group.position(local), local, request)),
                }
            }
            let Some(behind) = requests.iter().map(|(position, ..)| position.clone()).min() else {
                return Ok(());
            };
            requests.retain(|(position, ..)| *position == behind);
            for (_, local, _) in &requests {
                group.show(self.machine, *local, watcher);
            }
            for (_, local, request) in requests {
                let answer = self.memory.answer(&request).ok_or("the request has no response")?;
                let answered = group.answer(self.machine, &mut self.notes, local, &answer);
                answered.map_err(|error| error.to_string())?;
            }
        }
    }
}

fn can_run(group: &Group, which: impl Fn(u32) -> bool, size: u32) -> bool {
    group.live_invocations().any(|local| which(local / size) && group.can_run(local))
}

/// The results of a run: the words of each memory, the executed sites, and the findings.
#[derive(Debug, PartialEq)]
struct RunResult {
    memory: BTreeMap<u32, Vec<u32>>,
    executed: Vec<ExecutionCount>,
    out_of_bounds: Vec<(u32, u64)>,
    wanted: Vec<(MemoryId, u64)>,
    divergences: Vec<u32>,
}

fn run_result(
    run: Run,
    memory: impl Fn(MemoryId) -> Option<Vec<u32>>,
    globals: usize,
) -> RunResult {
    let ids = (0..globals as u32).map(MemoryId);
    RunResult {
        memory: ids.filter_map(|id| Some((id.0, memory(id)?))).collect(),
        executed: run.executed,
        out_of_bounds: run.out_of_bounds.iter().map(|o| (o.site.0, o.count)).collect(),
        wanted: run.wanted_lengths,
        divergences: run.divergences.iter().map(|d| d.site.0).collect(),
    }
}

/// Returns the words of a memory that outlives the run, if it may be written, otherwise `None`.
fn written_words(code: &Code, resources: &Resources, id: MemoryId) -> Option<Vec<u32>> {
    let machine = Machine::new(code, resources, [1; 3], 1, 0).ok()?;
    let memory = UndoMemory::new(&machine, resources);
    [Space::Storage, Space::Texture]
        .into_iter()
        .find_map(|space| Some(memory.words(Place { memory: id, space, workgroup: 0 })?.to_vec()))
}

/// Steps the invocations of a dispatch.
fn step<O: Observer>(
    code: &Code,
    resources: &Resources,
    workgroups: [u32; 3],
    subgroup_size: u32,
    observer: &O,
) -> Result<RunResult, String> {
    let error_text = |error: Box<Diagnostic>| error.to_string();
    let steps = Limits::default().steps;
    let machine =
        Machine::new(code, resources, workgroups, subgroup_size, steps).map_err(error_text)?;
    let memory = UndoMemory::new(&machine, resources);
    let mut stepped =
        SteppedDispatch { machine: &machine, memory, notes: machine.notes(), observer };
    stepped.dispatch(subgroup_size)?;
    let SteppedDispatch { memory, notes, .. } = stepped;
    let words = |id| {
        let spaces = [Space::Storage, Space::Texture].into_iter();
        let mut places = spaces.map(|space| Place { memory: id, space, workgroup: 0 });
        places.find_map(|place| Some(memory.words(place)?.to_vec()))
    };
    Ok(run_result(notes.finish(), words, resources.by_global.len()))
}

fn random() -> Result<(), Failed> {
    for seed in seeds(SAMPLE, LONG_SAMPLE) {
        let kernel = generate::kernel(seed);
        let loaded = LoadedKernel::new(&kernel)?;
        let grid = kernel.grid;
        let shape = Shape {
            workgroups: grid.workgroups,
            workgroup_size: grid.workgroup_size,
            subgroup_size: grid.subgroup_size,
        };
        let (of_lanes, of_steps) =
            (Fsm::new(loaded.layout(), shape), Fsm::new(loaded.layout(), shape));
        let resources = loaded.resources_of(&loaded.program);
        let run = loaded.run_over(&resources, RunOrder::IN_ORDER, &of_lanes)?;
        let words = |id| written_words(loaded.code(), &resources, id);
        let lanes = run_result(run, words, resources.by_global.len());
        let fresh = loaded.resources_of(&loaded.program);
        let workgroups = [grid.workgroups, 1, 1];
        let steps = step(loaded.code(), &fresh, workgroups, grid.subgroup_size, &of_steps);
        let steps = steps.map_err(|error| format!("kernel {seed}: {error}\n{}", loaded.wgsl))?;
        let racy = [&of_lanes, &of_steps].map(|fsm| BTreeSet::from_iter(fsm.racy().into_keys()));
        if lanes != steps || racy[0] != racy[1] {
            return Err(differs(&format!("kernel {seed}"), &loaded.wgsl, &lanes, &steps, &racy));
        }
    }
    Ok(())
}

fn differs(
    name: &str,
    wgsl: &str,
    lanes: &RunResult,
    steps: &RunResult,
    racy: &[BTreeSet<Granule>; 2],
) -> Failed {
    format!("{name}\nlanes: {lanes:?}\nsteps: {steps:?}\nracy: {racy:?}\n{wgsl}").into()
}

/// Compares every kernel in `kernels/`, racy or not, on its first inferred launch: single invocations in the order of whole
/// subgroups behave the same even where they race.
fn repository_kernels() -> Result<(), Failed> {
    let mut compared = 0;
    for path in kernels()? {
        let name = path.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path)?;
        let parsed = match name.ends_with(".rs") {
            true => rust::parse_file(&name, &text)
                .map(|read| read.items.into_iter().flatten().collect()),
            false => wgsl::parse(&name, &text).map(|parsed| vec![parsed]),
        };
        for parsed in parsed.unwrap_or_default() {
            let Ok(program) = Program::new(&parsed, &BTreeMap::new()) else { continue };
            for entry in 0..program.module.entry_points.len() {
                compared += compare_entry_point(&program, entry, &name)?;
            }
        }
    }
    if compared < 100 {
        Err(format!("only {compared} dispatches were compared").into())
    } else {
        Ok(())
    }
}

fn kernels() -> Result<Vec<PathBuf>, Failed> {
    let mut folders = vec![root().join("kernels")];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                // Invocations of the kernels in this folder wait for each other, so their behavior depends on the order.
                None if path.ends_with("verify") => {}
                None if path.is_dir() => folders.push(path),
                Some("wgsl" | "rs") => paths.push(path),
                _ => {}
            }
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns the number of compared dispatches: 0 if the launch cannot be built, is long or does not terminate.
fn compare_entry_point(program: &Program, entry: usize, name: &str) -> Result<u32, Failed> {
    /// The maximum number of instructions of whole subgroups.
    const LONG: u64 = 100_000;
    let spec = LaunchSpec::default();
    let launch = candidates(program, &spec, entry)
        .and_then(|candidates| build::launch(program, &spec, &candidates[0], &Grown::new()));
    let Ok(launch) = launch else { return Ok(0) };
    let [of_lanes, of_steps] = [launch.resources.clone(), launch.resources.clone()];
    let mut compared = 0;
    for dispatch in &launch.dispatches {
        let code = lower::lower(program, dispatch.entry).map_err(|error| error.to_string())?;
        let options = Options {
            workgroups: dispatch.workgroups,
            subgroup_size: launch.subgroup_size,
            schedule: Schedule::default(),
            limits: Limits { steps: LONG, ..Limits::default() },
            parallel: false,
            stop: None,
        };
        let done =
            run(&code, &of_lanes, &options, &NoObserver).map_err(|error| error.to_string())?;
        if !done.is_complete() || done.steps > LONG {
            return Ok(compared);
        }
        let words = |id| written_words(&code, &of_lanes, id);
        let lanes = run_result(done, words, of_lanes.by_global.len());
        let steps = step(&code, &of_steps, dispatch.workgroups, launch.subgroup_size, &NoObserver);
        let steps = steps.map_err(|error| format!("{name}: {error}"))?;
        if lanes != steps {
            return Err(differs(name, "", &lanes, &steps, &Default::default()));
        }
        for (id, words) in steps.memory {
            match &of_steps.by_global[id as usize] {
                Some(Resource::Buffer(buffer)) => buffer.restore(&words),
                Some(Resource::Texture(texture)) => texture.texels.restore(&words),
                _ => {}
            }
        }
        compared += 1;
    }
    Ok(compared)
}
