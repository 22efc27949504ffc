//! Tests of litmus campaigns through the command: sharded and merged, interrupted and resumed, and rejected.

use super::browser;
use super::support::{ProgramOutput, hirace, run};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("litmus_campaigns::what_is_wrong_is_refused", refused),
        Trial::test("litmus_campaigns::tests_are_listed_and_shown", listed),
        Trial::test("litmus_campaigns::what_is_planted_in_a_simulated_device_is_found", simulated),
        Trial::test("litmus_campaigns::what_had_no_time_is_done_later", in_two_goes),
        browser::trial("litmus_campaigns::an_analysis_is_looked_at_in_a_browser", looked_at),
        Trial::test("litmus_campaigns::a_simulated_device_is_explored_too", || {
            explored(&["--device=simulated:relaxed"])
        }),
    ];
    #[cfg(feature = "gpu")]
    trials.extend([
        on_device("litmus_campaigns::shards_have_together_what_the_whole_has", shards),
        on_device("litmus_campaigns::a_killed_campaign_goes_on_where_it_was", killed),
        on_device("litmus_campaigns::conformance_is_kept", conformance),
        on_device("litmus_campaigns::what_is_explored_ends_in_its_time", || explored(&[])),
        on_device("litmus_campaigns::each_test_runs", each),
        on_device("litmus_campaigns::results_are_analyzed_in_either_form", analyzed),
    ]);
    trials
}

#[cfg(feature = "gpu")]
fn on_device(name: &str, test: fn() -> Result<(), Failed>) -> Trial {
    super::device::on_device(name, move |_| test())
}

/// The page with plots shows what simulated devices showed, with many instances at once and with single instances.
fn looked_at() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut files = Vec::new();
    for (side, layout) in [("pte", "--layout=parallel"), ("site", "--layout=single")] {
        for device in ["relaxed", "strong"] {
            std::fs::create_dir_all(folder.path().join(side))?;
            let file = folder.path().join(side).join(format!("{device}.json"));
            let file = file.display().to_string();
            let kept = folder.path().join(format!("{side}-{device}")).display().to_string();
            let (device, report) = (format!("--device=simulated:{device}"), format!("json={file}"));
            let ended = litmus(&tune(&kept, &[layout, &device, "--report", &report]));
            if ended.status != Some(0) {
                return Err(format!("{ended:?}").into());
            }
            files.push(file);
        }
    }
    let mut arguments = vec!["analyze", "--format=html"];
    arguments.extend(files.iter().map(String::as_str));
    let page = litmus(&arguments);
    let wanted = [
        ("links", Value::from(true)),
        ("lost", Value::from(Vec::<String>::new())),
        ("landed", Value::from(true)),
        ("plots", Value::from(true)),
        ("cut", Value::from(Vec::<String>::new())),
        ("nameless", Value::from(0)),
        ("title", Value::from("How well environments test memory models")),
    ];
    // The page may run only the script that is appended to it, and may fetch nothing.
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    if !page.stdout.contains(policy) {
        return Err(format!("{page:?}").into());
    }
    let opened = page.stdout.replace(policy, &format!("{policy}; script-src 'unsafe-inline'"));
    Ok(browser::assert_page_reports(
        folder.path(),
        &opened,
        include_str!("litmus_page.js"),
        &wanted,
    )?)
}

fn refused() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("tuned.json");
    std::fs::write(&file, "{\"schema\": \"hirace.litmus/1\"}")?;
    let file = file.display().to_string();
    let cases: [&[&str]; 8] = [
        &["run", "no-such-test"],
        &["run", "rr", "--set", "stride=1"],
        &["run", "rr", "--specification", "wgsl-1999"],
        &["run", "rr", "--environment", &file],
        &["conform", "--tuned", &file],
        &["tune", "--shard", "3/2"],
        &["run", "rr", "--device", "simulated:weird"],
        &["run", "rr", "--device", "simulated:strong,busy=2"],
    ];
    for arguments in cases {
        let ended = litmus(arguments);
        if ended.status != Some(2) || ended.stderr.is_empty() || !ended.stdout.is_empty() {
            return Err(format!("{arguments:?}: {ended:?}").into());
        }
    }
    Ok(())
}

fn litmus(arguments: &[&str]) -> ProgramOutput {
    run(&mut hirace(&[&["litmus"], arguments].concat()), LIMIT)
}

/// Returns the arguments of a small tuning whose results are kept in `folder`.
fn tune<'a>(folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let small = [
        "tune",
        "rr-reversed",
        "mp-two-locations",
        "sb-two-locations",
        "--environments=4",
        "--iterations=4",
        "--max-workgroups=8",
        "--max-workgroup-size=16",
        "--format=json",
        "--output",
        folder,
    ];
    [&small, more].concat()
}

fn document(ended: &ProgramOutput) -> Result<Value, Failed> {
    match ended.status {
        Some(0) => Ok(serde_json::from_str(&ended.stdout)?),
        _ => Err(format!("{ended:?}").into()),
    }
}

/// Returns which tests ran in which environments, with the number of instances. Fails unless that is the number of outcomes.
fn ran(document: &Value) -> Result<Vec<(u64, String, u64)>, Failed> {
    let number = |value: &Value| value.as_u64().ok_or_else(|| Failed::from("no number"));
    let runs = document["runs"].as_array().ok_or("no runs")?;
    let mut all = Vec::new();
    for one in runs {
        let counts = one["outcomes"].as_array().ok_or("no outcomes")?;
        let mut counted = number(&one["other"])?;
        for outcome in counts {
            counted += number(&outcome["count"])?;
        }
        let instances = number(&one["instances"])?;
        if counted != instances || instances == 0 {
            return Err(format!("{counted} outcomes of {instances} instances").into());
        }
        let test = one["test"].as_str().ok_or("no name")?.to_owned();
        all.push((number(&one["environment"])?, test, instances));
    }
    Ok(all)
}

#[cfg(feature = "gpu")]
fn shards() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let whole = document(&litmus(&tune(&path("whole"), &[])))?;
    let all = ran(&whole)?;
    if all.len() != 12 {
        return Err(format!("{all:?}").into());
    }
    let mut files = Vec::new();
    for k in 1..=3 {
        let (own, shard) = (path(&format!("shard-{k}")), format!("--shard={k}/3"));
        let ended = litmus(&tune(&own, &[&shard]));
        document(&ended)?;
        let file = path(&format!("{k}.json"));
        std::fs::write(&file, &ended.stdout)?;
        files.push(file);
    }
    let merge = |files: &[String]| {
        let files = files.iter().map(String::as_str);
        let arguments: Vec<&str> = ["merge", "--format=json"].into_iter().chain(files).collect();
        run(&mut hirace(&arguments), LIMIT)
    };
    let merged = ran(&document(&merge(&files))?)?;
    if merged != all {
        return Err(format!("{merged:?} and {all:?}").into());
    }
    match merge(&files[1..]).status {
        Some(3) => Ok(()),
        other => Err(format!("a missing shard: {other:?}").into()),
    }
}

#[cfg(feature = "gpu")]
fn killed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let kept = folder.path().join("kept");
    let shown = kept.display().to_string();
    let mut child = hirace(&[&["litmus"], &tune(&shown, &[])[..]].concat())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()?;
    // Kills the run as soon as one line is written.
    while lines(&kept) == 0 && child.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill()?;
    child.wait()?;
    let before = lines(&kept);
    let ended = litmus(&tune(&shown, &["--quiet"]));
    let all = ran(&document(&ended)?)?;
    match (before, all.len()) {
        // The run finished before it could be killed, which is an ordinary run.
        (0, 12) if kept.join("results.json").exists() => Ok(()),
        (1.., 12) if ended.stderr.contains(&before.to_string()) => Ok(()),
        _ => Err(format!("{before} were done; {ended:?}").into()),
    }
}

/// Returns the number of runs that are recorded in a folder.
fn lines(folder: &Path) -> usize {
    let text = std::fs::read_to_string(folder.join("runs.jsonl")).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).count()
}

/// The behaviour of llvmpipe is allowed by the model.
#[cfg(feature = "gpu")]
fn conformance() -> Result<(), Failed> {
    let small = ["--iterations=4", "--set=workgroupSize=16", "--set=testingWorkgroups=4"];
    for layout in ["--layout=parallel", "--layout=single"] {
        for specification in ["--specification=wgsl", "--specification=wgsl-2022"] {
            let more = [specification, layout, "--preset=stress", "--set=maxWorkgroups=8"];
            let arguments = [&["run", "conformance", "--format=json"], &small[..], &more].concat();
            let of = document(&litmus(&arguments))?;
            let tests = of["tests"].as_array().map_or(0, Vec::len);
            if tests < 20 || ran(&of)?.len() < 20 {
                return Err(format!("{tests} tests").into());
            }
        }
    }
    Ok(())
}

/// Environments are tuned on the simulated device without a fault, which passes; each of the other devices fails its own test.
fn simulated() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (tuned, kept) = (path("tuned.json"), path("kept"));
    let report = format!("--report=json={tuned}");
    let weak = "quiet=0.3,busy=0.3,longest=20";
    let device = format!("--device=simulated:relaxed,{weak}");
    let mutants = ["mp-no-fence", &device, &report];
    let ended = document(&litmus(&tune(&kept, &mutants)))?;
    ran(&ended)?;
    if ended["target"]["vendor"] != "simulated" || ended["target"]["name"] != "simulated:relaxed" {
        return Err(format!("{}", ended["target"]).into());
    }
    let conform = |name: &str| {
        let device = format!("--device=simulated:{name},{weak},strength=1,half=1");
        let (tuned, kept) = (format!("--tuned={tuned}"), path(name));
        let tests = ["conform", "rr", "mp-one-location", "mp-fences", "--specification=wgsl-2022"];
        let more = [&device, &tuned, "--iterations=120", "--format=json", "--output", &kept];
        litmus(&[&tests, &more[..]].concat())
    };
    document(&conform("relaxed"))?;
    for (name, finds) in [("corr", "rr"), ("mp-relacq", "mp-fences"), ("mp-co", "mp-one-location")]
    {
        let ended = conform(name);
        let found: Value = serde_json::from_str(&ended.stdout)?;
        let names = found["summary"]["violations"].as_array().ok_or("no violations")?;
        if ended.status != Some(1) || !names.iter().any(|known| known == finds) {
            return Err(format!("{name}: {ended:?}").into());
        }
    }
    Ok(())
}

/// An exploration runs one environment after another until its time is over. A campaign without time reports that, by its exit
/// status too, and keeps its results; the rest is done later, with time.
fn in_two_goes() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (kept, at_once) = (path("kept"), path("at-once"));
    let device = "--device=simulated:strong";
    let whole = ran(&document(&litmus(&tune(&at_once, &[device])))?)?;
    let cut = litmus(&tune(&kept, &[device, "--budget=0.000001"]));
    let first = ran(&serde_json::from_str(&cut.stdout)?)?;
    if cut.status != Some(4) || !cut.stderr.contains("budget ran out") || first.len() >= whole.len()
    {
        return Err(format!("{first:?}: {cut:?}").into());
    }
    let both = ran(&document(&litmus(&tune(&kept, &[device])))?)?;
    match both == whole {
        true => Ok(()),
        false => Err(format!("{both:?}\nin two runs, expected {whole:?}").into()),
    }
}

fn explored(more: &[&str]) -> Result<(), Failed> {
    let small = ["--iterations=1", "--max-workgroups=4", "--max-workgroup-size=8"];
    let arguments = ["explore", "rr-reversed", "--for=1", "--format=json"];
    let of = document(&litmus(&[&arguments, &small[..], more].concat()))?;
    match ran(&of)?.len() {
        0 => Err("no environment was explored".into()),
        _ if of["environments"].as_array().is_some_and(|all| all.len() > 1) => Ok(()),
        _ => Err("one environment".into()),
    }
}

/// Every listed test can be shown, and the definition that is shown is that test.
fn listed() -> Result<(), Failed> {
    let all = document(&litmus(&["list", "--format=json"]))?;
    let tests = all["tests"].as_array().ok_or("no tests")?;
    let of = |kind: &str| tests.iter().filter(|test| test["kind"] == kind).count();
    if of("mutant") != 32 || of("conformance") < 14 || tests.len() < 80 {
        return Err(format!("{} mutants, {} in all", of("mutant"), tests.len()).into());
    }
    let by_2022 =
        document(&litmus(&["list", "conformance", "--specification=wgsl-2022", "--format=json"]))?;
    let made = by_2022["tests"].as_array().ok_or("no tests")?.iter();
    if made.filter(|test| !test["mutator"].is_null()).count() != 20 {
        return Err("the list differs from the conformance tests of the paper".into());
    }
    let folder = tempfile::tempdir()?;
    for name in ["mp-fences", "ww-rmw", "2+2w-one-location"] {
        let definition = litmus(&["show", name, "--format=json"]);
        let file = folder.path().join("mine.json");
        std::fs::write(&file, &definition.stdout)?;
        let file = file.display().to_string();
        for format in ["text", "json", "wgsl"] {
            let format = format!("--format={format}");
            let [known, read] =
                [name, &file].map(|test| litmus(&["show", test, &format, "--preset=stress"]));
            if known.status != Some(0) || known.stdout.is_empty() || known.stdout != read.stdout {
                return Err(format!("{name} {format}: {known:?} and {read:?}").into());
            }
        }
    }
    Ok(())
}

/// Every test runs in both layouts, where the layout applies, and its counts add up.
#[cfg(feature = "gpu")]
fn each() -> Result<(), Failed> {
    let small = ["--iterations=2", "--set=workgroupSize=8", "--set=testingWorkgroups=5"];
    for layout in ["--layout=parallel", "--layout=single"] {
        let more = [layout, "--preset=stress", "--set=maxWorkgroups=9"];
        let of =
            document(&litmus(&[&["run", "all", "--format=json"], &small[..], &more].concat()))?;
        let tests = of["tests"].as_array().map_or(0, Vec::len);
        if tests < 80 || ran(&of)?.len() != tests {
            return Err(format!("{} of {tests} tests", ran(&of)?.len()).into());
        }
    }
    Ok(())
}

/// The analysis of a campaign is the same for its own format and for the published format.
#[cfg(feature = "gpu")]
fn analyzed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let reports = ["json", "published"].map(|form| (form, path(&format!("{form}.json"))));
    let written = reports.each_ref().map(|(form, path)| format!("--report={form}={path}"));
    let more: Vec<&str> = written.iter().map(String::as_str).collect();
    let tuned = document(&litmus(&tune(&path("kept"), &more)))?;
    for (form, file) in reports {
        let of = document(&litmus(&["analyze", &file, "--format=json"]))?;
        let mutants = &of["sides"][0]["mutants"];
        let same = ["killed", "of"].iter().all(|key| mutants[key] == tuned["summary"][key]);
        let is_whole = of["miscounted"].as_array().is_some_and(Vec::is_empty);
        if !same || !is_whole || mutants["of"] != 3 {
            return Err(format!("{form}: {of} of {}", tuned["summary"]).into());
        }
    }
    Ok(())
}
