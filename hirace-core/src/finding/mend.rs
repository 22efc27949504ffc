//! What would mend a finding, as specific as can be said without being wrong.
//!
//! A barrier is only proposed where the uniformity analysis says that all invocations of the workgroup
//! pass; where it cannot say so, the help is to restructure.

use super::counter::{self, Update};
use super::element;
use super::engine::in_source;
use super::group::Group;
use super::place::line_of;
use super::reason::{Relation, barrier_text, class_of, relation};
use super::spelling;
use super::structure::{Between, Structure};
use crate::analysis::uniformity::{self, NonUniformPoints, Origin};
use crate::ir::access::{Action, Target};
use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::walk::{FunctionId, StatementId};
use crate::launch::Launch;
use crate::program::Program;
use crate::vm::run::{Divergence, NoProgress, OutOfBounds, Whereabouts};
use naga::{ArraySize, Barrier, Expression, TypeInner};

/// The help line of a race.
pub(crate) fn race(program: &Program, launch: &Launch, group: &Group) -> Option<String> {
    if let Some(update) = counter(program, group) {
        return Some(atomics(program, group, &update));
    }
    let pair = &group.pair;
    let actions = [pair.earlier.action, pair.later.action];
    let mixed = actions.iter().any(|action| action.is_atomic());
    let entry = launch.dispatches.get(group.dispatch)?.entry;
    let advice = || Advice::new(program, entry, group);
    match relation(program, pair) {
        Relation::WrongClass(site) if !group.across_workgroups => {
            let class = class_of(program, pair.later.granule.memory);
            Some(format!(
                "call `{}` as well at line {}: each barrier orders only the memory it names",
                spelling::barrier(program, class),
                line_of(program, site)
            ))
        }
        _ if actions.iter().all(|action| action.is_atomic()) => {
            Some("give both atomics the scope of the device".to_owned())
        }
        _ if mixed => {
            let barrier = match group.across_workgroups {
                true => None,
                false => advice().barrier_in_sequence(),
            };
            Some(barrier.unwrap_or_else(|| "make both accesses atomic".to_owned()))
        }
        _ if different_components(program, group) => Some(
            "let one invocation write the whole vector, or store its components as scalars of their own"
                .to_owned(),
        ),
        _ if group.across_workgroups => Some(across_workgroups(program, group)),
        _ => Some(advice().within_workgroup()),
    }
}

/// Whether the accesses are to two components of one vector, which race because a write of one may
/// touch them all.
fn different_components(program: &Program, group: &Group) -> bool {
    let component = |site: SiteId| {
        let Target::Pointer { pointer, observed, .. } = program.sites.access(site)?.target else {
            return None;
        };
        let function = program.sites.get(site)?.function.get(&program.module);
        match function.expressions[pointer] {
            Expression::AccessIndex { index, .. } if pointer != observed => Some(index),
            _ => None,
        }
    };
    let (a, b) = (component(group.pair.earlier.site), component(group.pair.later.site));
    a.is_some() && b.is_some() && a != b
}

/// The update that races with itself, if that is what this race is.
fn counter(program: &Program, group: &Group) -> Option<Update> {
    let (a, b) = (group.pair.earlier, group.pair.later);
    let write = if a.action == Action::Write { a.site } else { b.site };
    let update = counter::update(program, write)?;
    let of_update = |site: SiteId| site == update.read || site == update.write;
    (of_update(a.site) && of_update(b.site)).then_some(update)
}

fn atomics(program: &Program, group: &Group, update: &Update) -> String {
    let memory = group.pair.later.granule.memory;
    let variable = element::variable(program, memory).map(|(_, global)| element::name(global));
    let variable = variable.unwrap_or_default();
    let line = line_of(program, update.write);
    match update.atomic {
        Some(atomic) if update.has_atomics => {
            let place =
                program.sites.get(update.write).map(|site| program.source.snippet(site.span));
            let place =
                place.filter(|text| program.language.shows_expressions() && !text.contains('\n'));
            let place = place.unwrap_or(&variable);
            let shown = spelling::bare(place);
            let what = match indexed(shown) {
                Some(array) => format!("the elements of `{array}`"),
                None if shown.starts_with(&variable) => format!("`{shown}`"),
                None => format!("`{variable}`"),
            };
            let what = spelling::make_atomic(program, &what);
            format!("{what} and use `{}` at line {line}", spelling::atomic(program, atomic, place))
        }
        None if update.has_atomics => format!(
            "{} and update it in a loop with `{}`, or let one invocation do it",
            spelling::make_atomic(program, &format!("`{variable}`")),
            spelling::compare_exchange(program)
        ),
        _ => format!(
            "combine the values of a workgroup in workgroup memory and those of the workgroups in another \
             dispatch (WGSL has atomics for u32 and i32 alone, and `{variable}` holds neither)"
        ),
    }
}

/// `a.b` of `a.b[i]`.
fn indexed(place: &str) -> Option<&str> {
    let inner = place.strip_suffix(']')?;
    let mut open = 1;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ']' => open += 1,
            '[' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(&inner[..at]);
        }
    }
    None
}

/// No barrier helps: another dispatch does, or another buffer.
fn across_workgroups(program: &Program, group: &Group) -> String {
    let (a, b) = (group.pair.earlier, group.pair.later);
    let memory = element::variable(program, a.granule.memory);
    let variable = memory.map(|(_, global)| element::name(global)).unwrap_or_default();
    let (write, other) =
        if a.action == Action::Write { (a.site, b.site) } else { (b.site, a.site) };
    let nesting = nesting(program, write, other);
    if let Some(Nesting { common_loop: Some(line), .. }) = nesting
        && a.site != b.site
    {
        return format!(
            "run each turn of the loop at line {line} as a dispatch of its own, or write to a second buffer \
             and swap the two after each dispatch"
        );
    }
    if a.action == Action::Write && b.action == Action::Write {
        return format!(
            "let one workgroup alone write this element of `{variable}`, or give each workgroup an element \
             of its own"
        );
    }
    match nesting {
        Some(Nesting { other_first: true, .. }) => format!(
            "write to a second buffer instead of back to `{variable}`, and swap the two after the dispatch"
        ),
        _ => format!(
            "split the kernel into two dispatches: line {} in the first, line {} in the second",
            line_of(program, write),
            line_of(program, other)
        ),
    }
}

/// How two accesses of one function lie to each other.
struct Nesting {
    /// The line of the innermost loop around both.
    common_loop: Option<u32>,
    /// Whether the second comes first.
    other_first: bool,
}

fn nesting(program: &Program, site: SiteId, other: SiteId) -> Option<Nesting> {
    let function = |site| program.sites.get(site).map(|site| site.function);
    let structure = Structure::new(program, function(site)?);
    if function(other)? != structure.function {
        return None;
    }
    let (at, of) = (structure.ordinal(site)?, structure.ordinal(other)?);
    let common_loop = structure.common_loop(at, of).map(|ordinal| structure.line(ordinal));
    Some(Nesting { common_loop, other_first: of < at })
}

/// What is known about a race within a workgroup that needs a barrier.
struct Advice<'a> {
    program: &'a Program,
    class: Barrier,
    points: NonUniformPoints,
    sites: [SiteId; 2],
    writes: bool,
    entry: usize,
}

impl<'a> Advice<'a> {
    fn new(program: &'a Program, entry: usize, group: &Group) -> Self {
        let (a, b) = (group.pair.earlier, group.pair.later);
        Self {
            program,
            class: class_of(program, a.granule.memory),
            points: uniformity::non_uniform_points(program, entry),
            sites: [a.site, b.site],
            writes: a.action == Action::Write && b.action == Action::Write,
            entry,
        }
    }

    fn within_workgroup(&self) -> String {
        let barrier = spelling::barrier(self.program, self.class);
        let Some((structure, [a, b])) = self.common_function() else {
            let [a, b] = self.lines();
            return format!(
                "call `{barrier}` between line {a} and line {b}, where all invocations of the workgroup pass"
            );
        };
        if self.writes && self.sites[0] == self.sites[1] {
            return self.one_writer(&structure, a);
        }
        let common_loop = structure.common_loop(a, b);
        let loop_has_barrier = common_loop.is_some_and(|l| structure.holds_barrier(l, self.class));
        let at_loop_end = |of: StatementId| self.at_loop_end(&structure, of);
        match structure.between(a, b) {
            Between::Branches { of, line } => format!(
                "split the `{of}` at line {line} in two, with `{barrier}` between them where all invocations \
                 of the workgroup pass"
            ),
            Between::Sequence { first_line, second_line, second } => {
                if structure.barrier_between(a, b, self.class) {
                    return match common_loop {
                        Some(of) => at_loop_end(of),
                        None => format!(
                            "see that all invocations pass a `{barrier}` between line {first_line} and line \
                             {second_line}"
                        ),
                    };
                }
                match self.points.before(structure.function, second) {
                    Some(origin) => self.restructure(&origin),
                    None => self.between(&structure, common_loop, [first_line, second_line]),
                }
            }
            Between::Same => match common_loop {
                Some(of) if !loop_has_barrier => at_loop_end(of),
                _ => self.read_first(&structure, a.max(b)),
            },
        }
    }

    /// The call of a barrier between the two, if there is none, one comes after the other, and all
    /// invocations of the workgroup pass there.
    fn barrier_in_sequence(&self) -> Option<String> {
        let (structure, [a, b]) = self.common_function()?;
        let Between::Sequence { first_line, second_line, second } = structure.between(a, b) else {
            return None;
        };
        let is_missing = !structure.barrier_between(a, b, self.class)
            && self.points.before(structure.function, second).is_none();
        let lines = [first_line, second_line];
        is_missing.then(|| self.between(&structure, structure.common_loop(a, b), lines))
    }

    /// The call of a barrier between these lines, and at the end of the loop around both if it has none.
    fn between(
        &self,
        structure: &Structure<'_>,
        common_loop: Option<StatementId>,
        [first, second]: [u32; 2],
    ) -> String {
        let barrier = spelling::barrier(self.program, self.class);
        let between = match first == second {
            true => format!("call `{barrier}` between the two accesses on line {first}"),
            false => format!("call `{barrier}` between line {first} and line {second}"),
        };
        let end = common_loop.filter(|&of| {
            !structure.holds_barrier(of, self.class) && self.loop_end_is_uniform(structure, of)
        });
        match end.and_then(|of| structure.loop_body_end(of)) {
            Some(end) => {
                format!("{between}, and again at the end of the loop body, after line {end}")
            }
            None => between,
        }
    }

    /// The function that holds both sites, or the entry point if it calls, once, what holds one;
    /// and the statements there.
    fn common_function(&self) -> Option<(Structure<'a>, [StatementId; 2])> {
        let functions =
            self.sites.map(|site| self.program.sites.get(site).map(|site| site.function));
        let [Some(f), Some(g)] = functions else { return None };
        if f == g {
            let structure = Structure::new(self.program, f);
            let at = [structure.ordinal(self.sites[0])?, structure.ordinal(self.sites[1])?];
            return Some((structure, at));
        }
        let entry = FunctionId::Entry(self.entry);
        let structure = Structure::new(self.program, entry);
        let at = |site: SiteId, function: FunctionId| match function == entry {
            true => structure.ordinal(site),
            false => structure.only_call_of(function),
        };
        let at = [at(self.sites[0], f)?, at(self.sites[1], g)?];
        (at[0] != at[1]).then_some((structure, at))
    }

    fn lines(&self) -> [u32; 2] {
        let mut lines = self.sites.map(|site| line_of(self.program, site));
        lines.sort_unstable();
        lines
    }

    fn loop_end_is_uniform(&self, structure: &Structure<'_>, of: StatementId) -> bool {
        self.points.loop_end(structure.function, of).is_none()
    }

    fn at_loop_end(&self, structure: &Structure<'_>, of: StatementId) -> String {
        if let Some(origin) = self.points.loop_end(structure.function, of) {
            return self.restructure(&origin);
        }
        let barrier = spelling::barrier(self.program, self.class);
        match structure.loop_body_end(of) {
            Some(line) => {
                format!("call `{barrier}` at the end of the loop body, after line {line}")
            }
            None => format!("call `{barrier}` at the end of the loop body"),
        }
    }

    /// One statement reads what another invocation's same statement writes.
    fn read_first(&self, structure: &Structure<'_>, at: StatementId) -> String {
        match self.points.before(structure.function, at) {
            Some(origin) => self.restructure(&origin),
            None => format!(
                "read into a variable first, then call `{}`, then write",
                spelling::barrier(self.program, self.class)
            ),
        }
    }

    fn one_writer(&self, structure: &Structure<'_>, at: StatementId) -> String {
        let own =
            "let one invocation alone write it, or give each invocation an element of its own";
        match structure.common_loop(at, at) {
            Some(of)
                if !structure.holds_barrier(of, self.class)
                    && self.loop_end_is_uniform(structure, of) =>
            {
                let line = structure.loop_body_end(of).map(|line| format!(", after line {line},"));
                format!(
                    "{own}; if the writes come from different turns of the loop, a `{}` at the end of its \
                     body{} orders them",
                    spelling::barrier(self.program, self.class),
                    line.unwrap_or_default()
                )
            }
            _ => own.to_owned(),
        }
    }

    /// A barrier is needed where not all invocations pass.
    fn restructure(&self, origin: &Origin) -> String {
        let [a, b] = self.lines();
        let which = if a == b { format!("line {a}") } else { format!("lines {a} and {b}") };
        let barrier = spelling::barrier(self.program, self.class);
        format!(
            "not all invocations of the workgroup need come to {which} (that hangs on {}), so no barrier \
             may stand there: restructure so that all reach a `{barrier}` between the two accesses",
            origin.what
        )
    }
}

/// The help line of a barrier that not all invocations reach.
pub(crate) fn divergence(program: &Program, found: &Divergence) -> String {
    let returned = found.missing.iter().find_map(|&(_, at)| match in_source(program, at) {
        Whereabouts::Returned(Some(site)) => Some(line_of(program, site)),
        _ => None,
    });
    if let Some(line) = returned {
        return format!(
            "do not return at line {line}: let these invocations skip the work and come to the barrier"
        );
    }
    let other = found.missing.iter().find_map(|&(_, at)| match at {
        Whereabouts::AtBarrier(site) if site != found.site => Some(site),
        _ => None,
    });
    if let Some(other) = other {
        return format!(
            "put one barrier where all invocations pass, in place of `{}` at line {} and `{}` at line {}",
            barrier_text(program, found.site),
            line_of(program, found.site),
            barrier_text(program, other),
            line_of(program, other)
        );
    }
    let entries = (0..program.module.entry_points.len())
        .flat_map(|entry| uniformity::non_uniform_barriers(program, entry));
    let cause = entries.into_iter().find(|found_here| found_here.barrier == found.site);
    match cause.and_then(|cause| Some((program.sites.get(cause.branch?)?, cause))) {
        Some((branch, cause)) => {
            let what = if branch.kind == SiteKind::Loop { "loop" } else { "branch" };
            let line = program.source.position(branch.span.start).line;
            format!(
                "move the barrier out of the {what} at line {line}, which hangs on {}",
                cause.origin.what
            )
        }
        None => "move the barrier to where all invocations of the workgroup pass".to_owned(),
    }
}

/// The help line of an access out of bounds.
pub(crate) fn bounds(program: &Program, found: &OutOfBounds) -> String {
    let global = found.memory.and_then(|memory| element::variable(program, memory));
    let runtime = global.filter(|(_, global)| {
        let inner = &program.module.types[global.ty].inner;
        matches!(inner, TypeInner::Array { size: ArraySize::Dynamic, .. })
    });
    match runtime {
        Some((_, global)) => {
            let length = spelling::length(program, &element::name(global));
            format!("leave it out where the index is not below `{length}`")
        }
        None => match found.length.checked_sub(1) {
            Some(last) => format!("leave it out where the index is not from 0 to {last}"),
            None => "leave it out: there are no elements".to_owned(),
        },
    }
}

/// The help line of a kernel that does not end.
pub(crate) fn progress(program: &Program, found: &NoProgress) -> String {
    let (_, site) = found.stuck;
    let spins = program.sites.get(site).is_some_and(|stuck| {
        let structure = Structure::new(program, stuck.function);
        let Some(of) = structure.ordinal(site) else { return false };
        program.sites.accesses().any(|(id, at, access)| {
            at.function == stuck.function
                && access.action.is_atomic()
                && structure
                    .ordinal(id)
                    .is_some_and(|inner| structure.common_loop(of, inner) == Some(of))
        })
    });
    match spins {
        true => {
            "do not wait in a loop for what another invocation does: put what comes after it in a \
                 later dispatch"
                .to_owned()
        }
        false => {
            "see that each turn of the loop comes nearer to its end; if it is only long, raise the \
                  step limit (`--step-limit`)"
                .to_owned()
        }
    }
}
