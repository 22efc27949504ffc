//! Values of Rust types, in terms of WGSL's types.
//!
//! A value is given as its scalars, in order, with its [`Shape`]. naga decides at which offsets these scalars are stored
//! ([`crate::ir::scalars`]), so a Rust type needs no layout of its own: padding, strides and the order of Rust's fields in memory
//! do not matter.

use naga::{ArraySize, Handle, Module, ScalarKind, Type, TypeInner, VectorSize};

pub use hirace_runtime::{Scalar, Shape};

/// Returns the scalar type that corresponds to naga's `scalar`.
pub fn scalar_of(scalar: naga::Scalar) -> Option<Scalar> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => Some(Scalar::F16),
        (ScalarKind::Float, 4) => Some(Scalar::F32),
        (ScalarKind::Sint, 4) => Some(Scalar::I32),
        (ScalarKind::Uint, 4) => Some(Scalar::U32),
        (ScalarKind::Sint, 8) => Some(Scalar::I64),
        (ScalarKind::Uint, 8) => Some(Scalar::U64),
        _ => None,
    }
}

/// A value, or a slice of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The shape, which consists of scalars, arrays and structs only ([`Shape::without_layout`]).
    pub shape: Shape,
    /// The bytes of the scalars, in order, each little-endian.
    pub bytes: Vec<u8>,
    /// The name of the Rust type, for messages.
    pub rust: String,
}

/// Longer lists are not written out.
const MAX_WRITTEN: usize = 16;

impl Values {
    /// Returns the values as a list in SPEC's syntax, if they are few and of one type.
    pub fn text(&self) -> Option<String> {
        let scalar = self.shape.scalar()?;
        let all = self.bytes.chunks(scalar.bytes() as usize);
        if all.len() > MAX_WRITTEN {
            return None;
        }
        let bits = |own: &[u8]| own.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let numbers: Vec<_> = all.map(|own| scalar.show(bits(own))).collect::<Option<_>>()?;
        (!numbers.is_empty()).then(|| numbers.join(","))
    }
}

/// A mismatch between two types that should be the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMismatch {
    /// The type in WGSL.
    pub expected: String,
    /// The corresponding type in Rust.
    pub got: String,
}

/// Checks that values of `shape` fill a variable of type `ty`. A plain list of scalars fills any type that consists of only such
/// scalars. The caller checks the number of scalars, because it knows how many are given.
pub fn fit(module: &Module, ty: Handle<Type>, shape: &Shape) -> Result<(), TypeMismatch> {
    Fit { module }.check(ty, shape, true)
}

struct Fit<'a> {
    module: &'a Module,
}

impl Fit<'_> {
    /// `last`: nothing follows, so that the value may determine the length.
    fn check(&self, ty: Handle<Type>, shape: &Shape, last: bool) -> Result<(), TypeMismatch> {
        let long_enough = |given: Option<u32>, length: u32| given.map_or(last, |n| n == length);
        match (&self.module.types[ty].inner, shape) {
            (TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar), Shape::Scalar(given))
                if scalar_of(*scalar) == Some(*given) =>
            {
                Ok(())
            }
            (_, Shape::Array(element, count)) if self.is_list(ty, element, *count, last) => Ok(()),
            (TypeInner::Matrix { columns, rows, scalar }, Shape::Array(column, count))
                if long_enough(*count, *columns as u32)
                    && is_column(column, *rows)
                    && scalar_of(*scalar) == column.scalar() =>
            {
                Ok(())
            }
            (TypeInner::Array { base, size, .. }, Shape::Array(element, count))
                if match size {
                    ArraySize::Constant(length) => long_enough(*count, length.get()),
                    ArraySize::Dynamic => true,
                    ArraySize::Pending(_) => false,
                } =>
            {
                self.check(*base, element, false)
            }
            (TypeInner::Struct { members, .. }, Shape::Struct(shapes))
                if members.len() == shapes.len() =>
            {
                let pairs = members.iter().zip(shapes).enumerate();
                for (index, (member, shape)) in pairs {
                    self.check(member.ty, shape, last && index + 1 == shapes.len())?;
                }
                Ok(())
            }
            // The members of a nested struct may be listed in place of that struct.
            (TypeInner::Struct { members, .. }, Shape::Struct(shapes))
                if members.len() > shapes.len() && flat(shapes).len() == members.len() =>
            {
                let shapes = flat(shapes).into_iter().cloned().collect();
                self.check(ty, &Shape::Struct(shapes), last)
            }
            // A struct with one member is equivalent to that member.
            (_, Shape::Struct(shapes)) if shapes.len() == 1 => self.check(ty, &shapes[0], last),
            (TypeInner::Struct { members, .. }, _) if members.len() == 1 => {
                self.check(members[0].ty, shape, last)
            }
            _ => Err(TypeMismatch { expected: type_name(self.module, ty), got: shape.to_string() }),
        }
    }

    /// Returns whether `count` of `element` is a list of scalars and `ty` consists of only such scalars.
    fn is_list(&self, ty: Handle<Type>, element: &Shape, count: Option<u32>, last: bool) -> bool {
        let Shape::Scalar(scalar) = element else { return false };
        let mut types = crate::ir::scalars::scalar_types(self.module, ty).into_iter();
        let same = types.all(|(own, _)| scalar_of(own) == Some(*scalar));
        let (fixed, more) = crate::ir::scalars::scalar_counts(self.module, ty);
        same && match count {
            None => last,
            Some(_) if last => true,
            Some(n) => more == 0 && fixed == u64::from(n),
        }
    }
}

/// Returns the members of a struct, with nested structs replaced by their members.
fn flat(shapes: &[Shape]) -> Vec<&Shape> {
    let mut all = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Struct(inner) => all.extend(flat(inner)),
            other => all.push(other),
        }
    }
    all
}

fn is_column(shape: &Shape, rows: VectorSize) -> bool {
    matches!(shape, Shape::Array(element, Some(n))
        if *n == rows as u32 && matches!(**element, Shape::Scalar(_)))
}

/// Returns a type in WGSL's syntax.
pub fn type_name(module: &Module, ty: Handle<Type>) -> String {
    use naga::common::wgsl::TypeContext;
    module.to_ctx().type_to_string(ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        struct P { id: u32, pos: vec3<f32>, m: mat3x3<f32> }
        struct Wrapped { list: array<vec4<f32>> }
        struct Listed { n: u32, points: array<vec3<f32>> }
        @group(0) @binding(0) var<storage> particles: array<P>;
        @group(0) @binding(1) var<storage> points: array<vec3<f32>>;
        @group(0) @binding(2) var<storage> wrapped: Wrapped;
        @group(0) @binding(3) var<storage> listed: Listed;
        @group(0) @binding(4) var<storage> four: array<u32, 4>;
        @group(0) @binding(5) var<storage, read_write> count: atomic<u32>;
        @group(0) @binding(6) var<storage> matrix: mat2x3<f32>;";

    fn fits(variable: &str, shape: &Shape) -> Result<(), TypeMismatch> {
        let module = naga::front::wgsl::parse_str(TEXT).unwrap();
        let mut all = module.global_variables.iter();
        let found = all.find(|(_, v)| v.name.as_deref() == Some(variable)).unwrap();
        fit(&module, found.1.ty, shape)
    }

    const F: Shape = Shape::Scalar(Scalar::F32);
    const U: Shape = Shape::Scalar(Scalar::U32);

    fn many(element: Shape) -> Shape {
        Shape::array(element, None)
    }

    fn times(element: Shape, n: u32) -> Shape {
        Shape::array(element, Some(n))
    }

    #[test]
    fn values_fit_variables_of_their_type() {
        let particle = Shape::Struct(vec![U, times(F, 3), times(times(F, 3), 3)]);
        assert_eq!(fits("particles", &many(particle.clone())), Ok(()));
        assert_eq!(fits("particles", &times(particle, 7)), Ok(()));
        assert_eq!(fits("points", &many(times(F, 3))), Ok(()));
        assert_eq!(fits("wrapped", &many(times(F, 4))), Ok(()));
        assert_eq!(fits("listed", &Shape::Struct(vec![U, many(times(F, 3))])), Ok(()));
        assert_eq!(fits("four", &times(U, 4)), Ok(()));
        assert_eq!(fits("four", &many(U)), Ok(()));
        assert_eq!(fits("count", &U), Ok(()));
        assert_eq!(fits("count", &many(U)), Ok(()));
        assert_eq!(fits("matrix", &times(times(F, 3), 2)), Ok(()));
    }

    #[test]
    fn scalar_list_fits_types_of_that_scalar() {
        assert_eq!(fits("points", &many(F)), Ok(()));
        assert_eq!(fits("matrix", &times(F, 6)), Ok(()));
        assert!(fits("points", &many(U)).is_err());
        assert!(fits("particles", &many(F)).is_err());
        assert!(fits("listed", &many(U)).is_err());
    }

    #[test]
    fn what_does_not_fit_is_reported_where_it_differs() {
        let mismatch = |variable, shape: &Shape| {
            let TypeMismatch { expected, got } = fits(variable, shape).unwrap_err();
            format!("{expected} / {got}")
        };
        assert_eq!(mismatch("points", &many(times(F, 4))), "vec3<f32> / vec4<f32>");
        assert_eq!(mismatch("count", &F), "atomic<u32> / f32");
        assert_eq!(mismatch("matrix", &times(times(F, 2), 3)), "mat2x3<f32> / array<vec2<f32>, 3>");
        assert_eq!(mismatch("points", &many(many(F))), "vec3<f32> / array<f32>");
        let particle = Shape::Struct(vec![F, times(F, 3), times(times(F, 3), 3)]);
        assert_eq!(mismatch("particles", &many(particle)), "u32 / f32");
        assert_eq!(mismatch("particles", &many(Shape::Struct(vec![U, U]))), "P / { u32, u32 }");
        assert_eq!(mismatch("four", &times(times(U, 2), 2)), "array<u32, 4> / array<vec2<u32>, 2>");
    }

    #[test]
    fn few_values_can_be_written_out() {
        let values = |words: &[f32]| Values {
            shape: many(F),
            bytes: words.iter().flat_map(|x| x.to_le_bytes()).collect(),
            rust: String::new(),
        };
        assert_eq!(
            values(&[1.0, -0.5, 1e-20]).text().as_deref(),
            Some("1,-0.5,0.00000000000000000001")
        );
        assert_eq!(values(&[f32::NAN]).text(), None);
        assert_eq!(values(&[0.0; 17]).text(), None);
        assert_eq!(values(&[]).text(), None);
    }
}
