//! Methods that return an `Option` or an `Ordering`: `a.checked_sub(b)`, `flag.then_some(x)`, `a.cmp(&b)`.

use super::super::tree::{Binary, EnumKind, ExprKind, Place, Scalar};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::control::after;
use super::errors::place;
use super::infer::Ty;
use super::operators::Shape;
use syn::{Expr, ExprMethodCall};

impl Body<'_, '_> {
    /// Lowers `receiver.method(…)` if it is one of these methods, otherwise returns `None`.
    pub fn optional_method(
        &mut self,
        receiver: &Node,
        method: &str,
        call: &ExprMethodCall,
    ) -> syn::Result<Option<Node>> {
        let (extent, at) = (place(call), NodeBuilder(place(call)));
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let of = self.types.shallow(self.types.shallow(&receiver.ty).referent());
        let mut receiver = Node { ty: of.clone(), ..receiver.clone() };
        let mut before = Vec::new();
        let value = match (method, &arguments[..], self.shape(&of)) {
            ("then_some", [value], Shape::Of(Scalar::Bool, None)) => {
                let value = self.value(value);
                let value = self.evaluate_argument(value, &mut receiver, &mut before);
                at.some_if(receiver, value)
            }
            ("then", [function], Shape::Of(Scalar::Bool, None)) => {
                let function = self.expr(function);
                let value = self.call_node(&function, Vec::new(), extent)?;
                at.some_if(receiver, value)
            }
            (
                "checked_add" | "checked_sub" | "checked_mul" | "checked_div" | "checked_rem",
                [other],
                shape,
            ) if is_integer(shape) => {
                let other = self.value(other);
                let other = self.coerce(other, &of);
                self.checked(method, receiver, other, extent)
            }
            ("cmp" | "partial_cmp" | "total_cmp", [other], shape) if shape.is_scalar() => {
                let other = self.expr(other);
                let other = Node { ty: self.types.shallow(&other.ty).referent().clone(), ..other };
                let other = self.coerce(other, &of);
                let order = self.order(receiver, other, extent);
                match method {
                    "partial_cmp" => at.some(order),
                    _ => order,
                }
            }
            ("reverse", [], _) if of == ORDERING => {
                let receiver = self.keep_value("order", receiver, &mut before);
                let of_nth = |nth| at.node(ExprKind::Variant(nth, Vec::new()), &ORDERING);
                let is = |nth| at.test(Binary::Equal, receiver.clone(), of_nth(nth));
                let less = at.choose(is(0), of_nth(2), of_nth(1));
                at.choose(is(2), of_nth(0), less)
            }
            ("is_lt" | "is_le" | "is_gt" | "is_ge" | "is_eq" | "is_ne", [], _)
                if of == ORDERING =>
            {
                let (operator, nth) = match method {
                    "is_lt" => (Binary::Equal, 0),
                    "is_ge" => (Binary::NotEqual, 0),
                    "is_gt" => (Binary::Equal, 2),
                    "is_le" => (Binary::NotEqual, 2),
                    "is_eq" => (Binary::Equal, 1),
                    _ => (Binary::NotEqual, 1),
                };
                at.test(operator, receiver, at.node(ExprKind::Variant(nth, Vec::new()), &ORDERING))
            }
            _ => return Ok(None),
        };
        Ok(Some(after(before, value)))
    }

    /// Lowers `left.checked_add(right)` and similar methods, computed with wrapping 32-bit or with 64-bit arithmetic.
    fn checked(&mut self, method: &str, left: Node, right: Node, extent: Place) -> Node {
        let ty = left.ty.clone();
        self.resolve_obligations();
        let wraps = match self.shape(&ty) {
            Shape::Of(Scalar::Usize, None) => Ty::U32,
            Shape::Of(Scalar::Isize, None) => Ty::from(Scalar::I32),
            _ => ty.clone(),
        };
        let at = NodeBuilder(extent);
        let mut statements = Vec::new();
        let left = self.named_value("left", at.convert(left, &wraps), &mut statements);
        let right = self.named_value("right", at.convert(right, &wraps), &mut statements);
        let of = |value| at.number(value, &wraps);
        let with = |operator, a: &Node, b: &Node| at.binary(operator, a.clone(), b.clone());
        let test = |operator, a: &Node, b: &Node| at.test(operator, a.clone(), b.clone());
        let signed = wraps == Ty::from(Scalar::I32) || wraps == Ty::from(Scalar::I64);
        let least = match wraps == Ty::from(Scalar::I64) {
            true => of(i64::MIN.into()),
            false => of(i32::MIN.into()),
        };
        let not_least = |a: &Node, b: &Node| {
            let either = test(Binary::NotEqual, a, &of(-1));
            test(Binary::OrElse, &either, &test(Binary::NotEqual, b, &least))
        };
        let operator = match method {
            "checked_add" => Binary::Add,
            "checked_sub" => Binary::Subtract,
            "checked_mul" => Binary::Multiply,
            "checked_div" => Binary::Divide,
            _ => Binary::Remainder,
        };
        let value = || with(operator, &left, &right);
        let (fits, value) = match (operator, signed) {
            (Binary::Divide | Binary::Remainder, signed) => {
                let some = test(Binary::NotEqual, &right, &of(0));
                let fits = match signed {
                    true => test(Binary::AndThen, &some, &not_least(&right, &left)),
                    false => some,
                };
                (fits, value())
            }
            (Binary::Subtract, false) => (test(Binary::LessOrEqual, &right, &left), value()),
            (operator, signed) => {
                let value = self.named_value("value", value(), &mut statements);
                let fits = match (operator, signed) {
                    (Binary::Multiply, signed) => {
                        let back = with(Binary::Divide, &value, &left);
                        let back = test(Binary::Equal, &back, &right);
                        let back = match signed {
                            true => test(Binary::AndThen, &not_least(&left, &right), &back),
                            false => back,
                        };
                        test(Binary::OrElse, &test(Binary::Equal, &left, &of(0)), &back)
                    }
                    (_, false) => test(Binary::GreaterOrEqual, &value, &left),
                    (operator, true) => {
                        let further = match operator {
                            Binary::Add => Binary::GreaterOrEqual,
                            _ => Binary::LessOrEqual,
                        };
                        let up = test(Binary::GreaterOrEqual, &right, &of(0));
                        test(Binary::Equal, &up, &test(further, &value, &left))
                    }
                };
                (fits, value)
            }
        };
        let value = at.some_if(fits, at.convert(value, &ty));
        after(statements, value)
    }

    /// Lowers `left.cmp(&right)`.
    fn order(&mut self, left: Node, right: Node, extent: Place) -> Node {
        let mut statements = Vec::new();
        let left = self.named_value("left", left, &mut statements);
        let right = self.named_value("right", right, &mut statements);
        let at = NodeBuilder(extent);
        let of_nth = |nth| at.node(ExprKind::Variant(nth, Vec::new()), &ORDERING);
        let less = self.compared(Binary::Less, left.clone(), right.clone(), extent);
        let greater = self.compared(Binary::Greater, left, right, extent);
        let otherwise = at.choose(greater, of_nth(2), of_nth(1));
        after(statements, at.choose(less, of_nth(0), otherwise))
    }
}

/// The type `std::cmp::Ordering`.
pub const ORDERING: Ty = Ty::Enum(EnumKind::Ordering, Vec::new());

fn is_integer(shape: Shape) -> bool {
    matches!(shape, Shape::Of(scalar, None) if scalar.is_integer())
        || matches!(shape, Shape::Integer)
}
