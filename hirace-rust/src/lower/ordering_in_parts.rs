//! `<`, `<=`, `>` and `>=` on structs with `#[derive(PartialOrd)]` and on tuples. The comparison is lexicographic.

use super::super::tree::{Binary, Block, Expr, ExprKind, Place, Statement, Type};
use super::body::Body;
use super::equality::{BOOL, expr};
use super::infer::{Ty, VariableKind};
use super::items::TypeItem;

impl Body<'_, '_> {
    /// Returns whether a composite type is ordered.
    pub fn is_ordered(&self, ty: &Ty) -> bool {
        match self.types.shallow(ty) {
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
