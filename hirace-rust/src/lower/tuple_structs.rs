//! Structs without named members: `struct Degrees(f32)`, and unit structs.

use super::super::tree::{ExprKind, Place, StructId, Type};
use super::body::{Body, Node};
use super::calls::check_argument_count;
use super::infer::Ty;
use super::names::{last, span};

impl Body<'_, '_> {
    /// Returns the struct without named members that a path leads to, if it leads to one.
    pub fn tuple_struct(&mut self, path: &syn::Path) -> syn::Result<Option<StructId>> {
        let name = last(path);
        if !self.items.types.contains_key(&name) && !self.items.type_names.contains_key(&name) {
            return Ok(None);
        }
        let Some(Type::Struct(id)) = self.items.named_type(&name, span(path))? else {
            return Ok(None);
        };
        let first = self.items.module.structs[id.0].members.first();
        let has_none = first.is_some_and(|member| member.name.text == "0");
        Ok((has_none || self.items.empty.contains(&id)).then_some(id))
    }

    /// Lowers `Degrees(x)`.
    pub fn tuple_struct_value(
        &mut self,
        id: StructId,
        parts: Vec<Node>,
        extent: Place,
    ) -> syn::Result<Node> {
        let structure = &self.items.module.structs[id.0];
        let name = structure.name.text.clone();
        let types: Vec<Ty> = structure.members.iter().map(|member| Ty::from(&member.ty)).collect();
        check_argument_count(&name, types.len(), parts.len(), extent)?;
        let parts = parts.into_iter().zip(&types).map(|(part, ty)| self.coerce(part, ty)).collect();
        let (kind, ty) = (ExprKind::Construct(parts), Ty::from(Type::Struct(id)));
        Ok(Node { kind, ty, diverges: false, place: extent })
    }
}
