//! The macros that kernels support: assertions, `unreachable!()` and similar ones.

use super::super::tree::{Binary, ExprKind};
use super::body::{Body, Node};
use super::errors::{place, refuse};
use super::infer::Ty;
use super::names::last;
use crate::ir::claims::Claim;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

impl Body<'_, '_> {
    /// Lowers `name!(…)`.
    pub fn called_macro(&mut self, called: &syn::Macro) -> syn::Result<Node> {
        let name = last(&called.path);
        match name.strip_prefix("debug_").unwrap_or(&name) {
            "assert" => self.assertion(called, 1),
            "assert_eq" | "assert_ne" => self.assertion(called, 2),
            "matches" => self.matches(called),
            "panic" | "unreachable" | "todo" | "unimplemented" if !name.starts_with("debug_") => {
                let kind = ExprKind::Claim(Claim::Unreached, None);
                Ok(Node { diverges: true, ..self.node(kind, Ty::Never, called) })
            }
            _ => refuse(place(called), super::expressions::instead_of_macro(called)),
        }
    }

    /// Lowers an assertion of one condition or two values. Further arguments are its message.
    fn assertion(&mut self, called: &syn::Macro, values: usize) -> syn::Result<Node> {
        let arguments = called.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
        let values: Vec<&Expr> = arguments.iter().take(values).collect();
        let name = last(&called.path);
        let (claim, condition) = match values[..] {
            [condition] if name.ends_with("assert") => {
                let condition = self.expr(condition);
                (Claim::Holds, self.coerce(condition, &Ty::BOOL))
            }
            [left, right] => {
                let (claim, operator) = match name.ends_with("_eq") {
                    true => (Claim::Equal, Binary::Equal),
                    false => (Claim::Different, Binary::NotEqual),
                };
                let [left, right] = [left, right].map(|side| self.expr(side));
                let [left, right] = [left, right].map(|side| self.operand(side));
                (claim, self.compared(operator, left, right, place(called)))
            }
            _ => return refuse(place(called), format!("missing argument of `{name}!`")),
        };
        let diverges = condition.diverges;
        let kind = ExprKind::Claim(claim, Some(Box::new(condition)));
        Ok(Node { diverges, ..self.node(kind, Ty::UNIT, called) })
    }
}
