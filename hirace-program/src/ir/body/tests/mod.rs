//! Tests of arms in four languages, by lists of their source text, and of nesting.

use super::*;
use crate::front::{Kind as Language, rust, wgsl};
use crate::program::Program;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Returns the program of a fixture in any language.
fn program(name: &str, bytes: &[u8]) -> Program {
    let parsed = match Language::of(name, bytes) {
        Language::Rust => {
            let text = std::str::from_utf8(bytes).expect("UTF-8");
            rust::parse_file(name, text).expect("it is read").items.remove(0)
        }
        _ => crate::front::parse_bytes(name, bytes, &|_| None),
    };
    Program::new(&parsed.expect("it is taken"), &BTreeMap::new()).expect("it is valid")
}

fn in_wgsl(text: &str) -> Program {
    let parsed = wgsl::parse("test.wgsl", text).expect("it is taken");
    Program::new(&parsed, &BTreeMap::new()).expect("it is valid")
}

/// Lists each branch on a line, and each of its arms: how control enters it, and its source text.
fn listed(program: &Program) -> String {
    let mut list = String::new();
    let one_line = |span| {
        let text = program.source.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let line = program.source.position(span.start).line;
        format!("{line}: {text}")
    };
    for branch in &program.bodies.branches {
        let _ = writeln!(list, "{:?} {}", branch.kind, one_line(branch.span));
        for (_, arm) in program.bodies.arms_of(branch) {
            let kind = match &arm.kind {
                ArmKind::Case { values, is_default, fallen_into } => {
                    let mut words: Vec<String> = values
                        .iter()
                        .map(|value| match value {
                            naga::SwitchValue::I32(value) => value.to_string(),
                            naga::SwitchValue::U32(value) => value.to_string(),
                            naga::SwitchValue::Default => "default".to_owned(),
                        })
                        .collect();
                    words.extend(is_default.then(|| "default".to_owned()));
                    words.extend(fallen_into.then(|| "fallen into".to_owned()));
                    format!("Case({})", words.join(", "))
                }
                kind => format!("{kind:?}"),
            };
            let entries = arm.entries.iter().map(|entry| match entry {
                Entry::Block { block, .. } => format!("block {block}"),
                Entry::Value { holds, .. } => format!("if {holds}"),
            });
            let entries = entries.collect::<Vec<_>>().join(", ");
            let _ = writeln!(list, "  {kind} [{entries}] {}", one_line(arm.span));
        }
    }
    list
}

/// Asserts that the branches of a fixture equal those in the `.arms` file next to it.
fn assert_listed(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ir/body/tests");
    let bytes = std::fs::read(folder.join(name)).expect("the fixture is there");
    let expected = std::fs::read_to_string(folder.join(format!("{name}.arms"))).unwrap_or_default();
    let program = program(name, &bytes);
    let list = listed(&program);
    assert!(list == expected, "{name} has these arms:\n{list}");
    consistent(&program);
}

/// Asserts what holds for every program.
fn consistent(program: &Program) {
    for body in program.bodies.iter() {
        let function = body.function.get(&program.module);
        let mut walked = 0;
        crate::ir::walk::statements(&function.body, &mut |id, statement, _| {
            walked += 1;
            for (block, inner) in crate::ir::walk::children(statement).into_iter().enumerate() {
                let first = body.first_in(id, block);
                assert_eq!(first.is_none(), inner.is_empty());
                let parent = first.and_then(|first| body.statement(first).parent);
                assert!(parent.is_none_or(|parent| parent == (id, block)));
            }
        });
        assert_eq!(walked, body.all().count());
    }
    for (id, arm) in (0..).map(ArmId).zip(&program.bodies.arms) {
        let branch = program.bodies.branch(arm.branch);
        assert!(branch.arms.contains(&id.0));
        assert!(!arm.entries.is_empty());
        let body = program.body(branch.function);
        for entry in &arm.entries {
            match *entry {
                Entry::Block { statement, block } => {
                    assert_eq!(body.arm_at(statement, block), Some(id));
                }
                Entry::Value { statement, .. } => {
                    assert!(body.decided_by_values(statement).contains(&arm.branch));
                }
            }
        }
    }
}

#[test]
fn arms_of_wgsl_are_those_that_are_written() {
    assert_listed("control.wgsl");
}

#[test]
fn arms_of_rust_are_those_that_are_written() {
    assert_listed("control.rs");
}

#[cfg(feature = "glsl")]
#[test]
fn arms_of_glsl_are_those_that_are_written() {
    assert_listed("control.comp");
}

/// `control.spv` is the output of `glslangValidator -V -g --target-env vulkan1.1` for `control.comp`.
#[cfg(feature = "spirv")]
#[test]
fn arms_of_spirv_are_those_that_its_source_has() {
    assert_listed("control.spv");
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
