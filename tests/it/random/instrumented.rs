//! Runs a random kernel's instrumented text on the embedded executor, where nobody watches it, and
//! reads from its shadow what it has found.

use super::engine::{Loaded, Way};
use hirace::raw::front::wgsl;
use hirace::raw::observe::{Granule, Shape};
use hirace::raw::pass::monitor::monitor;
use hirace::raw::program::Program;
use hirace::raw::shadow::layout::{Layout, Limits};
use hirace::raw::shadow::log::Log;
use hirace::raw::shadow::plan::{Options, Plan, Table, Watched};
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::{MemoryId, Space};
use std::collections::BTreeSet;

/// What varies between devices: where the table stands, and how much workgroup memory there is.
pub fn options(seed: u64) -> Options {
    let table = [Table::Private, Table::Buffer, Table::Constant][(seed % 3) as usize];
    let workgroup_memory = [1 << 16, 1 << 13, 0][(seed / 3 % 3) as usize];
    Options { table, workgroup_memory, ..Options::new(vec![0]) }
}

/// The granules that the instrumented kernel finds racy.
pub fn racy(
    loaded: &Loaded,
    shape: Shape,
    options: &Options,
    way: Way,
) -> Result<BTreeSet<Granule>, String> {
    let explain =
        |error: Box<hirace::raw::diagnostic::Diagnostic>| format!("{error} {:?}", error.notes);
    let monitored = monitor(&loaded.program, options).map_err(explain)?;
    let plan = &monitored.plan;
    let limits = Limits { words: 1 << 20, log_entries: 1 << 12, ..Limits::default() };
    let layout = Layout::new(plan, shape, |watched| bytes(loaded, watched), limits);
    if !layout.unwatched.is_empty() {
        return Err(format!("not watched: {:?}", layout.unwatched));
    }

    let text = monitored.wgsl().map_err(explain)?;
    let parsed = wgsl::parse("instrumented.wgsl", &text).map_err(explain)?;
    let overrides = layout.overrides.iter().map(|(name, value)| (name.clone(), f64::from(*value)));
    let program = Program::new(&parsed, &overrides.collect()).map_err(explain)?;
    let resources = resources(loaded, &program, plan, layout.words);
    loaded.run_as(&program, &resources, way)?;

    let shadow = program.module.global_variables.iter();
    let shadow = shadow.filter(|(_, global)| global.binding == Some(plan.shadow));
    let words = shadow.filter_map(|(handle, _)| {
        resources.buffer(MemoryId(handle.index() as u32)).map(Buffer::snapshot)
    });
    let log = Log::read(&words.flatten().collect::<Vec<u32>>(), layout.log_entries);
    if log.dropped > 0 || log.stopped != Default::default() {
        return Err(format!("an incomplete log: {} dropped, {:?}", log.dropped, log.stopped));
    }
    let granule = |report: &hirace::raw::shadow::log::Report| {
        let access = loaded.program.sites.access(report.site);
        let access = access.ok_or_else(|| format!("{:?} is no access", report.site))?;
        let space = plan.watched(access.global).map(|watched| watched.space);
        let workgroup = if space == Some(Space::Workgroup) { report.workgroup } else { 0 };
        let memory = MemoryId(access.global.index() as u32);
        Ok(Granule { memory, workgroup, index: report.granule })
    };
    log.reports.iter().map(granule).collect()
}

fn bytes(loaded: &Loaded, watched: &Watched) -> u64 {
    let layout = loaded.layout();
    let memory = layout.memories.get(watched.global.index()).copied().flatten();
    memory.map_or(u64::from(4 * super::kernel::ELEMENTS), |memory| u64::from(memory.bytes))
}

fn resources(loaded: &Loaded, program: &Program, plan: &Plan, words: u32) -> Resources {
    let mut resources = loaded.resources_of(program);
    for (handle, global) in program.module.global_variables.iter() {
        let resource = &mut resources.by_global[handle.index()];
        if global.binding == Some(plan.shadow) {
            *resource = Some(Resource::Buffer(Buffer::zeros(words * 4)));
        } else if global.binding.is_some() && global.binding == plan.table_binding {
            let table: Vec<u8> = fsm_spec::packed().iter().flat_map(|w| w.to_le_bytes()).collect();
            *resource = Some(Resource::Buffer(Buffer::new(&table)));
        }
    }
    resources
}
