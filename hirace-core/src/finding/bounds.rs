//! Builds findings from accesses out of bounds.

use super::executed_launch::ExecutedLaunch;
use super::fingerprint::{SiteText, fingerprint};
use super::trial::{ChosenSuggestion, Trials};
use super::{element, suggest};
use crate::facts::place::span_of;
use crate::facts::{
    Finding, FindingKind, Grid, Kind, Memory, OutOfBounds, OutOfBoundsAccess, Place, Space,
};
use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use crate::source_map::Span;
use crate::vm::run;
use naga::{ArraySize, Expression, Handle, Type, TypeInner};

/// Returns the findings of these accesses, one for each line, variable and length.
pub(super) fn findings(
    ran: &ExecutedLaunch<'_>,
    grid: Grid,
    all: &[run::OutOfBounds],
    trials: &mut Option<Trials<'_>>,
) -> Vec<Finding> {
    let mut lines: Vec<Vec<&run::OutOfBounds>> = Vec::new();
    let key = |found: &run::OutOfBounds| {
        let line = ran.program.source.position(span(ran, found).start).line;
        (line, variable(ran, found), found.length)
    };
    for found in all {
        match lines.iter_mut().find(|line| key(line[0]) == key(found)) {
            Some(line) => line.push(found),
            None => lines.push(vec![found]),
        }
    }
    lines.iter().map(|line| finding(ran, grid, line, trials)).collect()
}

/// Returns the span of an access.
fn span(ran: &ExecutedLaunch<'_>, found: &run::OutOfBounds) -> Span {
    let site = ran.program.sites.get(found.site);
    if site.is_some() { span_of(site) } else { found.span }
}

/// Returns the name of the variable that is indexed.
fn variable(ran: &ExecutedLaunch<'_>, found: &run::OutOfBounds) -> String {
    let global = found.memory.and_then(|memory| element::variable(ran.program, memory));
    match global {
        Some((_, global)) => element::name(global),
        None => local_array(ran.program, found).unwrap_or_else(|| {
            root_identifier(ran.program.source.snippet(span(ran, found))).to_owned()
        }),
    }
}

/// Returns the name of the array in function or private memory that is indexed, if the source text at the access is a whole line.
fn local_array(program: &Program, found: &run::OutOfBounds) -> Option<String> {
    if program.language.shows_expressions() {
        return None;
    }
    let module = &program.module;
    let has_length = |ty: Handle<Type>| {
        let inner = &module.types[ty].inner;
        matches!(inner, TypeInner::Array { size: ArraySize::Constant(length), .. }
            if length.get() == found.length)
    };
    FunctionId::all(module).find_map(|id| {
        let function = id.get(module);
        function.expressions.iter().find_map(|(handle, expression)| {
            let (Expression::Access { base, .. } | Expression::AccessIndex { base, .. }) =
                *expression
            else {
                return None;
            };
            if Span::from(function.expressions.get_span(handle)) != found.span {
                return None;
            }
            let (name, ty) = match *walk::root(function, base) {
                Expression::LocalVariable(local) => {
                    let variable = &function.local_variables[local];
                    (&variable.name, variable.ty)
                }
                Expression::GlobalVariable(global) => {
                    let variable = &module.global_variables[global];
                    (&variable.name, variable.ty)
                }
                _ => return None,
            };
            name.clone().filter(|_| has_length(ty))
        })
    })
}

/// Returns the finding of the accesses on one line.
fn finding(
    ran: &ExecutedLaunch<'_>,
    grid: Grid,
    line: &[&run::OutOfBounds],
    trials: &mut Option<Trials<'_>>,
) -> Finding {
    let program = ran.program;
    let found = line[0];
    let variable = variable(ran, found);
    let global = found.memory.and_then(|memory| element::variable(program, memory));
    let space = global.map_or(Space::Function, |(_, global)| element::space(global));
    let accesses: Vec<OutOfBoundsAccess> = line
        .iter()
        .map(|found| OutOfBoundsAccess {
            site: found.site,
            place: Place::new(&program.source, span(ran, found)),
            action: program.sites.access(found.site).map(|access| access.action),
            index: found.index,
            by: found.invocation,
            is_used: found.is_used,
        })
        .collect();
    let mark = |access: &OutOfBoundsAccess| {
        SiteText::new(program, access.site, program.source.snippet(access.place.span))
    };
    let marks = accesses.iter().map(mark).collect();
    let candidates = suggest::bounds(program, line);
    let ChosenSuggestion { suggestion, fix, .. } = match trials {
        Some(trials) => trials.choose_for_bounds(line, candidates),
        None => candidates.untried.into(),
    };
    Finding {
        fingerprint: fingerprint(Kind::OutOfBounds, &variable, marks),
        what: FindingKind::OutOfBounds(OutOfBounds {
            memory: Memory {
                space,
                element: format!("{variable}[{}]", found.index),
                variable,
                index: found.index,
            },
            length: found.length,
            accesses,
        }),
        count: line.iter().map(|found| found.count).sum(),
        doubts: ran.inferred.judge_bounds(line),
        suggestion: Some(suggestion),
        fix,
        replay: ran.replay(),
        grid,
        shown_with: ran.inferred_values(),
        caused_by: None,
    }
}

/// Returns the first identifier of an expression: `a` of `a.b[i]` or `(*a)[i]`.
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
