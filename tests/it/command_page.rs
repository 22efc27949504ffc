//! The page `docs/book/reference/command-line.md` has the current help of each command. `--bless` writes it.

use crate::support::{hirace, root, run};
use hirace_testing::harness::Trial;
use hirace_testing::{Tier, check_part_up_to_date};
use libtest_mimic::Failed;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("command_page::is_up_to_date", compare).in_tier(Tier::Ci)]
}

fn compare() -> Result<(), Failed> {
    let path = root().join("docs/book/reference/command-line.md");
    let mut page = String::new();
    write_help(&mut page, &["hirace"], &BTreeSet::new())?;
    Ok(check_part_up_to_date(&path, &page)?)
}

/// Writes the help of a command and of its subcommands, except the sections in `known`, which the enclosing commands have too.
fn write_help(page: &mut String, command: &[&str], known: &BTreeSet<String>) -> Result<(), Failed> {
    let text = help(&command[1..])?;
    let sections: BTreeSet<String> = text.trim_end().split("\n\n").map(str::to_owned).collect();
    let own: Vec<&str> = text.trim_end().split("\n\n").filter(|of| !known.contains(*of)).collect();
    write!(page, "\n## `{}`\n\n```text\n{}\n```\n", command.join(" "), own.join("\n\n"))?;
    let known = &sections | known;
    for name in subcommands(&text).filter(|name| *name != "help") {
        write_help(page, &[command, &[name]].concat(), &known)?;
    }
    Ok(())
}

/// Returns the short help of a command.
fn help(command: &[&str]) -> Result<String, Failed> {
    let arguments = [command, &["-h"]].concat();
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
