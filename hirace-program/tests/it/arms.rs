//! Tests of arms in four languages, by lists of their source text.

use crate::program;
use hirace_program::ir::body::{ArmId, ArmKind, Entry};
use hirace_program::ir::walk;
use hirace_program::program::Program;
use std::fmt::Write;
use std::path::Path;

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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
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
        walk::statements(&function.body, &mut |id, statement, _| {
            walked += 1;
            for (block, inner) in walk::children(statement).into_iter().enumerate() {
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
