//! The report as terminal text, in the style of rustc.
//!
//! Each finding is an error (or a warning, if it is only possible or changes nothing) whose accesses are labeled in the source. Then each launch
//! is summarized, clean or not, so that a lack of output is never taken for a result.

use super::document::{
    Condition, Contract, Device, Finding, LaunchReport, NotChecked, Place, Report, Unwatched,
    Violation,
};
use super::label::Label;
use super::reported_findings::{ReportedFinding, reported_findings};
use super::words::names::count;
use crate::diagnostic::Diagnostic;
use crate::facts::{Certainty, Kind, Severity, Verdict};
use crate::source_map::{LineColumn, SourceMap};
use annotate_snippets::renderer::{DEFAULT_TERM_WIDTH, DecorStyle};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::fmt::Write as _;
use std::ops::Range;

/// The style of terminal text. The default is text without colors, for a terminal of unknown width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Style {
    /// Whether to use ANSI colors.
    pub color: bool,
    /// The width of the terminal, in columns.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, width: DEFAULT_TERM_WIDTH }
    }
}

impl Style {
    /// Sets whether to use ANSI colors.
    pub const fn with_color(mut self, color: bool) -> Self {
        self.color = color;
        self
    }

    /// Sets the width of the terminal, in columns.
    pub const fn with_width(mut self, width: usize) -> Self {
        self.width = width;
        self
    }

    /// Renders a message in this style.
    pub(crate) fn render(self, group: Group<'_>) -> String {
        let renderer = if self.color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(self.width);
        let mut text = renderer.render(&[group]);
        text.push('\n');
        text
    }
}

/// The maximum number of missed sites in a summary.
const MISSED_SITES: usize = 10;

/// The maximum number of skipped inputs that the report of a stopped check lists.
const LEFT_OUT: usize = 10;

/// The number of findings from which on a report starts with a summary.
const SUMMARIZED_FINDINGS: usize = 4;

/// Returns the whole report.
pub fn report(report: &Report, style: Style) -> String {
    let shown = reported_findings(report);
    let mut text = overview(report, &shown).unwrap_or_default();
    for (launch, shown) in report.launches.iter().zip(&shown) {
        for finding in shown {
            text.push_str(&self::finding(&finding.with_note(), &launch.source_map, style));
            text.push('\n');
        }
        text.push_str(&summary(launch, style));
        text.push('\n');
    }
    if report.launches.len() > 1 {
        text.push_str(&total(report));
    } else {
        text.pop();
    }
    if let Some(stopped) = stopped_note(report, style) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&stopped);
    }
    text
}

/// Returns only the findings of the report, and the message about a stopped check.
pub fn findings(report: &Report, style: Style) -> String {
    let shown = reported_findings(report);
    let of = |(launch, shown): (&LaunchReport, &Vec<ReportedFinding<'_>>)| {
        let render = |it: &ReportedFinding<'_>| finding(&it.with_note(), &launch.source_map, style);
        shown.iter().map(render).collect::<Vec<_>>()
    };
    let findings = report.launches.iter().zip(&shown).flat_map(of);
    findings.chain(stopped_note(report, style)).collect::<Vec<_>>().join("\n")
}

/// Returns two lines about a report with several findings: their number, and where to start.
fn overview(report: &Report, shown: &[Vec<ReportedFinding<'_>>]) -> Option<String> {
    let all: Vec<&Finding> = shown.iter().flatten().map(|shown| shown.finding).collect();
    if all.len() < SUMMARIZED_FINDINGS {
        return None;
    }
    let mut sources: Vec<&str> = report.launches.iter().map(|launch| &launch.source[..]).collect();
    sources.sort_unstable();
    sources.dedup();
    let place = match sources[..] {
        [source] => source.to_owned(),
        _ => count(sources.len() as u64, "file", "files"),
    };
    let first = all.iter().min_by_key(|finding| (finding.severity, finding.certainty))?;
    let at = first.accesses.first();
    let at = at.map(|at| format!(" at {}:{}:{}", at.file, at.line, at.column)).unwrap_or_default();
    Some(format!(
        "{} in {place}: {}\nstart with {}{at}: {}\n\n",
        count(all.len() as u64, "finding", "findings"),
        counts_by_kind(&all).join(", "),
        first.rule,
        first.message
    ))
}

/// Returns the message about a stopped check and the inputs it skipped; `None` if the check was not stopped.
pub fn stopped_note(report: &Report, style: Style) -> Option<String> {
    if !report.stopped {
        return None;
    }
    let title = match report.launches.len() {
        0 => "the check was stopped before anything was checked".to_owned(),
        n => format!(
            "the check was stopped before it finished; the report contains the results of {}",
            count(n as u64, "launch", "launches")
        ),
    };
    let mut group = Group::with_title(Level::ERROR.with_name("stopped").primary_title(title));
    let left: Vec<&NotChecked> = report.not_checked.iter().filter(|left| left.stopped).collect();
    for left in left.iter().take(LEFT_OUT) {
        let what = format!("{}: {}", left.input.as_deref().unwrap_or_default(), left.reason);
        group = group.element(Level::NOTE.with_name("not checked").message(what));
    }
    if left.len() > LEFT_OUT {
        let more = format!("{} more", left.len() - LEFT_OUT);
        group = group.element(Level::NOTE.with_name("not checked").message(more));
    }
    Some(style.render(group))
}

/// Renders one finding.
pub fn finding(finding: &Finding, source: &SourceMap, style: Style) -> String {
    let level = if finding.is_certain_error() { Level::ERROR } else { Level::WARNING };
    let mut group = level
        .primary_title(&finding.message)
        .id(&finding.rule)
        .elements(snippet(source, &labels(&finding.accesses, source)));
    group = group.element(Level::NOTE.message(&finding.reason));
    for consequence in finding.consequences() {
        group = group.element(Level::NOTE.with_name("leads to").message(consequence));
    }
    for caused in &finding.causes {
        group = group.element(Level::NOTE.with_name("causes").message(&caused.message));
    }
    for note in &finding.notes {
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help));
    }
    if let Some(replay) = &finding.replay {
        group = group.element(Level::NOTE.with_name("replay").message(replay));
    }
    style.render(group)
}

/// Renders an error in an input.
pub fn diagnostic(diagnostic: &Diagnostic, style: Style) -> String {
    rendered(diagnostic, Level::ERROR, style)
}

/// Renders a warning about an input.
pub fn warning(diagnostic: &Diagnostic, style: Style) -> String {
    rendered(diagnostic, Level::WARNING, style)
}

fn rendered(diagnostic: &Diagnostic, level: Level<'_>, style: Style) -> String {
    let mut group = Group::with_title(level.primary_title(&diagnostic.message));
    if let Some(source) = &diagnostic.source_map {
        let labels = diagnostic.labels.iter();
        let labels: Vec<_> =
            labels.map(|(span, text)| (span.range(source.text()), text.clone())).collect();
        group = group.elements(snippet(source, &labels));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    style.render(group)
}

/// Returns the source with these labels; the first label is the primary one. Each file is a snippet of its own.
fn snippet<'a>(
    source: &'a SourceMap,
    labels: &[(Range<usize>, String)],
) -> Vec<annotate_snippets::Element<'a>> {
    if labels.is_empty() {
        return vec![Origin::path(source.name()).into()];
    }
    let file = |range: &Range<usize>| source.file(range.start as u32);
    let mut files: Vec<&str> = Vec::new();
    for (range, _) in labels {
        if !files.contains(&file(range)) {
            files.push(file(range));
        }
    }
    let of_file = |name: &'a str| {
        let (text, begin) = source.file_text(name);
        let mut snippet = Snippet::source(text).path(name);
        for (index, (range, label)) in labels.iter().enumerate() {
            if file(range) == name {
                let primary = index == 0;
                let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let label = (!label.is_empty()).then(|| label.clone());
                let within = |offset: usize| offset.saturating_sub(begin as usize).min(text.len());
                let range = within(range.start)..within(range.end);
                snippet = snippet.annotation(kind.span(range).label(label));
            }
        }
        snippet.into()
    };
    files.into_iter().map(of_file).collect()
}

/// Returns the labels of source locations. Locations with the same span share a label.
fn labels(places: &[Place], source: &SourceMap) -> Vec<(Range<usize>, String)> {
    let mut labels: Vec<(Range<usize>, Label)> = Vec::new();
    for place in places {
        let at = |line, column| source.offset_in(&place.file, LineColumn { line, column }) as usize;
        let range = at(place.line, place.column)..at(place.end_line, place.end_column);
        match labels.iter_mut().find(|(known, _)| *known == range) {
            Some((_, label)) => label.and(&place.label),
            None => labels.push((range, place.label.clone())),
        }
    }
    labels.into_iter().map(|(range, label)| (range, label.to_string())).collect()
}

/// Returns the lines about a contract, each with its name.
pub(crate) fn contract_lines(contract: &Contract) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let shown_by = |of: &Violation| of.shown_by.clone().map(|command| ("shown by", command));
    let not_shown = "not shown to be needed: no launch that breaks it was found to have the fault";
    for Condition { condition, otherwise } in &contract.conditions {
        lines.push(("requires", format!("{condition}\notherwise {}", otherwise.text())));
        lines.push(shown_by(otherwise).unwrap_or(("assumed", not_shown.to_owned())));
    }
    match &contract.open {
        Some(open) => {
            let text = format!("no condition was found that excludes {}", open.text());
            lines.push(("not proved", text));
            lines.extend(shown_by(open));
        }
        None if !contract.is_proved => {
            lines.push(("not proved", "the kernel is too complex for the analysis".to_owned()));
        }
        None => {}
    }
    lines
}

/// Renders the summary of a launch: its shape, its findings and its coverage.
pub fn summary(launch: &LaunchReport, style: Style) -> String {
    let level = match launch.verdict {
        Verdict::Findings => Level::ERROR,
        Verdict::Inconclusive => Level::WARNING,
        _ => Level::INFO,
    };
    let proved = proved(launch.verdict);
    let title = match proved {
        Some(proved) => format!("{}: `{}` {proved}", launch.source, launch.entry),
        None => title(launch),
    };
    let mut group = Group::with_title(level.with_name(launch.verdict.name()).primary_title(title));
    let mut line = |name: &'static str, text: String| {
        let group_so_far = std::mem::replace(&mut group, Group::with_level(Level::NOTE));
        group = group_so_far.element(Level::NOTE.with_name(name).message(text));
    };
    if let Some(host) = &launch.host {
        line("host", host.message.clone());
    }
    // The first fault that was not excluded is not shown next to a certain finding.
    let is_shown = |of: &&Contract| of.is_proved || launch.verdict != Verdict::Findings;
    for (name, text) in launch.contract.iter().filter(is_shown).flat_map(contract_lines) {
        line(name, text);
    }
    if proved.is_some() {
        // The proof does not depend on what was guessed.
        line("also ran", format!("{}: {}", shape(launch), finding_counts(launch)));
    } else {
        line("found", finding_counts(launch));
        line("checked", checked_counts(launch));
        line("sites", sites(launch));
        for inferred in &launch.inferred {
            line("inferred", inferred.clone());
        }
    }
    for shadow in &launch.device.shadow {
        line("shadow", shadow.clone());
    }
    for Unwatched { variable, reason } in &launch.unwatched {
        line("not watched", format!("`{variable}` {reason}"));
    }
    for warning in &launch.warnings {
        line("warning", warning.clone());
    }
    for note in &launch.notes {
        line("note", note.message.clone());
    }
    for beyond in &launch.beyond_webgpu {
        line("limit", beyond.message.clone());
    }
    for reason in &launch.inconclusive {
        line("inconclusive", reason.clone());
    }
    style.render(group)
}

/// Returns the title of a launch: ``kernel.wgsl: `main` with 4 workgroups of 64 invocations, on embedded (subgroups of
/// 32)``.
pub(super) fn title(launch: &LaunchReport) -> String {
    format!("{}: `{}` with {}", launch.source, launch.entry, shape(launch))
}

/// Returns what was proved about an entry point with this verdict, if it was proved to be safe.
pub(crate) fn proved(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Proved => Some("is safe for every launch within WebGPU's limits"),
        Verdict::ProvedIf => Some("is safe for every launch that meets these conditions"),
        _ => None,
    }
}

/// Returns the grid of a launch and its device.
fn shape(launch: &LaunchReport) -> String {
    let size = |size: [u32; 3]| match size {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x}×{y}"),
        [x, y, z] => format!("{x}×{y}×{z}"),
    };
    let one = launch.workgroups == [1; 3];
    format!(
        "{} {} of {} invocations, on {}",
        size(launch.workgroups),
        if one { "workgroup" } else { "workgroups" },
        size(launch.workgroup_size),
        device(&launch.device)
    )
}

/// Returns the name of a device: `llvmpipe (LLVM 15.0.6, 256 bits), Vulkan, llvmpipe Mesa 22.3.6 (subgroups of 8)`.
fn device(device: &Device) -> String {
    let Device { name, backend, driver, subgroup_size, .. } = device;
    let parts = [Some(name), backend.as_ref(), driver.as_ref()];
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    format!("{} (subgroups of {subgroup_size})", parts.join(", "))
}

/// Returns the counts of findings, for each kind: `2 data races (1 possible)`.
fn counts_by_kind(findings: &[&Finding]) -> Vec<String> {
    let kinds = [
        (Kind::OutOfBounds, "access out of bounds", "accesses out of bounds"),
        (Kind::BarrierDivergence, "divergent barrier", "divergent barriers"),
        (Kind::DataRace, "data race", "data races"),
        (Kind::NoProgress, "loop without progress", "loops without progress"),
        (Kind::Assertion, "failed assertion", "failed assertions"),
        // A warning, and never a finding.
        (Kind::NonUniform, "non-uniform operation", "non-uniform operations"),
    ];
    let mut parts = Vec::new();
    for (kind, one, several) in kinds {
        let of_kind = || findings.iter().copied().filter(move |finding| finding.kind == kind);
        let is_warning = |finding: &&Finding| finding.severity == Severity::Warning;
        let warnings = of_kind().filter(is_warning).count();
        let possible = of_kind()
            .filter(|finding| !is_warning(finding) && finding.certainty == Certainty::Possible)
            .count();
        let all = of_kind().count();
        let part = |number: usize, one: &str, several: &str| match (number, number == all) {
            (0, _) => None,
            (1, true) => Some(one.to_owned()),
            (_, true) => Some(several.to_owned()),
            (1, false) => Some(format!("1 {one}")),
            (_, false) => Some(format!("{number} {several}")),
        };
        let doubt = [part(possible, "possible", "possible"), part(warnings, "warning", "warnings")];
        let doubt: Vec<String> = doubt.into_iter().flatten().collect();
        let doubt = match doubt.is_empty() {
            true => String::new(),
            false => format!(" ({})", doubt.join(", ")),
        };
        match all {
            0 => {}
            1 => parts.push(format!("1 {one}{doubt}")),
            n => parts.push(format!("{n} {several}{doubt}")),
        }
    }
    parts
}

/// Returns the counts of findings: `2 data races (1 possible), which cause 1 more; 3 suppressed`.
pub(super) fn finding_counts(launch: &LaunchReport) -> String {
    let (caused, own): (Vec<&Finding>, Vec<&Finding>) =
        launch.findings.iter().partition(|finding| finding.caused_by.is_some());
    let mut parts = counts_by_kind(&own);
    if let (Some(last), false) = (parts.last_mut(), caused.is_empty()) {
        let verb = if own.len() == 1 { "causes" } else { "cause" };
        *last += &format!(", which {verb} {}", counts_by_kind(&caused).join(", "));
    }
    let allowed = launch.stats.allowed;
    match (parts.is_empty(), allowed) {
        // A device does not report which invocations reached a barrier.
        // Guessed buffers that grow cannot have accesses past their ends.
        (true, 0) if launch.buffers_enlarged => {
            "no data race, no divergent barrier, no endless loop (guessed buffers were enlarged to fit, so accesses out of bounds were not checked)"
                .to_owned()
        }
        (true, 0) if launch.device.kind.is_some() => {
            "no data race, no access out of bounds, no endless loop".to_owned()
        }
        (true, 0) => "no data race, no divergent barrier, no access out of bounds, no endless loop"
            .to_owned(),
        (true, n) => {
            format!("only {}", count(n.into(), "suppressed finding", "suppressed findings"))
        }
        (false, 0) => parts.join(", "),
        (false, n) => format!("{}; {n} suppressed", parts.join(", ")),
    }
}

pub(super) fn checked_counts(launch: &LaunchReport) -> String {
    let stats = &launch.stats;
    let words = count(stats.words_watched, "word", "words");
    let mut text = match stats.accesses_checked {
        // A device does not count accesses.
        0 if stats.sites_executed > 0 => format!("{words} of memory"),
        n => format!("{} to {words} of memory", count(n, "access", "accesses")),
    };
    if stats.racy_words > 0 {
        let _ = write!(text, ", {} racy", count(stats.racy_words, "word", "words"));
    }
    text
}

pub(super) fn sites(launch: &LaunchReport) -> String {
    let stats = &launch.stats;
    if stats.sites == 0 {
        return "the kernel has no access to memory that invocations share".to_owned();
    }
    if stats.sites_missed.is_empty() && stats.sites == 1 {
        return "the only access site was executed by at least two invocations".to_owned();
    }
    if stats.sites_missed.is_empty() {
        let all = count(stats.sites.into(), "access site", "access sites");
        return format!("all {all} were executed by at least two invocations");
    }
    let mut missed = stats.sites_missed.clone();
    let more = missed.len().saturating_sub(MISSED_SITES);
    missed.truncate(MISSED_SITES);
    if more > 0 {
        missed.push(format!("{more} more"));
    }
    format!(
        "{} of {} were executed by at least two invocations; not {}",
        stats.sites_executed,
        count(stats.sites.into(), "access site", "access sites"),
        missed.join(", ")
    )
}

/// Returns the totals over all launches, in one line.
pub(super) fn total(report: &Report) -> String {
    let of = |verdict| {
        let launches = report.launches.iter().filter(|launch| launch.verdict == verdict).count();
        let name = match verdict {
            Verdict::Findings => "with findings",
            Verdict::NoFindings => "without findings",
            Verdict::ProvedIf => "proved under conditions",
            verdict => verdict.name(),
        };
        (launches > 0).then(|| format!("{launches} {name}"))
    };
    let verdicts: Vec<String> = Verdict::ALL.into_iter().rev().filter_map(of).collect();
    let launches = count(report.launches.len() as u64, "launch", "launches");
    match verdicts.is_empty() {
        true => format!("{launches}\n"),
        false => format!("{launches}: {}\n", verdicts.join(", ")),
    }
}
