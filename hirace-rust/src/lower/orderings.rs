//! Memory orderings of atomics and fences: the ordering arguments of `std`'s methods, and the scopes of models.
//!
//! WGSL's atomics are relaxed, and their scope follows from their memory, so a kernel may only specify `Relaxed` or
//! nothing. A model, which is verified and never runs, may specify any ordering.

use super::super::builtins;
use super::super::memory_ordering::{ORDERS, OperationOrdering, SCOPES, allowed_orders};
use super::super::tree::{ExprKind, Place};
use super::body::{Body, Node};
use super::calls::{Arguments, wrong_count};
use super::errors::{at, place, refuse};
use super::infer::Ty;
use super::names::text;
use crate::ir::order::{MemoryOrder, Scope};
use syn::{Expr, ExprCall, ExprMethodCall};

/// The help for an ordering that kernels cannot have.
const IN_A_MODEL: &str =
    "if the algorithm depends on it, use `#[hirace::model]` and `hirace verify`";

impl Body<'_, '_> {
    /// Handles a call of an atomic's method. Returns its arguments without orderings, and the memory ordering that
    /// these specify together with `scope`.
    pub fn orderings(
        &mut self,
        name: &str,
        arguments: &Arguments,
        scope: Option<Scope>,
    ) -> syn::Result<(Arguments, Option<OperationOrdering>)> {
        let (mut kept, mut orders) = (Arguments::new(), Vec::new());
        for argument in arguments {
            match self.ordering(argument) {
                None => kept.push(argument.clone()),
                Some(_) => {
                    let failed = name.starts_with("compare_exchange") && orders.len() == 1;
                    let of = match name {
                        _ if failed => "a failed compare-exchange",
                        "load" => "a load",
                        "store" => "a store",
                        _ => "this",
                    };
                    orders.push(self.allowed(of, allowed_orders(name, failed), argument)?);
                }
            }
        }
        let order = orders.first().copied().unwrap_or(MemoryOrder::Relaxed);
        let failed = orders.get(1).copied().unwrap_or(order);
        let says = self.items.is_model && (scope.is_some() || !orders.is_empty());
        Ok((kept, says.then_some(OperationOrdering { order, failed, scope })))
    }

    /// Returns the ordering that an argument names, if it is allowed.
    fn allowed(
        &self,
        of: &str,
        allowed: &[MemoryOrder],
        argument: &Expr,
    ) -> syn::Result<MemoryOrder> {
        let Some((name, order)) = self.ordering(argument) else { return Ok(MemoryOrder::Relaxed) };
        if !self.items.is_model && order != MemoryOrder::Relaxed {
            return refuse(
                place(argument),
                format!(
                    "WGSL's atomics are relaxed and cannot be `{name}`: write `Ordering::Relaxed`, and order accesses \
                     with `workgroup_barrier()` or another dispatch; {IN_A_MODEL}"
                ),
            );
        }
        if allowed.contains(&order) {
            return Ok(order);
        }
        let named = ORDERS.iter().filter(|(_, order)| allowed.contains(order));
        let named: Vec<String> = named.map(|(name, _)| format!("`{name}`")).collect();
        refuse(place(argument), format!("{of} cannot be `{name}`: use one of {}", named.join(", ")))
    }

    /// Returns the scope in `x.within(scope)`.
    pub fn within(&mut self, call: &ExprMethodCall) -> syn::Result<Option<Scope>> {
        let scope = match (text(&call.method).as_str(), call.args.first(), call.args.len()) {
            ("within", Some(argument), 1) => self.scope_of(argument),
            _ => None,
        };
        match scope {
            Some(_) if !self.items.is_model => refuse(
                at(call.method.span()),
                format!("the scope of an atomic in WGSL is determined by its memory; {IN_A_MODEL}"),
            ),
            scope => Ok(scope),
        }
    }

    /// Lowers `fence(ordering)` and `fence(ordering, scope)`. Returns `None` if the names refer to something else.
    pub fn fence(&mut self, names: &[String], call: &ExprCall) -> Option<syn::Result<Node>> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let is_fence = match names[..] {
            ["fence"] => {
                self.find("fence").is_none() && !self.items.callables.free.contains_key("fence")
            }
            ["hirace", "fence"] | [.., "atomic", "fence"] => true,
            _ => false,
        };
        is_fence.then(|| self.fence_of(call))
    }

    fn fence_of(&mut self, call: &ExprCall) -> syn::Result<Node> {
        let extent = place(call);
        if !self.items.is_model {
            let message = "WGSL's atomics do not order other accesses, and it has no fences: call \
                           `workgroup_barrier()`, or use another dispatch";
            return refuse(extent, format!("{message}; {IN_A_MODEL}"));
        }
        let (ordering, scope) = match call.args.len() {
            1 => (&call.args[0], None),
            2 => (&call.args[0], Some(&call.args[1])),
            given => return refuse(extent, wrong_count("fence", &[1, 2], given)),
        };
        if self.ordering(ordering).is_none() {
            return refuse(place(ordering), "expected an ordering: write `Ordering::Acquire`");
        }
        let order = self.allowed("a fence", allowed_orders("fence", false), ordering)?;
        let scope = match scope.map(|scope| (place(scope), self.scope_of(scope))) {
            None => None,
            Some((_, Some(scope))) => Some(scope),
            Some((place, None)) => return refuse(place, "expected a scope: write `Scope::Device`"),
        };
        let Some(barrier) = builtins::functions("storage_barrier").into_iter().next() else {
            return refuse(extent, "fences are not supported");
        };
        let ordered = OperationOrdering { order, failed: order, scope };
        let kind = ExprKind::Builtin(barrier, Vec::new(), Some(ordered));
        Ok(Node { kind, ty: Ty::UNIT, diverges: false, place: extent })
    }

    /// Sets the memory ordering of an atomic operation.
    pub fn ordered(node: Node, ordered: Option<OperationOrdering>, extent: Place) -> Node {
        match node.kind {
            ExprKind::Builtin(builtin, arguments, None) => {
                let kind = ExprKind::Builtin(builtin, arguments, ordered);
                Node { kind, place: extent, ..node }
            }
            _ => node,
        }
    }

    /// Returns the ordering that an expression names: `Ordering::Relaxed`, or `Relaxed` if that is not a variable.
    fn ordering(&self, argument: &Expr) -> Option<(&'static str, MemoryOrder)> {
        let name = self.variant_named("Ordering", argument)?;
        ORDERS.into_iter().find(|(known, _)| *known == name)
    }

    fn scope_of(&self, argument: &Expr) -> Option<Scope> {
        if self.items.types.contains_key("Scope") {
            return None;
        }
        let name = self.variant_named("Scope", argument)?;
        SCOPES.iter().find(|(known, _)| *known == name).map(|(_, scope)| *scope)
    }

    /// Returns the name of an expression that may be a variant of an enum.
    fn variant_named(&self, of: &str, argument: &Expr) -> Option<String> {
        let Expr::Path(path) = argument else { return None };
        let names: Vec<String> =
            path.path.segments.iter().map(|segment| text(&segment.ident)).collect();
        match names.as_slice() {
            [.., parent, name] if parent == of => Some(name.clone()),
            [name] if self.find(name).is_none() && !self.items.consts.contains_key(name) => {
                Some(name.clone())
            }
            _ => None,
        }
    }
}
