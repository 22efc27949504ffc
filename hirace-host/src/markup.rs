//! The scripts and shaders of HTML, Vue and Svelte files.

/// A script element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script<'a> {
    /// The offset of its content in the file.
    pub at: u32,
    /// Its content.
    pub text: &'a str,
    /// What the content is.
    pub kind: ScriptKind,
    /// The value of its attribute `id`.
    pub id: Option<&'a str>,
    /// Whether it is a module, whose names other scripts do not see.
    pub is_module: bool,
}

/// What a script element contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptKind {
    /// JavaScript.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// The text of a shader.
    Wgsl,
    /// Data, or another language.
    Other,
}

/// Returns the script elements of a file.
pub fn scripts(text: &str) -> Vec<Script<'_>> {
    let mut scripts = Vec::new();
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find('<')) {
        at += offset;
        let rest = &text[at..];
        if rest.starts_with("<!--") {
            // A comment without an end is text that only looks like one, as in a template.
            at += rest.find("-->").map_or(4, |end| end + 3);
            continue;
        }
        let Some(attributes) = tag(rest, "<script") else {
            at += 1;
            continue;
        };
        let Some(end) = end_of_tag(attributes) else { break };
        let begin = text.len() - attributes.len() + end + 1;
        let content = &text[begin..];
        let length = end_of_script(content);
        let attributes = &attributes[..end];
        let kind = kind(attribute(attributes, "type"), attribute(attributes, "lang"));
        let (text, id) = (&content[..length], attribute(attributes, "id"));
        let is_module =
            attribute(attributes, "type").is_some_and(|of| of.eq_ignore_ascii_case("module"));
        scripts.push(Script { at: begin as u32, text, kind, id, is_module });
        at = begin + length;
    }
    scripts
}

/// Returns what follows the name of a tag, if `text` begins with the tag.
fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (begin, rest) = text.split_at_checked(name.len())?;
    let ends = |c: char| c.is_ascii_whitespace() || c == '>' || c == '/';
    (begin.eq_ignore_ascii_case(name) && rest.starts_with(ends)).then_some(rest)
}

/// Returns the offset of the `>` that ends a tag. One in quotation marks is part of a value.
fn end_of_tag(attributes: &str) -> Option<usize> {
    let mut quote = None;
    attributes.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        None
    })
}

fn end_of_script(content: &str) -> usize {
    let mut ends = content.match_indices("</").map(|(at, _)| at);
    ends.find(|&at| tag(&content[at..], "</script").is_some()).unwrap_or(content.len())
}

/// Returns the value of an attribute.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    let lowercase = attributes.to_ascii_lowercase();
    loop {
        let at = from + lowercase.get(from..)?.find(name)?;
        let before = attributes[..at].chars().next_back();
        let value = attributes[at + name.len()..].trim_start().strip_prefix('=');
        if let (true, Some(value)) = (before.is_none_or(char::is_whitespace), value) {
            let value = value.trim_start();
            let quoted = ['"', '\''].into_iter().find_map(|quote| {
                let inside = value.strip_prefix(quote)?;
                inside.split(quote).next()
            });
            return quoted.or_else(|| value.split(|c: char| c.is_whitespace() || c == '>').next());
        }
        from = at + name.len();
    }
}

fn kind(of: Option<&str>, language: Option<&str>) -> ScriptKind {
    let of = of.unwrap_or_default().to_ascii_lowercase();
    let language = language.unwrap_or_default().to_ascii_lowercase();
    match (&*of, &*language) {
        _ if of.contains("wgsl") => ScriptKind::Wgsl,
        // The type of shaders in general: only WGSL has `@compute`.
        _ if of.contains("shader") => ScriptKind::Wgsl,
        (_, "ts" | "typescript") => ScriptKind::TypeScript,
        (_, "tsx") => ScriptKind::JavaScript,
        ("" | "module", _) => ScriptKind::JavaScript,
        _ if of.contains("typescript") => ScriptKind::TypeScript,
        _ if of.contains("javascript") || of.contains("babel") => ScriptKind::JavaScript,
        _ => ScriptKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_found_with_their_kinds() {
        let text = "<!-- <script>no</script> --><p a='>'>é</p>
            <script>one</SCRIPT ><script lang=\"ts\" setup>two</script>
            <script type='x-shader/x-wgsl' id=\"sum\" data-x='>'>three</script>
            <scripts>no</scripts><script type=\"application/json\">{}</script>
            <script TYPE=Module async>four</script><!-- <script LANG=TS>five";
        let found = scripts(text);
        let shown: Vec<_> = found.iter().map(|one| (one.text, one.kind, one.id)).collect();
        use ScriptKind::{JavaScript, Other, TypeScript, Wgsl};
        let expected = [
            ("one", JavaScript, None),
            ("two", TypeScript, None),
            ("three", Wgsl, Some("sum")),
            ("{}", Other, None),
            ("four", JavaScript, None),
            ("five", TypeScript, None),
        ];
        assert_eq!(shown, expected);
        for script in found {
            assert!(text[script.at as usize..].starts_with(script.text));
        }
    }

    #[test]
    fn no_text_makes_it_panic() {
        for text in [
            "<",
            "<script",
            "<script >",
            "<script a=\">",
            "é<scriptü>",
            "<!--",
            "<script id=",
            "</script",
        ] {
            let _ = scripts(text);
        }
    }
}
