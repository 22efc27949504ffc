use super::fixture::{several, source};
use crate::mutate::report::stryker::report;
use crate::mutate::results::Results;
use insta::assert_snapshot;
use serde_json::Value;

/// The schema of `mutation-testing-report-schema` 3.8.4 on npm, Apache License 2.0.
const SCHEMA: &str = include_str!("mutation-testing-report-schema.json");

fn value(results: &Results, source: &dyn Fn(&str) -> Option<String>) -> Value {
    serde_json::from_str(&report(results, source, None)).unwrap()
}

#[test]
fn a_report_for_stryker() {
    assert_snapshot!(report(&several(), &source, Some("/home/user/kernels")));
}

#[test]
fn reports_are_as_their_schema_says() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let reports = [
        serde_json::from_str(&report(&several(), &source, Some("/home"))).unwrap(),
        value(&several(), &|_| None),
        value(&Results::default(), &|_| None),
    ];
    for report in &reports {
        holds(&schema, &schema, report, "report");
    }
}

/// Checks that the validation above can fail.
#[test]
fn schema_check_rejects_invalid_reports() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let path = "/files/kernels~1spmv.rs/mutants/0";
    let ways: [(&str, Value); 5] = [
        ("/status", "killed".into()),
        ("/location/start/line", 0.into()),
        ("/location/end/column", Value::Null),
        ("/killedBy", "a test".into()),
        ("/duration", "1 s".into()),
    ];
    for (field, wrong) in ways {
        let mut report = value(&several(), &source);
        *report.pointer_mut(&format!("{path}{field}")).unwrap() = wrong;
        let seen = std::panic::catch_unwind(|| holds(&schema, &schema, &report, "report"));
        assert!(seen.is_err(), "{field}");
    }
}

/// Panics if `value` does not conform to `schema`, if it has unknown properties, or if the schema uses a keyword that
/// is not implemented here.
fn holds(root: &Value, schema: &Value, value: &Value, at: &str) {
    let properties = schema.get("properties");
    for (word, says) in schema.as_object().unwrap() {
        match word.as_str() {
            "$ref" => {
                let path = says.as_str().unwrap().trim_start_matches('#');
                holds(root, root.pointer(path).unwrap(), value, at);
            }
            "type" => {
                let is = match says.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_u64(),
                    "number" => value.is_number(),
                    "boolean" => value.is_boolean(),
                    other => panic!("type {other}"),
                };
                assert!(is, "{at} is no {says}: {value}");
            }
            "required" => says.as_array().unwrap().iter().for_each(|key| {
                assert!(value.get(key.as_str().unwrap()).is_some(), "{at} has no {key}");
            }),
            "properties" => value.as_object().unwrap().iter().for_each(|(key, value)| {
                let at = format!("{at}.{key}");
                holds(root, says.get(key).unwrap_or_else(|| panic!("{at} is unknown")), value, &at);
            }),
            "additionalProperties" => value.as_object().unwrap().iter().for_each(|(key, value)| {
                assert!(properties.is_none());
                holds(root, says, value, &format!("{at}.{key}"));
            }),
            "items" => value.as_array().unwrap().iter().enumerate().for_each(|(index, value)| {
                holds(root, says, value, &format!("{at}[{index}]"));
            }),
            "uniqueItems" => {
                let items = value.as_array().unwrap();
                let distinct = |(index, of)| !items[..index].contains(of);
                assert!(items.iter().enumerate().all(distinct), "{at} has one of them twice");
            }
            "enum" => assert!(says.as_array().unwrap().contains(value), "{at} is {value}"),
            "minimum" => assert!(value.as_f64() >= says.as_f64(), "{at} is {value}"),
            "maximum" => assert!(value.as_f64() <= says.as_f64(), "{at} is {value}"),
            // The pattern of the version; only this number matches it.
            "pattern" => assert_eq!(value, "2", "{at}"),
            "$schema" | "$id" | "title" | "description" | "examples" | "format" | "definitions" => {
            }
            other => panic!("the schema says {other}"),
        }
    }
}

/// Returns the text at a location of the report, computed as Stryker's script does.
fn cut(file: &Value, location: &Value) -> String {
    let text = file["source"].as_str().unwrap();
    let number = |of: &Value| usize::try_from(of.as_u64().unwrap()).unwrap();
    let offset = |of: &Value| {
        let lines = text.split_inclusive('\n').take(number(&of["line"]) - 1);
        lines.map(|line| line.encode_utf16().count()).sum::<usize>() + number(&of["column"]) - 1
    };
    let units: Vec<u16> = text.encode_utf16().collect();
    String::from_utf16(&units[offset(&location["start"])..offset(&location["end"])]).unwrap()
}

#[test]
fn places_cut_out_what_is_replaced() {
    for from in [&source as &dyn Fn(&str) -> Option<String>, &|_| None] {
        let report = value(&several(), from);
        for mutant in &several().mutants {
            let file = &report["files"][&mutant.file];
            let all = file["mutants"].as_array().unwrap();
            let own = all.iter().find(|of| of["id"] == mutant.id.as_str()).unwrap();
            assert_eq!(cut(file, &own["location"]), mutant.original);
        }
    }
}

#[test]
fn every_test_that_a_mutant_names_is_known() {
    let mut results = several();
    // Merged results may lack the tests.
    results.tests.clear();
    let report = value(&results, &source);
    let files = report["testFiles"].as_object().unwrap().values();
    let known: Vec<&Value> =
        files.flat_map(|file| file["tests"].as_array().unwrap()).map(|test| &test["id"]).collect();
    let mutants =
        report["files"].as_object().unwrap().values().flat_map(|of| of["mutants"].as_array());
    let mut named = 0;
    for mutant in mutants.flatten() {
        for test in
            ["coveredBy", "killedBy"].iter().filter_map(|key| mutant[key].as_array()).flatten()
        {
            assert!(known.contains(&test), "{test}");
            named += 1;
        }
    }
    assert!(named > 10);
}

#[test]
fn separators_of_windows_make_folders() {
    let mut results = several();
    results.mutants.iter_mut().for_each(|of| of.file = of.file.replace('/', "\\"));
    let windows = |file: &str| source(&file.replace('\\', "/"));
    assert_eq!(value(&results, &windows)["files"], value(&several(), &source)["files"]);
}
