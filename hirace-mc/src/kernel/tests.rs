//! Tests of kernels as programs.

use super::{Bounds, Kernel};
use crate::model::Model;
use crate::program::{Classes, Operation, Program as _, Scope, Update};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::front::wgsl;
use hirace_core::launch::Dispatch;
use hirace_core::program::Program;
use hirace_core::vm::lower::lower;
use hirace_core::vm::memory::{Buffer, Resource, Resources};
use std::collections::BTreeMap;

/// Passes a kernel on this number of workgroups to `look` and returns its result. Each buffer holds the 8 words 0, 1, 2
/// …
fn kernel<T>(
    text: &str,
    workgroups: u32,
    look: impl FnOnce(Result<Kernel<'_>, Box<Diagnostic>>) -> T,
) -> T {
    let parsed = wgsl::parse("it.wgsl", text).expect("a shader");
    let program = Program::new(&parsed, &BTreeMap::new()).expect("a program");
    let bytes: Vec<u8> = (0u32..8).flat_map(u32::to_le_bytes).collect();
    let globals = program.module.global_variables.iter();
    let bound =
        globals.map(|(_, global)| global.binding.map(|_| Resource::Buffer(Buffer::new(&bytes))));
    let resources = Resources { by_global: bound.collect() };
    let code = lower(&program, 0).expect("code");
    let dispatch = Dispatch { entry: 0, workgroups: [workgroups, 1, 1] };
    look(Kernel::new(&program, &code, &resources, &dispatch, 32, Bounds::default(), Model::Wgsl))
}

#[test]
fn accesses_are_requested_piece_by_piece() {
    let text = "struct Pair { a: u32, b: u32 }
        @group(0) @binding(0) var<storage, read_write> pairs: array<Pair>;
        @group(0) @binding(1) var<storage, read_write> least: atomic<i32>;
        var<workgroup> tile: array<atomic<u32>, 2>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3u) {
            let pair = pairs[1];
            atomicAdd(&tile[l], pair.b);
            workgroupBarrier();
            pairs[0] = Pair(pair.b, 9u);
            atomicMin(&least, -4);
        }";
    kernel(text, 2, |kernel| {
        let kernel = kernel.expect("a kernel");
        assert_eq!(kernel.invocations().len(), 4);
        assert!(!kernel.invocations()[1].share(kernel.invocations()[2], Scope::Workgroup));
        assert!(kernel.alike(1, 1) && !kernel.alike(0, 1));
        let mut state = kernel.start(3);
        let mut step = |answer| kernel.step(3, &mut state, answer);
        for word in [2, 3] {
            let asked = step((word == 3).then_some(70));
            let Operation::Read(access) = asked.operation else { panic!("{asked:?}") };
            assert_eq!((kernel.initial(access.location), access.atomic), (word, None));
            assert_eq!(
                kernel.name(access.location),
                if word == 2 { "pairs[1].a" } else { "pairs[1].b" }
            );
        }
        let asked = step(Some(80));
        let Operation::Update(access, Update::Add(80, 32)) = asked.operation else {
            panic!("{asked:?}")
        };
        assert_eq!(
            (access.atomic.expect("atomic").scope, asked.depends),
            (Scope::Workgroup, vec![1])
        );
        assert_eq!(kernel.name(access.location), "tile[1]");
        let asked = step(Some(0));
        let Operation::Barrier { group: Scope::Workgroup, orders: Some(orders), .. } =
            asked.operation
        else {
            panic!("{asked:?}")
        };
        assert_eq!(orders.orders, Classes(0b10));
        let asked = step(None);
        assert!(matches!(asked.operation, Operation::Write(_, 80)), "{asked:?}");
        assert_eq!(asked.depends, [1]);
        let asked = step(None);
        assert!(matches!(asked.operation, Operation::Write(_, 9)), "{asked:?}");
        assert_eq!(asked.depends, [0u32; 0]);
        let asked = step(None);
        let Operation::Update(access, Update::Custom(number)) = asked.operation else {
            panic!("{asked:?}")
        };
        assert_eq!(access.atomic.expect("atomic").scope, Scope::QueueFamily);
        assert_eq!(
            (
                kernel.apply_custom(number, 3) as i32,
                kernel.apply_custom(number, -7i32 as u32 as u64) as i32
            ),
            (-4, -7)
        );
        assert_eq!(step(Some(3)).operation, Operation::End);
        assert_eq!(step(None).operation, Operation::End);
    });
}

#[test]
fn unsupported_kernels_are_rejected_with_help() {
    let refused = |text: &str, workgroups| {
        kernel(text, workgroups, |kernel| kernel.err().expect("refused").help.expect("help"))
    };
    let large = "@compute @workgroup_size(40) fn main() {}";
    assert!(refused(large, 2).contains("--max-invocations"));
    let subgroups = "@group(0) @binding(0) var<storage, read_write> x: u32;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) l: u32) { x = subgroupAdd(l); }";
    assert!(refused(subgroups, 1).contains("workgroup memory"));
    kernel(large, 1, |kernel| assert_eq!(kernel.expect("small enough").invocations().len(), 40));
}
