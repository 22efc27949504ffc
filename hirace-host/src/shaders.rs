//! The shaders of a host file: which texts in it are shaders, and what their parts are.

use crate::evaluate::{Evaluation, Hole, Names};
use crate::expression::{Expression, ExpressionKind};
use crate::mapped::MappedText;
use crate::markup::{self, ScriptKind};
use crate::syntax::{Candidate, HostLanguage, Scan, scan};
use hirace_program::source_map::Span;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// What every compute shader contains.
pub const MARK: &str = "@compute";

/// The maximum number of texts with entry points in one file. More are a list of texts, and no program.
const MAX_SHADERS: usize = 1000;

/// The maximum number of expressions that are evaluated for one file, and of bytes of all texts that are made. Programs need much
/// less than this.
const MAX_STEPS: usize = 10_000_000;
const MAX_BYTES: usize = 256 << 20;

/// The text of a shader in a host file.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The text, as far as it is known.
    pub text: MappedText,
    /// The name of the variable, property or function that the text is for.
    pub name: Option<Arc<str>>,
    /// The expression that the text is the value of.
    pub host: Span,
    /// The parts whose values are not known. They are missing in the text.
    pub holes: Vec<Hole>,
    literals: BTreeSet<(u32, u32)>,
    steps: usize,
}

/// A kind of host file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Language(HostLanguage),
    Markup,
}

fn file_kind(name: &str) -> Option<FileKind> {
    let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    Some(match &*ending {
        "ts" | "mts" | "cts" => FileKind::Language(HostLanguage::TypeScript),
        "tsx" | "js" | "jsx" | "mjs" | "cjs" => FileKind::Language(HostLanguage::JavaScript),
        "py" => FileKind::Language(HostLanguage::Python),
        "rs" => FileKind::Language(HostLanguage::Rust),
        "html" | "htm" | "vue" | "svelte" => FileKind::Markup,
        _ => return None,
    })
}

/// Returns the shaders in the text of a file called `name`, in the order of the file. `defines` gives values to names.
pub fn find(name: &str, text: &str, defines: &[(String, String)]) -> Vec<Shader> {
    let Some(kind) = file_kind(name).filter(|_| text.contains(MARK)) else { return Vec::new() };
    let (scanned, language) = match kind {
        FileKind::Language(language) => (scan(text, 0, language), language),
        FileKind::Markup => (scan_markup(text), HostLanguage::JavaScript),
    };
    let is_rust = language == HostLanguage::Rust;
    let shows_floats = language == HostLanguage::Python;
    let names = Names::new(&scanned.declarations, defines, is_rust, shows_floats);
    let (mut steps, mut bytes) = (0, 0);
    let mut found = Vec::new();
    for candidate in &scanned.candidates {
        let mut evaluation = Evaluation::new(&names);
        let shader = shader(candidate, &mut evaluation, text);
        found.extend(shader);
        steps += evaluation.steps;
        bytes += evaluation.bytes;
        if found.len() >= MAX_SHADERS || steps > MAX_STEPS || bytes > MAX_BYTES {
            break;
        }
    }
    let is_part = |shader: &Shader| found.iter().any(|whole| shader.is_replaced_by(whole));
    let parts: Vec<bool> = found.iter().map(is_part).collect();
    let mut parts = parts.into_iter();
    found.retain(|_| !parts.next().unwrap_or_default());
    found.sort_by_key(|shader| (shader.host.start, shader.host.end));
    found
}

/// Returns what the scripts of a file contain. They share their names.
fn scan_markup(text: &str) -> Scan {
    let mut all = Scan::default();
    for script in markup::scripts(text) {
        let language = match script.kind {
            ScriptKind::JavaScript => HostLanguage::JavaScript,
            ScriptKind::TypeScript => HostLanguage::TypeScript,
            ScriptKind::Wgsl => {
                let mut content = MappedText::default();
                content.push_verbatim(script.text, script.at);
                let host = Span::new(script.at, script.at + script.text.len() as u32);
                let expression = Expression { host, kind: ExpressionKind::Text(content) };
                let name = script.id.map(Arc::from);
                all.candidates.push(Candidate { expression, name });
                continue;
            }
            ScriptKind::Other => continue,
        };
        let own = scan(script.text, script.at, language);
        let whole = Span::new(script.at, script.at + script.text.len() as u32 + 1);
        all.candidates.extend(own.candidates);
        all.declarations.extend(own.declarations.into_iter().map(|mut declaration| {
            if declaration.scope == whole {
                declaration.scope = Span::new(0, u32::MAX);
            }
            declaration
        }));
    }
    all
}

/// Returns the shader that a candidate is, if it is one.
fn shader<'a>(
    candidate: &'a Candidate,
    evaluation: &mut Evaluation<'_, 'a>,
    file: &str,
) -> Option<Shader> {
    let expression = &candidate.expression;
    let text = evaluation.text(expression);
    if !is_shader(text.text(), is_tagged(expression.host, file)) {
        return None;
    }
    let text = evaluation.fill_placeholders(&text);
    let (name, holes) = (candidate.name.clone(), evaluation.holes.iter().cloned().collect());
    let (literals, steps) = (evaluation.literals.clone(), evaluation.steps);
    Some(Shader { text, name, host: expression.host, holes, literals, steps })
}

/// Returns whether a text is a compute shader, and not a text about shaders.
fn is_shader(text: &str, is_tagged: bool) -> bool {
    let Some((_, after)) = text.split_once(MARK) else { return false };
    let has_size = text.contains("@workgroup_size");
    (has_size || is_tagged) && after.contains("fn ") && after.contains('{')
}

/// Returns whether a comment `/* wgsl */` or a tag `wgsl` is before a literal.
fn is_tagged(host: Span, file: &str) -> bool {
    let before = file.get(..host.start as usize).unwrap_or_default().trim_end();
    let comment = before.strip_suffix("*/").and_then(|before| before.rsplit_once("/*"));
    let is_wgsl = |text: &str| text.trim().eq_ignore_ascii_case("wgsl");
    let tag = file.get(host.range(file)).and_then(|text| text.split_once('`'));
    comment.is_some_and(|(_, comment)| is_wgsl(comment)) || tag.is_some_and(|(tag, _)| is_wgsl(tag))
}

impl Shader {
    /// Returns whether another shader of the file contains all of this text, and is checked or refused in its place.
    fn is_replaced_by(&self, whole: &Self) -> bool {
        let is_known = whole.holes.is_empty() || !self.holes.is_empty();
        is_known && self.is_part_of(whole)
    }

    /// Returns whether another shader of the file contains all of this text.
    pub fn is_part_of(&self, whole: &Self) -> bool {
        self.steps < whole.steps && self.literals.is_subset(&whole.literals)
    }
}
