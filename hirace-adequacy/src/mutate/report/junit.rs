//! Mutants as XML of JUnit, for what shows tests: each is a test case, which fails where no test notices the mutant.

use super::missed::{is_expected, missed};
use super::words;
use crate::mutate::results::{Mutant, Results, Status};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The XML: a suite for each file.
///
/// Skipped are mutants that are not run, those that are not judged, and those that the source expects to survive.
pub fn report(results: &Results) -> String {
    let mut report = Report::new("hirace mutate");
    for of_file in results.mutants.chunk_by(|a, b| a.file == b.file) {
        let mut suite = TestSuite::new(of_file[0].file.as_str());
        suite.add_test_cases(of_file.iter().map(case));
        suite.set_time(sum(of_file));
        report.add_test_suite(suite);
    }
    report.set_time(sum(&results.mutants));
    // It can fail only where what it is written to does, and that is memory.
    report.to_string().unwrap_or_default()
}

fn case(mutant: &Mutant) -> TestCase {
    let Mutant { line, column, .. } = mutant;
    let name = format!("{line}:{column} {}", words::change_in(mutant));
    let mut case = TestCase::new(name, status(mutant));
    case.set_classname(mutant.file.as_str()).set_time(time(mutant));
    case
}

fn status(mutant: &Mutant) -> TestCaseStatus {
    let skipped = matches!(mutant.status, None | Some(Status::Equivalent | Status::Skipped));
    let mut status = match missed(mutant) {
        Some(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        None if skipped || is_expected(mutant) => TestCaseStatus::skipped(),
        None => return TestCaseStatus::success(),
    };
    status.set_message(words::became(mutant));
    if missed(mutant).is_some() {
        status.set_type(words::rule(mutant));
    }
    status
}

fn time(mutant: &Mutant) -> Duration {
    Duration::try_from_secs_f64(mutant.seconds).unwrap_or_default()
}

fn sum(mutants: &[Mutant]) -> Duration {
    mutants.iter().map(time).fold(Duration::ZERO, Duration::saturating_add)
}
