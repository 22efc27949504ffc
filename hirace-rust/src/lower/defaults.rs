//! `Default::default()`: the default value of a type. It is zero, unless an `impl` or `#[default]` specifies another
//! value for the type or a part of it.

use super::super::tree::{EnumKind, ExprKind, Place, Type};
use super::body::{Body, Node, error_node};
use super::build::NodeBuilder;
use super::generic_calls::PendingCall;
use super::infer::Ty;

impl Body<'_, '_> {
    /// Lowers the default value of a type that may be inferred later.
    pub fn default_of(&mut self, ty: &Ty, extent: Place) -> Node {
        self.pending.push(PendingCall::Default(ty.clone()));
        NodeBuilder(extent).node(ExprKind::Instance(self.pending.len() - 1, Vec::new()), ty)
    }

    /// Returns the default value of a type after type inference.
    pub fn resolve_default(&mut self, ty: &Ty, extent: Place) -> ExprKind<Ty> {
        let known_type = self.types.known(ty);
        let default = known_type.and_then(|known_type| self.nonzero_default(&known_type, extent));
        default.unwrap_or_else(|| NodeBuilder(extent).zero(ty)).kind
    }

    /// Returns the default value of a type, or `None` if it is zero.
    fn nonzero_default(&mut self, ty: &Type, extent: Place) -> Option<Node> {
        let node = |kind| NodeBuilder(extent).node(kind, &ty.into());
        if let Some(associated) = self.find_associated(&ty.into(), "default").first().copied() {
            let function =
                self.items.instance(associated, vec![("Self".to_owned(), ty.clone())], extent);
            let function = self.items.errors.keep(function);
            return Some(
                function.map_or(error_node(extent), |id| node(ExprKind::Call(id, Vec::new()))),
            );
        }
        match ty {
            Type::Enum(EnumKind::Own(id), _) => {
                let declared = &self.items.module.enums[id.0];
                let Some(nth) = declared.default else {
                    let message =
                        format!("`{}` has no variant marked `#[default]`", declared.name.text);
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
                let element = self.nonzero_default(element, extent)?;
                Some(node(ExprKind::Repeat(Box::new(element))))
            }
            _ => None,
        }
    }

    /// Returns the default values of the parts of a type, or `None` if all of them are zero.
    fn defaults(&mut self, types: Vec<Type>, extent: Place) -> Option<ExprKind<Ty>> {
        let parts: Vec<Option<Node>> =
            types.iter().map(|ty| self.nonzero_default(ty, extent)).collect();
        parts.iter().any(Option::is_some).then(|| {
            let parts = parts.into_iter().zip(&types);
            let parts = parts
                .map(|(part, ty)| part.unwrap_or_else(|| NodeBuilder(extent).zero(&ty.into())));
            ExprKind::Construct(parts.collect())
        })
    }
}
