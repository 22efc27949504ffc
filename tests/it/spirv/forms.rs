//! Tests that the form in which a GLSL kernel is given does not matter: as text, as a module with debug information, and as
//! optimized modules, which have neither names nor lines. The verdict is the same, on the same bindings.

use super::{by_binding, files, launch, needing, run_compiler, stem};
use crate::support::{hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

pub fn trials() -> Vec<Trial> {
    let folders = ["tests/it/spirv", "tests/it/verify/sources", "hirace-program/tests/fixtures"];
    let kernels = folders.into_iter().flat_map(|folder| files(folder, "comp"));
    // Optimizers compute the pointer of the lock in its loop, and use it after the loop, which naga does not support.
    let kernels = kernels.filter(|path| !stem(path).ends_with("_lock"));
    let trial = |path: PathBuf| {
        let name = format!("spirv::forms::{}", stem(&path));
        needing("spirv-opt", name, move || all_forms(&path))
    };
    kernels.map(trial).collect()
}

/// The outcome of a check: the exit status, and the memory of its findings by binding.
#[derive(Debug, PartialEq, Eq)]
struct Verdict {
    status: Option<i32>,
    memory: BTreeSet<(String, String)>,
}

fn all_forms(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let flags: Vec<String> = match text.starts_with("// check: ") {
        true => launch(&text, "//")?.into_iter().map(str::to_owned).collect(),
        false => vec!["--workgroups".to_owned(), "2".to_owned()],
    };
    let unnamed: Vec<String> = flags.iter().map(|flag| by_binding(flag, &text)).collect();
    let expected = verdict(path, &flags)?;
    let folder = scratch("spirv-forms");
    let module = |form: &str| folder.join(format!("{}.{form}.spv", stem(path)));
    let [debug, small, optimized] = [module("g"), module("glslc"), module("opt")];
    let target = ["--target-env", "vulkan1.2"];
    let mut compile = Command::new("glslangValidator");
    run_compiler(compile.args(["-V", "-g"]).args(target).arg(path).arg("-o").arg(&debug))?;
    let mut compile = Command::new("glslc");
    run_compiler(compile.args(["-O", "--target-env=vulkan1.2"]).arg(path).arg("-o").arg(&small))?;
    let mut optimize = Command::new("spirv-opt");
    run_compiler(optimize.args(["-O", "--strip-debug"]).arg(&debug).arg("-o").arg(&optimized))?;
    for (form, flags) in [(debug, &flags), (small, &unnamed), (optimized, &unnamed)] {
        let found = verdict(&form, flags)?;
        if found != expected {
            return Err(format!("{}: {found:#?}, not {expected:#?}", form.display()).into());
        }
    }
    Ok(())
}

fn verdict(path: &Path, flags: &[String]) -> Result<Verdict, Failed> {
    let shown = path.display().to_string();
    let fixed = ["check", &shown, "--format", "json"].map(str::to_owned);
    let arguments: Vec<String> = fixed.into_iter().chain(flags.iter().cloned()).collect();
    let ended = run(&mut hirace(&arguments), LIMIT);
    let report: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error} in\n{}\n{}", ended.stdout, ended.stderr))?;
    let parsed = hirace::raw::front::parse_bytes(&shown, &std::fs::read(path)?, &|_| None)?;
    let place = |name: &str| {
        let mut variables = parsed.module.global_variables.iter();
        let found = variables.find(|(_, variable)| variable.name.as_deref() == Some(name));
        match found.map(|(_, variable)| &variable.binding) {
            Some(Some(binding)) => format!("{}, {}", binding.group, binding.binding),
            _ => "workgroup memory".to_owned(),
        }
    };
    let launches = report["launches"].as_array().into_iter().flatten();
    let findings = launches.flat_map(|launch| launch["findings"].as_array().into_iter().flatten());
    let memory = findings.map(|finding| {
        let kind = finding["kind"].as_str().unwrap_or_default().to_owned();
        (kind, place(finding["memory"]["variable"].as_str().unwrap_or_default()))
    });
    Ok(Verdict { status: ended.status, memory: memory.collect() })
}
