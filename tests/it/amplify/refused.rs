//! Tests of what `hirace amplify` cannot run.

use super::{LISTED, Test, amplify, ensure};
use libtest_mimic::Failed;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("what_is_no_schedule_is_refused", schedules),
    ("flags_of_launches_beside_a_command_are_refused", beside),
    ("a_command_that_runs_no_tests_is_an_error", no_tests),
    ("nothing_to_launch_is_an_error", nothing),
];

fn schedules(folder: &Path) -> Result<(), Failed> {
    let wrong: [(&[&str], &str); 19] = [
        (&["--replay", "target:1"], "no schedule is called `target`"),
        (&["--replay", "target-first"], "workgroup"),
        (&["--replay", "0/serial"], "the first is 1"),
        (&["--strategy", "first"], "no strategy is called `first`"),
        (&["--strategy", "first"], "one workgroup runs to completion before all others start"),
        (&["--schedules", "0"], "--schedules"),
        (&["--tolerance=-1"], "expected a number that is not negative"),
        (&["--tolerance", "NaN"], "expected a number that is not negative"),
        (&["--shard", "3/2"], "expected K/N"),
        (&["--schedules", "4294967295"], "limit of 1000000"),
        (&["--schedules", "100001"], "is not in 1..=100000"),
        (&["--depth", "65"], "65 is not in 1..=64"),
        (&["--compare", "itmes"], "no launch writes a buffer or texture `itmes`"),
        (&["--as-set", "itmes"], "did you mean `items`?"),
        (&["--replay", "2/serial"], "`2/serial` names dispatch 2, but `append` has 1"),
        (&["--replay", "18446744073709551615/serial"], "but `append` has 1"),
        (&["--replay", "target-first:99"], "names a workgroup that `append` does not have"),
        (&["--replay", "target-first:3"], "its workgroups are numbered from 0, and there are 3"),
        (
            &["--replay", "target-first:18446744073709551615"],
            "its workgroups are numbered from 0, and there are 3",
        ),
    ];
    for (arguments, said) in wrong {
        let ended = amplify(folder, &[&LISTED[..], arguments].concat());
        ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)?;
    }
    Ok(())
}

fn beside(folder: &Path) -> Result<(), Failed> {
    let ended = amplify(folder, &["list.wgsl", "--", "true"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("a test command cannot"), &ended)
}

fn no_tests(folder: &Path) -> Result<(), Failed> {
    let ended = amplify(folder, &["--", "true"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("ran no tests"), &ended)
}

fn nothing(folder: &Path) -> Result<(), Failed> {
    let ended = amplify(folder, &[]);
    ensure(ended.status == Some(2) && ended.stderr.contains("no file"), &ended)
}
