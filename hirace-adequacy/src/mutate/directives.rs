//! Directives for mutants in comments: `// hirace: skip mutants(relational): why`, `// hirace: expect survived(…): why`
//! and `// hirace: expect killed(…): why`. The parentheses contain selectors as on the command line. A directive without
//! them applies to all mutants.
//!
//! A comment after code applies to its line. A comment on its own line applies to the statement or block that begins at
//! the next line with code. Unused directives give warnings, and malformed ones are errors.

use super::results::{Directive, DirectiveKind, Mutant, Status};
use super::select::Selector;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::source_map::{SourceMap, Span};

/// A directive in a source.
#[derive(Clone, Debug)]
struct Comment {
    says: DirectiveKind,
    selectors: Vec<Selector>,
    reason: Option<String>,
    /// The lines it applies to.
    lines: (u32, u32),
    span: Span,
    used: bool,
}

/// The directives for mutants in a source.
#[derive(Clone, Debug)]
pub struct Directives {
    source: SourceMap,
    comments: Vec<Comment>,
}

const WORDS: [(&str, DirectiveKind); 3] = [
    ("skip mutants", DirectiveKind::Skip),
    ("expect survived", DirectiveKind::ExpectSurvived),
    ("expect killed", DirectiveKind::ExpectKilled),
];

impl Directives {
    /// Parses the directives of a source.
    ///
    /// # Errors
    /// A directive is malformed.
    pub fn read(file: &str, text: &str) -> Result<Self> {
        let source = SourceMap::new(file, text);
        let (mut comments, mut start) = (Vec::new(), 0);
        for (number, line) in (1..).zip(text.split('\n')) {
            if let Some((at, command)) = command(line)
                && WORDS.iter().any(|(word, _)| first(command) == first(word))
            {
                let span = Span::new((start + at) as u32, (start + line.trim_end().len()) as u32);
                let error = |message: String| {
                    let error = Diagnostic::at(&source, span, message);
                    Box::new(error.help("write `// hirace: skip mutants(relational): why`"))
                };
                let said = WORDS
                    .iter()
                    .find_map(|(word, says)| Some((*says, command.strip_prefix(word)?)));
                let Some((says, rest)) = said else {
                    return Err(error(format!("unknown directive `{command}`")));
                };
                let (list, rest) = match rest.trim_start().strip_prefix('(') {
                    Some(rest) => {
                        rest.split_once(')').ok_or_else(|| error("`)` is missing".to_owned()))?
                    }
                    None => ("", rest),
                };
                let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
                let selectors = names.map(|name| {
                    Selector::parse(name).map_err(|unknown| {
                        let named = Diagnostic::at(&source, span, unknown.message);
                        Box::new(Diagnostic { help: unknown.help, ..named })
                    })
                });
                let selectors = selectors.collect::<Result<Vec<_>>>()?;
                let rest = rest.trim();
                let reason =
                    rest.strip_prefix(':').map(str::trim).filter(|reason| !reason.is_empty());
                if reason.is_none() && !rest.is_empty() && rest != ":" {
                    return Err(error(format!("expected `:` before the reason, got `{rest}`")));
                }
                let reason = reason.map(str::to_owned);
                let lines = match line[..at].trim().is_empty() {
                    true => block(&source, number),
                    false => (number, number),
                };
                comments.push(Comment { says, selectors, reason, lines, span, used: false });
            }
            start += line.len() + 1;
        }
        Ok(Self { source, comments })
    }

    /// Applies the directives to an unjudged mutant. A skipped mutant gets its status.
    pub fn apply(&mut self, mutant: &mut Mutant) {
        let means = |comment: &&mut Comment| {
            (comment.lines.0..=comment.lines.1).contains(&mutant.line)
                && (comment.selectors.is_empty()
                    || comment.selectors.iter().any(|one| one.matches(mutant)))
        };
        // The innermost directive applies.
        let found = self.comments.iter_mut().filter(means);
        let Some(comment) = found.min_by_key(|comment| comment.lines.1 - comment.lines.0) else {
            return;
        };
        comment.used = true;
        let reason = comment.reason.clone();
        mutant.directive = Some(Directive { kind: comment.says, reason, holds: true });
        if comment.says == DirectiveKind::Skip && mutant.status.is_none() {
            mutant.status = Some(Status::Skipped);
        }
    }

    /// Returns a warning for each directive that applies to no mutant.
    pub fn unused_warnings(&self) -> Vec<Diagnostic> {
        let idle = self.comments.iter().filter(|comment| !comment.used);
        let warning = |comment: &Comment| {
            let warning =
                Diagnostic::at(&self.source, comment.span, "this directive applies to no mutant");
            warning.help("delete it, or move it to the line or block that it applies to")
        };
        idle.map(warning).collect()
    }
}

/// Records for a judged mutant whether its outcome agrees with its directive.
pub fn check_expectation(mutant: &mut Mutant) {
    let Some(directive) = &mut mutant.directive else { return };
    directive.holds = match (directive.kind, mutant.status) {
        (DirectiveKind::Skip, _) | (_, None | Some(Status::Equivalent)) => true,
        (DirectiveKind::ExpectSurvived, Some(status)) => !status.is_found(),
        (DirectiveKind::ExpectKilled, Some(status)) => status.is_found(),
    };
}

/// Returns the start of a comment that is a directive of hirace, and its text.
fn command(line: &str) -> Option<(usize, &str)> {
    line.match_indices("//").find_map(|(at, _)| {
        let comment = line[at + 2..].trim_start().strip_prefix("hirace:")?;
        // The text `// hirace::check(…)` is code, not a directive.
        (!comment.starts_with(':')).then(|| (at, comment.trim()))
    })
}

fn first(text: &str) -> &str {
    text.split([' ', '(', ':']).next().unwrap_or_default()
}

/// Returns the first and the last line of the next statement or block.
fn block(source: &SourceMap, after: u32) -> (u32, u32) {
    let is_code = |line: &u32| {
        let text = source.line(*line).trim();
        !text.is_empty() && !text.starts_with("//")
    };
    let Some(first) = (after + 1..=source.lines()).find(is_code) else { return (after, after) };
    let (mut depth, mut opened) = (0_i64, false);
    for line in first..=source.lines() {
        let code = source.line(line).split("//").next().unwrap_or_default();
        for c in code.chars() {
            match c {
                '{' => (depth, opened) = (depth + 1, true),
                '}' => depth -= 1,
                // A statement without a block that spans several lines.
                ';' if !opened && depth <= 0 => return (first, line),
                _ => {}
            }
            if opened && depth <= 0 {
                return (first, line);
            }
        }
        if depth < 0 {
            return (first, line);
        }
    }
    (first, first)
}

#[cfg(test)]
mod tests {
    use super::super::results::sample;
    use super::*;

    const TEXT: &str = "fn f() {
    a = b < c; // hirace: skip mutants(relational): as good
    // hirace: expect survived(gpu, less-to-less-equal): a guard
    if a < b {
        c = d;
    }
    e = f;
    // hirace: skip mutants
    g = h
        + i;
    // hirace::check is code
    // hirace: allow(race): another's
}
";

    #[test]
    fn directive_applies_to_its_line_or_the_following_block() {
        let mut directives = Directives::read("k.wgsl", TEXT).unwrap();
        let mut said = |line| {
            let mut mutant = Mutant { line, ..sample() };
            directives.apply(&mut mutant);
            (mutant.directive.map(|directive| directive.kind), mutant.status)
        };
        let skipped = (Some(DirectiveKind::Skip), Some(Status::Skipped));
        assert_eq!(said(2), skipped);
        assert_eq!(
            (said(4), said(5)),
            (
                (Some(DirectiveKind::ExpectSurvived), None),
                (Some(DirectiveKind::ExpectSurvived), None)
            )
        );
        assert_eq!(said(7), (None, None));
        assert_eq!((said(9), said(10)), (skipped, skipped));
        assert_eq!(said(11), (None, None));
        assert!(directives.unused_warnings().is_empty());
    }

    #[test]
    fn unused_directives_warn_and_malformed_ones_fail() {
        let text = "a = b; // hirace: skip mutants(gpu): old\n";
        let directives = Directives::read("k.wgsl", text).unwrap();
        assert_eq!(directives.unused_warnings().len(), 1);
        for bad in [
            "skip mutant(gpu)",
            "expect nothing",
            "skip mutants(gup)",
            "skip mutants(gpu",
            "expect killed why",
        ] {
            let error = Directives::read("k.wgsl", &format!("a; // hirace: {bad}\n"));
            assert!(error.is_err(), "{bad}");
        }
    }

    #[test]
    fn expectations_are_compared_with_the_mutant_status() {
        let holds = |says, status| {
            let directive = Some(Directive { kind: says, reason: None, holds: true });
            let mut mutant = Mutant { directive, status: Some(status), ..sample() };
            check_expectation(&mut mutant);
            mutant.directive.unwrap().holds
        };
        assert!(holds(DirectiveKind::ExpectSurvived, Status::Survived));
        assert!(!holds(DirectiveKind::ExpectSurvived, Status::Killed));
        assert!(holds(DirectiveKind::ExpectKilled, Status::Timeout));
        assert!(!holds(DirectiveKind::ExpectKilled, Status::Undecided));
        assert!(holds(DirectiveKind::Skip, Status::Skipped));
    }
}
