//! Reading tests from JSON.

use super::condition::{self, KnownNames};
use super::json::{Fields, Source};
use super::{limits, names};
use crate::test::{Action, Condition, Kind, Memory, Mutator, Specification, Test, ThreadPlacement};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::source_map::{SourceMap, Span};
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

const TEST: [&str; 8] =
    ["testName", "testType", "memoryType", "threads", "behaviors", "kind", "mutator", "mutantOf"];

const ACTION: [&str; 6] =
    ["action", "memoryLocation", "variable", "value", "useRMW", "memoryOrder"];

const TYPES: [(&str, ThreadPlacement); 2] = [
    ("inter_workgroup", ThreadPlacement::Workgroups),
    ("intra_workgroup", ThreadPlacement::OneWorkgroup),
];

const MEMORY: [(&str, Memory); 4] = [
    ("atomic_storage", Memory { workgroup: false, atomic: true }),
    ("non_atomic_storage", Memory { workgroup: false, atomic: false }),
    ("atomic_workgroup", Memory { workgroup: true, atomic: true }),
    ("non_atomic_workgroup", Memory { workgroup: true, atomic: false }),
];

const MUTATORS: [(&str, Mutator); 3] = [
    ("reversing-po-loc", Mutator::ReversingPoLoc),
    ("weakening-po-loc", Mutator::WeakeningPoLoc),
    ("weakening-sw", Mutator::WeakeningSw),
];

#[derive(Clone, Copy, PartialEq)]
enum ActionKind {
    Read,
    Write,
    Add,
    Fence,
    Wait,
}

const ACTIONS: [(&str, ActionKind); 6] = [
    ("read", ActionKind::Read),
    ("write", ActionKind::Write),
    ("fence", ActionKind::Fence),
    ("barrier", ActionKind::Fence),
    ("add", ActionKind::Add),
    ("wait", ActionKind::Wait),
];

#[derive(Clone, Copy)]
enum GivenKind {
    Conformance,
    Mutant,
    Observation,
}

const KINDS: [(&str, GivenKind); 3] = [
    ("conformance", GivenKind::Conformance),
    ("mutant", GivenKind::Mutant),
    ("observation", GivenKind::Observation),
];

/// Reads a test. `name` is the name of the file in diagnostics.
///
/// # Errors
/// The text is not a valid definition. The diagnostic has the line and column.
pub fn read(name: &str, bytes: &[u8]) -> Result<Test> {
    if bytes.len() > limits::BYTES {
        let message =
            format!("`{name}` has {} bytes, but the limit is {}", bytes.len(), limits::BYTES);
        return Err(Box::new(Diagnostic::new(message)));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => test(Source(&SourceMap::new(name, text))),
        Err(error) => {
            let source = SourceMap::new(name, String::from_utf8_lossy(bytes));
            let at = error.valid_up_to() as u32;
            Err(Box::new(Diagnostic::at(&source, Span::new(at, at + 1), "not valid UTF-8")))
        }
    }
}

/// An action whose names have not been replaced by numbers yet.
struct NamedAction<'v, 'a> {
    does: ActionKind,
    location: &'v str,
    variable: &'v str,
    value: u8,
    update: bool,
    written: &'v Value<'a>,
}

fn test(source: Source<'_>) -> Result<Test> {
    let value = source.parse()?;
    let fields = source.object(&value, &TEST)?;
    let threads_in =
        choice(source, &fields, "testType", &TYPES)?.unwrap_or(ThreadPlacement::Workgroups);
    let memory = choice(source, &fields, "memoryType", &MEMORY)?.unwrap_or(MEMORY[0].1);
    if let (true, ThreadPlacement::Workgroups, Some(given)) =
        (memory.workgroup, threads_in, fields.get("memoryType"))
    {
        let wrong = source
            .wrong(given.range(), "threads in several workgroups cannot share workgroup memory");
        return Err(Box::new(wrong.help("set `\"testType\": \"intra_workgroup\"`")));
    }
    let threads = threads(source, fields.need("threads")?, threads_in, memory)?;
    let known = known(source, &threads)?;
    let mut test = Test {
        name: test_name(source, fields.need("testName")?)?,
        kind: Kind::Observation,
        mutator: choice(source, &fields, "mutator", &MUTATORS)?,
        threads_in,
        memory,
        threads: threads
            .iter()
            .map(|actions| actions.iter().map(|action| numbered(action, &known)).collect())
            .collect(),
        condition: Condition::All(Vec::new()),
    };
    fits(source, &test, fields.need("threads")?)?;
    test.condition = condition::read(source, fields.need("behaviors")?, &known)?;
    test.kind = kind(source, &fields, &test)?;
    Ok(test)
}

fn choice<T: Clone>(
    source: Source<'_>,
    fields: &Fields<'_, '_>,
    key: &str,
    of: &[(&str, T)],
) -> Result<Option<T>> {
    fields.get(key).map(|value| source.choice(value, key, of)).transpose()
}

fn test_name(source: Source<'_>, value: &Value<'_>) -> Result<String> {
    let name = source.string(value)?;
    let is_plain = !name.is_empty() && !name.chars().any(char::is_control);
    match is_plain && name.chars().count() <= limits::NAME {
        true => Ok(name.to_owned()),
        false => {
            let wanted = format!("expected a name of 1 to {} characters", limits::NAME);
            Err(source.wrong(value.range(), wanted))
        }
    }
}

fn threads<'v, 'a>(
    source: Source<'a>,
    value: &'v Value<'a>,
    threads_in: ThreadPlacement,
    memory: Memory,
) -> Result<Vec<Vec<NamedAction<'v, 'a>>>> {
    let written = source.array(value)?;
    if let Some(one) = written.get(limits::THREADS) {
        return Err(
            source.wrong(one.range(), format!("a test has at most {} threads", limits::THREADS))
        );
    }
    let mut threads = Vec::new();
    let mut count = 0;
    for thread in written {
        let fields = source.object(thread, &["actions"])?;
        let mut actions = Vec::new();
        for written in source.array(fields.need("actions")?)? {
            count += 1;
            if count > limits::ACTIONS {
                let message = format!("a test has at most {} actions", limits::ACTIONS);
                return Err(source.wrong(written.range(), message));
            }
            let action = action(source, written, memory)?;
            if action.does == ActionKind::Wait && threads_in == ThreadPlacement::Workgroups {
                return Err(source.wrong(
                    written.range(),
                    "threads in several workgroups cannot wait for each other",
                ));
            }
            actions.push(action);
        }
        threads.push(actions);
    }
    Ok(threads)
}

fn action<'v, 'a>(
    source: Source<'a>,
    written: &'v Value<'a>,
    memory: Memory,
) -> Result<NamedAction<'v, 'a>> {
    let fields = source.object(written, &ACTION)?;
    let does = source.choice(fields.need("action")?, "action", &ACTIONS)?;
    let mut named =
        NamedAction { does, location: "", variable: "", value: 0, update: false, written };
    let takes: &[&str] = match does {
        ActionKind::Read => &["memoryLocation", "variable", "useRMW", "memoryOrder"],
        ActionKind::Write => &["memoryLocation", "value", "useRMW", "memoryOrder"],
        ActionKind::Add => &["memoryLocation", "value", "variable", "memoryOrder"],
        ActionKind::Fence | ActionKind::Wait => &["memoryOrder"],
    };
    source.object(written, &[&["action"], takes].concat())?;
    if takes.contains(&"memoryLocation") {
        named.location = source.string(fields.need("memoryLocation")?)?;
    }
    if takes.contains(&"variable") {
        named.variable = source.string(fields.need("variable")?)?;
    }
    if takes.contains(&"value") {
        named.value = source.number(fields.need("value")?, 1, limits::VALUE)? as u8;
    }
    if let Some(update) = fields.get("useRMW") {
        named.update = source.boolean(update)?;
    }
    if !memory.atomic && (named.update || does == ActionKind::Add) {
        let at = fields.get("useRMW").unwrap_or(written).range();
        return Err(source.wrong(at, "read-modify-writes need atomic memory"));
    }
    if let Some(order) = fields.get("memoryOrder") {
        let orders: &[(&str, ())] = match does {
            ActionKind::Fence | ActionKind::Wait => &[("relaxed", ()), ("acq_rel", ())],
            _ => &[("relaxed", ())],
        };
        source.choice(order, "memory order of WGSL", orders)?;
    }
    Ok(named)
}

/// Collects all names. Refuses too many of them, and variables that two actions read into.
fn known<'v>(source: Source<'_>, threads: &[Vec<NamedAction<'v, '_>>]) -> Result<KnownNames<'v>> {
    let touching = || {
        threads
            .iter()
            .flatten()
            .filter(|one| !matches!(one.does, ActionKind::Fence | ActionKind::Wait))
    };
    let reading = || touching().filter(|one| one.does != ActionKind::Write);
    let mut seen: Vec<&str> = Vec::new();
    for one in reading() {
        if seen.contains(&one.variable) {
            let message = format!("`{}` is already the variable of another action", one.variable);
            return Err(source.wrong(one.written.range(), message));
        }
        seen.push(one.variable);
    }
    let known = KnownNames {
        locations: names::number_names(touching().map(|one| one.location)),
        variables: names::number_names(seen.into_iter()),
    };
    let last = || touching().next_back().map(|one| one.written.range());
    let counts = [
        ("locations", known.locations.len(), limits::LOCATIONS),
        ("variables", known.variables.len(), limits::VARIABLES),
    ];
    for (what, count, most) in counts {
        if let (true, Some(last)) = (count > most, last()) {
            return Err(source.wrong(last, format!("a test has at most {most} {what}")));
        }
    }
    Ok(known)
}

fn numbered(action: &NamedAction<'_, '_>, known: &KnownNames<'_>) -> Action {
    let NamedAction { does, value, update, .. } = *action;
    let location = known.locations.get(action.location).copied().unwrap_or(0);
    let register = known.variables.get(action.variable).copied().unwrap_or(0);
    match does {
        ActionKind::Read => Action::Read { location, register, update },
        ActionKind::Write => Action::Write { location, value, update },
        ActionKind::Add => Action::Add { location, value, register },
        ActionKind::Fence => Action::Fence,
        ActionKind::Wait => Action::Barrier,
    }
}

/// Checks that the numbers of outcomes and executions are within their limits.
fn fits(source: Source<'_>, test: &Test, threads: &Value<'_>) -> Result<()> {
    let wrong = |message: String| Err(source.wrong(threads.range(), message));
    if test.locations() == 0 {
        return wrong("the test has no memory accesses".to_owned());
    }
    let (outcomes, executions) = (limits::outcomes(test), limits::executions(test));
    if outcomes > limits::OUTCOMES {
        return wrong(format!(
            "the test has {outcomes} outcomes, but the limit is {}",
            limits::OUTCOMES
        ));
    }
    if executions > limits::EXECUTIONS {
        let most = limits::EXECUTIONS;
        return wrong(format!(
            "the test has up to {executions} executions, but the limit is {most}"
        ));
    }
    Ok(())
}

fn kind(source: Source<'_>, fields: &Fields<'_, '_>, test: &Test) -> Result<Kind> {
    let is_forbidden = Specification::NAMED.iter().any(|(_, version)| version.forbids(test));
    let given = choice(source, fields, "kind", &KINDS)?;
    let (of, place) = (fields.get("mutantOf"), fields.get("kind"));
    if let (Some(of), None | Some(GivenKind::Conformance | GivenKind::Observation)) = (of, given) {
        return Err(source.wrong(of.range(), "only a mutant can have `mutantOf`"));
    }
    match given {
        Some(GivenKind::Mutant) => {
            let of = test_name(source, fields.need("mutantOf")?)?;
            Ok(Kind::Mutant { of })
        }
        Some(GivenKind::Conformance) if !is_forbidden => {
            let at = place.map_or(fields.open(), Ranged::range);
            Err(source
                .wrong(at, "no version of the specification forbids the condition of the test"))
        }
        Some(GivenKind::Observation) => Ok(Kind::Observation),
        Some(GivenKind::Conformance) => Ok(Kind::Conformance),
        None if is_forbidden => Ok(Kind::Conformance),
        None => Ok(Kind::Observation),
    }
}
