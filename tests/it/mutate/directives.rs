//! Tests of comments that are directives for mutants.

use super::schema::is_of_schema;
use super::{KERNEL, Test, ensure, holds, mutants, mutate, results, statuses};
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("what_is_to_be_skipped_is_not_judged", skipped),
    ("what_is_expected_to_survive_may", survives),
    ("an_expectation_that_does_not_hold_fails_the_run", unmet),
    ("a_comment_that_speaks_of_no_mutant_is_named", idle),
    ("a_comment_that_cannot_be_read_is_an_error_at_its_line", bad),
];

/// Writes the kernel with a comment at the end of line 3, the `if`.
fn at_the_if(folder: &Path, comment: &str) -> Result<(), Failed> {
    let text = KERNEL.replace("(a > 5u) {", &format!("(a > 5u) {{ // hirace: {comment}"));
    Ok(fs::write(folder.join("kernel.wgsl"), text)?)
}

fn skipped(folder: &Path) -> Result<(), Failed> {
    at_the_if(folder, "skip mutants(relational): a guard")?;
    let (ended, json) = results(folder, &["--fail-under", "100"])?;
    ensure(ended.status == Some(0), &ended)?;
    is_of_schema(&json)?;
    let own: Vec<_> = mutants(&json).iter().filter(|of| of["class"] == "relational").collect();
    holds(own.len() == 3 && own.iter().all(|of| of["status"] == "skipped"), &json)?;
    holds(own.iter().all(|of| of["directive"]["reason"] == "a guard"), &json)?;
    let text = mutate(folder, &[]);
    ensure(text.stdout.contains("not counted   3 skipped"), &text)
}

fn survives(folder: &Path) -> Result<(), Failed> {
    at_the_if(folder, "expect survived(greater-to-greater-equal): 5 stays 5")?;
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(0), &ended)?;
    is_of_schema(&json)?;
    let own = mutants(&json).iter().find(|of| of["operator"] == "greater-to-greater-equal");
    let says = own.map(|own| own["directive"].clone()).unwrap_or_default();
    holds(says["kind"] == "expect-survived" && says["holds"] == true, &json)?;
    // The mutant still survives.
    holds(statuses(&json, "greater-to-greater-equal") == ["survived"], &json)
}

fn unmet(folder: &Path) -> Result<(), Failed> {
    for (comment, status) in [
        ("expect survived(greater-to-less)", 1),
        ("expect killed(relational)", 1),
        ("expect killed(greater-to-less)", 0),
        ("expect survived", 1),
    ] {
        at_the_if(folder, comment)?;
        let ended = mutate(folder, &[]);
        ensure(ended.status == Some(status), &ended)?;
        // In either case the table is printed.
        ensure(ended.stdout.contains("score"), &ended)?;
        // A mutant that is not judged contradicts no directive.
        let listed = mutate(folder, &["--list"]);
        ensure(listed.status == Some(0), &listed)?;
    }
    Ok(())
}

fn idle(folder: &Path) -> Result<(), Failed> {
    at_the_if(folder, "skip mutants(barrier): there is none")?;
    let ended = mutate(folder, &[]);
    ensure(ended.status == Some(0), &ended)?;
    ensure(
        ended.stderr.contains("kernel.wgsl:3:")
            && ended.stderr.contains("this directive applies to no mutant"),
        &ended,
    )?;
    // Mutants that are not selected exist nevertheless.
    at_the_if(folder, "skip mutants(relational)")?;
    let ended = mutate(folder, &["--operator", "arithmetic"]);
    ensure(ended.status == Some(0) && !ended.stderr.contains("applies to no mutant"), &ended)?;
    at_the_if(folder, "skip mutants(barrier)")?;
    let quiet = mutate(folder, &["-q"]);
    ensure(quiet.status == Some(0) && quiet.stderr.is_empty(), &quiet)
}

fn bad(folder: &Path) -> Result<(), Failed> {
    for comment in ["skip mutant", "expect nothing", "skip mutants(gup)", "expect killed why"] {
        at_the_if(folder, comment)?;
        for arguments in [&[][..], &["--list"]] {
            let ended = mutate(folder, arguments);
            ensure(ended.status == Some(2) && ended.stderr.contains("kernel.wgsl:3:"), &ended)?;
        }
    }
    Ok(())
}
