//! Rewrites kernels for rustc where rustc needs more than a kernel states. The rewritten code is never executed.
//!
//! - Indices may be `u32` and `i32` in a kernel, and are `usize` in Rust: `base[i]` becomes `base[index(i)]`, and
//!   similarly `.step_by(n)` and `.col(i)`. `x.len()` becomes a `u32` where the front end inferred that type.
//! - Comparisons of vectors return `BVec2`, `BVec3` and `BVec4`. In glam, those of `Vec4` return another type on some
//!   machines: `a.cmplt(b)` becomes `mask(a.cmplt(b))`, and `Vec4::select(m, a, b)` becomes
//!   `Vec4::select(mask_of(m), a, b)`.
//! - `v << 2` of a vector has the vector's type, whatever the type of `2` is. rustc can infer that only if the type of
//!   the number is written: `v << 2u32`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::BTreeSet;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, Ident, ImplItemFn, Item, ItemFn, Lit, LitInt, Local, Macro, Pat, Token,
    parse_quote_spanned,
};

/// The calls of `.len()` that return a `u32`: the debug representation of the spans of the method's name. rust-analyzer
/// has no lines and columns here; for it, all spans begin at the same location.
pub type ShortLengths = BTreeSet<String>;

/// Returns the representation of the spans of such calls.
pub fn short_lengths(spans: &[Span]) -> ShortLengths {
    spans.iter().map(|span| format!("{span:?}")).collect()
}

/// Rewrites the body of a function.
pub fn function(function: &mut ItemFn, short: &ShortLengths) {
    let mut reword = Reword::new(short);
    reword.constant = function.sig.constness.is_some();
    reword.visit_block_mut(&mut function.block);
}

/// Rewrites the bodies of associated functions, and other expressions of an item.
pub fn item(item: &mut Item, short: &ShortLengths) {
    Reword::new(short).visit_item_mut(item);
}

struct Reword<'a> {
    short: &'a ShortLengths,
    /// Names of variables that are ranges, which are not converted as indices.
    ranges: BTreeSet<String>,
    /// Whether the code is in a `const fn`, which cannot call functions of the prelude: indices are `usize` there.
    constant: bool,
}

impl<'a> Reword<'a> {
    fn new(short: &'a ShortLengths) -> Self {
        Self { short, ranges: BTreeSet::new(), constant: false }
    }

    fn is_range(&self, index: &Expr) -> bool {
        match index {
            Expr::Range(_) => true,
            Expr::Paren(inner) => self.is_range(&inner.expr),
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.ranges.contains(&name.to_string()))
            }
            Expr::MethodCall(call) => call.method == "clone" && self.is_range(&call.receiver),
            _ => false,
        }
    }
}

impl VisitMut for Reword<'_> {
    /// Rewrites the arguments of macros such as `assert!`, which are code too.
    fn visit_macro_mut(&mut self, called: &mut Macro) {
        let parsed = called.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        if let Ok(mut arguments) = parsed {
            arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
            called.tokens = quote!(#arguments);
        } else if let Ok((mut value, rest)) = called.parse_body_with(value_and_rest) {
            // `matches!(value, pattern if …)`.
            self.visit_expr_mut(&mut value);
            called.tokens = quote!(#value #rest);
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let outer = self.ranges.clone();
        visit_mut::visit_block_mut(self, block);
        self.ranges = outer;
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        if let (Pat::Ident(named), Some(init)) = (&local.pat, &local.init) {
            let name = named.ident.to_string();
            match self.is_range(&init.expr) {
                true => self.ranges.insert(name),
                false => self.ranges.remove(&name),
            };
        }
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut ImplItemFn) {
        let outer = std::mem::replace(&mut self.constant, function.sig.constness.is_some());
        visit_mut::visit_impl_item_fn_mut(self, function);
        self.constant = outer;
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::Index(index) if !self.constant && !self.is_range(&index.index) => {
                wrap("index", &mut index.index);
            }
            Expr::MethodCall(call)
                if !self.constant && call.args.len() == 1 && takes_index(&call.method) =>
            {
                wrap("index", &mut call.args[0]);
            }
            Expr::MethodCall(call)
                if call.args.is_empty()
                    && call.method == "len"
                    && !short_lengths(&[call.method.span()]).is_disjoint(self.short) =>
            {
                let span = own(call.method.span());
                *expr = parse_quote_spanned!(span=> (#call as u32));
            }
            Expr::MethodCall(call) if compares(&call.method) => wrap("mask", expr),
            Expr::Call(call) => match associated(&call.func) {
                Some(name) if compares(name) => wrap("mask", expr),
                Some(name) if name == "select" && call.args.len() == 3 => {
                    wrap("mask_of", &mut call.args[0]);
                }
                _ => {}
            },
            Expr::Binary(binary) if shifts(&binary.op) => typed(&mut binary.right),
            _ => {}
        }
    }
}

fn value_and_rest(input: ParseStream<'_>) -> syn::Result<(Expr, TokenStream)> {
    Ok((input.parse()?, input.parse()?))
}

/// Returns whether a method, of ranges or of glam's matrices, takes an index.
fn takes_index(method: &Ident) -> bool {
    ["step_by", "col", "col_mut", "row"].iter().any(|name| method == name)
}

/// Returns whether a method of glam's vectors returns a `bool` for each component.
fn compares(method: &Ident) -> bool {
    let names = ["cmpeq", "cmpne", "cmplt", "cmple", "cmpgt", "cmpge"];
    let masks = ["is_nan_mask", "is_finite_mask", "is_negative_mask"];
    names.iter().chain(&masks).any(|name| method == name)
}

/// Returns the name of an associated function, `T::name`.
fn associated(function: &Expr) -> Option<&Ident> {
    let Expr::Path(path) = function else { return None };
    let segments = &path.path.segments;
    segments.last().filter(|_| segments.len() > 1).map(|segment| &segment.ident)
}

fn shifts(operator: &BinOp) -> bool {
    matches!(operator, BinOp::Shl(_) | BinOp::Shr(_) | BinOp::ShlAssign(_) | BinOp::ShrAssign(_))
}

/// Adds the suffix `u32` to an integer literal without one.
fn typed(number: &mut Expr) {
    match number {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(literal), .. }) if literal.suffix().is_empty() => {
            *literal = LitInt::new(&format!("{literal}u32"), literal.span());
        }
        Expr::Paren(inner) => typed(&mut inner.expr),
        Expr::Group(inner) => typed(&mut inner.expr),
        _ => {}
    }
}

/// Wraps an expression in a call of the prelude's `function`. The call has the expression's span, so that rustc reports
/// errors there.
fn wrap(function: &str, inner: &mut Expr) {
    let span = own(inner.span());
    let function = Ident::new(function, span);
    let call = quote_spanned!(span=> ::hirace::prelude::#function);
    *inner = parse_quote_spanned!(span=> #call(#inner));
}

/// Returns the span for a generated name at the location of the user's token.
fn own(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}
