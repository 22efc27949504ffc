//! Tests of compute shaders by other authors, from published crates (`tests/corpus.toml`, `tests/corpus/collected.toml`).
//!
//! Each shader must be accepted, instrumented into WGSL that naga and tint accept, and checked without any flags; the findings
//! are compared with those in the manifest, which explains them. The shaders are fetched from the registry. The ci tier has the
//! shaders of eight crates, of which each run draws a third. The full tier has the shaders of all crates. If the registry cannot be
//! reached, the trials are ignored.

pub mod compilers;
mod manifest;
mod table;

use crate::support::{ProgramOutput, hirace, naga_rejects, run, scratch};
use compilers::tint_rejects;
use hirace_testing::harness::{Trial, is_installed};
use hirace_testing::{Facility, Tier, options};
use libtest_mimic::{Completion, Failed};
use manifest::{Crate, Manifest, Shader};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The time limit for one shader, in a debug build on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// Returns a trial for each shader and each template, and those over all of them.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for krate in Manifest::read().crates {
        for shader in krate.shaders.clone() {
            let name = format!("corpus::{}::{}", krate.name, shader.name());
            trials.push(trial(&krate, &name, move |krate| check(krate, &shader)));
        }
        for path in krate.templates.clone() {
            let name = format!("corpus::{}::template::{path}", krate.name);
            trials.push(trial(&krate, &name, move |krate| template(krate, &path)));
        }
    }
    trials.push(Trial::test("corpus::is_large_enough", large_enough));
    trials.extend(table::trials());
    trials
}

/// Returns a trial of the ci tier if the crate is in the sample, otherwise of the full tier.
fn trial(
    krate: &Crate,
    name: &str,
    run: impl FnOnce(&Crate) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let owned = krate.clone();
    let fetch_and_run = move || run_if_fetched(&owned, || run(&owned));
    let tier = if krate.sampled { Tier::Ci } else { Tier::Full };
    Trial::ignorable_test(name, fetch_and_run).in_tier(tier).drawn(3)
}

/// Runs a trial on a crate if it can be fetched.
fn run_if_fetched(
    krate: &Crate,
    trial: impl FnOnce() -> Result<(), Failed>,
) -> Result<Completion, Failed> {
    match krate.folder() {
        Ok(_) => trial().map(|()| Completion::Completed),
        Err(error) if options().requires(Facility::Registry) => Err(error.into()),
        Err(error) => Ok(Completion::ignored_with(error)),
    }
}

fn large_enough() -> Result<(), Failed> {
    let crates = Manifest::read().crates;
    let count = |held_out: bool| -> usize {
        let shaders = crates.iter().flat_map(|krate| &krate.shaders);
        shaders.filter(|shader| shader.held_out == held_out).count()
    };
    let (seen, held_out) = (count(false), count(true));
    if seen < 200 || held_out < 100 || seen + held_out < 362 {
        return Err(format!("{seen} shaders, and {held_out} held out").into());
    }
    let sampled = crates.iter().filter(|krate| krate.sampled).count();
    if sampled > 8 { Err(format!("{sampled} crates to fetch").into()) } else { Ok(()) }
}

/// The outcome of a check of a shader without any flags.
#[derive(Clone)]
struct CheckResult {
    findings: BTreeSet<String>,
    verdict: String,
    entries: usize,
    sites: u64,
    executed: u64,
}

fn check(krate: &Crate, shader: &Shader) -> Result<(), Failed> {
    let source = krate.source(shader)?;
    if let Some(error) = naga_rejects(&source) {
        return Err(error.into());
    }
    if let Some(refused) = &shader.refused {
        return check_refusal(krate, shader, refused);
    }
    check_instrumented(krate, shader, &source)?;
    let checked = zero_config(krate, shader)?;
    let expected: BTreeSet<String> = shader.findings.iter().cloned().collect();
    if checked.findings != expected {
        return Err(format!("found {:#?}, not {expected:#?}", checked.findings).into());
    }
    let explained = if krate.collected { shader.certain().count() } else { expected.len() };
    if explained > 0 && shader.why.is_none() {
        return Err("findings without an explanation".into());
    }
    if !shader.unconfirmed.iter().all(|finding| shader.certain().any(|certain| certain == finding))
    {
        return Err("`unconfirmed` must name one of the certain findings".into());
    }
    Ok(())
}

/// Checks a program that hirace does not run: the message has to contain `words`.
fn check_refusal(krate: &Crate, shader: &Shader, words: &str) -> Result<(), Failed> {
    let file = file(krate, shader)?;
    let ended = run(&mut hirace(&["check".as_ref(), file.as_os_str()]), LIMIT);
    if ended.status != Some(2) || !ended.stderr.contains(words) {
        let message = format!("exit status {:?}, expected 2: {}", ended.status, ended.stderr);
        return Err(message.into());
    }
    Ok(())
}

/// Writes a shader to a file, as its crate passes it to wgpu.
fn file(krate: &Crate, shader: &Shader) -> Result<PathBuf, Failed> {
    let file = match &shader.constant {
        Some(constant) => format!("{}.{constant}.wgsl", shader.path),
        None => shader.path.clone(),
    };
    let file = scratch("corpus").join(&krate.name).join(file);
    std::fs::create_dir_all(file.parent().ok_or("a path without a folder")?)?;
    std::fs::write(&file, krate.source(shader)?)?;
    Ok(file)
}

fn check_instrumented(krate: &Crate, shader: &Shader, source: &str) -> Result<(), Failed> {
    let file = file(krate, shader)?;
    let ended = run(&mut hirace(&["expand".as_ref(), file.as_os_str()]), LIMIT);
    if ended.status != Some(0) {
        return Err(format!("expand fails: {}", ended.stderr).into());
    }
    if let Some(error) = naga_rejects(&ended.stdout) {
        return Err(format!("naga rejects the instrumented shader: {error}").into());
    }
    if entries(&ended.stdout) != entries(source) {
        return Err("the instrumented shader has other entry points".into());
    }
    let name = format!("{}/{}", krate.name, shader.name());
    if is_installed("tint")
        && tint_rejects(source, &name).is_none()
        && let Some(error) = tint_rejects(&ended.stdout, &format!("{name}.expanded"))
    {
        let message = format!("tint accepts the shader, but not its instrumented form: {error}");
        return Err(message.into());
    }
    Ok(())
}

/// Returns the names of the entry points of a text that naga accepts, without the `_` that naga's writer appends to names that
/// end in a digit.
fn entries(wgsl: &str) -> Vec<String> {
    let module = naga::front::wgsl::parse_str(wgsl).unwrap_or_default();
    let names = module.entry_points.into_iter();
    names.map(|entry| entry.name.trim_end_matches('_').to_owned()).collect()
}

/// Returns the outcome of a check of a shader, which runs once for all trials that need it.
fn zero_config(krate: &Crate, shader: &Shader) -> Result<CheckResult, Failed> {
    type Once = Arc<OnceLock<Result<CheckResult, String>>>;
    static CHECKED: Mutex<BTreeMap<String, Once>> = Mutex::new(BTreeMap::new());
    let name = format!("{}/{}", krate.name, shader.name());
    let checked = {
        let mut all = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(name).or_default())
    };
    let run = || {
        run_zero_config(krate, shader)
            .map_err(|failed| failed.message().unwrap_or_default().to_owned())
    };
    checked.get_or_init(run).clone().map_err(Failed::from)
}

fn run_zero_config(krate: &Crate, shader: &Shader) -> Result<CheckResult, Failed> {
    let file = file(krate, shader)?;
    let arguments = ["check".as_ref(), file.as_os_str(), "--format".as_ref(), "json".as_ref()];
    let ended = run(&mut hirace(&arguments), LIMIT);
    if !matches!(ended.status, Some(0 | 1 | 4)) {
        let ProgramOutput { status, timed_out, stderr, .. } = ended;
        return Err(format!("exit status {status:?}, timed out: {timed_out}\n{stderr}").into());
    }
    let report: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error} in {}", ended.stdout))?;
    let launches = report["launches"].as_array().ok_or("a report without launches")?;
    let findings = launches.iter().flat_map(|launch| launch["findings"].as_array()).flatten();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let number = |key: &str| {
        launches.iter().map(|launch| launch["stats"][key].as_u64().unwrap_or_default()).sum()
    };
    Ok(CheckResult {
        findings: findings
            .map(|finding| {
                let memory = text(&finding["memory"]["variable"]);
                format!("{} {} {memory}", text(&finding["rule"]), text(&finding["certainty"]))
            })
            .collect(),
        verdict: text(&report["verdict"]),
        entries: launches.len(),
        sites: number("sites"),
        executed: number("sites_executed"),
    })
}

/// Checks a file that is a template and not yet WGSL: the message has to say so.
fn template(krate: &Crate, path: &str) -> Result<(), Failed> {
    let file = krate.folder()?.join(path);
    let ended = run(&mut hirace(&["check".as_ref(), file.as_os_str()]), LIMIT);
    if ended.status != Some(2) {
        return Err(format!("exit status {:?}\n{}", ended.status, ended.stderr).into());
    }
    if !ended.stderr.contains("template") {
        return Err(format!("the message does not mention a template:\n{}", ended.stderr).into());
    }
    Ok(())
}
