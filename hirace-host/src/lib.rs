//! Finds the WGSL shaders inside programs, and parses them in place: in TypeScript, JavaScript, HTML, Vue, Svelte, Python and Rust.
//!
//! - [`syntax`] reads the strings of a file, how they are put together, and which names are declared: [`expression`];
//! - [`names`] finds the declarations that names refer to;
//! - [`evaluate`] computes their texts, as far as literals and values of the user determine them;
//! - [`imports`] reads values of other files;
//! - [`shaders`] decides which texts are shaders;
//! - [`origin`] parses a text as WGSL, and moves all spans to the host file, with the [`mapped`] text.
//!
//! Texts that depend on values that are not known are not checked; each is a warning at its place.
//!
//! Do not depend on this crate directly: use the command `hirace`. Its API changes with every version.

pub mod escapes;
pub mod evaluate;
pub mod expression;
pub mod format;
pub mod imports;
pub mod mapped;
pub mod markup;
pub mod names;
pub mod origin;
pub mod shaders;
pub mod syntax;
#[cfg(test)]
mod tests;

use hirace_program::diagnostic::{Cause, Diagnostic, Result};
use hirace_program::front::ParsedModule;
use hirace_program::ir::guard;
use hirace_program::source_map::{SourceMap, Span};
use shaders::Shader;
use std::collections::{BTreeMap, BTreeSet};

/// The shaders of a host file.
#[derive(Debug, Default)]
pub struct HostFile {
    /// A program or a diagnostic for each compute shader. The cause of an error in a text that may be something else than WGSL,
    /// because no tag says that it is WGSL, is [`Cause::NoKernel`].
    pub items: Vec<Result<ParsedModule>>,
    /// A warning for each shader that was not checked, because a part of its text is not known.
    pub unread: Vec<Diagnostic>,
}

/// Reads the shaders in the text of a file. `source` has its name, which decides the language.
pub fn parse_file(source: &SourceMap, defines: &[(String, String)]) -> Result<HostFile> {
    let name = source.name();
    let found = guard::run(|| shaders::find(name, source.text(), defines)).map_err(|panic| {
        let failed = Diagnostic::new(format!("hirace failed on `{name}`"));
        let failed = failed.note(format!("panic message: {panic}"));
        Box::new(failed.help("this is a bug in hirace: report it with the file"))
    })?;
    let mut file = HostFile::default();
    let mut parsed = Vec::new();
    for (shader, outcome) in choose(source, &found.shaders) {
        match outcome {
            Outcome::Unread(warning) => file.unread.push(warning),
            Outcome::Error(error) => file.items.push(Err(error)),
            Outcome::Module(module) => parsed.push((shader, *module)),
        }
    }
    if let Some(limit) = found.limit {
        let at = source.text().find(syntax::MARK).unwrap_or_default() as u32;
        let span = Span::new(at, at + syntax::MARK.len() as u32);
        let message = format!("not all shaders of `{name}` were found: {limit}");
        let warning = Diagnostic::at(source, span, message);
        let help = "write the shaders to files, or check only the files that are not generated";
        file.unread.push(warning.help(help).of_no_kernel());
    }
    file.items.extend(rename_duplicates(source, parsed).into_iter().map(Ok));
    Ok(file)
}

/// What became of the text of a shader.
enum Outcome {
    /// It is a program.
    Module(Box<ParsedModule>),
    /// It is an error.
    Error(Box<Diagnostic>),
    /// It was not checked, for this reason.
    Unread(Diagnostic),
}

/// Parses the texts of shaders, and returns those that are checked or reported. A text that is a program replaces its parts. The
/// error of another text is not reported if its parts are programs: it may be a message that contains the shader.
fn choose<'a>(source: &SourceMap, shaders: &'a [Shader]) -> Vec<(&'a Shader, Outcome)> {
    let outcomes: Vec<Outcome> = shaders.iter().map(|shader| read(source, shader)).collect();
    let is_program: Vec<bool> =
        outcomes.iter().map(|outcome| matches!(outcome, Outcome::Module(_))).collect();
    // An error in a complete text is its own. Other texts may be correct as a part of another one.
    let is_own: Vec<bool> = outcomes
        .iter()
        .zip(shaders)
        .map(|(outcome, shader)| match outcome {
            Outcome::Module(_) => true,
            Outcome::Error(_) => is_balanced(shader.text.text()),
            Outcome::Unread(_) => false,
        })
        .collect();
    let all = || shaders.iter().zip(&is_program).zip(&is_own);
    let is_covered: Vec<bool> = shaders
        .iter()
        .map(|whole| {
            let parts = all().filter(|((part, _), is_own)| **is_own && part.is_part_of(whole));
            let parts: Vec<&Shader> = parts.map(|((part, _), _)| part).collect();
            whole.is_covered_by(&parts, source.text())
        })
        .collect();
    let is_reported = |index: usize| {
        let shader = &shaders[index];
        let mut wholes = (0..shaders.len()).filter(|&whole| shader.is_part_of(&shaders[whole]));
        match is_program[index] {
            true => !wholes.any(|whole| is_program[whole]),
            false => {
                let is_replaced =
                    |whole: usize| is_program[whole] || !is_own[index] && !is_covered[whole];
                !is_covered[index] && !wholes.any(is_replaced)
            }
        }
    };
    let reported: Vec<bool> = (0..shaders.len()).map(is_reported).collect();
    let chosen = shaders.iter().zip(outcomes).zip(reported);
    chosen.filter(|(_, reported)| *reported).map(|(chosen, _)| chosen).collect()
}

fn is_balanced(text: &str) -> bool {
    text.matches('{').count() == text.matches('}').count()
}

/// Parses the text of a shader.
fn read(source: &SourceMap, shader: &Shader) -> Outcome {
    if shader.is_limited {
        let message = "this shader was not checked: its text is too large";
        let warning = Diagnostic::at(source, shader.host, message);
        return Outcome::Unread(warning.help(WRITE_TO_FILE).of_no_kernel());
    }
    if !shader.holes.is_empty() {
        return Outcome::Unread(not_known(source, shader));
    }
    match origin::parse(source, shader.text.clone()) {
        Ok(module) => Outcome::Module(Box::new(module)),
        // A template, or a part of a shader.
        Err(error) if matches!(error.cause, Cause::NoKernel | Cause::Undefined) => {
            let message = format!("this shader was not checked: {}", error.message);
            let help = match error.cause {
                Cause::NoKernel => Some(WRITE_TO_FILE.to_owned()),
                _ => error.help.clone(),
            };
            // The parser names the whole file if the text is a template.
            let is_placed = !error.labels.is_empty();
            let warning = Diagnostic { message, help, ..*error }.of_no_kernel();
            Outcome::Unread(match is_placed {
                true => warning,
                false => Diagnostic { source_map: Some(source.clone()), ..warning }
                    .label(shader.host, ""),
            })
        }
        // Without a tag, it may be a template of another language.
        Err(error) if !shader.is_tagged => Outcome::Error(Box::new(error.of_no_kernel())),
        Err(error) => Outcome::Error(error),
    }
}

/// Returns the modules with names of entry points that differ: the name of a shader is added to those that several shaders have.
fn rename_duplicates(
    source: &SourceMap,
    parsed: Vec<(&Shader, ParsedModule)>,
) -> Vec<ParsedModule> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, module) in &parsed {
        module.kernels().for_each(|name| *counts.entry(name.to_owned()).or_default() += 1);
    }
    let mut taken: BTreeSet<String> = counts.keys().cloned().collect();
    let mut distinct = Vec::new();
    for (shader, module) in parsed {
        if module.kernels().all(|name| counts.get(name) == Some(&1)) {
            distinct.push(module);
            continue;
        }
        let line = format!("line{}", source.position(shader.host.start).line);
        let named = shader.name.iter().map(ToString::to_string);
        let named = named.chain(shader.name.iter().map(|name| format!("{name}_{line}")));
        let numbered = (2..).map(|count| format!("{line}_{count}"));
        let mut prefixes = named.chain([line.clone()]).chain(numbered);
        let kernels: Vec<&str> = module.kernels().collect();
        let is_free =
            |own: &String| kernels.iter().all(|name| !taken.contains(&format!("{own}.{name}")));
        let own = prefixes.find(is_free).unwrap_or(line.clone());
        taken.extend(kernels.iter().map(|name| format!("{own}.{name}")));
        distinct.push(origin::rename(module, |name| format!("{own}.{name}")));
    }
    distinct
}

/// The help for texts that hirace does not compute.
const WRITE_TO_FILE: &str =
    "check the text that the program passes to `createShaderModule`: write it to a file";

/// The maximum number of unknown parts that a warning shows.
const MAX_LABELS: usize = 5;

/// Creates the warning for a shader with parts that are not known.
fn not_known(source: &SourceMap, shader: &Shader) -> Diagnostic {
    let names: Vec<&str> = shader.holes.iter().filter_map(|hole| hole.name.as_deref()).collect();
    let message = match names.first() {
        Some(name) => format!("this shader was not checked: `{name}` has no known value"),
        None => "this shader was not checked: a part of its text is not known".to_owned(),
    };
    let mut warning = Diagnostic { source_map: Some(source.clone()), ..Diagnostic::new(message) };
    for hole in shader.holes.iter().take(MAX_LABELS) {
        let label = if hole.name.is_some() { "" } else { "hirace cannot compute this" };
        warning = warning.label(Span::new(hole.start, hole.end), label);
    }
    if let Some(more) = shader.holes.len().checked_sub(MAX_LABELS).filter(|more| *more > 0) {
        warning = warning.note(format!("{more} more parts are not known"));
    }
    let mut flags: Vec<String> =
        names.iter().map(|name| format!("--define {name}=VALUE")).collect();
    flags.sort_unstable();
    flags.dedup();
    let help = match names.len() == shader.holes.len() {
        true => format!("give its value: {}", flags.join(" ")),
        false => WRITE_TO_FILE.to_owned(),
    };
    warning.help(help).of_no_kernel()
}

/// Returns the text of a host file with everything blanked that is not verbatim text of its shaders, at the same offsets.
pub fn shader_text(source: &SourceMap, defines: &[(String, String)]) -> String {
    let text = source.text();
    let read = guard::run(|| {
        let found = shaders::find(source.name(), text, defines).shaders;
        let chosen = choose(source, &found).into_iter();
        let programs = chosen.filter(|(_, outcome)| matches!(outcome, Outcome::Module(_)));
        programs.map(|(shader, _)| shader.clone()).collect::<Vec<_>>()
    });
    let complete = read.unwrap_or_default();
    let mut kept: Vec<u8> =
        text.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' }).collect();
    for (span, _) in
        complete.iter().flat_map(|shader| shader.text.sources()).filter(|(_, same)| *same)
    {
        let range = span.range(text);
        kept[range.clone()].copy_from_slice(&text.as_bytes()[range]);
    }
    String::from_utf8(kept).unwrap_or_default()
}
