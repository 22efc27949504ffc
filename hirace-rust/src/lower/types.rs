//! Types in source code, and the names of types in messages.

use super::super::tree::{Count, EnumKind, Scalar, Type};
use super::callables::anonymous;
use super::errors::{place, refuse};
use super::infer::Ty;
use super::items::Items;
use super::names::{did_you_mean, last, unmarked};
use super::textures;
use crate::prelude_types::{plain, plain_name, plain_names, texture_names};
use syn::{GenericArgument, PathArguments};

impl Items<'_> {
    /// Lowers a written type of a value.
    pub fn ty(&mut self, ty: &syn::Type) -> syn::Result<Type> {
        match ty {
            syn::Type::Paren(inner) => self.ty(&inner.elem),
            syn::Type::Group(inner) => self.ty(&inner.elem),
            syn::Type::Path(path) => match &path.qself {
                None => self.path_type(&path.path),
                Some(of) => {
                    let of_type = self.ty(&of.ty)?;
                    self.output_type(of_type, &path.path)
                }
            },
            syn::Type::ImplTrait(_) => {
                let named = self.type_names.get(&anonymous(self.parameter)).cloned();
                named.map_or_else(|| refuse(place(ty), instead_of_type(ty)), Ok)
            }
            syn::Type::Array(array) => {
                let element = self.ty(&array.elem);
                let count = self.count(&array.len);
                let (element, count) = (element?, count?);
                self.check_element(&array.elem, &element)?;
                Ok(Type::Array(Box::new(element), count))
            }
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Type::Unit),
            syn::Type::Tuple(tuple) => Ok(Type::Tuple(
                tuple.elems.iter().map(|ty| self.ty(ty)).collect::<syn::Result<_>>()?,
            )),
            other => refuse(place(other), instead_of_type(other)),
        }
    }

    /// Rejects types that cannot be the element type of an array.
    pub fn check_element(&mut self, written: &syn::Type, element: &Type) -> syn::Result<()> {
        let wrong = self.is_unsized(element)
            || matches!(
                element,
                Type::Unit | Type::Texture(_) | Type::Sampler { .. } | Type::Exchange(_)
            );
        if wrong {
            let named = self.describe(&element.into());
            return refuse(place(written), format!("`{named}` cannot be in an array"));
        }
        Ok(())
    }

    fn path_type(&mut self, path: &syn::Path) -> syn::Result<Type> {
        let name = last(path);
        let Some(segment) = path.segments.last() else {
            return refuse(place(path), "expected a type");
        };
        let arguments = match &segment.arguments {
            PathArguments::None => Vec::new(),
            PathArguments::AngleBracketed(given) => given.args.iter().collect(),
            PathArguments::Parenthesized(_) => {
                return refuse(
                    place(path),
                    "WGSL has no function values: call functions by their names",
                );
            }
        };
        if let [of, _] = &path.segments.iter().collect::<Vec<_>>()[..]
            && let Some(of) = self.type_names.get(&of.ident.to_string()).cloned()
        {
            return self.output_type(of, path);
        }
        let is_half = path.segments.first().is_some_and(|first| first.ident == "half")
            && ["f16", "bf16"].contains(&name.as_str());
        let foreign = path.segments.len() > 1
            && !is_half
            && !path.segments.first().is_some_and(|first| {
                ["hirace", "glam", "self", "std", "core", "atomic"]
                    .iter()
                    .any(|known| first.ident == known)
            });
        if foreign {
            return refuse(
                place(path),
                "kernels can only use monitored types and `hirace::prelude`: mark the type with `#[hirace::monitor]`",
            );
        }
        if arguments.is_empty() {
            if let Some(ty) = self.named_type(&name, segment.ident.span())? {
                return Ok(ty);
            }
            if let Some(ty) = plain(&name) {
                return Ok(ty);
            }
            if name == "Ordering" {
                return Ok(Type::Enum(EnumKind::Ordering, Vec::new()));
            }
        }
        self.parametric(path, &name, &arguments)
    }

    /// Returns `T::Output` or `<T as Trait>::Output`.
    fn output_type(&mut self, of: Type, path: &syn::Path) -> syn::Result<Type> {
        let name = last(path);
        self.associated_type(&of, &name).unwrap_or_else(|| match of {
            // Operators on numbers return the same type.
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix { .. } if name == "Output" => Ok(of),
            _ => {
                let of = self.describe(&of.into());
                refuse(place(path), format!("no monitored `impl` defines `{name}` for `{of}`"))
            }
        })
    }

    /// Returns the associated type of this name that an `impl` defines for a type, or `None` if there is none.
    pub fn associated_type(&mut self, of: &Type, name: &str) -> Option<syn::Result<Type>> {
        let written = self.associated_types.get(&(of.clone(), name.to_owned())).copied()?;
        let outer = self.type_names.insert("Self".to_owned(), of.clone());
        let ty = self.ty(written);
        match outer {
            Some(outer) => self.type_names.insert("Self".to_owned(), outer),
            None => self.type_names.remove("Self"),
        };
        Some(ty)
    }

    fn parametric(
        &mut self,
        path: &syn::Path,
        name: &str,
        arguments: &[&GenericArgument],
    ) -> syn::Result<Type> {
        if let Some(which) = EnumKind::from_std_name(name, arguments.len()) {
            let mut parts = Vec::new();
            for argument in arguments {
                let GenericArgument::Type(ty) = argument else {
                    return refuse(place(*argument), "expected a type");
                };
                let part = self.ty(ty)?;
                if self.is_unsized(&part) || super::functions::holds_memory(&part) {
                    return refuse(
                        place(ty),
                        "this type exists only in memory and cannot be in a value",
                    );
                }
                parts.push(part);
            }
            return Ok(Type::Enum(which, parts));
        }
        if let "Option" | "Result" = name {
            return refuse(place(path), format!("missing generic arguments: write `{name}<…>`"));
        }
        if name == "Atomic" {
            return match self.scalar_argument(arguments)? {
                Some(scalar @ (Scalar::U32 | Scalar::I32)) => Ok(Type::Atomic(scalar)),
                _ => refuse(
                    place(path),
                    "an atomic must be of type `u32` or `i32`: write `Atomic<u32>`",
                ),
            };
        }
        if let Some(texture) = self.texture_type(path, name, arguments) {
            return texture;
        }
        if !arguments.is_empty() && (plain(name).is_some() || self.types.contains_key(name)) {
            return refuse(place(path), format!("`{name}` takes no generic arguments"));
        }
        refuse(place(path), self.unknown_type(name))
    }

    /// Returns the scalar type that is the only argument of a type.
    pub fn scalar_argument(
        &mut self,
        arguments: &[&GenericArgument],
    ) -> syn::Result<Option<Scalar>> {
        let [GenericArgument::Type(ty)] = arguments else { return Ok(None) };
        Ok(match self.ty(ty)? {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        })
    }

    fn unknown_type(&self, name: &str) -> String {
        if let Some(instead) = textures::instead(name) {
            return format!("`{name}` is not supported in kernels: {instead}");
        }
        let instead = match name {
            "u128" => "its integers have at most 64 bits, use one or two `u64`",
            "i128" => "its integers have at most 64 bits, use one or two `i64`",
            "f64" | "f128" => "use `f32`",
            "bf16" => "use `f32`, or `half::f16`",
            "char" | "str" | "String" => "WGSL has no strings: use numbers",
            "Vec" | "VecDeque" => {
                "WGSL has no allocation: use an array `[T; N]`, or a buffer `&mut [T]`"
            }
            "Box" | "Rc" | "Arc" | "Cell" | "RefCell" | "Mutex" => {
                "WGSL has no allocation: use the value itself"
            }
            "HashMap" | "HashSet" | "BTreeMap" => "WGSL has no allocation: use a table in a buffer",
            "AtomicUsize" | "AtomicBool" | "AtomicU8" | "AtomicU16" | "AtomicU64" => {
                "WGSL's atomics have 32 bits: write `AtomicU32`, or `Atomic<u32>`"
            }
            "AtomicIsize" | "AtomicI8" | "AtomicI16" | "AtomicI64" => {
                "WGSL's atomics have 32 bits: write `AtomicI32`, or `Atomic<i32>`"
            }
            "Ordering" => "orderings can only be arguments of atomic operations",
            "Vec3A" | "Mat3A" | "DVec2" | "DVec3" | "DVec4" | "DMat2" | "DMat3" | "DMat4"
            | "I64Vec2" | "U64Vec2" | "USizeVec2" | "USizeVec3" | "I8Vec4" | "U8Vec4" => {
                "use `Vec2`, `Vec3`, `Vec4`, `IVec…`, `UVec…`, or `Mat2` to `Mat4`"
            }
            "Quat" | "Affine2" | "Affine3A" => "use a `Vec4` or a matrix",
            "Self" => "it is only available in an `impl`: write the name of the type",
            _ => {
                let user = self.types.keys().map(String::as_str);
                let prelude = plain_names();
                let all = user.chain(prelude).chain(texture_names()).chain(["Atomic"]);
                let meant = did_you_mean(name, all);
                let hint = unmarked(name);
                return format!("unknown type `{name}`{meant}{hint}");
            }
        };
        format!("`{name}` is not a type of WGSL: {instead}")
    }

    /// Returns a type as written in Rust.
    pub fn describe(&self, ty: &Ty) -> String {
        self.describe_open(ty, &|_| "_")
    }

    /// Returns a type as written in Rust, where `open` gives the text of an inference variable.
    pub fn describe_open(&self, ty: &Ty, open: &dyn Fn(&Ty) -> &'static str) -> String {
        match ty {
            Ty::Infer(_) => open(ty).to_owned(),
            Ty::Error => "_".to_owned(),
            Ty::Never => "!".to_owned(),
            Ty::Closure(_) => "a closure".to_owned(),
            Ty::Reference(true, to) => format!("&mut {}", self.describe_open(to, open)),
            Ty::Reference(false, to) => format!("&{}", self.describe_open(to, open)),
            Ty::Length(count) => self.describe_count(count),
            Ty::Array(element, length) => {
                let (element, length) =
                    (self.describe_open(element, open), self.describe_open(length, open));
                format!("[{element}; {length}]")
            }
            Ty::Slice(element) => format!("[{}]", self.describe_open(element, open)),
            Ty::Enum(which, parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|part| self.describe_open(part, open)).collect();
                let name = match which {
                    EnumKind::Option => "Option",
                    EnumKind::Result => "Result",
                    EnumKind::Ordering => "Ordering",
                    EnumKind::Own(id) => &self.module.enums[id.0].name.text,
                };
                match parts.is_empty() {
                    true => name.to_owned(),
                    false => format!("{name}<{}>", parts.join(", ")),
                }
            }
            Ty::Tuple(parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|part| self.describe_open(part, open)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Plain(ty) => self.describe_plain(ty),
        }
    }

    fn describe_count(&self, count: &Count) -> String {
        match count {
            Count::Literal(number) => number.to_string(),
            Count::Const(id) => self.module.consts[id.0].name.text.clone(),
        }
    }

    fn describe_plain(&self, ty: &Type) -> String {
        match ty {
            Type::Atomic(_) => {}
            _ => {
                if let Some(name) = plain_name(ty) {
                    return name.to_owned();
                }
            }
        }
        match ty {
            Type::Unit => "()".to_owned(),
            Type::Atomic(scalar) => format!("Atomic<{}>", scalar.name()),
            Type::Struct(id) => self.module.structs[id.0].name.text.clone(),
            Type::Exchange(scalar) => format!("Result<{0}, {0}>", scalar.name()),
            Type::Texture(texture) => textures::describe(texture),
            Type::Array(..) | Type::Slice(_) | Type::Tuple(_) | Type::Enum(..) => {
                self.describe(&ty.into())
            }
            // These have names of their own.
            Type::Scalar(_) | Type::Vector(..) | Type::Matrix { .. } | Type::Sampler { .. } => {
                "_".to_owned()
            }
        }
    }
}

fn instead_of_type(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Slice(_) => {
            "a slice can only be a buffer (`&[T]`, `&mut [T]`) or the last field of a buffer's struct: write `[T; N]`"
        }
        syn::Type::Reference(_) => {
            "references can only be parameters: they cannot be stored, returned or nested"
        }
        syn::Type::Ptr(_) => "WGSL has no pointers in values: take a parameter `&mut T`",
        syn::Type::FnPtr(_) => "WGSL has no function values: call functions by their names",
        syn::Type::ImplTrait(_) => "`impl Trait` is only supported for parameters: write the name of the type",
        syn::Type::TraitObject(_) => "WGSL has no dynamic dispatch: use `impl Trait`",
        syn::Type::Never(_) => "WGSL has no type `!`: remove the return type",
        syn::Type::Infer(_) => "this type cannot be inferred: write its name",
        syn::Type::Macro(_) => "kernels are read before macros are expanded: write the type without the macro",
        _ => "this is not a type of WGSL",
    }
    .to_owned()
}

/// Returns whether a written reference is mutable, and the type that it refers to.
pub fn reference(ty: &syn::Type) -> Option<(bool, &syn::Type)> {
    match ty {
        syn::Type::Paren(inner) => reference(&inner.elem),
        syn::Type::Group(inner) => reference(&inner.elem),
        syn::Type::Reference(reference) => Some((reference.mutability.is_some(), &reference.elem)),
        _ => None,
    }
}

impl Items<'_> {
    /// Lowers the type that a reference refers to: the type of a value, or a slice.
    pub fn referent(&mut self, ty: &syn::Type) -> syn::Result<Type> {
        match ty {
            syn::Type::Paren(inner) => self.referent(&inner.elem),
            syn::Type::Group(inner) => self.referent(&inner.elem),
            syn::Type::Slice(slice) => {
                if let syn::Type::Slice(_) | syn::Type::Reference(_) = &*slice.elem {
                    return refuse(
                        place(&slice.elem),
                        "only the outermost array can be a slice: write `&[[T; N]]`, or compute the index, `x[row * \
                         width + column]`",
                    );
                }
                let element = self.ty(&slice.elem)?;
                self.check_element(&slice.elem, &element)?;
                Ok(Type::Slice(Box::new(element)))
            }
            other => self.ty(other),
        }
    }
}
