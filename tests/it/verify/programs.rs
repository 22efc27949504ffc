//! Tests of the programs of `kernels/src/verify/`, each with the verdict in its mark, and of
//! `docs/evaluation/verify-programs.md`, which shows all of them. A program that is marked `long` runs in the ci tier.
//!
//! `--bless` writes the page's table. Times and memory are not changed, unless `HIRACE_RELEASE` names the command with which
//! they are measured.

use super::{Test, kinds};
use crate::support::{hirace, root, run};
use hirace_testing::{Tier, check_up_to_date, runs};
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const TESTS: &[(&str, Test)] =
    &[("programs_have_the_verdicts_of_their_marks", programs_have_the_verdicts_of_their_marks)];

/// A line of the table: a program on a grid.
pub struct Row {
    pub file: PathBuf,
    pub kernel: String,
    pub name: String,
    /// The number of workgroups, and of invocations in each.
    pub grid: [String; 2],
    pub model: String,
    pub expected: String,
    pub is_repaired: bool,
    is_long: bool,
}

impl Row {
    /// Returns the row of a mark, without the kernel that follows it.
    fn of(mark: &str, file: &Path) -> Option<Self> {
        let mut words = mark.split_whitespace().map(str::to_owned);
        let (name, grid) = (words.next()?, words.next()?);
        let (workgroups, size) = grid.split_once('x')?;
        let [model, expected] = [words.next()?, words.next()?];
        let rest: Vec<String> = words.collect();
        let is = |word: &str| rest.iter().any(|of| of == word);
        Some(Self {
            file: file.to_path_buf(),
            kernel: String::new(),
            name,
            grid: [workgroups.to_owned(), size.to_owned()],
            model,
            expected,
            is_repaired: is("repaired"),
            is_long: is("long"),
        })
    }

    /// Returns the first cells of its line.
    fn key(&self) -> [String; 3] {
        [self.name.clone(), self.grid.join(","), self.model.clone()]
    }

    /// Runs the command on the program, and returns the JSON.
    fn explored(&self, command: &mut Command) -> Result<Value, Failed> {
        let file = self.file.display().to_string();
        let size = format!("SIZE={}", self.grid[1]);
        command.args(["verify", &file, "--entry", &self.kernel, "--workgroups", &self.grid[0]]);
        command.args(["--override", &size, "--model", &self.model, "--max-invocations", "256"]);
        command.args(["--jobs", "1", "--format", "json"]);
        let ended = run(command, Duration::from_secs(if self.is_long { 1_800 } else { 60 }));
        let explained = |error| format!("{}: {error}: {}", self.name, ended.stderr);
        Ok(serde_json::from_str(&ended.stdout).map_err(explained)?)
    }
}

/// Returns the rows of all marks, by file.
pub fn rows() -> Result<Vec<Row>, Failed> {
    let folder = root().join("kernels/src/verify");
    let entries = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    files.sort();
    let mut rows: Vec<Row> = Vec::new();
    for file in files {
        let first = rows.len();
        for line in fs::read_to_string(&file)?.lines().map(str::trim) {
            if let Some(mark) = line.strip_prefix("// verify: ") {
                rows.push(Row::of(mark, &file).ok_or(format!("{}: {mark}", file.display()))?);
            } else if let Some((name, _)) =
                line.strip_prefix("pub fn ").and_then(|rest| rest.split_once('('))
            {
                let waiting = rows.iter_mut().skip(first).filter(|row| row.kernel.is_empty());
                waiting.for_each(|row| name.clone_into(&mut row.kernel));
            }
        }
        if rows.len() == first || rows.iter().any(|row| row.kernel.is_empty()) {
            return Err(
                format!("{} has a kernel without a mark, or the reverse", file.display()).into()
            );
        }
    }
    Ok(rows)
}

/// The results in the paper for a program on a grid: GPUMC, and Dartagnan. R: a race was found; NR: none.
const PAPER: &str = include_str!("programs/paper.txt");

fn paper() -> BTreeMap<(String, String), [String; 2]> {
    let lines = PAPER.lines().filter(|line| !line.starts_with('#'));
    let cells = lines.map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect());
    let rows = cells.filter_map(|cells: Vec<String>| match &cells[..] {
        [name, grid, first, second] => {
            Some(((name.clone(), grid.clone()), [first.clone(), second.clone()]))
        }
        _ => None,
    });
    rows.collect()
}

fn programs_have_the_verdicts_of_their_marks(_: &Path) -> Result<(), Failed> {
    let page = root().join("docs/evaluation/verify-programs.md");
    let text = fs::read_to_string(&page)?;
    let known: BTreeMap<[String; 3], [String; 4]> = text.lines().filter_map(cells).collect();
    let release = std::env::var_os("HIRACE_RELEASE");
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    let paper = paper();
    for row in rows()? {
        let none = || ["–"; 4].map(str::to_owned);
        let mut own = known.get(&row.key()).cloned().unwrap_or_else(none);
        if !row.is_long || runs(Tier::Ci) {
            let mut command = match &release {
                Some(release) => Command::new(release),
                None => hirace::<&str>(&[]),
            };
            let json = row.explored(&mut command)?;
            let verdict = json["verdict"].as_str().unwrap_or_default();
            let found = kinds(&json).first().copied().unwrap_or(verdict).to_owned();
            if found != row.expected {
                wrong.push(format!("{:?} is expected to be {}: {json}", row.key(), row.expected));
            }
            own[0] = found;
            own[1] = json["executions"].to_string();
            if release.is_some() {
                let seconds = json["timing"]["seconds"].as_f64().unwrap_or_default();
                let bytes = json["timing"]["memory"].as_f64().unwrap_or_default();
                own[2] = format!("{seconds:.3}");
                own[3] = format!("{:.0}", bytes / 1e6);
            }
        }
        let theirs = paper.get(&(row.name.clone(), row.grid.join(",")));
        let theirs = theirs.cloned().unwrap_or_default();
        lines.push(format!("| {} |", [&row.key()[..], &own, &theirs].concat().join(" | ")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines.len() > 60, "{} rows", lines.len());
    let is_row = |line: &&str| cells(line).is_some();
    let before: Vec<&str> = text.lines().take_while(|line| !is_row(line)).collect();
    let after: Vec<&str> =
        text.lines().skip_while(|line| !is_row(line)).skip_while(is_row).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let new = [before, lines, after].concat().join("\n") + "\n";
    Ok(check_up_to_date(&page, &new)?)
}

/// Returns the key cells of a line of the table, and the cells of hirace's results.
fn cells(line: &str) -> Option<([String; 3], [String; 4])> {
    let cells: Vec<String> =
        line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").map(str::to_owned).collect();
    let [name, grid, model, verdict, executions, time, memory, ..] = &cells[..] else {
        return None;
    };
    let is_row =
        grid.split_once(',').is_some_and(|(a, b)| [a, b].iter().all(|n| n.parse::<u32>().is_ok()));
    let key = [name, grid, model].map(String::clone);
    is_row.then(|| (key, [verdict, executions, time, memory].map(String::clone)))
}
