//! The shaders of a host file: which texts in it are shaders, and what their parts are.

use crate::evaluate::{Evaluation, Hole};
use crate::expression::{Expression, ExpressionKind};
use crate::mapped::MappedText;
use crate::markup::{self, ScriptKind};
use crate::names::{Names, reach_entry_points};
use crate::syntax::{Candidate, HostLanguage, MARK, Scan, scan};
use hirace_program::source_map::Span;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The maximum number of texts with entry points in one file. More are a list of texts, and no program.
const MAX_SHADERS: usize = 1000;

/// The maximum number of expressions that are evaluated for one file, and of bytes of all texts that are made. Programs need much
/// less than this.
const MAX_STEPS: usize = 1_000_000;
const MAX_BYTES: usize = 64 << 20;

/// The maximum size of a file in bytes. Larger ones are generated, and take long to read.
pub const MAX_FILE: usize = 2 << 20;

/// What was found in a host file.
#[derive(Debug, Default)]
pub struct FoundShaders {
    /// The shaders, and the texts that contain them, in the order of the file.
    pub shaders: Vec<Shader>,
    /// Why there may be shaders that were not found, if there may be some.
    pub limit: Option<&'static str>,
}

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
    /// Whether the text is too large, so that parts of it are missing.
    pub is_limited: bool,
    /// Whether a tag or a comment says that the text is WGSL.
    pub is_tagged: bool,
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

/// Returns the shaders in the text of a file called `name`. `defines` gives values to names.
pub fn find(name: &str, text: &str, defines: &[(String, String)]) -> FoundShaders {
    let mut found = FoundShaders::default();
    let Some(kind) = file_kind(name).filter(|_| text.contains(MARK)) else { return found };
    if text.len() > MAX_FILE {
        found.limit = Some("the file is larger than 2 MiB");
        return found;
    }
    let (scanned, language) = match kind {
        FileKind::Language(language) => (scan(text, 0, language), language),
        FileKind::Markup => (scan_markup(text), HostLanguage::JavaScript),
    };
    if scanned.is_abandoned {
        found.limit = Some("it has too many syntax errors");
    }
    let names = Names::new(&scanned, defines, language);
    let reached = reach_entry_points(&scanned, defines);
    let (mut steps, mut bytes) = (0, 0);
    for (candidate, _) in scanned.candidates.iter().zip(reached).filter(|(_, reached)| *reached) {
        if found.shaders.len() >= MAX_SHADERS || steps > MAX_STEPS || bytes > MAX_BYTES {
            found.limit = Some("the file contains too many texts");
            break;
        }
        let mut evaluation = Evaluation::new(&names);
        let shader = shader(candidate, &mut evaluation, text);
        found.shaders.extend(shader);
        steps += evaluation.steps;
        bytes += evaluation.bytes;
    }
    found.shaders.sort_by_key(|shader| (shader.host.start, shader.host.end));
    found
}

/// Returns what the scripts of a file contain. Those that are not modules share their names.
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
        all.is_abandoned |= own.is_abandoned;
        all.candidates.extend(own.candidates);
        all.functions.extend(own.functions);
        all.declarations.extend(own.declarations.into_iter().map(|mut declaration| {
            if declaration.scope == whole && !script.is_module {
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
    let is_limited = evaluation.is_limited;
    let is_tagged = is_tagged(expression.host, file);
    let is_whole = evaluation.holes.is_empty();
    if !is_limited && !is_shader(text.text(), is_tagged, is_whole) {
        return None;
    }
    let text = evaluation.fill_placeholders(&text);
    let (name, holes) = (candidate.name.clone(), evaluation.holes.iter().cloned().collect());
    let (literals, steps) = (evaluation.literals.clone(), evaluation.steps);
    let host = expression.host;
    Some(Shader { text, name, host, holes, is_limited, is_tagged, literals, steps })
}

/// Returns whether a text is a compute shader, and not a text about shaders. Parts of it are missing unless `is_whole`.
fn is_shader(text: &str, is_tagged: bool, is_whole: bool) -> bool {
    if !text.contains(MARK) {
        return false;
    }
    let code = without_comments(text);
    let Some((_, after)) = code.split_once(MARK) else { return false };
    if !is_whole && code.contains("@workgroup_size(") {
        return true;
    }
    let has_size = is_tagged || !is_whole || code.contains("@workgroup_size");
    let has_body = !is_whole || after.contains('{');
    let mut functions = after.match_indices("fn").filter(|(at, _)| {
        let before = &after[..*at];
        before.ends_with(|c: char| c.is_whitespace() || c == ')' || c == '}')
    });
    has_size && has_body && functions.any(|(at, _)| is_function(&after[at + 2..], is_whole))
}

/// Returns whether the name and the parameters of a function follow `fn`. The name may be a placeholder.
fn is_function(after: &str, is_whole: bool) -> bool {
    let Some((name, _)) = after.split_once('(') else { return false };
    let is_part = |c: char| c.is_alphanumeric() || "_${}<%=>".contains(c);
    let trimmed = name.trim();
    let is_name = trimmed.chars().all(|c| is_part(c) || c == ' ')
        && (!trimmed.contains(' ')
            || trimmed.starts_with(['{', '$', '<']) && trimmed.ends_with(['}', '>']));
    name.starts_with(char::is_whitespace) && is_name && !(is_whole && trimmed.is_empty())
}

/// Returns WGSL without its comments.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.as_bytes().get(1) {
            Some(b'/') => rest.find('\n').unwrap_or(rest.len()),
            Some(b'*') => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => {
                code.push('/');
                rest = &rest[1..];
                continue;
            }
        };
        code.push(' ');
        rest = &rest[length..];
    }
    code + rest
}

/// Returns whether a comment `/* wgsl */` or a tag `wgsl` is before a literal.
fn is_tagged(host: Span, file: &str) -> bool {
    let before = file.get(..host.start as usize).unwrap_or_default().trim_end();
    let comment = before.strip_suffix("*/").and_then(|before| before.rsplit_once("/*"));
    let is_wgsl = |text: &str| text.trim().eq_ignore_ascii_case("wgsl");
    let is_template = file.get(host.range(file)).is_some_and(|text| text.starts_with('`'));
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let tag = before.rsplit(|c| !is_name(c)).next().unwrap_or_default();
    comment.is_some_and(|(_, comment)| is_wgsl(comment)) || is_template && is_wgsl(tag)
}

impl Shader {
    /// Returns whether another shader of the file contains all of this text.
    pub fn is_part_of(&self, whole: &Self) -> bool {
        let order =
            |shader: &Self| (shader.is_limited, shader.steps, shader.host.end, shader.host.start);
        order(self) < order(whole)
            && self.literals.is_subset(&whole.literals)
            && self.literals.len() <= whole.literals.len()
    }

    /// Returns whether each entry point of this text is in one of these texts.
    pub fn is_covered_by(&self, parts: &[&Self], file: &str) -> bool {
        let has_entry_point = |&&(start, end): &&(u32, u32)| {
            file.get(start as usize..end as usize).is_some_and(|text| text.contains(MARK))
        };
        let mut own = self.literals.iter().filter(has_entry_point).peekable();
        let is_known = own.peek().is_some();
        is_known && own.all(|literal| parts.iter().any(|part| part.literals.contains(literal)))
    }
}
