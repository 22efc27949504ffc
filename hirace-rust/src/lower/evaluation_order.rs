//! Evaluates values once, before later code: binds values to locals, and fixes the indices of places.

use super::super::builtins::Emit;
use super::super::tree::{ExprKind, Name, Statement};
use super::body::{Body, Node};
use super::infer::Ty;

impl Body<'_, '_> {
    /// Returns the same place with its indices evaluated, so that later assignments do not change it.
    pub fn fix_place(&mut self, node: Node, statements: &mut Vec<Statement<Ty>>) -> Node {
        let Node { kind, ty, diverges, place } = node;
        let mut base =
            |body: &mut Self, node: Box<Node>| Box::new(body.fix_place(*node, statements));
        let kind = match kind {
            ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Const(_) | ExprKind::Slice(..) => {
                kind
            }
            ExprKind::Member(of, index) => ExprKind::Member(base(self, of), index),
            ExprKind::Swizzle(of, parts) => ExprKind::Swizzle(base(self, of), parts),
            ExprKind::Plain(of) => ExprKind::Plain(base(self, of)),
            ExprKind::Part(of, start, end) => {
                let of = base(self, of);
                self.held_part(*of, (start.map(|start| *start), end.map(|end| *end)), statements)
            }
            ExprKind::Index(of, index) => {
                let of = base(self, of);
                let index = match index.kind {
                    ExprKind::Literal(_) | ExprKind::Const(_) => index,
                    _ => Box::new(self.named_value("index", *index, statements)),
                };
                ExprKind::Index(of, index)
            }
            // A value that was borrowed.
            kind => {
                let referent = ty.referent().clone();
                let value = Node { kind, ty: referent, diverges, place };
                let value = self.named_value("value", value, statements);
                return Node { ty, ..value };
            }
        };
        Node { kind, ty, diverges, place }
    }

    /// Binds a value to a new local.
    pub fn named_value(
        &mut self,
        name: &str,
        value: Node,
        statements: &mut Vec<Statement<Ty>>,
    ) -> Node {
        let (ty, place, diverges) = (value.ty.clone(), value.place, value.diverges);
        let local = self.local(Name { text: name.to_owned(), place }, ty.clone());
        statements.push(Statement::Let(local, Some(value), place));
        Node { kind: ExprKind::Local(local), ty, diverges, place }
    }

    /// Binds a value to a new mutable local.
    pub fn named_variable(
        &mut self,
        name: &str,
        value: Node,
        statements: &mut Vec<Statement<Ty>>,
    ) -> Node {
        let named = self.named_value(name, value, statements);
        if let ExprKind::Local(local) = named.kind {
            self.locals[local.0].mutable = true;
        }
        named
    }

    /// Binds a value to a new local, unless the value is [invariant](is_invariant).
    pub fn keep_value(
        &mut self,
        name: &str,
        value: Node,
        statements: &mut Vec<Statement<Ty>>,
    ) -> Node {
        if is_invariant(&value) { value } else { self.named_value(name, value, statements) }
    }

    /// Returns values sorted by their indices below `count`, with `None` for a missing index. If `given`, which has the
    /// values in the order in which they are written, is not sorted, binds them to locals in that order first.
    pub fn sort_by_index(
        &mut self,
        given: Vec<(usize, Node)>,
        count: usize,
        statements: &mut Vec<Statement<Ty>>,
    ) -> Vec<Option<Node>> {
        let mut all: Vec<Option<Node>> = (0..count).map(|_| None).collect();
        let ordered = given.is_sorted_by_key(|(nth, _)| *nth);
        for (nth, value) in given {
            all[nth] = Some(match ordered {
                true => value,
                false => self.keep_value("member", value, statements),
            });
        }
        all
    }

    /// Evaluates a method's argument after the receiver, even if the argument is not used.
    pub fn evaluate_argument(
        &mut self,
        argument: Node,
        receiver: &mut Node,
        statements: &mut Vec<Statement<Ty>>,
    ) -> Node {
        if is_invariant(&argument) || matches!(argument.kind, ExprKind::Local(_)) {
            return argument;
        }
        *receiver = self.keep_value("receiver", receiver.clone(), statements);
        self.named_value("argument", argument, statements)
    }
}

/// Returns whether a value is the same at any time and has no side effects.
pub fn is_invariant(value: &Node) -> bool {
    match &value.kind {
        ExprKind::Literal(_) | ExprKind::Const(_) | ExprKind::Verbatim(_) => true,
        ExprKind::Builtin(builtin, ..) => matches!(builtin.emit, Emit::Call("arrayLength")),
        ExprKind::Convert(inner) => is_invariant(inner),
        ExprKind::Construct(parts) | ExprKind::Variant(_, parts) => parts.iter().all(is_invariant),
        _ => false,
    }
}

/// Returns whether an expression has no side effects, so that others may be evaluated before or after it.
pub fn is_pure(value: &Node) -> bool {
    match &value.kind {
        ExprKind::Local(_) | ExprKind::Global(_) => true,
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => is_pure(a) && is_pure(b),
        ExprKind::Member(of, _)
        | ExprKind::Swizzle(of, _)
        | ExprKind::Unary(_, of)
        | ExprKind::Convert(of) => is_pure(of),
        _ => is_invariant(value),
    }
}
