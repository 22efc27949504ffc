//! Ranges that have names, and what they contain.

use super::super::tree::{Binary, Name, Statement};
use super::body::{Body, Meaning, Node};
use super::errors::{place, refuse};
use super::infer::Ty;
use super::made::At;
use super::names::text;
use std::borrow::Cow;
use std::rc::Rc;
use syn::{Expr, ExprMethodCall, ExprRange};

impl Body<'_, '_> {
    /// `let name = a..b;`
    pub fn name_range(
        &mut self,
        name: &syn::Ident,
        range: &ExprRange,
        statements: &mut Vec<Statement<Ty>>,
    ) {
        let mut ends = range.clone();
        let span = name.span();
        let mut end_of = |body: &mut Self, end: &mut Option<Box<Expr>>, what: &str| {
            let Some(written) = end else { return };
            if matches!(**written, Expr::Lit(_)) {
                return;
            }
            let value = body.value(written);
            let own = format!("{}_{what}_{}", text(name), body.locals.len());
            let ident = syn::Ident::new(&own, span);
            let local =
                body.local(Name { text: own.clone(), place: value.place }, value.ty.clone());
            let place = value.place;
            statements.push(Statement::Let(local, Some(value), place));
            body.name(own, Meaning::Local(local));
            **written = syn::parse_quote!(#ident);
        };
        end_of(self, &mut ends.start, "start");
        end_of(self, &mut ends.end, "end");
        self.name(text(name), Meaning::Range(Rc::new(ends)));
    }

    /// The range that an expression is, by itself or by its name.
    pub fn range(&self, expr: &Expr) -> Option<ExprRange> {
        match expr {
            Expr::Paren(inner) => self.range(&inner.expr),
            Expr::Group(inner) => self.range(&inner.expr),
            Expr::Range(range) => Some(range.clone()),
            Expr::MethodCall(call) if call.method == "clone" => self.range(&call.receiver),
            Expr::Path(path) => match self.find(&text(path.path.get_ident()?))? {
                Meaning::Range(range) => Some((**range).clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same expression, with named ranges written out where it begins.
    pub fn with_ranges<'e>(&self, expr: &'e Expr) -> Cow<'e, Expr> {
        match expr {
            Expr::MethodCall(call) if call.method != "clone" => {
                match self.with_ranges(&call.receiver) {
                    Cow::Borrowed(_) => Cow::Borrowed(expr),
                    Cow::Owned(receiver) => {
                        let receiver = Box::new(receiver);
                        Cow::Owned(Expr::MethodCall(ExprMethodCall { receiver, ..call.clone() }))
                    }
                }
            }
            Expr::Path(_) | Expr::MethodCall(_) => match self.range(expr) {
                Some(range) => {
                    let attrs = Vec::new();
                    let paren_token = syn::token::Paren(place(expr).first);
                    let expr = Box::new(Expr::Range(range));
                    Cow::Owned(Expr::Paren(syn::ExprParen { attrs, paren_token, expr }))
                }
                None => Cow::Borrowed(expr),
            },
            other => Cow::Borrowed(other),
        }
    }

    /// `(a..b).contains(&x)`.
    pub fn contains(&mut self, range: &ExprRange, call: &ExprMethodCall) -> syn::Result<Node> {
        let extent = place(call);
        let [of] = call.args.iter().collect::<Vec<_>>()[..] else {
            return refuse(extent, super::calls::wrong_count("contains", &[1], call.args.len()));
        };
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let last = if inclusive { Binary::LessOrEqual } else { Binary::Less };
        let mut statements = Vec::new();
        let mut ends = Vec::new();
        for (end, operator) in [(&range.start, Binary::GreaterOrEqual), (&range.end, last)] {
            let Some(end) = end else { continue };
            let end = self.value(end);
            ends.push((self.kept("end", end, &mut statements), operator));
        }
        let value = self.expr(of);
        let value = Node { ty: self.types.shallow(&value.ty).referent().clone(), ..value };
        let value = self.named_value("value", value, &mut statements);
        let at = At(extent);
        let within = ends
            .into_iter()
            .map(|(end, operator)| self.compared(operator, value.clone(), end, extent))
            .reduce(|first, second| at.test(Binary::AndThen, first, second));
        let all = within.unwrap_or_else(|| at.truth(true));
        Ok(super::control::after(statements, all))
    }
}
