//! Places: the memory that pointers point to.

use super::function::{Printer, global, is_own, length, local, word};
use super::{Result, unsupported};
use naga::{AddressSpace, ArraySize, Expression, Handle, Scalar, Type, TypeInner, VectorSize};

/// A place in memory.
pub(super) struct Place {
    pub text: String,
    form: Form,
}

/// The meaning of the text of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The text is the place itself.
    Direct,
    /// The text is a pointer to the first element of an array.
    Elements,
    /// The text is a pointer to the first scalar of a vector, because OpenCL C would access four scalars for a vector of three.
    Three,
}

impl Place {
    fn direct(text: String) -> Self {
        Self { text, form: Form::Direct }
    }
}

impl Printer<'_> {
    /// Returns the place that a pointer points to.
    pub fn place(&self, pointer: Handle<Expression>) -> Result<Place> {
        let (base, index, is_computed) = match self.function.expressions[pointer] {
            Expression::LocalVariable(handle) => return Ok(Place::direct(local(handle))),
            Expression::FunctionArgument(index) => {
                return Ok(Place::direct(format!("(*a{index})")));
            }
            Expression::GlobalVariable(handle) => return self.variable(handle),
            Expression::AccessIndex { base, index } => (base, index.to_string(), false),
            Expression::Access { base, index } => {
                let index = self.value(index)?;
                let last = self.last_index(base)?;
                (base, format!("min((uint)({index}), {last})"), true)
            }
            ref other => return unsupported(format!("{other:?}")),
        };
        let Place { text, form } = self.place(base)?;
        let (pointee, space) = self.pointee(base)?;
        match pointee {
            TypeInner::Array { base, .. } => {
                let text = match form {
                    Form::Elements => format!("{text}[{index}]"),
                    _ => format!("{text}.a[{index}]"),
                };
                self.place_of_value(text, base, space)
            }
            TypeInner::Matrix { rows, scalar, .. } => {
                let text = format!("{text}.c[{index}]");
                match rows {
                    VectorSize::Tri if !is_own(space) => scalars(text, scalar, space),
                    _ => Ok(Place::direct(text)),
                }
            }
            TypeInner::Struct { ref members, .. } => {
                let member = members.get(index.parse::<usize>().unwrap_or(usize::MAX));
                let Some(member) = member else { return unsupported("missing members") };
                let form = match self.shared.program.module.types[member.ty].inner {
                    TypeInner::Array { size: ArraySize::Dynamic, .. } => Form::Elements,
                    _ if self.shared.types.vec3_scalar(member.ty).is_some() => Form::Three,
                    _ => Form::Direct,
                };
                Ok(Place { text: format!("{text}.m{index}"), form })
            }
            TypeInner::Vector { .. } if form == Form::Three => {
                Ok(Place::direct(format!("{text}[{index}]")))
            }
            // `.s0` would access the whole vector.
            TypeInner::Vector { scalar, .. } if !is_own(space) || is_computed => {
                Ok(Place::direct(format!("{}[{index}]", scalars(text, scalar, space)?.text)))
            }
            TypeInner::Vector { .. } => Ok(Place::direct(format!("{text}.s{index}"))),
            _ => unsupported("parts of this kind"),
        }
    }

    /// Returns the place of a module-scope variable.
    fn variable(&self, handle: Handle<naga::GlobalVariable>) -> Result<Place> {
        let module = &self.shared.program.module;
        let variable = &module.global_variables[handle];
        let name = global(handle);
        match module.types[variable.ty].inner {
            TypeInner::Array { .. } if !is_own(variable.space) => {
                Ok(Place { text: name, form: Form::Elements })
            }
            // Scalars in uniform memory are passed by value.
            TypeInner::Scalar(_) if variable.space == AddressSpace::Uniform => {
                Ok(Place::direct(name))
            }
            _ => self.place_of_value(format!("{name}[0]"), variable.ty, variable.space),
        }
    }

    /// Returns the place that `text` denotes, of this type. A vector of three components in shared memory is three scalars.
    fn place_of_value(&self, text: String, ty: Handle<Type>, space: AddressSpace) -> Result<Place> {
        match self.shared.types.vec3_scalar(ty) {
            Some(scalar) if !is_own(space) => scalars(text, scalar, space),
            _ => Ok(Place::direct(text)),
        }
    }

    /// Returns the expression that loads the value at the place.
    pub fn load_expression(&self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer)?;
        match place.form {
            Form::Three => Ok(format!("vload3(0, {})", place.text)),
            _ => self.place_text(pointer, place),
        }
    }

    /// Returns the statement that stores `value` at the place.
    pub fn store_statement(&self, pointer: Handle<Expression>, value: &str) -> Result<String> {
        let place = self.place(pointer)?;
        match place.form {
            Form::Three => Ok(format!("vstore3({value}, 0, {});", place.text)),
            _ => Ok(format!("{} = {value};", self.place_text(pointer, place)?)),
        }
    }

    /// Returns a pointer to the place, as an argument of a function.
    pub fn pointer(&self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer)?;
        match place.form {
            Form::Direct => Ok(format!("&{}", place.text)),
            _ => unsupported("pointers to a vector of three in a structure"),
        }
    }

    /// Returns the text that denotes the entire place.
    fn place_text(&self, pointer: Handle<Expression>, place: Place) -> Result<String> {
        if place.form != Form::Elements {
            return Ok(place.text);
        }
        match *self.type_of(pointer) {
            TypeInner::Pointer { base, space } => {
                let ty = self.shared.types.name(base)?;
                Ok(format!("(*({}{ty}*){})", word(space)?, place.text))
            }
            _ => unsupported("pointers of this kind"),
        }
    }

    /// Returns the type that a pointer points to, and its address space.
    pub fn pointee(&self, pointer: Handle<Expression>) -> Result<(TypeInner, AddressSpace)> {
        match *self.type_of(pointer) {
            TypeInner::Pointer { base, space } => {
                Ok((self.shared.program.module.types[base].inner.clone(), space))
            }
            TypeInner::ValuePointer { size: Some(size), scalar, space } => {
                Ok((TypeInner::Vector { size, scalar }, space))
            }
            TypeInner::ValuePointer { size: None, scalar, space } => {
                Ok((TypeInner::Scalar(scalar), space))
            }
            _ => unsupported("pointers of this kind"),
        }
    }

    /// Returns the last index into the pointee of `base`.
    fn last_index(&self, base: Handle<Expression>) -> Result<String> {
        match self.pointee(base)?.0 {
            TypeInner::Array { size: ArraySize::Dynamic, .. } => {
                Ok(format!("{} - 1u", self.array_length(base)?))
            }
            inner => last(&inner),
        }
    }

    /// Returns the number of elements of a runtime-sized array.
    pub fn array_length(&self, array: Handle<Expression>) -> Result<String> {
        match self.function.expressions[array] {
            Expression::GlobalVariable(handle) => Ok(length(&global(handle))),
            // The array is the last member of a variable.
            Expression::AccessIndex { base, .. } => self.array_length(base),
            _ => unsupported("lengths of parts"),
        }
    }
}

/// Returns the last index into a value of this type.
pub(super) fn last(inner: &TypeInner) -> Result<String> {
    let length = match *inner {
        TypeInner::Array { size: ArraySize::Constant(length), .. } => length.get(),
        TypeInner::Vector { size, .. } => size as u32,
        TypeInner::Matrix { columns, .. } => columns as u32,
        _ => return unsupported("arrays with an overridable length"),
    };
    Ok(format!("{}u", length - 1))
}

/// Returns the place of a vector in the form of consecutive scalars.
fn scalars(text: String, scalar: Scalar, space: AddressSpace) -> Result<Place> {
    let pointer = format!("({}{}*)", word(space)?, super::types::scalar(scalar)?);
    Ok(Place { text: format!("({pointer}&{text})"), form: Form::Three })
}
