//! Strings and names of TypeScript and JavaScript.

use super::{Grammar, Place, Reader, Scan, chain, named_children, number};
use crate::escapes::{Escapes, decode};
use crate::expression::{
    Declaration, Expression, ExpressionKind as Kind, Import, MAX_DEPTH, Operator,
};
use hirace_program::source_map::Span;
use tree_sitter::Node;

/// The rules of TypeScript and JavaScript.
pub struct JavaScript;

/// The methods that return a text like that which they are called on.
const SAME_TEXT: [&str; 5] = ["trim", "trimStart", "trimEnd", "normalize", "valueOf"];

/// Functions whose result is their argument, or the same text.
const SAME_ARGUMENT: [&str; 2] = ["Object.freeze", "dedent"];

impl Grammar for JavaScript {
    fn is_text(&self, reader: &Reader<'_>, node: Node<'_>) -> bool {
        match node.kind() {
            "template_string" | "string" => true,
            "binary_expression" => operator(reader, node) == Some("+"),
            "call_expression" => method(reader, node).is_some_and(|(_, name)| {
                matches!(name, "replace" | "replaceAll" | "join" | "concat")
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
            "template_string" => return self.template(reader, node, Escapes::JavaScript, depth),
            "string" => {
                reader.uses(node);
                let inside = node.start_byte() + 1..node.end_byte().saturating_sub(1);
                let text = reader.text.get(inside.clone()).unwrap_or_default();
                let at = reader.offset + inside.start as u32;
                Kind::Text(decode(text, at, Escapes::JavaScript))
            }
            "number" => number(reader.text(node))
                .map_or(Kind::Unknown, |(value, _)| Kind::Number { value, is_float: false }),
            "true" | "false" => Kind::Boolean(node.kind() == "true"),
            "identifier" => Kind::Name(reader.text(node).to_owned()),
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression" => {
                reader.uses(node);
                return match named_children(node).first() {
                    Some(inner) => read(reader, *inner),
                    None => Expression::unknown(host),
                };
            }
            "member_expression" => match (field("object"), field("property")) {
                (Some(of), Some(name)) => {
                    let name = reader.text(name).to_owned();
                    Kind::Member(Box::new(read(reader, of)), name)
                }
                _ => Kind::Unknown,
            },
            "this" => Kind::Name("this".to_owned()),
            "subscript_expression" => match (field("object"), field("index")) {
                (Some(of), Some(index)) => {
                    Kind::Element(Box::new(read(reader, of)), Box::new(read(reader, index)))
                }
                _ => Kind::Unknown,
            },
            "object" => {
                let mut members = Vec::new();
                for child in named_children(node) {
                    self.member(reader, child, depth, &mut members);
                }
                Kind::Object(members)
            }
            "array" => {
                let elements = named_children(node).into_iter();
                if elements.clone().any(|element| element.kind() == "spread_element") {
                    return Expression::unknown(host);
                }
                Kind::List(elements.map(|element| read(reader, element)).collect())
            }
            "unary_expression" => match (field("operator"), field("argument")) {
                (Some(operator), Some(argument)) => {
                    let argument = read(reader, argument);
                    match (reader.text(operator), argument.kind) {
                        ("-", Kind::Number { value, is_float }) => {
                            Kind::Number { value: -value, is_float }
                        }
                        ("!", kind) => Kind::Not(Box::new(Expression { host, kind })),
                        _ => Kind::Unknown,
                    }
                }
                _ => Kind::Unknown,
            },
            "ternary_expression" => {
                let parts = [field("condition"), field("consequence"), field("alternative")];
                match parts {
                    [Some(condition), Some(yes), Some(no)] => {
                        let parts = [read(reader, condition), read(reader, yes), read(reader, no)];
                        Kind::Conditional(Box::new(parts))
                    }
                    _ => Kind::Unknown,
                }
            }
            "binary_expression" if operator(reader, node) == Some("+") => {
                let is_sum = |reader: &Reader<'_>, node: Node<'_>| {
                    node.kind() == "binary_expression" && operator(reader, node) == Some("+")
                };
                let operands = chain(reader, node, is_sum);
                Kind::Sum(operands.into_iter().map(|operand| read(reader, operand)).collect())
            }
            "binary_expression" => {
                let operator = operator(reader, node).and_then(Operator::from_text);
                match (operator, field("left"), field("right")) {
                    (Some(operator), Some(left), Some(right)) => {
                        let left = Box::new(read(reader, left));
                        Kind::Operation(operator, left, Box::new(read(reader, right)))
                    }
                    _ => Kind::Unknown,
                }
            }
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
        let mut declare = |name: String, scope, value| {
            let declaration = Declaration { name, scope, at: 0, is_class_member: false, value };
            scan.declarations.push(declaration);
        };
        match node.kind() {
            "variable_declarator" => {
                let Some(name) = node.child_by_field_name("name") else { return };
                if name.kind() != "identifier" {
                    names_in(reader, name).for_each(|name| declare(name, scope, None));
                    return;
                }
                let value = node.child_by_field_name("value");
                let value = value.map(|value| reader.value(self, value));
                declare(reader.text(name).to_owned(), scope, value);
            }
            "public_field_definition" | "field_definition" => {
                let name =
                    node.child_by_field_name("name").or(node.child_by_field_name("property"));
                let class = place.outer(2);
                let class_name = class.and_then(|class| class.child_by_field_name("name"));
                let (Some(name), Some(value), Some(class)) =
                    (name, node.child_by_field_name("value"), class)
                else {
                    return;
                };
                let value = reader.value(self, value);
                let name = reader.text(name);
                declare(format!("this.{name}"), reader.span(class), Some(value.clone()));
                if let Some(class_name) = class_name {
                    declare(format!("{}.{name}", reader.text(class_name)), scope, Some(value));
                }
            }
            "enum_assignment" => {
                let of = place.outer(2);
                let of = of.and_then(|of| of.child_by_field_name("name"));
                let parts = (node.child_by_field_name("name"), node.child_by_field_name("value"));
                if let (Some(of), (Some(name), Some(value))) = (of, parts) {
                    let value = reader.value(self, value);
                    let whole = Span::new(0, u32::MAX);
                    let name = format!("{}.{}", reader.text(of), reader.text(name));
                    declare(name, whole, Some(value));
                }
            }
            "import_statement" | "export_statement" => {
                self.declare_modules(reader, node, scope, scan);
            }
            "formal_parameters" => {
                let function = place.outer(1).map_or(scope, |function| reader.span(function));
                names_in(reader, node).for_each(|name| declare(name, function, None));
            }
            "arrow_function" | "catch_clause" => {
                let own = reader.span(node);
                let parameter = node.child_by_field_name("parameter");
                let names = parameter.into_iter().flat_map(|of| names_in(reader, of));
                names.for_each(|name| declare(name, own, None));
            }
            "function_declaration" | "class_declaration" => {
                if let Some(name) = node.child_by_field_name("name") {
                    declare(reader.text(name).to_owned(), scope, None);
                }
            }
            "assignment_expression" | "augmented_assignment_expression" => {
                if let Some(left) = node.child_by_field_name("left") {
                    scan.assign(reader, left);
                }
            }
            "update_expression" => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    scan.assign(reader, argument);
                }
            }
            "unary_expression" if operator(reader, node) == Some("delete") => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    scan.assign(reader, argument);
                }
            }
            "call_expression" => scan.assign_by_call(reader, node, method(reader, node)),
            "for_in_statement" => {
                let left = node.child_by_field_name("left");
                if node.child_by_field_name("kind").is_none() {
                    left.into_iter().for_each(|left| scan.assign(reader, left));
                    return;
                }
                let own = reader.span(node);
                let names = left.into_iter().flat_map(|of| names_in(reader, of));
                names.for_each(|name| declare(name, own, None));
            }
            _ => {}
        }
    }

    fn is_scope(&self, node: Node<'_>) -> bool {
        let kinds = ["statement_block", "for_statement", "class_body", "switch_body"];
        kinds.contains(&node.kind())
    }

    fn name<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let field = match node.kind() {
            "variable_declarator"
            | "function_declaration"
            | "method_definition"
            | "class_declaration"
            | "public_field_definition" => "name",
            "pair" => "key",
            _ => return None,
        };
        node.child_by_field_name(field)
    }

    fn is_skipped(&self, node: Node<'_>) -> bool {
        matches!(node.kind(), "comment" | "import_statement" | "type_annotation")
    }
}

impl JavaScript {
    /// Records the names that an import declares, and those that an export gives to values of this or of another file.
    fn declare_modules(
        &self,
        reader: &mut Reader<'_>,
        node: Node<'_>,
        scope: Span,
        scan: &mut Scan,
    ) {
        let host = reader.span(node);
        let from = node
            .child_by_field_name("source")
            .map(|source| reader.text(source).trim_matches(['"', '\'']).to_owned());
        let mut declare = |name: &str, value: Option<Expression>| {
            let name = name.to_owned();
            scan.declarations.push(Declaration {
                name,
                scope,
                at: 0,
                is_class_member: false,
                value,
            });
        };
        let imported = |name: Option<&str>| {
            let (from, name) = (from.clone()?, name.map(str::to_owned));
            Some(Expression { host, kind: Kind::Imported(Import { from, name }) })
        };
        if let Some(value) = node.child_by_field_name("value") {
            let value = reader.value(self, value);
            declare("default", Some(value));
        }
        let mut open = named_children(node);
        while let Some(part) = open.pop() {
            match part.kind() {
                "import_clause" | "named_imports" | "export_clause" => {
                    open.extend(named_children(part));
                }
                "identifier" if node.kind() == "import_statement" => {
                    declare(reader.text(part), imported(Some("default")));
                }
                "namespace_import" | "namespace_export" => {
                    let name = named_children(part).into_iter().next();
                    name.into_iter().for_each(|name| declare(reader.text(name), imported(None)));
                }
                "import_specifier" | "export_specifier" => {
                    let Some(name) = part.child_by_field_name("name") else { continue };
                    let alias = part.child_by_field_name("alias");
                    let own = reader.text(alias.unwrap_or(name));
                    match (&from, alias) {
                        (Some(_), _) => declare(own, imported(Some(reader.text(name)))),
                        (None, Some(_)) => {
                            let kind = Kind::Name(reader.text(name).to_owned());
                            declare(own, Some(Expression { host: reader.span(name), kind }));
                        }
                        (None, None) => {}
                    }
                }
                _ => {}
            }
        }
        let mut cursor = node.walk();
        let is_all = node.children(&mut cursor).any(|child| child.kind() == "*");
        scan.all_from.extend(from.filter(|_| is_all));
    }

    /// Reads a member of an object literal.
    fn member(
        &self,
        reader: &mut Reader<'_>,
        node: Node<'_>,
        depth: usize,
        members: &mut Vec<(String, Expression)>,
    ) {
        let host = reader.span(node);
        let key = node.child_by_field_name("key").or(node.child_by_field_name("name"));
        let name = match key {
            Some(key) if key.kind() == "computed_property_name" => None,
            Some(key) => Some(reader.text(key).trim_matches(['"', '\'']).to_owned()),
            None => None,
        };
        match (node.kind(), name) {
            ("shorthand_property_identifier", _) => {
                let name = reader.text(node).to_owned();
                members.push((name.clone(), Expression { host, kind: Kind::Name(name) }));
            }
            ("pair", Some(name)) => {
                let value = node.child_by_field_name("value");
                let value = value.map(|value| self.expression(reader, value, depth + 1));
                members.push((name, value.unwrap_or_else(|| Expression::unknown(host))));
            }
            (_, Some(name)) => members.push((name, Expression::unknown(host))),
            // This may replace every member before it.
            (_, None) => {
                for (_, member) in members {
                    member.kind = Kind::Unknown;
                }
            }
        }
    }

    /// Reads a template literal.
    fn template(
        &self,
        reader: &mut Reader<'_>,
        node: Node<'_>,
        escapes: Escapes,
        depth: usize,
    ) -> Expression {
        reader.uses(node);
        let end = node.end_byte().saturating_sub(1);
        let mut from = node.start_byte() + 1;
        let mut parts = Vec::new();
        let push_text = |reader: &Reader<'_>, from: usize, to: usize, parts: &mut Vec<_>| {
            let text = reader.text.get(from..to).unwrap_or_default();
            if !text.is_empty() {
                let at = reader.offset + from as u32;
                let host = Span::new(at, at + text.len() as u32);
                let text = decode(text, at, escapes);
                parts.push(Expression { host, kind: Kind::Text(text) });
            }
        };
        for child in named_children(node) {
            if child.kind() != "template_substitution" {
                continue;
            }
            push_text(reader, from, child.start_byte(), &mut parts);
            from = child.end_byte();
            let mut value = match named_children(child).first() {
                Some(inner) => self.expression(reader, *inner, depth + 1),
                None => Expression::unknown(reader.span(child)),
            };
            // A name's value is shown where the placeholder is.
            if value.path().is_some() || matches!(value.kind, Kind::Unknown) {
                value.host = reader.span(child);
            }
            parts.push(value);
        }
        push_text(reader, from, end, &mut parts);
        Expression { host: reader.span(node), kind: Kind::Template(parts) }
    }

    /// Reads a call: a tagged template, a method of a text, or a function of numbers.
    fn call(&self, reader: &mut Reader<'_>, node: Node<'_>, depth: usize) -> Expression {
        let host = reader.span(node);
        let unknown = Expression::unknown(host);
        let (Some(function), Some(arguments)) =
            (node.child_by_field_name("function"), node.child_by_field_name("arguments"))
        else {
            return unknown;
        };
        let called = reader.text(function);
        if arguments.kind() == "template_string" {
            reader.uses(node);
            let is_raw = called.ends_with(".raw");
            let escapes = if is_raw { Escapes::Raw } else { Escapes::JavaScript };
            return Expression { host, ..self.template(reader, arguments, escapes, depth) };
        }
        let arguments = named_children(arguments);
        if let (true, [argument]) = (SAME_ARGUMENT.contains(&called), &arguments[..]) {
            return self.expression(reader, *argument, depth + 1);
        }
        if let ("String", [argument]) = (called, &arguments[..]) {
            let shown = self.expression(reader, *argument, depth + 1);
            return Expression { host, kind: Kind::Template(vec![shown]) };
        }
        let Some((of, name)) = method(reader, node) else { return unknown };
        let read = |reader: &mut Reader<'_>, node| {
            let read = self.expression(reader, node, depth + 1);
            Box::new(read)
        };
        let kind = match (name, &arguments[..]) {
            (_, []) if SAME_TEXT.contains(&name) => {
                reader.uses(node);
                return *read(reader, of);
            }
            ("toString", []) => {
                reader.uses(node);
                Kind::Template(vec![*read(reader, of)])
            }
            ("replace" | "replaceAll", [pattern, with]) => {
                reader.uses(node);
                let text = read(reader, of);
                let (read_pattern, is_global) = match pattern.kind() {
                    "regex" => regular_expression(reader, *pattern),
                    _ => (*read(reader, *pattern), false),
                };
                let all = is_global || name == "replaceAll";
                let pattern = Box::new(read_pattern);
                Kind::Replace { text, pattern, with: read(reader, *with), all }
            }
            ("join", [separator]) if of.kind() == "array" => {
                reader.uses(node);
                let list = read(reader, of);
                Kind::Join(list, read(reader, *separator))
            }
            ("concat", _) => {
                reader.uses(node);
                let first = *read(reader, of);
                let others = arguments.iter().map(|argument| *read(reader, *argument));
                Kind::Template(std::iter::once(first).chain(others).collect())
            }
            _ => return unknown,
        };
        Expression { host, kind }
    }
}

/// Returns the text that a regular expression stands for, if it stands for one text, and whether it applies to all occurrences.
fn regular_expression(reader: &Reader<'_>, node: Node<'_>) -> (Expression, bool) {
    let host = reader.span(node);
    let unknown = (Expression::unknown(host), false);
    let Some((pattern, flags)) = reader.text(node).rsplit_once('/') else { return unknown };
    let pattern = pattern.strip_prefix('/').unwrap_or_default();
    let mut text = String::new();
    let mut characters = pattern.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some(c) if !c.is_alphanumeric() => text.push(c),
                _ => return unknown,
            },
            c if "^$.*+?()[]|".contains(c) => return unknown,
            c => text.push(c),
        }
    }
    let mut mapped = crate::mapped::MappedText::default();
    mapped.push_value(&text, host);
    (Expression { host, kind: Kind::Text(mapped) }, flags.contains('g'))
}

fn operator<'a>(reader: &Reader<'a>, node: Node<'_>) -> Option<&'a str> {
    node.child_by_field_name("operator").map(|operator| reader.text(operator))
}

/// Returns the object and the name of a method call.
fn method<'a, 't>(reader: &Reader<'a>, node: Node<'t>) -> Option<(Node<'t>, &'a str)> {
    let function = node.child_by_field_name("function")?;
    if function.kind() != "member_expression" {
        return None;
    }
    let of = function.child_by_field_name("object")?;
    Some((of, reader.text(function.child_by_field_name("property")?)))
}

/// Returns the names in a pattern or in parameters.
fn names_in<'a>(reader: &Reader<'a>, node: Node<'_>) -> impl Iterator<Item = String> + use<'a> {
    let mut names = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                names.push(reader.text(node).to_owned());
            }
            "type_annotation" | "object" | "call_expression" | "arrow_function" => {}
            "assignment_pattern" | "object_assignment_pattern" => {
                open.extend(node.child_by_field_name("left"));
            }
            "required_parameter" | "optional_parameter" => {
                open.extend(node.child_by_field_name("pattern"));
            }
            _ => open.extend(named_children(node)),
        }
    }
    names.into_iter()
}
