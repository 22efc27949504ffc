//! What an input goes through: a front end, and `hirace check`.

use crate::support::{hirace, run};
use hirace::raw::diagnostic::{Diagnostic, Result as Diagnosed};
use hirace::raw::front::{self, Kind, Parsed};
use hirace::raw::program::Program;
use hirace::raw::source_map::{SourceMap, Span};
use libtest_mimic::Failed;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

/// A check that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(60);
/// So many programs, and so many inputs that are none, are checked by the binary.
const CHECKED: [u64; 2] = [80, 30];

/// How many inputs got how far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Through {
    /// What front ends made programs of.
    pub programs: u64,
    /// What they refused.
    pub refused: u64,
    /// What launches were run of.
    pub checked: u64,
}

impl Through {
    /// Whether there are as many of each as in `least`.
    pub fn reaches(&self, least: &Self) -> bool {
        let Self { programs, refused, checked } = *self;
        programs >= least.programs && refused >= least.refused && checked >= least.checked
    }

    /// Counts an input after the front end. Whether it is one of those that the binary checks.
    pub fn counts_program(&mut self, is_program: bool) -> bool {
        let [programs, refused] = CHECKED;
        if is_program {
            self.programs += 1;
            self.programs <= programs
        } else {
            self.refused += 1;
            self.refused <= refused
        }
    }
}

/// Whether the front end makes a program of an input, all of it. Places must lie in the text either way.
pub fn front_end(file: &Path, input: &[u8]) -> Result<bool, String> {
    let name = file.to_string_lossy();
    let made = catch_unwind(AssertUnwindSafe(|| programs(&name, input)));
    let made = made.map_err(|_| "a panic".to_owned())?;
    let mut all = !made.is_empty();
    for made in made {
        match made {
            Ok(program) => {
                for site in &program.sites.list {
                    inside(&program.source, site.span)?;
                    inside(&program.source, site.statement)?;
                }
            }
            Err(diagnostic) => {
                all = false;
                placed(&diagnostic)?;
            }
        }
    }
    Ok(all)
}

/// The programs of an input: Rust files have one for each monitored item.
fn programs(name: &str, input: &[u8]) -> Vec<Diagnosed<Program>> {
    let program = |parsed: Parsed| Program::new(&parsed, &Default::default());
    if Kind::of(name, input) != Kind::Rust {
        return vec![front::parse_bytes(name, input, &|_| None).and_then(program)];
    }
    let file = front::decode(name, input).and_then(|text| front::rust::parse_file(name, text));
    match file {
        Ok(file) => file.items.into_iter().map(|item| item.and_then(program)).collect(),
        Err(diagnostic) => vec![Err(diagnostic)],
    }
}

fn placed(diagnostic: &Diagnostic) -> Result<(), String> {
    for (span, _) in &diagnostic.labels {
        inside(diagnostic.source_map.as_ref().ok_or("labels without a text")?, *span)?;
    }
    if diagnostic.message.is_empty() { Err("an empty message".into()) } else { Ok(()) }
}

fn inside(source: &SourceMap, span: Span) -> Result<(), String> {
    match source.text().get(span.start as usize..span.end as usize) {
        Some(_) => Ok(()),
        None => Err(format!("{span:?} is not in\n{}", source.text())),
    }
}

/// Whether `hirace check` runs launches of a file; it must end, and not panic.
pub fn check(file: &str) -> Result<bool, Failed> {
    // Damaged loops often have no end: they need not take long to say so.
    let flags = ["check", file, "--workgroups", "2", "--step-limit", "1000000"];
    let ended = run(&mut hirace(&flags), LIMIT);
    if ended.timed_out {
        return Err(format!("{file} hangs").into());
    }
    match ended.status {
        // Panics of other threads than the main one leave the status as it is: what the standard library says of
        // them is all there is.
        _ if ended.stderr.contains("panicked at") => {}
        Some(0 | 1 | 4) => return Ok(true),
        Some(2 | 3) => return Ok(false),
        _ => {}
    }
    Err(format!("{file}: status {:?}\n{}", ended.status, ended.stderr).into())
}
