//! What an input goes through: a front end, and `hirace check`.

use crate::support::{bounded, run};
use hirace::raw::diagnostic::{Diagnostic, Result as Diagnosed};
use hirace::raw::front::{self, Kind, Parsed};
use hirace::raw::program::Program;
use hirace::raw::source_map::{SourceMap, Span};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

/// A check that takes longer hangs: it has its own limit of steps and seconds, and a machine may be busy.
const LIMIT: Duration = Duration::from_secs(120);
/// One that was told to take its time has this.
const ASKED: Duration = Duration::from_secs(30);

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
    // Panics of naga are its own; those of hirace are not to be reported by users.
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

/// How long a check may take.
#[derive(Clone, Copy)]
pub enum Time {
    /// So much more than any.
    More(Duration),
    /// Its arguments say how long, and need not be sensible.
    AsItLikes,
}

/// Whether `hirace check` with these arguments, in this folder, runs launches. It must not panic, and must end in its time.
pub fn check(folder: &Path, arguments: &[&str], time: Time) -> Result<bool, String> {
    let all = [&["check"], arguments].concat();
    let mut command = bounded(Path::new(env!("CARGO_BIN_EXE_hirace")), &all);
    let (limit, long) = match time {
        Time::More(more) => (LIMIT + more, false),
        Time::AsItLikes => (ASKED, true),
    };
    let ended = run(command.current_dir(folder), limit);
    match ended.status {
        // Panics of other threads than the main one leave the status as it is: what the standard library says of
        // them is all there is.
        _ if ended.stderr.contains("panicked at") => {}
        _ if ended.timed_out && long => return Ok(true),
        _ if ended.timed_out => return Err("hangs".into()),
        Some(0 | 1 | 4) => return Ok(true),
        Some(2 | 3) => return Ok(false),
        _ => {}
    }
    Err(format!("status {:?}\n{}", ended.status, ended.stderr))
}
