//! Named ranges and iterator chains, and `contains` on ranges.

use super::super::tree::{Binary, LabelId, Name, Statement};
use super::body::{Body, Meaning, Node};
use super::build::NodeBuilder;
use super::errors::{place, refuse};
use super::expressions::without_parentheses;
use super::infer::Ty;
use super::iterators::is_chain;
use super::names::text;
use std::borrow::Cow;
use std::rc::Rc;
use syn::{Expr, ExprMethodCall, ExprRange};

impl Body<'_, '_> {
    /// Lowers `let name = a..b;`, or any chain. The operands of the chain are evaluated here, and its items are
    /// computed where the name is used.
    pub fn name_chain(
        &mut self,
        name: &syn::Ident,
        chain: &Expr,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<()> {
        let chain = self.of_names(chain, statements)?;
        self.name(text(name), Meaning::Chain(Rc::new(chain)));
        Ok(())
    }

    /// Returns the chain with names for its operands.
    fn of_names(&mut self, chain: &Expr, statements: &mut Vec<Statement<Ty>>) -> syn::Result<Expr> {
        let chain = self.with_chains(chain);
        match without_parentheses(&chain) {
            Expr::Range(range) => {
                let mut range = range.clone();
                for end in [&mut range.start, &mut range.end].into_iter().flatten() {
                    **end = self.name_part(end, false, statements)?;
                }
                Ok(Expr::Range(range))
            }
            Expr::MethodCall(call) if is_chain(&chain) => {
                let mut call = call.clone();
                let of_chain = is_chain(&call.receiver) || self.range(&call.receiver).is_some();
                *call.receiver = match of_chain {
                    true => in_parentheses(self.of_names(&call.receiver, statements)?),
                    false => {
                        let lent = call.method != "into_iter";
                        self.name_part(&call.receiver, lent, statements)?
                    }
                };
                for argument in &mut call.args {
                    *argument = self.of_names(argument, statements)?;
                }
                Ok(Expr::MethodCall(call))
            }
            other => self.name_part(other, false, statements),
        }
    }

    /// Binds a part of a chain to a generated name: the place if it is `lent`, otherwise the value.
    fn name_part(
        &mut self,
        part: &Expr,
        lent: bool,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<Expr> {
        if matches!(part, Expr::Lit(_)) {
            return Ok(part.clone());
        }
        let value = self.expr(part);
        let LabelId(number) = self.label();
        let own = format!("part_of_chain_{number}");
        let ident = syn::Ident::new(&own, place(part).first);
        if lent && super::places::is_place(&value) {
            let value = self.fix_place(value, statements);
            self.name(own, Meaning::Place(Rc::new(value)));
        } else {
            if let Ty::Closure(id) = self.types.shallow(&value.ty) {
                self.capture(id, statements);
            }
            let name = Name { text: own, place: value.place };
            self.bind_name(name, value, false, statements);
        }
        Ok(syn::parse_quote!(#ident))
    }

    /// Returns the chain that a name, or a copy of it, stands for.
    fn chain(&self, expr: &Expr) -> Option<Rc<Expr>> {
        match without_parentheses(expr) {
            Expr::MethodCall(call) if call.method == "clone" => self.chain(&call.receiver),
            Expr::Path(path) => match self.find(&text(path.path.get_ident()?))? {
                Meaning::Chain(chain) => Some(Rc::clone(chain)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the range that an expression is, directly or by name.
    pub fn range(&self, expr: &Expr) -> Option<ExprRange> {
        match without_parentheses(expr) {
            Expr::Range(range) => Some(range.clone()),
            expr => match &*self.chain(expr)? {
                Expr::Range(range) => Some(range.clone()),
                _ => None,
            },
        }
    }

    /// Replaces a named chain at the start of an expression by the chain.
    pub fn with_chains<'e>(&self, expr: &'e Expr) -> Cow<'e, Expr> {
        if let Some(chain) = self.chain(expr) {
            return Cow::Owned(in_parentheses((*chain).clone()));
        }
        let Expr::MethodCall(call) = expr else { return Cow::Borrowed(expr) };
        match self.with_chains(&call.receiver) {
            Cow::Borrowed(_) => Cow::Borrowed(expr),
            Cow::Owned(receiver) => {
                let receiver = Box::new(receiver);
                Cow::Owned(Expr::MethodCall(ExprMethodCall { receiver, ..call.clone() }))
            }
        }
    }

    /// Lowers `(a..b).contains(&x)`.
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
            ends.push((self.keep_value("end", end, &mut statements), operator));
        }
        let value = self.expr(of);
        let value = Node { ty: self.types.shallow(&value.ty).referent().clone(), ..value };
        let value = self.named_value("value", value, &mut statements);
        let at = NodeBuilder(extent);
        let within = ends
            .into_iter()
            .map(|(end, operator)| self.compared(operator, value.clone(), end, extent))
            .reduce(|first, second| at.test(Binary::AndThen, first, second));
        let all = within.unwrap_or_else(|| at.truth(true));
        Ok(super::control::after(statements, all))
    }
}

fn in_parentheses(expr: Expr) -> Expr {
    let paren_token = syn::token::Paren(place(&expr).first);
    Expr::Paren(syn::ExprParen { attrs: Vec::new(), paren_token, expr: Box::new(expr) })
}
