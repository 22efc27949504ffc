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
        Trial::test("litmus_campaigns::each_run_has_a_folder_of_its_own", kept_apart),
        Trial::test("litmus_campaigns::a_folder_with_other_settings_is_refused", other_settings),
        Trial::test("litmus_campaigns::the_newest_run_of_a_folder_is_used", newest),
        Trial::test("litmus_campaigns::tests_without_mutants_conform_too", without_mutants),
        Trial::test(
            "litmus_campaigns::a_run_without_names_runs_all_conformance_tests",
            default_tests,
        ),
        #[cfg(unix)]
        Trial::test("litmus_campaigns::the_help_of_the_service_needs_no_service", help_of_service),
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

/// The behavior of llvmpipe is allowed by the model.
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
    let cut = litmus(&tune(&kept, &[device, "--max-time=0.000001"]));
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

/// The arguments of a tuning in the default folder that takes a moment on the simulated device.
const SMALL: [&str; 9] = [
    "tune",
    "mp-no-fence",
    "rr-reversed",
    "--environments=3",
    "--iterations=4",
    "--max-workgroups=8",
    "--max-workgroup-size=16",
    "--format=json",
    "--device=simulated:relaxed,quiet=0.3,busy=0.3,longest=20",
];

fn litmus_in(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(&[&["litmus"], arguments].concat()).current_dir(folder), LIMIT)
}

/// Returns the names and results of the runs in the default folder, sorted by name.
fn runs_in(folder: &Path) -> Result<Vec<(String, Option<String>)>, Failed> {
    let mut runs = Vec::new();
    for entry in std::fs::read_dir(folder.join(".hirace/litmus"))? {
        let entry = entry?;
        let results = std::fs::read_to_string(entry.path().join("results.json")).ok();
        runs.push((entry.file_name().to_string_lossy().into_owned(), results));
    }
    runs.sort();
    Ok(runs)
}

/// The same command, another seed and another verb each get a folder, and change none of the others. A run that was cut short is
/// continued by the same command.
fn kept_apart() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let tune = |more: &[&str]| litmus_in(folder, &[&SMALL, more].concat());
    let cut = tune(&["--max-time=0.000001"]);
    let at = runs_in(folder)?;
    let [(name, None)] = &at[..] else { return Err(format!("{at:?}: {cut:?}").into()) };
    let says = cut.stderr.contains(&format!("the results so far are in .hirace/litmus/{name}"));
    if !says || !name.starts_with("tune-simulated-relaxed-20") {
        return Err(format!("{cut:?}").into());
    }
    let mut known = Vec::new();
    let conform = ["conform", "--tuned", ".hirace/litmus", "--iterations=2"];
    let conform = [&conform[..], &SMALL[7..], &["rr"]].concat();
    for arguments in [&SMALL[..], &SMALL, &[&SMALL[..], &["--seed=other"]].concat(), &conform] {
        document(&litmus_in(folder, arguments))?;
        let now = runs_in(folder)?;
        let is_kept = known.iter().all(|before| now.contains(before));
        let is_complete = now.iter().all(|(_, results)| results.is_some());
        if !is_kept || !is_complete || now.len() != known.len() + 1 {
            return Err(format!("{arguments:?}: {known:?} and then {now:?}").into());
        }
        known = now;
    }
    let names = || known.iter().map(|(name, _)| name);
    let ignored = std::fs::read_to_string(folder.join(".hirace/.gitignore"))?;
    let is_continued = names().any(|known| known == name);
    let conforms = names().filter(|name| name.starts_with("conform-simulated-relaxed-20")).count();
    match is_continued && conforms == 1 && ignored == "*\n" {
        true => Ok(()),
        false => Err(format!("{:?}", names().collect::<Vec<_>>()).into()),
    }
}

/// A folder is continued with its own settings only, and its complete results are shown again without running anything.
fn other_settings() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let kept = folder.path().join("kept").display().to_string();
    let strong = "--device=simulated:strong";
    let first = litmus(&tune(&kept, &[strong]));
    let results = Path::new(&kept).join("results.json");
    let (all, before) = (ran(&document(&first)?)?, std::fs::read_to_string(&results)?);
    let refused: [(&[&str], &[&str]); 5] = [
        (&[strong, "--seed=other"], &["seed: `hirace` in the folder, `other` now"]),
        (&["--device=simulated:relaxed"], &["device: simulated:strong", "simulated:relaxed"]),
        (&[strong, "--timeout=9"], &["timeout: none in the folder, 9 s now"]),
        (&[strong, "--shard=1/2"], &["shard: none in the folder, 1/2 now"]),
        (&[strong, "rr"], &["tests: 3 tests (", ", 4 tests ("]),
    ];
    for (flags, said) in refused {
        let ended = litmus(&tune(&kept, flags));
        let differs = said.iter().all(|said| ended.stderr.contains(said));
        let is_named = ended.stderr.contains("has other settings") && differs;
        if ended.status != Some(2) || !is_named || ended.stderr.contains("iterations:") {
            return Err(format!("{flags:?}: {ended:?}").into());
        }
    }
    let again = litmus(&tune(&kept, &[strong]));
    let same = ran(&document(&again)?)? == all && again.stderr.contains("nothing was run");
    match same && std::fs::read_to_string(&results)? == before {
        true => Ok(()),
        false => Err(format!("{again:?}").into()),
    }
}

/// Verbs that read results accept the folder of all runs, and say which run they use.
fn newest() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    std::fs::create_dir_all(folder.join("none"))?;
    document(&litmus_in(folder, &SMALL))?;
    let older = runs_in(folder)?;
    document(&litmus_in(folder, &[&SMALL[..], &["--seed=other"]].concat()))?;
    let (newer, _) = runs_in(folder)?
        .into_iter()
        .find(|run| !older.contains(run))
        .ok_or("there is no second run")?;
    let small = ["--iterations=1", "--set=workgroupSize=8", "--set=testingWorkgroups=2", SMALL[8]];
    let environment =
        [&["run", "rr", "--environment", ".hirace/litmus", "--format=json"], &small[..]].concat();
    let readers: [&[&str]; 4] = [
        &["analyze", ".hirace/litmus", "--format=json"],
        &["show", ".hirace/litmus", "--format=json"],
        &["conform", "rr", "--tuned=.hirace/litmus", "--format=json", SMALL[8]],
        // The newest run is the conformance run now, which is not a tuning run.
        &environment,
    ];
    for arguments in readers {
        let ended = litmus_in(folder, arguments);
        document(&ended)?;
        let what =
            if arguments[0] == "analyze" || arguments[0] == "show" { "run" } else { "tuning run" };
        let said = format!("using the newest complete {what}: .hirace/litmus/{newer}");
        if !ended.stderr.contains(&said) {
            return Err(format!("{arguments:?}: {ended:?}").into());
        }
    }
    let one = litmus_in(folder, &["show", &format!(".hirace/litmus/{newer}"), "--format=json"]);
    let newest = litmus_in(folder, &["show", ".hirace/litmus", "--format=json"]);
    let (one, newest) = (document(&one)?, document(&newest)?);
    if one["settings"]["seed"] != "other" || newest["verb"] != "conform" {
        return Err(format!("{one} {newest}").into());
    }
    let none = litmus_in(folder, &["show", "none"]);
    match none.status == Some(2) && none.stderr.contains("none contains no campaign") {
        true => Ok(()),
        false => Err(format!("{none:?}").into()),
    }
}

/// A conformance test that has no mutants runs in the environments that killed the most mutants.
fn without_mutants() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let tuned = document(&litmus_in(folder.path(), &SMALL))?;
    let killed = tuned["summary"]["killed"].as_u64().ok_or("no number")?;
    let all = document(&litmus(&["list", "--format=json"]))?;
    let all = all["tests"].as_array().ok_or("no tests")?;
    let has_mutants = |name: &Value| all.iter().any(|test| test["conformance_test"] == *name);
    let conformance = all.iter().filter(|test| test["kind"] == "conformance");
    let without: Vec<&str> = conformance
        .filter(|test| !has_mutants(&test["name"]))
        .filter_map(|test| test["name"].as_str())
        .collect();
    let small = ["--iterations=1", "--format=json", SMALL[8], "--tuned=.hirace/litmus"];
    let of = document(&litmus_in(folder.path(), &[&["conform"], &small[..]].concat()))?;
    let runs = of["runs"].as_array().ok_or("no runs")?;
    let environments = of["environments"].as_array().map_or(0, Vec::len);
    let runs_of = |name: &str| runs.iter().filter(|run| run["test"] == name).count();
    let is_run = without.iter().all(|name| (1..=3).contains(&runs_of(name)));
    match killed > 0 && without.len() > 20 && is_run && (1..=3).contains(&environments) {
        true => Ok(()),
        false => Err(format!("{without:?}: {}", of["summary"]).into()),
    }
}

fn default_tests() -> Result<(), Failed> {
    let small = ["--iterations=1", "--set=workgroupSize=8", "--set=testingWorkgroups=2"];
    let more = ["--device=simulated:strong", "--format=json"];
    let of = document(&litmus(&[&["run"], &small[..], &more].concat()))?;
    let listed = document(&litmus(&["list", "conformance", "--format=json"]))?;
    let count = |of: &Value| of["tests"].as_array().map_or(0, Vec::len);
    match count(&of) == count(&listed) && count(&of) > 20 {
        true => Ok(()),
        false => Err(format!("{} of {} tests", count(&of), count(&listed)).into()),
    }
}

#[cfg(unix)]
fn help_of_service() -> Result<(), Failed> {
    let folder = tempfile::tempdir_in(super::support::scratch("litmus"))?;
    // A hard link and not a copy: a program that is open for writing cannot be started.
    let alone = folder.path().join("hirace");
    std::fs::hard_link(env!("CARGO_BIN_EXE_hirace"), &alone)?;
    let serve = |arguments: &[&str]| {
        let mut command = std::process::Command::new(&alone);
        command.args([&["litmus", "serve"], arguments].concat()).env("PATH", "/no/such/folder");
        run(&mut command, LIMIT)
    };
    for flag in ["--help", "-h"] {
        let ended = serve(&[flag]);
        let has = |text: &str| ended.stdout.contains(text);
        let is_help = has("Usage: hirace litmus serve") && has("Run a service with a web page");
        if ended.status != Some(0) || !is_help || !has("cargo install hirace-litmus-service") {
            return Err(format!("{ended:?}").into());
        }
    }
    let ended = serve(&[]);
    match ended.status == Some(3) && ended.stderr.contains("cargo install hirace-litmus-service") {
        true => Ok(()),
        false => Err(format!("{ended:?}").into()),
    }
}

fn explored(more: &[&str]) -> Result<(), Failed> {
    let small = ["--iterations=1", "--max-workgroups=4", "--max-workgroup-size=8"];
    let arguments = ["explore", "rr-reversed", "--max-time=1", "--format=json"];
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
        let same = ["killed", "total"].iter().all(|key| mutants[key] == tuned["summary"][key]);
        let is_whole = of["miscounted"].as_array().is_some_and(Vec::is_empty);
        if !same || !is_whole || mutants["total"] != 3 {
            return Err(format!("{form}: {of} of {}", tuned["summary"]).into());
        }
    }
    Ok(())
}
