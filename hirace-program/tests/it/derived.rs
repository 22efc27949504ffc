//! Tests that derived programs map to the user's source, in every language.

use crate::program;
use hirace_program::ir::access::{Access, Action};
use hirace_program::ir::memory::Shape;
use hirace_program::ir::sites::{Site, SiteId, SiteKind};
use hirace_program::pass::monitor::{Options, monitor};
use hirace_program::program::Program;
use hirace_program::shadow::layout::{Layout, Limits};
use hirace_program::watch::{NotWatched, Scope, WatchOptions, WatchPlan};

/// Returns the program with the monitor in it and its overrides resolved.
fn monitored(program: &Program) -> Program {
    let request = WatchOptions { scope: Scope::Accessed, ..WatchOptions::default() };
    let watch = WatchPlan::new(program, &[0], &request);
    let options = Options { tally: true, ..Options::default() };
    let monitored = monitor(program, &watch, &options).expect("it is instrumented");
    let shape = Shape { workgroups: 4, workgroup_size: 64, subgroup_size: 32 };
    let layout = Layout::new(&monitored.plan, shape, |_| 1 << 10, Limits::default());
    assert!(!layout.overrides.is_empty());
    let values = layout.overrides.iter().map(|(name, value)| (name.clone(), f64::from(*value)));
    monitored.derived.program(&values.collect()).expect("its overrides have values")
}

/// Asserts that every site of `program` has a copy in the instrumented program, with the same span and kind.
fn assert_kept(name: &str, bytes: &[u8]) {
    let program = program(name, bytes);
    let derived = monitored(&program);
    assert_eq!(derived.language, program.language);
    assert_eq!(derived.source.text(), program.source.text());
    assert!(derived.module.overrides.is_empty());
    let mut found = vec![0; program.sites.list.len()];
    let mut made = 0;
    for (id, site) in (0..).map(SiteId).zip(&derived.sites.list) {
        let Some(original) = program.sites.get(derived.origin_of(id)) else {
            made += 1;
            continue;
        };
        found[derived.origin_of(id).0 as usize] += 1;
        let shown = program.source.snippet(original.span);
        assert_eq!(
            (site.span, site.statement, site.close),
            (original.span, original.statement, original.close),
            "{name}: {shown}"
        );
        match (&site.kind, &original.kind) {
            (SiteKind::Access(access), SiteKind::Access(other)) => {
                assert_eq!(access.action, other.action, "{name}: {shown}");
            }
            (kind, other) => assert_eq!(kind, other, "{name}: {shown}"),
        }
    }
    assert!(made > 10, "{name}: the monitor has sites of its own, which are {made}");
    for (site, count) in program.sites.list.iter().zip(found) {
        assert!(count > 0, "{name}: {} is lost", program.source.snippet(site.span));
    }
    let branches = |program: &Program| {
        let all = program.bodies.branches.iter();
        all.map(|branch| (branch.kind, branch.span, branch.arms.len())).collect::<Vec<_>>()
    };
    let own = branches(&derived);
    for branch in branches(&program) {
        assert!(own.contains(&branch), "{name}: {} {branch:?}", program.source.snippet(branch.1));
    }
}

const WGSL: &[u8] = include_bytes!("../fixtures/control.wgsl");
const RUST: &[u8] = include_bytes!("../fixtures/control.rs");
#[cfg(feature = "glsl")]
const GLSL: &[u8] = include_bytes!("../fixtures/control.comp");
#[cfg(feature = "spirv")]
const SPIRV: &[u8] = include_bytes!("../fixtures/control.spv");

#[test]
fn sites_of_wgsl_outlast_the_monitor() {
    assert_kept("control.wgsl", WGSL);
    let barriers = "var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            w[l] = 1u; workgroupBarrier(); w[l] = workgroupUniformLoad(&w[3]); storageBarrier();
        }";
    assert_kept("barriers.wgsl", barriers.as_bytes());
}

#[test]
fn sites_of_rust_outlast_the_monitor() {
    assert_kept("control.rs", RUST);
}

#[test]
fn what_is_plain_in_rust_stays_plain() {
    let text = "#[hirace::monitor(workgroup_size(64))]
        fn f(#[builtin(local_invocation_index)] l: u32, flags: &mut [u32]) {
            atomic_add(&mut flags[0], 1);
            flags[0] = l;
        }";
    assert_kept("plain.rs", text.as_bytes());
    let derived = monitored(&program("plain.rs", text.as_bytes()));
    let plain = |(site, at, access): (SiteId, &Site, &Access)| {
        derived.origin_of(site) != SiteId::NONE
            && access.action == Action::Write
            && derived.source.snippet(at.span) == "flags[0]"
    };
    assert!(derived.sites.accesses().any(plain));
}

#[cfg(feature = "glsl")]
#[test]
fn sites_of_glsl_outlast_the_monitor() {
    assert_kept("control.comp", GLSL);
}

#[cfg(feature = "spirv")]
#[test]
fn sites_of_spirv_outlast_the_monitor() {
    assert_kept("control.spv", SPIRV);
}

#[test]
fn a_program_that_was_not_derived_is_its_own_origin() {
    let program = program("control.wgsl", WGSL);
    assert_eq!(program.origin_of(SiteId(3)), SiteId(3));
}

#[test]
fn an_entry_point_is_found_by_its_name() {
    let text = "// fn main() does it\nfn mainly() {}\nfn not_main() {}\n@compute @workgroup_size(1)\nfn  main() { mainly(); }";
    let program = program("a.wgsl", text.as_bytes());
    let span = program.function_name("main").expect("it is named");
    assert_eq!(program.source.position(span.start).line, 5);
    assert_eq!(program.source.snippet(span), "main");
    assert_eq!(program.function_name("other"), None);
}

#[test]
fn plain_accesses_of_rust_are_watched_though_their_wgsl_is_atomic() {
    let kernel = |body: &str| {
        let text = format!(
            "#[hirace::monitor(workgroup_size(64))]
            fn main(#[builtin(local_invocation_index)] lane: u32, n: &mut [u32]) {{ {body} }}"
        );
        program("main.rs", text.as_bytes())
    };
    let atomics = kernel("atomic_add(&mut n[lane], 1); atomic_max(&mut n[0], 2);");
    let plan = WatchPlan::of_all(&atomics, &WatchOptions::default());
    assert!(plan.sites().all(|(_, answer)| answer == Err(NotWatched::OnlyAtomics)));
    let mixed = kernel("atomic_add(&mut n[lane], 1); n[0] = 2;");
    let plan = WatchPlan::of_all(&mixed, &WatchOptions::default());
    assert_eq!(plan.sites().filter(|(_, answer)| *answer == Ok(())).count(), 2);
}
