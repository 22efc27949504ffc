//! The page in a real browser; the scenarios are in `tests/browser`. These tests show as ignored without Node.js,
//! Chromium or the packages that `npm ci` installs.

use crate::running::{Running, database, folder};
use crate::samples::{announced, document, proposal, text, whole};
use hirace_engine::random::Random;
use hirace_litmus::environment::Recipe;
use hirace_litmus::job::{Job, JobRequest, Limits};
use hirace_litmus::results::Document;
use hirace_litmus::results::check::Checker;
use hirace_litmus::run::{Iteration, Setup, TargetInfo};
use hirace_litmus::test::Specification;
use hirace_testing::Facility;
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, missing: Missing, test: fn() -> Result<(), Failed>| {
        let need = Need::new(Facility::Browser, move || missing().map(str::to_owned));
        Trial::test(format!("browser::{name}"), test).needs(need)
    };
    vec![
        trial("the_page_draws_the_dispatches_of_the_command_line", missing_node, drawing),
        trial("files_are_read_as_the_command_line_writes_them", missing_node, reading),
        trial("files_are_opened_shown_and_sent", missing_browser, files),
        trial("what_is_explored_is_submitted_listed_and_analyzed", missing_browser, submitted),
        trial("the_page_draws_the_environments_of_the_command_line", missing_browser, environments),
        trial("a_tuning_goes_on_after_a_reload", missing_browser, tuned),
        trial("a_campaign_is_worked_on", missing_browser, campaign),
        trial("every_view_fits_a_phone_in_light_and_dark", missing_browser, looks),
        trial("it_works_by_keyboard", missing_browser, keyboard),
        trial("without_webgpu_it_says_so_and_shows_results", missing_browser, without),
    ]
}

/// Returns what is missing.
type Missing = fn() -> Option<&'static str>;

/// Looks for the program that runs the page's scripts.
fn missing_node() -> Option<&'static str> {
    (!runs("node")).then_some("node is not installed")
}

/// Looks for the program that opens the page.
fn missing_browser() -> Option<&'static str> {
    let library = || scripts().join("node_modules/playwright-core").is_dir();
    let chromium = || browser().is_none().then_some("chromium is not installed");
    let playwright =
        || (!library()).then_some("run `npm ci --prefix hirace-litmus-service/tests/browser`");
    missing_node().or_else(chromium).or_else(playwright)
}

fn scripts() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser"))
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|ended| ended.status.success())
}

/// Finds a usable browser.
fn browser() -> Option<String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let name = names.into_iter().find(|name| runs(name))?;
    let place = Command::new("sh").args(["-c", &format!("command -v {name}")]).output().ok()?;
    Some(String::from_utf8_lossy(&place.stdout).trim().to_owned())
}

fn node(script: &str, arguments: &[&str]) -> Result<String, Failed> {
    let ended = Command::new("node").arg(scripts().join(script)).args(arguments).output()?;
    let said = String::from_utf8_lossy(&ended.stderr);
    if !ended.status.success() {
        return Err(format!("{script} {arguments:?}: {said}").into());
    }
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Runs a scenario without errors and without requests to other hosts. Returns its observations.
fn seen(scenario: &str, service: &Running) -> Result<Value, Failed> {
    seen_with(scenario, service, &[])
}

/// Runs a scenario with further arguments.
fn seen_with(scenario: &str, service: &Running, more: &[&str]) -> Result<Value, Failed> {
    let browser = browser().ok_or("no browser was found")?;
    let url = service.url("");
    let seen = node("end-to-end.mjs", &[&[scenario, &url, &browser], more].concat())?;
    let seen: Value = serde_json::from_str(&seen)?;
    assert_eq!(seen["errors"], json!([]), "{scenario}");
    assert_eq!(seen["elsewhere"], json!([]), "{scenario}");
    Ok(seen)
}

/// Tests of one location and of several, in environments that shuffle and stress at all rates, and in each layout.
fn drawing() -> Result<(), Failed> {
    const DISPATCHES: usize = 20;
    let checker = Checker::default();
    let mut cases = Vec::new();
    let recipe = |percentages: &str, layout: &str| -> Recipe {
        serde_json::from_value(
            json!({"seed": percentages, "number": 8, "percentages": percentages, "layout": layout}),
        )
        .unwrap()
    };
    let recipes =
        [recipe("often", "parallel"), recipe("rounded", "single"), recipe("always", "parallel")];
    let environments = recipes.iter().flat_map(Recipe::environments);
    for (index, environment) in environments.enumerate() {
        let limits = Limits { max_workgroups: 65_535, max_workgroup_size: 256, max_words: 1 << 28 };
        let test = ["mp-two-locations", "rr", "wrc-no-fence"][index % 3];
        let asked = JobRequest {
            test: test.to_owned(),
            environment: environment.clone(),
            index,
            seed: format!("seed {index}"),
            specification: Specification::default(),
            limits,
        };
        let job = Job::new(asked, &checker)?;
        let about = TargetInfo::from(limits);
        let test = checker.test(test).unwrap();
        let setup =
            Setup::new(test, environment.layout, &environment.parameters, job.permutation, &about)?;
        let mut random = Random::new(u64::from_str_radix(&job.seed, 16)?);
        let drawn: Vec<Value> = (0..DISPATCHES)
            .map(|_| {
                let Iteration { workgroups, uniform, shuffled_ids: shuffled, targets } = Iteration::draw(&mut random, &setup);
                json!({"workgroups": workgroups, "uniform": uniform, "shuffled": shuffled, "targets": targets})
            })
            .collect();
        cases.push(json!({"job": job, "drawn": drawn}));
    }
    let folder = folder();
    let path = folder.path().join("drawn.json");
    std::fs::write(&path, serde_json::to_string(&cases)?)?;
    let said = node("drawing.mjs", &[path.to_str().unwrap()])?;
    assert_eq!(said.trim(), (24 * DISPATCHES).to_string());
    Ok(())
}

fn reading() -> Result<(), Failed> {
    let folder = folder();
    let path = folder.path().join("document.json");
    std::fs::write(&path, text(&mutants()))?;
    assert_eq!(node("reading.mjs", &[path.to_str().unwrap()])?.trim(), "read");
    Ok(())
}

/// Returns the results of mutants, of which some are killed.
fn mutants() -> Document {
    let mut proposal = proposal("mutants", 1);
    proposal["settings"]["iterations"] = json!(50);
    let document = whole(&announced(proposal).campaign().unwrap());
    assert!(document.summary.killed > 0 && document.environments.len() == 1);
    document
}

fn files() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let document = mutants();
    let path = folder.path().join("document.json");
    std::fs::write(&path, text(&document))?;
    let seen = seen_with("files", &service, &[path.to_str().unwrap()])?;
    let (results, parameters) = (&seen["results"], &seen["parameters"]);
    let contains = |value: &Value, part: &str| value.as_str().unwrap_or_default().contains(part);
    assert_eq!(results["refused"]["invalid"], "true");
    let at = "chosen.json: environments[0].parameters.workgroupSize: must be an integer from 1";
    assert!(contains(&results["refused"]["text"], at), "{results}");
    assert!(contains(&results["problem"], "(at runs[0].outcomes[0]"), "{results}");
    assert_eq!(results["taken"]["invalid"], "false");
    assert!(contains(&results["shown"], &document.target.name), "{results}");
    assert!(contains(&results["shown"], "Linux"), "{results}");
    let size = document.environments[0].parameters.workgroup_size;
    assert!(contains(&results["again"], &format!("workgroupSize={size}")), "{results}");
    assert_eq!(results["id"], 1);
    assert_eq!(parameters["refused"]["invalid"], "true");
    assert!(contains(&parameters["refused"]["text"], "parameters.memStride: is missing"), "{seen}");
    assert_eq!(parameters["taken"]["invalid"], "false");
    assert_eq!((&parameters["size"], &parameters["layout"]), (&json!(size), &json!("single")));
    Ok(())
}

fn submitted() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let seen = seen("submit", &service)?;
    let sent: Document = serde_json::from_value(seen["document"].clone())?;
    // 4 workgroups of 8, 30 dispatches.
    assert_eq!(sent.runs.len(), 2);
    for run in &sent.runs {
        assert_eq!((run.iterations, run.instances, &run.failure), (30, 960, &None));
        let classes = &run.classes;
        let sum = classes.sequential
            + classes.interleaved
            + classes.weak
            + classes.forbidden
            + classes.other;
        assert_eq!(sum, 960);
    }
    // The database has a row with the document as it was shown before submission.
    let rows = rusqlite::Connection::open(database(folder.path()))?;
    let kept: String = rows.query_row(
        "SELECT document FROM submissions WHERE id = ?1",
        [seen["id"].as_i64().unwrap()],
        |row| row.get(0),
    )?;
    assert_eq!(serde_json::from_str::<Document>(&kept)?, sent);
    let result = seen["result"].as_str().unwrap();
    assert!(result.contains("mp-two-locations") && result.contains("by-hand"), "{result}");
    assert!(seen["histogram"].as_str().unwrap().contains("sequential"));
    assert_eq!((&seen["restored"], &seen["state"]), (&json!(8), &json!("idle")));
    Ok(())
}

fn environments() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let sent: Document =
        serde_json::from_value(seen("environments", &service)?["document"].clone())?;
    let recipe: Recipe = serde_json::from_value(
        json!({"seed": "rbjnMzXroA", "number": 3, "maxWorkgroups": 32, "maxWorkgroupSize": 32}),
    )?;
    assert_eq!(sent.environments, recipe.environments().collect::<Vec<_>>());
    Ok(())
}

fn tuned() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let seen = seen("tune", &service)?;
    let (before, after) = (seen["before"].as_u64().unwrap(), seen["after"].as_u64().unwrap());
    assert!((2..24).contains(&before), "{before}");
    assert_eq!(before, after);
    let sent: Document = serde_json::from_value(seen["document"].clone())?;
    assert_eq!((sent.runs.len(), sent.environments.len()), (24, 8));
    assert_eq!(service.get("/api/health").json()["submissions"], 1);
    Ok(())
}

fn campaign() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--rate", "0"]);
    let announced =
        service.post_as_host("/api/campaigns", &proposal("in-the-browser", 2).to_string());
    assert_eq!(announced.status, 201);
    seen("campaign", &service)?;
    let answer = service.get("/api/campaigns/in-the-browser/results");
    let results: Document = serde_json::from_str(&answer.text)?;
    assert_eq!((results.runs.len(), results.stopped), (20, false));
    Checker::default().check(&results)?;
    Ok(())
}

fn looks() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &[]);
    // Long names, which would be wider than their column.
    let mut long =
        document("a-seed-that-is-so-long-that-it-does-not-fit-a-phone-unless-it-is-broken");
    long.target.name =
        "ANGLE_Vulkan_llvmpipe_with_a_name_that_has_no_space_at_all_and_goes_on_and_on".to_owned();
    assert_eq!(service.post("/api/submissions", &text(&long)).status, 201);
    let announced =
        service.post_as_host("/api/campaigns", &proposal("in-the-browser", 2).to_string());
    assert_eq!(announced.status, 201);
    let seen = seen("looks", &service)?;
    assert_eq!(seen["wide"], json!([]));
    assert_ne!(seen["backgrounds"]["light"], seen["backgrounds"]["dark"]);
    Ok(())
}

fn keyboard() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let seen = seen("keyboard", &service)?;
    assert_eq!(seen["first"]["id"], "skip");
    assert_eq!(seen["unseen"], json!([]));
    Ok(())
}

fn without() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    assert_eq!(service.post("/api/submissions", &text(&document("of others"))).status, 201);
    let seen = seen("without", &service)?;
    assert!(seen["explore"].as_str().unwrap().contains("WebGPU"), "{seen}");
    assert_eq!(seen["isOff"], true);
    assert!(seen["result"].as_str().unwrap().contains("of others"), "{seen}");
    Ok(())
}
