//! Structs, with and without named members, and type aliases, each after those it contains.

use super::super::tree::{EnumKind, ExprKind, Member, Name, Place, Scalar, Struct, StructId, Type};
use super::attributes;
use super::body::{Body, Node};
use super::calls::check_argument_count;
use super::errors::{already_reported, at, place, refuse};
use super::infer::Ty;
use super::items::{Items, State, TypeItem};
use super::names::{last, name, span, text};

impl Items<'_> {
    /// Lowers all structs in order.
    pub fn structs(&mut self) {
        for ident in self.type_order.clone() {
            let lowered = self.named_type(&text(ident), ident.span());
            self.errors.keep(lowered);
        }
    }

    /// Returns the struct or alias of this name, or `None` if there is none. If the type has an error, which has been
    /// reported, the result is an empty error.
    pub fn named_type(
        &mut self,
        name: &str,
        asked: proc_macro2::Span,
    ) -> syn::Result<Option<Type>> {
        if let Some(stands_for) = self.type_names.get(name) {
            return Ok(Some(stands_for.clone()));
        }
        match self.types.get(name).copied() {
            None => Ok(None),
            Some(TypeItem::Struct(_, State::Done(Some(id)))) => Ok(Some(Type::Struct(id))),
            Some(TypeItem::Struct(_, State::Done(None))) => Err(already_reported()),
            Some(TypeItem::Enum(_, State::Done(Some(id)))) => {
                Ok(Some(Type::Enum(EnumKind::Own(id), Vec::new())))
            }
            Some(TypeItem::Enum(_, State::Done(None))) => Err(already_reported()),
            Some(
                TypeItem::Struct(_, State::InProgress)
                | TypeItem::Enum(_, State::InProgress)
                | TypeItem::Alias(_, true),
            ) => refuse(
                at(asked),
                format!("recursive type `{name}`: WGSL has no pointers in memory"),
            ),
            Some(TypeItem::Struct(item, State::Untouched)) => {
                self.types.insert(name.to_owned(), TypeItem::Struct(item, State::InProgress));
                let lowered = self.structure(item);
                let id = self.errors.keep(lowered);
                self.types.insert(name.to_owned(), TypeItem::Struct(item, State::Done(id)));
                id.map(|id| Some(Type::Struct(id))).ok_or_else(already_reported)
            }
            Some(TypeItem::Enum(item, State::Untouched)) => {
                self.types.insert(name.to_owned(), TypeItem::Enum(item, State::InProgress));
                let lowered = self.enumeration(item);
                let id = self.errors.keep(lowered);
                self.types.insert(name.to_owned(), TypeItem::Enum(item, State::Done(id)));
                let ty = |id| Some(Type::Enum(EnumKind::Own(id), Vec::new()));
                id.map(ty).ok_or_else(already_reported)
            }
            Some(TypeItem::Alias(item, false)) => {
                self.types.insert(name.to_owned(), TypeItem::Alias(item, true));
                let lowered = if item.generics.params.is_empty() {
                    self.ty(&item.ty)
                } else {
                    refuse(
                        place(&item.generics),
                        "generic type aliases are not supported: write the type",
                    )
                };
                self.types.insert(name.to_owned(), TypeItem::Alias(item, false));
                lowered.map(Some)
            }
        }
    }

    fn structure(&mut self, item: &syn::ItemStruct) -> syn::Result<StructId> {
        attributes::check(&item.attrs, &["derive", "repr"])?;
        if !item.generics.params.is_empty() {
            return refuse(
                place(&item.generics),
                "generic structs are not supported: write one struct for each type",
            );
        }
        if item.fields.is_empty() {
            // WGSL has no empty structs.
            let name = Name { text: "nothing".to_owned(), place: place(&item.ident) };
            let ty = Type::Scalar(Scalar::U32);
            let members = vec![Member { name, ty, align: None, size: None }];
            self.module.structs.push(Struct { name: self::name(&item.ident), members });
            let id = StructId(self.module.structs.len() - 1);
            self.empty.insert(id);
            return Ok(id);
        }
        let count = item.fields.len();
        let mut members: Vec<Member> = Vec::new();
        let mut wrong = false;
        for (index, field) in item.fields.iter().enumerate() {
            let last = index + 1 == count;
            let member = self.member(field, index, last);
            match self.errors.keep(member) {
                Some(member) if members.iter().any(|other| other.name.text == member.name.text) => {
                    let twice =
                        format!("the name `{}` is declared multiple times", member.name.text);
                    return refuse(member.name.place, twice);
                }
                Some(member) => members.push(member),
                None => wrong = true,
            }
        }
        if wrong {
            return Err(already_reported());
        }
        self.module.structs.push(Struct { name: name(&item.ident), members });
        Ok(StructId(self.module.structs.len() - 1))
    }

    fn member(&mut self, field: &syn::Field, index: usize, last: bool) -> syn::Result<Member> {
        attributes::check(&field.attrs, &["align", "size"])?;
        let ty = match &field.ty {
            syn::Type::Slice(slice) if last => Type::Slice(Box::new(self.ty(&slice.elem)?)),
            syn::Type::Slice(_) => {
                return refuse(
                    place(&field.ty),
                    "a slice must be the last field of its struct: move it, or write `[T; N]`",
                );
            }
            other => self.ty(other)?,
        };
        match &ty {
            Type::Tuple(_)
            | Type::Exchange(_)
            | Type::Texture(_)
            | Type::Sampler { .. }
            | Type::Unit => {
                return refuse(
                    place(&field.ty),
                    format!("`{}` cannot be a field of a struct", self.describe(&(&ty).into())),
                );
            }
            Type::Struct(id) if !last && self.is_unsized(&Type::Struct(*id)) => {
                return refuse(
                    place(&field.ty),
                    "a struct without a fixed size must be the last field",
                );
            }
            _ => {}
        }
        let align = attributes::find(&field.attrs, "align")?.map(attributes::number).transpose()?;
        let size = attributes::find(&field.attrs, "size")?.map(attributes::number).transpose()?;
        Ok(Member {
            name: match &field.ident {
                Some(ident) => Name { text: text(ident), place: place(ident) },
                None => Name { text: index.to_string(), place: place(&field.ty) },
            },
            ty,
            align,
            size,
        })
    }

    /// Returns whether a type is a runtime-sized array or ends in one.
    pub fn is_unsized(&self, ty: &Type) -> bool {
        match ty {
            Type::Slice(_) => true,
            Type::Struct(id) => {
                let last = self.module.structs[id.0].members.last();
                last.is_some_and(|member| self.is_unsized(&member.ty))
            }
            _ => false,
        }
    }
}

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
