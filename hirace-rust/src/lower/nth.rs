//! `chain.nth(i)`: an item of a chain, by index.

use super::super::tree::{Place, Statement};
use super::body::{Body, Node};
use super::errors::refuse;
use super::infer::Ty;
use super::iterators::{Stage, is_chain};
use super::slices::as_usize;
use syn::Expr;

/// Returns the chain and the argument of `chain.nth(i)`.
pub fn nth_of(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match expr {
        Expr::Paren(inner) => nth_of(&inner.expr),
        Expr::MethodCall(call) if call.method == "nth" && is_chain(&call.receiver) => {
            let nth = call.args.first().filter(|_| call.args.len() == 1)?;
            Some((&*call.receiver, nth))
        }
        _ => None,
    }
}

impl Body<'_, '_> {
    /// Returns whether the item exists, and the item. Statements that must run first are added to `statements`.
    pub fn nth(
        &mut self,
        chain: &Expr,
        nth: &Expr,
        statements: &mut Vec<Statement<Ty>>,
        extent: Place,
    ) -> syn::Result<(Node, Node)> {
        let mut of = self.iteration(chain)?;
        if of.computed {
            return refuse(
                extent,
                "`nth` after `map` would also compute the skipped items: call `nth` first, then `map` its result",
            );
        }
        let mut stages = Vec::new();
        for stage in std::mem::take(&mut of.stages) {
            match stage {
                Stage::Do(statement) if of.direct && !of.turns.reversed => stages.push(statement),
                _ => {
                    let message = "`nth` is not supported on an iterator that is reversed or drops items: write a \
                                   loop";
                    return refuse(extent, message);
                }
            }
        }
        statements.append(&mut of.turns.before);
        let nth = self.value(nth);
        let nth = as_usize(self.index_value(nth));
        let nth = self.named_value("nth", nth, statements);
        let (index, there) = self.loop_index_at(&mut of, nth, statements, extent);
        let there = self.named_value("there", there, statements);
        statements.push(Statement::Let(of.index, Some(index), extent));
        statements.append(&mut stages);
        Ok((there, of.item))
    }
}
