//! Operators and their result types.

use super::super::tree::{Binary, ExprKind, Literal, Place, Scalar, Type, Unary};
use super::body::{Body, Node, error_node};
use super::build::NodeBuilder;
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use super::members::{method_of, method_of_prefix};
use super::obligations::Obligation;
use syn::{BinOp, ExprBinary, ExprUnary, UnOp};

/// The result of checking an obligation.
pub enum Outcome {
    /// It holds. For an operator, this is the result type.
    Holds(Ty),
    /// The types are not known well enough.
    Waits,
    /// It cannot hold.
    Fails,
}

use Outcome::{Fails, Holds, Waits};

impl Body<'_, '_> {
    /// Lowers `left operator right` or `place operator= value`.
    pub fn binary(&mut self, binary: &ExprBinary) -> syn::Result<Node> {
        let Some((operator, assigns)) = operator(&binary.op) else {
            return refuse(place(&binary.op), "WGSL has no such operator");
        };
        let left = self.expr(&binary.left);
        if assigns {
            return self.assign_binary(operator, left, binary);
        }
        let right = self.expr(&binary.right);
        let extent = place(binary);
        if let Binary::AndThen | Binary::OrElse = operator {
            let left = self.coerce(left, &Ty::BOOL);
            let right = self.coerce(right, &Ty::BOOL);
            let diverges = left.diverges;
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            return Ok(Node { kind, ty: Ty::BOOL, diverges, place: extent });
        }
        if let Some((name, _)) = method_of(operator)
            && let Some(own) = self.own_operator(name, &left, Some(&right), extent)
        {
            return own;
        }
        // `ne` is provided by `eq`.
        if operator == Binary::NotEqual
            && let Some(own) = self.own_operator("eq", &left, Some(&right), extent)
        {
            let equal = own?;
            let (ty, diverges) = (equal.ty.clone(), equal.diverges);
            let kind = ExprKind::Unary(Unary::Not, Box::new(equal));
            return Ok(Node { kind, ty, diverges, place: extent });
        }
        let (left, right) = (self.operand(left), self.operand(right));
        let (l, r) = (left.ty.clone(), right.ty.clone());
        if [&l, &r].into_iter().any(|ty| self.types.shallow(ty) == Ty::Never) {
            // If an operand diverges, the operation is never executed.
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            return Ok(Node { kind, ty: Ty::Never, diverges: true, place: extent });
        }
        if is_comparison(operator) {
            return Ok(self.compared(operator, left, right, extent));
        }
        let result = self.types.fresh(VariableKind::Any);
        self.add_obligation(Obligation::Operator {
            operator,
            left: l,
            right: r,
            result: result.clone(),
            place: extent,
        });
        Ok(Node { ty: result, ..NodeBuilder(extent).binary(operator, left, right) })
    }

    fn assign_binary(
        &mut self,
        operator: Binary,
        left: Node,
        binary: &ExprBinary,
    ) -> syn::Result<Node> {
        let right = self.expr(&binary.right);
        let extent = place(binary);
        if let Some((_, name)) = method_of(operator)
            && let Some(own) = self.own_operator(name, &left, Some(&right), extent)
        {
            return own;
        }
        let right = self.operand(right);
        if let Ty::Plain(Type::Atomic(_)) = self.types.shallow(&left.ty).referent() {
            return refuse(
                left.place,
                "an atomic cannot be assigned to: use a method such as `.fetch_add(…)`",
            );
        }
        if let Ty::Reference(..) = self.types.shallow(&left.ty) {
            return refuse(
                left.place,
                "cannot assign to a reference: write `*` before it to assign to its target",
            );
        }
        self.writes(&left)?;
        let (l, r) = (left.ty.clone(), right.ty.clone());
        self.add_obligation(Obligation::Operator {
            operator,
            left: l.clone(),
            right: r,
            result: l,
            place: extent,
        });
        let diverges = left.diverges || right.diverges;
        let kind = ExprKind::AssignBinary(operator, Box::new(left), Box::new(right));
        Ok(Node { kind, ty: Ty::UNIT, diverges, place: extent })
    }

    /// Lowers `left operator right` for a comparison operator.
    pub fn compared(&mut self, operator: Binary, left: Node, right: Node, extent: Place) -> Node {
        self.add_obligation(Obligation::Operator {
            operator,
            left: left.ty.clone(),
            right: right.ty.clone(),
            result: Ty::BOOL,
            place: extent,
        });
        NodeBuilder(extent).test(operator, left, right)
    }

    /// Operators accept `&T` as well as `T`.
    pub fn operand(&mut self, mut node: Node) -> Node {
        match self.types.shallow(&node.ty) {
            Ty::Reference(false, to) if !matches!(*to, Ty::Reference(..)) => {
                node.ty = *to;
                node
            }
            Ty::Reference(..) => {
                self.report(node.place, "expected a value, found a reference: write `*` before it");
                error_node(node.place)
            }
            _ => node,
        }
    }

    /// Lowers `-x`, `!x` or `*x`.
    pub fn unary(&mut self, unary: &ExprUnary) -> syn::Result<Node> {
        let node = self.expr(&unary.expr);
        let operator = match &unary.op {
            UnOp::Deref(_) => return self.dereference(node, unary),
            UnOp::Not(_) => Unary::Not,
            UnOp::Neg(_) => Unary::Negate,
            other => return refuse(place(other), "WGSL has no such operator"),
        };
        if let Some(own) = self.own_operator(method_of_prefix(operator), &node, None, place(unary))
        {
            return own;
        }
        let node = self.operand(node);
        let (ty, diverges) = (node.ty.clone(), node.diverges);
        if let (Unary::Negate, ExprKind::Literal(literal)) = (operator, &node.kind) {
            let negative = match *literal {
                Literal::Int(value) => Literal::Int(-value),
                Literal::Float(value) => Literal::Float(-value),
                other => other,
            };
            if negative != *literal {
                return Ok(self.node(ExprKind::Literal(negative), ty, unary));
            }
        }
        self.add_obligation(Obligation::Prefix { operator, ty: ty.clone(), place: place(unary) });
        let kind = ExprKind::Unary(operator, Box::new(node));
        Ok(Node { kind, ty, diverges, place: place(unary) })
    }

    /// Returns the result type of an operator, and unifies literals with the type of the other operand.
    pub fn operate(&mut self, operator: Binary, left: &Ty, right: &Ty, last: bool) -> Outcome {
        use Shape::*;
        let (l, r) = (self.shape(left), self.shape(right));
        if l == Error || r == Error {
            return Holds(Ty::Error);
        }
        let shift = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
        if l == Unknown || r == Unknown {
            if !last {
                return Waits;
            }
            let agree = self.types.unify(left, right);
            return if agree { self.operate_known(operator, left, left) } else { Fails };
        }
        if shift { self.shift(left, right) } else { self.operate_known(operator, left, right) }
    }

    fn operate_known(&mut self, operator: Binary, left: &Ty, right: &Ty) -> Outcome {
        use Shape::*;
        let bitwise = matches!(operator, Binary::And | Binary::Or | Binary::Xor);
        let fits = |scalar: Scalar| match scalar {
            Scalar::Bool => bitwise,
            Scalar::F32 | Scalar::F16 => !bitwise,
            _ => true,
        };
        if is_comparison(operator) {
            return self.compare(operator, left, right);
        }
        match (self.shape(left), self.shape(right)) {
            (Of(scalar, Some(_)), _) | (_, Of(scalar, Some(_))) if !fits(scalar) => Fails,
            (Of(scalar, Some(_)), Of(_, None) | Integer | Float) if scalar != Scalar::Bool => {
                self.scaled(left, scalar, right)
            }
            (Of(_, None) | Integer | Float, Of(scalar, Some(_))) if scalar != Scalar::Bool => {
                self.scaled(right, scalar, left)
            }
            (Of(_, Some(_)), Of(_, Some(_))) => self.same(left, right),
            (Matrix(..), Matrix(..)) if matches!(operator, Binary::Add | Binary::Subtract) => {
                self.same(left, right)
            }
            (Matrix(columns, rows), other) | (other, Matrix(columns, rows))
                if operator == Binary::Multiply =>
            {
                match (self.shape(left), other) {
                    (Matrix(..), Matrix(columns2, rows2)) if columns == rows2 => {
                        Holds(Ty::Plain(Type::Matrix { columns: columns2, rows }))
                    }
                    (Matrix(..), Of(Scalar::F32, Some(size))) if size == columns => {
                        Holds(Ty::Plain(Type::Vector(rows, Scalar::F32)))
                    }
                    (Matrix(..), Of(Scalar::F32, None) | Float) => {
                        self.scaled(left, Scalar::F32, right)
                    }
                    (Of(Scalar::F32, None) | Float, _) => self.scaled(right, Scalar::F32, left),
                    _ => Fails,
                }
            }
            (Matrix(..), _) | (_, Matrix(..)) | (Other, _) | (_, Other) => Fails,
            (Of(scalar, None), _) | (_, Of(scalar, None)) if !fits(scalar) => Fails,
            (Float, _) | (_, Float) if bitwise => Fails,
            _ => self.same(left, right),
        }
    }

    fn compare(&mut self, operator: Binary, left: &Ty, right: &Ty) -> Outcome {
        if !self.types.unify(left, right) {
            return Fails;
        }
        let equality = matches!(operator, Binary::Equal | Binary::NotEqual);
        if self.is_fieldless(left) {
            return Holds(Ty::BOOL);
        }
        match self.shape(left) {
            Shape::Of(Scalar::Bool, _) | Shape::Of(_, Some(_)) if !equality => Fails,
            Shape::Of(..) | Shape::Integer | Shape::Float => Holds(Ty::BOOL),
            Shape::Matrix(..) if equality && !self.constant => Holds(Ty::BOOL),
            Shape::Other if !equality && !self.constant && self.is_ordered(left) => Holds(Ty::BOOL),
            Shape::Other if equality && !self.constant => match self.types.shallow(left) {
                Ty::Tuple(_) | Ty::Array(..) | Ty::Plain(Type::Struct(_)) => Holds(Ty::BOOL),
                _ => Fails,
            },
            _ => Fails,
        }
    }

    fn shift(&mut self, left: &Ty, right: &Ty) -> Outcome {
        let integer = Scalar::is_integer;
        match (self.shape(left), self.shape(right)) {
            (Shape::Integer, Shape::Of(scalar, None)) if integer(scalar) => Holds(left.clone()),
            (Shape::Of(scalar, _), Shape::Of(by, None)) if integer(scalar) && integer(by) => {
                Holds(left.clone())
            }
            (Shape::Of(scalar, Some(n)), Shape::Of(by, Some(m)))
                if integer(scalar) && integer(by) && n == m =>
            {
                Holds(left.clone())
            }
            (Shape::Of(scalar, _), Shape::Integer) if integer(scalar) => Holds(left.clone()),
            (Shape::Integer, Shape::Integer) => Holds(left.clone()),
            _ => Fails,
        }
    }

    fn same(&mut self, left: &Ty, right: &Ty) -> Outcome {
        if self.types.unify(left, right) { Holds(left.clone()) } else { Fails }
    }

    /// Returns the result of a vector or matrix with a number, which has the composite type.
    fn scaled(&mut self, composite: &Ty, scalar: Scalar, number: &Ty) -> Outcome {
        if self.types.unify(number, &scalar.into()) { Holds(composite.clone()) } else { Fails }
    }

    /// Returns the message for an operator that is not defined for two types.
    pub fn no_operator(&self, operator: Binary, left: &Ty, right: &Ty) -> String {
        use Shape::*;
        let (l, r) = (self.describe(left), self.describe(right));
        let sign = sign(operator);
        let both = format!("`{l} {sign} {r}` is not defined");
        let hint = match (self.shape(left), self.shape(right)) {
            (Of(_, Some(_)), Of(_, Some(_))) if is_comparison(operator) && l == r => match operator
            {
                Binary::Less => "compare the components with `a.cmplt(b)`",
                Binary::LessOrEqual => "compare the components with `a.cmple(b)`",
                Binary::Greater => "compare the components with `a.cmpgt(b)`",
                _ => "compare the components with `a.cmpge(b)`",
            },
            (Matrix(..), Of(_, None) | Float) if operator == Binary::Divide => {
                "WGSL cannot divide a matrix: write `m * (1.0 / x)`"
            }
            (Of(_, Some(_)), Matrix(..)) => {
                "the matrix must be the left operand: write `m.transpose() * v`"
            }
            _ if matches!(left, Ty::Plain(Type::Atomic(_)))
                || matches!(right, Ty::Plain(Type::Atomic(_))) =>
            {
                "read the atomic with `.load()`"
            }
            (Of(Scalar::F16, None), Float | Integer) | (Float | Integer, Of(Scalar::F16, None)) => {
                "`f16` has no literals: write `f16::from_f32(…)`"
            }
            (Of(Scalar::F16, None), Of(Scalar::F32, None))
            | (Of(Scalar::F32, None), Of(Scalar::F16, None)) => {
                "convert one side, `….to_f32()` or `f16::from_f32(…)`"
            }
            (Integer, Of(Scalar::F32, _))
            | (Of(Scalar::F32, _), Integer)
            | (Float, Integer)
            | (Integer, Float) => "write the number with a decimal point, `2.0`",
            (Of(integer, None), Float) | (Float, Of(integer, None)) if integer.is_integer() => {
                "convert the integer, `… as f32`, or write the number without a decimal point"
            }
            (Of(a, None), Of(b, None)) if a != b && a != Scalar::Bool && b != Scalar::Bool => {
                return format!("{both}: convert one side, `… as {l}` or `… as {r}`");
            }
            (Of(a, Some(_)), Of(b, _)) if a != b && b != Scalar::Bool && a != Scalar::Bool => {
                "convert one side to the scalar type of the other"
            }
            _ if is_comparison(operator) && l == r => "compare the members one by one",
            _ => return both,
        };
        format!("{both}: {hint}")
    }

    /// Returns the shape of a type.
    pub fn shape(&self, ty: &Ty) -> Shape {
        if let Some(kind) = self.types.open(ty) {
            return match kind {
                VariableKind::Any => Shape::Unknown,
                VariableKind::Integer | VariableKind::Length => Shape::Integer,
                VariableKind::Float => Shape::Float,
            };
        }
        match self.types.shallow(ty) {
            Ty::Error | Ty::Never => Shape::Error,
            Ty::Plain(Type::Scalar(scalar)) => Shape::Of(scalar, None),
            Ty::Plain(Type::Vector(size, scalar)) => Shape::Of(scalar, Some(size)),
            Ty::Plain(Type::Matrix { columns, rows }) => Shape::Matrix(columns, rows),
            _ => Shape::Other,
        }
    }
}

/// A type as operators distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Unknown,
    Error,
    /// An integer literal or a length.
    Integer,
    /// A float literal.
    Float,
    /// A scalar, or a vector with this number of components.
    Of(Scalar, Option<u8>),
    /// A matrix with these columns and rows.
    Matrix(u8, u8),
    Other,
}

impl Shape {
    /// Returns whether it is the shape of a scalar.
    pub fn is_scalar(self) -> bool {
        matches!(self, Self::Of(_, None) | Self::Integer | Self::Float)
    }
}

fn is_comparison(operator: Binary) -> bool {
    use Binary::*;
    matches!(operator, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
}

/// Returns the operator, and whether it assigns.
fn operator(operator: &BinOp) -> Option<(Binary, bool)> {
    Some(match operator {
        BinOp::Add(_) => (Binary::Add, false),
        BinOp::Sub(_) => (Binary::Subtract, false),
        BinOp::Mul(_) => (Binary::Multiply, false),
        BinOp::Div(_) => (Binary::Divide, false),
        BinOp::Rem(_) => (Binary::Remainder, false),
        BinOp::And(_) => (Binary::AndThen, false),
        BinOp::Or(_) => (Binary::OrElse, false),
        BinOp::BitXor(_) => (Binary::Xor, false),
        BinOp::BitAnd(_) => (Binary::And, false),
        BinOp::BitOr(_) => (Binary::Or, false),
        BinOp::Shl(_) => (Binary::ShiftLeft, false),
        BinOp::Shr(_) => (Binary::ShiftRight, false),
        BinOp::Eq(_) => (Binary::Equal, false),
        BinOp::Lt(_) => (Binary::Less, false),
        BinOp::Le(_) => (Binary::LessOrEqual, false),
        BinOp::Ne(_) => (Binary::NotEqual, false),
        BinOp::Ge(_) => (Binary::GreaterOrEqual, false),
        BinOp::Gt(_) => (Binary::Greater, false),
        BinOp::AddAssign(_) => (Binary::Add, true),
        BinOp::SubAssign(_) => (Binary::Subtract, true),
        BinOp::MulAssign(_) => (Binary::Multiply, true),
        BinOp::DivAssign(_) => (Binary::Divide, true),
        BinOp::RemAssign(_) => (Binary::Remainder, true),
        BinOp::BitXorAssign(_) => (Binary::Xor, true),
        BinOp::BitAndAssign(_) => (Binary::And, true),
        BinOp::BitOrAssign(_) => (Binary::Or, true),
        BinOp::ShlAssign(_) => (Binary::ShiftLeft, true),
        BinOp::ShrAssign(_) => (Binary::ShiftRight, true),
        _ => return None,
    })
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessOrEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterOrEqual => ">=",
        Binary::AndThen => "&&",
        Binary::OrElse => "||",
    }
}
