//! Generates `docs/evaluation/corpus.md`: the findings in each shader, and how much of it ran.

use super::manifest::{Crate, Manifest, Shader};
use super::{CheckResult, run_if_fetched, zero_config};
use crate::support::root;
use hirace_testing::harness::Trial;
use hirace_testing::{Tier, options};
use libtest_mimic::{Completion, Failed};
use std::fmt::Write;

/// Returns the trial that compares the table with current findings, and writes the table with `--bless`. The trials of single
/// shaders compare the findings of each shader in the ci tier.
pub fn trials() -> Vec<Trial> {
    let name = "corpus::table_is_up_to_date_and_most_sites_run";
    vec![Trial::ignorable_test(name, compare).in_tier(Tier::Full)]
}

/// Compares the table, if all crates can be run_if_fetched.
fn compare() -> Result<Completion, Failed> {
    let crates = &Manifest::read().crates[..];
    for krate in crates {
        if let ignored @ Completion::Ignored { .. } = run_if_fetched(krate, || Ok(()))? {
            return Ok(ignored);
        }
    }
    let mut sections = String::new();
    for krate in crates.iter().filter(|krate| !krate.shaders.is_empty()) {
        let _ = write!(sections, "{}{}", heading(krate), section_of(krate)?);
    }
    let (figures, median) = figures(crates)?;
    let text = format!("{HEAD}\n{figures}\n{CERTAIN}{}\n{SHADERS}{sections}", certain(crates));
    let path = root().join(PATH);
    if options().bless {
        std::fs::write(&path, &text)?;
    }
    if median < 80.0 {
        return Err(format!("the median of executed access sites is {median:.1} %").into());
    }
    if essence(&std::fs::read_to_string(&path)?) != essence(&text) {
        return Err(OUT_OF_DATE.into());
    }
    Ok(Completion::Completed)
}

/// A predicate for the shaders of a part of the corpus.
type IsOf = dyn Fn(&Crate, &Shader) -> bool;

/// Returns the figures of each part of the corpus as table rows, and the smallest median.
fn figures(crates: &[Crate]) -> Result<(String, f64), Failed> {
    let mut rows = FIGURES.to_owned();
    let mut least = f64::INFINITY;
    let by_hand = |krate: &Crate, _: &Shader| !krate.collected;
    let seen = |krate: &Crate, shader: &Shader| krate.collected && !shader.held_out;
    let held_out = |krate: &Crate, shader: &Shader| krate.collected && shader.held_out;
    let by_rule = |krate: &Crate, _: &Shader| krate.collected;
    let parts: [(&str, &IsOf); 4] = [
        ("seen, picked by hand", &by_hand),
        ("seen, by the rule", &seen),
        ("held out, by the rule", &held_out),
        ("by the rule, together", &by_rule),
    ];
    for (name, is_of) in parts {
        let mut of = [0; VERDICTS.len()];
        let mut shares = Vec::new();
        let (mut shaders, mut refused, mut certain, mut unconfirmed) = (0, 0, 0, 0);
        for krate in crates {
            for shader in krate.shaders.iter().filter(|shader| is_of(krate, shader)) {
                shaders += 1;
                if shader.refused.is_some() {
                    refused += 1;
                    continue;
                }
                let checked = zero_config(krate, shader)?;
                if let Some(at) = VERDICTS.iter().position(|verdict| checked.verdict == *verdict) {
                    of[at] += 1;
                }
                // A proof needs no launch that reaches the sites.
                if !PROVED.contains(&checked.verdict.as_str()) {
                    shares.extend(share(&checked));
                }
                certain += shader.certain().count();
                unconfirmed += shader.unconfirmed.len();
            }
        }
        shares.sort_by(f64::total_cmp);
        let median = shares.get(shares.len() / 2).copied().unwrap_or_default();
        least = least.min(median);
        let verdicts: Vec<String> = of.iter().map(usize::to_string).collect();
        let verdicts = verdicts.join(" | ");
        let confirmed = certain - unconfirmed;
        let _ = writeln!(
            rows,
            "| {name} | {shaders} | {verdicts} | {refused} | {median:.0} % \
             | {certain} | {confirmed} |"
        );
    }
    Ok((rows, least))
}

/// Returns the table rows of the shaders with certain findings.
fn certain(crates: &[Crate]) -> String {
    let mut rows = String::new();
    for krate in crates {
        for shader in krate.shaders.iter().filter(|shader| shader.certain().next().is_some()) {
            let judged = |finding: &&String| match shader.unconfirmed.contains(finding) {
                true => format!("~~{finding}~~"),
                false => (*finding).clone(),
            };
            let findings: Vec<String> = shader.certain().map(|finding| judged(&finding)).collect();
            let _ = writeln!(
                rows,
                "| {} | `{}` | {} | {} |",
                krate.name,
                shader.name(),
                findings.join(", "),
                why(shader)
            );
        }
    }
    rows
}

fn heading(krate: &Crate) -> String {
    format!("\n### {} {}\n", krate.name, krate.version)
}

/// Returns the section of a crate: a table of the shaders that were not proved, and the names of the proved ones.
fn section_of(krate: &Crate) -> Result<String, Failed> {
    let mut rows = String::new();
    let mut proved = Vec::new();
    for shader in &krate.shaders {
        let half = if shader.held_out { " (held out)" } else { "" };
        let name = format!("`{}`{half}", shader.name());
        if let Some(refused) = &shader.refused {
            let _ = writeln!(rows, "| {name} | | | refused | {refused} | {} |", why(shader));
            continue;
        }
        let CheckResult { findings, verdict, entries, sites, executed } =
            zero_config(krate, shader)?;
        if findings.is_empty() && PROVED.contains(&verdict.as_str()) {
            proved.push(name);
            continue;
        }
        let findings: Vec<String> = findings.into_iter().collect();
        let findings = if findings.is_empty() { "none".into() } else { findings.join(", ") };
        let _ = writeln!(
            rows,
            "| {name} | {entries} | {executed}/{sites} | {verdict} | {findings} | {} |",
            why(shader)
        );
    }
    let mut section = String::new();
    if !rows.is_empty() {
        let _ = write!(section, "\n{COLUMNS}{rows}");
    }
    if !proved.is_empty() {
        let _ = writeln!(section, "\nProved, possibly under conditions: {}.", proved.join(", "));
    }
    Ok(section)
}

fn why(shader: &Shader) -> String {
    shader.why.as_deref().unwrap_or_default().replace('\n', " ")
}

/// Returns what must not be out of date: which shaders have which findings, and their explanations. The share of each that ran
/// may be.
fn essence(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let kept = cells.filter(|row| row.get(5).is_some_and(|findings| *findings != "none"));
    kept.map(|row| [1, 5, 6].iter().filter_map(|at| row.get(*at).copied()).collect()).collect()
}

/// Returns the share of access sites that ran, in percent; `None` if there are no sites.
fn share(checked: &CheckResult) -> Option<f64> {
    (checked.sites > 0).then(|| 100.0 * checked.executed as f64 / checked.sites as f64)
}

/// The verdicts, in the order of the columns.
const VERDICTS: [&str; 5] = ["proved", "proved-if", "no-findings", "inconclusive", "findings"];
const PROVED: [&str; 2] = ["proved", "proved-if"];

const PATH: &str = "docs/evaluation/corpus.md";

const OUT_OF_DATE: &str = "docs/evaluation/corpus.md is out of date; \
    `cargo xtask test --full --bless corpus::table` writes it";

const HEAD: &str = "\
# Shaders from published crates

This page lists what `hirace check FILE` finds, without options, in compute shaders whose authors did not use hirace. Sixty-four shaders
were picked by hand during the development of hirace. The others were selected by [a rule](published-shaders.md#selection-rule) that was
written down first. One half of these, *seen*, was inspected while the inference of launches was improved. The other half, *held out*, was
neither read nor checked until that work was done. The tests fetch the shaders from the registry.
`cargo xtask test --full --bless corpus::table` writes this page.

- *Sites* are the access sites of all entry points: those that at least two invocations executed, and the total.
- A finding is *certain* if it follows from the file, and *possible* if it depends on inferred contents, lengths or grids.
- A file is *proved* if every launch within WebGPU's limits is safe, and *proved if* every launch is that meets the printed conditions.
- A file is *inconclusive* if all its findings are possible, if a launch shows a fault that no condition excludes, or if sites did not run.
  Without findings, and if all sites ran, it has *no findings*.
- The median is over the files that were not proved.
- A finding is *confirmed* if it is certain, and reading the shader and the Rust code that launches it showed that it is correct.

[Published shaders and bugs found](published-shaders.md) describes the bugs, with the launches of their hosts and fixes.
";

const FIGURES: &str = "\
| shaders | | proved | proved if | no findings | inconclusive | findings | refused | median of sites executed | certain findings | confirmed |
|---|---|---|---|---|---|---|---|---|---|---|
";

const CERTAIN: &str = "\
## Certain findings

Findings that reading did not confirm are struck through.

| crate | shader | findings | explanation |
|---|---|---|---|
";

const SHADERS: &str = "\
## All shaders
";

const COLUMNS: &str = "\
| shader | launches | sites | verdict | findings | explanation |
|---|---|---|---|---|---|
";
