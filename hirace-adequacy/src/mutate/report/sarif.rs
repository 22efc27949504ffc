//! Undetected mutants as SARIF 2.1.0, for code scanning services.

use super::missed::{MissReason, is_expected, missed};
use super::words;
use crate::mutate::results::{Mutant, Results};
use hirace_core::report::sarif::{SCHEMA, uri};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the results as a SARIF log with one run.
///
/// Each operator is a rule. Mutants that the source expects to survive are included as suppressed, with the reason
/// given there.
pub fn report(results: &Results) -> String {
    let shown = results.mutants.iter().filter(|of| missed(of).is_some() || is_expected(of));
    let rules: BTreeSet<String> = shown.clone().map(words::rule).collect();
    let rules: BTreeMap<String, usize> = rules.into_iter().zip(0..).collect();
    let results_of: Vec<Value> = shown.map(|mutant| result(mutant, &rules)).collect();
    let mut invocation = json!({ "executionSuccessful": !results.stopped });
    if results.stopped {
        let message = json!({ "text": words::STOPPED });
        invocation["toolExecutionNotifications"] =
            json!([{ "level": "error", "message": message }]);
    }
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hirace",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.keys().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            } },
            "invocations": [invocation],
            // Columns are counted in Unicode scalar values, as in all reports.
            "columnKind": "unicodeCodePoints",
            "results": results_of,
        }],
    });
    format!("{log:#}\n")
}

fn descriptor(rule: &str) -> Value {
    json!({
        "id": rule,
        "shortDescription": { "text": words::RULE },
        "help": { "text": words::HELP },
        "defaultConfiguration": { "level": "warning" },
    })
}

fn result(mutant: &Mutant, rules: &BTreeMap<String, usize>) -> Value {
    let rule = words::rule(mutant);
    let level = match missed(mutant) {
        Some(MissReason::Survived | MissReason::Directive) => "warning",
        _ => "note",
    };
    let Mutant { line, column, end_line, end_column, .. } = mutant;
    let mut region = json!({
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
    });
    if !mutant.original.is_empty() {
        region["snippet"] = json!({ "text": mutant.original });
    }
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": rules.get(&rule),
        "level": level,
        "message": { "text": format!("{}: {}", words::change_in(mutant), words::describe_outcome(mutant)) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&mutant.file) },
            "region": region,
        } }],
        "partialFingerprints": { "hirace/v1": mutant.id },
    });
    if is_expected(mutant) {
        let reason = mutant.directive.as_ref().and_then(|directive| directive.reason.as_ref());
        let mut suppression = json!({ "kind": "inSource" });
        if let Some(reason) = reason {
            suppression["justification"] = json!(reason);
        }
        result["suppressions"] = json!([suppression]);
    }
    result
}
