//! Tests of the reports about litmus tests.

use super::compose::{Tally, program};
use super::results::{Kind, Program, Results, SCHEMA, Verdict};
use super::{dot, json, text};
use crate::explore::{Options, Outcome, Reductions, explore};
use crate::kernel::Bounds;
use crate::litmus::Test;
use crate::model::Model;
use crate::verify::{Settings, litmus};
use hirace_core::report::text::Style;
use hirace_core::source_map::SourceMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Returns the report about a test under a model.
fn said(name: &str, text: &str, model: Model) -> Program {
    let test = Test::read(&SourceMap::new(format!("{name}.litmus"), text)).expect("a test");
    let tally = Mutex::new(Tally::default());
    let claim = test.claim.clone().expect("a claim");
    let look = |run: &_| {
        tally.lock().expect("a tally").add(&test, &claim, run);
        ControlFlow::Continue(())
    };
    let explored = explore(&test, &Options::new(model), Some(&look));
    let all = explored.outcome == Outcome::Complete;
    let tally = tally.into_inner().expect("a tally");
    program(&test, &explored, Some(tally.claim(&claim, all)), name)
}

#[test]
fn an_execution_is_shown_in_all_forms() {
    let text = "VULKAN MP\n{ x=0; y=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n \
        st.av.dv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0 r0, y ;\n st.atom.dv.sc0 y, 1 | ld.vis.dv.sc0 r1, x ;\n\
        exists (P1:r0 == 1 /\\ P1:r1 == 1)\n";
    let program = said("MP", text, Model::ScopedRc11);
    assert_eq!(program.verdict, Verdict::Violation);
    assert_eq!(program.findings[0].kind, Kind::DataRace);
    let lines: Vec<u32> = program.findings[0].accesses.iter().map(|place| place.line).collect();
    assert_eq!((lines.len(), lines.contains(&4), lines.contains(&5)), (2, true, true));
    assert_eq!(program.claim.as_ref().and_then(|claim| claim.holds), Some(true));
    let (schema, model) = (SCHEMA.to_owned(), "scoped-rc11".to_owned());
    let (executions, blocked, verdict) = (program.executions, program.blocked, program.verdict);
    let results = Results {
        schema,
        verdict,
        model,
        executions,
        blocked,
        timing: None,
        stopped: false,
        programs: vec![program],
        errors: Vec::new(),
    };
    let shown = text::report(&results, Style::default());
    assert!(shown.contains("MP.litmus:4:2") && shown.contains("reads y = 1, from "), "{shown}");
    let read: Results = serde_json::from_str(&json(&results)).expect("JSON");
    let claim = read.programs[0].claim.as_ref().expect("a claim");
    let message = claim
        .execution
        .iter()
        .find(|event| event.memory.as_deref() == Some("y") && event.read == Some(1));
    let from = message.and_then(|event| event.from).expect("a source");
    assert_eq!(claim.execution[from].wrote, Some(1));
    let dot = dot::report(&results);
    assert_eq!(dot.matches("digraph").count(), results.programs[0].findings.len() + 1, "{dot}");
    assert!(dot.contains("label=rf"), "{dot}");
}

/// The expected answers for each test of the crate under the model of WGSL, scoped RC11 and interleaving: whether its
/// condition holds, and the findings. The comment in each file explains them.
const ANSWERS: &[(&str, [&str; 3])] = &[
    ("vulkan/2+2W", ["yes", "yes", "no"]),
    ("vulkan/CAS-one-winner", ["yes", "yes", "yes"]),
    ("vulkan/CoRR", ["yes", "yes", "yes"]),
    ("vulkan/CoRW", ["yes", "yes", "yes"]),
    ("vulkan/CoWR", ["yes", "yes", "yes"]),
    ("vulkan/CoWW", ["yes", "yes", "yes"]),
    ("vulkan/IRIW", ["yes", "yes", "no"]),
    ("vulkan/LB-address", ["no", "no", "no"]),
    ("vulkan/LB-control", ["no", "no", "no"]),
    ("vulkan/LB-data", ["no", "no", "no"]),
    ("vulkan/LB-false-data", ["no", "no", "no"]),
    ("vulkan/LB", ["yes", "no", "no"]),
    ("vulkan/MP-acq-rel", ["refused", "yes", "yes"]),
    ("vulkan/MP-fences", ["refused", "no", "no"]),
    ("vulkan/MP-fences-flag-class", ["refused", "no data-race", "yes"]),
    ("vulkan/MP-other-class", ["refused", "no data-race", "yes"]),
    ("vulkan/MP-relaxed", ["yes", "yes", "no"]),
    ("vulkan/MP-scope", ["refused", "yes data-race heterogeneous-race", "yes"]),
    ("vulkan/RMW-atomicity", ["yes", "yes", "yes"]),
    ("vulkan/S", ["yes", "yes", "no"]),
    ("vulkan/SB", ["yes", "yes", "no"]),
    (
        "vulkan/barrier-divergence",
        ["no barrier-divergence", "no barrier-divergence", "no barrier-divergence"],
    ),
    ("vulkan/barrier-in-scope", ["yes", "yes", "yes"]),
    ("vulkan/barrier-none", ["yes data-race", "yes data-race", "yes data-race"]),
    ("vulkan/barrier-other-class", ["yes data-race", "yes data-race", "yes"]),
    ("vulkan/barrier-out-of-scope", ["yes data-race", "yes data-race", "yes data-race"]),
    ("vulkan/filtered", ["refused", "yes", "yes"]),
    ("vulkan/spin-for-ever", ["yes no-termination", "yes no-termination", "yes no-termination"]),
    ("vulkan/spin-wait", ["yes", "yes", "yes"]),
    ("ptx/IRIW-fence-sc", ["refused", "no", "no"]),
    ("ptx/LB-relaxed", ["yes", "no", "no"]),
    ("ptx/MP-acq-rel", ["refused", "yes", "yes"]),
    ("ptx/MP-cta", ["refused", "yes data-race heterogeneous-race", "yes"]),
    ("ptx/MP-weak", ["yes data-race", "yes data-race", "no data-race"]),
    ("ptx/SB-fence-sc", ["refused", "no", "no"]),
    ("ptx/SB-relaxed", ["yes", "yes", "no"]),
    ("ptx/bar-sync", ["yes", "yes", "yes"]),
    ("ptx/lock-relaxed", ["refused", "no data-race", "yes"]),
    ("ptx/lock", ["refused", "yes", "yes"]),
    ("ptx/red-add", ["yes", "yes", "yes"]),
    ("ptx/lock-acquire-relaxed", ["refused", "no data-race", "yes"]),
    ("ptx/lock-cta", ["refused", "no data-race heterogeneous-race", "yes"]),
    ("ptx/lock-three", ["refused", "yes", "yes"]),
    ("ptx/ticket-lock", ["refused", "yes", "yes"]),
    ("ptx/ticket-lock-relaxed", ["refused", "no data-race", "yes"]),
    ("ptx/test-and-set-lock", ["refused", "yes", "yes"]),
    ("ptx/test-and-set-lock-relaxed", ["refused", "no data-race", "yes"]),
    ("ptx/grid-barrier", ["refused", "yes", "yes"]),
    ("ptx/grid-barrier-relaxed", ["no data-race", "no data-race", "yes"]),
    ("ptx/grid-barrier-cta", ["refused", "no data-race heterogeneous-race", "yes"]),
];

#[test]
fn litmus_tests_have_their_answers() {
    let files = crate::litmus::tests::files();
    let named: Vec<&str> = ANSWERS.iter().map(|(name, _)| *name).collect();
    assert_eq!(files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), {
        let mut named = named;
        named.sort_unstable();
        named
    });
    for (name, text) in &files {
        let answers = ANSWERS.iter().find(|(of, _)| of == name).map(|(_, answers)| *answers);
        let models = [Model::Wgsl, Model::ScopedRc11, Model::Sc];
        for (model, answer) in models.into_iter().zip(answers.into_iter().flatten()) {
            for reductions in [Reductions::ALL, Reductions::NONE] {
                assert_eq!(
                    answered(text, model, reductions),
                    answer,
                    "{name} under {model:?}, {reductions:?}"
                );
            }
        }
    }
}

fn answered(text: &str, model: Model, reductions: Reductions) -> String {
    let settings = Settings {
        model,
        reductions,
        bounds: Bounds::default(),
        executions: Some(100_000),
        all: true,
        threads: 1,
        timeout: None,
        repair: None,
        ensured: &[],
        stop: None,
    };
    let Ok(program) = litmus(&SourceMap::new("it.litmus", text), &settings) else {
        return "refused".to_owned();
    };
    let claim = match program.claim.and_then(|claim| claim.holds) {
        Some(true) => "yes",
        Some(false) => "no",
        None => "open",
    };
    let mut kinds: Vec<&str> = program.findings.iter().map(|finding| kind(finding.kind)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    [&[claim][..], &kinds].concat().join(" ")
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::DataRace => "data-race",
        Kind::HeterogeneousRace => "heterogeneous-race",
        Kind::BarrierDivergence => "barrier-divergence",
        Kind::Assertion => "assertion",
        Kind::NoTermination => "no-termination",
    }
}

/// The executions are the orders in which the lock is taken; waiting adds none.
#[test]
fn locks_have_an_execution_for_each_order() {
    for (name, executions) in [("lock", 2), ("lock-three", 6), ("ticket-lock", 2), ("spin-wait", 1)]
    {
        let files = crate::litmus::tests::files();
        let (_, text) =
            files.iter().find(|(of, _)| of.ends_with(&format!("/{name}"))).expect("a test");
        let test = Test::read(&SourceMap::new(name, text.as_str())).expect("a test");
        let reductions = Reductions { symmetry: false, ..Reductions::ALL };
        let options = Options { reductions, ..Options::new(Model::ScopedRc11) };
        let explored = explore(&test, &options, None);
        assert_eq!((explored.executions, explored.blocked), (executions, 0), "{name}");
    }
}
