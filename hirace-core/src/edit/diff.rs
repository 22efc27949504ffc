//! Unified diffs of two texts, in the format of `patch -p0` and `git apply -p0`.
//!
//! Common lines are found with a longest common subsequence between the common prefix and the common suffix of the
//! texts, so distant edits become separate hunks.

use std::fmt::Write as _;

/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// A line of both texts or of one, by its index in the old and in the new text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Kept(usize, usize),
    Removed(usize),
    Added(usize),
}

/// Returns the diff from `old` to `new`, both named `name`. It is empty if the texts are equal.
pub fn unified_diff(name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let texts = [lines(old), lines(new)];
    let aligned = align(&texts[0], &texts[1]);
    let mut diff = format!("--- {name}\n+++ {name}\n");
    let mut at = 0;
    while let Some(first) = next_change(&aligned, at) {
        let start = first.saturating_sub(CONTEXT);
        let mut last = first;
        while let Some(next) = next_change(&aligned, last + 1) {
            if next - last > 2 * CONTEXT {
                break;
            }
            last = next;
        }
        hunk(&mut diff, &aligned, start..(last + 1 + CONTEXT).min(aligned.len()), &texts);
        at = last + 1;
    }
    diff
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn next_change(aligned: &[Line], from: usize) -> Option<usize> {
    let rest = aligned.get(from..)?;
    let at = rest.iter().position(|line| !matches!(line, Line::Kept(..)))?;
    Some(from + at)
}

fn hunk(
    diff: &mut String,
    aligned: &[Line],
    range: std::ops::Range<usize>,
    [old, new]: &[Vec<&str>; 2],
) {
    let shown = &aligned[range.clone()];
    let of_old = |line: &Line| !matches!(line, Line::Added(_));
    let of_new = |line: &Line| !matches!(line, Line::Removed(_));
    let before =
        |is: &dyn Fn(&Line) -> bool| aligned[..range.start].iter().filter(|l| is(l)).count();
    let count = |is: &dyn Fn(&Line) -> bool| shown.iter().filter(|l| is(l)).count();
    // A range of no lines is given by the number of the preceding line.
    let head = |is: &dyn Fn(&Line) -> bool| {
        let (start, lines) = (before(is), count(is));
        format!("{},{lines}", start + usize::from(lines > 0))
    };
    let _ = writeln!(diff, "@@ -{} +{} @@", head(&of_old), head(&of_new));
    for line in shown {
        let (sign, text) = match *line {
            Line::Kept(at, _) => (' ', old[at]),
            Line::Removed(at) => ('-', old[at]),
            Line::Added(at) => ('+', new[at]),
        };
        diff.push(sign);
        diff.push_str(text);
        if !text.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// Aligns the lines of both texts. Between common lines, removed lines come before added ones.
fn align(old: &[&str], new: &[&str]) -> Vec<Line> {
    let alike = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(alike).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(alike).count();
    let (a, b) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut lines: Vec<Line> = (0..head).map(|at| Line::Kept(at, at)).collect();
    lines.extend(common(a, b).into_iter().map(|line| match line {
        Line::Kept(at, to) => Line::Kept(at + head, to + head),
        Line::Removed(at) => Line::Removed(at + head),
        Line::Added(at) => Line::Added(at + head),
    }));
    let (from, to) = (old.len() - tail, new.len() - tail);
    lines.extend((0..tail).map(|at| Line::Kept(from + at, to + at)));
    lines
}

/// Aligns by the longest common subsequence. If its table would be too large, no lines are common.
fn common(a: &[&str], b: &[&str]) -> Vec<Line> {
    const MAX_ACCESSES: usize = 1 << 24;
    let width = b.len() + 1;
    let mut longest = Vec::new();
    if (a.len() + 1).saturating_mul(width) <= MAX_ACCESSES {
        longest = vec![0u32; (a.len() + 1) * width];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                longest[i * width + j] = match a[i] == b[j] {
                    true => longest[(i + 1) * width + j + 1] + 1,
                    false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
                };
            }
        }
    }
    let mut lines = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let is_known = !longest.is_empty() && i < a.len() && j < b.len();
        if is_known && a[i] == b[j] {
            lines.push(Line::Kept(i, j));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len()
            || i < a.len()
                && (!is_known || longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        {
            lines.push(Line::Removed(i));
            i += 1;
        } else {
            lines.push(Line::Added(j));
            j += 1;
        }
    }
    lines
}
