//! Expands `results.csv` to the files from which it was made. Tests of several crates include this file as a module.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const RESULTS: &str = include_str!("results.csv");

/// Returns the files, each by its folder and its name without `.json`. Their descriptions of environments, except for the
/// testing workgroups, are not included: those are as in `basic`.
pub fn files(basic: &Value) -> BTreeMap<(String, String), String> {
    let mut files: BTreeMap<(String, String), Rows> = BTreeMap::new();
    for line in RESULTS.lines() {
        let mut cells = line.split(',').map(str::to_owned);
        let mut next = || cells.next().unwrap();
        let (file, test) = ((next(), next()), next());
        files.entry(file).or_default().push((test, cells.collect()));
    }
    files.into_iter().map(|(file, rows)| (file, published(&rows, basic))).collect()
}

/// The rows of a file, one per test, with its results in each environment.
type Rows = Vec<(String, Vec<String>)>;

/// Returns the file from which the rows were made.
fn published(rows: &Rows, basic: &Value) -> String {
    let [(first, workgroups), tests @ ..] = &rows[..] else { panic!("no rows") };
    assert_eq!(first, "testingWorkgroups");
    let entry = |(number, workgroups): (usize, &String)| {
        let workgroups: u64 = workgroups.parse().unwrap();
        let mut params = basic.clone();
        params["testingWorkgroups"] = json!(workgroups);
        params["maxWorkgroups"] = json!(workgroups);
        let mut entry: Map<String, Value> = Map::from_iter([("params".to_owned(), params)]);
        for (test, cells) in tests {
            let ran = if test.contains("Single") { 300 } else { 25_600 * workgroups };
            let figures: Vec<u64> =
                cells[number].split('/').map(|figure| figure.parse().unwrap()).collect();
            let (interleaved, weak, milliseconds) = (figures[0], figures[1], figures[2]);
            let sequential = figures.get(3).copied().unwrap_or_else(|| ran - interleaved - weak);
            entry.insert(
                test.clone(),
                json!({
                    "seq": sequential,
                    "interleaved": interleaved,
                    "weak": weak,
                    "durationSeconds": milliseconds as f64 / 1000.0,
                }),
            );
        }
        (number.to_string(), Value::Object(entry))
    };
    Value::Object(workgroups.iter().enumerate().map(entry).collect()).to_string()
}
