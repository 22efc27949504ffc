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

static MIN: Builtin = integer_builtin("min");
static MAX: Builtin = integer_builtin("max");

const fn integer_builtin(name: &'static str) -> Builtin {
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
        let expected_count = match (module, name) {
            ("array", "from_fn") => return Some(self.array_from_fn(call)),
            ("mem", "take") => 1,
            ("mem", "swap" | "replace") | ("cmp", "min" | "max") => 2,
            _ => return None,
        };
        if arguments.len() != expected_count {
            return Some(refuse(
                place(call),
                wrong_count(name, &[expected_count], arguments.len()),
            ));
        }
        Some(match (module, &arguments[..]) {
            ("cmp", [left, right]) => self.min_or_max(name, left, right, call),
            (_, [target]) => self.replace_or_take(target, None, call),
            (_, [target, other]) if name == "swap" => self.swap(target, other, call),
            (_, [target, other]) => self.replace_or_take(target, Some(other), call),
            _ => return None,
        })
    }

    /// Lowers `std::cmp::min` and `max` on integers.
    fn min_or_max(
        &mut self,
        name: &str,
        left: &Expr,
        right: &Expr,
        call: &ExprCall,
    ) -> syn::Result<Node> {
        let mut arguments = super::calls::Arguments::new();
        arguments.push(left.clone());
        arguments.push(right.clone());
        let row = if name == "min" { &MIN } else { &MAX };
        self.builtin(&[row], name, None, None, &arguments, place(call))
    }

    /// Lowers `std::mem::swap(&mut a, &mut b)`.
    fn swap(&mut self, first: &Expr, second: &Expr, call: &ExprCall) -> syn::Result<Node> {
        let extent = place(call);
        let mut statements = Vec::new();
        let first = self.place_behind_reference(first, &mut statements)?;
        let second = self.place_behind_reference(second, &mut statements)?;
        let second = self.coerce(second, &first.ty);
        let saved = self.named_value("held", first.clone(), &mut statements);
        for (to, from) in [(first, second.clone()), (second, saved)] {
            statements.push(NodeBuilder(to.place).assign(to, from));
        }
        let builder = NodeBuilder(extent);
        Ok(builder.node(ExprKind::Block(None, builder.block(statements)), &Ty::UNIT))
    }

    /// Lowers `std::mem::replace(&mut a, value)`, or without a value `std::mem::take(&mut a)`.
    fn replace_or_take(
        &mut self,
        target: &Expr,
        value: Option<&Expr>,
        call: &ExprCall,
    ) -> syn::Result<Node> {
        let extent = place(call);
        let mut statements = Vec::new();
        let target = self.place_behind_reference(target, &mut statements)?;
        let value = match value {
            Some(value) => {
                let value = self.value(value);
                let value = self.coerce(value, &target.ty);
                self.named_value("value", value, &mut statements)
            }
            None => self.default_of(&target.ty, extent),
        };
        let saved = self.named_value("held", target.clone(), &mut statements);
        statements.push(NodeBuilder(target.place).assign(target, value));
        Ok(Node { place: extent, ..after(statements, saved) })
    }

    /// Returns the place in `&mut place`, with its indices evaluated.
    fn place_behind_reference(
        &mut self,
        argument: &Expr,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<Node> {
        let node = self.expr(argument);
        match self.types.resolve_shallow(&node.ty) {
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
        let builder = NodeBuilder(place(call));
        let [function] = call.args.iter().collect::<Vec<_>>()[..] else {
            return refuse(builder.0, wrong_count("from_fn", &[1], call.args.len()));
        };
        let element = self.types.fresh(VariableKind::Any);
        let length = self.types.fresh(VariableKind::Any);
        let ty = Ty::Array(Box::new(element.clone()), Box::new(length.clone()));
        let function = self.expr(function);
        let mut statements = Vec::new();
        let array = self.named_variable("made", builder.zero(&ty), &mut statements);
        let local = self.named_local("index", &Ty::USIZE, builder.0);
        let index = builder.local(local, &Ty::USIZE);
        let value = self.call_node(&function, vec![index.clone()], builder.0)?;
        let value = self.coerce(value, &element);
        let part = ExprKind::Index(Box::new(array.clone()), Box::new(index));
        let range_loop = For {
            label: self.label(),
            local,
            start: builder.number(0, &Ty::USIZE),
            end: builder.zero(&length),
            inclusive: false,
            step: None,
            reversed: false,
            body: builder.block(vec![builder.assign(builder.node(part, &element), value)]),
        };
        let range_loop = builder.node(ExprKind::For(Box::new(range_loop)), &Ty::UNIT);
        statements.push(Statement::Expr(range_loop));
        Ok(after(statements, array))
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
