//! Tests features of SPIR-V modules that compilers make and that naga does not read (`tests/it/spirv_features/*.comp`): each
//! shader is checked as text, and as modules that glslang makes of it, as they are and optimized. The comments at the top of each
//! file give the launch and what must be found: the rule, the certainty, the variable and the lines of each finding, or an error.

use crate::spirv::{needing, run_compiler};
use crate::support::{hirace, root, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in files() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for form in [Form::Text, Form::AsCompiled, Form::Optimized] {
            // The optimizer also rejects some of what hirace rejects, and some modules that glslang makes.
            let is_kept = name.ends_with(".refused") || is_not_optimized(&path);
            if form == Form::Optimized && is_kept {
                continue;
            }
            let (path, name) = (path.clone(), name.clone());
            let title = format!("spirv_features::{}::{name}", form.name());
            trials.push(needing("glslangValidator", title, move || check(&path, &name, form)));
        }
    }
    let title = "spirv_features::modules_without_compute_are_passed_over".to_owned();
    trials.push(needing("glslangValidator", title, passed_over));
    trials
}

/// Returns whether the file says that the optimizer rejects its module.
fn is_not_optimized(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().any(|line| line.starts_with("// not optimized: "))
}

/// The form in which a shader is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    AsCompiled,
    Optimized,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "as_text",
            Self::AsCompiled => "as_compiled",
            Self::Optimized => "optimized",
        }
    }
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("tests/it/spirv_features")).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// A finding, as far as it is compared: `HR001 certain tile lines 8,9`.
type Findings = BTreeSet<String>;

fn check(path: &Path, name: &str, form: Form) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let about = |key: &str| {
        let key = format!("// {key}: ");
        text.lines().filter_map(move |line| line.strip_prefix(&key).map(str::to_owned))
    };
    let target = about("target").next().unwrap_or_else(|| "vulkan1.1".to_owned());
    let module = scratch(&format!("spirv_features/{}", form.name())).join(format!("{name}.spv"));
    if form != Form::Text {
        compile(path, &module, &target)?;
    }
    if form == Form::Optimized {
        let flags =
            ["-O", "--scalar-block-layout", &format!("--target-env={target}")].map(str::to_owned);
        run_compiler(Command::new("spirv-opt").args(flags).arg(&module).arg("-o").arg(&module))?;
    }
    let flags = about("check").next().ok_or("the file gives no launch")?;
    let shown = if form == Form::Text { path } else { &module }.display().to_string();
    let mut arguments = vec!["check", &shown, "--format", "json"];
    if form == Form::Text && about("target").next().is_some() {
        arguments.extend(["--target-env", &target]);
    }
    arguments.extend(flags.split_whitespace());
    let ended = run(&mut hirace(&arguments), Duration::from_secs(60));
    let report: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}: {}\n{}", ended.stdout, ended.stderr))?;
    for said in about("says") {
        if !ended.stdout.contains(&said) {
            return Err(format!("{said:?} is not in {}", ended.stdout).into());
        }
    }
    let mut expected: Findings = about("expect").filter(|line| line != "clean").collect();
    let error = expected.iter().find_map(|line| line.strip_prefix("error ").map(str::to_owned));
    if let Some(error) = error {
        let messages = report["errors"].to_string();
        let matches = ended.status == Some(2) && messages.contains(&error);
        return if matches { Ok(()) } else { Err(format!("{error:?}: {messages}").into()) };
    }
    let mut found = findings(&report);
    if form == Form::Optimized {
        // The optimizer moves lines.
        let without = |all: Findings| -> Findings {
            all.iter().filter_map(|line| Some(line.split_once(" lines ")?.0.to_owned())).collect()
        };
        (expected, found) = (without(expected), without(found));
    }
    match expected == found && report["errors"].as_array().is_some_and(Vec::is_empty) {
        true => Ok(()),
        false => {
            let errors = &report["errors"];
            Err(format!("expected {expected:#?}\nfound {found:#?}\nerrors {errors}").into())
        }
    }
}

fn compile(from: &Path, to: &Path, target: &str) -> Result<(), Failed> {
    let mut command = Command::new("glslangValidator");
    run_compiler(command.args(["-V", "-g", "--target-env", target]).arg(from).arg("-o").arg(to))
}

/// Returns the findings of a report.
fn findings(report: &Value) -> Findings {
    let launches = report["launches"].as_array().into_iter().flatten();
    let all = launches.flat_map(|launch| launch["findings"].as_array().into_iter().flatten());
    let shown = |finding: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let places = finding["accesses"].as_array().into_iter().flatten();
        let lines: BTreeSet<u64> = places.filter_map(|place| place["line"].as_u64()).collect();
        let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
        let variable = text(&finding["memory"]["variable"]);
        let (rule, certainty) = (text(&finding["rule"]), text(&finding["certainty"]));
        format!("{rule} {certainty} {variable} lines {}", lines.join(","))
    };
    all.map(shown).collect()
}

/// A folder may contain modules of other stages, which may use what hirace rejects in kernels.
fn passed_over() -> Result<(), Failed> {
    let folder = scratch("spirv-features-folder");
    let vertex = folder.join("addresses.vert");
    std::fs::write(
        &vertex,
        "#version 450
         #extension GL_EXT_buffer_reference : require
         layout(buffer_reference, std430) buffer Points { vec4 points[]; };
         layout(push_constant) uniform Pointers { Points points; };
         void main() { gl_Position = points.points[gl_VertexIndex]; }",
    )?;
    compile(&vertex, &folder.join("addresses.spv"), "vulkan1.2")?;
    let kernel = root().join("tests/it/spirv_features/image_array.clean.comp");
    compile(&kernel, &folder.join("kernel.spv"), "vulkan1.1")?;
    std::fs::remove_file(&vertex)?;
    let shown = folder.display().to_string();
    let arguments = ["check", &shown, "--workgroups", "1", "--format", "json"];
    let ended = run(&mut hirace(&arguments), Duration::from_secs(60));
    let report: Value = serde_json::from_str(&ended.stdout)?;
    let launches = report["launches"].as_array().map_or(0, Vec::len);
    match (ended.status, launches) {
        (Some(0), 1) => Ok(()),
        _ => Err(format!("{:?}\n{}\n{}", ended.status, ended.stdout, ended.stderr).into()),
    }
}
