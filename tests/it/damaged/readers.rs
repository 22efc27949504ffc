//! The readers of inputs, as the command calls them. Each returns whether an input is accepted; spans of diagnostics and of
//! programs must lie within the text.

use super::originals::SHADER;
use hirace_adequacy::mutate::directives::Directives;
use hirace_adequacy::mutate::select::ChangedLines;
use hirace_core::bounded::{BASELINE, DIFF};
use hirace_core::config::Config;
use hirace_core::deadline::Deadline;
use hirace_core::diagnostic::{Diagnostic, Result as Diagnosed};
use hirace_core::facts::DispatchOrder;
use hirace_core::finding::baseline::Baseline;
use hirace_core::finding::suppress::Suppressions;
use hirace_core::front::{self, Kind, ParsedModule};
use hirace_core::launch::buffers::{FillContext, fill};
use hirace_core::launch::spec::Binding;
use hirace_core::postcondition;
use hirace_core::program::Program;
use hirace_core::report::text::{self, Style};
use hirace_core::source_map::{SourceMap, Span};
use hirace_mc::explore::Reductions;
use hirace_mc::kernel::Bounds;
use hirace_mc::model::Model;
use hirace_mc::verify::{self, Settings};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Returns whether the input at a path, which consists of these bytes, is accepted. An error describes a bug of the reader.
pub type Reader = fn(&Path, &[u8]) -> Result<bool, String>;

/// Runs a command line in this process. Returns whether the command accepts its input.
pub fn command(arguments: &[String]) -> bool {
    let arguments = ["hirace"].into_iter().chain(arguments.iter().map(String::as_str));
    hirace_cli::parse(arguments).is_ok_and(|cli| hirace_cli::run(cli) != ExitCode::from(2))
}

/// Parses a source, and makes a program of each of its modules.
pub fn source(path: &Path, input: &[u8]) -> Result<bool, String> {
    let name = path.to_string_lossy();
    let mut all = true;
    for parsed in modules(&name, input) {
        all &= is_valid_program(parsed)?;
    }
    Ok(all)
}

/// Returns the modules of a source: a host file may have several.
fn modules(name: &str, input: &[u8]) -> Vec<Diagnosed<ParsedModule>> {
    if !Kind::of(name, input).is_host() {
        return vec![front::parse_bytes(name, input, &|_| None)];
    }
    front::parse_file(name, input, &[]).map_or_else(|error| vec![Err(error)], |file| file.items)
}

fn is_valid_program(parsed: Diagnosed<ParsedModule>) -> Result<bool, String> {
    let program = parsed.and_then(|parsed| Program::new(&parsed, &Default::default()));
    if let Ok(program) = &program {
        for site in &program.sites.list {
            check_span(&program.source, site.span)?;
            check_span(&program.source, site.statement)?;
        }
    }
    is_valid(program)
}

/// Parses WGSL for naga_oil.
#[cfg(feature = "preprocess")]
pub fn preprocessed(path: &Path, input: &[u8]) -> Result<bool, String> {
    let defines = [("TILE".to_owned(), "4".to_owned())];
    let parsed =
        front::preprocess::parse_bytes(&path.to_string_lossy(), input, &defines, &|_| None);
    is_valid_program(parsed)
}

/// Reads the directives in the comments of a source.
pub fn directives(path: &Path, input: &[u8]) -> Result<bool, String> {
    let name = path.to_string_lossy();
    let Ok(text) = front::decode(&name, input) else { return Ok(false) };
    let warnings = Suppressions::read(&SourceMap::new(&*name, text)).warnings();
    for warning in &warnings {
        check_diagnostic(warning)?;
    }
    Ok(is_valid(Directives::read(&name, text))? && warnings.is_empty())
}

/// Reads a configuration, and the settings for a shader in it.
pub fn configuration(path: &Path, _: &[u8]) -> Result<bool, String> {
    let settings = Config::read(path).and_then(|config| config.settings("inputs.wgsl".as_ref()));
    is_valid(settings)
}

/// Fills a buffer with the contents of a file.
pub fn contents(variable: &str, path: &Path) -> Result<bool, String> {
    let shader = front::parse_bytes("inputs.wgsl", SHADER.as_bytes(), &|_| None);
    let module = shader.map_err(|error| error.message)?.module;
    let mut all = module.global_variables.iter().map(|(_, variable)| variable);
    let named = all.find(|known| known.name.as_deref() == Some(variable));
    let ty = named.ok_or("unknown variable")?.ty;
    let around = FillContext {
        deadline: Deadline::NEVER,
        seed: 0,
        stream: 0,
        elements: 64,
        below: 64,
        sentinels: &[],
    };
    let binding = Binding::new(variable, &format!("@{}", path.display()));
    is_valid(binding.and_then(|binding| fill(&module, variable, ty, &binding.contents, &around)))
}

/// Parses a command line.
pub fn arguments(_: &Path, input: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(input);
    Ok(hirace_cli::parse(["hirace", "check"].into_iter().chain(text.lines())).is_ok())
}

/// Parses a litmus test, and explores some executions.
pub fn litmus(path: &Path, input: &[u8]) -> Result<bool, String> {
    let name = path.to_string_lossy();
    let settings = Settings {
        model: Model::Wgsl,
        reductions: Reductions::ALL,
        bounds: Bounds::default(),
        executions: Some(200),
        all: false,
        threads: 1,
        timeout: Some(Duration::from_secs(5)),
        stop: None,
        repair: None,
        ensured: &[],
    };
    let explored = front::decode(&name, input)
        .and_then(|text| verify::litmus(&SourceMap::new(&*name, text), &settings));
    is_valid(explored)
}

/// Parses a condition on the memory after a dispatch.
pub fn condition(_: &Path, input: &[u8]) -> Result<bool, String> {
    is_valid(postcondition::parse(&SourceMap::new("--assert", String::from_utf8_lossy(input))))
}

/// Parses the order of a dispatch. The order that it displays must be equal.
pub fn replay(_: &Path, input: &[u8]) -> Result<bool, String> {
    let Ok(order) = String::from_utf8_lossy(input).parse::<DispatchOrder>() else {
        return Ok(false);
    };
    match order.to_string().parse() {
        Ok(same) if order == same => Ok(true),
        other => Err(format!("{order} is displayed, and parsed as {other:?}")),
    }
}

/// Reads a baseline.
pub fn baseline(path: &Path, _: &[u8]) -> Result<bool, String> {
    let name = path.to_string_lossy();
    is_valid(BASELINE.text(path).and_then(|text| Baseline::parse(&name, &text)))
}

/// Reads a diff.
pub fn diff(path: &Path, _: &[u8]) -> Result<bool, String> {
    is_valid(DIFF.text(path).and_then(|text| ChangedLines::parse(&text)))
}

/// Returns whether there is a result. If not, the spans of the diagnostic are checked.
fn is_valid<T>(result: Diagnosed<T>) -> Result<bool, String> {
    match result {
        Ok(_) => Ok(true),
        Err(diagnostic) => check_diagnostic(&diagnostic).map(|()| false),
    }
}

fn check_diagnostic(diagnostic: &Diagnostic) -> Result<(), String> {
    for (span, _) in &diagnostic.labels {
        check_span(diagnostic.source_map.as_ref().ok_or("labels without a source text")?, *span)?;
    }
    let rendered = text::diagnostic(diagnostic, Style::default());
    // Panics in naga are tolerated; a panic in hirace is a failure.
    match diagnostic.message.is_empty() || diagnostic.message.starts_with("hirace failed") {
        true => Err(rendered),
        false => Ok(()),
    }
}

fn check_span(source: &SourceMap, span: Span) -> Result<(), String> {
    match source.text().get(span.start as usize..span.end as usize) {
        Some(_) => Ok(()),
        None => Err(format!("{span:?} is not in\n{}", source.text())),
    }
}
