//! `docs/corpus.md`: what was found in each shader, and how much of it ran.

use super::manifest::Manifest;
use super::{Checked, fetched, zero_config};
use crate::support::{long, long_name, root};
use libtest_mimic::{Completion, Failed, Trial};
use std::fmt::Write;

/// Compares the findings in the table with what is found now; writes it if `HIRACE_UPDATE` is set.
pub fn trial() -> Trial {
    let name = long_name("corpus::table_is_up_to_date_and_most_sites_run");
    long(Trial::ignorable_test(name, || {
        let manifest = Manifest::read();
        for krate in &manifest.crates {
            if let ignored @ Completion::Ignored { .. } = fetched(krate, || Ok(()))? {
                return Ok(ignored);
            }
        }
        check(&manifest).map(|()| Completion::Completed)
    }))
}

fn check(manifest: &Manifest) -> Result<(), Failed> {
    let mut shares = Vec::new();
    let mut rows = String::new();
    for krate in &manifest.crates {
        for shader in &krate.shaders {
            let checked = zero_config(krate, shader)?;
            if let Some(share) = share(&checked) {
                shares.push(share);
            }
            let Checked { findings, verdict, entries, sites, executed } = checked;
            let findings: Vec<String> = findings.into_iter().collect();
            let findings = if findings.is_empty() { "none".into() } else { findings.join(", ") };
            let why = shader.why.as_deref().unwrap_or_default().replace('\n', " ");
            let _ = writeln!(
                rows,
                "| {} {} | `{}` | {entries} | {executed}/{sites} | {verdict} | {findings} | {why} |",
                krate.name, krate.version, shader.path
            );
        }
    }
    shares.sort_by(f64::total_cmp);
    let median = shares.get(shares.len() / 2).copied().unwrap_or_default();
    let text =
        format!("{HEAD}\nMedian share of access sites executed: {median:.0} %.\n\n{COLUMNS}{rows}");
    let path = root().join("docs/corpus.md");
    if std::env::var_os("HIRACE_UPDATE").is_some() {
        std::fs::create_dir_all(root().join("docs"))?;
        std::fs::write(&path, &text)?;
    }
    if median < 80.0 {
        return Err(format!("the median of executed access sites is {median:.1} %").into());
    }
    if essence(&std::fs::read_to_string(&path)?) != essence(&text) {
        return Err("docs/corpus.md is not what was found; run this with HIRACE_UPDATE=1".into());
    }
    Ok(())
}

/// What must not be out of date in the table: which shaders, what was found, and why. How much of
/// each ran may be.
fn essence(table: &str) -> Vec<Vec<&str>> {
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let kept = [1, 2, 6, 7];
    cells.map(|row| kept.iter().filter_map(|at| row.get(*at).copied()).collect()).collect()
}

/// How many of its access sites ran, of 100; `None` if it has none.
fn share(checked: &Checked) -> Option<f64> {
    (checked.sites > 0).then(|| 100.0 * checked.executed as f64 / checked.sites as f64)
}

const HEAD: &str = "\
# Shaders from published crates

What `hirace check FILE` finds, with nothing given but the file, in compute shaders that were written
without it. They are taken from the registry when the tests run (`tests/corpus.toml`); this table is
written by `HIRACE_UPDATE=1 cargo test -p hirace-cli --test it corpus::table`.

*Sites* are the access sites of all entry points: those that at least two invocations executed, and
how many there are. A finding is *certain* if it follows from the file, and *possible* if it hangs on
contents, lengths or a grid that were guessed.
";

const COLUMNS: &str = "\
| crate | shader | launches | sites | verdict | findings | what is behind them |
|---|---|---|---|---|---|---|
";
