//! Tests of programs that read reports: the problem matcher for VS Code that `docs/` offers, and services that identify a file
//! by its path from the root of the repository.

use crate::support::{ProgramOutput, create_empty_folder, hirace, root, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use regex_lite::{Captures, Regex};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const RACY: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[0] = id.x;
}
";

/// A kernel whose race depends on the contents of `places`.
const POSSIBLE: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[places[id.x]] = id.x;
}
";

const BROKEN: &str = "@compute @workgroup_size(8)\nfn main() {\n    data[0] = 1u;\n}\n";

const CONFIG: &str = "
[[file]]
path = \"shaders/racy.wgsl\"
[[file]]
path = \"shaders/possible one.wgsl\"
";

const LIMIT: Duration = Duration::from_secs(60);

type Test = fn(&Path) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("the_problem_matcher_finds_what_the_text_says", problems),
    ("files_are_named_from_the_folder_that_the_command_runs_in", names),
    #[cfg(unix)]
    ("a_name_of_a_file_stays_on_its_line", hostile_names),
    #[cfg(unix)]
    ("the_hook_takes_a_file_named_like_an_option_for_a_file", hook),
];

/// Returns the trials, each with its own folder of shaders.
pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("consumers::{name}"), move || {
            let folder = scratch("consumers").join(name);
            std::fs::create_dir_all(folder.join("shaders"))?;
            for (file, text) in [("racy", RACY), ("possible one", POSSIBLE)] {
                std::fs::write(folder.join(format!("shaders/{file}.wgsl")), text)?;
            }
            test(&folder)
        })
    };
    TESTS.iter().map(trial).collect()
}

fn check(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(&[&["check"], arguments].concat()).current_dir(folder), LIMIT)
}

fn problems(folder: &Path) -> Result<(), Failed> {
    std::fs::write(folder.join("shaders/broken.wgsl"), BROKEN)?;
    let tasks = std::fs::read_to_string(root().join("docs/book/guide/vscode-tasks.json"))?;
    let tasks: Value = serde_json::from_str(&tasks)?;
    let tasks = tasks["tasks"].as_array().ok_or("no tasks")?;
    for task in tasks {
        let matcher = Matcher::new(&task["problemMatcher"]["pattern"])?;
        let arguments: Vec<&str> = task["args"]
            .as_array()
            .ok_or("no arguments")?
            .iter()
            .filter_map(Value::as_str)
            .map(|argument| if argument == "${relativeFile}" { "shaders" } else { argument })
            .collect();
        let ended = run(hirace(&arguments).current_dir(folder), LIMIT);
        // A terminal shows both streams.
        let shown = format!("{}{}", ended.stdout, ended.stderr);
        let mut found: Vec<String> = matcher.problems(&shown);
        found.sort();
        let expected = [
            "error  shaders/broken.wgsl:3:5 no definition in scope for identifier: `data`",
            "error HR001 shaders/racy.wgsl:4:5 data race on `data[0]` (storage memory)",
            "warning HR001 shaders/possible one.wgsl:5:5 possible data race on `data[0]` (storage memory)",
        ];
        if found != expected {
            return Err(format!("{found:#?}\n{shown}").into());
        }
    }
    if tasks.len() == 2 { Ok(()) } else { Err("expected two tasks".into()) }
}

fn names(folder: &Path) -> Result<(), Failed> {
    let named = |arguments: &[&str]| -> Result<Vec<String>, Failed> {
        let ended = check(folder, &[arguments, &["--format", "sarif"]].concat());
        let log: Value = serde_json::from_str(&ended.stdout)?;
        let results = log["runs"][0]["results"].as_array().ok_or("no results")?;
        let place = |result: &Value| {
            let place = &result["locations"][0]["physicalLocation"];
            place["artifactLocation"]["uri"].as_str().map(str::to_owned)
        };
        let mut names: Vec<String> = results.iter().filter_map(place).collect();
        names.sort();
        Ok(names)
    };
    let expected = ["shaders/possible%20one.wgsl", "shaders/racy.wgsl"];
    std::fs::write(folder.join("hirace.toml"), CONFIG)?;
    let absolute = folder.canonicalize()?;
    for arguments in [&[][..], &["shaders"], &["."], &["./shaders"], &[&absolute.to_string_lossy()]]
    {
        let names = named(arguments)?;
        if names != expected {
            return Err(format!("{arguments:?}: {names:?}").into());
        }
    }
    // Files outside the repository are named as they were given.
    let elsewhere = run(
        hirace(&["check", &folder.join("shaders/racy.wgsl").to_string_lossy()])
            .current_dir(root().join("docs")),
        LIMIT,
    );
    let name = folder.join("shaders/racy.wgsl:4:5");
    match elsewhere.stdout.contains(&*name.to_string_lossy()) {
        true => Ok(()),
        false => Err(format!("{elsewhere:#?}").into()),
    }
}

/// A multi-line problem matcher with the semantics of VS Code: each pattern has to match the line after the previous one.
struct Matcher {
    patterns: Vec<(Regex, Value)>,
}

impl Matcher {
    fn new(patterns: &Value) -> Result<Self, Failed> {
        let compiled = |pattern: &Value| {
            let text = pattern["regexp"].as_str().ok_or("no pattern")?;
            Ok::<_, Failed>((Regex::new(text)?, pattern.clone()))
        };
        let patterns = patterns.as_array().ok_or("no patterns")?.iter().map(compiled);
        Ok(Self { patterns: patterns.collect::<Result<_, _>>()? })
    }

    /// Returns the severity, code, location and message of each problem.
    fn problems(&self, text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let windows = lines.windows(self.patterns.len());
        windows.filter_map(|window| self.problem(window)).collect()
    }

    fn problem(&self, lines: &[&str]) -> Option<String> {
        let matched: Vec<Captures<'_>> = self
            .patterns
            .iter()
            .zip(lines)
            .map(|((regex, _), line)| regex.captures(line))
            .collect::<Option<_>>()?;
        let part = |name: &str| {
            let parts = self.patterns.iter().zip(&matched).find_map(|((_, pattern), captures)| {
                let group = usize::try_from(pattern[name].as_u64()?).ok()?;
                Some(captures.get(group).map_or("", |group| group.as_str()))
            });
            parts.unwrap_or("")
        };
        let [severity, code, message] = ["severity", "code", "message"].map(part);
        let [file, line, column] = ["file", "line", "column"].map(part);
        Some(format!("{severity} {code} {file}:{line}:{column} {message}"))
    }
}

/// File names with line breaks, commands of GitHub's logs and terminal escape sequences, in each format and verb that prints
/// names.
#[cfg(unix)]
fn hostile_names(folder: &Path) -> Result<(), Failed> {
    let folder = create_empty_folder(folder.join("hostile"))?;
    let texts = [("racy", RACY), ("broken", BROKEN)];
    for (n, (kind, text)) in texts.into_iter().enumerate() {
        let names = [
            format!("{kind}\n::stop-commands::{n}.wgsl"),
            format!("{kind}\r::error::{n}.wgsl"),
            format!("{kind}\n~~~~~~~~\n{n}.wgsl"),
            format!("{kind}\u{1b}[2J{n}.wgsl"),
        ];
        for name in names {
            std::fs::write(folder.join(name), text)?;
        }
    }
    let forms = ["text", "github", "json", "sarif"];
    let checks = forms.map(|form| vec!["check", ".", "--format", form]);
    let others = [vec!["cover", "."], vec!["check", ".", "--report", "text=report.txt", "-q"]];
    for arguments in checks.into_iter().chain(others) {
        let ended = run(hirace(&arguments).current_dir(&folder), LIMIT);
        let report = std::fs::read_to_string(folder.join("report.txt")).unwrap_or_default();
        let shown = format!("{}\n{}\n{report}", ended.stdout, ended.stderr);
        let is_command = |line: &str| {
            line.starts_with("::stop") || line.starts_with("::error::") || line.starts_with("~~~~")
        };
        if shown.contains(['\r', '\u{1b}']) || shown.lines().any(is_command) {
            return Err(format!("{arguments:?}: {shown}").into());
        }
        assert!(shown.contains("stop-commands"), "{arguments:?}: {shown}");
    }
    Ok(())
}

/// A file whose name is an option that would make the check pass.
#[cfg(unix)]
fn hook(folder: &Path) -> Result<(), Failed> {
    let folder = create_empty_folder(folder.join("hook"))?;
    let name = "--baseline=b.wgsl";
    std::fs::write(folder.join(name), RACY)?;
    std::fs::write(folder.join("b.wgsl"), RACY)?;
    let binaries = Path::new(env!("CARGO_BIN_EXE_hirace")).parent().ok_or("a folder")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&path);
    let path = std::env::join_paths(std::iter::once(binaries.to_path_buf()).chain(paths))?;
    let mut command = std::process::Command::new(root().join("scripts/pre-commit.sh"));
    command.args([name, "b.wgsl"]).current_dir(&folder).env("PATH", path);
    let ended = run(&mut command, LIMIT);
    let named = ended.stdout.matches(&format!("--> {name}")).count();
    if ended.status == Some(1) && named > 0 { Ok(()) } else { Err(format!("{ended:?}").into()) }
}
