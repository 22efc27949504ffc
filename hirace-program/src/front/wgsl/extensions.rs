//! Extensions of WGSL that browsers have and naga's parser does not know: their directives are removed, and their constructs
//! are rewritten in terms of what naga knows.
//!
//! Sources: the sections "Enable Extensions" and "Language Extensions" of the WGSL specification, and the extensions that Tint
//! names in its diagnostics. An extension that is listed here without a rewriting either needs none, because naga accepts its
//! constructs without a directive, or has constructs that naga rejects where they are used.

use super::constants::ModuleDeclarations;
use super::rewrite::Edit;
use super::tokens::{TokenKind, Tokens};
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::{SourceMap, Span};
use std::cell::LazyCell;
use std::ops::Range;

/// How a name in a directive is handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Support {
    /// naga's parser knows the name.
    Naga,
    /// The name is removed from the text that naga parses.
    Removed,
}

/// The names that `enable` takes.
const ENABLE: [(&str, Support); 9] = [
    ("f16", Support::Naga),
    ("clip_distances", Support::Naga),
    ("dual_source_blending", Support::Naga),
    ("primitive_index", Support::Naga),
    ("draw_index", Support::Naga),
    ("subgroups", Support::Removed),
    ("subgroup_size_control", Support::Removed),
    ("atomic_vec2u_min_max", Support::Removed),
    ("chromium_disable_uniformity_analysis", Support::Removed),
];

/// The names that `requires` takes.
const REQUIRES: [(&str, Support); 15] = [
    ("readonly_and_readwrite_storage_textures", Support::Naga),
    ("packed_4x8_integer_dot_product", Support::Naga),
    ("pointer_composite_access", Support::Naga),
    ("unrestricted_pointer_parameters", Support::Removed),
    ("uniform_buffer_standard_layout", Support::Removed),
    ("subgroup_id", Support::Removed),
    ("subgroup_uniformity", Support::Removed),
    ("linear_indexing", Support::Removed),
    ("texture_and_sampler_let", Support::Removed),
    ("texture_formats_tier1", Support::Removed),
    ("immediate_address_space", Support::Removed),
    ("swizzle_assignment", Support::Removed),
    ("fragment_depth", Support::Removed),
    ("buffer_view", Support::Removed),
    ("sized_binding_array", Support::Removed),
];

/// naga's own extensions start with this.
const OF_NAGA: &str = "wgpu_";

/// naga's extension for arrays of bindings.
const BINDING_ARRAY: &str = "wgpu_binding_array";

/// What a text needs before naga can parse it.
#[derive(Debug, Default)]
pub struct Extensions {
    pub edits: Vec<Edit>,
    /// The names of functions with `@subgroup_size`, with the size.
    pub subgroup_sizes: Vec<(String, u32)>,
}

/// Returns what a text needs before naga can parse it.
///
/// # Errors
/// A directive names an extension that is not known, or a construct cannot be rewritten.
pub fn rewrite(tokens: &Tokens<'_>, source: &SourceMap) -> Result<Extensions> {
    let mut extensions = Extensions::default();
    let mut enabled = Vec::new();
    for all in tokens.directives() {
        let known: &[_] = match tokens.text(all.start) {
            "enable" => &ENABLE,
            "requires" => &REQUIRES,
            _ => continue,
        };
        enabled.extend(tokens.names(all.clone()));
        extensions.edits.extend(directive(tokens, all, known, source)?);
    }
    let defines_elect = tokens.has_function("subgroupElect");
    // Most texts have no constants to look up.
    let constants = LazyCell::new(|| ModuleDeclarations::read(tokens));
    let is_used = |name: &str| tokens.all().any(|at| tokens.text(at) == name);
    if is_used("binding_array") && !enabled.contains(&BINDING_ARRAY) {
        let text = format!("enable {BINDING_ARRAY};");
        extensions.edits.push(Edit { span: Span::new(0, 0), text });
    }
    for at in tokens.all() {
        let next = tokens.text(at + 1);
        match tokens.text(at) {
            "subgroupElect" if (next, tokens.text(at + 2)) == ("(", ")") && !defines_elect => {
                // The active invocation with the lowest id has no active invocation before it.
                let span = tokens.span_of(at..at + 3);
                let text = "(subgroupExclusiveAdd(1u) == 0u)".to_owned();
                extensions.edits.push(Edit { span, text });
            }
            "@" if next == "subgroup_size" => {
                let constant = |name: &str| constants.token(name);
                subgroup_size(tokens, at, source, constant, &mut extensions)?;
            }
            "fn" => linear_indexing(tokens, at, &mut extensions.edits),
            "struct" => refuse_in_struct(tokens, at, source)?,
            _ => {}
        }
    }
    Ok(extensions)
}

/// Returns the edits that remove the names that naga does not know from a directive.
fn directive(
    tokens: &Tokens<'_>,
    all: Range<usize>,
    known: &[(&str, Support)],
    source: &SourceMap,
) -> Result<Option<Edit>> {
    let mut kept = Vec::new();
    if !is_list(tokens, all.clone()) {
        // naga reports what is wrong.
        return Ok(None);
    }
    let names = all.clone().skip(1).filter(|at| tokens.kind(*at) == TokenKind::Word);
    for at in names {
        let name = tokens.text(at);
        match known.iter().find(|(known, _)| *known == name) {
            Some((_, Support::Removed)) => {}
            Some((_, Support::Naga)) => kept.push(name),
            None if name.starts_with(OF_NAGA) => kept.push(name),
            None => {
                let word = tokens.text(all.start);
                let message = format!("unknown extension `{name}`");
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                let error = Diagnostic::at(source, tokens.span(at), message);
                return Err(Box::new(error.note(format!("`{word}` takes {}", names.join(", ")))));
            }
        }
    }
    if kept.len() == tokens.names(all.clone()).count() {
        return Ok(None);
    }
    let text = match kept.is_empty() {
        true => String::new(),
        false => format!("{} {};", tokens.text(all.start), kept.join(", ")),
    };
    Ok(Some(Edit { span: tokens.span_of(all.start..all.end + 1), text }))
}

/// Returns whether a directive is a list of names, separated by commas, that a semicolon ends.
fn is_list(tokens: &Tokens<'_>, all: Range<usize>) -> bool {
    let is_name = |at: usize| tokens.kind(at) == TokenKind::Word;
    let mut names = all.clone().skip(1);
    tokens.text(all.end) == ";"
        && all.len() > 1
        && names.all(|at| match (at - all.start) % 2 {
            1 => is_name(at),
            _ => tokens.text(at) == ",",
        })
}

/// Removes the attribute `@subgroup_size` that starts at a token, and records the size.
fn subgroup_size(
    tokens: &Tokens<'_>,
    at: usize,
    source: &SourceMap,
    constant: impl Fn(&str) -> Option<usize>,
    extensions: &mut Extensions,
) -> Result<()> {
    let Some(end) = tokens.partner(at + 2) else { return Ok(()) };
    let span = tokens.span_of(at..end + 1);
    let size = match tokens.kind(at + 3) {
        TokenKind::Number if end == at + 4 => tokens.text(at + 3),
        TokenKind::Word if end == at + 4 => {
            constant(tokens.text(at + 3)).map_or("", |value| tokens.text(value))
        }
        _ => "",
    };
    let size = size.trim_end_matches(['u', 'i']).parse::<u32>().ok();
    let Some(size) = size else {
        let message = "hirace cannot evaluate this size of subgroups";
        let error = Diagnostic::at(source, span, message);
        let help = "write a decimal number, or a constant of the module whose value is one";
        return Err(Box::new(error.help(help)));
    };
    if !size.is_power_of_two() || size > 64 {
        let message = "hirace supports subgroups whose size is a power of two up to 64";
        return Err(Box::new(Diagnostic::at(source, span, message)));
    }
    let name = (end..tokens.all().end).find(|at| tokens.text(*at) == "fn");
    let name = name.map_or("", |at| tokens.text(at + 1));
    extensions.subgroup_sizes.push((name.to_owned(), size));
    extensions.edits.push(Edit { span, text: String::new() });
    Ok(())
}

/// The built-in values of `linear_indexing`.
const LINEAR: [&str; 2] = ["global_invocation_index", "workgroup_index"];

/// The maximum length of an argument of `@workgroup_size` that is copied.
const MAX_SIZE: usize = 200;

/// Replaces parameters with built-in values of `linear_indexing`, of the function whose `fn` is at a token, by variables that
/// are computed from other built-in values.
fn linear_indexing(tokens: &Tokens<'_>, function: usize, edits: &mut Vec<Edit>) {
    let open = function + 2;
    let Some(close) = tokens.partner(open) else { return };
    let linear = |parameter: &Range<usize>| {
        let name = built_in(tokens, parameter)?;
        LINEAR.contains(&name).then_some(name)
    };
    if !(open..close).any(|at| LINEAR.contains(&tokens.text(at))) {
        return;
    }
    let parameters = parameters(tokens, open, close);
    // More are duplicates, and the size of a workgroup is a short expression.
    let size = workgroup_size(tokens, function);
    let count = parameters.iter().filter(|parameter| linear(parameter).is_some()).count();
    if count > LINEAR.len() || size.iter().any(|text| text.len() > MAX_SIZE) {
        return;
    }
    let Some(first) = parameters.iter().position(|parameter| linear(parameter).is_some()) else {
        return;
    };
    let mut added: Vec<String> = Vec::new();
    let mut value = |wanted: &'static str| {
        let own = parameters.iter().find(|own| built_in(tokens, own) == Some(wanted));
        let own = own.and_then(|own| own.clone().find(|at| tokens.text(at + 1) == ":"));
        if let Some(own) = own {
            return tokens.text(own).to_owned();
        }
        let parameter = format!("@builtin({wanted}) hirace_{wanted}: vec3<u32>");
        if !added.contains(&parameter) {
            added.push(parameter);
        }
        format!("hirace_{wanted}")
    };
    let mut values = String::new();
    for parameter in &parameters {
        let Some(built_in) = linear(parameter) else { continue };
        let Some(name) = parameter.clone().find(|at| tokens.text(at + 1) == ":") else { continue };
        let name = tokens.text(name);
        let groups = value("num_workgroups");
        let (id, [x, y]) = match built_in {
            "workgroup_index" => (value("workgroup_id"), [0, 1].map(|_| "1".to_owned())),
            _ => (value("global_invocation_id"), size.clone()),
        };
        let row = format!("{groups}.x * u32({x})");
        let plane = format!("{row} * {groups}.y * u32({y})");
        values += &format!(" let {name}: u32 = {id}.x + {id}.y * {row} + {id}.z * {plane};");
    }
    for (at, parameter) in parameters.iter().enumerate().filter(|(_, one)| linear(one).is_some()) {
        let mut span = tokens.span_of(parameter.clone());
        let text = if at == first { added.join(", ") } else { String::new() };
        if text.is_empty() && tokens.text(parameter.end) == "," {
            span.end = tokens.span(parameter.end).end;
        }
        edits.push(Edit { span, text });
    }
    if let Some(body) = (close..tokens.all().end).find(|at| tokens.text(*at) == "{") {
        let end = tokens.span(body).end;
        edits.push(Edit { span: Span::new(end, end), text: values });
    }
}

/// Returns the parameters between two parentheses, each without the comma.
fn parameters(tokens: &Tokens<'_>, open: usize, close: usize) -> Vec<Range<usize>> {
    let (mut all, mut start, mut at) = (Vec::new(), open + 1, open + 1);
    let mut angles = 0_usize;
    while at < close {
        match tokens.text(at) {
            "(" | "[" => at = tokens.partner(at).unwrap_or(at),
            "<" => angles += 1,
            ">" => angles = angles.saturating_sub(1),
            ">>" => angles = angles.saturating_sub(2),
            "," if angles == 0 => {
                all.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    all.push(start..close);
    all.retain(|parameter| !parameter.is_empty());
    all
}

/// Returns the name in the attribute `@builtin` of a parameter or member.
fn built_in<'a>(tokens: &Tokens<'a>, of: &Range<usize>) -> Option<&'a str> {
    let at = of.clone().find(|at| tokens.text(*at) == "builtin" && tokens.text(at + 1) == "(")?;
    Some(tokens.text(at + 2))
}

/// Returns the first two arguments of the attribute `@workgroup_size` of a function, as text.
fn workgroup_size(tokens: &Tokens<'_>, function: usize) -> [String; 2] {
    let start = tokens.statement(function).start;
    let attribute = (start..function).find(|at| tokens.text(*at) == "workgroup_size");
    let open = attribute.map_or(function, |at| at + 1);
    let close = tokens.partner(open).unwrap_or(open);
    let arguments = parameters(tokens, open, close);
    [0, 1].map(|at| {
        let argument = arguments.get(at).map(|argument| {
            argument.clone().map(|at| tokens.text(at)).collect::<Vec<_>>().join(" ")
        });
        argument.unwrap_or_else(|| "1".to_owned())
    })
}

/// Returns an error if a member of the structure at a token has a built-in value of `linear_indexing`.
fn refuse_in_struct(tokens: &Tokens<'_>, at: usize, source: &SourceMap) -> Result<()> {
    let Some(close) = tokens.partner(at + 2) else { return Ok(()) };
    let linear = (at + 3..close).find(|at| {
        LINEAR.contains(&tokens.text(*at))
            && at.checked_sub(2).map(|at| tokens.text(at)) == Some("builtin")
    });
    let Some(linear) = linear else { return Ok(()) };
    let name = tokens.text(linear);
    let message = format!("hirace does not support `{name}` as a member of a structure");
    let error = Diagnostic::at(source, tokens.span(linear), message);
    Err(Box::new(error.help("make it a parameter of the entry point")))
}

/// The types that construct vectors.
const VECTORS: [&str; 15] = [
    "vec2", "vec3", "vec4", "vec2f", "vec3f", "vec4f", "vec2u", "vec3u", "vec4u", "vec2i", "vec3i",
    "vec4i", "vec2h", "vec3h", "vec4h",
];

/// Returns the edit that replaces an assignment to a swizzle, whose left-hand side is at a span, by assignments to components.
/// `None` if the statement cannot be rewritten.
pub fn swizzle_assignment(tokens: &Tokens<'_>, left: Span) -> Option<Edit> {
    let at = tokens.at(left.start);
    let all = tokens.clause(at);
    if tokens.clause(at) != tokens.statement(at) || tokens.text(all.end) != ";" {
        return None;
    }
    let assignment = tokens.assignment(all.start).filter(|at| all.contains(at))?;
    let components = tokens.text(assignment - 1);
    let is_swizzle = |set: &str| components.chars().all(|c| set.contains(c));
    if tokens.text(assignment - 2) != "." || !(is_swizzle("xyzw") || is_swizzle("rgba")) {
        return None;
    }
    let base = all.start..assignment - 2;
    let text = |range: Range<usize>| tokens.source(tokens.span_of(range));
    let mut seen: Vec<char> = components.chars().collect();
    seen.sort_unstable();
    seen.dedup();
    if seen.len() < components.len() {
        return None;
    }
    let value = assignment + 1..all.end;
    let is_literal = value.clone().all(|at| match tokens.kind(at) {
        TokenKind::Word => VECTORS.contains(&tokens.text(at)),
        _ => true,
    });
    // A name may be that of a variable or of a pointer. Other references are evaluated once, before the value.
    let is_name = base.len() == 1;
    let (base, value) = (text(base), text(value));
    let component = |nth: usize| ["x", "y", "z", "w"].get(nth).copied().unwrap_or("x");
    let operator = tokens.text(assignment).strip_suffix('=').unwrap_or("");
    let mut edit = String::from("{");
    let base = match is_name {
        true => base.to_owned(),
        false => {
            edit += &format!(" let hirace_base = &({base});");
            "(*hirace_base)".to_owned()
        }
    };
    let value = match (operator, is_literal) {
        // A value of abstract type takes the type of the component.
        ("", true) => format!("({value})"),
        ("", false) => {
            edit += &format!(" let hirace_value = {value};");
            "hirace_value".to_owned()
        }
        _ => {
            edit += &format!(" let hirace_value = {base}.{components} {operator} ({value});");
            "hirace_value".to_owned()
        }
    };
    for (nth, name) in components.chars().enumerate() {
        edit += &format!(" {base}.{name} = {value}.{};", component(nth));
    }
    edit += " }";
    Some(Edit { span: tokens.span_of(all.start..all.end + 1), text: edit })
}
