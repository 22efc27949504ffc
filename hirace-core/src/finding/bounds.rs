//! Accesses out of bounds.

use super::engine::perhaps;
use super::fingerprint::fingerprint;
use super::judge::Case;
use super::place::{place, span_of};
use super::race::{action_words, mark};
use super::who::{Grid, count};
use super::{Finding, Kind, Memory, Place, element, mend};
use crate::source_map::Span;
use crate::vm::run::OutOfBounds;

/// The findings of these accesses: one for each line, variable and length.
pub(super) fn findings(case: &Case<'_>, grid: &Grid, all: &[OutOfBounds]) -> Vec<Finding> {
    let mut lines: Vec<Vec<&OutOfBounds>> = Vec::new();
    let key = |found: &OutOfBounds| {
        let line = case.program.source.position(span(case, found).start).line;
        (line, variable(case, found), found.length)
    };
    for found in all {
        match lines.iter_mut().find(|line| key(line[0]) == key(found)) {
            Some(line) => line.push(found),
            None => lines.push(vec![found]),
        }
    }
    lines.iter().map(|line| finding(case, grid, line)).collect()
}

/// Where an access stands.
fn span(case: &Case<'_>, found: &OutOfBounds) -> Span {
    let site = case.program.sites.get(found.site);
    if site.is_some() { span_of(site) } else { found.span }
}

/// The name of what is indexed.
fn variable(case: &Case<'_>, found: &OutOfBounds) -> String {
    let global = found.memory.and_then(|memory| element::variable(case.program, memory));
    match global {
        Some((_, global)) => element::name(global),
        None => root_identifier(case.program.source.snippet(span(case, found))).to_owned(),
    }
}

/// The finding of the accesses on one line.
fn finding(case: &Case<'_>, grid: &Grid, line: &[&OutOfBounds]) -> Finding {
    let program = case.program;
    let found = line[0];
    let variable = variable(case, found);
    let global = found.memory.and_then(|memory| element::variable(program, memory));
    let space = global.map_or("function", |(_, global)| element::space(global));
    let (certainty, mut notes) = case.guesses.judge_bounds(line);
    let accesses: Vec<Place> = line
        .iter()
        .map(|found| {
            let (kind, _) = match program.sites.access(found.site) {
                Some(access) => action_words(access.action),
                None => ("index", ""),
            };
            let label = format!("index {} by {}", found.index, grid.invocation(found.invocation));
            let who = Some((grid, found.invocation));
            place(&program.source, span(case, found), kind, label, who)
        })
        .collect();
    let times: u64 = line.iter().map(|found| found.count).sum();
    let more = times.saturating_sub(line.len() as u64);
    if more > 0 {
        let more = count(more, "more access", "more accesses");
        notes.insert(0, format!("{more} out of bounds here"));
    }
    let rule = Kind::OutOfBounds.code();
    let sites = line.iter().zip(&accesses);
    let marks = sites.map(|(found, at)| mark(program, found.site, &at.snippet)).collect();
    let elements = count(u64::from(found.length), "element", "elements");
    Finding {
        rule: rule.to_owned(),
        message: perhaps(
            certainty,
            format!("index {} is out of bounds of `{variable}`, which has {elements}", found.index),
        ),
        fingerprint: fingerprint(rule, &variable, marks),
        certainty,
        kind: Kind::OutOfBounds,
        hazard: None,
        count: times,
        accesses,
        reason: match found.length.checked_sub(1) {
            Some(last) => format!(
                "the last element has index {last}; implementations clamp such an access, drop it or \
                 read zero, each in its own way"
            ),
            None => "it has no elements at all".to_owned(),
        },
        notes,
        help: Some(mend::bounds(program, found)),
        memory: Some(Memory {
            space: space.to_owned(),
            element: format!("{variable}[{}]", found.index),
            variable,
            index: found.index,
        }),
        replay: case.replay(),
        across_workgroups: false,
    }
}

/// `a` of `a.b[i]`, `(*a)[i]`.
fn root_identifier(text: &str) -> &str {
    let text = text.trim_start_matches(['(', '*', '&', ' ']);
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::root_identifier;

    #[test]
    fn the_variable_of_an_access_is_its_first_name() {
        assert_eq!(root_identifier("a.b[i]"), "a");
        assert_eq!(root_identifier("(*pointer)[i + 1]"), "pointer");
        assert_eq!(root_identifier(""), "");
    }
}
