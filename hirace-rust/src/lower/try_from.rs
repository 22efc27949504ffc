//! `u32::try_from(x)`: a checked conversion between integer types.

use super::super::tree::{Binary, EnumKind, ExprKind, Place, Scalar, Type};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::control::after;
use super::errors::refuse;
use super::infer::Ty;

impl Body<'_, '_> {
    /// Lowers `T::try_from(value)`. The error value is represented by a `bool`, because it cannot be inspected.
    pub fn try_from(&mut self, to: Scalar, value: Node, extent: Place) -> syn::Result<Node> {
        self.resolve_obligations();
        if self.types.open(&value.ty).is_some() {
            self.types.unify(&value.ty, &Scalar::I32.into());
        }
        let from = match self.types.known(&value.ty) {
            Some(Type::Scalar(from)) => from.range(),
            _ => None,
        };
        let (Some(from), Some(range)) = (from, to.range()) else {
            let (given, named) = (self.describe(&value.ty), to.name());
            let message = format!(
                "`{named}` cannot be converted from `{given}` like this: write `… as {named}`"
            );
            return refuse(extent, message);
        };
        let at = NodeBuilder(extent);
        let mut statements = Vec::new();
        let value = self.named_value("value", value, &mut statements);
        let compared = |operator, end| at.test(operator, value.clone(), at.number(end, &value.ty));
        let least = (range.0 > from.0).then(|| compared(Binary::GreaterOrEqual, range.0));
        let greatest = (range.1 < from.1).then(|| compared(Binary::LessOrEqual, range.1));
        let fits = least.into_iter().chain(greatest);
        let fits = fits.reduce(|a, b| at.test(Binary::AndThen, a, b));
        let ty = Ty::Enum(EnumKind::Result, vec![to.into(), Ty::BOOL]);
        let same = vec![at.convert(value.clone(), &to.into())];
        let same = at.node(ExprKind::Variant(0, same), &ty);
        let other = at.node(ExprKind::Variant(1, vec![at.truth(true)]), &ty);
        Ok(after(
            statements,
            match fits {
                Some(fits) => at.choose(fits, same, other),
                None => same,
            },
        ))
    }
}
