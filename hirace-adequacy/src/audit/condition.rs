//! The source text of the conditions that decide control flow.

use super::point::{Point, PointKind};
use hirace_core::cover::coverage::BranchKind;

/// The maximum number of characters of a condition that are shown.
const MAX_CHARACTERS: usize = 100;

/// Returns the source text at a point: the condition of a branch or the head of a loop. Returns `None` for other
/// points.
pub fn condition(text: &str, point: &Point) -> Option<String> {
    if matches!(point.what, PointKind::Function { .. } | PointKind::Barrier) {
        return None;
    }
    let line = text.lines().nth(point.line.checked_sub(1)? as usize)?;
    let from: String = line.chars().skip(point.column.saturating_sub(1) as usize).collect();
    let from = match &point.what {
        // Conditions may span several lines.
        PointKind::Arm { branch: BranchKind::If | BranchKind::Switch, .. }
        | PointKind::Iterations { .. } => {
            let rest = text.lines().skip(point.line as usize);
            rest.take(8).fold(from, |all, line| all + " " + line.trim())
        }
        PointKind::Arm { .. } | PointKind::Function { .. } | PointKind::Barrier => from,
    };
    let end = match &point.what {
        PointKind::Arm { branch: BranchKind::And | BranchKind::Or, .. } => operand(&from),
        PointKind::Arm { branch: BranchKind::Select, .. } => call(&from),
        _ => head(&from),
    };
    let words: Vec<&str> = from.get(..end)?.split_whitespace().collect();
    let mut shown = words.join(" ");
    if shown.chars().count() > MAX_CHARACTERS {
        shown = shown.chars().take(MAX_CHARACTERS).chain(['…']).collect();
    }
    (!shown.is_empty()).then_some(shown)
}

/// Returns the end of the text before a block or, without a block, of the first parenthesized group.
fn head(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                let next = text[at + 1..].trim_start();
                let goes_on = next.starts_with([
                    '{', '&', '|', '=', '<', '>', '!', '.', '+', '-', '*', '/', '%', '[', ')',
                ]) || next.starts_with("as ");
                if depth == 0 && !goes_on {
                    return at + 1;
                }
            }
            '{' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns the end of an operand: where the enclosing construct ends or another operand begins.
fn operand(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return at,
            ')' | ']' => depth -= 1,
            '{' | ';' | ',' if depth == 0 => return at,
            _ if depth == 0 && ["&&", "||"].iter().any(|of| text[at..].starts_with(of)) => {
                return at;
            }
            _ => {}
        }
    }
    text.len()
}

/// Returns the end of a call.
fn call(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            ';' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, line: u32, column: u32, branch: BranchKind) -> Option<String> {
        let what = PointKind::Arm { branch, index: 0, arm: "true".to_owned() };
        condition(text, &Point { line, column, what })
    }

    #[test]
    fn conditions_are_those_of_the_source() {
        let wgsl = "fn f() {\n    if (a[i] > 7) && b {\n        c();\n    }\n}";
        assert_eq!(of(wgsl, 2, 5, BranchKind::If).as_deref(), Some("if (a[i] > 7) && b"));
        assert_eq!(of(wgsl, 2, 22, BranchKind::And).as_deref(), Some("b"));
        assert_eq!(of("if (x)\n  y = 1;", 1, 1, BranchKind::If).as_deref(), Some("if (x)"));
        assert_eq!(of("  if x\n      < 3 {", 1, 3, BranchKind::If).as_deref(), Some("if x < 3"));
        assert_eq!(
            of("a = select(b, f(c), d) + 1;", 1, 5, BranchKind::Select).as_deref(),
            Some("select(b, f(c), d)")
        );
        assert_eq!(of("switch m { case 1", 1, 1, BranchKind::Switch).as_deref(), Some("switch m"));
        assert_eq!(of("if x {", 9, 1, BranchKind::If), None);
        let long = format!("if {} {{", "é".repeat(300));
        assert_eq!(of(&long, 1, 1, BranchKind::If).unwrap().chars().count(), MAX_CHARACTERS + 1);
    }
}
