//! A strategy outside of the library: the last workgroup runs first.

use hirace::raw::front::wgsl;
use hirace::raw::program::Program;
use hirace::raw::vm::driver::run;
use hirace::raw::vm::lower::lower;
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::NoObserver;
use hirace::raw::vm::run::{Options, Run};
use hirace::raw::vm::schedule::{Limits, Schedule};
use hirace::raw::vm::strategy::{Kind, Pick, Ready, Start, Strategy, TimeSlice, View};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::collections::BTreeMap;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("extension_points::a_strategy_of_another_crate_orders_workgroups", orders),
        Trial::test(
            "extension_points::a_strategy_of_another_crate_is_told_of_a_deadlock",
            deadlock,
        ),
    ]
}

static LAST_FIRST: Kind =
    Kind { name: "last-first", parameters: &[], make: |_, _| Box::new(LastFirst { passed: 0 }) };

/// Starts workgroups from the last to the first, each when the ones started before are done or blocked, and runs the last one
/// that is not blocked.
struct LastFirst {
    /// The number of consecutive workgroups, from the last on, that were blocked.
    passed: usize,
}

impl Strategy for LastFirst {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        (view.residents.is_empty() || view.all_blocked).then_some(Start::Last)
    }

    fn turn(&mut self, view: &View<'_>) -> usize {
        view.residents.len() - 1 - self.passed % view.residents.len()
    }

    fn slice(&mut self, _: usize, _: &Ready<'_>, _: &View<'_>) -> Option<TimeSlice> {
        self.passed = 0;
        Some(TimeSlice { fragment: Pick::RoundRobin, fuel: 1 << 16 })
    }

    fn blocked(&mut self, _: usize, _: &View<'_>) {
        self.passed += 1;
    }
}

/// A kernel that records the order of workgroups, and one that deadlocks: workgroup 0 waits for the number of those that
/// started.
const KERNEL: &str = "
    @group(0) @binding(0) var<storage, read_write> order: array<u32>;
    @group(0) @binding(1) var<storage, read_write> next: atomic<u32>;
    @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3u) {
        order[atomicAdd(&next, 1u)] = group.x;
    }
    @compute @workgroup_size(1) fn waits() {
        while (atomicLoad(&next) == 0u) {}
    }";

fn ran(entry: usize, schedule: Schedule) -> Result<(Vec<u32>, Run), Failed> {
    let told = |error: Box<hirace::raw::diagnostic::Diagnostic>| error.to_string();
    let parsed = wgsl::parse("order.wgsl", KERNEL).map_err(told)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(told)?;
    let code = lower(&program, entry).map_err(told)?;
    let buffer = |words: u32| Some(Resource::Buffer(Buffer::zeros(4 * words)));
    let resources = Resources { by_global: vec![buffer(4), buffer(1)] };
    let options = Options {
        workgroups: [4, 1, 1],
        subgroup_size: 32,
        schedule,
        limits: Limits::default(),
        parallel: false,
        stop: None,
    };
    let run = run(&code, &resources, &options, &NoObserver).map_err(told)?;
    let order = match &resources.by_global[0] {
        Some(Resource::Buffer(buffer)) => buffer.snapshot(),
        _ => Vec::new(),
    };
    Ok((order, run))
}

fn orders() -> Result<(), Failed> {
    let schedule = Schedule::new(&LAST_FIRST, &[]);
    assert_eq!(schedule.to_string(), "last-first");
    assert_eq!(schedule.seed(), None);
    assert_eq!(ran(0, Schedule::default())?.0, [0, 1, 2, 3]);
    assert_eq!(ran(0, schedule)?.0, [3, 2, 1, 0]);
    Ok(())
}

/// The driver detects a deadlock, whatever the strategy.
fn deadlock() -> Result<(), Failed> {
    let (_, run) = ran(1, Schedule::new(&LAST_FIRST, &[]))?;
    let found = run.no_progress.ok_or("the launch did not report missing progress")?;
    assert_eq!((found.stuck.0.workgroup, found.unfinished), (3, 4));
    Ok(())
}
