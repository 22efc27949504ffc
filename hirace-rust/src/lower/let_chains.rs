//! `if let A = a && b && let C = c { … }`: nested conditions that share one `else`.

use super::super::tree::{Block, ExprKind, Place, Statement};
use super::body::{Body, Node};
use super::control::{empty, into_block};
use super::errors::place;
use super::infer::{Ty, VariableKind};
use super::loops::{Target, TargetKind};
use syn::{BinOp, Expr};

/// Returns the operands of a chain of `&&` if one of them is a `let`.
pub fn parts(condition: &Expr) -> Option<Vec<&Expr>> {
    fn split<'e>(condition: &'e Expr, into: &mut Vec<&'e Expr>) {
        match condition {
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
                split(&binary.left, into);
                split(&binary.right, into);
            }
            other => into.push(other),
        }
    }
    let mut all = Vec::new();
    split(condition, &mut all);
    let has_let = all.iter().any(|part| matches!(part, Expr::Let(_)));
    (has_let && all.len() > 1).then_some(all)
}

impl Body<'_, '_> {
    /// Lowers an `if` with a chain.
    pub fn if_chain(&mut self, conditions: &[&Expr], expr: &syn::ExprIf) -> Node {
        let extent = place(expr);
        let ty = self.types.fresh(VariableKind::Any);
        let id = self.label();
        self.targets.push(Target {
            label: None,
            id,
            next: id,
            kind: TargetKind::Block(ty.clone()),
            left: true,
        });
        let mut comes_back = false;
        let inner = self.chained(conditions, extent, &mut |body| {
            let then = body.block(&expr.then_branch);
            let then = body.coerce(then, &ty);
            if then.diverges {
                return then;
            }
            comes_back = true;
            let kind = ExprKind::Break(id, Some(Box::new(then)));
            Node { kind, ty: Ty::Never, diverges: true, place: extent }
        });
        self.targets.pop();
        let otherwise = match &expr.else_branch {
            Some((_, otherwise)) => self.expr(otherwise),
            None => empty(extent),
        };
        let otherwise = self.coerce(otherwise, &ty);
        let diverges = otherwise.diverges && !comes_back;
        let ty = if diverges { Ty::Never } else { ty };
        let statements = vec![Statement::Expr(inner)];
        let block = Block { statements, value: Some(Box::new(otherwise)), place: extent };
        Node { kind: ExprKind::Block(Some(id), block), ty, diverges, place: extent }
    }

    /// Lowers a `while` with a chain.
    pub fn while_chain(&mut self, conditions: &[&Expr], expr: &syn::ExprWhile) -> Node {
        let extent = place(expr);
        let label = expr.label.as_ref().map(|label| label.name.ident.to_string());
        let id = self.label();
        self.targets.push(Target { label, id, next: id, kind: TargetKind::Loop, left: true });
        let inner = self.chained(conditions, extent, &mut |body| {
            let iteration = body.block(&expr.body);
            let iteration = body.coerce(iteration, &Ty::UNIT);
            let next = ExprKind::Continue(id);
            let next = Node { kind: next, ty: Ty::Never, diverges: true, place: extent };
            let statements = vec![Statement::Expr(iteration), Statement::Expr(next)];
            let block = Block { statements, value: None, place: extent };
            Node {
                kind: ExprKind::Block(None, block),
                ty: Ty::Never,
                diverges: true,
                place: extent,
            }
        });
        self.targets.pop();
        let leave = ExprKind::Break(id, None);
        let leave = Node { kind: leave, ty: Ty::Never, diverges: true, place: extent };
        let statements = vec![Statement::Expr(inner), Statement::Expr(leave)];
        let block = Block { statements, value: None, place: extent };
        Node { kind: ExprKind::Loop(id, block), ty: Ty::UNIT, diverges: false, place: extent }
    }

    /// Returns the nested conditions with the code that runs if all of them hold.
    fn chained(
        &mut self,
        conditions: &[&Expr],
        extent: Place,
        then: &mut dyn FnMut(&mut Self) -> Node,
    ) -> Node {
        let Some((first, rest)) = conditions.split_first() else { return then(self) };
        let node = |kind| Node { kind, ty: Ty::UNIT, diverges: false, place: extent };
        match first {
            Expr::Let(condition) => {
                let of = self.scoped(|body| {
                    body.let_branch(condition, extent, &mut |body| {
                        let inner = body.chained(rest, extent, then);
                        let statements = vec![Statement::Expr(inner)];
                        let block = Block { statements, value: None, place: extent };
                        node(ExprKind::Block(None, block))
                    })
                });
                match of {
                    Ok(branch) => branch,
                    Err(error) => {
                        self.items.errors.push(error);
                        super::body::error_node(extent)
                    }
                }
            }
            condition => {
                let condition = self.expr(condition);
                let condition = self.coerce(condition, &Ty::BOOL);
                let inner = self.scoped(|body| body.chained(rest, extent, then));
                let inner = match inner {
                    Node { kind: ExprKind::Block(None, _), .. } => into_block(inner),
                    other => Block {
                        statements: vec![Statement::Expr(other)],
                        value: None,
                        place: extent,
                    },
                };
                node(ExprKind::If(Box::new(condition), inner, None))
            }
        }
    }

    /// Returns `if let pattern = value { then }`, of type `()`.
    fn let_branch(
        &mut self,
        condition: &syn::ExprLet,
        extent: Place,
        then: &mut dyn FnMut(&mut Self) -> Node,
    ) -> syn::Result<Node> {
        use super::super::tree::{Arm, Pattern};
        let node = |kind| Node { kind, ty: Ty::UNIT, diverges: false, place: extent };
        let mut statements = Vec::new();
        let held = self.element_or_value(&condition.pat, &condition.expr, &mut statements)?;
        let (value, lent) = match held {
            Ok((inner, there, element)) => {
                let mut within = Vec::new();
                self.bind_argument(inner, element, &mut within)?;
                within.push(Statement::Expr(then(self)));
                let block = Block { statements: within, value: None, place: extent };
                let branch = node(ExprKind::If(Box::new(there), block, None));
                statements.push(Statement::Expr(branch));
                let block = Block { statements, value: None, place: extent };
                return Ok(node(ExprKind::Block(None, block)));
            }
            Err(value) => value,
        };
        let pattern = self.pattern_of(&condition.pat, (&value.ty, lent), &mut Vec::new());
        let then = then(self);
        let arms = vec![
            Arm { pattern, guard: None, body: then },
            Arm { pattern: Pattern::Wildcard, guard: None, body: empty(extent) },
        ];
        Ok(node(ExprKind::Match(Box::new(value), arms)))
    }
}
