//! Tests that tint, the WGSL compiler of Chrome, accepts the WGSL of kernels in Rust, and accepts what the monitor pass makes of
//! programs that tint accepts; and that hirace warns of the kernels that tint rejects for their control flow.

mod uniformity;

use crate::rust;
use crate::support::{root, scratch};
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::front::rust::parse_file;
use hirace::raw::front::{ParsedModule, wgsl};
use hirace::raw::pass::monitor::{Options, monitor};
use hirace::raw::pass::target_first::{OrderingTechnique, target_first};
use hirace::raw::program::Program;
use hirace::raw::shadow::plan::Table;
use hirace::raw::watch::{Scope, WatchOptions, WatchPlan};
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

/// A kernel with every kind of access and barrier. Lines that tint does not know are marked.
const EVERYTHING: &str =
    include_str!("../../hirace-program/src/pass/monitor/tests/everything.wgsl");

/// Statements that only naga knows.
const NAGA_ONLY: &[&str] = &["subgroupBarrier();"];

/// The value of every const parameter of a kernel.
const VALUE: u32 = 8;

/// The number of random functions in Rust that tint is given.
const RANDOM: u64 = 100;

type Test = fn() -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("tint takes every instrumented access", takes_every_access),
    ("tint takes entry points in which one workgroup goes first", takes_target_first),
    ("tint takes the kernels in Rust", takes_kernels),
    ("tint takes random functions in Rust", takes_random_functions),
    ("tint rejects random kernels of which hirace warns", uniformity::agrees),
];

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial =
        |&(name, test): &(&str, Test)| Trial::test(name, test).needs(Need::program("tint", None));
    TESTS.iter().map(trial).collect()
}

fn takes_every_access() -> Result<(), Failed> {
    let lines = EVERYTHING.lines().filter(|line| !line.ends_with("// naga only"));
    let text = lines.collect::<Vec<_>>().join("\n");
    takes(&text)?;
    let parsed = wgsl::parse("everything.wgsl", &text).map_err(explain)?;
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(explain)?;
    let everything = WatchOptions { scope: Scope::Accessed, ..WatchOptions::default() };
    let watch = WatchPlan::of_all(&program, &everything);
    for table in [Table::Buffer, Table::Private, Table::Constant, Table::Computed] {
        for (workgroup_memory, shared_slots) in [(32768, false), (0, false), (0, true)] {
            let of_slots = Options { shared_slots, trails: shared_slots, ..Options::default() };
            let options = Options { table, workgroup_memory, ..of_slots };
            let monitored = monitor(&program, &watch, &options).map_err(explain)?;
            takes(&monitored.wgsl().map_err(explain)?)?;
        }
    }
    Ok(())
}

/// Entry points with every way to get ids, and every way to terminate.
const ENTRIES: &str = include_str!("../../hirace-program/src/pass/target_first/tests/entries.wgsl");

fn takes_target_first() -> Result<(), Failed> {
    takes(ENTRIES)?;
    let parsed = wgsl::parse("entries.wgsl", ENTRIES).map_err(explain)?;
    for means in OrderingTechnique::ALL {
        takes(&with_target(&parsed, means)?)?;
    }
    Ok(())
}

fn takes_kernels() -> Result<(), Failed> {
    let (mut wrong, mut taken) = (String::new(), 0);
    for path in files_of_kernels()? {
        let name = path.strip_prefix(root().join("kernels/src"))?.display().to_string();
        let text = std::fs::read_to_string(&path)?;
        if !text.lines().any(|line| line.starts_with("#[hirace::monitor")) {
            continue;
        }
        let file = parse_file(&name, &text).map_err(explain)?;
        let mut programs = Vec::new();
        for parsed in file.items {
            programs.push(parsed.map_err(explain)?);
        }
        for generic in &file.generic {
            let values = vec![VALUE; generic.parameters.len()];
            programs.push(generic.instance(&file.source, &values).map_err(explain)?);
        }
        for parsed in programs.iter().filter(|parsed| !is_wide(parsed)) {
            taken += 1;
            let first = with_target(parsed, OrderingTechnique::WaitForTarget)?;
            for text in [parsed.wgsl().text(), &instrumented(parsed)?, &first] {
                if let Some(refusal) = refusal("kernels", text)? {
                    writeln!(wrong, "{name}: {refusal}")?;
                }
            }
        }
    }
    if wrong.is_empty() && taken > 100 { Ok(()) } else { Err(format!("{taken}: {wrong}").into()) }
}

/// Returns whether a program has 64-bit integers, which are naga's extension of WGSL.
fn is_wide(parsed: &ParsedModule) -> bool {
    let types = parsed.module.types.iter();
    types.filter_map(|(_, ty)| ty.inner.scalar()).any(|scalar| scalar.width == 8)
}

fn takes_random_functions() -> Result<(), Failed> {
    for text in rust::random_kernels(RANDOM) {
        // A function that is rejected by the front end has no WGSL.
        for parsed in parse_file("random.rs", &text).map_err(explain)?.items.into_iter().flatten() {
            if let Some(refusal) = refusal("random", parsed.wgsl().text())? {
                return Err(format!("{refusal}\n{text}").into());
            }
        }
    }
    Ok(())
}

fn files_of_kernels() -> Result<Vec<PathBuf>, Failed> {
    let mut files = Vec::new();
    for folder in ["", "constructs", "parboil", "polybench", "rodinia"] {
        for entry in std::fs::read_dir(root().join("kernels/src").join(folder))? {
            files.push(entry?.path());
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    Ok(files)
}

/// Returns the WGSL of a program with the monitor in it.
fn instrumented(parsed: &ParsedModule) -> Result<String, Failed> {
    let program = Program::new(parsed, &BTreeMap::new()).map_err(explain)?;
    let watch = WatchPlan::of_all(&program, &WatchOptions::default());
    let monitored = monitor(&program, &watch, &Options::default()).map_err(explain)?;
    Ok(monitored.wgsl().map_err(explain)?)
}

/// Returns the WGSL of a program in which one workgroup runs first.
fn with_target(parsed: &ParsedModule, means: OrderingTechnique) -> Result<String, Failed> {
    let program = Program::new(parsed, &BTreeMap::new()).map_err(explain)?;
    let entries: Vec<usize> = (0..program.module.entry_points.len()).collect();
    let made = target_first(&program, &entries, means).map_err(explain)?;
    Ok(made.derived.wgsl().map_err(explain)?)
}

fn explain(error: Box<Diagnostic>) -> String {
    format!("{error} {:?}", error.notes)
}

/// Fails with tint's errors if it rejects a text.
pub fn takes(text: &str) -> Result<(), Failed> {
    match refusal("everything", text)? {
        None => Ok(()),
        Some(refusal) => Err(format!("{refusal}\n{text}").into()),
    }
}

/// Returns tint's errors in a text, `None` if tint accepts it. `asks` names the file, so that concurrent callers need different
/// names.
fn refusal(asks: &str, text: &str) -> Result<Option<String>, Failed> {
    let file = scratch("tint").join(format!("{asks}.wgsl"));
    let known = |line: &&str| !NAGA_ONLY.contains(&line.trim());
    let text = text.lines().filter(known).collect::<Vec<_>>().join("\n");
    // naga has subgroups enabled by default, and rejects the directive that enables them.
    let subgroups = text.contains("subgroup") || text.contains("quadSwap");
    let enable = if subgroups { "enable subgroups;\n" } else { "" };
    std::fs::write(&file, format!("{enable}{text}"))?;
    let output = Command::new("tint").args(["--format", "wgsl"]).arg(&file).output()?;
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((!output.status.success()).then(said))
}
