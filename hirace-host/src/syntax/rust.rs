//! Strings and names of Rust.

use super::{Grammar, Place, Reader, Scan, named_children, number};
use crate::escapes::{Escapes, decode};
use crate::expression::{
    Declaration, Expression, ExpressionKind as Kind, Import, MAX_DEPTH, Operator,
};
use hirace_program::source_map::Span;
use tree_sitter::Node;

/// The rules of Rust.
pub struct Rust;

/// The methods that return a text or a number like that which they are called on.
const SAME_VALUE: [&str; 9] = [
    "into",
    "to_owned",
    "as_str",
    "as_ref",
    "clone",
    "trim",
    "trim_start",
    "trim_end",
    "into_owned",
];

/// Functions whose result is their argument.
const SAME_ARGUMENT: [&str; 5] =
    ["String::from", "Cow::Borrowed", "Cow::from", "Cow::Owned", "std::borrow::Cow::Borrowed"];

/// The macros whose result is a text that is made of their arguments.
fn macro_name<'a>(reader: &Reader<'a>, node: Node<'_>) -> Option<&'a str> {
    let name = reader.text(node.child_by_field_name("macro")?);
    name.rsplit("::").next().filter(|name| matches!(*name, "format" | "concat" | "formatcp"))
}

impl Grammar for Rust {
    fn is_text(&self, reader: &Reader<'_>, node: Node<'_>) -> bool {
        match node.kind() {
            "string_literal" | "raw_string_literal" => true,
            "macro_invocation" => macro_name(reader, node).is_some(),
            "binary_expression" => operator(reader, node) == Some("+"),
            "call_expression" => method(reader, node).is_some_and(|(_, name)| {
                matches!(name, "replace" | "replacen" | "join" | "concat")
            }),
            _ => false,
        }
    }

    fn expression(&self, reader: &mut Reader<'_>, node: Node<'_>, depth: usize) -> Expression {
        let host = reader.span(node);
        if depth >= MAX_DEPTH {
            return Expression::unknown(host);
        }
        let read = |reader: &mut Reader<'_>, node| self.expression(reader, node, depth + 1);
        let field = |name| node.child_by_field_name(name);
        let kind = match node.kind() {
            "string_literal" | "raw_string_literal" => {
                reader.uses(node);
                literal(reader, node)
            }
            "integer_literal" | "float_literal" => match number(reader.text(node)) {
                Some((value, is_float)) => Kind::Number { value, is_float },
                None => Kind::Unknown,
            },
            "boolean_literal" => Kind::Boolean(reader.text(node) == "true"),
            "identifier" => Kind::Name(reader.text(node).to_owned()),
            "scoped_identifier" => {
                path(&reader.text(node).split("::").map(str::trim).collect::<Vec<_>>(), host)
            }
            "parenthesized_expression"
            | "reference_expression"
            | "type_cast_expression"
            | "block" => {
                reader.uses(node);
                let inner = named_children(node);
                let inner = inner.iter().find(|inner| inner.kind() != "mutable_specifier");
                return match inner {
                    Some(inner) => read(reader, *inner),
                    None => Expression::unknown(host),
                };
            }
            "array_expression" => {
                let elements = named_children(node).into_iter();
                Kind::List(elements.map(|element| read(reader, element)).collect())
            }
            "index_expression" => match named_children(node)[..] {
                [of, index] => {
                    Kind::Element(Box::new(read(reader, of)), Box::new(read(reader, index)))
                }
                _ => Kind::Unknown,
            },
            "unary_expression" => match named_children(node).first() {
                Some(inner) => {
                    match (reader.text(node).chars().next(), read(reader, *inner).kind) {
                        (Some('-'), Kind::Number { value, is_float }) => {
                            Kind::Number { value: -value, is_float }
                        }
                        (Some('*'), kind) => kind,
                        _ => Kind::Unknown,
                    }
                }
                None => Kind::Unknown,
            },
            "binary_expression" => match (operator(reader, node), field("left"), field("right")) {
                (Some("+"), Some(_), Some(_)) => {
                    let is_sum = |reader: &Reader<'_>, node: Node<'_>| {
                        node.kind() == "binary_expression" && operator(reader, node) == Some("+")
                    };
                    let operands = super::chain(reader, node, is_sum).into_iter();
                    Kind::Sum(operands.map(|operand| read(reader, operand)).collect())
                }
                (Some(operator), Some(left), Some(right)) => match Operator::from_text(operator) {
                    Some(operator) => {
                        let left = Box::new(read(reader, left));
                        Kind::Operation(operator, left, Box::new(read(reader, right)))
                    }
                    None => Kind::Unknown,
                },
                _ => Kind::Unknown,
            },
            "macro_invocation" => return self.macro_call(reader, node, depth),
            "call_expression" => return self.call(reader, node, depth),
            _ => Kind::Unknown,
        };
        Expression { host, kind }
    }

    fn declare(
        &self,
        reader: &mut Reader<'_>,
        node: Node<'_>,
        place: &Place<'_, '_>,
        scan: &mut Scan,
    ) {
        let scope = place.scope;
        let at = match node.kind() {
            "const_item" | "static_item" | "use_declaration" => 0,
            // A variable is known after its declaration, and not in its own value.
            "let_declaration" => reader.span(node).end,
            _ => reader.span(node).start.max(1),
        };
        let mut declare = |name: String, scope, value| {
            let declaration = Declaration { name, scope, at, is_class_member: false, value };
            scan.declarations.push(declaration);
        };
        match node.kind() {
            "const_item" | "static_item" | "let_declaration" => {
                let is_let = node.kind() == "let_declaration";
                let name = node.child_by_field_name(if is_let { "pattern" } else { "name" });
                let Some(name) = name else { return };
                if name.kind() != "identifier" {
                    names_in(reader, name).for_each(|name| declare(name, scope, None));
                    return;
                }
                let mut cursor = node.walk();
                let is_mutable =
                    node.children(&mut cursor).any(|child| child.kind() == "mutable_specifier");
                let value = node.child_by_field_name("value").filter(|_| !is_mutable);
                let value = value.map(|value| reader.value(self, value));
                declare(reader.text(name).to_owned(), scope, value);
            }
            "use_declaration" => {
                // In a module within the file, `super` is the file itself.
                let is_inside = place.ancestors.iter().any(|of| of.kind() == "mod_item");
                let host = reader.span(node);
                for (mut path, own) in used_paths(reader, node) {
                    let Some(name) = path.pop().filter(|_| !(is_inside && path.contains(&"super")))
                    else {
                        continue;
                    };
                    let from = path.join("::");
                    if own == "*" {
                        scan.all_from.push(from);
                        continue;
                    }
                    let import = Import { from, name: Some(name.to_owned()) };
                    let value = Expression { host, kind: Kind::Imported(import) };
                    declare(own.to_owned(), scope, Some(value));
                }
            }
            "parameters" | "closure_parameters" => {
                let function = place.outer(1).map_or(scope, |function| reader.span(function));
                names_in(reader, node).for_each(|name| declare(name, function, None));
            }
            "for_expression" | "let_condition" | "match_pattern" => {
                let is_loop = node.kind() == "for_expression";
                let bodies = ["if_expression", "while_expression", "match_arm"];
                let outer = place.ancestors.iter().rfind(|of| bodies.contains(&of.kind()));
                let outer = outer.copied().filter(|_| !is_loop);
                let own = reader.span(outer.unwrap_or(node));
                let is_match = node.kind() == "match_pattern";
                let pattern =
                    if is_match { Some(node) } else { node.child_by_field_name("pattern") };
                let names = pattern.into_iter().flat_map(|of| names_in(reader, of));
                names.for_each(|name| declare(name, own, None));
            }
            _ => {}
        }
    }

    fn is_scope(&self, node: Node<'_>) -> bool {
        matches!(node.kind(), "block" | "declaration_list")
    }

    fn name<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let field = match node.kind() {
            "const_item" | "static_item" | "function_item" | "mod_item" => "name",
            "let_declaration" => "pattern",
            "field_initializer" => "field",
            _ => return None,
        };
        node.child_by_field_name(field)
    }

    fn is_skipped(&self, node: Node<'_>) -> bool {
        let kinds = ["line_comment", "block_comment", "attribute_item", "inner_attribute_item"];
        kinds.contains(&node.kind())
    }
}

impl Rust {
    /// Reads a call of a macro.
    fn macro_call(&self, reader: &mut Reader<'_>, node: Node<'_>, depth: usize) -> Expression {
        let host = reader.span(node);
        if let Some(kind) = included(reader, node) {
            return Expression { host, kind };
        }
        let mut cursor = node.walk();
        let tokens = node.children(&mut cursor).find(|child| child.kind() == "token_tree");
        let (Some(name), Some(tokens)) = (macro_name(reader, node), tokens) else {
            return Expression::unknown(host);
        };
        reader.uses(node);
        let mut all: Vec<Node<'_>> = Vec::new();
        let mut cursor = tokens.walk();
        all.extend(tokens.children(&mut cursor).filter(|token| !token.is_extra()));
        // Without the delimiters.
        let inner = all.get(1..all.len().saturating_sub(1)).unwrap_or_default();
        let arguments = inner.split(|token| reader.text(*token) == ",");
        let arguments: Vec<&[Node<'_>]> = arguments.filter(|tokens| !tokens.is_empty()).collect();
        let mut positional = Vec::new();
        let mut named = Vec::new();
        for tokens in arguments {
            match tokens {
                [name, equals, value @ ..] if reader.text(*equals) == "=" => {
                    let name = reader.text(*name).to_owned();
                    named.push((name, self.argument(reader, value, depth)));
                }
                tokens => positional.push(self.argument(reader, tokens, depth)),
            }
        }
        let kind = match name {
            "concat" => Kind::Template(positional),
            _ if positional.is_empty() => Kind::Unknown,
            _ => {
                let text = Box::new(positional.remove(0));
                Kind::Format { text, positional, named, captures: true }
            }
        };
        Expression { host, kind }
    }

    /// Reads an argument of a macro, of which only tokens are known: a literal, a name, `&` and a name, or a macro.
    fn argument(&self, reader: &mut Reader<'_>, tokens: &[Node<'_>], depth: usize) -> Expression {
        let start = tokens.first().map(|token| reader.span(*token).start);
        let end = tokens.last().map(|token| reader.span(*token).end);
        let host = Span::new(start.unwrap_or_default(), end.unwrap_or_default());
        let mut rest = tokens;
        while let ["&", ..] = rest.first().map(|token| reader.text(*token)).as_slice() {
            rest = &rest[1..];
        }
        let is_path = |(index, token): (usize, &Node<'_>)| match index % 2 {
            0 => {
                matches!(token.kind(), "identifier" | "self" | "crate" | "super" | "primitive_type")
            }
            _ => reader.text(*token) == "::",
        };
        if rest.len() > 1 && rest.len() % 2 == 1 && rest.iter().enumerate().all(is_path) {
            let segments: Vec<&str> =
                rest.iter().step_by(2).map(|token| reader.text(*token)).collect();
            return Expression { host, kind: path(&segments, host) };
        }
        let read = |reader: &mut Reader<'_>, node| self.expression(reader, node, depth + 1);
        match rest {
            [name, mark, tokens] if reader.text(*mark) == "!" => {
                let path = included_path(reader, reader.text(*name), *tokens);
                Expression { host, kind: path.unwrap_or(Kind::Unknown) }
            }
            [only] => Expression { host, ..read(reader, *only) },
            [left, operator, right] => match Operator::from_text(reader.text(*operator)) {
                Some(operator) => {
                    let left = Box::new(read(reader, *left));
                    let kind = Kind::Operation(operator, left, Box::new(read(reader, *right)));
                    Expression { host, kind }
                }
                None => Expression::unknown(host),
            },
            _ => Expression::unknown(host),
        }
    }

    fn call(&self, reader: &mut Reader<'_>, node: Node<'_>, depth: usize) -> Expression {
        let host = reader.span(node);
        let unknown = Expression::unknown(host);
        let (Some(function), Some(arguments)) =
            (node.child_by_field_name("function"), node.child_by_field_name("arguments"))
        else {
            return unknown;
        };
        let called = reader.text(function);
        let arguments = named_children(arguments);
        let read = |reader: &mut Reader<'_>, node| {
            let read = self.expression(reader, node, depth + 1);
            Box::new(read)
        };
        if let (true, [argument]) = (SAME_ARGUMENT.contains(&called), &arguments[..]) {
            return *read(reader, *argument);
        }
        let Some((of, name)) = method(reader, node) else { return unknown };
        let kind = match (name, &arguments[..]) {
            (_, []) if SAME_VALUE.contains(&name) => {
                reader.uses(node);
                return *read(reader, of);
            }
            ("to_string", []) => {
                reader.uses(node);
                Kind::Template(vec![*read(reader, of)])
            }
            ("replace" | "replacen", [pattern, with, rest @ ..]) => {
                reader.uses(node);
                let text = read(reader, of);
                let pattern = read(reader, *pattern);
                let all = rest.is_empty();
                Kind::Replace { text, pattern, with: read(reader, *with), all }
            }
            ("join", [separator]) => {
                reader.uses(node);
                let list = read(reader, of);
                Kind::Join(list, read(reader, *separator))
            }
            ("concat", []) => {
                reader.uses(node);
                match read(reader, of).kind {
                    Kind::List(parts) => Kind::Template(parts),
                    _ => Kind::Unknown,
                }
            }
            _ => return unknown,
        };
        Expression { host, kind }
    }
}

/// Reads the text of a file that `include_str!` names.
fn included(reader: &Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let name = reader.text(node.child_by_field_name("macro")?);
    let mut cursor = node.walk();
    let tokens = node.children(&mut cursor).find(|child| child.kind() == "token_tree")?;
    included_path(reader, name, tokens)
}

fn included_path(reader: &Reader<'_>, name: &str, tokens: Node<'_>) -> Option<Kind> {
    if name.rsplit("::").next() != Some("include_str") {
        return None;
    }
    let [path] = named_children(tokens)[..] else { return None };
    let Kind::Text(path) = literal(reader, path) else { return None };
    let from = format!("{}{}", Import::FILE, path.text());
    Some(Kind::Imported(Import { from, name: None }))
}

/// Returns the paths that a `use` names, each with its name in the file. The name of all that a module contains is `*`.
fn used_paths<'a>(reader: &Reader<'a>, node: Node<'_>) -> Vec<(Vec<&'a str>, &'a str)> {
    let mut paths = Vec::new();
    let argument = node.child_by_field_name("argument");
    let mut open: Vec<(Node<'_>, Vec<&'a str>)> =
        argument.into_iter().map(|argument| (argument, Vec::new())).collect();
    let segments = |of: Node<'_>| reader.text(of).split("::").map(str::trim);
    while let Some((node, outer)) = open.pop() {
        let extended = |of: Option<Node<'_>>| {
            let own = of.into_iter().flat_map(segments);
            outer.iter().copied().chain(own).collect::<Vec<_>>()
        };
        match node.kind() {
            "use_list" => {
                open.extend(named_children(node).into_iter().map(|part| (part, outer.clone())));
            }
            "scoped_use_list" => {
                let path = extended(node.child_by_field_name("path"));
                open.extend(node.child_by_field_name("list").map(|list| (list, path)));
            }
            "use_as_clause" => {
                let path = extended(node.child_by_field_name("path"));
                let alias = node.child_by_field_name("alias").map(|alias| reader.text(alias));
                paths.extend(alias.map(|alias| (path, alias)));
            }
            "use_wildcard" => {
                let mut path = extended(named_children(node).into_iter().next());
                path.push("*");
                paths.push((path, "*"));
            }
            _ => {
                let path = extended(Some(node));
                paths.extend(path.last().copied().map(|own| (path.clone(), own)));
            }
        }
    }
    paths
}

/// Reads a path. Only names of the same module are known; others are members of it, which the user can give a value to.
fn path(segments: &[&str], host: Span) -> Kind {
    let Some((last, outer)) = segments.split_last() else { return Kind::Unknown };
    let name = Kind::Name((*last).to_owned());
    match outer {
        [] | ["self" | "Self" | "crate"] => name,
        outer => {
            let of = Expression { host, kind: Kind::Name(outer.join("::")) };
            Kind::Member(Box::new(of), (*last).to_owned())
        }
    }
}

/// Reads a string literal.
fn literal(reader: &Reader<'_>, node: Node<'_>) -> Kind {
    let text = reader.text(node);
    let Some(open) = text.find('"') else { return Kind::Unknown };
    let prefix = &text[..open];
    // Byte strings and C strings are not shaders.
    if !prefix.chars().all(|c| c == 'r' || c == '#') {
        return Kind::Unknown;
    }
    let hashes = prefix.matches('#').count();
    let close = text.len().saturating_sub(1 + hashes);
    let Some(inside) = text.get(open + 1..close) else { return Kind::Unknown };
    let escapes = if prefix.is_empty() { Escapes::Rust } else { Escapes::Raw };
    let at = reader.offset + (node.start_byte() + open + 1) as u32;
    Kind::Text(decode(inside, at, escapes))
}

fn operator<'a>(reader: &Reader<'a>, node: Node<'_>) -> Option<&'a str> {
    node.child_by_field_name("operator").map(|operator| reader.text(operator))
}

/// Returns the object and the name of a method call.
fn method<'a, 't>(reader: &Reader<'a>, node: Node<'t>) -> Option<(Node<'t>, &'a str)> {
    let function = node.child_by_field_name("function")?;
    if function.kind() != "field_expression" {
        return None;
    }
    let of = function.child_by_field_name("value")?;
    Some((of, reader.text(function.child_by_field_name("field")?)))
}

/// Returns the names in a pattern or in parameters.
fn names_in<'a>(reader: &Reader<'a>, node: Node<'_>) -> impl Iterator<Item = String> + use<'a> {
    let mut names = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" => names.push(reader.text(node).to_owned()),
            "parameter" => open.extend(node.child_by_field_name("pattern")),
            _ => open.extend(named_children(node)),
        }
    }
    names.into_iter()
}
