//! Hand-made outcomes of real programs, for tests of findings and reporters.

use crate::exec::embedded::Embedded;
use crate::exec::{DispatchOutcome, Executor, Outcome};
use crate::facts::place::line_of;
use crate::facts::{Flag, LaunchFacts};
use crate::finding::certainty::InferredParts;
use crate::finding::executed_launch::ExecutedLaunch;
use crate::finding::explain::Explanation;
use crate::finding::judge::judge;
use crate::ir::access::Action;
use crate::ir::sites::{SiteId, SiteKind};
use crate::launch::{Dispatch, Launch};
use crate::observe::Granule;
use crate::observe::trace::{Event, Pair, WrittenBits};
use crate::program::Program;
use crate::report::compose;
use crate::report::document::Report;
use crate::vm::memory::Resources;
use crate::vm::observer::MemoryId;
use crate::vm::run::{ExecutionCount, Invocation};

/// A program, a launch of it, and an outcome that the test makes up.
pub(crate) struct Fixture {
    pub program: Program,
    pub launch: Launch,
    pub outcome: Outcome,
    pub pairs: Vec<(usize, Pair)>,
    pub dropped: u64,
}

/// One side of a race: an invocation and its access.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub invocation: Invocation,
    pub site: SiteId,
    pub epoch: u32,
    pub barriers: u32,
    pub last_barrier: Option<SiteId>,
}

impl Fixture {
    /// Creates a fixture with one dispatch of the first entry point.
    pub fn new(text: &str, workgroups: [u32; 3]) -> Self {
        Self::dispatches(text, &[workgroups])
    }

    /// Creates a fixture with several dispatches of the first entry point.
    pub fn dispatches(text: &str, grids: &[[u32; 3]]) -> Self {
        let parsed = crate::front::wgsl::parse("kernel.wgsl", text).expect("the kernel is valid");
        let program = Program::new(&parsed, &Default::default()).expect("it has no overrides");
        let run = || {
            let mut dispatched =
                DispatchOutcome { watched: 64, checked: 256, ..DispatchOutcome::default() };
            let ran = ExecutionCount { count: 64, by_several_invocations: true };
            dispatched.run.executed = vec![ran; program.sites.list.len()];
            dispatched
        };
        let outcome = Outcome {
            dispatches: grids.iter().map(|_| run()).collect(),
            resources: Resources::default(),
            kept: Default::default(),
            failure: None,
        };
        let dispatches = grids.iter().map(|&workgroups| Dispatch { entry: 0, workgroups });
        let launch = Launch {
            dispatches: dispatches.collect(),
            resources: Default::default(),
            writes: Vec::new(),
            kept: Default::default(),
            inferred_contents: Vec::new(),
            inferred_lengths: Vec::new(),
            assumptions: Vec::new(),
            replay: Some(vec![Flag::Workgroups([grids[0][0], 1, 1])]),
            subgroup_size: 32,
            schedule: Default::default(),
            order: None,
            limits: Default::default(),
            pins: Default::default(),
        };
        Self { program, launch, outcome, pairs: Vec::new(), dropped: 0 }
    }

    /// Returns the access on `line` that does `action`; of several, the one with index `number`.
    pub fn access(&self, action: Action, line: u32, number: usize) -> SiteId {
        let matching = self.program.sites.accesses().filter(|&(id, _, access)| {
            access.action == action && line_of(&self.program, id) == line
        });
        let found: Vec<SiteId> = matching.map(|(id, _, _)| id).collect();
        *found.get(number).unwrap_or_else(|| panic!("no {action:?} {number} on line {line}"))
    }

    /// Returns the first site on `line` for which `matches` returns true.
    pub fn site(&self, line: u32, matches: impl Fn(&SiteKind) -> bool) -> SiteId {
        let ids = (0..self.program.sites.list.len() as u32).map(SiteId);
        let kind = |id: SiteId| &self.program.sites.list[id.0 as usize].kind;
        let mut found = ids.filter(|&id| matches(kind(id)) && line_of(&self.program, id) == line);
        found.next().unwrap_or_else(|| panic!("no such site on line {line}"))
    }

    /// Returns the barrier on `line`.
    pub fn barrier(&self, line: u32) -> SiteId {
        self.site(line, |kind| matches!(kind, SiteKind::Barrier(_)))
    }

    /// Returns the memory of the variable `name`.
    pub fn memory(&self, name: &str) -> MemoryId {
        let named = |g: &naga::GlobalVariable| g.name.as_deref() == Some(name);
        let mut globals = self.program.module.global_variables.iter();
        let (handle, _) = globals.find(|(_, g)| named(g)).expect("there is such a variable");
        MemoryId(handle.index() as u32)
    }

    /// Adds a race in dispatch 0 that phase 2 explains: on each of these words, between these two sides.
    pub fn race(&mut self, words: impl IntoIterator<Item = u32>, earlier: Side, later: Side) {
        self.race_in(0, words, earlier, later);
    }

    /// Adds such a race in a given dispatch.
    pub fn race_in(
        &mut self,
        dispatch: usize,
        words: impl IntoIterator<Item = u32>,
        earlier: Side,
        later: Side,
    ) {
        let access = self.program.sites.access(later.site).expect("a race is between accesses");
        let memory = MemoryId(access.global.index() as u32);
        let workgroup = self.program.module.global_variables[access.global].space
            == naga::AddressSpace::WorkGroup;
        for index in words {
            let workgroup = if workgroup { later.invocation.workgroup } else { 0 };
            let granule = Granule { memory, workgroup, index };
            let event = |side: Side| Event {
                granule,
                invocation: side.invocation,
                subgroup: side.invocation.local / 32,
                site: side.site,
                action: self.program.sites.access(side.site).expect("an access").action,
                epoch: side.epoch,
                subgroup_epoch: 0,
                barriers: side.barriers,
                last_barrier: side.last_barrier,
                written: WrittenBits::Unknown,
            };
            self.outcome.dispatches[dispatch].racy.insert(granule, later.site);
            self.pairs.push((dispatch, Pair { earlier: event(earlier), later: event(later) }));
        }
    }

    /// Returns the report of the launch if nothing was guessed.
    pub fn report(&self) -> Report {
        compose::report(&[self.launch_of_given()])
    }

    /// Returns the facts about the launch if nothing was guessed.
    pub fn launch_of_given(&self) -> LaunchFacts {
        self.launch(&InferredParts::NONE)
    }

    /// Returns the facts about the launch with these guesses.
    pub fn launch(&self, guesses: &InferredParts<'_>) -> LaunchFacts {
        let Self { program, launch, outcome, .. } = self;
        let device = &Embedded.device();
        let ran =
            ExecutedLaunch { program, launch, outcome, device, flags: &[], inferred: guesses };
        let mut explain = |dispatch: usize, granules: &[Granule]| {
            let is_requested = |pair: &&(usize, Pair)| {
                pair.0 == dispatch && granules.contains(&pair.1.later.granule)
            };
            let pairs: Vec<Pair> =
                self.pairs.iter().filter(is_requested).map(|&(_, pair)| pair).collect();
            let log = pairs.iter().flat_map(|pair| [pair.earlier, pair.later]).collect();
            Ok(Explanation { pairs, log, dropped: self.dropped })
        };
        let facts = judge(&ran, &mut explain, None);
        facts.expect("explaining does not fail")
    }
}

/// Returns the side of invocation `local` of `workgroup`, before any barrier.
pub(crate) fn by(workgroup: u32, local: u32, site: SiteId) -> Side {
    let invocation = Invocation { workgroup, local };
    Side { invocation, site, epoch: 0, barriers: 0, last_barrier: None }
}

impl Side {
    /// Places the side after `barriers` barriers, `epoch` of them of the memory's class; `last` is the last barrier.
    pub fn after(self, epoch: u32, barriers: u32, last: SiteId) -> Self {
        Self { epoch, barriers, last_barrier: Some(last), ..self }
    }
}
