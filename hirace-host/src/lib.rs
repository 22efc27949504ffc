//! Finds the WGSL shaders inside programs, and parses them in place: in TypeScript, JavaScript, HTML, Vue, Svelte, Python and Rust.
//!
//! - [`syntax`] reads the strings of a file, how they are put together, and which names are declared: [`expression`];
//! - [`evaluate`] computes their texts, as far as literals of the same file and values of the user determine them;
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
pub mod mapped;
pub mod markup;
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
use std::collections::BTreeMap;

/// The shaders of a host file.
#[derive(Debug, Default)]
pub struct HostFile {
    /// A program or a diagnostic for each compute shader.
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
    for shader in &found {
        if !shader.holes.is_empty() {
            file.unread.push(not_known(source, shader));
            continue;
        }
        match origin::parse(source, shader.text.clone()) {
            // A part of shaders, or a shader of another stage.
            Err(error) if error.cause == Cause::NoKernel => {}
            // What it lacks is in a text that has a warning of its own.
            Err(error)
                if error.cause == Cause::Undefined
                    && found.iter().any(|whole| shader.is_part_of(whole)) => {}
            Err(error) if error.cause == Cause::Undefined => {
                let message = format!("this shader was not checked: {}", error.message);
                file.unread.push(Diagnostic { message, ..*error }.of_no_kernel());
            }
            Err(error) => file.items.push(Err(error)),
            Ok(module) => parsed.push((shader, module)),
        }
    }
    file.items.extend(distinguished(source, parsed).into_iter().map(Ok));
    Ok(file)
}

/// Returns the modules with names of entry points that differ: the name of a shader is added to those that several shaders have.
fn distinguished(source: &SourceMap, parsed: Vec<(&Shader, ParsedModule)>) -> Vec<ParsedModule> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, module) in &parsed {
        module.kernels().for_each(|name| *counts.entry(name.to_owned()).or_default() += 1);
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut distinct = Vec::new();
    for (shader, module) in parsed {
        if module.kernels().all(|name| counts.get(name) == Some(&1)) {
            distinct.push(module);
            continue;
        }
        let line = source.position(shader.host.start).line;
        let own =
            shader.name.as_ref().map_or_else(|| format!("line{line}"), |name| name.to_string());
        let count = seen.entry(own.clone()).or_default();
        *count += 1;
        let own = if *count > 1 { format!("{own}_line{line}") } else { own };
        distinct.push(origin::rename(module, |name| format!("{own}.{name}")));
    }
    distinct
}

/// The maximum number of unknown parts that a warning shows.
const MAX_LABELS: usize = 5;

/// Creates the warning for a shader with parts that are not known.
fn not_known(source: &SourceMap, shader: &Shader) -> Diagnostic {
    let names: Vec<&str> = shader.holes.iter().filter_map(|hole| hole.name.as_deref()).collect();
    let message = match names.first() {
        Some(name) => format!("this shader was not checked: `{name}` has no value in this file"),
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
    let passed =
        "check the text that the program passes to `createShaderModule`: write it to a file";
    let help = match names.len() == shader.holes.len() {
        true => format!("give its value: {}", flags.join(" ")),
        false => passed.to_owned(),
    };
    warning.help(help).of_no_kernel()
}

/// Returns the text of a host file with everything blanked that is not verbatim text of its shaders, at the same offsets.
pub fn shader_text(source: &SourceMap, defines: &[(String, String)]) -> String {
    let text = source.text();
    let found = guard::run(|| shaders::find(source.name(), text, defines)).unwrap_or_default();
    let mut kept: Vec<u8> =
        text.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' }).collect();
    let complete = found.iter().filter(|shader| shader.holes.is_empty());
    for (span, _) in complete.flat_map(|shader| shader.text.sources()).filter(|(_, same)| *same) {
        let range = span.range(text);
        kept[range.clone()].copy_from_slice(&text.as_bytes()[range]);
    }
    String::from_utf8(kept).unwrap_or_default()
}
