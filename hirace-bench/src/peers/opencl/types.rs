//! Types, and the declarations of those that OpenCL C lacks.
//!
//! Types have the memory layout of WGSL. In OpenCL C, a vector of three components is as large as one of four. This matches WGSL in
//! arrays and matrices, and does not matter for values. A member of a structure is printed as three scalars instead. Padding is a
//! member that is an array of bytes. Arrays are values, so each is a structure that contains an array.
//!
//! OpenCL C has no vectors of `bool`: a scalar is an `int` that is 0 or 1, and a component is 0 or -1, as in
//! comparisons of vectors.

use super::{Result, unsupported};
use naga::proc::TypeResolution;
use naga::{
    ArraySize, Handle, Module, Scalar, ScalarKind, StructMember, Type, TypeInner, VectorSize,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) struct Types<'a> {
    module: &'a Module,
    declared: RefCell<Declarations>,
}

#[derive(Default)]
struct Declarations {
    text: String,
    names: BTreeSet<String>,
}

impl<'a> Types<'a> {
    pub fn new(module: &'a Module) -> Self {
        Self { module, declared: RefCell::default() }
    }

    /// Returns the declarations of all types that were named.
    pub fn declared(&self) -> String {
        self.declared.borrow().text.clone()
    }

    /// Returns the name of a type, and declares it if necessary.
    pub fn name(&self, ty: Handle<Type>) -> Result<String> {
        match self.module.types[ty].inner {
            TypeInner::Array { base, size, .. } => {
                let ArraySize::Constant(length) = size else {
                    return unsupported("values of runtime-sized arrays");
                };
                let (name, base) = (format!("A{}", ty.index()), self.name(base)?);
                self.declare(&name, || Ok(format!("{base} a[{length}];")))?;
                Ok(name)
            }
            TypeInner::Struct { ref members, span } => {
                let name = format!("S{}", ty.index());
                self.declare(&name, || self.members(members, span))?;
                Ok(name)
            }
            ref inner => self.inner(inner),
        }
    }

    /// Returns the name of a type without a handle.
    pub fn inner(&self, inner: &TypeInner) -> Result<String> {
        match *inner {
            TypeInner::Scalar(of) | TypeInner::Atomic(of) => Ok(scalar(of)?.to_owned()),
            TypeInner::Vector { size, scalar: of } => vector(size, of),
            TypeInner::Matrix { columns, rows, scalar: of } => {
                let (columns, of) = (columns as u8, vector(rows, of)?);
                let name = format!("mat{columns}x{}", rows as u8);
                self.declare(&name, || Ok(format!("{of} c[{columns}];")))?;
                Ok(name)
            }
            _ => unsupported("types of this kind"),
        }
    }

    /// Returns the name of the type of an expression.
    pub fn resolved_name(&self, resolution: &TypeResolution) -> Result<String> {
        match resolution {
            TypeResolution::Handle(ty) => self.name(*ty),
            TypeResolution::Value(inner) => self.inner(inner),
        }
    }

    /// Returns the initializer that sets a variable of this type to zero.
    pub fn zero(&self, ty: Handle<Type>) -> Result<String> {
        match self.module.types[ty].inner {
            TypeInner::Array { base, .. } => Ok(format!("{{{{{}}}}}", self.zero(base)?)),
            // Missing initializers are zero in C.
            TypeInner::Struct { ref members, .. } => match members.first() {
                Some(first) if self.vec3_scalar(first.ty).is_some() => Ok("{{0}}".to_owned()),
                Some(first) => Ok(format!("{{{}}}", self.zero(first.ty)?)),
                None => Ok("{}".to_owned()),
            },
            TypeInner::Matrix { rows, scalar, .. } => {
                Ok(format!("{{{{(({})(0))}}}}", vector(rows, scalar)?))
            }
            TypeInner::Vector { size, scalar } => Ok(format!("(({})(0))", vector(size, scalar)?)),
            TypeInner::Scalar(of) | TypeInner::Atomic(of) => Ok(match of.kind {
                ScalarKind::Uint => "0u",
                ScalarKind::Float => "0.0f",
                _ => "0",
            }
            .to_owned()),
            _ => unsupported("types of this kind"),
        }
    }

    /// Returns the type of the components of a vector of three components; `None` for other types.
    pub fn vec3_scalar(&self, ty: Handle<Type>) -> Option<Scalar> {
        match self.module.types[ty].inner {
            TypeInner::Vector { size: VectorSize::Tri, scalar } => Some(scalar),
            _ => None,
        }
    }

    fn declare(&self, name: &str, members: impl FnOnce() -> Result<String>) -> Result<()> {
        if self.declared.borrow().names.contains(name) {
            return Ok(());
        }
        // This may declare other types, whose declarations must precede this one.
        let members = members()?;
        let mut declared = self.declared.borrow_mut();
        let _ = writeln!(declared.text, "typedef struct {{ {members} }} {name};");
        declared.names.insert(name.to_owned());
        Ok(())
    }

    /// Returns the members of a structure, with bytes as padding. A structure that contains a `bool` is never in shared
    /// memory, so its layout does not matter.
    fn members(&self, members: &[StructMember], span: u32) -> Result<String> {
        let exact =
            !members.iter().any(|member| has_scalar_kind(self.module, member.ty, ScalarKind::Bool));
        let (mut text, mut end) = (String::new(), 0);
        for (index, member) in members.iter().enumerate() {
            if exact && member.offset > end {
                let _ = write!(text, "uchar gap{index}[{}]; ", member.offset - end);
            }
            let inner = &self.module.types[member.ty].inner;
            match (self.vec3_scalar(member.ty), inner) {
                (Some(of), _) => {
                    let _ = write!(text, "{} m{index}[3]; ", scalar(of)?);
                }
                (None, &TypeInner::Array { base, size: ArraySize::Dynamic, .. }) => {
                    // The last member, whose length is the remaining size.
                    let _ = write!(text, "{} m{index}[]; ", self.name(base)?);
                }
                (None, _) => {
                    let _ = write!(text, "{} m{index}; ", self.name(member.ty)?);
                }
            }
            let size = inner.try_size(self.module.to_ctx()).unwrap_or(0);
            end = member.offset + size;
            if matches!(inner, TypeInner::Array { size: ArraySize::Dynamic, .. }) {
                end = span;
            }
        }
        if exact && span > end {
            let _ = write!(text, "uchar rest[{}]; ", span - end);
        }
        Ok(text.trim_end().to_owned())
    }
}

/// Returns whether a value of this type contains scalars of this kind.
pub fn has_scalar_kind(module: &Module, ty: Handle<Type>, kind: ScalarKind) -> bool {
    match module.types[ty].inner {
        TypeInner::Array { base, .. } => has_scalar_kind(module, base, kind),
        TypeInner::Struct { ref members, .. } => {
            members.iter().any(|member| has_scalar_kind(module, member.ty, kind))
        }
        ref inner => inner.scalar_kind() == Some(kind),
    }
}

/// Returns the name of a scalar type.
pub(super) fn scalar(scalar: Scalar) -> Result<&'static str> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Sint, 4) => Ok("int"),
        (ScalarKind::Uint, 4) => Ok("uint"),
        (ScalarKind::Float, 4) => Ok("float"),
        (ScalarKind::Bool, _) => Ok("int"),
        _ => unsupported("scalars of this kind"),
    }
}

/// Returns the name of a vector type.
pub(super) fn vector(size: VectorSize, of: Scalar) -> Result<String> {
    Ok(format!("{}{}", scalar(of)?, size as u8))
}
