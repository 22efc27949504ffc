//! The page `docs/book/reference/command-line.md` has the current help of each command. `--bless` writes it.

use crate::support::{hirace, root, run};
use hirace_testing::harness::Trial;
use hirace_testing::{Tier, check_up_to_date};
use libtest_mimic::Failed;
use std::fmt::Write as _;
use std::time::Duration;

/// The line of the page after which this test writes.
const BEGIN: &str = "<!-- written by a test from here -->\n";

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("command_page::is_up_to_date", compare).in_tier(Tier::Ci)]
}

fn compare() -> Result<(), Failed> {
    let path = root().join("docs/book/reference/command-line.md");
    let page = std::fs::read_to_string(&path)?.replace("\r\n", "\n");
    let (head, _) = page.split_once(BEGIN).ok_or("the page has no marker")?;
    let mut generated = format!("{head}{BEGIN}");
    write_help(&mut generated, &[], &help(&[])?)?;
    check_up_to_date(&path, &generated)?;
    Ok(())
}

/// Writes the help of a command and of its subcommands. Sections that the help of `hirace` has too are left out.
fn write_help(page: &mut String, command: &[String], common: &str) -> Result<(), Failed> {
    let text = help(command)?;
    let sections: Vec<&str> = text.trim_end().split("\n\n").collect();
    let is_own = |section: &&str| {
        command.is_empty() || !common.split("\n\n").any(|of| of.trim_end() == section.trim_end())
    };
    let own: Vec<&str> = sections.iter().copied().filter(is_own).collect();
    let title = ["hirace"]
        .into_iter()
        .chain(command.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ");
    write!(page, "\n## `{title}`\n\n```text\n{}\n```\n", own.join("\n\n"))?;
    for name in subcommands(&text).filter(|name| *name != "help") {
        let command: Vec<String> = command.iter().cloned().chain([name.to_owned()]).collect();
        write_help(page, &command, common)?;
    }
    Ok(())
}

/// Returns the short help of a command.
fn help(command: &[String]) -> Result<String, Failed> {
    let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["-h"]).collect();
    let mut program = hirace(&arguments);
    // A terminal's width would change where lines are broken.
    let output = run(program.env_remove("COLUMNS"), Duration::from_secs(30));
    match output.status {
        Some(0) => Ok(output.stdout.replace("\r\n", "\n")),
        _ => Err(format!("{arguments:?}: {}", output.stderr).into()),
    }
}

/// Returns the names in the section `Commands` of a help text.
fn subcommands(help: &str) -> impl Iterator<Item = &str> {
    let section = help.split("\n\n").find_map(|section| section.strip_prefix("Commands:\n"));
    section.unwrap_or_default().lines().filter_map(|line| {
        let line = line.strip_prefix("  ")?;
        (!line.starts_with(' ')).then(|| line.split_whitespace().next())?
    })
}
