//! The monitored part of a launch: memory that invocations share and that plain writes reach.

use hirace_core::exec::{DispatchContext, Shortcuts, Watch, watch_plan};
use hirace_core::ir::access::Action;
use hirace_core::ir::sites::SiteId;
use hirace_core::launch::{Dispatch, Launch};
use hirace_core::observe::{Layout, Shape};
use hirace_core::program::Program;
use hirace_core::vm::memory::Resource;
use hirace_core::watch::{NotWatched, Scope, SharedVariable, WatchPlan};
use naga::{AddressSpace, GlobalVariable, Handle};
use std::collections::BTreeSet;

/// The memory and the sites to monitor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WatchedCounts {
    /// The number of words, over all dispatches. Words of workgroup memory count once per workgroup.
    pub words: u64,
    /// The sites that access the memory.
    pub sites: BTreeSet<SiteId>,
}

/// Determines the memory and the sites to monitor in a launch, without static proofs.
pub(super) fn monitored(program: &Program, launch: &Launch) -> WatchedCounts {
    let mut all = WatchedCounts::default();
    for dispatch in &launch.dispatches {
        let watch = Watch { shortcuts: Shortcuts::NONE, ..Watch::default() };
        let plan =
            watch_plan(&DispatchContext::new(program, launch, dispatch), &watch, Scope::MayRace);
        let written = written(program, &plan);
        let plan = plan.excluding(|site| {
            let global = program.sites.access(site)?.global;
            (!written.contains(&global)).then_some(NotWatched::ExcludedByRequest)
        });
        let length = |memory: &SharedVariable| bytes(program, launch, memory.global);
        // The size of shadow words does not affect their number.
        let shape = Shape { workgroups: 1, workgroup_size: 1, subgroup_size: 1 };
        let layout = Layout::fit_plan(&plan, shape, length, u64::MAX).layout;
        all.words += layout.granules(workgroups(dispatch));
        let sites = plan.sites().filter(|(_, watched)| watched.is_ok());
        all.sites.extend(sites.map(|(site, _)| site));
    }
    all
}

/// Returns the variables that plain writes reach.
fn written(program: &Program, plan: &WatchPlan) -> BTreeSet<Handle<GlobalVariable>> {
    let writes = program.sites.accesses().filter(|(site, _, access)| {
        access.action == Action::Write && plan.site(*site) != Some(Err(NotWatched::NotReached))
    });
    writes.map(|(_, _, access)| access.global).collect()
}

fn workgroups(dispatch: &Dispatch) -> u64 {
    dispatch.workgroups.iter().map(|&count| u64::from(count)).product()
}

/// Returns the size of a variable in bytes, where a texel counts as a word; `None` if nothing is bound.
fn bytes(program: &Program, launch: &Launch, global: Handle<GlobalVariable>) -> Option<u32> {
    let module = &program.module;
    let variable = &module.global_variables[global];
    if variable.space == AddressSpace::WorkGroup {
        return module.types[variable.ty].inner.try_size(module.to_ctx());
    }
    match launch.resources.by_global.get(global.index())?.as_ref()? {
        Resource::Buffer(buffer) => Some(buffer.len()),
        Resource::Texture(texture) => Some(texture.texels.len() / 4),
        Resource::Sampler(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::front::wgsl;
    use hirace_core::launch::build::{self, Grown};
    use hirace_core::launch::candidates::candidates;
    use hirace_core::launch::spec::{Binding, LaunchSpec};
    use std::collections::BTreeMap;

    #[test]
    fn words_are_of_memory_that_plain_writes_reach() {
        let text = "
            @group(0) @binding(0) var<storage> input: array<u32>;
            @group(0) @binding(1) var<storage, read_write> output: array<u32>;
            @group(0) @binding(2) var<storage, read_write> only_read: array<u32>;
            @group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
            var<workgroup> tile: array<u32, 8>;
            @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
                tile[id.x % 8u] = input[id.x] + only_read[id.x];
                workgroupBarrier();
                output[id.x] = tile[7u - id.x % 8u] + atomicAdd(&counts[0], 1u);
            }";
        let parsed = wgsl::parse("test.wgsl", text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let buffers = ["output=zeros:24", "only_read=zeros:24", "counts=zeros:24"];
        let spec = LaunchSpec {
            workgroups: Some([3, 1, 1]),
            bindings: buffers.map(|buffer| Binding::parse(buffer).unwrap()).into(),
            ..LaunchSpec::default()
        };
        let all = candidates(&program, &spec, 0).unwrap();
        let launch = build::launch(&program, &spec, &all[0], &Grown::new()).unwrap();
        let monitored = monitored(&program, &launch);
        assert_eq!(monitored.words, 24 + 3 * 8);
        // The write and the read of the tile, and the write of the output.
        assert_eq!(monitored.sites.len(), 3);
    }
}
