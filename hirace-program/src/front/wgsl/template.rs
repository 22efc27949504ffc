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
    let message =
        format!("`{}` is a template: it becomes WGSL through {}", source.name(), sign.tool);
    Some(
        Diagnostic::at(source, span, message)
            .of_no_kernel()
            .note(format!("read as plain WGSL: {parse_error}"))
            .help("check the text that the program passes to `create_shader_module`: write it to a file"),
    )
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
