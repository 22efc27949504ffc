//! Strategies for launches find failures and shrink them.

use crate::{Kernel, Launch, Launches, Verdict, check};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

/// Returns the smallest of `launches` on which the kernel is not clean.
fn smallest(text: &str, launches: &Launches) -> Launch {
    let kernel = Kernel::from_wgsl("test.wgsl", text).expect("it is WGSL");
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let failed = runner.run(launches, |launch| {
        let verdict = check(&kernel, launch)?.verdict();
        prop_assert_eq!(verdict, Verdict::Clean);
        Ok(())
    });
    match failed {
        Err(TestError::Fail(_, launch)) => launch,
        other => panic!("nothing failed: {other:?}"),
    }
}

#[test]
fn grids_and_contents_shrink_to_the_smallest_that_races() {
    // A race needs two workgroups, and a value of at least 100.
    let text = "
        @group(0) @binding(0) var<storage> input: array<u32>;
        @group(0) @binding(1) var<storage, read_write> marks: array<u32, 200>;
        @compute @workgroup_size(1)
        fn mark(@builtin(workgroup_id) group: vec3<u32>) {
            let value = input[group.x % arrayLength(&input)];
            if value >= 100u { marks[value] = group.x; }
        }";
    let given = Launch::new().buffer("marks", &[0u32; 200]);
    let input = vec(0..200u32, 1..20);
    let launches =
        Launches::from_launch(given).buffer("input", input).workgroups(1..=30u32).any_schedule();
    let launch = smallest(text, &launches);
    assert_eq!(launch.spec.workgroups, Some([2, 1, 1]));
    assert_eq!(launch.spec.schedule, 0);
    let input = launch.spec.bindings.iter().find(|binding| binding.name == "input");
    assert_eq!(input.and_then(|binding| binding.text.as_deref()), Some("100"));
}

#[test]
fn orders_find_what_the_plain_one_does_not_show() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> taken: atomic<u32>;
        @group(0) @binding(1) var<storage, read_write> data: u32;
        @compute @workgroup_size(1)
        fn first(@builtin(workgroup_id) group: vec3<u32>) {
            if group.x == 0u { data = 1u; }
            if group.x == 1u && atomicLoad(&taken) == 0u { data = 2u; }
            if group.x == 0u { atomicStore(&taken, 1u); }
        }";
    let given = Launch::new().workgroups(2).buffer("taken", &0u32).buffer("data", &0u32);
    assert_ne!(smallest(text, &Launches::from_launch(given).any_schedule()).spec.schedule, 0);
}

#[test]
fn overrides_and_subgroup_size_vary_too() {
    let text = "
        override size: u32 = 4u;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(size)
        fn fill(@builtin(local_invocation_index) i: u32) { data[i % 6u] = i; }";
    let launches = Launches::from_launch(Launch::new().workgroups(1))
        .zeros("data", 16..=64usize)
        .override_value("size", 1..=16u32)
        .with(0..=6u32, |launch, n| launch.subgroup_size(1 << n));
    let launch = smallest(text, &launches);
    assert_eq!(launch.spec.overrides, [("size".to_owned(), 7.0)]);
    assert_eq!(launch.spec.subgroup_size, Some(1));
}
