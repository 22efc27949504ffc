//! Recognises files that become WGSL only when another tool has processed them.
//!
//! Asked only about what the parser has refused, so that no valid WGSL is ever taken for a template.

use super::tokens::Tokens;
use crate::diagnostic::Diagnostic;
use crate::source_map::{SourceMap, Span};

/// A sign that a text is a template, and of which tool.
struct Sign {
    /// How the text goes on at a token.
    text: &'static str,
    /// Whether only at the start of a line.
    starts_line: bool,
    tool: &'static str,
}

const NAGA_OIL: &str = "naga_oil";
const VELLO: &str = "vello's preprocessor, or naga_oil";
const PREPROCESSOR: &str = "a preprocessor in the style of C";
const TERA: &str = "a template engine (tera, minijinja, handlebars …)";
const WESL: &str = "WESL";
const FORMAT: &str = "a program that puts something in for each `{name}`";
const SCRIPT: &str = "a JavaScript template literal";

/// Those that say more stand first.
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

/// The diagnostic for a template that the parser refused with `parse_error`; `None` if `source` shows no
/// sign of being one. Comments are no sign.
pub fn recognise(source: &SourceMap, parse_error: &str) -> Option<Diagnostic> {
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
    // Paths are naga_oil's; a name alone may be a file that is put in.
    let names_file = sign.text == "#import" && !line.contains("::") && !line.contains('"');
    let tool = if names_file { VELLO } else { sign.tool };
    let message = format!("`{}` is a template: it becomes WGSL through {tool}", source.name());
    let passed =
        "check the text that the program passes to `create_shader_module`: write it to a file";
    let help = match is_ours(sign, &text[start..]) {
        true => format!("{}; or {passed}", flags(source)),
        false => passed.to_owned(),
    };
    Some(
        Diagnostic::at(source, span, message)
            .of_no_kernel()
            .note(format!("read as plain WGSL: {parse_error}"))
            .help(help),
    )
}

/// Whether it is a sign of what [`crate::front::preprocess`] does.
fn is_ours(sign: &Sign, text: &str) -> bool {
    match sign.tool {
        NAGA_OIL => true,
        // A name and nothing else.
        TERA => between_braces(text).is_some_and(|(before, ..)| before.is_empty()),
        PREPROCESSOR => sign.text.starts_with('#') && sign.text != "#include",
        _ => false,
    }
}

/// How to have hirace process the text, ready to be pasted.
fn flags(source: &SourceMap) -> String {
    let Names { valued, switches } = Names::of(source.text());
    let values: String = valued.iter().map(|name| format!(" --define {name}=VALUE")).collect();
    let switches = match switches.is_empty() {
        true => String::new(),
        false => {
            format!(", with --define for those of these that are set: {}", switches.join(", "))
        }
    };
    let command = format!("hirace check {} --preprocess{values}", source.name());
    match cfg!(feature = "preprocess") {
        true => format!("have it processed: `{command}`{switches}"),
        false => format!(
            "have it processed by a hirace that is built with the feature `preprocess`: `{command}`{switches}"
        ),
    }
}

/// The names that directives of a text ask for and the text does not define.
struct Names<'a> {
    /// Those that have to have a value.
    valued: Vec<&'a str>,
    /// Those that are set or not.
    switches: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(text: &'a str) -> Self {
        let (mut valued, mut switches, mut defined) = (Vec::new(), Vec::new(), Vec::new());
        for line in text.lines() {
            let mut words = line.split_whitespace().skip_while(|word| *word == "#else");
            let directive = words.next().unwrap_or("");
            if let Some(name) = words.next() {
                match directive {
                    "#if" | "if" => valued.push(name),
                    "#ifdef" | "#ifndef" | "ifdef" | "ifndef" => switches.push(name),
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

/// The first name between two braces on each side: what stands before it, the name, and what stands behind. A block that
/// begins in a block holds more than a name.
pub(crate) fn between_braces(text: &str) -> Option<(&str, &str, &str)> {
    let starts = text.match_indices("{{").map(|(start, _)| start);
    starts.into_iter().find_map(|start| {
        let (inside, after) = text[start + 2..].split_once("}}")?;
        let name = inside.trim_matches(' ');
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then_some((&text[..start], name, after))
    })
}

fn is_sign(sign: &Sign, text: &str) -> bool {
    let Some(rest) = text.strip_prefix(sign.text) else { return false };
    match sign.text {
        // Blocks within blocks begin like this too: what is to be put in stands on one line, with words.
        "{{" => {
            let end = rest.find(['{', '}', ';', '\n']).unwrap_or(rest.len());
            rest[end..].starts_with("}}") && !rest[..end].trim().is_empty()
        }
        // No block holds a name and nothing else, but one with a forgotten `;` may seem to.
        "{" => {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let keyword = ["return", "break", "continue", "discard"].contains(&&rest[..end]);
            end > 0 && rest[end..].starts_with('}') && !keyword
        }
        _ => true,
    }
}
