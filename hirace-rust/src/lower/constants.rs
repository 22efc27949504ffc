//! Constants, overrides and array lengths.

use super::super::tree::{Const, ConstId, ConstKind, Count, Expr, ExprKind, Module, Scalar, Type};
use super::super::walk;
use super::attributes;
use super::body::Body;
use super::callables::Owner;
use super::errors::{already_reported, at, place, refuse};
use super::evaluate::{self, Value};
use super::infer::Ty;
use super::items::{Items, State};
use super::names::{name, text};
use proc_macro2::Span;

/// A constant as written: free, in an `impl`, or provided by a trait.
#[derive(Clone, Copy)]
pub struct Constant<'a> {
    attributes: &'a [syn::Attribute],
    ident: &'a syn::Ident,
    ty: &'a syn::Type,
    value: &'a syn::Expr,
    /// The `impl` that it belongs to, if any.
    owner: Option<Owner<'a>>,
}

/// The attributes, name, type and value of a constant.
pub type Parts<'a> = (&'a [syn::Attribute], &'a syn::Ident, &'a syn::Type, &'a syn::Expr);

impl<'a> Constant<'a> {
    /// Creates a constant that belongs to no type.
    pub fn of(item: &'a syn::ItemConst) -> Self {
        let (attributes, ident) = (&item.attrs, &item.ident);
        Self { attributes, ident, ty: &item.ty, value: &item.expr, owner: None }
    }
}

impl<'a> Items<'a> {
    /// Declares a free constant.
    pub fn declare_constant(&mut self, item: &'a syn::ItemConst) -> syn::Result<()> {
        let (ident, owner) = (&item.ident, None);
        let constant =
            Constant { attributes: &item.attrs, ident, ty: &item.ty, value: &item.expr, owner };
        self.add_written(text(ident), constant)
    }

    /// Declares a constant of an `impl`.
    pub fn associate_constant(&mut self, owner: Owner<'a>, parts: Parts<'a>) -> syn::Result<()> {
        let (attributes, ident, ty, value) = parts;
        let of = self.owner_type(owner)?;
        let key = self.associated_name(&of, &text(ident));
        self.add_written(key, Constant { attributes, ident, ty, value, owner: Some(owner) })
    }

    /// Returns the unique name of a type's associated constant.
    pub fn associated_name(&self, of: &Type, name: &str) -> String {
        format!("{}::{name}", self.describe(&of.into()))
    }

    fn add_written(&mut self, key: String, constant: Constant<'a>) -> syn::Result<()> {
        let span = constant.ident.span();
        self.const_order.push((key.clone(), span));
        match self.consts.insert(key, (constant, State::Untouched)) {
            Some(_) => refuse(
                at(span),
                format!("the name `{}` is defined multiple times", text(constant.ident)),
            ),
            None => Ok(()),
        }
    }

    /// Lowers all constants in order.
    pub fn constants(&mut self) {
        for (name, span) in self.const_order.clone() {
            let lowered = self.constant(&name, span);
            self.errors.keep(lowered);
        }
    }

    /// Returns the constant of this name, or `None` if there is none.
    pub fn constant(&mut self, name: &str, asked: Span) -> syn::Result<Option<ConstId>> {
        if let Some(id) = self.generics.get(name) {
            return Ok(Some(*id));
        }
        match self.consts.get(name).copied() {
            None => Ok(None),
            Some((_, State::Done(Some(id)))) => Ok(Some(id)),
            Some((_, State::Done(None))) => Err(already_reported()),
            Some((_, State::InProgress)) => {
                refuse(at(asked), format!("cycle in the value of `{name}`"))
            }
            Some((item, State::Untouched)) => {
                self.consts.insert(name.to_owned(), (item, State::InProgress));
                let outer = std::mem::take(&mut self.type_names);
                let generics = std::mem::take(&mut self.generics);
                let owner = item.owner.map_or(Ok(()), |owner| {
                    let of = self.owner_type(owner)?;
                    self.type_names.insert("Self".to_owned(), of);
                    Ok(())
                });
                let lowered = owner.and_then(|()| self.lower_constant(item));
                (self.type_names, self.generics) = (outer, generics);
                let id = self.errors.keep(lowered);
                self.consts.insert(name.to_owned(), (item, State::Done(id)));
                id.map(Some).ok_or_else(already_reported)
            }
        }
    }

    /// Lowers a constant.
    pub fn lower_constant(&mut self, item: Constant<'_>) -> syn::Result<ConstId> {
        attributes::check(item.attributes, &["overridable"])?;
        if item.ident == "_" {
            return refuse(
                place(item.ident),
                "unnamed constants are not supported in a kernel: remove it or name it",
            );
        }
        let declared = Ty::from(self.constant_type(item.ty)?);
        let id = match attributes::find(item.attributes, "overridable")? {
            Some(attribute) => Some(attributes::override_id(attribute)?),
            None => None,
        };
        let value = Body::constant(self, item.value, &declared).ok_or_else(already_reported)?;
        let ty = value.ty.clone();
        let kind = match id {
            Some(_) if !matches!(ty, Type::Scalar(scalar) if !scalar.is_computed_late()) => {
                return refuse(
                    place(item.ty),
                    "an override must be a `bool`, `i32`, `u32` or `f32`",
                );
            }
            Some(id) => ConstKind::Override(value, id),
            // A constant computed from an override is known only when the override is.
            None if depends(&self.module, &value) => ConstKind::Override(value, None),
            None => ConstKind::Const(value),
        };
        Ok(self.add_constant(Const { name: name(item.ident), ty, kind }))
    }

    /// Adds a constant.
    pub fn add_constant(&mut self, constant: Const) -> ConstId {
        self.module.consts.push(constant);
        ConstId(self.module.consts.len() - 1)
    }

    /// Returns the type of a constant or const parameter, as written.
    pub fn constant_type(&mut self, ty: &syn::Type) -> syn::Result<Type> {
        let known = self.ty(ty)?;
        match known {
            Type::Scalar(_)
            | Type::Vector(..)
            | Type::Matrix { .. }
            | Type::Array(..)
            | Type::Enum(..)
            | Type::Struct(_) => Ok(known),
            other => refuse(
                place(ty),
                format!("a constant cannot be of type `{}`", self.describe(&other.into())),
            ),
        }
    }

    /// Returns the type of a constant for its uses.
    pub fn type_of_constant(&self, id: ConstId) -> Ty {
        Ty::from(&self.module.consts[id.0].ty)
    }

    /// Lowers an array length. The result is a number if the value is known.
    pub fn count(&mut self, length: &syn::Expr) -> syn::Result<Count> {
        let value = Body::constant(self, length, &Ty::USIZE).ok_or_else(already_reported)?;
        match evaluate::evaluate(&self.module, &value) {
            Some(Value::Int(0)) => {
                refuse(place(length), "an array in WGSL must have at least one element")
            }
            Some(Value::Int(number)) => match u32::try_from(number) {
                Ok(number) => Ok(Count::Literal(number)),
                Err(_) => refuse(place(length), format!("{number} is not a valid array length")),
            },
            Some(_) => refuse(place(length), "the length of an array must be a number"),
            None => match value.kind {
                ExprKind::Const(id) => Ok(Count::Const(id)),
                _ => refuse(
                    place(length),
                    "this length is not a literal or a constant: declare a `const N: usize = …`, or use a const \
                     parameter",
                ),
            },
        }
    }
}

/// Returns whether a constant expression depends on overrides or const parameters.
fn depends(module: &Module, value: &Expr) -> bool {
    let mut found = match &value.kind {
        ExprKind::Const(id) => !matches!(module.consts[id.0].kind, ConstKind::Const(_)),
        _ => false,
    };
    walk::children(value, &mut |part| found = found || depends(module, part));
    found
}

/// Returns whether an expression contains operations that are deferred to run time: on 64-bit integers and on `f16`.
pub fn computes_late(value: &Expr) -> bool {
    let late = |of: &Expr| of.ty.is_computed_late();
    let mut found = match &value.kind {
        ExprKind::Binary(_, left, _) => late(left),
        ExprKind::Convert(inner) => {
            late(inner) || late(value) && inner.ty == Type::Scalar(Scalar::F32)
        }
        ExprKind::Builtin(_, arguments, _) => late(value) || arguments.iter().any(late),
        _ => false,
    };
    walk::children(value, &mut |part| found = found || computes_late(part));
    found
}

/// Returns the first part of an expression that cannot be in a constant.
pub fn not_constant<T>(value: &Expr<T>) -> Option<&Expr<T>> {
    match &value.kind {
        ExprKind::Literal(_)
        | ExprKind::Const(_)
        | ExprKind::Verbatim(_)
        | ExprKind::Binary(..)
        | ExprKind::Index(..)
        | ExprKind::Member(..)
        | ExprKind::Swizzle(..)
        | ExprKind::Unary(..)
        | ExprKind::Convert(_)
        | ExprKind::Bitcast(_)
        | ExprKind::Repeat(_)
        | ExprKind::Construct(_)
        | ExprKind::Variant(..)
        | ExprKind::Builtin(..) => {}
        ExprKind::Block(None, block) if block.statements.is_empty() && block.value.is_some() => {}
        _ => return Some(value),
    }
    let mut found = None;
    walk::children(value, &mut |part| found = found.or_else(|| not_constant(part)));
    found
}
