//! The shell blocks of the book run, and print what the book shows. A block of the class `sh` runs in the root of the repository;
//! a block `text` directly after it is its standard output. `--bless` writes the current output into the pages.

use crate::support::{root, run};
use hirace_testing::harness::{Need, Trial};
use hirace_testing::{Tier, check_up_to_date};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

pub fn trials() -> Vec<Trial> {
    let mut pages = vec![];
    find_pages(&root().join("docs/book"), &mut pages);
    pages.sort();
    let trial = |page: PathBuf| {
        let name = page.strip_prefix(root()).unwrap_or(&page).display().to_string();
        let trial = Trial::test(format!("book::{name}"), move || check(&page));
        trial.in_tier(Tier::Ci).needs(Need::program("bash", None))
    };
    pages.into_iter().map(trial).collect()
}

/// Adds the pages below `folder` that have a shell block which runs.
fn find_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md")
            && std::fs::read_to_string(&path).is_ok_and(|page| page.contains("```sh\n"))
        {
            pages.push(path);
        }
    }
}

/// Runs the shell blocks of a page, and compares their output with the page.
fn check(path: &Path) -> Result<(), Failed> {
    let page = std::fs::read_to_string(path)?.replace("\r\n", "\n");
    let mut generated = String::new();
    let mut rest = &*page;
    while let Some((before, after)) = rest.split_once("```sh\n") {
        let (script, after) = after.split_once("```\n").ok_or("a block has no end")?;
        let output = output(script)?;
        generated.push_str(&format!("{before}```sh\n{script}```\n"));
        rest = after;
        if let Some(shown) = after.strip_prefix("\n```text\n") {
            let (_, after) = shown.split_once("```\n").ok_or("a block has no end")?;
            generated.push_str(&format!("\n```text\n{output}```\n"));
            rest = after;
        }
    }
    generated.push_str(rest);
    Ok(check_up_to_date(path, &generated)?)
}

/// Returns what a script prints. The status must be one that `hirace` documents for runs that end normally.
fn output(script: &str) -> Result<String, Failed> {
    let binary = Path::new(env!("CARGO_BIN_EXE_hirace"));
    let folder = binary.parent().ok_or("the binary has no folder")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(&path)))?;
    // The test does not build the command again.
    let script = script.replace("cargo run --no-default-features -- ", "hirace ");
    let mut command = Command::new("bash");
    command.args(["-o", "pipefail", "-c", &script]).env("PATH", path).current_dir(root());
    let output = run(&mut command, LIMIT);
    // 141: `head` ended the pipe.
    match output.status {
        Some(0 | 1 | 4 | 141) if !output.timed_out => Ok(output.stdout),
        _ => Err(format!("{script}\n{output:#?}").into()),
    }
}
