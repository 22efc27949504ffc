//! Litmus tests explored, and what is reported of them.

use super::compose::{Tally, program};
use super::results::{Kind, Program, Results, SCHEMA, Verdict};
use super::{dot, json, text};
use crate::explore::{Options, Outcome, explore};
use crate::litmus::Test;
use crate::model::Model;
use hirace_core::report::text::Style;
use hirace_core::source_map::SourceMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// What is said of a test under a model.
pub fn said(name: &str, text: &str, model: Model) -> Program {
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
        seconds: 0.0,
        memory: None,
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
