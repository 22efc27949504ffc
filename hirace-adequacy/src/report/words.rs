//! The wording of coverage in all formats for people.

use super::missing::Gap;
use hirace_core::cover::coverage::{Barrier, Branch, BranchKind, Loop, Part, UnobservedKernel};
use std::collections::BTreeMap;

/// The columns of a summary.
pub(super) const COLUMNS: [&str; 5] = ["lines", "functions", "branches", "loops", "barriers"];

/// The text for a part without anything to cover.
pub(crate) const NONE: &str = "–";

/// Returns the percentage: 100 only if nothing is missing, 0 only if nothing is covered.
pub(crate) fn percent(part: Part) -> Option<u64> {
    let rounded = part.percent()?.round() as u64;
    Some(match (part.covered, part.total) {
        (0, _) => 0,
        (covered, total) if covered >= total => 100,
        _ => rounded.clamp(1, 99),
    })
}

/// Formats an execution count, or a check mark if only hits were recorded.
pub(crate) fn times(count: u64, hits: bool) -> String {
    if hits && count > 0 { "✓".to_owned() } else { count.to_string() }
}

/// Returns the name of a kind of branch.
pub(crate) fn kind(kind: BranchKind) -> &'static str {
    match kind {
        BranchKind::If => "if",
        BranchKind::Switch => "switch",
        BranchKind::And => "&&",
        BranchKind::Or => "||",
        BranchKind::Select => "select",
    }
}

/// Formats a count with its noun: `1 visit`, `2 visits`.
pub(crate) fn count(n: u64, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// Formats a range of lines: `14-16`.
pub(crate) fn range((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Describes a gap: `if: never false`.
pub(crate) fn gap(gap: Gap<'_>, hits: bool) -> String {
    match gap {
        Gap::Arms(branch) => format!("{}: {}", kind(branch.kind), arms(branch)),
        Gap::Cases(of) => format!("loop: {}", cases(of)),
        Gap::Barrier(of) => format!("barrier: {}", barrier(of, hits)),
    }
}

fn arms(branch: &Branch) -> String {
    never(branch.arms.iter().map(|arm| (shown(&arm.label), arm.count)))
}

fn cases(of: &Loop) -> String {
    never(of.cases().map(|(name, count)| (case(name).to_owned(), count)))
}

/// Returns the text for a case of a loop.
pub(crate) fn case(name: &str) -> &str {
    match name {
        "boundary" => "ended by its condition",
        _ => name,
    }
}

fn never(all: impl Iterator<Item = (String, u64)>) -> String {
    let all: Vec<_> = all.collect();
    if all.iter().all(|(_, count)| *count == 0) {
        return "never reached".to_owned();
    }
    let missing = all.into_iter().filter(|(_, count)| *count == 0);
    let missing: Vec<String> = missing.map(|(name, _)| format!("never {name}")).collect();
    missing.join(", ")
}

fn barrier(of: &Barrier, hits: bool) -> String {
    let why = "some invocations of a workgroup reached it without the others";
    match (of.complete, of.divergent) {
        (0, 0) => "never reached".to_owned(),
        (_, 0) => "reached by all".to_owned(),
        (0, _) => format!("never reached by all: divergent, {why}"),
        _ if hits => format!("divergent: {why}"),
        (full, divergent) => {
            let visits = count(full.saturating_add(divergent), "visit", "visits");
            format!("divergent in {divergent} of {visits}: {why}")
        }
    }
}

/// Returns a line per file, with the tests that took the text of a kernel which no test launched through hirace.
pub(crate) fn unobserved_kernels(kernels: &[UnobservedKernel]) -> Vec<String> {
    let mut by_file = BTreeMap::<&str, Vec<String>>::new();
    for seen in kernels {
        by_file.entry(&seen.file).or_default().push(shown(&seen.test));
    }
    let said = by_file.into_iter().map(|(file, tests)| {
        let word = if tests.len() == 1 { "test" } else { "tests" };
        format!("{} by {word} {}", shown(file), tests.join(", "))
    });
    said.collect()
}

/// The heading of these lines.
pub(crate) const UNOBSERVED: &str =
    "these kernels are not counted: tests took their text, and hirace does not see what runs it";

/// The text when there is nothing to show.
pub(super) const EMPTY: &str = "nothing is covered: no kernel was launched";

/// Replaces characters of external text that would move the cursor of a terminal or change its colors.
pub(crate) fn shown(text: &str) -> String {
    let picture = |c: char| match c {
        '\t' => '\t',
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        _ if c.is_control() => '\u{fffd}',
        _ => c,
    };
    text.chars().map(picture).collect()
}
