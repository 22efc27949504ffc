//! Recognizes files that only become WGSL after another tool has processed them.
//!
//! Only texts that the parser has rejected are examined, so valid WGSL is never mistaken for a template.

use super::tokens::Tokens;
use crate::diagnostic::Diagnostic;
use crate::source_map::{SourceMap, Span};

/// A sign that a text is a template, and the tool that it is for.
struct Sign {
    /// The text at a token.
    text: &'static str,
    /// Whether it must be at the start of a line.
    starts_line: bool,
    tool: &'static str,
}

const NAGA_OIL: &str = "naga_oil";
const VELLO: &str = "vello's preprocessor, or naga_oil";
const PREPROCESSOR: &str = "a C-style preprocessor";
const TERA: &str = "a template engine (tera, minijinja, handlebars …)";
const WESL: &str = "WESL";
const FORMAT: &str = "a program that substitutes each `{name}`";
const SCRIPT: &str = "a JavaScript program (template literal)";

/// More specific signs come first.
const SIGNS: [Sign; 19] = [
    Sign { text: "#define_import_path", starts_line: true, tool: NAGA_OIL },
    Sign { text: "#import", starts_line: true, tool: NAGA_OIL },
    Sign { text: "#{", starts_line: false, tool: NAGA_OIL },
    Sign { text: "import ", starts_line: true, tool: WESL },
    Sign { text: "@if(", starts_line: false, tool: WESL },
    Sign { text: "@if (", starts_line: false, tool: WESL },
    Sign { text: "{{", starts_line: false, tool: TERA },
    Sign { text: "{%", starts_line: false, tool: TERA },
    Sign { text: "${", starts_line: false, tool: SCRIPT },
    Sign { text: "#ifdef", starts_line: true, tool: PREPROCESSOR },
    Sign { text: "#ifndef", starts_line: true, tool: PREPROCESSOR },
    Sign { text: "#if", starts_line: true, tool: PREPROCESSOR },
    Sign { text: "#else", starts_line: true, tool: PREPROCESSOR },
    Sign { text: "#endif", starts_line: true, tool: PREPROCESSOR },
    Sign { text: "#define", starts_line: true, tool: PREPROCESSOR },
    Sign { text: "#include", starts_line: true, tool: PREPROCESSOR },
    Sign { text: "@import", starts_line: false, tool: PREPROCESSOR },
    Sign { text: "@include", starts_line: false, tool: PREPROCESSOR },
    Sign { text: "{", starts_line: false, tool: FORMAT },
];

/// Returns the diagnostic for a template that the parser rejected with `parse_error`, or `None` if `source` contains no sign of a
/// template. Comments are ignored.
pub fn recognize(source: &SourceMap, parse_error: &str) -> Option<Diagnostic> {
    let text = source.text();
    let tokens = Tokens::new(text);
    let starts: Vec<(usize, bool)> = tokens
        .all()
        .map(|index| {
            let start = tokens.span(index).start as usize;
            let before = index.checked_sub(1).map_or(0, |before| tokens.span(before).end as usize);
            (start, index == 0 || text[before..start].contains('\n'))
        })
        .collect();
    let found = |sign: &Sign| {
        let mut places = starts.iter().filter(|(_, starts_line)| *starts_line || !sign.starts_line);
        places.find(|(start, _)| is_sign(sign, &text[*start..])).map(|(start, _)| *start)
    };
    let (sign, start) = SIGNS.iter().find_map(|sign| Some((sign, found(sign)?)))?;
    let line = text[start..].lines().next().unwrap_or("").trim_end();
    let span = Span::new(start as u32, (start + line.len()) as u32);
    // Paths are naga_oil's; a single name may be a file to include.
    let names_file = sign.text == "#import" && !line.contains("::") && !line.contains('"');
    let tool = if names_file { VELLO } else { sign.tool };
    let message =
        format!("`{}` is a template that must first be processed by {tool}", source.name());
    let passed =
        "check the text that the program passes to `create_shader_module`: write it to a file";
    let help = match is_ours(sign, &text[start..]) {
        true => format!("{}; or {passed}", flags(source)),
        false => passed.to_owned(),
    };
    Some(
        Diagnostic::at(source, span, message)
            .of_no_kernel()
            .note(format!("parsed as plain WGSL: {parse_error}"))
            .help(help),
    )
}

/// Returns whether [`crate::front::preprocess`] can process the sign.
fn is_ours(sign: &Sign, text: &str) -> bool {
    match sign.tool {
        NAGA_OIL => true,
        // Only a single name.
        TERA | SCRIPT => between_braces(text).is_some_and(|(before, ..)| before.is_empty()),
        PREPROCESSOR => sign.text.starts_with('#') && sign.text != "#include",
        _ => false,
    }
}

/// Returns the help text with the command that preprocesses the text.
fn flags(source: &SourceMap) -> String {
    let Names { valued, switches } = Names::of(source.text());
    let values: String = valued.iter().map(|name| format!(" --define {name}=VALUE")).collect();
    let switches = match switches.is_empty() {
        true => String::new(),
        false => {
            format!(", with --define for each of these that is set: {}", switches.join(", "))
        }
    };
    let command = format!("hirace check {} --preprocess{values}", source.name());
    match cfg!(feature = "preprocess") {
        true => format!("preprocess it: `{command}`{switches}"),
        false => format!(
            "preprocess it with a build of hirace that has the feature `preprocess`: `{command}`{switches}"
        ),
    }
}

/// The names that directives of a text refer to and that the text does not define.
struct Names<'a> {
    /// Names that need a value.
    valued: Vec<&'a str>,
    /// Names that are set or not set.
    switches: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(text: &'a str) -> Self {
        let (mut valued, mut switches, mut defined) = (Vec::new(), Vec::new(), Vec::new());
        for line in text.lines() {
            // A condition may follow `#else`. Outside of directives, `if` is a statement.
            let mut words = line.split_whitespace().peekable();
            let is_else = words.next_if_eq(&"#else").is_some();
            let directive = words.next().unwrap_or("");
            if let Some(name) = words.next() {
                match directive {
                    "#if" => valued.push(name),
                    "#ifdef" | "#ifndef" => switches.push(name),
                    "if" if is_else => valued.push(name),
                    "ifdef" | "ifndef" if is_else => switches.push(name),
                    "#define" => defined.push(name),
                    _ => {}
                }
            }
            let put_in = line.split("#{").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
            valued.extend(put_in);
            let mut rest = line;
            while let Some((_, name, after)) = between_braces(rest) {
                valued.push(name);
                rest = after;
            }
        }
        let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let asked = |names: Vec<&'a str>, not: &[&str]| {
            let mut names: Vec<&str> = names.into_iter().filter(is_name).collect();
            names.retain(|name| !not.contains(name));
            names.sort_unstable();
            names.dedup();
            names
        };
        let valued = asked(valued, &defined);
        let switches = asked(switches, &[&defined[..], &valued[..]].concat());
        Self { valued, switches }
    }
}

/// Finds the first `{{NAME}}` or `${NAME}`. Returns the text before it, the name, and the text after it. A nested block contains
/// more than a name.
pub(crate) fn between_braces(text: &str) -> Option<(&str, &str, &str)> {
    let starts = text.match_indices('{').map(|(start, _)| start);
    starts.into_iter().find_map(|start| {
        let (inside, after, start) = match text[..start].strip_suffix('$') {
            Some(before) => {
                let (inside, after) = text[start + 1..].split_once('}')?;
                (inside, after, before.len())
            }
            None => {
                let (inside, after) = text[start..].strip_prefix("{{")?.split_once("}}")?;
                (inside, after, start)
            }
        };
        let name = inside.trim_matches(' ');
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then_some((&text[..start], name, after))
    })
}

fn is_sign(sign: &Sign, text: &str) -> bool {
    let Some(rest) = text.strip_prefix(sign.text) else { return false };
    match sign.text {
        // Nested blocks also begin with `{{`. A placeholder is on one line and contains words.
        "{{" => {
            let end = rest.find(['{', '}', ';', '\n']).unwrap_or(rest.len());
            rest[end..].starts_with("}}") && !rest[..end].trim().is_empty()
        }
        // A block never contains only a name, unless a `;` was forgotten.
        "{" => {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let keyword = ["return", "break", "continue", "discard"].contains(&&rest[..end]);
            end > 0 && rest[end..].starts_with('}') && !keyword
        }
        _ => true,
    }
}
