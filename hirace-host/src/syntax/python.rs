//! Strings and names of Python.

use super::{Grammar, Place, Reader, Scan, chain, named_children, number};
use crate::escapes::{Escapes, decode};
use crate::expression::{
    Declaration, Expression, ExpressionKind as Kind, Import, MAX_DEPTH, Operator,
};
use hirace_program::source_map::Span;
use tree_sitter::Node;

/// The rules of Python.
pub struct Python;

/// The methods that return a text like that which they are called on.
const SAME_TEXT: [&str; 4] = ["strip", "lstrip", "rstrip", "expandtabs"];

/// Functions whose result is their argument, or the same text.
const SAME_ARGUMENT: [&str; 3] = ["dedent", "textwrap.dedent", "inspect.cleandoc"];

impl Grammar for Python {
    fn is_text(&self, reader: &Reader<'_>, node: Node<'_>) -> bool {
        match node.kind() {
            "string" | "concatenated_string" => true,
            "binary_operator" => operator(reader, node) == Some("+") || is_percent(reader, node),
            "call" => method(reader, node)
                .is_some_and(|(_, name)| matches!(name, "replace" | "format" | "join")),
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
            "string" => return self.string(reader, node, depth),
            "concatenated_string" => {
                reader.uses(node);
                let parts = named_children(node).into_iter();
                Kind::Template(parts.map(|part| read(reader, part)).collect())
            }
            "integer" | "float" => match number(reader.text(node)) {
                Some((value, _)) => Kind::Number { value, is_float: node.kind() == "float" },
                None => Kind::Unknown,
            },
            "true" | "false" => Kind::Boolean(node.kind() == "true"),
            "identifier" => Kind::Name(reader.text(node).to_owned()),
            "parenthesized_expression" => {
                reader.uses(node);
                return match named_children(node).first() {
                    Some(inner) => read(reader, *inner),
                    None => Expression::unknown(host),
                };
            }
            "attribute" => match (field("object"), field("attribute")) {
                (Some(of), Some(name)) => {
                    let name = reader.text(name).to_owned();
                    Kind::Member(Box::new(read(reader, of)), name)
                }
                _ => Kind::Unknown,
            },
            "subscript" => match (field("value"), field("subscript")) {
                (Some(of), Some(key)) => {
                    let of = Box::new(read(reader, of));
                    let key = read(reader, key);
                    match &key.kind {
                        Kind::Template(parts) => match &parts[..] {
                            [Expression { kind: Kind::Text(text), .. }] => {
                                Kind::Member(of, text.text().to_owned())
                            }
                            _ => Kind::Unknown,
                        },
                        _ => Kind::Element(of, Box::new(key)),
                    }
                }
                _ => Kind::Unknown,
            },
            "dictionary" => {
                let mut members: Vec<(String, Expression)> = Vec::new();
                for pair in named_children(node) {
                    let key = pair.child_by_field_name("key");
                    let value = pair.child_by_field_name("value");
                    match (key.and_then(|key| plain_string(reader, key)), value) {
                        (Some(key), Some(value)) => members.push((key, read(reader, value))),
                        // This may replace every member before it.
                        _ => members.iter_mut().for_each(|(_, of)| of.kind = Kind::Unknown),
                    }
                }
                Kind::Object(members)
            }
            "list" | "tuple" => {
                let elements = named_children(node).into_iter();
                if elements.clone().any(|element| element.kind() == "list_splat") {
                    return Expression::unknown(host);
                }
                Kind::List(elements.map(|element| read(reader, element)).collect())
            }
            "unary_operator" => match field("argument").map(|of| read(reader, of).kind) {
                Some(Kind::Number { value, is_float }) if reader.text(node).starts_with('-') => {
                    Kind::Number { value: -value, is_float }
                }
                _ => Kind::Unknown,
            },
            "not_operator" => match field("argument") {
                Some(of) => Kind::Not(Box::new(read(reader, of))),
                None => Kind::Unknown,
            },
            "conditional_expression" => match named_children(node)[..] {
                [yes, condition, no] => {
                    let parts = [read(reader, condition), read(reader, yes), read(reader, no)];
                    Kind::Conditional(Box::new(parts))
                }
                _ => Kind::Unknown,
            },
            "binary_operator" if operator(reader, node) == Some("+") => {
                let is_sum = |reader: &Reader<'_>, node: Node<'_>| {
                    node.kind() == "binary_operator" && operator(reader, node) == Some("+")
                };
                let operands = chain(reader, node, is_sum);
                Kind::Sum(operands.into_iter().map(|operand| read(reader, operand)).collect())
            }
            "binary_operator" if is_percent(reader, node) => {
                reader.uses(node);
                let text = field("left").map(|left| read(reader, left));
                let values = field("right").map(|right| Expression::unknown(reader.span(right)));
                Kind::Template(text.into_iter().chain(values).collect())
            }
            "comparison_operator" => match (operators(reader, node), &named_children(node)[..]) {
                (Some(operator), [left, right]) => {
                    let left = Box::new(read(reader, *left));
                    Kind::Operation(operator, left, Box::new(read(reader, *right)))
                }
                _ => Kind::Unknown,
            },
            "binary_operator" | "boolean_operator" => {
                let operator = operator(reader, node).and_then(Operator::from_text);
                match (operator, field("left"), field("right")) {
                    (Some(operator), Some(left), Some(right)) => {
                        let left = Box::new(read(reader, left));
                        Kind::Operation(operator, left, Box::new(read(reader, right)))
                    }
                    _ => Kind::Unknown,
                }
            }
            "call" => return self.call(reader, node, depth),
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
        let class =
            place.outer(1).filter(|body| body.kind() == "block").and_then(|_| place.outer(2));
        let class = match node.kind() {
            "assignment" => place.outer(3),
            _ => class,
        };
        let class = class.filter(|class| class.kind() == "class_definition");
        let scope = place.scope;
        let is_class_member = class.is_some();
        let mut declare_in = |name: String, scope, is_class_member, value| {
            scan.declarations.push(Declaration { name, scope, at: 0, is_class_member, value });
        };
        let mut declare =
            |name: String, scope, value| declare_in(name, scope, is_class_member, value);
        let names = |reader: &Reader<'_>, of: Option<Node<'_>>| {
            of.into_iter().flat_map(|of| names_in(reader, of)).collect::<Vec<_>>()
        };
        match node.kind() {
            "assignment" => {
                let Some(left) = node.child_by_field_name("left") else { return };
                let value = node.child_by_field_name("right");
                match left.kind() {
                    "identifier" => {}
                    "attribute" if is_self(reader, left) => {
                        // Methods of the same class see the value.
                        let class =
                            place.ancestors.iter().rfind(|of| of.kind() == "class_definition");
                        let scope = class.map_or(scope, |class| reader.span(*class));
                        let value = value.map(|value| reader.value(self, value));
                        return declare(reader.text(left).to_owned(), scope, value);
                    }
                    "attribute" | "subscript" => return scan.assign(reader, left),
                    _ => {
                        names(reader, Some(left))
                            .into_iter()
                            .for_each(|name| declare(name, scope, None));
                        return scan.assign_members(reader, left);
                    }
                }
                let value = value.map(|value| reader.value(self, value));
                let name = reader.text(left).to_owned();
                declare(name.clone(), scope, value.clone());
                if let Some(class) = class {
                    let class_span = reader.span(class);
                    declare_in(format!("self.{name}"), class_span, false, value.clone());
                    declare_in(format!("cls.{name}"), class_span, false, value.clone());
                    if let Some(class_name) = class.child_by_field_name("name") {
                        let name = format!("{}.{name}", reader.text(class_name));
                        declare_in(name, Span::new(0, u32::MAX), false, value);
                    }
                }
            }
            "augmented_assignment" => {
                if let Some(left) = node.child_by_field_name("left") {
                    scan.assign(reader, left);
                }
            }
            "global_statement" | "nonlocal_statement" | "delete_statement" => {
                scan.assign(reader, node);
            }
            "call" => scan.assign_by_call(reader, node, method(reader, node)),
            "for_statement" | "for_in_clause" => {
                let left = node.child_by_field_name("left");
                names(reader, left).into_iter().for_each(|name| declare(name, scope, None));
            }
            "function_definition" | "class_definition" | "named_expression" => {
                let name = node.child_by_field_name("name");
                names(reader, name).into_iter().for_each(|name| declare(name, scope, None));
                if node.kind() == "function_definition" {
                    scan.functions.push(reader.span(node));
                }
            }
            "as_pattern_target" => {
                names(reader, Some(node)).into_iter().for_each(|name| declare(name, scope, None));
            }
            "import_statement" | "import_from_statement" => {
                let host = reader.span(node);
                let module = node.child_by_field_name("module_name");
                let module = module.map(|module| reader.text(module));
                let mut cursor = node.walk();
                for part in node.children_by_field_name("name", &mut cursor) {
                    let name = reader.text(part.child_by_field_name("name").unwrap_or(part));
                    let own = part.child_by_field_name("alias").map(|alias| reader.text(alias));
                    let import = match module {
                        Some(from) => Import { from: from.to_owned(), name: Some(name.to_owned()) },
                        None => Import { from: name.to_owned(), name: None },
                    };
                    let value = Expression { host, kind: Kind::Imported(import) };
                    declare(own.unwrap_or(name).to_owned(), scope, Some(value));
                }
                let is_all = named_children(node).iter().any(|of| of.kind() == "wildcard_import");
                scan.all_from.extend(module.filter(|_| is_all).map(str::to_owned));
            }
            "lambda" => scan.functions.push(reader.span(node)),
            "parameters" | "lambda_parameters" => {
                let function = place.outer(1).map_or(scope, |function| reader.span(function));
                names(reader, Some(node))
                    .into_iter()
                    .for_each(|name| declare(name, function, None));
            }
            _ => {}
        }
    }

    fn is_scope(&self, node: Node<'_>) -> bool {
        matches!(node.kind(), "function_definition" | "class_definition" | "lambda")
    }

    fn name<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let field = match node.kind() {
            "function_definition" | "class_definition" | "keyword_argument" => "name",
            "assignment" => "left",
            "pair" => "key",
            _ => return None,
        };
        node.child_by_field_name(field)
    }

    fn is_skipped(&self, node: Node<'_>) -> bool {
        match node.kind() {
            "comment" | "import_statement" | "import_from_statement" => true,
            // A string that is a statement is documentation.
            "expression_statement" => {
                matches!(&named_children(node)[..], [only] if only.kind() == "string")
            }
            _ => false,
        }
    }
}

impl Python {
    /// Reads a string literal, which may have values in it.
    fn string(&self, reader: &mut Reader<'_>, node: Node<'_>, depth: usize) -> Expression {
        reader.uses(node);
        let host = reader.span(node);
        let text = reader.text(node);
        let prefix = text.find(['"', '\'']).unwrap_or(0);
        let quotes = &text[prefix..];
        let quote = if quotes.starts_with("\"\"\"") || quotes.starts_with("'''") { 3 } else { 1 };
        let has = |letter: char| text[..prefix].to_ascii_lowercase().contains(letter);
        if has('b') || text.len() < prefix + 2 * quote {
            return Expression::unknown(host);
        }
        let escapes = if has('r') { Escapes::Raw } else { Escapes::Python };
        let is_format = has('f');
        let mut from = node.start_byte() + prefix + quote;
        let mut parts = Vec::new();
        let push = |reader: &Reader<'_>, from: usize, to: usize, parts: &mut Vec<Expression>| {
            let text = reader.text.get(from..to).unwrap_or_default();
            let pieces = literal_parts(text, is_format);
            for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
                let at = reader.offset + (from + piece.start) as u32;
                let host = Span::new(at, at + piece.len() as u32);
                let text = decode(&text[piece], at, escapes);
                parts.push(Expression { host, kind: Kind::Text(text) });
            }
        };
        for child in named_children(node) {
            if child.kind() != "interpolation" {
                continue;
            }
            push(reader, from, child.start_byte(), &mut parts);
            from = child.end_byte();
            let mut value = match child.child_by_field_name("expression") {
                // The text of a value in another form is not computed.
                Some(_) if child.child_count() > 3 => Expression::unknown(reader.span(child)),
                Some(inner) => self.expression(reader, inner, depth + 1),
                None => Expression::unknown(reader.span(child)),
            };
            // A name's value is shown where the placeholder is.
            if value.path().is_some() || matches!(value.kind, Kind::Unknown) {
                value.host = reader.span(child);
            }
            parts.push(value);
        }
        push(reader, from, node.end_byte() - quote, &mut parts);
        Expression { host, kind: Kind::Template(parts) }
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
        if let ("str", [argument]) = (called, &arguments[..]) {
            return Expression { host, kind: Kind::Template(vec![*read(reader, *argument)]) };
        }
        let Some((of, name)) = method(reader, node) else { return unknown };
        let kind = match (name, &arguments[..]) {
            (_, []) if SAME_TEXT.contains(&name) => {
                reader.uses(node);
                return *read(reader, of);
            }
            ("replace", [pattern, with]) => {
                reader.uses(node);
                let text = read(reader, of);
                let pattern = read(reader, *pattern);
                Kind::Replace { text, pattern, with: read(reader, *with), all: true }
            }
            ("join", [list]) => {
                reader.uses(node);
                let separator = read(reader, of);
                Kind::Join(read(reader, *list), separator)
            }
            ("format", _) => {
                reader.uses(node);
                let text = read(reader, of);
                let (mut positional, mut named) = (Vec::new(), Vec::new());
                for argument in arguments {
                    match argument.kind() {
                        "keyword_argument" => {
                            let name = argument.child_by_field_name("name");
                            let value = argument.child_by_field_name("value");
                            if let (Some(name), Some(value)) = (name, value) {
                                named.push((reader.text(name).to_owned(), *read(reader, value)));
                            }
                        }
                        _ => positional.push(*read(reader, argument)),
                    }
                }
                Kind::Format { text, positional, named, captures: false }
            }
            _ => return unknown,
        };
        Expression { host, kind }
    }
}

/// Returns the ranges of a part of a string that appear in its value: in a format string, only one brace of each `{{` and `}}`.
fn literal_parts(text: &str, is_format: bool) -> Vec<std::ops::Range<usize>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(offset) = text[at..].find(['{', '}']).filter(|_| is_format) {
        at += offset;
        let is_double = text[at..].starts_with("{{") || text[at..].starts_with("}}");
        pieces.push(from..at + 1);
        at += if is_double { 2 } else { 1 };
        from = at;
    }
    pieces.push(from..text.len());
    pieces
}

fn operator<'a>(reader: &Reader<'a>, node: Node<'_>) -> Option<&'a str> {
    node.child_by_field_name("operator").map(|operator| reader.text(operator))
}

/// Returns the object and the name of a method call.
fn method<'a, 't>(reader: &Reader<'a>, node: Node<'t>) -> Option<(Node<'t>, &'a str)> {
    let function = node.child_by_field_name("function")?;
    if function.kind() != "attribute" {
        return None;
    }
    let of = function.child_by_field_name("object")?;
    Some((of, reader.text(function.child_by_field_name("attribute")?)))
}

/// Returns whether an expression is a member of the object of a method.
fn is_self(reader: &Reader<'_>, attribute: Node<'_>) -> bool {
    let of = attribute.child_by_field_name("object").map(|of| reader.text(of));
    matches!(of, Some("self" | "cls"))
}

/// Returns whether an operation is that of `%` on a string.
fn is_percent(reader: &Reader<'_>, node: Node<'_>) -> bool {
    let left = node.child_by_field_name("left").map(|left| left.kind());
    operator(reader, node) == Some("%") && matches!(left, Some("string" | "concatenated_string"))
}

/// Returns the text of a string without escapes and values.
fn plain_string(reader: &Reader<'_>, node: Node<'_>) -> Option<String> {
    let text = reader.text(node);
    let inside = ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote).and_then(|text| text.strip_suffix(*quote)))?;
    (node.kind() == "string" && !inside.contains(['"', '\'', '\\'])).then(|| inside.to_owned())
}

/// Returns the operator of a comparison of two values.
fn operators(reader: &Reader<'_>, node: Node<'_>) -> Option<Operator> {
    let mut cursor = node.walk();
    let mut all = node.children_by_field_name("operators", &mut cursor);
    let operator = all.next().filter(|_| all.next().is_none())?;
    Operator::from_text(reader.text(operator))
}

/// Returns the names in a pattern or in parameters.
fn names_in<'a>(reader: &Reader<'a>, node: Node<'_>) -> impl Iterator<Item = String> + use<'a> {
    let mut names = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" => names.push(reader.text(node).to_owned()),
            "default_parameter" | "typed_default_parameter" => {
                open.extend(node.child_by_field_name("name"));
            }
            "typed_parameter" => open.extend(named_children(node).into_iter().take(1)),
            "call" | "attribute" | "subscript" | "type" => {}
            _ => open.extend(named_children(node)),
        }
    }
    names.into_iter()
}
