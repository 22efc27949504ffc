//! Preprocesses a file and its imports to one text of several files.

use super::names::{self, Piece, Wanted, line_span};
use super::substitute::Values;
use super::{File, Find, ImportRequest, import_path};
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::SourceMap;
use naga_oil::compose::preprocess::Preprocessor;
use naga_oil::compose::{ComposerErrorInner, ShaderDefValue, WgslDirectives};
use rustc_hash::FxHashSet;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The maximum total size of all files in bytes.
const MOST_BYTES: usize = 16 << 20;

/// The prefix of a line that stands for an included file.
const PART: &str = "//hirace-part:";

type Defined = HashMap<String, ShaderDefValue>;

/// Returns the WGSL of `text`, with these names defined.
pub(super) fn source(
    name: &str,
    text: &str,
    defines: &[(String, String)],
    find: Find<'_>,
) -> Result<SourceMap> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Construction is expensive: it compiles a dozen regular expressions.
    static PREPROCESSOR: OnceLock<Preprocessor> = OnceLock::new();
    let preprocessor = PREPROCESSOR.get_or_init(Preprocessor::default);
    let Given { defined, others } = given(defines);
    let mut making = Making { preprocessor, defined, values: Values::new(defines), find };
    let main = File { name: name.to_owned(), text: text.to_owned() };
    // A file with a kernel may be a module for other files; it is a module for itself as well.
    let module = import_path(text).map(str::to_owned);
    let mut seen: FxHashSet<String> = module.iter().cloned().collect();
    let mut pieces = vec![making.piece(main, module, true)?];
    let mut next = 0;
    while let Some(piece) = pieces.get(next) {
        let wanted = piece.wanted.clone();
        for Wanted { what, at } in wanted {
            if !seen.insert(what.clone()) {
                continue;
            }
            let of = &pieces[next];
            let found = match what.strip_prefix(PART) {
                Some(part) => find(ImportRequest::Part(part)).map(|file| (file, None)),
                None => making.module(&what).map(|file| (file, Some(what.clone()))),
            };
            let (file, module) = found.ok_or_else(|| not_found(of, &what, at))?;
            pieces.push(making.piece(file, module, false)?);
        }
        next += 1;
        if pieces.iter().map(|piece| piece.text.len()).sum::<usize>() > MOST_BYTES {
            let error =
                Diagnostic::new(format!("`{name}` and what it imports have more than 16 MiB"));
            return Err(Box::new(error));
        }
    }
    // A text value can only be used for substitution.
    if let Some((name, text)) = others.iter().find(|(name, _)| !making.values.has_used(name)) {
        return Err(is_text(name, text));
    }
    let texts = names::resolved(&pieces)?;
    let directives = directives(&pieces);
    let mut files: Vec<(&str, String)> =
        pieces.iter().zip(texts).map(|(piece, text)| (piece.file.name.as_str(), text)).collect();
    // Directives must precede everything else. They are inserted in an existing line to preserve line numbers.
    files[0].1.insert_str(0, &directives);
    Ok(SourceMap::of_files(name, files.iter().map(|(name, text)| (*name, text.as_str()))))
}

/// The names that the user defines.
struct Given<'a> {
    /// Names with values of naga_oil's types.
    defined: Defined,
    /// Names with text values.
    others: Vec<&'a (String, String)>,
}

fn given(defines: &[(String, String)]) -> Given<'_> {
    let mut given = Given { defined: Defined::default(), others: Vec::new() };
    for define in defines {
        let (name, text) = define;
        let number = text.trim_end_matches('u').parse().map(ShaderDefValue::UInt).ok();
        let value = match &**text {
            "true" | "false" => Some(ShaderDefValue::Bool(text == "true")),
            _ => number.or_else(|| text.parse().map(ShaderDefValue::Int).ok()),
        };
        match value {
            Some(value) => drop(given.defined.insert(name.clone(), value)),
            None => given.others.push(define),
        }
    }
    given
}

struct Making<'a> {
    preprocessor: &'a Preprocessor,
    defined: Defined,
    values: Values<'a>,
    find: Find<'a>,
}

impl Making<'_> {
    /// Returns the file that an import path refers to.
    fn module(&self, path: &str) -> Option<File> {
        match path.strip_prefix('"') {
            Some(file) => (self.find)(ImportRequest::File(file.trim_end_matches('"'))),
            None => (self.find)(ImportRequest::Module(path)),
        }
    }

    /// Preprocesses a file. Only the first file, on `top`, may define names.
    fn piece(&mut self, file: File, module: Option<String>, top: bool) -> Result<Piece> {
        let text = self.values.filled(&file.name, &file.text.replace("\r\n", "\n"))?;
        let text = self.with_parts(&text);
        let source = SourceMap::new(file.name.as_str(), text.as_str());
        let values = &self.values;
        let refused = |error: ComposerErrorInner| match &error {
            ComposerErrorInner::UnknownShaderDef { shader_def_name: name, .. } => {
                let text = values.text(name).map(|text| is_text(name, text));
                text.unwrap_or_else(|| refused(&error, &source))
            }
            error => refused(error, &source),
        };
        let about = self.preprocessor.get_preprocessor_metadata(&text, top).map_err(refused)?;
        self.defined.extend(about.defines);
        // Directives of WGSL are collected from the remaining lines, because other lines may be disabled by a condition.
        let cleaned = about.cleaned_source;
        let made = self.preprocessor.preprocess(&cleaned, &self.defined).map_err(refused)?;
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut text = String::with_capacity(made.preprocessed_source.len());
        for line in made.preprocessed_source.lines() {
            if let Some(part) = line.strip_prefix(PART) {
                let at = text.len();
                wanted.push(Wanted { what: format!("{PART}{}", part.trim()), at });
            } else {
                text.push_str(line);
            }
            text.push('\n');
        }
        let uses = names::uses(&text);
        wanted.extend(uses.iter().map(|of| Wanted { what: of.module.clone(), at: of.at }));
        let directives = about.wgsl_directives;
        Ok(Piece { file, module, cleaned, text, directives, uses, wanted })
    }

    /// Returns `text` with each `#import` of an included file replaced by a comment. The comments that naga_oil keeps show which
    /// imports are active.
    fn with_parts(&self, text: &str) -> String {
        let line = |line: &str| {
            let name =
                line.trim().strip_prefix("#import").map(|rest| rest.trim().trim_end_matches(';'));
            let is_name = |name: &&str| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            match name.filter(is_name) {
                Some(name) if self.module(name).is_none() && self.is_part(name) => {
                    format!("{PART}{name}\n")
                }
                _ => format!("{line}\n"),
            }
        };
        text.lines().map(line).collect()
    }

    fn is_part(&self, name: &str) -> bool {
        (self.find)(ImportRequest::Part(name)).is_some()
    }
}

/// Returns the WGSL directives of all pieces, on one line.
fn directives(pieces: &[Piece]) -> String {
    let mut all = WgslDirectives::default();
    for piece in pieces {
        all.enables.extend(piece.directives.enables.iter().cloned());
        all.requires.extend(piece.directives.requires.iter().cloned());
        all.diagnostics.extend(piece.directives.diagnostics.iter().cloned());
    }
    let text = all.to_wgsl_string();
    text.split_whitespace().map(|word| format!("{word} ")).collect()
}

/// Creates the error for a text value where naga_oil needs a value of its own types.
fn is_text(name: &str, text: &str) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!(
        "the value of `--define {name}={text}` must be true, false or an integer here"
    ));
    let help = "text values are only substituted for {{NAME}}";
    Box::new(error.help(help))
}

/// Creates the error for an import that was not found.
fn not_found(piece: &Piece, what: &str, at: usize) -> Box<Diagnostic> {
    let error = piece.error(at, format!("there is no module `{what}`"));
    Box::new(match what.strip_prefix('"') {
        Some(file) => error.help(format!("pass it with --module {}", file.trim_end_matches('"'))),
        None => error.help(format!(
            "pass the file with `#define_import_path {what}`, or its folder, with --module PATH"
        )),
    })
}

/// Creates the diagnostic for an error of naga_oil.
fn refused(error: &ComposerErrorInner, source: &SourceMap) -> Box<Diagnostic> {
    use ComposerErrorInner as E;
    let at = match error {
        E::ImportParseError(_, at)
        | E::NotEnoughEndIfs(at)
        | E::TooManyEndIfs(at)
        | E::ElseWithoutCondition(at)
        | E::GlslInvalidVersion(at)
        | E::DefineInModule(at)
        | E::UnknownShaderDefOperator { pos: at, .. }
        | E::UnknownShaderDef { pos: at, .. }
        | E::InvalidShaderDefComparisonValue { pos: at, .. }
        | E::InvalidShaderDefDefinitionValue { pos: at, .. } => *at,
        _ => 0,
    };
    let span = line_span(source, at);
    Box::new(match error {
        E::UnknownShaderDef { shader_def_name: name, .. } => {
            Diagnostic::at(source, span, format!("`{name}` is not defined"))
                .help(format!("define it: --define {name}=VALUE"))
        }
        E::InvalidShaderDefComparisonValue { shader_def_name: name, expected, value, .. } => {
            let message =
                format!("`{name}` is compared with `{value}`, which is not of type {expected}");
            Diagnostic::at(source, span, message)
        }
        E::DefineInModule(_) => {
            let message = "an imported module cannot define names";
            let help = "use `#define` in the importing file, or --define";
            Diagnostic::at(source, span, message).help(help)
        }
        error => Diagnostic::at(source, span, format!("naga_oil reports an error: {error}")),
    })
}
