//! Runs a random kernel's instrumented text on the embedded executor without an observer, and reads the races from its shadow.

use super::engine::{LoadedKernel, RunOrder};
use hirace::raw::front::wgsl;
use hirace::raw::observe::{Granule, Shape};
use hirace::raw::pass::monitor::monitor;
use hirace::raw::program::Program;
use hirace::raw::shadow::fields::Width;
use hirace::raw::shadow::fit::fit;
use hirace::raw::shadow::layout::{Layout, Limits};
use hirace::raw::shadow::log::{self, Log};
use hirace::raw::shadow::plan::{Options, Plan, Table, WatchedMemory};
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::{MemoryId, Space};
use hirace::raw::watch::WatchPlan;
use std::collections::BTreeSet;

/// Returns what varies between devices: the location of the table, the amount of workgroup memory, the width of shadow words and
/// the size of a binding of the shadow. Clocks have so few bits that they restart all the time.
pub fn options(seed: u64) -> (Options, Limits) {
    let table = [Table::Private, Table::Buffer, Table::Constant, Table::Computed];
    let table = table[(seed % 4) as usize];
    let workgroup_memory = [1 << 16, 1 << 13, 0][(seed / 3 % 3) as usize];
    let clock_bits = [32, 2, 3][(seed / 9 % 3) as usize];
    let width = [Width::Narrow, Width::Wide][(seed / 2 % 2) as usize];
    let slots = [1 << 13, 2][(seed / 7 % 2) as usize];
    let binding_words = [1 << 20, SMALL][(seed / 5 % 2) as usize];
    let options = Options { table, workgroup_memory, width, ..Options::default() };
    let limits = Limits {
        bindings: 32,
        binding_words,
        log_entries: SMALL / log::ENTRY / 2,
        clock_bits,
        wide_clock_bits: clock_bits,
        slots,
        ..Limits::default()
    };
    (options, limits)
}

/// The words of a binding of the shadow, which has space for a log and little else.
const SMALL: u32 = 1 << 13;

/// Returns the racy granules that the instrumented kernel finds in what `watch` watches.
pub fn racy(
    loaded: &LoadedKernel,
    watch: &WatchPlan,
    shape: Shape,
    (options, limits): (Options, Limits),
    way: RunOrder,
) -> Result<BTreeSet<Granule>, String> {
    let explain =
        |error: Box<hirace::raw::diagnostic::Diagnostic>| format!("{error} {:?}", error.notes);
    let bytes = |watched: &WatchedMemory| bytes(loaded, watched);
    let options = fit(options, &loaded.program, watch, shape, bytes, limits);
    let monitored = monitor(&loaded.program, watch, &options).map_err(explain)?;
    let plan = &monitored.plan;
    let layout = Layout::new(plan, shape, bytes, limits);
    if !layout.unwatched.is_empty() {
        return Err(format!("not watched: {:?}", layout.unwatched));
    }

    let text = monitored.wgsl().map_err(explain)?;
    let parsed = wgsl::parse("instrumented.wgsl", &text).map_err(explain)?;
    let overrides = layout.overrides.iter().map(|(name, value)| (name.clone(), f64::from(*value)));
    let program = Program::new(&parsed, &overrides.collect()).map_err(explain)?;
    let resources = resources(loaded, &program, plan, &layout);
    loaded.run_as(&program, &resources, way)?;

    let shadow = program.module.global_variables.iter();
    let shadow = shadow.filter(|(_, global)| global.binding == Some(plan.shadow[0]));
    let words = shadow.filter_map(|(handle, _)| {
        resources.buffer(MemoryId(handle.index() as u32)).map(Buffer::snapshot)
    });
    let log = Log::read(&words.flatten().collect::<Vec<u32>>(), layout.log_entries);
    if log.dropped > 0 || log.stopped != Default::default() {
        return Err(format!("an incomplete log: {} dropped, {:?}", log.dropped, log.stopped));
    }
    let granule = |report: &hirace::raw::shadow::log::Report| {
        let access = loaded.program.sites.access(report.site);
        let access = access.ok_or_else(|| format!("{:?} is not an access", report.site))?;
        let space = plan.watched(access.global).map(|watched| watched.space);
        let workgroup = if space == Some(Space::Workgroup) { report.workgroup } else { 0 };
        let memory = MemoryId(access.global.index() as u32);
        Ok(Granule { memory, workgroup, index: report.granule })
    };
    log.reports.iter().map(granule).collect()
}

fn bytes(loaded: &LoadedKernel, watched: &WatchedMemory) -> u64 {
    let layout = loaded.layout();
    let memory = layout.memories.get(watched.global.index()).copied().flatten();
    memory.map_or(u64::from(4 * super::kernel::ELEMENTS), |memory| u64::from(memory.bytes))
}

fn resources(loaded: &LoadedKernel, program: &Program, plan: &Plan, layout: &Layout) -> Resources {
    let mut resources = loaded.resources_of(program);
    for (handle, global) in program.module.global_variables.iter() {
        let resource = &mut resources.by_global[handle.index()];
        let part = plan.shadow.iter().position(|binding| global.binding == Some(*binding));
        if let Some(part) = part {
            *resource = Some(Resource::Buffer(Buffer::zeros(layout.buffers[part] * 4)));
        } else if global.binding.is_some() && global.binding == plan.table_binding {
            let table: Vec<u8> =
                fsm_spec::pack_table().iter().flat_map(|w| w.to_le_bytes()).collect();
            *resource = Some(Resource::Buffer(Buffer::new(&table)));
        }
    }
    resources
}
