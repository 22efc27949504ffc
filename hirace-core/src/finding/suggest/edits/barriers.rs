//! Edits that insert and move barriers in WGSL.

use crate::edit::Edit;
use crate::edit::place::{self, Place, remove};
use crate::facts::BarrierClass;
use crate::front::wgsl::tokens::Tokens;
use crate::ir::walk::StatementId;
use crate::pass::insert_barriers::{InsertionPoint, Side};
use crate::program::{Language, Program};
use crate::source_map::Span;
use std::collections::BTreeSet;

/// Returns the edits that insert a barrier of this class at each of the points. Returns `None` if a point has no place in the text.
pub(crate) fn insert_barriers(
    program: &Program,
    points: &[InsertionPoint],
    class: BarrierClass,
) -> Option<Vec<Edit>> {
    if program.language != Language::Wgsl {
        return None;
    }
    let tokens = Tokens::new(program.source.text());
    let statement = format!("{};", class.wgsl());
    let insert = |point: &InsertionPoint| {
        Some(place_of(program, &tokens, *point)?.insert(program.source.text(), &statement))
    };
    let mut edits = points.iter().map(insert).collect::<Option<Vec<Edit>>>()?;
    edits.sort();
    edits.dedup();
    Some(edits)
}

/// Returns the edits of [`Suggestion::ReadFirst`](crate::facts::Suggestion::ReadFirst). The first point is the store of an
/// assignment: a new variable gets the assigned value, a barrier follows, and then the variable is assigned. At each other point,
/// only a barrier is inserted.
pub(crate) fn read_first(
    program: &Program,
    points: &[InsertionPoint],
    class: BarrierClass,
) -> Option<Vec<Edit>> {
    let (point, others) = points.split_first()?;
    let mut edits = insert_barriers(program, others, class)?;
    let text = program.source.text();
    let tokens = Tokens::new(text);
    let span = program.body(point.function).statement(point.statement).span;
    let statement = tokens.statement(tokens.at(span.start));
    let operator = tokens.assignment(statement.start)?;
    if tokens.text(statement.end) != ";" || operator + 1 >= statement.end {
        return None;
    }
    let start = tokens.span(statement.start).start as usize;
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let separator = match text[line..start].trim().is_empty() {
        true => format!("{newline}{}", &text[line..start]),
        false => " ".to_owned(),
    };
    let value = tokens.span_of(operator + 1..statement.end);
    let place = program.source.snippet(tokens.span_of(statement.start..operator));
    let shown = program.source.snippet(value);
    let read = match tokens.text(operator).strip_suffix('=')? {
        "" => shown.to_owned(),
        operator => format!("{place} {operator} ({shown})"),
    };
    let name = unused_name(&tokens);
    let call = class.wgsl();
    let before = Span::new(start as u32, start as u32);
    edits.push(Edit::new(before, format!("let {name} = {read};{separator}{call};{separator}")));
    edits.push(Edit::new(Span::new(tokens.span(operator).start, value.end), format!("= {name}")));
    edits.sort();
    Some(edits)
}

/// Returns a name that the text does not contain.
fn unused_name(tokens: &Tokens<'_>) -> String {
    let used: BTreeSet<&str> = tokens.all().map(|at| tokens.text(at)).collect();
    let numbered = (1..).map(|number| format!("value_{number}"));
    let mut names = std::iter::once("value".to_owned()).chain(numbered);
    names.find(|name| !used.contains(name.as_str())).unwrap_or_default()
}

/// Returns the edits that move the barrier statement `from` to the point `to` in the same function.
pub(crate) fn move_barrier(
    program: &Program,
    from: StatementId,
    to: InsertionPoint,
) -> Option<Vec<Edit>> {
    if program.language != Language::Wgsl {
        return None;
    }
    let text = program.source.text();
    let tokens = Tokens::new(text);
    let barrier = program.body(to.function).statement(from).span;
    let statement = tokens.statement(tokens.at(barrier.start));
    let is_barrier = tokens.text(statement.start).ends_with("Barrier")
        && statement.len() == 3
        && tokens.text(statement.end) == ";";
    if barrier.is_empty() || !is_barrier {
        return None;
    }
    let own = tokens.span_of(statement.start..statement.end + 1);
    let removed = remove(text, own);
    let inserted = place_of(program, &tokens, to)?.insert(text, program.source.snippet(own));
    let at = inserted.at.start;
    let is_apart = at <= removed.at.start || at >= removed.at.end;
    let mut edits = vec![removed, inserted];
    edits.sort();
    is_apart.then_some(edits)
}

/// Returns the place of an insertion point in the text, or `None` if it has none.
fn place_of(program: &Program, tokens: &Tokens<'_>, point: InsertionPoint) -> Option<Place> {
    let span = program.body(point.function).statement(point.statement).span;
    if span.is_empty() {
        return None;
    }
    // naga evaluates operands in statements of their own, before the statement of the source that contains them.
    let head = tokens.statement(tokens.at(span.start));
    let start = tokens.span(head.start).start;
    let (is_operand, is_compound) = (start != span.start, tokens.text(head.end) == "{");
    let keyword = tokens.text(head.start);
    let is_evaluated_first = !is_compound || matches!(keyword, "if" | "switch");
    if keyword == "else" || (is_operand && !is_evaluated_first) {
        return None;
    }
    let ends = matches!(keyword, "return" | "break" | "continue" | "discard");
    let is_before = point.side == Side::Before || ends || (is_operand && is_compound);
    if is_before {
        return Some(Place { at: start, side: place::Side::Before });
    }
    let last = match is_compound {
        true => close_of(tokens, head.end)?,
        false => Some(head.end).filter(|end| tokens.text(*end) == ";")?,
    };
    Some(Place { at: tokens.span(last).end, side: place::Side::After })
}

/// Returns the last brace of the compound statement whose first block opens at `open`.
fn close_of(tokens: &Tokens<'_>, open: usize) -> Option<usize> {
    let mut close = tokens.partner(open)?;
    while tokens.text(close + 1) == "else" {
        close = tokens.partner(tokens.statement(close + 1).end)?;
    }
    Some(close)
}
