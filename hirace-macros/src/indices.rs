//! Indices and lengths are `u32` in a kernel and `usize` in Rust.
//!
//! `base[i]` is given to rustc as `base[index(i)]`, `.step_by(n)` and `.col(i)` likewise, and `x.len()` as a
//! `u32`. Nothing of it is ever executed.

use proc_macro2::Span;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, parse_quote_spanned};

/// Rewrites the body of a function.
pub fn widen(body: &mut Block) {
    Widen.visit_block_mut(body);
}

struct Widen;

impl VisitMut for Widen {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            // A slice of a slice is no index; the front end says so.
            Expr::Index(index) if !matches!(*index.index, Expr::Range(_)) => wrap(&mut index.index),
            Expr::MethodCall(call) if call.args.len() == 1 && takes_index(&call.method) => {
                wrap(&mut call.args[0]);
            }
            Expr::MethodCall(call) if call.args.is_empty() && call.method == "len" => {
                let span = own(call.method.span());
                *expr = parse_quote_spanned!(span=> (#call as u32));
            }
            _ => {}
        }
    }
}

/// Methods of ranges and of glam's matrices.
fn takes_index(method: &syn::Ident) -> bool {
    ["step_by", "col", "col_mut", "row"].iter().any(|name| method == name)
}

/// Puts `index(…)` around an expression. The call stands where the expression does, so that what rustc says
/// of it is said of that.
fn wrap(index: &mut Expr) {
    let span = own(index.span());
    let call = quote_spanned!(span=> ::hirace::prelude::index);
    *index = parse_quote_spanned!(span=> #call(#index));
}

/// The place of a token for names that are not the user's.
fn own(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}
