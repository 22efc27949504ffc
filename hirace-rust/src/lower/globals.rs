//! Parameters of kernels: built-in values, buffers, textures, workgroup and private memory.

use super::super::tree::{
    Binding, ConstId, ConstKind, Count, Global, GlobalId, PassMode, Scalar, Space, Type,
};
use super::super::uniforms;
use super::attributes;
use super::errors::{error, place, refuse};
use super::functions::{DeclaredParameter, ParameterMeaning, parts};
use super::infer::Ty;
use super::items::Items;
use super::names::name;
use super::types;
use syn::{Attribute, FnArg};

const KNOWN: [&str; 5] = ["builtin", "uniform", "workgroup", "private", "binding"];

/// The placeholder until all globals are known and bindings are numbered.
const UNBOUND: Binding = Binding { group: 0, binding: 0 };

impl Items<'_> {
    /// Lowers a parameter of a kernel.
    pub fn kernel_parameter(&mut self, argument: &FnArg) -> syn::Result<DeclaredParameter> {
        let (ident, written, attributes) = parts(argument)?;
        attributes::check(attributes, &KNOWN)?;
        let kind = kind(attributes)?;
        let binding = attributes::find(attributes, "binding")?;
        let (space, mutable, ty) = match kind {
            Some(("builtin", attribute)) => return self.built_in(ident, written, attribute),
            Some(("uniform", _)) => {
                let ty = match types::reference(written) {
                    None => self.ty(written)?,
                    Some((false, to)) => self.ty(to)?,
                    Some((true, _)) => {
                        return refuse(
                            place(written),
                            "uniform memory is read-only: write `&T`, or use a storage buffer without `#[uniform]`",
                        );
                    }
                };
                (Space::Uniform(UNBOUND), None, ty)
            }
            Some((space, _)) => {
                let Some((mutable, to)) = types::reference(written) else {
                    return refuse(
                        place(written),
                        format!(
                            "{space} memory must be a reference: write `#[{space}] {ident}: &mut …`"
                        ),
                    );
                };
                if let syn::Type::Slice(_) = to {
                    return refuse(
                        place(to),
                        format!("an array in {space} memory must have a length: write `[T; N]`"),
                    );
                }
                let ty = self.ty(to)?;
                if !mutable && !holds_atomics(self, &ty) {
                    return refuse(
                        place(written),
                        format!("this {space} memory must be writable: write `&mut`"),
                    );
                }
                let space = if space == "workgroup" { Space::Workgroup } else { Space::Private };
                (space, Some(mutable), ty)
            }
            None => {
                let Some((mutable, to)) = types::reference(written) else {
                    let ty = self.ty(written)?;
                    return refuse(place(argument), self.unmarked(&ident.to_string(), &ty));
                };
                let ty = self.referent(to)?;
                match ty {
                    Type::Texture(_) | Type::Sampler { .. } if mutable => {
                        return refuse(
                            place(written),
                            "textures and samplers must be shared references: write `&`",
                        );
                    }
                    Type::Texture(_) | Type::Sampler { .. } => {
                        (Space::Handle(UNBOUND), Some(false), ty)
                    }
                    _ if mutable || holds_atomics(self, &ty) => {
                        (Space::StorageReadWrite(UNBOUND), Some(mutable), ty)
                    }
                    _ => (Space::StorageRead(UNBOUND), Some(false), ty),
                }
            }
        };
        self.check_memory(written, space, &ty)?;
        let binding = match (binding, space) {
            (None, _) => None,
            (Some(attribute), Space::Workgroup | Space::Private) => {
                return refuse(
                    place(attribute),
                    "workgroup and private memory has no binding: remove `binding`",
                );
            }
            (Some(attribute), _) => Some((attributes::binding(attribute)?, attribute)),
        };
        let global = self.global(Global { name: name(ident), ty: ty.clone(), space });
        if let Some((numbers, attribute)) = binding {
            self.bind(global, numbers, attribute)?;
        }
        let ty = match mutable {
            Some(mutable) => Ty::Reference(mutable, Box::new(ty.into())),
            None if types::reference(written).is_some() => {
                Ty::Reference(false, Box::new(ty.into()))
            }
            None => ty.into(),
        };
        Ok(DeclaredParameter {
            name: name(ident),
            ty,
            means: ParameterMeaning::Global(global),
            pattern: None,
        })
    }

    fn built_in(
        &mut self,
        ident: &syn::Ident,
        written: &syn::Type,
        attribute: &Attribute,
    ) -> syn::Result<DeclaredParameter> {
        let (built_in, vector) = attributes::built_in(attribute)?;
        let expected =
            if vector { Type::Vector(3, Scalar::U32) } else { Type::Scalar(Scalar::U32) };
        let given = match types::reference(written) {
            Some(_) => None,
            None => Some(self.ty(written)?),
        };
        if given.as_ref() != Some(&expected) {
            let expected = self.describe(&expected.into());
            return refuse(place(written), format!("`{built_in}` has the type `{expected}`"));
        }
        Ok(DeclaredParameter {
            name: name(ident),
            ty: expected.into(),
            means: ParameterMeaning::Passed(PassMode::BuiltIn(built_in)),
            pattern: None,
        })
    }

    /// Returns the message for a by-value parameter without an attribute.
    fn unmarked(&self, name: &str, ty: &Type) -> String {
        let named = self.describe(&ty.into());
        let built_in: Vec<&str> = attributes::BUILT_IN
            .iter()
            .filter(|(_, vector)| {
                *ty == if *vector {
                    Type::Vector(3, Scalar::U32)
                } else {
                    Type::Scalar(Scalar::U32)
                }
            })
            .map(|(name, _)| *name)
            .collect();
        let exact =
            built_in.iter().find(|known| known.starts_with(name) || name.starts_with(*known));
        let uniform = format!("`#[uniform] {name}: {named}`");
        match (exact.or(built_in.first()), ty) {
            (_, Type::Texture(_) | Type::Sampler { .. } | Type::Atomic(_)) => {
                format!("this cannot be passed by value: write `{name}: &{named}`")
            }
            (Some(first), _) => format!(
                "the source of `{name}` is not specified: write `#[builtin({first})] {name}: {named}`, or {uniform}"
            ),
            (None, _) => {
                format!(
                    "the source of `{name}` is not specified: write {uniform}, or for a buffer `{name}: &{named}`"
                )
            }
        }
    }

    /// Rejects types that cannot be in an address space.
    fn check_memory(&self, written: &syn::Type, space: Space, ty: &Type) -> syn::Result<()> {
        let named = self.describe(&ty.into());
        let shared =
            matches!(space, Space::StorageRead(_) | Space::StorageReadWrite(_) | Space::Uniform(_));
        let wrong = match space {
            Space::Handle(_) => None,
            _ if any(self, ty, &|ty| matches!(ty, Type::Texture(_) | Type::Sampler { .. })) => {
                Some("textures and samplers must be parameters: write `&Texture2d<f32>`")
            }
            _ if any(self, ty, &|ty| {
                matches!(ty, Type::Tuple(_) | Type::Unit | Type::Exchange(_) | Type::Enum(..))
            }) =>
            {
                Some(
                    "tuples and enums have no layout in memory: use a struct, and a number for the variant",
                )
            }
            _ if shared && any(self, ty, &Type::is_bool) => {
                Some("`bool` has no layout in buffers: use a `u32`, and compare it with 0")
            }
            _ if shared && any(self, ty, &holds_narrow) => Some(
                "buffers have no integers below 32 bits: use a `u32` and convert it, `… as u8`, or pack four bytes \
                 and use `unpack4x_u8`",
            ),
            _ if shared && any(self, ty, &holds_size) => Some(
                "`usize` and `isize` have 64 bits on the host and 32 in kernels: use a `u32` and convert it, `… as \
                 usize`",
            ),
            Space::Uniform(_) if any(self, ty, &|ty| matches!(ty, Type::Slice(_))) => Some(
                "uniform memory has a fixed size: give the array a length, or remove `#[uniform]`",
            ),
            Space::Uniform(_) | Space::Private if holds_atomics(self, ty) => {
                Some("atomics must be in storage or workgroup memory")
            }
            Space::Workgroup | Space::Private
                if any(self, ty, &|ty| matches!(ty, Type::Slice(_))) =>
            {
                Some("workgroup and private memory has a fixed size: give the array a length")
            }
            Space::Workgroup => None,
            _ if self.has_override_length(ty) => {
                Some("only arrays in workgroup memory can have an override as length")
            }
            _ => None,
        };
        let misplaced = match space {
            Space::Uniform(_) if wrong.is_none() => {
                uniforms::uniform_layout_error(&self.module, ty)
            }
            _ => None,
        };
        match wrong.map(str::to_owned).or(misplaced) {
            Some(why) => refuse(place(written), format!("`{named}` cannot be used here: {why}")),
            None => Ok(()),
        }
    }

    /// Returns whether a type contains an array whose length depends on an override.
    pub fn has_override_length(&self, ty: &Type) -> bool {
        let constant = |id: &ConstId| &self.module.consts[id.0].kind;
        any(self, ty, &|ty| match ty {
            Type::Array(_, Count::Const(id)) => matches!(constant(id), ConstKind::Override(..)),
            _ => false,
        })
    }

    /// Returns the global of this name and type, and creates it if no previous kernel has it. A kernel with a global
    /// that has the same name as different memory in another kernel is printed as a separate text.
    fn global(&mut self, global: Global) -> GlobalId {
        let is_bound = |space| !matches!(space, Space::Workgroup | Space::Private);
        let bound = is_bound(global.space);
        let named =
            |other: &Global| other.name.text == global.name.text && is_bound(other.space) == bound;
        let is_same = |other: &Global| {
            let storage =
                |space| matches!(space, Space::StorageRead(_) | Space::StorageReadWrite(_));
            let same_memory = match bound {
                true => {
                    storage(other.space) && storage(global.space)
                        || std::mem::discriminant(&other.space)
                            == std::mem::discriminant(&global.space)
                }
                false => other.space == global.space,
            };
            named(other) && same_memory && other.ty == global.ty
        };
        let first = self.module.globals.iter().position(named);
        let found = self.module.globals.iter().position(is_same);
        // Other memory does not outlive a kernel, so different kernels may use the same name for it.
        self.separate |= bound && first.is_some() && found != first;
        let Some(index) = found else {
            self.module.globals.push(global);
            self.bindings.push(None);
            return GlobalId(self.module.globals.len() - 1);
        };
        if let Space::StorageReadWrite(_) = global.space {
            self.module.globals[index].space = global.space;
        }
        GlobalId(index)
    }

    fn bind(
        &mut self,
        id: GlobalId,
        numbers: (u32, u32),
        attribute: &Attribute,
    ) -> syn::Result<()> {
        let name = &self.module.globals[id.0].name.text;
        if self.bindings[id.0].is_some_and(|other| other != numbers) {
            return refuse(
                place(attribute),
                format!("`{name}` has a different binding in another kernel"),
            );
        }
        let taken = self.bindings.iter().position(|other| *other == Some(numbers));
        if let Some(other) = taken.filter(|other| *other != id.0) {
            let other = &self.module.globals[other].name.text;
            return refuse(place(attribute), format!("this binding is already used by `{other}`"));
        }
        self.bindings[id.0] = Some(numbers);
        Ok(())
    }

    /// Numbers the bindings of all globals, by position where none is given.
    pub fn number_bindings(&mut self) {
        let mut next = 0;
        for (index, global) in self.module.globals.iter_mut().enumerate() {
            let (Space::StorageRead(binding)
            | Space::StorageReadWrite(binding)
            | Space::Uniform(binding)
            | Space::Handle(binding)) = &mut global.space
            else {
                continue;
            };
            let (group, number) = self.bindings[index].unwrap_or_else(|| {
                while self.bindings.contains(&Some((0, next))) {
                    next += 1;
                }
                next += 1;
                (0, next - 1)
            });
            *binding = Binding { group, binding: number };
        }
    }
}

/// Returns the attribute that gives the kind of a parameter. At most one is allowed.
fn kind(attributes: &[Attribute]) -> syn::Result<Option<(&'static str, &Attribute)>> {
    let mut found = None;
    for name in ["builtin", "uniform", "workgroup", "private"] {
        if let Some(attribute) = attributes::find(attributes, name)? {
            if let Some((other, _)) = found {
                return Err(error(
                    place(attribute),
                    format!("a parameter cannot be both `{other}` and `{name}`"),
                ));
            }
            found = Some((name, attribute));
        }
    }
    Ok(found)
}

fn holds_size(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::Usize | Scalar::Isize))
}

fn holds_narrow(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(scalar) if scalar.narrow_bits().is_some())
}

/// Returns whether a type contains atomics.
pub fn holds_atomics(items: &Items<'_>, ty: &Type) -> bool {
    any(items, ty, &|ty| matches!(ty, Type::Atomic(_)))
}

/// Returns whether a type or one of its parts satisfies `is`.
fn any(items: &Items<'_>, ty: &Type, is: &dyn Fn(&Type) -> bool) -> bool {
    is(ty)
        || match ty {
            Type::Array(element, _) | Type::Slice(element) => any(items, element, is),
            Type::Struct(id) => {
                items.module.structs[id.0].members.iter().any(|member| any(items, &member.ty, is))
            }
            Type::Tuple(parts) => parts.iter().any(|part| any(items, part, is)),
            _ => false,
        }
}
