//! Executions as graphs in the DOT language: one cluster per invocation, with arrows for reads-from.

use super::results::{Event, Results};
use super::text::describe_event;
use std::fmt::Write as _;

/// Returns one graph for the execution of each finding and of each condition.
pub fn report(results: &Results) -> String {
    let mut dot = String::new();
    let mut number = 0;
    for program in &results.programs {
        let of_findings = program.findings.iter().map(|finding| &finding.execution);
        let of_claim =
            program.claim.iter().map(|claim| &claim.execution).filter(|events| !events.is_empty());
        for execution in of_findings.chain(of_claim) {
            number += 1;
            // Writing to a string does not fail.
            let _ =
                graph(&mut dot, &format!("{}: {}", program.file, program.name), number, execution);
        }
    }
    dot
}

fn graph(dot: &mut String, title: &str, number: usize, events: &[Event]) -> std::fmt::Result {
    writeln!(dot, "digraph execution_{number} {{")?;
    writeln!(dot, "  label={};", quoted(title))?;
    writeln!(dot, "  node [shape=box, fontname=monospace];")?;
    let mut invocations: Vec<u32> = events.iter().map(|event| event.place.invocation).collect();
    invocations.sort_unstable();
    invocations.dedup();
    for invocation in invocations {
        writeln!(dot, "  subgraph cluster_{invocation} {{")?;
        writeln!(dot, "    label={};", quoted(&format!("P{invocation}")))?;
        let of_it =
            events.iter().enumerate().filter(|(_, event)| event.place.invocation == invocation);
        let mut before = None;
        for (index, event) in of_it {
            let label = format!(
                "{index}: {}\n{}:{} {}",
                describe_event(event),
                event.place.line,
                event.place.column,
                event.place.code
            );
            writeln!(dot, "    e{index} [label={}];", quoted(&label))?;
            if let Some(before) = before {
                writeln!(dot, "    e{before} -> e{index};")?;
            }
            before = Some(index);
        }
        writeln!(dot, "  }}")?;
    }
    for (index, event) in events.iter().enumerate() {
        if let Some(from) = event.from {
            writeln!(dot, "  e{from} -> e{index} [label=rf, color=red, constraint=false];")?;
        }
    }
    writeln!(dot, "}}")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
