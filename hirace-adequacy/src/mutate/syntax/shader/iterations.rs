//! Mutations of the number of iterations of WGSL and GLSL loops.

use super::super::loops::{self, Comparison, Step};
use super::super::{Edit, Loop};
use super::Shader;
use hirace_core::front::wgsl::tokens::TokenKind;
use hirace_core::source_map::Span;
use std::collections::BTreeSet;
use std::ops::Range;

impl<'a> Shader<'a> {
    /// Returns the loop that begins at a word, with its edits.
    pub(super) fn of_loop(&self, index: usize) -> Option<Loop> {
        let tokens = self.tokens;
        let end = tokens.all().end;
        match tokens.text(index) {
            "for" if tokens.text(index + 1) == "(" => {
                let close = tokens.partner(index + 1)?;
                let parts = self.split(index + 2..close, ";");
                let [_, condition, update] = &parts[..] else { return None };
                let body = self.body(close + 1);
                if condition.is_empty() {
                    return Some(Loop { none: self.leave(body.start)?, less: None, more: None });
                }
                // In GLSL's `i++, j--`, the first part is taken as the step.
                let first = self.split(update.clone(), ",").swap_remove(0);
                let step = self.step(first.clone(), None).filter(|step| {
                    self.assigned(&body, &step.variable).is_empty()
                        && self.assigned(update, &step.variable).len() == 1
                });
                let (less, more) = match &step {
                    Some(step) => {
                        let body = [body.clone(), update.clone()];
                        self.bounds(condition.clone(), false, step, &body)
                    }
                    None => (None, None),
                };
                let none = Edit::new(tokens.span_of(condition.clone()), "false");
                Some(Loop { none, less, more })
            }
            "while" => {
                // The end of `do { … } while (…);`.
                let open = (index..end).find(|&i| matches!(tokens.text(i), "{" | ";"))?;
                let braces = match tokens.text(index + 1) {
                    "(" if !self.is_wgsl => tokens.partner(index + 1)?,
                    _ => open - 1,
                };
                if self.is_wgsl && tokens.text(open) == ";" {
                    return None;
                }
                if !self.is_wgsl
                    && index > 0
                    && tokens.text(index - 1) == "}"
                    && self.ends_do(index)
                {
                    return None;
                }
                let condition = match self.is_wgsl {
                    true => index + 1..open,
                    false => index + 2..braces,
                };
                let body = self.body(braces + 1);
                let (less, more) = self.bounds_by_body(condition.clone(), false, body);
                let none = Edit::new(tokens.span_of(condition), "false");
                Some(Loop { none, less, more })
            }
            "loop" if self.is_wgsl => {
                let body = self.body(index + 1);
                let (less, more) = match self.exit(body.clone()) {
                    Some(condition) => self.bounds_by_body(condition, true, body.clone()),
                    None => (None, None),
                };
                Some(Loop { none: self.leave(body.start)?, less, more })
            }
            "do" if !self.is_wgsl => {
                let body = self.body(index + 1);
                Some(Loop { none: self.leave(body.start)?, less: None, more: None })
            }
            _ => None,
        }
    }

    /// Returns whether the `while` at `index` ends a `do` loop.
    fn ends_do(&self, index: usize) -> bool {
        let open = self.tokens.partner(index - 1);
        open.is_some_and(|open| open > 0 && self.tokens.text(open - 1) == "do")
    }

    /// Returns the tokens inside the braces that begin at `start`, or of the statement that begins there.
    fn body(&self, start: usize) -> Range<usize> {
        match (self.tokens.text(start), self.tokens.partner(start)) {
            ("{", Some(close)) => start + 1..close,
            _ => start..self.tokens.statement(start).end,
        }
    }

    /// Returns an edit that leaves a loop at the start of its body.
    fn leave(&self, body: usize) -> Option<Edit> {
        let open = body.checked_sub(1).filter(|&open| self.tokens.text(open) == "{")?;
        let at = self.tokens.span(open).end;
        Some(Edit::new(Span::new(at, at), " if (true) { break; }"))
    }

    /// Returns the condition under which a loop is left: that of `break if …;`, or of `if … { break; }` at its start.
    fn exit(&self, body: Range<usize>) -> Option<Range<usize>> {
        let tokens = self.tokens;
        if tokens.text(body.start) == "if" {
            let open = (body.start..body.end).find(|&i| tokens.text(i) == "{")?;
            let leaves = tokens.text(open + 1) == "break" && tokens.text(open + 3) == "}";
            if leaves {
                return Some(body.start + 1..open);
            }
        }
        let continuing = body.clone().rev().find(|&i| tokens.text(i) == "continuing")?;
        let own = tokens.partner(continuing + 1)? + 1 == body.end;
        let found = (continuing..body.end)
            .find(|&i| tokens.text(i) == "break" && tokens.text(i + 1) == "if")?;
        own.then(|| found + 2..tokens.statement(found).end)
    }

    /// Returns how the statement in `range` changes a variable; only `variable`, if it is given.
    fn step(&self, range: Range<usize>, variable: Option<&str>) -> Option<Step> {
        let tokens = self.tokens;
        let assignment = range.clone().find(|&i| tokens.is_assignment(i))?;
        let name = match tokens.text(assignment) {
            "++" | "--" if assignment == range.start => tokens.text(assignment + 1),
            _ if assignment == range.start + 1 => tokens.text(range.start),
            _ => return None,
        };
        if variable.is_some_and(|variable| variable != name) {
            return None;
        }
        let rest = assignment + 1..range.end;
        let (operator, by) = match tokens.text(assignment) {
            "++" => ("+", "1".to_owned()),
            "--" => ("-", "1".to_owned()),
            "+=" => ("+", self.shown(rest).to_owned()),
            "-=" => ("-", self.shown(rest).to_owned()),
            "*=" => ("*", self.shown(rest).to_owned()),
            "/=" => ("/", self.shown(rest).to_owned()),
            "<<=" => ("<<", self.shown(rest).to_owned()),
            ">>=" => (">>", self.shown(rest).to_owned()),
            // Accepts `i = i + 2`, but not `i = i * 2 + 1`.
            "=" if tokens.text(rest.start) == name => {
                let known = ["+", "-", "*", "/", "<<", ">>"];
                let operator =
                    known.into_iter().find(|known| *known == tokens.text(rest.start + 1))?;
                let by = rest.start + 2..rest.end;
                let others: &[&str] = match operator {
                    "+" => &["+", "-", "*", "/", "%", "."],
                    "-" => &["*", "/", "%", "."],
                    _ => &["."],
                };
                if by.is_empty() || !self.joined(by.clone()).all(|i| others.contains(&i)) {
                    return None;
                }
                (operator, self.shown(by).to_owned())
            }
            _ => return None,
        };
        Some(Step { variable: name.to_owned(), operator, by })
    }

    /// Returns the same as `bounds`, with the step anywhere in the body.
    fn bounds_by_body(
        &self,
        condition: Range<usize>,
        exits: bool,
        body: Range<usize>,
    ) -> (Option<Edit>, Option<Edit>) {
        let words = condition.clone().filter(|&i| self.tokens.kind(i) == TokenKind::Word);
        let names: BTreeSet<&str> = words.map(|i| self.tokens.text(i)).collect();
        for name in names {
            let [one] = self.assigned(&body, name)[..] else { continue };
            if !self.is_in_every_iteration(one, &body) {
                continue;
            }
            if let Some(step) = self.step(self.tokens.statement(one), Some(name)) {
                return self.bounds(condition, exits, &step, &[body]);
            }
        }
        (None, None)
    }

    /// Returns where a name is assigned or its address is taken. A variable of the same name in an inner loop is
    /// another one.
    fn assigned(&self, range: &Range<usize>, name: &str) -> Vec<usize> {
        let tokens = self.tokens;
        let (mut found, mut index) = (Vec::new(), range.start);
        while index < range.end {
            let is_declared = tokens.text(index) == "for"
                && tokens.kind(index + 2) == TokenKind::Word
                && tokens.text(index + 3) == name;
            if let (true, Some(close)) = (is_declared, tokens.partner(index + 1)) {
                index = self.body(close + 1).end;
                continue;
            }
            let before = index.checked_sub(1).map_or("", |before| tokens.text(before));
            let is_changed = tokens.is_assignment(index + 1)
                || matches!(before, "++" | "--")
                || (before == "&" && !self.is_after_operand(index - 1));
            if tokens.text(index) == name && before != "." && is_changed {
                found.push(index);
            }
            index += 1;
        }
        found
    }

    /// Returns whether a token of a body runs in every iteration: it is in no inner block except `continuing`.
    fn is_in_every_iteration(&self, token: usize, body: &Range<usize>) -> bool {
        let tokens = self.tokens;
        let mut index = body.start;
        while index < token {
            if let ("{", Some(close)) = (tokens.text(index), tokens.partner(index)) {
                match close > token {
                    true if tokens.text(index - 1) != "continuing" => return false,
                    true => {}
                    false => index = close,
                }
            }
            index += 1;
        }
        true
    }

    /// Returns the tokens between operands, outside of parentheses.
    fn joined(&self, range: Range<usize>) -> impl Iterator<Item = &'a str> {
        let mut index = range.start;
        let mut found = Vec::new();
        while index < range.end {
            match self.tokens.text(index) {
                "(" | "[" => index = self.tokens.partner(index).unwrap_or(index),
                text if self.tokens.kind(index) == TokenKind::Punctuation => found.push(text),
                _ => {}
            }
            index += 1;
        }
        found.into_iter()
    }

    /// Returns the edits of the one comparison with the variable, in a condition joined only by `&&` (or `||`, for a
    /// condition that leaves the loop).
    fn bounds(
        &self,
        condition: Range<usize>,
        exits: bool,
        step: &Step,
        body: &[Range<usize>],
    ) -> (Option<Edit>, Option<Edit>) {
        let condition = self.bare(condition);
        for part in self.split(condition, if exits { "||" } else { "&&" }) {
            let part = self.bare(part);
            if let Some((comparison, left, right)) = self.comparison(part, exits, step, body) {
                let edit = |moved: loops::ShiftedOperand| {
                    let side = if moved.left { left.clone() } else { right.clone() };
                    Edit::new(self.tokens.span_of(side), moved.text)
                };
                let (less, more) = loops::shift_bounds(&comparison, step);
                return (less.map(edit), more.map(edit));
            }
        }
        (None, None)
    }

    /// Strips enclosing parentheses.
    fn bare(&self, mut range: Range<usize>) -> Range<usize> {
        while !range.is_empty()
            && self.tokens.text(range.start) == "("
            && self.tokens.partner(range.start) == Some(range.end - 1)
        {
            range = range.start + 1..range.end - 1;
        }
        range
    }

    /// Parses a part of a condition as a comparison in which only the variable changes between iterations.
    fn comparison(
        &self,
        range: Range<usize>,
        exits: bool,
        step: &Step,
        body: &[Range<usize>],
    ) -> Option<(Comparison, Range<usize>, Range<usize>)> {
        let operators = ["<", "<=", ">", ">=", "==", "!="];
        let found: Vec<(usize, &str)> = operators
            .into_iter()
            .flat_map(|operator| {
                let parts = self.split(range.clone(), operator);
                let ends: Vec<usize> = parts.iter().rev().skip(1).map(|part| part.end).collect();
                ends.into_iter().map(move |end| (end, operator))
            })
            .collect();
        let [(at, operator)] = found[..] else { return None };
        let binds_less = |joins: &str| matches!(joins, "&&" | "||" | "?" | "&" | "|" | "^");
        if self.joined(range.clone()).any(binds_less) {
            return None;
        }
        let operator = if exits { loops::invert(operator)? } else { loops::comparing(operator)? };
        let operator = loops::comparing(operator)?;
        let (left, right) = (range.start..at, at + 1..range.end);
        let names = range.filter(|&i| self.tokens.kind(i) == TokenKind::Word);
        let names = names.map(|i| self.tokens.text(i)).chain(loops::words(&step.by));
        let changes = |name: &str| body.iter().any(|body| !self.assigned(body, name).is_empty());
        if names.into_iter().any(|name| name != step.variable && changes(name)) {
            return None;
        }
        let has =
            |range: &Range<usize>| range.clone().any(|i| self.tokens.text(i) == step.variable);
        let variable_is_left = has(&left);
        if variable_is_left == has(&right) {
            return None;
        }
        let side = if variable_is_left { left.clone() } else { right.clone() };
        let comparison = Comparison {
            left: self.shown(left.clone()).to_owned(),
            operator,
            right: self.shown(right.clone()).to_owned(),
            variable_is_left,
            is_plain: self.is_plain(side, &step.variable)?,
        };
        Some((comparison, left, right))
    }

    /// Returns whether a side of a comparison is the variable itself (`true`), or a sum or conversion of it (`false`).
    /// Returns `None` for other expressions, whose growth is unknown.
    fn is_plain(&self, side: Range<usize>, variable: &str) -> Option<bool> {
        let tokens = self.tokens;
        let side = self.bare(side);
        let is_variable =
            |range: Range<usize>| range.len() == 1 && tokens.text(range.start) == variable;
        if is_variable(side.clone()) {
            return Some(true);
        }
        let is_number =
            matches!(tokens.text(side.start), "u32" | "i32" | "f32" | "uint" | "int" | "float");
        if is_number && tokens.partner(side.start + 1) == Some(side.end - 1) {
            return is_variable(self.bare(side.start + 1..side.end)).then_some(false);
        }
        let mut index = side.start;
        let mut found = 0;
        while index < side.end {
            match tokens.text(index) {
                "(" | "[" => {
                    let close = tokens.partner(index)?;
                    if (index..close).any(|i| tokens.text(i) == variable) {
                        return None;
                    }
                    index = close;
                }
                "+" | "-" | "." => {}
                text if text == variable => {
                    let before = (index > side.start).then(|| tokens.text(index - 1));
                    if before.is_some_and(|before| before != "+") || tokens.text(index + 1) == "." {
                        return None;
                    }
                    found += 1;
                }
                _ if tokens.kind(index) == TokenKind::Punctuation => return None,
                _ => {}
            }
            index += 1;
        }
        (found == 1).then_some(false)
    }
}
