//! `if`, `match`, labeled blocks and `return`.

use super::super::tree::{Arm, Block, ExprKind, LocalId, Pattern, Place, Statement};
use super::attributes;
use super::body::{Body, NameMeaning, Node, Variable, error_node};
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use super::loops::{Target, TargetKind};
use syn::{Expr, ExprBlock, ExprIf, ExprMatch, ExprReturn, Pat};

impl Body<'_, '_> {
    /// Lowers `{ … }`, with or without a label.
    pub fn labeled_block(&mut self, block: &ExprBlock) -> syn::Result<Node> {
        attributes::check(&block.attrs, &[])?;
        let Some(label) = &block.label else {
            return Ok(self.block(&block.block));
        };
        let (id, ty) = (self.label(), self.types.fresh(VariableKind::Any));
        self.targets.push(Target {
            label: Some(label.name.ident.to_string()),
            id,
            next: id,
            kind: TargetKind::Block(ty.clone()),
            left: false,
        });
        let mut node = self.scoped(|body| body.statements(&block.block, Some(id)));
        let left = self.targets.pop().is_some_and(|target| target.left);
        node = self.coerce(node, &ty);
        node.diverges &= !left;
        if !node.diverges {
            node.ty = ty;
        }
        Ok(node)
    }

    /// Lowers `if` and `if let`, with or without `else`.
    pub fn if_else(&mut self, expr: &ExprIf) -> syn::Result<Node> {
        let extent = place(expr);
        if let Expr::Let(condition) = &*expr.cond {
            return self.if_let(condition, expr);
        }
        if let Some(parts) = super::let_chains::parts(&expr.cond) {
            return Ok(self.if_chain(&parts, expr));
        }
        if let Expr::Assign(assign) = &*expr.cond {
            self.report(
                place(&assign.eq_token),
                "expected a condition, found an assignment: write `==` to compare",
            );
        }
        let condition = match &*expr.cond {
            Expr::Assign(assign) => error_node(place(assign)),
            condition => self.expr(condition),
        };
        let condition = self.coerce(condition, &Ty::BOOL);
        let then = self.block(&expr.then_branch);
        let Some((_, otherwise)) = &expr.else_branch else {
            let then = self.coerce(then, &Ty::UNIT);
            let diverges = condition.diverges;
            let ty = if then.ty == Ty::Error { Ty::Error } else { Ty::UNIT };
            let kind = ExprKind::If(Box::new(condition), into_block(then), None);
            return Ok(Node { kind, ty, diverges, place: extent });
        };
        let mut joined = BranchJoin::default();
        let then = self.join(then, &mut joined);
        let otherwise = self.expr(otherwise);
        let otherwise = self.join(otherwise, &mut joined);
        let diverges = condition.diverges || joined.diverges();
        let kind = ExprKind::If(Box::new(condition), into_block(then), Some(Box::new(otherwise)));
        Ok(Node { kind, ty: joined.ty(), diverges, place: extent })
    }

    fn if_let(&mut self, condition: &syn::ExprLet, expr: &ExprIf) -> syn::Result<Node> {
        let mut statements = Vec::new();
        let held = self.element_or_value(&condition.pat, &condition.expr, &mut statements)?;
        let (value, lent) = match held {
            Ok((inner, there, element)) => {
                return self.if_let_element(inner, there, element, statements, expr);
            }
            Err(value) => value,
        };
        let mut joined = BranchJoin::default();
        let (pattern, then) = self.scoped(|body| {
            let pattern = body.pattern_of(&condition.pat, (&value.ty, lent), &mut Vec::new());
            (pattern, body.block(&expr.then_branch))
        });
        let then = match expr.else_branch {
            Some(_) => then,
            None => self.coerce(then, &Ty::UNIT),
        };
        let otherwise = match &expr.else_branch {
            Some((_, otherwise)) => self.expr(otherwise),
            None => empty(then.place),
        };
        let (then, otherwise) = (self.join(then, &mut joined), self.join(otherwise, &mut joined));
        let diverges = value.diverges || joined.diverges();
        let arms = vec![
            Arm { pattern, guard: None, body: then },
            Arm { pattern: Pattern::Wildcard, guard: None, body: otherwise },
        ];
        let kind = ExprKind::Match(Box::new(value), arms);
        Ok(Node { kind, ty: joined.ty(), diverges, place: place(expr) })
    }

    /// Lowers `if let Some(inner) = x.get(i)`. `inner` is bound to the element itself.
    fn if_let_element(
        &mut self,
        inner: &Pat,
        there: Node,
        element: Node,
        mut statements: Vec<Statement<Ty>>,
        expr: &ExprIf,
    ) -> syn::Result<Node> {
        let extent = place(expr);
        let mut joined = BranchJoin::default();
        let then = self.scoped(|body| {
            let mut before = Vec::new();
            body.bind_argument(inner, element, &mut before)?;
            let then = body.block(&expr.then_branch);
            Ok::<Node, syn::Error>(after(before, then))
        })?;
        let then = match expr.else_branch {
            Some(_) => then,
            None => self.coerce(then, &Ty::UNIT),
        };
        let otherwise = expr.else_branch.as_ref().map(|(_, otherwise)| self.expr(otherwise));
        let then = self.join(then, &mut joined);
        let otherwise = otherwise.map(|otherwise| Box::new(self.join(otherwise, &mut joined)));
        let diverges = otherwise.is_some() && joined.diverges();
        let ty = if otherwise.is_some() { joined.ty() } else { Ty::UNIT };
        let kind = ExprKind::If(Box::new(there), into_block(then), otherwise);
        let branch = Node { kind, ty: ty.clone(), diverges, place: extent };
        if statements.is_empty() {
            return Ok(branch);
        }
        let statements = std::mem::take(&mut statements);
        let block = Block { statements, value: Some(Box::new(branch)), place: extent };
        Ok(Node { kind: ExprKind::Block(None, block), ty, diverges, place: extent })
    }

    /// Lowers `let Some(inner) = x.get(i) else { otherwise };`.
    pub fn let_else_element(
        &mut self,
        inner: &Pat,
        (there, element): (Node, Node),
        otherwise: &Expr,
        extent: Place,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<()> {
        let otherwise = self.expr(otherwise);
        if !otherwise.diverges && otherwise.ty != Ty::Error {
            let message = "this `else` must diverge: end it with `return`, `break` or `continue`";
            self.report(otherwise.place, message);
        }
        let node = |kind, ty| Node { kind, ty, diverges: false, place: extent };
        let not = ExprKind::Unary(super::super::tree::Unary::Not, Box::new(there));
        let not = Box::new(node(not, Ty::BOOL));
        let leave =
            Block { statements: vec![Statement::Expr(otherwise)], value: None, place: extent };
        statements.push(Statement::Expr(node(ExprKind::If(not, leave, None), Ty::UNIT)));
        self.bind_argument(inner, element, statements)
    }

    /// Lowers `let pattern = value else { otherwise };` to a `match` that returns the values of the pattern's names,
    /// or leaves.
    pub fn let_else(
        &mut self,
        pattern: &Pat,
        (value, lent): (Node, Option<bool>),
        otherwise: &Expr,
        extent: Place,
        statements: &mut Vec<Statement<Ty>>,
    ) {
        let mut bound = Vec::new();
        let errors = self.items.errors.len();
        let written = pattern;
        let pattern = self.scoped(|body| body.pattern_of(pattern, (&value.ty, lent), &mut bound));
        let wrong_pattern = self.items.errors.len() != errors;
        let mut otherwise = self.expr(otherwise);
        if !otherwise.diverges && otherwise.ty != Ty::Error {
            let message = "this `else` must diverge: end it with `return`, `break` or `continue`";
            self.report(otherwise.place, message);
            otherwise = error_node(otherwise.place);
        }
        let node = |kind, ty: &Ty| Node { kind, ty: ty.clone(), diverges: false, place: extent };
        let inner: Vec<Node> = bound
            .iter()
            .map(|(_, local)| node(ExprKind::Local(*local), &self.locals[local.0].ty))
            .collect();
        // The names are in scope from here on, outside the `match`.
        if wrong_pattern {
            self.declare_names(written);
        }
        let outer: Vec<LocalId> = bound
            .into_iter()
            .map(|(text, local)| {
                let Variable { name, ty, .. } = &self.locals[local.0];
                let outer = self.local(name.clone(), ty.clone());
                self.name(text, NameMeaning::Local(outer));
                outer
            })
            .collect();
        let given = match inner.len() {
            0 => empty(extent),
            1 => inner[0].clone(),
            _ => {
                let ty = Ty::Tuple(inner.iter().map(|part| part.ty.clone()).collect());
                node(ExprKind::Construct(inner), &ty)
            }
        };
        let (ty, diverges) = (given.ty.clone(), value.diverges);
        let arms = vec![
            Arm { pattern, guard: None, body: given },
            Arm { pattern: Pattern::Wildcard, guard: None, body: otherwise },
        ];
        let chosen = Node { diverges, ..node(ExprKind::Match(Box::new(value), arms), &ty) };
        match outer[..] {
            [] => statements.push(Statement::Expr(chosen)),
            [one] => statements.push(Statement::Let(one, Some(chosen), extent)),
            _ => {
                let parts = self.named_local("parts", &ty, extent);
                statements.push(Statement::Let(parts, Some(chosen), extent));
                for (index, local) in outer.into_iter().enumerate() {
                    let all = Box::new(node(ExprKind::Local(parts), &ty));
                    let part_ty = self.locals[local.0].ty.clone();
                    let part = node(ExprKind::Member(all, index), &part_ty);
                    statements.push(Statement::Let(local, Some(part), extent));
                }
            }
        }
    }

    /// Lowers `match`.
    pub fn match_arms(&mut self, expr: &ExprMatch) -> syn::Result<Node> {
        let (value, lent) = self.lower_scrutinee(&expr.expr);
        if self.types.open(&value.ty).is_some() {
            self.resolve_obligations();
        }
        if expr.arms.is_empty() {
            return refuse(place(expr), "a `match` must have at least one arm");
        }
        let mut joined = BranchJoin::default();
        let mut arms = Vec::new();
        for arm in &expr.arms {
            attributes::check(&arm.attrs, &[])?;
            let (pattern, guard) = match &arm.pat {
                Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                pattern => (pattern, None),
            };
            let arm = self.scoped(|body| {
                let pattern = body.pattern_of(pattern, (&value.ty, lent), &mut Vec::new());
                let guard = guard.map(|guard| {
                    let guard = body.expr(guard);
                    body.coerce(guard, &Ty::BOOL)
                });
                let result = body.expr(&arm.body);
                Arm { pattern, guard, body: body.join(result, &mut joined) }
            });
            arms.push(arm);
        }
        let diverges = value.diverges || joined.diverges();
        let kind = ExprKind::Match(Box::new(value), arms);
        Ok(Node { kind, ty: joined.ty(), diverges, place: place(expr) })
    }

    /// Adds one of several branches that must have the same type.
    pub fn join(&mut self, node: Node, joined: &mut BranchJoin) -> Node {
        joined.ways += 1;
        if node.diverges {
            joined.diverging += 1;
            return node;
        }
        match &joined.ty {
            Some(ty) => {
                let ty = ty.clone();
                self.coerce(node, &ty)
            }
            None => {
                joined.ty = Some(node.ty.clone());
                node
            }
        }
    }

    /// Lowers `return`.
    pub fn return_value(&mut self, expr: &ExprReturn) -> syn::Result<Node> {
        let result = self.result.clone();
        let value = match &expr.expr {
            Some(value) => {
                let value = self.expr(value);
                Some(Box::new(self.coerce(value, &result)))
            }
            None => {
                let nothing = empty(place(expr));
                self.coerce(nothing, &result);
                None
            }
        };
        let kind = match self.return_label() {
            Some(label) => ExprKind::Break(label, value),
            None => ExprKind::Return(value),
        };
        Ok(Node { kind, ty: Ty::Never, diverges: true, place: place(expr) })
    }
}

/// The common type of several branches.
#[derive(Default)]
pub struct BranchJoin {
    ty: Option<Ty>,
    ways: usize,
    diverging: usize,
}

impl BranchJoin {
    /// Returns the type, which is `!` if all branches diverge.
    pub fn ty(&self) -> Ty {
        self.ty.clone().unwrap_or(Ty::Never)
    }

    /// Returns whether all branches diverge.
    pub fn diverges(&self) -> bool {
        self.ways == self.diverging
    }
}

/// Returns a block with statements before an expression.
pub fn after(before: Vec<Statement<Ty>>, node: Node) -> Node {
    if before.is_empty() {
        return node;
    }
    let (ty, diverges, place) = (node.ty.clone(), node.diverges, node.place);
    let inner = into_block(node);
    let mut statements = before;
    statements.extend(inner.statements);
    let block = Block { statements, value: inner.value, place };
    Node { kind: ExprKind::Block(None, block), ty, diverges, place }
}

/// Returns whether control never continues after a statement.
pub fn leaves(statement: &Statement<Ty>) -> bool {
    match statement {
        Statement::Let(_, Some(value), _) | Statement::Expr(value) => value.diverges,
        Statement::Let(_, None, _) => false,
    }
}

/// Returns a block of type `()` without statements.
pub fn empty(place: Place) -> Node {
    let block = Block { statements: Vec::new(), value: None, place };
    Node { kind: ExprKind::Block(None, block), ty: Ty::UNIT, diverges: false, place }
}

/// Returns a block with the value of an expression.
pub fn into_block(node: Node) -> Block<Ty> {
    match node {
        Node { kind: ExprKind::Block(None, block), .. } => block,
        other => {
            let place = other.place;
            Block { statements: Vec::new(), value: Some(Box::new(other)), place }
        }
    }
}
