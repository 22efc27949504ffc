//! Tests that SPIR-V modules, made by several producers, give the findings of their sources.
//!
//! - Each kernel of `kernels/rules/` through naga's writer, with and without line information: the same verdict, races of the
//!   same kinds on the same variables, and on the same lines if there is line information.
//! - Twins in GLSL (`tests/it/spirv/*.comp`), annotated as the rules are, through glslang and shaderc: with `OpLine`, with
//!   `DebugLine`, optimized, and without lines.
//! - Slang (`tests/it/spirv/*.slang`), annotated in the same way, through slangc.
//! - Modules that only an assembler makes (`tests/it/spirv/*.spvasm`), whose expected findings are at the top of the file.
//!
//! - The same GLSL as text and as modules of several compilers and optimizers (`forms`): the same verdict on the same bindings.
//!
//! Without the tools these trials show as ignored, with the reason.

#[cfg(feature = "glsl")]
mod forms;

use crate::annotations;
use crate::rules;
use crate::support::{hirace, root, run, scratch};
use hirace_testing::Facility;
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in files("kernels/rules", "wgsl") {
        for lines in [true, false] {
            // The race is suppressed by a comment, which a module without lines does not have.
            if !lines && stem(&path) == "allowed.clean" {
                continue;
            }
            let how = if lines { "with_lines" } else { "without_lines" };
            let name = format!("spirv::naga_{how}::{}", stem(&path));
            let path = path.clone();
            trials.push(Trial::test(name, move || by_naga(&path, lines)));
        }
    }
    for path in files("tests/it/spirv", "comp") {
        #[cfg(feature = "glsl")]
        {
            let name = format!("spirv::glsl_itself::{}", stem(&path));
            let path = path.clone();
            trials.push(Trial::test(name, move || glsl_itself(&path)));
        }
        for producer in PRODUCERS {
            let name = format!("{}::{}", producer.name, stem(&path));
            let path = path.clone();
            trials.push(trial(producer.tool, name, move || by_glsl(&path, producer)));
        }
    }
    for path in files("tests/it/spirv", "slang") {
        let name = stem(&path);
        trials.push(trial("slangc", name, move || by_slang(&path)));
    }
    for path in files("tests/it/spirv", "spvasm") {
        let name = format!("assembled::{}", stem(&path));
        let same = path.clone();
        trials.push(trial("spirv-as", name, move || assembled(&path, &[])));
        #[cfg(feature = "gpu")]
        {
            use crate::device;
            let name = format!("assembled_on_a_device::{}", stem(&same));
            let on_device = trial("spirv-as", name, move || {
                assembled(&same, &["--device".to_owned(), device::device_name()])
            });
            trials.push(on_device.needs(device::need()));
        }
    }
    #[cfg(feature = "glsl")]
    trials.extend(forms::trials());
    trials.push(Trial::test("spirv::there_are_at_least_forty_modules", enough));
    trials
}

/// A way to compile GLSL to modules.
struct Producer {
    name: &'static str,
    tool: &'static str,
    flags: &'static [&'static str],
    lines: bool,
}

const PRODUCERS: &[Producer] = &[
    Producer {
        name: "glslang_op_line",
        tool: "glslangValidator",
        flags: &["-V", "-g", "--target-env", "vulkan1.1"],
        lines: true,
    },
    Producer {
        name: "glslang_debug_line",
        tool: "glslangValidator",
        flags: &["-V", "-gVS", "--target-env", "vulkan1.1"],
        lines: true,
    },
    Producer {
        name: "glslang_bare",
        tool: "glslangValidator",
        flags: &["-V", "-g0", "--target-env", "vulkan1.1"],
        lines: false,
    },
    Producer {
        name: "shaderc_lines",
        tool: "glslc",
        flags: &["-g", "--target-env=vulkan1.1"],
        lines: true,
    },
    Producer {
        name: "shaderc_optimized",
        tool: "glslc",
        flags: &["-O", "--target-env=vulkan1.2"],
        lines: false,
    },
];

fn trial(
    tool: &'static str,
    name: String,
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    needing(tool, format!("spirv::{name}"), test)
}

/// Returns a trial that needs a tool.
pub fn needing(
    tool: &'static str,
    name: String,
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    // No package provides slangc.
    let facility = (tool != "slangc").then_some(Facility::SpirvTools);
    Trial::test(name, test).needs(Need::program(tool, facility))
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|of| of == ending))
        .collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn enough() -> Result<(), Failed> {
    let made = files("tests/it/spirv", "spvasm").len()
        + files("tests/it/spirv", "comp").len() * PRODUCERS.len();
    if made >= 40 { Ok(()) } else { Err(format!("only {made} modules were made").into()) }
}

/// The expected or reported texts of a kernel, by line.
type FindingLines = BTreeSet<(u32, String)>;

/// How much of the findings is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ComparisonLevel {
    /// Lines and texts.
    Lines,
    /// Texts only.
    Texts,
    /// Only the memory that races: without line information, reads and writes on one line are several sites.
    Memory,
    /// Only whether there are races: variables have no names.
    Races,
}

impl ComparisonLevel {
    fn of(self, line: u32, text: &str) -> (u32, String) {
        let race = text.split_once(" on ").filter(|_| text.contains("race: "));
        match (self, race) {
            (Self::Lines, _) => (line, text.to_owned()),
            (Self::Memory, Some((_, memory))) => (0, format!("race on {memory}")),
            (Self::Races, Some(_)) => (0, "race".to_owned()),
            _ => (0, text.to_owned()),
        }
    }
}

fn annotated(text: &str, compared: ComparisonLevel) -> FindingLines {
    annotations::all(text).into_iter().map(|note| compared.of(note.line, &note.text)).collect()
}

/// Returns the launch flags in the first line of a fixture.
fn launch<'a>(text: &'a str, comment: &str) -> Result<Vec<&'a str>, Failed> {
    let flags = text.lines().next().and_then(|line| line.strip_prefix(comment));
    let flags = flags.and_then(|line| line.trim().strip_prefix("check: "));
    Ok(flags
        .ok_or("the first line has no flags: expected `// check: FLAGS`")?
        .split_whitespace()
        .collect())
}

/// The outcome of `hirace check` on a module.
struct CheckResult {
    status: Option<i32>,
    said: FindingLines,
    stderr: String,
}

fn check<S: AsRef<str>>(
    module: &Path,
    flags: &[S],
    compared: ComparisonLevel,
) -> Result<CheckResult, Failed> {
    let path = module.display().to_string();
    let flags = flags.iter().map(|flag| flag.as_ref());
    let arguments: Vec<&str> =
        ["check", &path, "--format", "json"].into_iter().chain(flags).collect();
    let ended = run(&mut hirace(&arguments), Duration::from_secs(60));
    let said = match ended.stdout.is_empty() {
        true => FindingLines::new(),
        false => {
            let report: Value = serde_json::from_str(&ended.stdout)?;
            let notes = rules::annotations_of_report(&report)?;
            notes.into_iter().map(|note| compared.of(note.line, &note.text)).collect()
        }
    };
    Ok(CheckResult { status: ended.status, said, stderr: ended.stderr })
}

fn same(expected: &FindingLines, checked: &CheckResult) -> Result<(), Failed> {
    let status = i32::from(expected.iter().any(|(_, text)| !text.starts_with("possible")));
    let status = if status == 0 && !expected.is_empty() { 4 } else { status };
    let missing: Vec<_> = expected.difference(&checked.said).collect();
    let surplus: Vec<_> = checked.said.difference(expected).collect();
    if !missing.is_empty() || !surplus.is_empty() {
        let (missing, surplus) = (format!("{missing:#?}"), format!("{surplus:#?}"));
        return Err(
            format!("not found: {missing}\nnot expected: {surplus}\n{}", checked.stderr).into()
        );
    }
    match checked.status == Some(status) {
        true => Ok(()),
        false => {
            Err(format!("status {:?}, not {status}\n{}", checked.status, checked.stderr).into())
        }
    }
}

/// Checks a WGSL kernel that naga has written as SPIR-V.
fn by_naga(path: &Path, lines: bool) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let words = naga_words(path, &text, lines)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let folder = if lines { "spirv-naga-lines" } else { "spirv-naga" };
    let module = scratch(folder).join(format!("{}.spv", stem(path)));
    std::fs::write(&module, bytes)?;
    let compared = match lines {
        // naga gives a read through a pointer the line on which the pointer was made.
        true if stem(path) != "pointers.racy" => ComparisonLevel::Lines,
        true => ComparisonLevel::Texts,
        false => ComparisonLevel::Memory,
    };
    let expected = match COMPONENTS.contains(&stem(path).as_str()) {
        true => FindingLines::new(),
        false => annotated(&text, compared),
    };
    same(&expected, &check(&module, &launch(&text, "//")?, compared)?)
}

/// Rules for writes of a component that WGSL lets touch the whole vector. In SPIR-V each component is a memory location of its own.
const COMPONENTS: [&str; 3] =
    ["matrix_columns.racy", "vector_component_reads.racy", "vector_components.racy"];

fn naga_words(path: &Path, text: &str, lines: bool) -> Result<Vec<u32>, Failed> {
    use naga::back::spv;
    let parsed =
        hirace::raw::front::wgsl::parse("kernel.wgsl", text).map_err(|e| e.message.clone())?;
    let program = hirace::raw::program::Program::new(&parsed, &Default::default());
    let program = program.map_err(|error| error.message.clone())?;
    // Modules as they were parsed, whose spans are those of the text.
    let (module, info) = (&program.module, &program.info);
    let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let debug_info = spv::DebugInfo {
        source_code: text,
        file_name: &file_name,
        language: spv::SourceLanguage::WGSL,
    };
    let mut flags = spv::WriterFlags::empty();
    flags.set(spv::WriterFlags::DEBUG, true);
    let options = spv::Options {
        lang_version: (1, 3),
        flags,
        debug_info: lines.then_some(debug_info),
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        // A loop that counts to 2^64 terminates, so it needs no bound.
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    Ok(spv::write_vec(module, info, &options, None)?)
}

/// Checks a GLSL kernel through one of the producers.
fn by_glsl(path: &Path, producer: &Producer) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let module = scratch(&format!("spirv-{}", producer.name)).join(format!("{}.spv", stem(path)));
    run_compiler(
        Command::new(producer.tool).args(producer.flags).arg(path).arg("-o").arg(&module),
    )?;
    let flags = launch(&text, "//")?.into_iter();
    let (compared, flags): (ComparisonLevel, Vec<String>) = match producer.lines {
        true => (ComparisonLevel::Lines, flags.map(str::to_owned).collect()),
        // Without line information there are no names either.
        false => (ComparisonLevel::Races, flags.map(|flag| by_binding(flag, &text)).collect()),
    };
    same(&annotated(&text, compared), &check(&module, &flags, compared)?)
}

/// Checks a Slang kernel.
fn by_slang(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let module = scratch("spirv-slang").join(format!("{}.spv", stem(path)));
    let target = ["-target", "spirv", "-g", "-o"];
    run_compiler(Command::new("slangc").arg(path).args(target).arg(&module))?;
    same(
        &annotated(&text, ComparisonLevel::Lines),
        &check(&module, &launch(&text, "//")?, ComparisonLevel::Lines)?,
    )
}

/// Checks a GLSL kernel directly: lines and columns are those of the annotations.
#[cfg(feature = "glsl")]
fn glsl_itself(path: &Path) -> Result<(), Failed> {
    rules::check(path, &[])
}

/// Returns `buffer_0_1=…` for `data=…`, if the text declares `data` with binding 1.
fn by_binding(flag: &str, text: &str) -> String {
    let declares = |line: &&str, name: &str| {
        line.contains(&format!(" {name} {{")) || line.ends_with(&format!("}} {name};"))
    };
    let renamed = flag.split_once('=').and_then(|(name, contents)| {
        let line = text.lines().find(|line| declares(line, name))?;
        let name = match line.split_once("binding = ") {
            Some((_, rest)) => format!("buffer_0_{}", rest.split(')').next()?),
            None => "push_constants".to_owned(),
        };
        Some(format!("{name}={contents}"))
    });
    renamed.unwrap_or_else(|| flag.to_owned())
}

/// Runs a command that makes a file.
pub fn run_compiler(command: &mut Command) -> Result<(), Failed> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = [output.stdout, output.stderr].concat();
            Err(String::from_utf8_lossy(&said).into_owned().into())
        }
    }
}

fn assemble(path: &Path, folder: &str) -> Result<PathBuf, Failed> {
    let module = scratch(folder).join(format!("{}.spv", stem(path)));
    run_compiler(
        Command::new("spirv-as")
            .args(["--target-env", "vulkan1.2"])
            .arg(path)
            .arg("-o")
            .arg(&module),
    )?;
    Ok(module)
}

/// Checks a module that exists as assembly against its expected findings.
fn assembled(path: &Path, device: &[String]) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let flags = launch(&text, ";")?.into_iter().map(str::to_owned).chain(device.iter().cloned());
    // Trials run in parallel.
    let folder = if device.is_empty() { "spirv-assembled" } else { "spirv-assembled-for-a-device" };
    let checked =
        check(&assemble(path, folder)?, &flags.collect::<Vec<_>>(), ComparisonLevel::Texts)?;
    let (mut expected, mut status) = (BTreeSet::new(), None);
    for said in text.lines().filter_map(|line| line.strip_prefix("; expect: ")) {
        if let Some(error) = said.strip_prefix("error ") {
            status = Some(2);
            if !checked.stderr.contains(error) || !checked.stderr.contains("at word") {
                return Err(format!("expected {error:?} in\n{}", checked.stderr).into());
            }
        } else if let Some(warning) = said.strip_prefix("warning ") {
            if !checked.stderr.contains(warning) {
                return Err(format!("expected {warning:?} in\n{}", checked.stderr).into());
            }
        } else if said != "clean" {
            let (possible, race) = match said.strip_prefix("possible ") {
                Some(race) => ("possible ", race),
                None => ("", said),
            };
            let (actions, memory) = race
                .strip_prefix("race ")
                .and_then(|race| race.split_once(" on "))
                .ok_or_else(|| format!("unexpected line {said:?}"))?;
            let (a, b) = actions.split_once('/').ok_or("a race needs two actions")?;
            expected.insert((0, format!("{possible}race: {a}/{b} on {memory}")));
            expected.insert((0, format!("{possible}race: {b}/{a} on {memory}")));
        }
    }
    match status {
        Some(status) if checked.status == Some(status) => Ok(()),
        Some(status) => {
            Err(format!("status {:?}, not {status}\n{}", checked.status, checked.stderr).into())
        }
        None => same(&expected, &checked),
    }
}

/// Returns the modules to damage: rules as naga writes them, and the assembly files if an assembler is available.
pub fn modules() -> Result<Vec<Vec<u8>>, Failed> {
    let mut modules = Vec::new();
    for path in files("kernels/rules", "wgsl").into_iter().step_by(5) {
        let text = std::fs::read_to_string(&path)?;
        for lines in [true, false] {
            let words = naga_words(&path, &text, lines)?;
            modules.push(words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
        }
    }
    if Command::new("spirv-as").arg("--version").output().is_ok() {
        for path in files("tests/it/spirv", "spvasm") {
            modules.push(std::fs::read(assemble(&path, "spirv-to-damage")?)?);
        }
    }
    Ok(modules)
}
