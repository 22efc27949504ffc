//! What the engine finds by itself: barrier divergence, accesses out of bounds, no progress.

use super::fingerprint::fingerprint;
use super::judge::Case;
use super::place::{line_of, place, span_of};
use super::race::{action_words, mark};
use super::who::{Grid, count, invocations};
use super::{Certainty, Finding, Kind, Memory, Place, element, mend, reason};
use crate::ir::sites::SiteId;
use crate::vm::run::{Divergence, Invocation, NoProgress, OutOfBounds, Whereabouts};
use std::collections::BTreeMap;

/// All of them, over all dispatches; what happened in several is one finding.
pub(crate) fn findings(case: &Case<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (dispatch, dispatched) in case.outcome.dispatches.iter().enumerate() {
        let grid = Grid::of(case.program, case.launch, dispatch);
        let run = &dispatched.run;
        let found = run.divergences.iter().map(|found| divergence(case, &grid, found));
        let found = found.chain(run.out_of_bounds.iter().map(|f| out_of_bounds(case, &grid, f)));
        let found = found.chain(run.no_progress.iter().map(|f| no_progress(case, &grid, f)));
        for finding in found {
            let same = |known: &&mut Finding| {
                known.fingerprint == finding.fingerprint
                    && known.accesses.first().map(|at| (at.line, at.column))
                        == finding.accesses.first().map(|at| (at.line, at.column))
            };
            match findings.iter_mut().find(same) {
                Some(known) => known.count += finding.count,
                None => findings.push(finding),
            }
        }
    }
    findings
}

/// The first word of a message: «possible » where the finding is that.
fn perhaps(certainty: Certainty, message: String) -> String {
    match certainty {
        Certainty::Certain => message,
        Certainty::Possible => format!("possibly, {message}"),
    }
}

fn divergence(case: &Case<'_>, grid: &Grid, found: &Divergence) -> Finding {
    let Case { program, .. } = *case;
    let barrier = reason::barrier_text(program, found.site);
    let (certainty, mut notes) = case.guesses.judge([found.site]);
    let all = grid.invocations_a_workgroup();
    let first = Invocation {
        workgroup: found.workgroup,
        local: found.arrived.first().copied().unwrap_or(0),
    };
    let mut arrived = found.arrived.clone();
    arrived.sort_unstable();
    let verb = if arrived.len() == 1 { "waits" } else { "wait" };
    let label = format!(
        "{} of workgroup {} {verb} here",
        invocations(&arrived),
        grid.workgroup(found.workgroup)
    );
    let span = span_of(program.sites.get(found.site));
    let mut accesses = vec![place(&program.source, span, "barrier", label, Some((grid, first)))];
    let missing = by_whereabouts(found.missing.iter().copied());
    let mut absent: Vec<u32> = found.missing.iter().map(|&(local, _)| local).collect();
    absent.sort_unstable();
    for (at, locals) in &missing {
        let who = Invocation { workgroup: found.workgroup, local: locals[0] };
        match whereabouts_place(case, grid, *at, &invocations(locals), locals.len() == 1, who) {
            Some(place) => accesses.push(place),
            None => {
                notes.push(format!("{} ran to the end of the entry point", invocations(locals)))
            }
        }
    }
    if found.count > 1 {
        notes
            .push(format!("{} at this barrier", count(found.count - 1, "more time", "more times")));
    }
    let rule = Kind::BarrierDivergence.code();
    let marks = vec![mark(program, found.site, &accesses[0].snippet)];
    Finding {
        rule: rule.to_owned(),
        message: perhaps(
            certainty,
            format!("`{barrier}` is not reached by all invocations of the workgroup"),
        ),
        fingerprint: fingerprint(rule, "", marks),
        certainty,
        kind: Kind::BarrierDivergence,
        hazard: None,
        memory: None,
        count: found.count,
        accesses,
        reason: format!(
            "a barrier must be reached by all {all} invocations of the workgroup; {} did not come here",
            invocations(&absent)
        ),
        notes,
        help: Some(mend::divergence(program, found)),
        replay: case.replay(),
    }
}

/// Invocations by where they are, in ascending order each.
fn by_whereabouts(of: impl Iterator<Item = (u32, Whereabouts)>) -> Vec<(Whereabouts, Vec<u32>)> {
    let mut groups: BTreeMap<(u8, Option<SiteId>), (Whereabouts, Vec<u32>)> = BTreeMap::new();
    for (local, at) in of {
        let key = match at {
            Whereabouts::AtBarrier(site) => (0, Some(site)),
            Whereabouts::Running(site) => (1, Some(site)),
            Whereabouts::Returned(site) => (2, site),
        };
        groups.entry(key).or_insert((at, Vec::new())).1.push(local);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.iter_mut().for_each(|(_, locals)| locals.sort_unstable());
    groups
}

/// The place where somebody is instead; `None` for the end of the entry point.
fn whereabouts_place(
    case: &Case<'_>,
    grid: &Grid,
    at: Whereabouts,
    names: &str,
    one: bool,
    who: Invocation,
) -> Option<Place> {
    let verb = |one_does: &'static str, several: &'static str| if one { one_does } else { several };
    let (site, kind, what) = match at {
        Whereabouts::AtBarrier(site) => (site, "barrier", verb("waits here", "wait here")),
        Whereabouts::Running(site) => (site, "running", verb("is here", "are here")),
        Whereabouts::Returned(site) => (site?, "return", "returned here"),
    };
    let span = span_of(case.program.sites.get(site));
    Some(place(&case.program.source, span, kind, format!("{names} {what}"), Some((grid, who))))
}

fn out_of_bounds(case: &Case<'_>, grid: &Grid, found: &OutOfBounds) -> Finding {
    let Case { program, .. } = *case;
    let site = program.sites.get(found.site);
    let span = if site.is_some() { span_of(site) } else { found.span };
    let global = found.memory.and_then(|memory| element::variable(program, memory));
    let text = program.source.snippet(span);
    let variable = match global {
        Some((_, global)) => element::name(global),
        None => root_identifier(text).to_owned(),
    };
    let space = global.map_or("function", |(_, global)| element::space(global));
    let (certainty, mut notes) = case.guesses.judge([found.site]);
    let (kind, _) = match program.sites.access(found.site) {
        Some(access) => action_words(access.action),
        None => ("index", ""),
    };
    let label = format!("index {} by {}", found.index, grid.invocation(found.invocation));
    let at = place(&program.source, span, kind, label, Some((grid, found.invocation)));
    if found.count > 1 {
        let more = count(found.count - 1, "more access", "more accesses");
        notes.push(format!("{more} out of bounds here"));
    }
    let rule = Kind::OutOfBounds.code();
    let marks = vec![mark(program, found.site, &at.snippet)];
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
        count: found.count,
        accesses: vec![at],
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
    }
}

/// `a` of `a.b[i]`, `(*a)[i]`.
fn root_identifier(text: &str) -> &str {
    let text = text.trim_start_matches(['(', '*', '&', ' ']);
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

fn no_progress(case: &Case<'_>, grid: &Grid, found: &NoProgress) -> Finding {
    let Case { program, .. } = *case;
    let (who, site) = found.stuck;
    let (certainty, mut notes) = case.guesses.judge([site]);
    let span = span_of(program.sites.get(site));
    let label = format!("{} is still here after {} steps", grid.invocation(who), found.steps);
    let mut accesses = vec![place(&program.source, span, "loop", label, Some((grid, who)))];
    // Of those that wait: one place for each site, with its first invocation and how many more.
    let mut others: BTreeMap<(u8, SiteId), (Whereabouts, Invocation, u64)> = BTreeMap::new();
    for &(who, at) in &found.waiting {
        let key = match at {
            Whereabouts::AtBarrier(site) => (0, site),
            Whereabouts::Running(site) => (1, site),
            Whereabouts::Returned(_) => continue,
        };
        others.entry(key).or_insert((at, who, 0)).2 += 1;
    }
    for (at, who, n) in others.into_values() {
        let names = match n {
            1 => grid.invocation(who),
            n => format!("{} and {} like it", grid.invocation(who), n - 1),
        };
        let same = |place: &Place| matches!(at, Whereabouts::Running(other) if line_of(program, other) == place.line);
        match accesses.iter().any(same) {
            true => notes.push(format!("{names} {} there too", if n == 1 { "is" } else { "are" })),
            false => accesses.extend(whereabouts_place(case, grid, at, &names, n == 1, who)),
        }
    }
    let rule = Kind::NoProgress.code();
    let marks = vec![mark(program, site, accesses[0].snippet.lines().next().unwrap_or(""))];
    Finding {
        rule: rule.to_owned(),
        message: perhaps(
            certainty,
            "the kernel does not end: this loop makes no progress".to_owned(),
        ),
        fingerprint: fingerprint(rule, "", marks),
        certainty,
        kind: Kind::NoProgress,
        hazard: None,
        memory: None,
        count: 1,
        accesses,
        reason: format!(
            "{} not done when the step limit was reached",
            match found.unfinished {
                1 => "1 invocation was".to_owned(),
                n => format!("{n} invocations were"),
            }
        ),
        notes,
        help: Some(mend::progress(program, found)),
        replay: case.replay(),
    }
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
