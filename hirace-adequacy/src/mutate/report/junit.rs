//! Mutants as JUnit XML: each mutant is a test case, which fails if the mutant needs attention: no test
//! detects it in every run, or its outcome contradicts a directive.

use super::missed::{is_expected, missed};
use super::words;
use crate::mutate::results::{Mutant, Results, Status};
use crate::report::escape::escape;
use std::fmt::Write;

/// The outcome of a test case.
enum CaseOutcome {
    /// It passes.
    Passed,
    /// It is skipped, with the reason.
    Skipped(String),
    /// It fails, with a message and a type.
    Failure { message: String, of: String },
}

/// Returns the XML, with a test suite per file.
///
/// Mutants that were not run or not judged, and those that the source expects to survive, are skipped.
pub fn report(results: &Results) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all = &results.mutants;
    put(&mut xml, format_args!("<testsuites name=\"hirace mutate\" {}>", counts(all)));
    for of_file in all.chunk_by(|a, b| a.file == b.file) {
        let file = escape(&of_file[0].file);
        put(&mut xml, format_args!("    <testsuite name=\"{file}\" {}>", counts(of_file)));
        of_file.iter().for_each(|mutant| case(&mut xml, mutant));
        put(&mut xml, format_args!("    </testsuite>"));
    }
    put(&mut xml, format_args!("</testsuites>"));
    xml
}

fn put(xml: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(xml, "{line}");
}

fn counts(mutants: &[Mutant]) -> String {
    let count = |is: fn(&CaseOutcome) -> bool| {
        mutants.iter().filter(|mutant| is(&case_outcome(mutant))).count()
    };
    let skipped = count(|said| matches!(said, CaseOutcome::Skipped(_)));
    let failures = count(|said| matches!(said, CaseOutcome::Failure { .. }));
    let (tests, time) = (mutants.len(), time(mutants));
    format!("tests=\"{tests}\" skipped=\"{skipped}\" failures=\"{failures}\" errors=\"0\"{time}")
}

/// Returns the attribute with the duration of these mutants, if one is known. Invalid durations count as 0.
fn time(mutants: &[Mutant]) -> String {
    let known = mutants.iter().filter_map(|mutant| mutant.seconds);
    let valid = known.map(|seconds| if seconds.is_finite() { seconds.max(0.0) } else { 0.0 });
    let sum = valid.reduce(|sum, seconds| sum + seconds);
    sum.map(|seconds| format!(" time=\"{seconds:.3}\"")).unwrap_or_default()
}

fn case(xml: &mut String, mutant: &Mutant) {
    let (Mutant { line, column, .. }, time) = (mutant, time(std::slice::from_ref(mutant)));
    let name = escape(&format!("{line}:{column} {}", words::change_in(mutant)));
    let class = escape(&mutant.file);
    let head = format!("<testcase name=\"{name}\" classname=\"{class}\"{time}");
    let inner = match case_outcome(mutant) {
        CaseOutcome::Passed => return put(xml, format_args!("        {head}/>")),
        CaseOutcome::Skipped(message) => format!("<skipped message=\"{}\"/>", escape(&message)),
        CaseOutcome::Failure { message, of } => {
            format!("<failure message=\"{}\" type=\"{}\"/>", escape(&message), escape(&of))
        }
    };
    put(xml, format_args!("        {head}>\n            {inner}\n        </testcase>"));
}

fn case_outcome(mutant: &Mutant) -> CaseOutcome {
    let is_left_out = matches!(
        mutant.status,
        None | Some(Status::Equivalent | Status::Unviable | Status::Skipped)
    );
    match missed(mutant) {
        Some(_) => CaseOutcome::Failure {
            message: words::describe_outcome(mutant),
            of: words::rule(mutant),
        },
        None if is_left_out || is_expected(mutant) => {
            CaseOutcome::Skipped(words::describe_outcome(mutant))
        }
        None => CaseOutcome::Passed,
    }
}
