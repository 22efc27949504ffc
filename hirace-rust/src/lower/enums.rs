//! Enums, `Option` and `Result`.

use super::super::tree::{
    Arm, Enum, EnumId, EnumKind, ExprKind, Pattern, Place, Scalar, Type, Variant,
};
use super::body::{Body, Node, error_node};
use super::build::{NodeBuilder, lend, variant_of_local};
use super::calls::check_argument_count;
use super::control::after;
use super::errors::{already_reported, at, error, place, refuse};
use super::evaluate::{Value, evaluate};
use super::infer::{Ty, VariableKind};
use super::items::Items;
use super::names::{did_you_mean, name, text};
use super::patterns::BoundNames;
use crate::ir::claims::Claim;
use syn::{Expr, Member, Pat, UseTree};

/// A variant of a type: its index and its fields.
#[derive(Clone, Debug)]
pub struct EnumVariant {
    pub ty: Ty,
    pub nth: usize,
    pub name: String,
    pub parts: Vec<Ty>,
    /// The names of the fields, if they are named.
    pub names: Vec<String>,
}

impl Items<'_> {
    /// Lowers an enum.
    pub fn enumeration(&mut self, item: &syn::ItemEnum) -> syn::Result<EnumId> {
        super::attributes::check(&item.attrs, &["derive", "repr", "default"])?;
        if !item.generics.params.is_empty() {
            return refuse(
                place(&item.generics),
                "generic enums are not supported: write one enum for each type",
            );
        }
        let mut variants = Vec::new();
        let mut next = 0i128;
        for variant in &item.variants {
            super::attributes::check(&variant.attrs, &["default"])?;
            if let Some((_, written)) = &variant.discriminant {
                let value = Body::constant(self, written, &Ty::Plain(Type::Scalar(Scalar::I32)));
                let value = value.ok_or_else(already_reported)?;
                let Some(Value::Int(value)) = evaluate(&self.module, &value) else {
                    return refuse(place(written), "a discriminant must be a constant integer");
                };
                next = value;
            }
            let mut parts = Vec::new();
            let mut names = Vec::new();
            for field in &variant.fields {
                super::attributes::check(&field.attrs, &[])?;
                let ty = self.ty(&field.ty)?;
                if self.is_unsized(&ty) || super::functions::holds_memory(&ty) {
                    let named = self.describe(&ty.into());
                    return refuse(place(&field.ty), format!("`{named}` cannot be in an enum"));
                }
                parts.push(ty);
                names.extend(field.ident.as_ref().map(text));
            }
            variants.push(Variant { name: text(&variant.ident), discriminant: next, parts, names });
            next += 1;
        }
        if variants.is_empty() {
            return refuse(
                place(&item.ident),
                "an enum in a kernel must have at least one variant",
            );
        }
        let default = item.variants.iter().position(|variant| {
            variant.attrs.iter().any(|attribute| attribute.path().is_ident("default"))
        });
        self.module.enums.push(Enum { name: name(&item.ident), variants, default });
        Ok(EnumId(self.module.enums.len() - 1))
    }

    /// Handles `use Kind::{Round, Flat};` or `use Kind::*;` for an enum of the module. Returns whether `item` is such a
    /// `use`.
    pub fn use_variants(&mut self, item: &syn::ItemUse) -> bool {
        let mut tree = &item.tree;
        let mut of = None;
        while let UseTree::Path(path) = tree {
            of = Some(text(&path.ident));
            tree = &path.tree;
        }
        let Some(of) = of else { return false };
        let Some(known) = self.enum_names.get(&of).cloned() else { return false };
        let names = match tree {
            UseTree::Glob(_) => known,
            UseTree::Name(name) => vec![text(&name.ident)],
            UseTree::Group(group) => {
                let names = group.items.iter().map(|item| match item {
                    UseTree::Name(name) => Some(text(&name.ident)),
                    _ => None,
                });
                let Some(names) = names.collect::<Option<Vec<String>>>() else { return false };
                names
            }
            _ => return false,
        };
        self.imported_variants.extend(names.into_iter().map(|name| (name, of.clone())));
        true
    }

    /// Returns the variants of an enum type.
    pub fn variants(&self, ty: &Ty) -> Option<Vec<EnumVariant>> {
        let Ty::Enum(which, arguments) = ty else { return None };
        let found = |(nth, (name, parts, names)): (usize, (String, Vec<Ty>, Vec<String>))| {
            EnumVariant { ty: ty.clone(), nth, name, parts, names }
        };
        let plain = |name: &str, parts: &[Ty]| (name.to_owned(), parts.to_vec(), Vec::new());
        let all: Vec<(String, Vec<Ty>, Vec<String>)> = match (which, &arguments[..]) {
            (EnumKind::Option, of) => vec![plain("None", &[]), plain("Some", of)],
            (EnumKind::Result, [of, error]) => vec![
                plain("Ok", std::slice::from_ref(of)),
                plain("Err", std::slice::from_ref(error)),
            ],
            (EnumKind::Result, _) => return None,
            (EnumKind::Ordering, _) => {
                ["Less", "Equal", "Greater"].into_iter().map(|name| plain(name, &[])).collect()
            }
            (EnumKind::Own(id), _) => {
                let variants = self.module.enums[id.0].variants.iter();
                let parts = |variant: &Variant| variant.parts.iter().map(Ty::from).collect();
                variants.map(|v| (v.name.clone(), parts(v), v.names.clone())).collect()
            }
        };
        Some(all.into_iter().enumerate().map(found).collect())
    }
}

impl Body<'_, '_> {
    /// Returns the variant that a path names, if it names one: `RowKind::Round`, `Some`, or one imported by a `use`.
    pub fn variant_of(&mut self, path: &syn::Path) -> syn::Result<Option<EnumVariant>> {
        let names: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let std = match names[..] {
            ["None" | "Some"] | [.., "Option", "None" | "Some"] => Some(EnumKind::Option),
            ["Ok" | "Err"] | [.., "Result", "Ok" | "Err"] => Some(EnumKind::Result),
            [.., "Ordering", "Less" | "Equal" | "Greater"] => Some(EnumKind::Ordering),
            _ => None,
        };
        let (ty, name) = match (std, &names[..]) {
            (Some(which), [.., name]) => {
                let count = match which {
                    EnumKind::Option => 1,
                    EnumKind::Result => 2,
                    _ => 0,
                };
                let open = (0..count).map(|_| self.types.fresh(VariableKind::Any)).collect();
                (Ty::Enum(which, open), *name)
            }
            (None, [name]) => match self.items.imported_variants.get(*name).cloned() {
                Some(of) => match self.type_of_path(&of, path)? {
                    Some(ty) => (Ty::from(ty), *name),
                    None => return Ok(None),
                },
                None => return Ok(None),
            },
            (None, [.., of, name]) => match self.type_of_path(of, path) {
                Ok(Some(ty @ Type::Enum(..))) => (Ty::from(ty), *name),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let variants = self.items.variants(&ty).unwrap_or_default();
        Ok(variants.into_iter().find(|variant| variant.name == name))
    }

    /// Constructs a variant with its fields.
    pub fn variant_value(
        &mut self,
        of: EnumVariant,
        parts: Vec<Node>,
        extent: Place,
    ) -> syn::Result<Node> {
        check_argument_count(&of.name, of.parts.len(), parts.len(), extent)?;
        let parts: Vec<Node> = parts
            .into_iter()
            .zip(&of.parts)
            .map(|(part, ty)| {
                let part = match self.types.resolve_shallow(&part.ty) {
                    // A borrowed value is copied into the variant.
                    Ty::Reference(false, to) => Node { ty: *to, ..part },
                    _ => part,
                };
                self.coerce(part, ty)
            })
            .collect();
        let diverges = parts.iter().any(|part| part.diverges);
        Ok(Node { kind: ExprKind::Variant(of.nth, parts), ty: of.ty, diverges, place: extent })
    }

    /// Lowers `RowKind::Box { width, height }`.
    pub fn variant_literal(
        &mut self,
        of: EnumVariant,
        literal: &syn::ExprStruct,
    ) -> syn::Result<Node> {
        let mut given = Vec::new();
        for field in &literal.fields {
            let Member::Named(ident) = &field.member else {
                return refuse(place(&field.member), "expected a named field");
            };
            let wanted = text(ident);
            let Some(nth) = of.names.iter().position(|name| *name == wanted) else {
                let meant = did_you_mean(&wanted, of.names.iter().map(String::as_str));
                return refuse(
                    place(ident),
                    format!("`{}` has no field `{wanted}`{meant}", of.name),
                );
            };
            given.push((nth, self.expr(&field.expr)));
        }
        let extent = place(literal);
        let mut before = Vec::new();
        let parts = self.sort_by_index(given, of.names.len(), &mut before);
        let all: Option<Vec<Node>> = parts.into_iter().collect();
        let all = all.ok_or_else(|| error(extent, format!("missing fields of `{}`", of.name)))?;
        self.variant_value(of, all, extent).map(|value| after(before, value))
    }

    /// Lowers the pattern of a variant, for a value of type `ty`, with patterns for its fields.
    pub fn variant_pattern(
        &mut self,
        of: EnumVariant,
        parts: Vec<(usize, &Pat)>,
        ty: &Ty,
        bound: &mut BoundNames,
        extent: Place,
    ) -> syn::Result<Pattern<Ty>> {
        if !self.types.unify(ty, &of.ty) {
            let (wanted, found) = (self.describe(ty), self.describe(&of.ty));
            return refuse(extent, format!("expected `{wanted}`, found `{found}`"));
        }
        Ok(Pattern::Variant(of.nth, self.patterns(parts, &of.parts, bound)))
    }

    /// Lowers the pattern `RowKind::Box { width, .. }`.
    pub fn variant_fields(
        &mut self,
        of: EnumVariant,
        fields: &syn::PatStruct,
        ty: &Ty,
        bound: &mut BoundNames,
    ) -> syn::Result<Pattern<Ty>> {
        let mut parts = Vec::new();
        for field in &fields.fields {
            let Member::Named(ident) = &field.member else {
                return refuse(place(&field.member), "expected a named field");
            };
            let Some(nth) = of.names.iter().position(|name| *name == text(ident)) else {
                return refuse(
                    at(ident.span()),
                    format!("`{}` has no field `{}`", of.name, text(ident)),
                );
            };
            parts.push((nth, &*field.pat));
        }
        self.variant_pattern(of, parts, ty, bound, place(fields))
    }

    /// Lowers `x?`: returns the contained value, or leaves the function.
    pub fn try_value(&mut self, expr: &syn::ExprTry) -> syn::Result<Node> {
        let extent = place(expr);
        let value = self.value(&expr.expr);
        self.resolve_obligations();
        let ty = self.types.resolve_shallow(&value.ty);
        let (which, arguments) = match &ty {
            Ty::Enum(which @ (EnumKind::Option | EnumKind::Result), arguments) => {
                (*which, arguments.clone())
            }
            Ty::Error => return Ok(error_node(extent)),
            other => {
                let named = self.describe(other);
                return refuse(
                    extent,
                    format!(
                        "`?` can only be applied to an `Option` or a `Result`, not to a `{named}`"
                    ),
                );
            }
        };
        let result = self.result.clone();
        let (kept, left) = if which == EnumKind::Option { (1, 0) } else { (0, 1) };
        let at = NodeBuilder(extent);
        let local = self.named_local("kept", &arguments[0], extent);
        let of = self.types.fresh(VariableKind::Any);
        let (lost, pattern) = match which {
            EnumKind::Option => (at.none(&of), Pattern::Variant(left, Vec::new())),
            _ => {
                let lost = self.named_local("error", &arguments[1], extent);
                let value = at.local(lost, &arguments[1]);
                let ty = Ty::Enum(EnumKind::Result, vec![of, arguments[1].clone()]);
                (at.node(ExprKind::Variant(left, vec![value]), &ty), variant_of_local(left, lost))
            }
        };
        let lost = self.coerce(lost, &result);
        let leave = at.leave(match self.return_label() {
            Some(label) => ExprKind::Break(label, Some(Box::new(lost))),
            None => ExprKind::Return(Some(Box::new(lost))),
        });
        let (held, taken) = if self.types.resolve_shallow(&arguments[0]) == Ty::UNIT {
            // The local is not used.
            self.locals[local.0].ty = Ty::BOOL;
            (Pattern::Variant(kept, vec![Pattern::Wildcard]), super::control::empty(extent))
        } else {
            (variant_of_local(kept, local), at.local(local, &arguments[0]))
        };
        let diverges = value.diverges;
        let arms = vec![
            Arm { pattern: held, guard: None, body: taken },
            Arm { pattern, guard: None, body: leave },
        ];
        let kind = ExprKind::Match(Box::new(value), arms);
        Ok(Node { diverges, ..at.node(kind, &arguments[0]) })
    }

    /// Lowers methods of `Option` and `Result`. Returns `None` if there is no such method.
    pub fn variant_method(
        &mut self,
        receiver: &Node,
        method: &str,
        arguments: &[&Expr],
        extent: Place,
    ) -> syn::Result<Option<Node>> {
        let ty = self.types.resolve_shallow(self.types.resolve_shallow(&receiver.ty).referent());
        let Ty::Enum(which @ (EnumKind::Option | EnumKind::Result), of) =
            self.types.resolve_shallow(&ty)
        else {
            return Ok(None);
        };
        let at = NodeBuilder(extent);
        let mut receiver = Node { ty: ty.clone(), ..receiver.clone() };
        let mut before = Vec::new();
        let option = which == EnumKind::Option;
        let held = usize::from(option);
        let local = self.named_local("held", &of[0], extent);
        let value = at.local(local, &of[0]);
        let variant = |nth, parts, ty: &Ty| at.node(ExprKind::Variant(nth, parts), ty);
        let some = |value: Node| {
            let mut arguments = of.clone();
            arguments[0] = value.ty.clone();
            variant(held, vec![value], &Ty::Enum(which, arguments))
        };
        let called = |body: &mut Self, function: &Expr, arguments: Vec<Node>| {
            let function = body.expr(function);
            body.call_node(&function, arguments, extent)
        };
        // The results without and with a contained value.
        let (otherwise, then) = match (method, arguments) {
            ("is_some", []) if option => (at.truth(false), at.truth(true)),
            ("is_none", []) if option => (at.truth(true), at.truth(false)),
            ("is_ok", []) if !option => (at.truth(false), at.truth(true)),
            ("is_err", []) if !option => (at.truth(true), at.truth(false)),
            // If there is no value, Rust panics.
            ("unwrap", []) | ("expect", [_]) => {
                (at.leave(ExprKind::Claim(Claim::Unreached, None)), value)
            }
            ("unwrap_or", [other]) => {
                let other = self.expr(other);
                let other = self.coerce(other, &of[0]);
                (self.evaluate_argument(other, &mut receiver, &mut before), value)
            }
            ("unwrap_or_default", []) => (self.default_of(&of[0], extent), value),
            ("unwrap_or_else", [function]) if option => {
                let other = called(self, function, Vec::new())?;
                (self.coerce(other, &of[0]), value)
            }
            ("copied" | "cloned", []) => {
                let of =
                    of.iter().map(|of| self.types.resolve_shallow(of).referent().clone()).collect();
                return Ok(Some(Node { ty: Ty::Enum(which, of), ..receiver }));
            }
            ("is_some_and" | "is_none_or", [function]) if option => {
                let holds = called(self, function, vec![value])?;
                (at.truth(method == "is_none_or"), self.coerce(holds, &Ty::BOOL))
            }
            ("map" | "and_then", [function]) if option => {
                let mapped = called(self, function, vec![value])?;
                let mapped = if method == "map" { some(mapped) } else { mapped };
                (variant(0, Vec::new(), &mapped.ty), mapped)
            }
            ("filter", [function]) if option => {
                let holds = called(self, function, vec![lend(&value)])?;
                let holds = self.coerce(holds, &Ty::BOOL);
                let none = variant(0, Vec::new(), &ty);
                (none.clone(), at.choose(holds, some(value), none))
            }
            ("map_or", [other, function]) => {
                let other = self.value(other);
                let other = self.evaluate_argument(other, &mut receiver, &mut before);
                let mapped = called(self, function, vec![value])?;
                let ty = other.ty.clone();
                (other, self.coerce(mapped, &ty))
            }
            ("or", [other]) if option => {
                let other = self.value(other);
                let other = self.coerce(other, &ty);
                (self.evaluate_argument(other, &mut receiver, &mut before), some(value))
            }
            ("or_else", [function]) if option => {
                let other = called(self, function, Vec::new())?;
                (self.coerce(other, &ty), some(value))
            }
            ("zip", [other]) if option => {
                let other = self.value(other);
                let second = self.types.fresh(VariableKind::Any);
                let other = self.coerce(other, &Ty::Enum(EnumKind::Option, vec![second.clone()]));
                let other = self.evaluate_argument(other, &mut receiver, &mut before);
                let with = self.named_local("second", &second, extent);
                let both = at.some(at.pair(value, at.local(with, &second)));
                let none = variant(0, Vec::new(), &both.ty);
                (none.clone(), at.match_or(other, variant_of_local(1, with), both, none))
            }
            ("ok_or", [error]) if option => {
                let error = self.value(error);
                let error = self.evaluate_argument(error, &mut receiver, &mut before);
                let ty = Ty::Enum(EnumKind::Result, vec![of[0].clone(), error.ty.clone()]);
                (variant(1, vec![error], &ty), variant(0, vec![value], &ty))
            }
            ("ok", []) if !option => (at.none(&of[0]), at.some(value)),
            _ => return Ok(None),
        };
        let chosen = at.match_or(receiver, variant_of_local(held, local), then, otherwise);
        Ok(Some(after(before, chosen)))
    }
}
