//! Functions and macros of `std` that are no methods: `std::mem::swap`, `std::cmp::max`, `matches!`.

use super::super::tree::{Block, ExprKind, LocalId, Statement};
use super::body::{Body, Node};
use super::calls::wrong_count;
use super::errors::{place, refuse};
use super::infer::Ty;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, ExprCall, Pat, Token};

/// What a path leads to in `std`, by the module and the name.
pub fn in_std(names: &[String]) -> Option<(&str, &str)> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names[..] {
        ["std" | "core", module @ ("mem" | "cmp"), name] | [module @ ("mem" | "cmp"), name] => {
            Some((module, name))
        }
        _ => None,
    }
}

impl Body<'_, '_> {
    /// A call of one of `std`'s functions; `None` if it is none that kernels have.
    pub fn call_of_std(
        &mut self,
        module: &str,
        name: &str,
        call: &ExprCall,
    ) -> Option<syn::Result<Node>> {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let wanted = match (module, name) {
            ("mem", "take") => 1,
            ("mem", "swap" | "replace") | ("cmp", "min" | "max") => 2,
            _ => return None,
        };
        if arguments.len() != wanted {
            return Some(refuse(place(call), wrong_count(name, &[wanted], arguments.len())));
        }
        Some(match (module, &arguments[..]) {
            ("cmp", [left, right]) => self.of_two(name, left, right, call),
            (_, [target]) => self.exchanged_for(target, None, call),
            (_, [target, other]) if name == "swap" => self.swapped(target, other, call),
            (_, [target, other]) => self.exchanged_for(target, Some(other), call),
            _ => return None,
        })
    }

    /// `std::cmp::min` and `max`, of integers.
    fn of_two(
        &mut self,
        name: &str,
        left: &Expr,
        right: &Expr,
        call: &ExprCall,
    ) -> syn::Result<Node> {
        let mut arguments = super::calls::Arguments::new();
        arguments.push(left.clone());
        arguments.push(right.clone());
        let rows = super::super::builtins::functions(name);
        self.builtin(&rows, name, None, None, &arguments, place(call))
    }

    /// `std::mem::swap(&mut a, &mut b)`.
    fn swapped(&mut self, first: &Expr, second: &Expr, call: &ExprCall) -> syn::Result<Node> {
        let extent = place(call);
        let mut statements = Vec::new();
        let first = self.lent_place(first, &mut statements)?;
        let second = self.lent_place(second, &mut statements)?;
        let second = self.coerce(second, &first.ty);
        let held = self.bound("held", first.clone(), first.ty.clone(), &mut statements);
        let held = held_value(held, &first);
        for (to, from) in [(first, second.clone()), (second, held)] {
            statements.push(Statement::Expr(assigned(to, from)));
        }
        let block = Block { statements, value: None, place: extent };
        let kind = ExprKind::Block(None, block);
        Ok(Node { kind, ty: Ty::UNIT, diverges: false, place: extent })
    }

    /// `std::mem::replace(&mut a, value)`; without a value, `std::mem::take(&mut a)`.
    fn exchanged_for(
        &mut self,
        target: &Expr,
        value: Option<&Expr>,
        call: &ExprCall,
    ) -> syn::Result<Node> {
        let extent = place(call);
        let mut statements = Vec::new();
        let target = self.lent_place(target, &mut statements)?;
        let value = match value {
            Some(value) => {
                let value = self.value(value);
                let value = self.coerce(value, &target.ty);
                let named = self.bound("value", value, target.ty.clone(), &mut statements);
                held_value(named, &target)
            }
            None => self.default_of(&target.ty, extent),
        };
        let held = self.bound("held", target.clone(), target.ty.clone(), &mut statements);
        let held = held_value(held, &target);
        let ty = target.ty.clone();
        statements.push(Statement::Expr(assigned(target, value)));
        let block = Block { statements, value: Some(Box::new(held)), place: extent };
        Ok(Node { kind: ExprKind::Block(None, block), ty, diverges: false, place: extent })
    }

    /// The place that `&mut place` lends, its indices evaluated.
    fn lent_place(
        &mut self,
        argument: &Expr,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<Node> {
        let node = self.expr(argument);
        match self.types.shallow(&node.ty) {
            Ty::Reference(true, to) => {
                let node = Node { ty: *to, ..node };
                self.writes(&node)?;
                Ok(self.settled(node, statements))
            }
            Ty::Error => Err(super::errors::already_reported()),
            _ => refuse(node.place, "this takes a place: lend it, `&mut …`"),
        }
    }

    /// A place that may be written twice: what its indices compute is bound to names.
    fn settled(&mut self, node: Node, statements: &mut Vec<Statement<Ty>>) -> Node {
        let Node { kind, ty, diverges, place } = node;
        let mut inner =
            |body: &mut Self, base: Box<Node>| Box::new(body.settled(*base, statements));
        let kind = match kind {
            ExprKind::Member(base, index) => ExprKind::Member(inner(self, base), index),
            ExprKind::Swizzle(base, parts) => ExprKind::Swizzle(inner(self, base), parts),
            ExprKind::Plain(base) => ExprKind::Plain(inner(self, base)),
            ExprKind::Index(base, index) => {
                let base = inner(self, base);
                let simple = matches!(
                    index.kind,
                    ExprKind::Literal(_) | ExprKind::Local(_) | ExprKind::Const(_)
                );
                let index = match simple {
                    true => index,
                    false => {
                        let of = (*index).clone();
                        let local = self.bound("index", of.clone(), of.ty.clone(), statements);
                        Box::new(held_value(local, &of))
                    }
                };
                ExprKind::Index(base, index)
            }
            other => other,
        };
        Node { kind, ty, diverges, place }
    }

    /// `matches!(value, pattern)`.
    pub fn matches(&mut self, called: &syn::Macro) -> syn::Result<Node> {
        let Matches { value, pattern, guard } = called.parse_body()?;
        let guard = guard.map(|guard| quote::quote!(if #guard));
        let expr: Expr = syn::parse2(quote::quote! {
            match #value { #pattern #guard => true, _ => false }
        })?;
        let node = self.expr(&expr);
        Ok(Node { place: place(called), ..node })
    }
}

/// The use of a local that was just bound, which is of the type of `of`.
fn held_value(local: LocalId, of: &Node) -> Node {
    let kind = ExprKind::Local(local);
    Node { kind, ty: of.ty.clone(), diverges: false, place: of.place }
}

fn assigned(to: Node, from: Node) -> Node {
    let place = to.place;
    let kind = ExprKind::Assign(Box::new(to), Box::new(from));
    Node { kind, ty: Ty::UNIT, diverges: false, place }
}

/// What stands in `matches!(…)`.
struct Matches {
    value: Expr,
    pattern: Pat,
    guard: Option<Expr>,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.parse::<Option<Token![if]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Self { value, pattern, guard })
    }
}
