//! `Default::default()`: the default value of a type. It is zero, unless an `impl` or `#[default]` specifies another
//! value for the type or a part of it.

use super::super::tree::{EnumKind, ExprKind, Place, Type};
use super::body::{Body, Node, error_node};
use super::build::NodeBuilder;
use super::generic_calls::Pending;
use super::infer::Ty;

impl Body<'_, '_> {
    /// Lowers the default of a type that may be inferred later.
    pub fn default_of(&mut self, ty: &Ty, extent: Place) -> Node {
        self.pending.push(Pending::Default(ty.clone()));
        NodeBuilder(extent).node(ExprKind::Instance(self.pending.len() - 1, Vec::new()), ty)
    }

    /// Returns the default once the type is known.
    pub fn resolve_default(&mut self, ty: &Ty, extent: Place) -> ExprKind<Ty> {
        let known = self.types.known(ty);
        let made = known.and_then(|known| self.default_but_zero(&known, extent));
        made.unwrap_or_else(|| NodeBuilder(extent).zero(ty)).kind
    }

    /// Returns a default that is not zero.
    fn default_but_zero(&mut self, ty: &Type, extent: Place) -> Option<Node> {
        let node = |kind| NodeBuilder(extent).node(kind, &ty.into());
        if let Some(own) = self.associated(&ty.into(), "default").first().copied() {
            let made = self.items.instance(own, vec![("Self".to_owned(), ty.clone())], extent);
            let made = self.items.errors.keep(made);
            return Some(
                made.map_or(error_node(extent), |made| node(ExprKind::Call(made, Vec::new()))),
            );
        }
        match ty {
            Type::Enum(EnumKind::Own(id), _) => {
                let of = &self.items.module.enums[id.0];
                let Some(nth) = of.default else {
                    let message = format!("`{}` has no variant marked `#[default]`", of.name.text);
                    self.report(extent, message);
                    return Some(error_node(extent));
                };
                Some(node(ExprKind::Variant(nth, Vec::new())))
            }
            Type::Struct(id) => {
                let members = self.items.module.structs[id.0].members.iter();
                let types = members.map(|member| member.ty.clone()).collect();
                self.defaults(types, extent).map(node)
            }
            Type::Tuple(types) => self.defaults(types.clone(), extent).map(node),
            Type::Array(element, _) => {
                let element = self.default_but_zero(element, extent)?;
                Some(node(ExprKind::Repeat(Box::new(element))))
            }
            _ => None,
        }
    }

    /// Returns the defaults of several parts, if one of them is not zero.
    fn defaults(&mut self, types: Vec<Type>, extent: Place) -> Option<ExprKind<Ty>> {
        let parts: Vec<Option<Node>> =
            types.iter().map(|ty| self.default_but_zero(ty, extent)).collect();
        parts.iter().any(Option::is_some).then(|| {
            let parts = parts.into_iter().zip(&types);
            let parts = parts
                .map(|(part, ty)| part.unwrap_or_else(|| NodeBuilder(extent).zero(&ty.into())));
            ExprKind::Construct(parts.collect())
        })
    }
}
