//! The syntax of host files: which strings they contain, how these are put together, and which names are declared.
//!
//! tree-sitter parses the files. Its parsers keep their state on the heap, so that no nesting overflows a stack, and they read
//! files with errors or with newer syntax as far as possible.

mod javascript;
mod python;
mod rust;

use crate::expression::{Declaration, Expression};
use hirace_program::source_map::Span;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree};

/// What every compute shader contains.
pub const MARK: &str = "@compute";

/// A language of host files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLanguage {
    /// TypeScript without JSX.
    TypeScript,
    /// JavaScript and TypeScript with JSX.
    JavaScript,
    /// Python.
    Python,
    /// Rust.
    Rust,
}

/// An expression that may be the text of a shader.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The expression.
    pub expression: Expression,
    /// The name of the variable, property or function that the text is for.
    pub name: Option<Arc<str>>,
}

/// What a host file contains.
#[derive(Debug, Default)]
pub struct Scan {
    /// The declarations of names.
    pub declarations: Vec<Declaration>,
    /// The expressions that may be texts of shaders.
    pub candidates: Vec<Candidate>,
    /// The functions, as far as they do not see the names of the class around them.
    pub functions: Vec<Span>,
    /// Names that are assigned after their declaration, and those of objects that are changed.
    assigned: HashSet<String>,
    /// Whether the parser gave up, so that the text was not read.
    pub is_abandoned: bool,
}

/// Where a node is.
struct Place<'s, 't> {
    /// The innermost scope.
    scope: Span,
    /// The nodes that contain the node, the outermost first.
    ancestors: &'s [Node<'t>],
}

impl<'t> Place<'_, 't> {
    /// Returns the node that contains the node, `levels` levels up.
    fn outer(&self, levels: usize) -> Option<Node<'t>> {
        self.ancestors.get(self.ancestors.len().checked_sub(levels)?).copied()
    }
}

/// The methods that change the object or list that they are called on.
const CHANGES: [&str; 17] = [
    "push",
    "unshift",
    "pop",
    "shift",
    "splice",
    "sort",
    "reverse",
    "fill",
    "set",
    "append",
    "extend",
    "insert",
    "remove",
    "update",
    "clear",
    "setdefault",
    "delete",
];

impl Scan {
    /// Records that the value of an expression is changed: that of a name, of a member, or of names in a pattern.
    fn assign(&mut self, reader: &Reader<'_>, target: Node<'_>) {
        let mut open = vec![target];
        while let Some(node) = open.pop() {
            match node.kind() {
                "identifier" | "shorthand_property_identifier_pattern" => {
                    self.assigned.insert(reader.text(node).to_owned());
                }
                "member_expression" | "subscript_expression" | "attribute" | "subscript" => {
                    self.assigned.insert(reader.text(node).to_owned());
                    let mut of = node;
                    while let Some(inner) =
                        of.child_by_field_name("object").or(of.child_by_field_name("value"))
                    {
                        self.assigned.insert(reader.text(inner).to_owned());
                        of = inner;
                    }
                }
                _ => open.extend(named_children(node)),
            }
        }
    }

    /// Records the members that a pattern changes. The names in it are declared.
    fn assign_members(&mut self, reader: &Reader<'_>, pattern: Node<'_>) {
        let mut open = vec![pattern];
        while let Some(node) = open.pop() {
            match node.kind() {
                "attribute" | "subscript" => self.assign(reader, node),
                _ => open.extend(named_children(node)),
            }
        }
    }

    /// Records the change of the object of a method call.
    fn assign_by_call(
        &mut self,
        reader: &Reader<'_>,
        call: Node<'_>,
        of: Option<(Node<'_>, &str)>,
    ) {
        match of {
            Some((object, "assign")) if reader.text(object) == "Object" => {
                let arguments = call.child_by_field_name("arguments");
                let target = arguments.and_then(|arguments| arguments.named_child(0));
                target.into_iter().for_each(|target| self.assign(reader, target));
            }
            Some((object, name)) if CHANGES.contains(&name) => {
                if matches!(object.kind(), "identifier" | "member_expression" | "attribute") {
                    self.assign(reader, object);
                }
            }
            _ => {}
        }
    }
}

/// The rules of a language.
trait Grammar {
    /// Returns whether a node is an expression that makes a text: a string literal, or an operation on some.
    fn is_text(&self, reader: &Reader<'_>, node: Node<'_>) -> bool;

    /// Reads an expression.
    fn expression(&self, reader: &mut Reader<'_>, node: Node<'_>, depth: usize) -> Expression;

    /// Records the names that a node declares.
    fn declare(
        &self,
        reader: &mut Reader<'_>,
        node: Node<'_>,
        place: &Place<'_, '_>,
        scan: &mut Scan,
    );

    /// Returns whether a node is the scope of the names that are declared in it.
    fn is_scope(&self, node: Node<'_>) -> bool;

    /// Returns the node with the name that shaders in a node have.
    fn name<'t>(&self, node: Node<'t>) -> Option<Node<'t>>;

    /// Returns whether a node contains no shaders.
    fn is_skipped(&self, node: Node<'_>) -> bool;
}

/// The state while the nodes of a tree are read.
struct Reader<'a> {
    text: &'a str,
    /// The offset of the text in the host file.
    offset: u32,
    /// The nodes that are part of an expression that was read as a candidate.
    used: HashSet<usize>,
    /// Whether the value of a declaration is being read. Strings in it are candidates of their own, unless another expression
    /// uses them.
    is_value: bool,
}

impl<'a> Reader<'a> {
    /// Returns the span of a node in the host file.
    fn span(&self, node: Node<'_>) -> Span {
        let of = |at: usize| self.offset + at as u32;
        Span::new(of(node.start_byte()), of(node.end_byte()))
    }

    /// Returns the text of a node.
    fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Records that a node is part of an expression.
    fn uses(&mut self, node: Node<'_>) {
        if !self.is_value {
            self.used.insert(node.id());
        }
    }

    /// Reads the value of a declaration.
    fn value(&mut self, grammar: &dyn Grammar, node: Node<'_>) -> Expression {
        self.is_value = true;
        let value = grammar.expression(self, node, 0);
        self.is_value = false;
        value
    }
}

/// Property names that say nothing about a shader.
const GENERIC_NAMES: [&str; 6] = ["code", "source", "text", "wgsl", "shader", "src"];

/// The maximum number of steps of the parser for each byte of a text, and for a whole text. Texts without errors take about one step for
/// each byte. Recovery from thousands of errors takes minutes, because its time grows with the square of their number.
const MAX_STEPS_PER_BYTE: usize = 5;
const MAX_STEPS: usize = 4_000_000;

/// The number of steps that any text may take.
const MIN_STEPS: usize = 20_000;

/// The number of steps after which the parser asks whether to continue.
const STEPS_PER_CALLBACK: usize = 100;

/// Parses a text. Returns `None` if that takes too many steps.
fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    let steps = (MIN_STEPS + text.len() * MAX_STEPS_PER_BYTE).min(MAX_STEPS);
    let mut callbacks = steps / STEPS_PER_CALLBACK;
    let mut progress = |_: &ParseState| {
        callbacks = callbacks.saturating_sub(1);
        match callbacks {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// Returns what a text in `language` contains. `offset` is the offset of the text in the host file.
pub fn scan(text: &str, offset: u32, language: HostLanguage) -> Scan {
    let (parser, grammar): (Language, &dyn Grammar) = match language {
        HostLanguage::TypeScript => {
            (tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), &javascript::JavaScript)
        }
        HostLanguage::JavaScript => {
            (tree_sitter_typescript::LANGUAGE_TSX.into(), &javascript::JavaScript)
        }
        HostLanguage::Python => (tree_sitter_python::LANGUAGE.into(), &python::Python),
        HostLanguage::Rust => (tree_sitter_rust::LANGUAGE.into(), &rust::Rust),
    };
    let mut reading = Parser::new();
    let mut scan = Scan::default();
    if reading.set_language(&parser).is_err() {
        return scan;
    }
    let Some(tree) = parse(&mut reading, text) else {
        scan.is_abandoned = true;
        return scan;
    };
    let mut reader = Reader { text, offset, used: HashSet::new(), is_value: false };
    let whole = Span::new(offset, offset + text.len() as u32 + 1);
    let mut open: Vec<(Node<'_>, usize, Span, Option<Arc<str>>)> =
        vec![(tree.root_node(), 0, whole, None)];
    // tree-sitter finds the parent of a node from the root, which takes too long in deep trees.
    let mut ancestors: Vec<Node<'_>> = Vec::new();
    while let Some((node, depth, scope, name)) = open.pop() {
        ancestors.truncate(depth);
        grammar.declare(&mut reader, node, &Place { scope, ancestors: &ancestors }, &mut scan);
        if grammar.is_skipped(node) {
            continue;
        }
        ancestors.push(node);
        let own = grammar.name(node).map(|name| reader.text(name).trim_matches(['"', '\'']));
        let own = own.filter(|name| is_identifier(name) && !GENERIC_NAMES.contains(name));
        let name = own.map(Arc::from).or(name);
        if grammar.is_text(&reader, node) && !reader.used.contains(&node.id()) {
            let expression = grammar.expression(&mut reader, node, 0);
            scan.candidates.push(Candidate { expression, name: name.clone() });
        }
        let scope = if grammar.is_scope(node) { reader.span(node) } else { scope };
        let mut cursor = node.walk();
        let from = open.len();
        let children = node.children(&mut cursor);
        open.extend(children.map(|child| (child, depth + 1, scope, name.clone())));
        open[from..].reverse();
    }
    let Scan { declarations, assigned, .. } = &mut scan;
    for declaration in declarations.iter_mut().filter(|of| assigned.contains(&of.name)) {
        declaration.value = None;
    }
    scan
}

fn is_identifier(text: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    text.starts_with(starts) && text.chars().all(|c| starts(c) || c.is_numeric())
}

/// Returns the children of a node that are not punctuation or comments.
fn named_children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// Returns the operands of a left-associative chain of one operator, from left to right, and records the nodes of the chain.
fn chain<'t>(
    reader: &mut Reader<'_>,
    node: Node<'t>,
    is_link: impl Fn(&Reader<'_>, Node<'t>) -> bool,
) -> Vec<Node<'t>> {
    let mut operands = Vec::new();
    let mut rest = node;
    while is_link(reader, rest) {
        reader.uses(rest);
        let (Some(left), Some(right)) =
            (rest.child_by_field_name("left"), rest.child_by_field_name("right"))
        else {
            break;
        };
        operands.push(right);
        rest = left;
    }
    operands.push(rest);
    operands.reverse();
    operands
}

/// Returns the value of a number literal of any of the languages, and whether it is a float.
fn number(text: &str) -> Option<(f64, bool)> {
    let text = text.replace('_', "").to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let suffix = digits.find(['u', 'i', 'n']).unwrap_or(digits.len());
            return Some((i64::from_str_radix(&digits[..suffix], radix).ok()? as f64, false));
        }
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && !".e+-".contains(c));
    let (digits, suffix) = text.split_at(end.unwrap_or(text.len()));
    let is_float = digits.contains(['.', 'e']) || suffix.starts_with('f');
    Some((digits.parse().ok()?, is_float))
}
