//! Comparison of types that WGSL compares only by parts: `==` and `!=` on tuples, arrays, structs and matrices, and `<`, `<=`, `>`
//! and `>=` on tuples and on structs with `#[derive(PartialOrd)]`, in lexicographic order.

use super::super::tree::{
    Binary, Block, Count, Expr, ExprKind, For, FunctionId, Literal, Local, LocalId, Name, Place,
    Scalar, Statement, Type, Unary,
};
use super::body::Body;
use super::callables::CallableId;
use super::expressions::number_of;
use super::infer::{Ty, VariableKind};
use super::items::TypeItem;

pub const BOOL: Type = Type::Scalar(Scalar::Bool);
const INDEX: Type = Type::Scalar(Scalar::U32);

/// Returns whether values of a type must be compared by parts, because WGSL has no equality operator for the type.
pub fn in_parts(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(_) | Type::Array(..) | Type::Struct(_) | Type::Matrix { .. })
}

impl Body<'_, '_> {
    /// Returns `left == right` or `left != right` for two values of such a type.
    pub fn equal_in_parts(
        &mut self,
        operator: Binary,
        left: Expr,
        right: Expr,
        place: Place,
    ) -> ExprKind {
        let mut statements = Vec::new();
        let [left, right] = [("left", left), ("right", right)].map(|(name, value)| {
            let ty = value.ty.clone();
            let local = self.late_local(name, ty.clone(), false, place);
            statements.push(Statement::Let(local, Some(value), place));
            expr(ExprKind::Local(local), ty, place)
        });
        let same = self.parts_equal(left, right, place);
        let value = match operator {
            Binary::Equal => same,
            _ => expr(ExprKind::Unary(Unary::Not, Box::new(same)), BOOL, place),
        };
        ExprKind::Block(None, Block { statements, value: Some(Box::new(value)), place })
    }

    pub fn parts_equal(&mut self, left: Expr, right: Expr, place: Place) -> Expr {
        if let Some(own) = self.own_equality(&left.ty, place) {
            return expr(ExprKind::Call(own, vec![left, right]), BOOL, place);
        }
        let member = |of: &Expr, index: usize, ty: &Type| {
            expr(ExprKind::Member(Box::new(of.clone()), index), ty.clone(), place)
        };
        let parts: Vec<Type> = match &left.ty {
            Type::Tuple(parts) => parts.clone(),
            Type::Struct(id) => {
                let members = &self.items.module.structs[id.0].members;
                members.iter().map(|member| member.ty.clone()).collect()
            }
            Type::Array(element, count) => {
                let (element, count) = ((**element).clone(), count.clone());
                return self.elements_equal(left, right, &element, &count, place);
            }
            &Type::Matrix { columns, rows } => {
                let column = Type::Vector(rows, Scalar::F32);
                let count = Count::Literal(columns.into());
                return self.elements_equal(left, right, &column, &count, place);
            }
            _ => {
                let kind = super::write_back::binary(Binary::Equal, left, right);
                return expr(kind, BOOL, place);
            }
        };
        let mut all: Option<Expr> = None;
        for (index, ty) in parts.iter().enumerate() {
            let same = self.parts_equal(member(&left, index, ty), member(&right, index, ty), place);
            all = Some(match all {
                Some(all) => {
                    let kind = ExprKind::Binary(Binary::AndThen, Box::new(all), Box::new(same));
                    expr(kind, BOOL, place)
                }
                None => same,
            });
        }
        all.unwrap_or_else(|| expr(ExprKind::Literal(Literal::Bool(true)), BOOL, place))
    }

    /// Returns the function `eq` that an `impl` defines for two values of a type.
    fn own_equality(&mut self, ty: &Type, place: Place) -> Option<FunctionId> {
        let of = Ty::from(ty);
        let with_itself = |body: &mut Self, id: &CallableId| {
            let inputs = &body.items.callables.get(*id).head.inputs;
            let Some(syn::FnArg::Typed(other)) = inputs.last() else { return false };
            let mut names = vec![("Self".to_owned(), of.clone())];
            body.open_type(&other.ty, &mut names).is_ok_and(|other| *other.referent() == of)
        };
        let found = self.find_associated(&of, "eq");
        let own = found.into_iter().find(|id| with_itself(self, id))?;
        let made = self.items.instance(own, vec![("Self".to_owned(), ty.clone())], place);
        self.items.errors.keep(made)
    }

    /// Returns `{ let mut same = true; for i in 0..n { if !(left[i] == right[i]) { same = false; } } same }`.
    fn elements_equal(
        &mut self,
        left: Expr,
        right: Expr,
        element: &Type,
        count: &Count,
        place: Place,
    ) -> Expr {
        let same = self.late_local("same", BOOL, true, place);
        let index = self.late_local("index", INDEX, false, place);
        let at = |of: Expr| {
            let index = Box::new(expr(ExprKind::Local(index), INDEX, place));
            expr(ExprKind::Index(Box::new(of), index), element.clone(), place)
        };
        let equal = self.parts_equal(at(left), at(right), place);
        let literal = |literal, ty| expr(ExprKind::Literal(literal), ty, place);
        let differ = expr(ExprKind::Unary(Unary::Not, Box::new(equal)), BOOL, place);
        let clear = ExprKind::Assign(
            Box::new(expr(ExprKind::Local(same), BOOL, place)),
            Box::new(literal(Literal::Bool(false), BOOL)),
        );
        let then = block(vec![Statement::Expr(expr(clear, Type::Unit, place))], place);
        let test = expr(ExprKind::If(Box::new(differ), then, None), Type::Unit, place);
        let repeated = For {
            label: self.label(),
            local: index,
            start: literal(Literal::Int(0), INDEX),
            end: expr(number_of(count), INDEX, place),
            inclusive: false,
            step: None,
            reversed: false,
            body: block(vec![Statement::Expr(test)], place),
        };
        let repeated = expr(ExprKind::For(Box::new(repeated)), Type::Unit, place);
        let first = Statement::Let(same, Some(literal(Literal::Bool(true), BOOL)), place);
        let value = Some(Box::new(expr(ExprKind::Local(same), BOOL, place)));
        let statements = vec![first, Statement::Expr(repeated)];
        expr(ExprKind::Block(None, Block { statements, value, place }), BOOL, place)
    }

    /// Creates a local after the types of all others are known.
    pub fn late_local(&mut self, name: &str, ty: Type, mutable: bool, place: Place) -> LocalId {
        self.late_locals.push(Local { name: Name { text: name.to_owned(), place }, ty, mutable });
        LocalId(self.locals.len() + self.late_locals.len() - 1)
    }
}

pub fn expr(kind: ExprKind, ty: Type, place: Place) -> Expr {
    Expr { kind, ty, diverges: false, place }
}

fn block(statements: Vec<Statement>, place: Place) -> Block {
    Block { statements, value: None, place }
}

impl Body<'_, '_> {
    /// Returns whether a composite type is ordered.
    pub fn is_ordered(&self, ty: &Ty) -> bool {
        match self.types.resolve_shallow(ty) {
            Ty::Tuple(parts) => parts.iter().all(|part| self.is_ordered(part)),
            Ty::Plain(Type::Scalar(_)) => true,
            Ty::Plain(Type::Struct(id)) => {
                let of = &self.items.module.structs[id.0];
                let derived = match self.items.types.get(&of.name.text) {
                    Some(TypeItem::Struct(item, _)) => derives(&item.attrs, "PartialOrd"),
                    _ => false,
                };
                derived && of.members.iter().all(|member| self.is_ordered(&Ty::from(&member.ty)))
            }
            other => self.types.open(&other).is_some_and(|kind| kind != VariableKind::Any),
        }
    }

    /// Returns `left operator right` for two values of such a type.
    pub fn ordered_in_parts(
        &mut self,
        operator: Binary,
        left: Expr,
        right: Expr,
        place: Place,
    ) -> ExprKind {
        let mut statements = Vec::new();
        let [left, right] = [("left", left), ("right", right)].map(|(name, value)| {
            let ty = value.ty.clone();
            let local = self.late_local(name, ty.clone(), false, place);
            statements.push(Statement::Let(local, Some(value), place));
            expr(ExprKind::Local(local), ty, place)
        });
        let value = Some(Box::new(self.parts_ordered(operator, left, right, place)));
        ExprKind::Block(None, Block { statements, value, place })
    }

    fn parts_ordered(&mut self, operator: Binary, left: Expr, right: Expr, place: Place) -> Expr {
        let parts: Vec<Type> = match &left.ty {
            Type::Tuple(parts) => parts.clone(),
            Type::Struct(id) => {
                let members = &self.items.module.structs[id.0].members;
                members.iter().map(|member| member.ty.clone()).collect()
            }
            _ => return compared(operator, left, right, place),
        };
        let strict = match operator {
            Binary::LessOrEqual => Binary::Less,
            Binary::GreaterOrEqual => Binary::Greater,
            strict => strict,
        };
        let both = |operator, a: Expr, b: Expr| {
            expr(ExprKind::Binary(operator, Box::new(a), Box::new(b)), BOOL, place)
        };
        let mut decided: Option<Expr> = None;
        for (index, ty) in parts.iter().enumerate().rev() {
            let [left, right] = [&left, &right]
                .map(|of| expr(ExprKind::Member(Box::new(of.clone()), index), ty.clone(), place));
            decided = Some(match decided {
                None => self.parts_ordered(operator, left, right, place),
                Some(rest) => {
                    let before = self.parts_ordered(strict, left.clone(), right.clone(), place);
                    let same = self.parts_equal(left, right, place);
                    both(Binary::OrElse, before, both(Binary::AndThen, same, rest))
                }
            });
        }
        decided.unwrap_or_else(|| compared(operator, left, right, place))
    }
}

fn compared(operator: Binary, left: Expr, right: Expr, place: Place) -> Expr {
    expr(super::write_back::binary(operator, left, right), BOOL, place)
}

/// Returns whether an item has a `#[derive(…)]` of this trait.
fn derives(attributes: &[syn::Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("derive") => {
            list.tokens.clone().into_iter().any(|token| token.to_string() == name)
        }
        _ => false,
    })
}
