//! Conversion of campaigns into the published form.

use super::{Entry, PublishedResults, Run};
use crate::environment::Layout;
use crate::results::{Buckets, Document, Software};
use crate::test::published;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

impl PublishedResults {
    /// Converts a campaign. Each environment becomes an entry with the tests that ran there, under the names of MC
    /// Mutants, or ours if a test has none. The form has three buckets: outcomes that are neither sequential nor meet
    /// the condition count as interleaved.
    pub fn of_campaign(document: &Document) -> Self {
        let mut entries: BTreeMap<usize, Entry> = BTreeMap::new();
        for (run, seconds) in document.timed_runs().filter(|(run, _)| run.instances > 0) {
            let Some(environment) = document.environments.get(run.environment) else { continue };
            let entry = entries.entry(run.environment).or_insert_with(|| Entry {
                number: run.environment as u32,
                parameters: Some(environment.parameters.clone()),
                runs: Vec::new(),
            });
            // All tests of an environment have the same number of iterations, unless they ended early.
            if let Some(parameters) = &mut entry.parameters {
                parameters.iterations = parameters.iterations.max(Some(run.iterations));
            }
            let buckets = Buckets::of(run, seconds);
            let rest = buckets.instances() - buckets.sequential - buckets.found;
            let name = named(&run.test, environment.layout == Layout::Single);
            let run = Run {
                sequential: buckets.sequential,
                interleaved: rest,
                weak: buckets.found,
                duration_seconds: buckets.seconds,
            };
            entry.runs.push((name, run));
        }
        Self {
            entries: entries.into_values().collect(),
            platform: platform(document),
            random_seed: Some(document.settings.seed.clone()),
            user: None,
        }
    }
}

fn named(ours: &str, single: bool) -> String {
    let known = published::of(ours).into_iter().find(|known| known.single_instance == single);
    known.map_or_else(|| ours.to_owned(), |known| known.published)
}

fn platform(document: &Document) -> Option<Map<String, Value>> {
    let target = &document.target;
    let gpu = json!({ "vendor": target.vendor, "description": target.name });
    let framework = format!("hirace, {}", target.driver);
    let mut platform =
        Map::from_iter([("gpu".to_owned(), gpu), ("framework".to_owned(), Value::from(framework))]);
    for (what, software) in [("os", &target.operating_system), ("browser", &target.browser)] {
        if let Some(Software { name, version }) = software {
            platform.insert(what.to_owned(), json!({ "vendor": name, "version": version }));
        }
    }
    Some(platform)
}
