//! `results.csv` as the files that it was made of. Tests of several crates have this file as a module.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const RESULTS: &str = include_str!("results.csv");

/// The files, each by the folder that it lies in and its name without `.json`. What they say of environments beside the testing
/// workgroups is not in there: that is as in `basic`.
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

/// The rows of a file, each a test, and what it has in each environment.
type Rows = Vec<(String, Vec<String>)>;

/// The file that the rows were made of.
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
