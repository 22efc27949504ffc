//! Suppressing findings with comments: `// hirace: allow(race): the reason`.
//!
//! A comment after code applies to its own line; a comment on a line of its own applies to the next line with code. A
//! finding is suppressed if one of its source locations begins on that line. Suppressed findings are counted, and a
//! comment that suppresses nothing is reported, so that stale comments are noticed.

use crate::diagnostic::Diagnostic;
use crate::facts::{Finding, Kind, LaunchFacts, Place, SuppressedBy, SuppressedFinding, Warning};
use crate::front::{self, ParsedModule};
use crate::program::Language;
use crate::source_map::{SourceMap, Span};

/// The directives of one source.
#[derive(Clone, Debug)]
pub struct Suppressions {
    source: SourceMap,
    comments: Vec<Comment>,
    warnings: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
struct Comment {
    /// Where the findings are that the directive suppresses.
    target: Target,
    /// The kinds that the directive suppresses; `None` stands for all.
    kinds: Vec<Option<Kind>>,
    reason: Option<String>,
    span: Span,
    used: bool,
}

/// The part of a source that a directive applies to.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// A line, counted over all files of the source.
    Line(u32),
    /// The text of one line of a shader that is a string of a program.
    Text(Span),
}

impl Target {
    fn contains(self, source: &SourceMap, offset: u32) -> bool {
        match self {
            Self::Line(line) => line == source.line_over_all(offset),
            Self::Text(span) => span.start <= offset && offset < span.end,
        }
    }
}

/// The number of unknown names in one directive that have a warning each. Each warning shows the whole line.
const MAX_UNKNOWN_NAMES: usize = 4;

/// The beginnings of directives about mutants, which `hirace mutate` reads.
const MUTANT_DIRECTIVES: [&str; 3] = ["skip mutants", "expect survived", "expect killed"];

impl Suppressions {
    /// Reads the directives of `source`.
    pub fn read(source: &SourceMap) -> Self {
        let mut allows =
            Self { source: source.clone(), comments: Vec::new(), warnings: Vec::new() };
        let mut start = 0;
        for (index, line) in source.text().split('\n').enumerate() {
            let mut slashes = line.match_indices("//").map(|(at, _)| at);
            // `// hirace::check(…)` is code, not a directive.
            let command = |&at: &usize| {
                let comment = line[at + 2..].trim_start();
                comment.starts_with("hirace:") && !comment.starts_with("hirace::")
            };
            if let Some(at) = slashes.find(command) {
                allows.comment(index as u32 + 1, start, line, at);
            }
            start += line.len() + 1;
        }
        allows
    }

    /// Reads the directives of the source of `parsed`. Those in a shader that is a string of a program apply to lines of the
    /// shader, which may all be on one line of the program.
    pub fn of_module(parsed: &ParsedModule) -> Self {
        let mut all = Self::read(&parsed.source);
        let is_string = parsed.origin.language() == Language::Wgsl
            && front::Kind::of(parsed.source.name(), b"").is_host();
        let Some(wgsl) = parsed.origin.wgsl().filter(|_| is_string) else { return all };
        let place = |span: Span| {
            let moved = parsed.origin.diagnostic(Box::new(Diagnostic::at(wgsl, span, "")));
            moved.labels.first().map(|(span, _)| *span).filter(|span| !span.is_empty())
        };
        for comment in Self::read(wgsl).comments {
            let Target::Line(line) = comment.target else { continue };
            let before = wgsl.text().split('\n').take(line as usize - 1);
            let start = before.map(|line| line.len() as u32 + 1).sum();
            let line = Span::new(start, start + wgsl.line(line).len() as u32);
            let (Some(span), Some(text)) = (place(comment.span), place(line)) else { continue };
            let is_same = |of: &Comment| of.span.start < span.end && span.start < of.span.end;
            all.comments.retain(|of| !is_same(of));
            all.comments.push(Comment { target: Target::Text(text), span, ..comment });
        }
        all
    }

    /// Returns no directives, whatever the source contains.
    pub fn none(source: &SourceMap) -> Self {
        Self { source: source.clone(), comments: Vec::new(), warnings: Vec::new() }
    }

    /// Returns whether a directive suppresses a finding in this source.
    pub fn suppresses(&self, finding: &Finding, source: &SourceMap) -> bool {
        self.comments.iter().any(|comment| comment.suppresses(finding, source))
    }

    /// Returns the directive that suppresses a finding, if there is one, and marks it as used.
    fn use_for(&mut self, finding: &Finding, source: &SourceMap) -> Option<&Comment> {
        let mut comments = self.comments.iter_mut();
        let comment = comments.find(|comment| comment.suppresses(finding, source))?;
        comment.used = true;
        Some(comment)
    }

    /// Returns whether the source contains no directives.
    pub fn is_empty(&self) -> bool {
        self.comments.is_empty()
    }

    /// Parses the comment that begins at byte `at` of `line`, which begins at byte `start` of the source.
    fn comment(&mut self, number: u32, start: usize, line: &str, at: usize) {
        let Some((_, command)) = line[at..].split_once("hirace:") else { return };
        let command = command.trim();
        // `hirace mutate` reads the directives about mutants.
        if MUTANT_DIRECTIVES.iter().any(|words| command.starts_with(words)) {
            return;
        }
        let span = Span::new((start + at) as u32, (start + line.trim_end().len()) as u32);
        let inner = command.strip_prefix("allow").map(str::trim_start);
        let inner =
            inner.and_then(|rest| rest.strip_prefix('(')).and_then(|rest| rest.split_once(')'));
        let Some((names, rest)) = inner else {
            let warning = Diagnostic::at(&self.source, span, "unknown hirace directive");
            self.warnings.push(warning.help("write `// hirace: allow(race): the reason`"));
            return;
        };
        let reason = rest.trim_start().strip_prefix(':').map(str::trim).filter(|r| !r.is_empty());
        if reason.is_none() {
            let warning = Diagnostic::at(&self.source, span, "this directive gives no reason");
            let help = format!("write `// hirace: allow({names}): the reason`");
            self.warnings.push(warning.help(help));
        }
        let (mut kinds, mut unknown) = (Vec::new(), Vec::new());
        for name in names.split(',').map(str::trim) {
            match kind(name) {
                Some(kind) => kinds.push(kind),
                None => unknown.push(name),
            }
        }
        for name in unknown.iter().take(MAX_UNKNOWN_NAMES) {
            self.warnings.push(self.unknown(name, span));
        }
        let more = unknown.len().saturating_sub(MAX_UNKNOWN_NAMES);
        if more > 0 {
            let message = format!("{more} more kinds of findings in this directive are unknown");
            self.warnings.push(Diagnostic::at(&self.source, span, message));
        }
        let line = match line[..at].trim().is_empty() {
            true => self.next_code(number),
            false => number,
        };
        let reason = reason.map(str::to_owned);
        let target = Target::Line(line);
        self.comments.push(Comment { target, kinds, reason, span, used: false });
    }

    /// Returns the first line after `line` that contains code; `line` if there is none.
    fn next_code(&self, line: u32) -> u32 {
        let code = |&line: &u32| {
            let text = self.source.line(line).trim();
            !text.is_empty() && !text.starts_with("//")
        };
        (line + 1..=self.source.lines()).find(code).unwrap_or(line)
    }

    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let warning =
            Diagnostic::at(&self.source, span, format!("unknown kind of finding `{name}`"));
        let names = || Kind::ALL.iter().map(|kind| kind.directive_name()).chain(["all"]);
        let likeness = |candidate: &str| strsim::jaro_winkler(candidate, name);
        let near = names().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        match near.filter(|near| likeness(near) > 0.75) {
            Some(near) => warning.help(format!("did you mean `allow({near})`?")),
            None => {
                let all: Vec<_> = names().map(|name| format!("`{name}`")).collect();
                warning.note(format!("valid names are {}", all.join(", ")))
            }
        }
    }

    /// Moves the findings that the directives suppress to the suppressed findings of `launch`.
    pub fn apply(&mut self, launch: &mut LaunchFacts) {
        let mut kept = Vec::new();
        for finding in std::mem::take(&mut launch.findings) {
            match self.use_for(&finding, &launch.source) {
                Some(comment) => {
                    let reason = comment.reason.clone();
                    launch.suppressed.push(SuppressedFinding {
                        finding,
                        by: SuppressedBy::Comment,
                        reason,
                    });
                }
                None => kept.push(finding),
            }
        }
        launch.findings = kept;
        let source = &launch.source;
        for finding in std::mem::take(&mut launch.excluded) {
            self.use_for(&finding, source);
        }
        launch.warnings.retain(|warning| {
            let Warning::NonUniform(found) = warning else { return true };
            let start = found.place.span.start;
            let allows = |comment: &&mut Comment| {
                let is_of_kind = |kind: &Option<Kind>| kind.is_none_or(|of| of == Kind::NonUniform);
                comment.target.contains(source, start) && comment.kinds.iter().any(is_of_kind)
            };
            let comment = self.comments.iter_mut().find(allows);
            comment.is_none_or(|comment| {
                comment.used = true;
                false
            })
        });
    }

    /// Returns warnings about the directives. Call it after all launches of the source were applied.
    pub fn warnings(self) -> Vec<Diagnostic> {
        let mut warnings = self.warnings;
        for comment in self.comments.iter().filter(|c| !c.used && !c.kinds.is_empty()) {
            let text = "this directive does not suppress any finding";
            warnings.push(Diagnostic::at(&self.source, comment.span, text));
        }
        warnings
    }
}

impl Comment {
    /// Returns whether the directive suppresses a finding.
    fn suppresses(&self, finding: &Finding, source: &SourceMap) -> bool {
        let kind = |kind: &Option<Kind>| kind.is_none_or(|kind| kind == finding.kind());
        let is_target = |place: &Place| self.target.contains(source, place.span.start);
        self.kinds.iter().any(kind) && finding.places().iter().any(is_target)
    }
}

/// Parses the name in `allow(name)`: a kind, or all kinds (`Some(None)`).
fn kind(name: &str) -> Option<Option<Kind>> {
    if name.eq_ignore_ascii_case("all") {
        return Some(None);
    }
    Kind::find(name).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Verdict;
    use crate::ir::access::Action::Write;
    use crate::tests::fixture::{Fixture, by};

    /// Returns the facts about a kernel that races on line 5; `above` is its line 4, `behind` a comment on line 5.
    fn launch(above: &str, behind: &str) -> LaunchFacts {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n\
             @compute @workgroup_size(64)\n\
             fn main(@builtin(local_invocation_index) lane: u32) {{\n\
             {above}\n    out[0] = lane; {behind}\n}}\n"
        );
        let mut fixture = Fixture::new(&text, [1, 1, 1]);
        let write = fixture.access(Write, 5, 0);
        fixture.race([0], by(0, 0, write), by(0, 1, write));
        fixture.launch_of_given()
    }

    /// Returns the number of reported findings, the reason of the suppressed one, and the warnings.
    fn allowed(above: &str, behind: &str) -> (usize, Option<String>, Vec<String>) {
        let mut launch = launch(above, behind);
        let mut allows = Suppressions::read(&launch.source);
        allows.apply(&mut launch);
        assert_eq!(launch.findings.len() + launch.suppressed.len(), 1);
        assert_eq!(launch.verdict() == Verdict::Clean, launch.findings.is_empty());
        let reason = launch.suppressed.first().and_then(|allowed| allowed.reason.clone());
        let warnings = allows.warnings().into_iter();
        let texts = warnings.map(|w| {
            [Some(w.message), w.help].into_iter().flatten().collect::<Vec<_>>().join("; ")
        });
        (launch.findings.len(), reason, texts.collect())
    }

    #[test]
    fn a_comment_on_the_line_or_above_allows_what_it_names() {
        let meant = (0, Some("all write the same".to_owned()), vec![]);
        let comment = "// hirace: allow(race): all write the same";
        assert_eq!(allowed("", comment), meant);
        assert_eq!(allowed(comment, ""), meant);
        assert_eq!(
            allowed("", "// meant // hirace: allow(HR001, bounds): all write the same"),
            meant
        );
        assert_eq!(allowed("", "//hirace:allow( all ) :all write the same"), meant);
    }

    #[test]
    fn a_comment_elsewhere_or_of_another_kind_allows_nothing_and_is_reported() {
        let unused = vec!["this directive does not suppress any finding".to_owned()];
        assert_eq!(allowed("", "// hirace: allow(bounds): no"), (1, None, unused.clone()));
        assert_eq!(allowed("let x = 1; // hirace: allow(race): no", ""), (1, None, unused));
    }

    #[test]
    fn a_missing_reason_is_reported() {
        let (left, reason, warnings) = allowed("", "// hirace: allow(race)");
        assert_eq!((left, reason), (0, None));
        assert_eq!(
            warnings,
            ["this directive gives no reason; write `// hirace: allow(race): the reason`"]
        );
    }

    #[test]
    fn an_unknown_name_or_command_is_reported() {
        let (left, _, warnings) = allowed("", "// hirace: allow(raec): typo");
        assert_eq!(
            (left, warnings),
            (1, vec!["unknown kind of finding `raec`; did you mean `allow(race)`?".to_owned()])
        );
        let (left, _, warnings) = allowed("", "// hirace: ignore this");
        assert_eq!(left, 1);
        assert_eq!(
            warnings,
            ["unknown hirace directive; write `// hirace: allow(race): the reason`"]
        );
    }

    #[test]
    fn only_the_first_unknown_names_of_a_directive_have_their_own_warning() {
        let names: Vec<String> = (0..2_000).map(|i| format!("x{i}")).collect();
        let (left, _, warnings) = allowed("", &format!("// hirace: allow({}): r", names.join(",")));
        assert_eq!((left, warnings.len()), (1, MAX_UNKNOWN_NAMES + 1));
        assert_eq!(warnings[4], "1996 more kinds of findings in this directive are unknown");
    }
}
