//! Tests of locks, messages and grid barriers in GLSL, by way of SPIR-V, and in SPIR-V as clspv writes it: each in its correct
//! form, and with one of its orders, scopes or memory classes weakened. The expected findings follow from the axioms of scoped
//! RC11; they were not recorded.

use super::{kinds, run_verify, verify_file};
use crate::rules;
use crate::spirv::{needing, run_compiler};
use crate::support::{hirace, root, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The judgement of the axioms on a variant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// No execution has a fault.
    Right,
    /// Two accesses, at least one of them plain, are not ordered.
    Races,
    /// As [`Expected::Races`], and atomics on one location are not within each other's scope.
    RacesByScope,
}
use Expected::{Races, RacesByScope, Right};

/// A variant of a source.
struct Variant {
    name: &'static str,
    /// The number of workgroups.
    workgroups: &'static str,
    /// The definitions that differ from the source.
    defines: &'static [&'static str],
    judged: Expected,
}

const fn variant(
    name: &'static str,
    workgroups: &'static str,
    defines: &'static [&'static str],
    judged: Expected,
) -> Variant {
    Variant { name, workgroups, defines, judged }
}

const RELAXED_TAKE: &str = "TAKE=gl_StorageSemanticsNone, gl_SemanticsRelaxed";
const RELAXED_GIVE: &str = "GIVE=gl_StorageSemanticsNone, gl_SemanticsRelaxed";
const BEFORE: &str = "BEFORE=memoryBarrierBuffer()";
const AFTER: &str = "AFTER=memoryBarrierBuffer()";

const LOCKS: &[Variant] = &[
    variant("right", "2", &[], Right),
    variant("right_in_larger_workgroups", "2", &["SIZE=2"], Right),
    variant("acquire_relaxed", "2", &[RELAXED_TAKE], Races),
    variant("release_relaxed", "2", &[RELAXED_GIVE], Races),
    variant("of_a_workgroup_between_two", "2", &["SCOPE=gl_ScopeWorkgroup"], RacesByScope),
    variant("of_a_workgroup_within_it", "1", &["SCOPE=gl_ScopeWorkgroup", "SIZE=2"], Right),
    variant(
        "given_back_for_other_memory",
        "2",
        &["GIVE=gl_StorageSemanticsShared, gl_SemanticsRelease"],
        Races,
    ),
];

const MESSAGES: &[Variant] = &[
    variant("right", "2", &[], Right),
    variant("given_relaxed", "2", &[RELAXED_GIVE], Races),
    variant("acquire_relaxed", "2", &[RELAXED_TAKE], Races),
    variant("between_fences", "2", &[RELAXED_GIVE, RELAXED_TAKE, BEFORE, AFTER], Right),
    variant("fence_and_acquire", "2", &[RELAXED_GIVE, BEFORE], Right),
    variant("release_and_fence", "2", &[RELAXED_TAKE, AFTER], Right),
    variant("no_fence_after", "2", &[RELAXED_GIVE, RELAXED_TAKE, BEFORE], Races),
    variant("no_fence_before", "2", &[RELAXED_GIVE, RELAXED_TAKE, AFTER], Races),
    variant(
        "fence_of_other_memory",
        "2",
        &[RELAXED_GIVE, RELAXED_TAKE, "BEFORE=memoryBarrierShared()", AFTER],
        Races,
    ),
    variant(
        "fence_of_a_workgroup",
        "2",
        &[
            RELAXED_GIVE,
            "BEFORE=memoryBarrier(gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelease)",
        ],
        Races,
    ),
    variant(
        "given_for_other_memory",
        "2",
        &["GIVE=gl_StorageSemanticsShared, gl_SemanticsRelease"],
        Races,
    ),
    variant(
        "taken_for_other_memory",
        "2",
        &["TAKE=gl_StorageSemanticsShared, gl_SemanticsAcquire"],
        Races,
    ),
];

const MESSAGES_IN_WORKGROUPS: &[Variant] = &[
    variant("right", "1", &[], Right),
    variant("of_a_wider_scope", "1", &["SCOPE=gl_ScopeDevice"], Right),
    // The message is in shared memory.
    variant("for_buffers_alone", "1", &["CLASSES=gl_StorageSemanticsBuffer"], Races),
];

/// Workgroup barriers that order buffers: only within the workgroup, and beyond it.
const WITHIN: &str = "GATHER=controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)";
const BEYOND: &str = "GATHER=controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease)";
const FENCED: &str = "GATHER=memoryBarrierBuffer(); barrier(); memoryBarrierBuffer()";

const GRID_BARRIERS: &[Variant] = &[
    variant("right", "2", &[], Right),
    variant("right_with_one_each", "2", &["SIZE=1"], Right),
    variant("right_by_control_barriers", "2", &[WITHIN], Right),
    variant("given_relaxed", "2", &[RELAXED_GIVE, WITHIN], Races),
    variant("acquire_relaxed", "2", &[RELAXED_TAKE, WITHIN], Races),
    variant("barriers_order_shared_memory_alone", "2", &["GATHER=barrier()"], Races),
    // With two workgroups, the one that releases the other has seen it arrive; a third may still be arriving when the second
    // continues.
    variant("two_without_a_barrier_between", "2", &["BETWEEN="], Right),
    variant("three_without_a_barrier_between", "3", &["BETWEEN="], Races),
    // The writes of other invocations of the workgroup come after the fence of the first, which is before the barrier.
    variant("relaxed_with_fences_before", "2", &[RELAXED_GIVE, RELAXED_TAKE], Races),
    variant("relaxed_with_one_each", "2", &[RELAXED_GIVE, RELAXED_TAKE, "SIZE=1"], Right),
    variant("relaxed_with_fences_around", "2", &[RELAXED_GIVE, RELAXED_TAKE, FENCED], Right),
    variant("relaxed_with_barriers_beyond", "2", &[RELAXED_GIVE, RELAXED_TAKE, BEYOND], Right),
    variant("relaxed_with_barriers_within", "2", &[RELAXED_GIVE, RELAXED_TAKE, WITHIN], Races),
];

const SOURCES: &[(&str, &[Variant])] = &[
    ("cas_lock", LOCKS),
    ("ticket_lock", LOCKS),
    ("test_lock", LOCKS),
    ("message", MESSAGES),
    ("message_in_workgroup", MESSAGES_IN_WORKGROUPS),
    ("grid_barrier", GRID_BARRIERS),
];

/// Instructions and their replacements.
type Replacements = &'static [(&'static str, &'static str)];

/// Replacements in `lock.spvasm`, with workgroups of one or two invocations.
const ASSEMBLED: &[(&str, &str, Replacements, Expected)] = &[
    ("right", "1", &[], Right),
    ("right_in_larger_workgroups", "2", &[], Right),
    (
        "acquire_relaxed",
        "1",
        &[("%take = OpConstant %uint 66", "%take = OpConstant %uint 64")],
        Races,
    ),
    (
        "release_relaxed",
        "1",
        &[("%give = OpConstant %uint 68", "%give = OpConstant %uint 64")],
        Races,
    ),
    ("for_no_memory", "1", &[("%give = OpConstant %uint 68", "%give = OpConstant %uint 4")], Races),
    (
        "of_a_workgroup",
        "1",
        &[("%scope = OpConstant %uint 1", "%scope = OpConstant %uint 2")],
        RacesByScope,
    ),
    (
        "sequentially_consistent",
        "1",
        &[
            ("%take = OpConstant %uint 66", "%take = OpConstant %uint 80"),
            ("%give = OpConstant %uint 68", "%give = OpConstant %uint 80"),
        ],
        Right,
    ),
    (
        "by_specialization",
        "1",
        &[("%give = OpConstant %uint 68", "%give = OpSpecConstant %uint 68")],
        Right,
    ),
    (
        "relaxed_by_specialization",
        "1",
        &[("%give = OpConstant %uint 68", "%give = OpSpecConstant %uint 64")],
        Races,
    ),
];

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (source, variants) in SOURCES {
        for variant in *variants {
            let name = format!("verify::{source}::{}", variant.name);
            trials.push(needing("glslangValidator", name, move || glsl(source, variant)));
        }
    }
    for (name, size, instead, judged) in ASSEMBLED {
        let test = move || assembled(name, size, instead, *judged);
        trials.push(needing("spirv-as", format!("verify::clspv_lock::{name}"), test));
    }
    let refused = "verify::a_scope_of_one_invocation_is_refused_at_its_place".to_owned();
    trials.push(needing("glslangValidator", refused, a_scope_of_one_invocation));
    let named = "verify::models_without_words_for_orders_name_one_that_has_them".to_owned();
    trials.push(needing("glslangValidator", named, a_model_without_words));
    trials
}

fn source(name: &str) -> PathBuf {
    root().join("tests/it/verify/sources").join(name)
}

/// Compiles a GLSL source to a module, with these definitions.
fn module(name: &str, of: &str, defines: &[&str]) -> Result<PathBuf, Failed> {
    let module = scratch("verify-ordered").join(format!("{name}.spv"));
    let mut command = Command::new("glslangValidator");
    command.args(["-V", "-g", "--target-env", "vulkan1.1"]);
    command.args(defines.iter().map(|define| format!("-D{define}")));
    run_compiler(command.arg(source(&format!("{of}.comp"))).arg("-o").arg(&module))?;
    Ok(module)
}

fn glsl(of: &str, variant: &Variant) -> Result<(), Failed> {
    let module = module(&format!("{of}-{}", variant.name), of, variant.defines)?;
    is_judged(&module, &["--workgroups", variant.workgroups], variant.judged)
}

fn assembled(
    name: &str,
    size: &str,
    instead: &[(&str, &str)],
    judged: Expected,
) -> Result<(), Failed> {
    let mut text = fs::read_to_string(source("lock.spvasm"))?;
    for (this, other) in instead {
        assert!(text.contains(this), "{this} is not in the source");
        text = text.replace(this, other);
    }
    let folder = scratch("verify-assembled");
    let [assembly, module] = ["spvasm", "spv"].map(|end| folder.join(format!("{name}.{end}")));
    fs::write(&assembly, text)?;
    run_compiler(Command::new("spirv-as").arg(&assembly).arg("-o").arg(&module))?;
    let size = format!("constant_0={size}");
    is_judged(&module, &["--workgroups", "2", "--override", &size], judged)
}

/// Compares the findings in a module with the judgement of the axioms. In a correct module `check` finds no certain race.
fn is_judged(module: &Path, flags: &[&str], judged: Expected) -> Result<(), Failed> {
    let model = ["--model", "scoped-rc11", "--no-fail-fast"];
    let (json, status) = verify_file(module, &[flags, &model].concat())?;
    let (verdict, expected): (_, &[&str]) = match judged {
        Right => ("verified", &[]),
        Races => ("violation", &["data-race"]),
        RacesByScope => ("violation", &["data-race", "heterogeneous-race"]),
    };
    assert_eq!(
        (json["verdict"].as_str(), kinds(&json)),
        (Some(verdict), expected.to_vec()),
        "{json}"
    );
    assert_eq!(status, i32::from(judged != Right), "{json}");
    assert!(json["executions"].as_u64() > Some(0), "{json}");
    if judged == Right {
        let path = module.display().to_string();
        let arguments = [&["check", &path, "--format", "json"], flags].concat();
        let ended = run(&mut hirace(&arguments), Duration::from_secs(60));
        let report: Value = serde_json::from_str(&ended.stdout)
            .map_err(|error| format!("{error}: {}{}", ended.stdout, ended.stderr))?;
        let certain: Vec<_> = rules::annotations_of_report(&report)?
            .into_iter()
            .map(|note| note.text)
            .filter(|text| text.contains("race") && !text.starts_with("possible"))
            .collect();
        assert!(certain.is_empty(), "{certain:?}");
    }
    Ok(())
}

fn a_scope_of_one_invocation() -> Result<(), Failed> {
    let fence =
        "BEFORE=memoryBarrier(gl_ScopeInvocation, gl_StorageSemanticsBuffer, gl_SemanticsRelease)";
    let module = module("message-of-one", "message", &[fence])?;
    let ended = run_verify(&module, &["--workgroups", "2", "--model", "scoped-rc11"]);
    let line =
        fs::read_to_string(source("message.comp"))?.lines().position(|l| l.trim() == "BEFORE;");
    let place = format!("message.comp:{}:", line.ok_or("the line was not found")? + 1);
    let says = ended.stderr.contains(&place) && ended.stderr.contains("not known");
    assert!(ended.status == Some(2) && says, "{}", ended.stderr);
    Ok(())
}

fn a_model_without_words() -> Result<(), Failed> {
    let module = module("message-under-wgsl", "message", &[])?;
    let ended = run_verify(&module, &["--workgroups", "2"]);
    assert!(
        ended.status == Some(2) && ended.stderr.contains("--model scoped-rc11"),
        "{}",
        ended.stderr
    );
    Ok(())
}
