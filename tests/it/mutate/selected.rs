//! Tests of which mutants exist, and of their selection.

use super::schema::is_of_schema;
use super::{KERNEL, LIMIT, Test, ensure, holds, mutants, mutate, results};
use crate::support::{hirace, run};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

pub const TESTS: &[(&str, Test)] = &[
    ("a_list_names_each_mutant_and_launches_nothing", list),
    ("a_list_is_written_where_a_report_is_asked_for", list_to_files),
    ("operators_places_functions_and_ids_select", filters),
    ("what_selects_nothing_is_an_error", nothing),
    ("a_diff_selects_the_lines_that_it_changes", diff),
    ("shards_are_parts_of_all", shards),
];

fn list(folder: &Path) -> Result<(), Failed> {
    // Failing tests and a launch that does not terminate: neither matters for a list.
    let suite = fs::read_to_string(folder.join("hirace.toml"))?;
    fs::write(folder.join("hirace.toml"), suite.replace("[1, 2,", "[7, 2,"))?;
    fs::write(folder.join("kernel.wgsl"), KERNEL.replace("return a;", "loop {} return a;"))?;
    let ended = mutate(folder, &["--list"]);
    ensure(ended.status == Some(0), &ended)?;
    let lines: Vec<&str> = ended.stdout.lines().collect();
    ensure(lines.contains(&"kernel.wgsl:3:11: replace > with >= in least"), &ended)?;
    let (json_ended, json) = results(folder, &["--list"])?;
    ensure(json_ended.status == Some(0), &json_ended)?;
    is_of_schema(&json)?;
    holds(mutants(&json).len() == lines.len() && lines.len() > 5, &json)?;
    holds(statuses_are_unknown(&json) && json["tests"] == Value::Array(Vec::new()), &json)?;
    // A file needs neither flags nor a configuration.
    fs::remove_file(folder.join("hirace.toml"))?;
    let alone = mutate(folder, &["--list", "kernel.wgsl"]);
    ensure(alone.status == Some(0) && alone.stdout == ended.stdout, &alone)?;
    ensure(!folder.join(".hirace/mutate").exists(), &alone)
}

/// Returns whether nothing was judged. Mutants that compile to the same code are known to be equivalent.
fn statuses_are_unknown(json: &Value) -> bool {
    let known = mutants(json).iter().filter_map(|mutant| mutant["status"].as_str());
    known.into_iter().all(|status| status == "equivalent")
}

fn list_to_files(folder: &Path) -> Result<(), Failed> {
    let ended =
        mutate(folder, &["--list", "--report", "json=list.json", "--report", "text=list.txt"]);
    let json: Value = serde_json::from_str(&fs::read_to_string(folder.join("list.json"))?)?;
    is_of_schema(&json)?;
    let text = fs::read_to_string(folder.join("list.txt"))?;
    ensure(ended.status == Some(0) && text == ended.stdout && !text.is_empty(), &ended)?;
    let quiet = mutate(folder, &["--list", "-q"]);
    ensure(quiet.status == Some(0) && quiet.stdout.is_empty(), &quiet)
}

/// Returns the ids in the list with these flags.
fn ids(folder: &Path, flags: &[&str]) -> Result<Vec<String>, Failed> {
    let (ended, json) = results(folder, &[&["--list"], flags].concat())?;
    ensure(ended.status == Some(0), &ended)?;
    let id = |mutant: &Value| mutant["id"].as_str().unwrap_or_default().to_owned();
    Ok(mutants(&json).iter().map(id).collect())
}

fn filters(folder: &Path) -> Result<(), Failed> {
    let all = ids(folder, &[])?;
    let same = |one: &[&str], other: &[&str]| -> Result<(), Failed> {
        let (found, others) = (ids(folder, one)?, ids(folder, other)?);
        match found == others && !found.is_empty() && found.len() < all.len() {
            true => Ok(()),
            false => Err(format!("{one:?} {found:?}\n{other:?} {others:?}").into()),
        }
    };
    same(&["--operator", "relational"], &["--at", "kernel.wgsl:3"])?;
    same(&["--operator", "relational"], &["--function", "least"])?;
    same(&["--function", "main"], &["--at", "./kernel.wgsl:8-11"])?;
    same(&["--function", "main"], &["--skip-function", "least"])?;
    same(
        &["--operator", "relational.greater-to-greater-equal"],
        &["--operator", "greater-to-greater-equal", "--skip-operator", "gpu"],
    )?;
    let (one, two) = (all[0].as_str(), all[all.len() - 1].as_str());
    let found = ids(folder, &["--id", one, "--id", two])?;
    if found != [one, two] {
        return Err(format!("{found:?}").into());
    }
    let without = ids(folder, &["--skip-operator", "relational"])?;
    let with = ids(folder, &["--operator", "relational"])?;
    if without.len() + with.len() != all.len() {
        return Err("excluding and selecting a class do not complement each other".into());
    }
    // Only what is selected is judged.
    let (ended, json) = results(folder, &["--id", one])?;
    holds(mutants(&json).len() == 1 && !mutants(&json)[0]["status"].is_null(), &json)?;
    ensure(ended.stderr.starts_with("1 mutant, 2 tests reach them"), &ended)
}

fn nothing(folder: &Path) -> Result<(), Failed> {
    let wrong: [(&[&str], &str); 7] = [
        (&["--operator", "relatoinal"], "unknown class of mutants `relatoinal`"),
        (&["--operator", "less-to-grater"], "no mutant of operator `less-to-grater`"),
        (&["--at", "other.wgsl"], "no mutant is in other.wgsl"),
        (&["--at", "kernel.wgsl:1-2"], "no mutant is in kernel.wgsl, lines 1 to 2"),
        (&["--function", "most"], "no mutant is in a function `most`"),
        (&["--skip-function", "most"], "no mutant is in a function `most`"),
        (&["--id", "0"], "no mutant has the id 0"),
    ];
    for (flags, said) in wrong {
        for list in [&["--list"][..], &[]] {
            let ended = mutate(folder, &[flags, list].concat());
            ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)?;
        }
    }
    for shard in ["0/2", "3/2", "1"] {
        let ended = mutate(folder, &["--shard", shard]);
        ensure(ended.status == Some(2) && ended.stderr.contains("expected K/N"), &ended)?;
    }
    Ok(())
}

/// Returns a diff that changes one line.
fn changes(file: &str, line: u32) -> String {
    format!("--- a/{file}\n+++ b/{file}\n@@ -{line} +{line} @@\n-old\n+new\n")
}

fn diff(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("changes.diff"), changes("kernel.wgsl", 3))?;
    let of_diff = ids(folder, &["--in-diff", "changes.diff"])?;
    if of_diff != ids(folder, &["--at", "kernel.wgsl:3"])? {
        return Err(format!("{of_diff:?}").into());
    }
    // From standard input.
    let mut child = hirace(&["mutate", "--list", "--in-diff", "-"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("no standard input")?;
    input.write_all(changes("kernel.wgsl", 3).as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    let lines = String::from_utf8_lossy(&output.stdout).lines().count();
    if lines != of_diff.len() || !output.status.success() {
        return Err(format!("{output:?}").into());
    }
    // If there is nothing to judge, that is not an error, and is reported.
    fs::write(folder.join("none.diff"), changes("kernel.wgsl", 1))?;
    let none = mutate(folder, &["--in-diff", "none.diff", "--fail-under", "100"]);
    ensure(none.status == Some(0), &none)?;
    ensure(none.stderr.contains("the diff changes no line that has a mutant"), &none)?;
    for text in ["what", "+++ b/k\n@@ -1 +1 @@\n*"] {
        fs::write(folder.join("bad.diff"), text)?;
        let bad = mutate(folder, &["--in-diff", "bad.diff"]);
        ensure(bad.status == Some(2) && bad.stderr.contains("the output of `git diff`"), &bad)?;
    }
    let missing = mutate(folder, &["--in-diff", "missing.diff"]);
    ensure(missing.status == Some(2) && missing.stderr.contains("cannot read"), &missing)?;
    let written = mutate(folder, &["--in-diff", "changes.diff", "--report", "json=changes.diff"]);
    ensure(written.status == Some(2) && written.stderr.contains("would overwrite"), &written)?;
    let kept = fs::read_to_string(folder.join("changes.diff"))?;
    ensure(kept == changes("kernel.wgsl", 3), &written)
}

fn shards(folder: &Path) -> Result<(), Failed> {
    let mut all = ids(folder, &[])?;
    let mut parts = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        parts.extend(ids(folder, &["--shard", shard])?);
    }
    all.sort();
    parts.sort();
    if all != parts {
        return Err(format!("{all:?}\n{parts:?}").into());
    }
    // An empty list is not an error.
    let ended =
        run(hirace(&["mutate", "--list", "--shard", "999/1000"]).current_dir(folder), LIMIT);
    ensure(ended.status == Some(0), &ended)
}
