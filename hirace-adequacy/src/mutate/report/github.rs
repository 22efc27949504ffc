//! GitHub Actions annotations: a workflow command per missed mutant, shown at its line in a pull request. The last line
//! is a summary that only the log shows.

use super::missed::{MissReason, missed};
use super::words;
use crate::mutate::results::{Mutant, Results};
use hirace_core::report::github::{data, property, region};
use std::fmt::Write as _;

/// Returns a line per missed mutant, survivors first, because GitHub shows at most ten warnings per step.
pub fn report(results: &Results) -> String {
    let mut text = String::new();
    for why in MissReason::ALL {
        for mutant in results.mutants.iter().filter(|mutant| missed(mutant) == Some(why)) {
            text.push_str(&annotation(mutant, why));
        }
    }
    if results.stopped {
        let _ = writeln!(text, "::error title=hirace mutate::{}", data(words::STOPPED));
    }
    if results.mutants.is_empty() {
        return text + &format!("hirace: {}\n", words::EMPTY);
    }
    let _ = writeln!(text, "hirace: {}", words::total(&results.summary));
    for known in &results.known_findings {
        let _ = writeln!(text, "hirace: {}: {}", words::KNOWN, words::known(known));
    }
    text
}

fn annotation(mutant: &Mutant, why: MissReason) -> String {
    let command = match why {
        MissReason::Survived | MissReason::Directive => "warning",
        MissReason::Undecided | MissReason::NotRun => "notice",
    };
    let file = property(&mutant.file);
    let region = region(mutant.line, mutant.end_line, mutant.column, mutant.end_column);
    let title = format!("{} mutant {}", words::status(mutant.status), words::rule(mutant));
    let text = format!("{}: {}", words::change_in(mutant), words::describe_outcome(mutant));
    format!("::{command} file={file},{region},title={}::{}\n", property(&title), data(&text))
}
