//! Tests of arms and of nesting in WGSL. `tests/it/arms.rs` has those of arms in all languages.

use super::*;
use crate::front::wgsl;
use crate::program::Program;
use std::collections::BTreeMap;

fn in_wgsl(text: &str) -> Program {
    let parsed = wgsl::parse("test.wgsl", text).expect("it is taken");
    Program::new(&parsed, &BTreeMap::new()).expect("it is valid")
}

#[test]
fn a_statement_knows_the_arm_it_stands_in() {
    let program = in_wgsl(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(1) fn main() {
            a[0] = 1u;
            for (var i = 0u; i < a[9]; i++) {
                if (a[i] == 2u) { a[1] = 1u; } else { a[2] = 1u; }
                a[3] = 1u;
            }
            a[4] = 1u;
        }",
    );
    let body = program.body(FunctionId::Entry(0));
    let mut arms = Vec::new();
    for (site, at, access) in program.sites.accesses() {
        if access.action == crate::ir::access::Action::Write {
            let statement = body.ordinal(site).expect("a statement");
            let arm = body.statement(statement).arm.map(|arm| &program.bodies.arm(arm).kind);
            arms.push((program.source.snippet(at.span), arm));
        }
    }
    assert_eq!(
        arms,
        [
            ("a[0]", None),
            ("a[1]", Some(&ArmKind::Then)),
            ("a[2]", Some(&ArmKind::Else)),
            ("a[3]", Some(&ArmKind::Iteration)),
            ("a[4]", None)
        ]
    );
}

#[test]
fn nesting_is_known_by_statement() {
    let program = in_wgsl(
        "var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            w[l] = 0u;
            workgroupBarrier();
            for (var i = 0u; i < 4u; i++) { w[i] = 1u; w[i + 1u] = 2u; workgroupBarrier(); }
            if (l == 0u) { w[l] = 3u; } else { w[l] = 4u; }
            loop { w[l] = 5u; if (w[0] == 5u) { break; } }
        }",
    );
    let body = program.body(FunctionId::Entry(0));
    let writes = program
        .sites
        .accesses()
        .filter(|(_, _, access)| access.action == crate::ir::access::Action::Write);
    let [zero, one, two, three, four, five] =
        writes.filter_map(|(site, ..)| body.ordinal(site)).collect::<Vec<_>>()[..]
    else {
        panic!("six writes");
    };
    let class = Barrier::WORK_GROUP;
    assert!(body.barrier_between(zero, one, class));
    assert!(!body.barrier_between(zero, one, Barrier::STORAGE));
    assert!(!body.barrier_between(one, two, class));
    let of = body.common_loop(one, two).expect("a loop");
    assert_eq!(body.common_loop(zero, one), None);
    assert!(body.holds_barrier(of, class));
    let own = body.common_loop(five, five).expect("a loop");
    assert!(!body.holds_barrier(own, class));
    assert!(matches!(body.between(four, three), StatementRelation::Branches(_)));
    assert_eq!(
        body.between(zero, four),
        StatementRelation::Sequence(zero, body.siblings(zero, four).1)
    );
    let last = body.loop_body_last(of).expect("a statement");
    assert_eq!(body.statement(last).kind, StatementKind::Barrier);
}
