//! Results as text for a terminal.

use super::results::{
    ChangeKind, Claim, Event, EventKind, Finding, Kind, Place, Program, Quantifier, Repair,
    Results, Verdict,
};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text::{self, Style};
use hirace_core::source_map::{LineColumn, SourceMap, Span};
use std::fmt::Write as _;

/// The maximum number of events to show of an execution.
const MAX_EVENTS: usize = 80;

/// The maximum number of unreached accesses to list.
const MAX_PLACES: usize = 8;

/// Returns the complete report: the findings, each with an execution, followed by a summary of each program.
pub fn report(results: &Results, style: Style) -> String {
    let mut report = String::new();
    for program in &results.programs {
        for finding in &program.findings {
            report += &text::diagnostic(&diagnostic(program, finding), style);
            report += &execution(&finding.execution);
            report += &replay_line(finding);
            report.push('\n');
        }
        if let Some(claim) = program.claim.as_ref().filter(|claim| !claim.execution.is_empty()) {
            let _ = writeln!(report, "{}", shows(claim));
            report += &execution(&claim.execution);
            report.push('\n');
        }
    }
    let seconds = |index: usize| results.timing.as_ref()?.programs.get(index).copied();
    for (index, program) in results.programs.iter().enumerate() {
        report += &summary(program, &results.model, seconds(index));
        report += &program.repair.as_ref().map(repair).unwrap_or_default();
    }
    if results.stopped {
        report += "stopped: the report covers what was explored before that\n";
    }
    if results.programs.len() > 1 {
        let _ = writeln!(
            report,
            "{}: {}, {}",
            verdict(results.verdict),
            count(results.programs.len() as u64, "program", "programs"),
            numbers(
                results.executions,
                results.blocked,
                results.timing.as_ref().map(|timing| timing.seconds)
            )
        );
    }
    report
}

/// Returns a number with its noun: `1 execution`, `2 executions`.
fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Returns the name of a verdict.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "verified",
        Verdict::Bounded => "bounded",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Violation => "violation",
    }
}

/// Returns the summary of a program: its verdict and what that is based on.
fn summary(program: &Program, model: &str, seconds: Option<f64>) -> String {
    let Program { file, name, invocations, executions, blocked, .. } = program;
    let grid = match program.workgroups {
        Some([x, y, z]) => format!(", {x}x{y}x{z} workgroups"),
        None => String::new(),
    };
    let who = count(*invocations as u64, "invocation", "invocations");
    let mut summary =
        format!("{}: `{name}` of {file} under {model}{grid}, {who}\n", verdict(program.verdict));
    let _ = writeln!(summary, "  {}", numbers(*executions, *blocked, seconds));
    if let Some(claim) = &program.claim {
        let _ = writeln!(summary, "  {}", claimed(claim));
    }
    for assumption in &program.assumptions {
        let _ = writeln!(summary, "  assumed: {assumption}");
    }
    for place in program.not_reached.iter().take(MAX_PLACES) {
        let Place { line, column, code, .. } = place;
        let _ = writeln!(summary, "  no execution reaches {line}:{column} `{code}`");
    }
    let open = match program.verdict {
        Verdict::Inconclusive if !program.not_reached.is_empty() => {
            "  pass --buffer and --workgroups instead of the assumed values, so that all accesses are reached"
        }
        Verdict::Bounded => "  a loop reached the bound on iterations: raise --max-loop-iterations",
        Verdict::Inconclusive => {
            "  not all executions were explored: use a smaller grid or workgroup"
        }
        Verdict::Verified | Verdict::Violation => return summary,
    };
    summary + open + "\n"
}

/// Returns the result of the search for a repair: a patch, or what was tried.
fn repair(repair: &Repair) -> String {
    let Repair { diff, candidates, undecided, limited, tried, .. } = repair;
    let texts = count(*candidates, "candidate was", "candidates were");
    if let Some(of) = repair.verdict {
        let head = match of {
            Verdict::Verified => {
                "repair: this smallest change verifies, for this grid and model only"
            }
            _ => "repair: this smallest change removes all findings, for this grid and model only",
        };
        let open = match of {
            Verdict::Verified => String::new(),
            of => format!("  the changed text is not verified, its verdict is `{}`\n", verdict(of)),
        };
        return format!("{head}; {texts} explored\n{open}{diff}");
    }
    if tried.is_empty() {
        return "repair: no kind of change applies to this finding\n".to_owned();
    }
    let mut said = format!("repair: none found; {texts} explored\n");
    let tried = tried.iter().map(|tally| format!("{} {}", change(tally.change), tally.candidates));
    let _ = writeln!(said, "  tried: {}", tried.collect::<Vec<_>>().join(", "));
    if *undecided > 0 {
        let texts = count(*undecided, "of them was", "of them were");
        let _ = writeln!(said, "  {texts} not fully explored: raise --max-executions");
    }
    if *limited {
        said += "  not all candidates were tried: raise --max-candidates\n";
    }
    said
}

/// Returns the description of a kind of change, which precedes its number of candidates.
fn change(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::InsertBarrier => "barriers inserted",
        ChangeKind::ReplaceBarrier => "barriers replaced",
        ChangeKind::RemoveBarrier => "barriers removed",
        ChangeKind::MoveBarrier => "barriers moved",
        ChangeKind::MakeAtomic => "accesses made atomic",
        ChangeKind::Strengthen => "orders and scopes strengthened",
    }
}

fn numbers(executions: u64, blocked: u64, seconds: Option<f64>) -> String {
    let executions = count(executions, "execution", "executions");
    let seconds = seconds.map(|seconds| format!(", {seconds:.3} s")).unwrap_or_default();
    format!("{executions}, {blocked} of them waiting forever{seconds}")
        .replace(", 0 of them waiting forever", "")
}

fn claimed(claim: &Claim) -> String {
    let what = match claim.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    let holds = match claim.holds {
        Some(true) => "holds",
        Some(false) => "does not hold",
        None => "is undecided",
    };
    let times = count(claim.holding, "execution", "executions");
    format!("`{what}` {holds}: the condition is satisfied in {times}")
}

fn shows(claim: &Claim) -> &'static str {
    match claim.quantifier {
        Quantifier::Exists => "an execution in which the condition of `exists` is satisfied:",
        Quantifier::NotExists => "an execution in which the condition of `~exists` is satisfied:",
        Quantifier::Forall => "an execution in which the condition of `forall` is not satisfied:",
    }
}

fn diagnostic(program: &Program, finding: &Finding) -> Diagnostic {
    let (message, help) = match finding.kind {
        Kind::DataRace => (
            "data race: nothing orders two conflicting accesses",
            "order them with a barrier that covers the memory, or make both atomic",
        ),
        Kind::HeterogeneousRace => (
            "heterogeneous race: the scopes of two conflicting atomic accesses do not include each other",
            "widen the scope",
        ),
        Kind::BarrierDivergence => (
            "barrier divergence: some invocations wait at a barrier that others never reach",
            "move the barrier to a point that all invocations of the workgroup reach",
        ),
        Kind::Assertion => ("an assertion does not hold", "see the execution below"),
        Kind::NoTermination => (
            "no termination: invocations wait for values that are never written",
            "see in the execution below which invocation should have written them",
        ),
    };
    let message = match &finding.unmet {
        Some(unmet) => format!("`{}` does not hold when all invocations have ended", unmet.claim),
        None => message.to_owned(),
    };
    let mut said = Diagnostic::new(message).help(help);
    for held in finding.unmet.iter().flat_map(|unmet| &unmet.memory).take(MAX_PLACES) {
        said = said.note(format!("{} holds {}", held.memory, held.value));
    }
    for place in &finding.accesses {
        match program.source.as_ref().filter(|_| place.line > 0) {
            Some(source) => {
                said.source_map = Some(source.clone());
                said.labels.push((span(source, place), describe_invocation(place)));
            }
            None => said.notes.push(format!("{} has already finished", describe_invocation(place))),
        }
    }
    said.note(format!("in `{}` of {}", program.name, program.file))
}

fn span(source: &SourceMap, place: &Place) -> Span {
    let at = |line, column| source.offset(LineColumn { line, column });
    Span::new(at(place.line, place.column), at(place.end_line, place.end_column))
}

fn describe_invocation(place: &Place) -> String {
    format!("invocation {}, workgroup {}", place.invocation, place.workgroup)
}

/// Returns the events of an execution, one per line.
fn execution(events: &[Event]) -> String {
    let rows = events.iter().take(MAX_EVENTS).enumerate().map(|(number, event)| {
        let place = &event.place;
        let code = place.code.lines().next().unwrap_or("");
        [
            number.to_string(),
            format!("P{}", place.invocation),
            format!("{}:{}", place.line, place.column),
            code.to_owned(),
            describe_event(event),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    let mut text = String::new();
    for [number, who, place, code, does] in &rows {
        let _ = writeln!(
            text,
            "  {number:>0$}  {who:<1$}  {place:<2$}  {code:<3$}  {does}",
            widths[0], widths[1], widths[2], widths[3]
        );
    }
    if events.len() > MAX_EVENTS {
        let _ = writeln!(text, "  … and {} more events", events.len() - MAX_EVENTS);
    }
    text
}

/// Returns the line that says how to reproduce the execution, if that is possible.
fn replay_line(finding: &Finding) -> String {
    match &finding.replay {
        Some(replay) => format!("  replay: {replay}\n"),
        None if finding.weak => {
            "  no interleaving shows this: it requires weak memory\n".to_owned()
        }
        None => String::new(),
    }
}

/// Returns the description of an event: `reads x = 1, from 3`.
pub fn describe_event(event: &Event) -> String {
    let memory = event.memory.as_deref().unwrap_or("");
    let atomic = if event.atomic { " (atomic)" } else { "" };
    let from = match event.from {
        Some(from) => format!("from {from}"),
        None => "the initial value".to_owned(),
    };
    let (read, wrote) = (event.read.unwrap_or(0), event.wrote);
    match (event.kind, wrote) {
        (EventKind::Read, _) => format!("reads {memory} = {read}, {from}{atomic}"),
        (EventKind::Write, wrote) => format!("writes {memory} = {}{atomic}", wrote.unwrap_or(0)),
        (EventKind::Update, Some(wrote)) => {
            format!("updates {memory} from {read} to {wrote}, {from}{atomic}")
        }
        (EventKind::Update, None) => {
            format!("reads {memory} = {read}, {from}, and does not write{atomic}")
        }
        (EventKind::Fence, _) => "executes a fence".to_owned(),
        (EventKind::Barrier, _) => "passes the barrier".to_owned(),
        (EventKind::Fails, _) => "fails the assertion".to_owned(),
    }
}
