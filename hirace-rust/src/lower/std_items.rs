//! Free functions and macros of `std`: `std::mem::swap`, `std::cmp::max`, `std::array::from_fn`, `matches!`, assertions.

use super::super::builtins::{Builtin, Class, Emit, Parameter};
use super::super::tree::{Binary, ExprKind, For, Scalar, Statement};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::calls::wrong_count;
use super::control::after;
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use super::names::last;
use crate::ir::claims::Claim;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, Pat, Token};

static LESSER: Builtin = of_two("min");
static GREATER: Builtin = of_two("max");

const fn of_two(name: &'static str) -> Builtin {
    use Scalar::{I32, I64, U32, U64};
    Builtin {
        name,
        class: Class::Only(&[1], &[I32, U32, I64, U64]),
        parameters: &[Parameter::T, Parameter::T],
        result: Parameter::T,
        emit: Emit::Call(name),
    }
}

/// Returns the module and the name of a path into `std`.
pub fn in_std(names: &[String]) -> Option<(&str, &str)> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names[..] {
        ["std" | "core", module @ ("mem" | "cmp" | "array"), name]
        | [module @ ("mem" | "cmp" | "array"), name] => Some((module, name)),
        _ => None,
    }
}

impl Body<'_, '_> {
    /// Lowers a call of a `std` function. Returns `None` if kernels do not support it.
    pub fn call_of_std(
        &mut self,
        module: &str,
        name: &str,
        call: &ExprCall,
    ) -> Option<syn::Result<Node>> {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let wanted = match (module, name) {
            ("array", "from_fn") => return Some(self.array_from_fn(call)),
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

    /// Lowers `std::cmp::min` and `max` on integers.
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
        let row = if name == "min" { &LESSER } else { &GREATER };
        self.builtin(&[row], name, None, None, &arguments, place(call))
    }

    /// Lowers `std::mem::swap(&mut a, &mut b)`.
    fn swapped(&mut self, first: &Expr, second: &Expr, call: &ExprCall) -> syn::Result<Node> {
        let extent = place(call);
        let mut statements = Vec::new();
        let first = self.lent_place(first, &mut statements)?;
        let second = self.lent_place(second, &mut statements)?;
        let second = self.coerce(second, &first.ty);
        let held = self.named_value("held", first.clone(), &mut statements);
        for (to, from) in [(first, second.clone()), (second, held)] {
            statements.push(NodeBuilder(to.place).assign(to, from));
        }
        let at = NodeBuilder(extent);
        Ok(at.node(ExprKind::Block(None, at.block(statements)), &Ty::UNIT))
    }

    /// Lowers `std::mem::replace(&mut a, value)`, or without a value `std::mem::take(&mut a)`.
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
                self.named_value("value", value, &mut statements)
            }
            None => self.default_of(&target.ty, extent),
        };
        let held = self.named_value("held", target.clone(), &mut statements);
        statements.push(NodeBuilder(target.place).assign(target, value));
        Ok(Node { place: extent, ..after(statements, held) })
    }

    /// Returns the place in `&mut place`, with its indices evaluated.
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
                Ok(self.fix_place(node, statements))
            }
            Ty::Error => Err(super::errors::already_reported()),
            _ => refuse(node.place, "expected a mutable reference: write `&mut …`"),
        }
    }

    /// Lowers `matches!(value, pattern)`.
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

/// The arguments of `matches!(…)`.
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

impl Body<'_, '_> {
    /// Lowers `std::array::from_fn(|i| …)`. The length is inferred from the result type.
    pub fn array_from_fn(&mut self, call: &syn::ExprCall) -> syn::Result<Node> {
        let at = NodeBuilder(place(call));
        let [function] = call.args.iter().collect::<Vec<_>>()[..] else {
            return refuse(at.0, wrong_count("from_fn", &[1], call.args.len()));
        };
        let element = self.types.fresh(VariableKind::Any);
        let length = self.types.fresh(VariableKind::Any);
        let ty = Ty::Array(Box::new(element.clone()), Box::new(length.clone()));
        let function = self.expr(function);
        let mut statements = Vec::new();
        let made = self.named_variable("made", at.zero(&ty), &mut statements);
        let local = self.named_local("index", &Ty::USIZE, at.0);
        let index = at.local(local, &Ty::USIZE);
        let value = self.call_node(&function, vec![index.clone()], at.0)?;
        let value = self.coerce(value, &element);
        let part = ExprKind::Index(Box::new(made.clone()), Box::new(index));
        let turns = For {
            label: self.label(),
            local,
            start: at.number(0, &Ty::USIZE),
            end: at.zero(&length),
            inclusive: false,
            step: None,
            reversed: false,
            body: at.block(vec![at.assign(at.node(part, &element), value)]),
        };
        let turns = at.node(ExprKind::For(Box::new(turns)), &Ty::UNIT);
        statements.push(Statement::Expr(turns));
        Ok(after(statements, made))
    }
}

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
