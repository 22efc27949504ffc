//! The stages that an input passes through: a front end, and a verb.

use crate::support::{bounded_command, run};
use hirace::raw::diagnostic::{Diagnostic, Result as Diagnosed};
use hirace::raw::front::{self, Kind, ParsedModule};
use hirace::raw::program::Program;
use hirace::raw::source_map::{SourceMap, Span};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

/// The time after which a check counts as hanging: it has its own limits of steps and seconds, and a machine may be busy.
const LIMIT: Duration = Duration::from_secs(120);
/// The maximum memory for an input.
pub const MEMORY: u64 = 1 << 30;
/// The time limit of a check whose arguments may ask for any duration.
const LIMIT_OF_REQUESTED: Duration = Duration::from_secs(30);

/// Returns whether the front end makes a program of all of an input. In either case spans must lie within the text.
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

/// Returns the programs of an input: a Rust file has one for each monitored item.
fn programs(name: &str, input: &[u8]) -> Vec<Diagnosed<Program>> {
    let program = |parsed: ParsedModule| Program::new(&parsed, &Default::default());
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
        inside(diagnostic.source_map.as_ref().ok_or("labels without a source text")?, *span)?;
    }
    // Panics in naga are tolerated; a panic in hirace is a failure.
    let ours = diagnostic.message.starts_with("hirace failed");
    match diagnostic.message.is_empty() || ours {
        true => Err(format!("`{}`: {:?}", diagnostic.message, diagnostic.notes)),
        false => Ok(()),
    }
}

fn inside(source: &SourceMap, span: Span) -> Result<(), String> {
    match source.text().get(span.start as usize..span.end as usize) {
        Some(_) => Ok(()),
        None => Err(format!("{span:?} is not in\n{}", source.text())),
    }
}

/// The time that a check may take.
#[derive(Clone, Copy)]
pub enum TimeLimit {
    /// This much more than the usual limit.
    Extended(Duration),
    /// Any time: its arguments give the duration, which need not be sensible.
    Unlimited,
}

/// Returns whether `hirace` with these arguments, in this folder, accepts its input. It must not panic, must end in its time, and must
/// not take more than [`MEMORY`].
pub fn command(folder: &Path, arguments: &[&str], time: TimeLimit) -> Result<bool, String> {
    let mut command = bounded_command(Path::new(env!("CARGO_BIN_EXE_hirace")), arguments);
    let (limit, long) = match time {
        TimeLimit::Extended(more) => (LIMIT + more, false),
        TimeLimit::Unlimited => (LIMIT_OF_REQUESTED, true),
    };
    let ended = run(command.current_dir(folder), limit);
    match ended.status {
        // Panics of threads other than the main one do not change the status: the standard library's message is the only sign of
        // them.
        _ if ended.stderr.contains("panicked at") => {}
        _ if ended.peak_memory > MEMORY => {
            return Err(format!("takes {} MiB of memory", ended.peak_memory >> 20));
        }
        _ if ended.timed_out && long => return Ok(true),
        _ if ended.timed_out => return Err("hangs".into()),
        Some(0 | 1 | 4) => return Ok(true),
        Some(2 | 3) => return Ok(false),
        _ => {}
    }
    Err(format!("status {:?}\n{}", ended.status, ended.stderr))
}
