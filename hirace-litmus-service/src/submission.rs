//! Reads and checks submissions.

use crate::body;
use crate::problem::Problem;
use crate::store::submissions::{Device, Kind, NewSubmission, Outline};
use hirace_litmus::results::check::{Checker, check_name, check_software};
use hirace_litmus::results::published::PublishedResults;
use hirace_litmus::results::table::{Side, Table};
use hirace_litmus::results::{Document, Target};
use hirace_litmus::test::Specification;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;

/// The name of a device whose document does not state one.
const UNKNOWN: &str = "unknown";

/// The maximum number of tests in published results: there are 52 tests.
const MAX_TESTS: usize = 500;

/// The maximum length of the description of a platform as JSON, in bytes.
const MAX_PLATFORM_BYTES: usize = 64 << 10;

/// The field that distinguishes the two kinds of documents: published results do not have it.
#[derive(Deserialize)]
#[serde(expecting = "results, as a JSON object")]
struct Probe {
    schema: Option<serde::de::IgnoredAny>,
}

/// The options for reading a submission.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// How tests were run.
    pub side: Side,
    /// The name of the submission in an analysis; the default is its number.
    pub file: Option<String>,
    /// The name of the device if the document has none.
    pub device: Option<String>,
    /// Whether runs whose counts do not add up are accepted. Some published results contain such runs.
    pub miscounted: bool,
}

impl ReadOptions {
    /// The options for submissions over the API.
    pub const FROM_API: Self =
        Self { side: Side::Plain, file: None, device: None, miscounted: false };
}

/// Reads a submission: either a `hirace.litmus/1` document or published results.
///
/// # Errors
/// The text is not a document, or the document is inconsistent.
pub fn read(
    text: &[u8],
    checker: &Checker,
    options: &ReadOptions,
) -> Result<NewSubmission, Problem> {
    let probe: Probe = body::parse(text)?;
    match probe.schema {
        Some(_) => read_litmus(text, checker, options),
        None => read_published(text, options),
    }
}

fn read_litmus(
    text: &[u8],
    checker: &Checker,
    options: &ReadOptions,
) -> Result<NewSubmission, Problem> {
    let document: Document = checker.complete(body::parse(text)?)?;
    if document.runs.is_empty() {
        return Err(Problem::unprocessable("no runs").at("runs"));
    }
    let Target { name, vendor, driver, operating_system, browser } = document.target.clone();
    let outline = Outline {
        verb: Some(document.verb),
        specification: Some(document.specification.clone()),
        seed: Some(document.settings.seed.clone()),
        environments: document.environments.len(),
        tests: document.tests.len(),
        runs: document.runs.len(),
        instances: document.runs.iter().fold(0, |sum, run| run.instances.saturating_add(sum)),
        killed: document.summary.killed,
        mutants: document.summary.total,
        violations: document.summary.violations.clone(),
        operating_system,
        browser,
    };
    let text = serde_json::to_string(&document).map_err(|e| Problem::malformed(e.to_string()))?;
    Ok(NewSubmission {
        kind: Kind::Litmus,
        side: options.side,
        file: options.file.clone(),
        device: Device { device: name, vendor, driver },
        outline,
        document: text,
    })
}

fn read_published(text: &[u8], options: &ReadOptions) -> Result<NewSubmission, Problem> {
    let mut document: PublishedResults = body::parse(text)?;
    if document.entries.iter().all(|entry| entry.runs.is_empty()) {
        return Err(Problem::unprocessable("no runs"));
    }
    let names = document.entries.iter().flat_map(|entry| &entry.runs).map(|(name, _)| name);
    if names.collect::<BTreeSet<_>>().len() > MAX_TESTS {
        return Err(Problem::unprocessable(format!("more than {MAX_TESTS} tests")));
    }
    let miscounted = document.find_miscounted();
    if let (false, Some(first)) = (options.miscounted, miscounted.first()) {
        let why = format!("{} instances ran, but {} are counted", first.ran, first.counted);
        return Err(Problem::unprocessable(why).at(format!("{}.{}", first.entry, first.test)));
    }
    // Personal data of users is not stored.
    document.user = None;
    if document
        .platform
        .as_ref()
        .is_some_and(|platform| json!(platform).to_string().len() > MAX_PLATFORM_BYTES)
    {
        let why = format!("longer than {MAX_PLATFORM_BYTES} bytes");
        return Err(Problem::unprocessable(why).at("platformInfo"));
    }
    for what in ["description", "device", "architecture", "vendor"] {
        check_name(&format!("platformInfo.gpu.{what}"), document.gpu(what).unwrap_or_default())?;
    }
    for (what, at) in [("os", "platformInfo.os"), ("browser", "platformInfo.browser")] {
        check_software(at, document.software(what).as_ref())?;
    }
    check_name("randomSeed", document.random_seed.as_deref().unwrap_or_default())?;
    let gpu = ["description", "device", "architecture"].iter().find_map(|what| document.gpu(what));
    let device = gpu.or(options.device.as_deref()).unwrap_or(UNKNOWN);
    let device = Device {
        device: device.to_owned(),
        vendor: document.gpu("vendor").unwrap_or(UNKNOWN).to_owned(),
        driver: UNKNOWN.to_owned(),
    };
    let specification = Specification::Wgsl2022;
    let table = Table::of_published(&document, &device.device, options.side, specification)
        .map_err(|twice| Problem::unprocessable(twice.to_string()))?;
    let tests: BTreeSet<&str> = table.tests.iter().map(|column| &column.name[..]).collect();
    let mutants = table.mutants().count();
    let failed = table.tests.iter().filter(|column| {
        matches!(column.role, hirace_litmus::results::role::Role::Conformance(_))
            && column.is_found()
    });
    let runs = table.tests.iter().flat_map(|column| &column.runs);
    let outline = Outline {
        verb: None,
        specification: Some(specification.name().to_owned()),
        seed: document.random_seed.clone(),
        environments: table.environments(),
        tests: tests.len(),
        runs: runs.clone().count(),
        instances: runs.fold(0, |sum, (_, run)| run.instances().saturating_add(sum)),
        killed: table.mutants().filter(|column| column.is_found()).count(),
        mutants,
        violations: failed.map(|column| column.name.clone()).collect(),
        operating_system: document.software("os"),
        browser: document.software("browser"),
    };
    Ok(NewSubmission {
        kind: Kind::Published,
        side: options.side,
        file: options.file.clone(),
        device,
        outline,
        document: document.text(),
    })
}
