//! Associated constants, and the constants of `std::f32::consts`.

use crate::types::Scalar::{Bool, F32, I32, U32};
use crate::types::{Scalar, Type};

/// A type, the name of a constant, and its value in WGSL.
type Row = (Type, &'static str, &'static str);

/// Defines the constants of vectors from WGSL's type name and the constructor arguments.
macro_rules! vectors {
    (
        $($wgsl:literal $components:literal $scalar:ident:
            $($name:literal = $value:literal)*;)*
    ) => {
        &[$($((Type::Vector($components, $scalar), $name, concat!($wgsl, "(", $value, ")")),)*)*]
    };
}

static SCALARS: &[Row] = &[
    (Type::Scalar(F32), "MAX", "0x1.fffffep+127f"),
    (Type::Scalar(F32), "MIN", "(-0x1.fffffep+127f)"),
    (Type::Scalar(F32), "MIN_POSITIVE", "0x1p-126f"),
    (Type::Scalar(F32), "EPSILON", "0x1p-23f"),
    (Type::Scalar(I32), "MAX", "2147483647i"),
    (Type::Scalar(I32), "MIN", "i32(-2147483648)"),
    (Type::Scalar(U32), "MAX", "4294967295u"),
    (Type::Scalar(U32), "MIN", "0u"),
    (Type::Scalar(U32), "BITS", "32u"),
];

/// The constants of integer types that WGSL does not have.
static NARROW: &[(Scalar, &str, &str)] = &[
    (Scalar::U8, "MAX", "255u"),
    (Scalar::U8, "MIN", "0u"),
    (Scalar::I8, "MAX", "127i"),
    (Scalar::I8, "MIN", "i32(-128)"),
    (Scalar::U16, "MAX", "65535u"),
    (Scalar::U16, "MIN", "0u"),
    (Scalar::I16, "MAX", "32767i"),
    (Scalar::I16, "MIN", "i32(-32768)"),
];

static VECTORS: &[Row] = vectors! {
    "vec2<f32>" 2 F32:
        "ZERO" = "0.0" "ONE" = "1.0" "NEG_ONE" = "-1.0" "MAX" = "0x1.fffffep+127f"
        "MIN" = "-0x1.fffffep+127f" "X" = "1.0, 0.0" "Y" = "0.0, 1.0" "NEG_X" = "-1.0, 0.0"
        "NEG_Y" = "0.0, -1.0";
    "vec2<i32>" 2 I32:
        "ZERO" = "0" "ONE" = "1" "NEG_ONE" = "-1" "MAX" = "2147483647" "MIN" = "-2147483648"
        "X" = "1, 0" "Y" = "0, 1" "NEG_X" = "-1, 0" "NEG_Y" = "0, -1";
    "vec2<u32>" 2 U32:
        "ZERO" = "0" "ONE" = "1" "MAX" = "4294967295" "MIN" = "0" "X" = "1, 0" "Y" = "0, 1";
    "vec2<bool>" 2 Bool:
        "TRUE" = "true" "FALSE" = "false";
    "vec3<f32>" 3 F32:
        "ZERO" = "0.0" "ONE" = "1.0" "NEG_ONE" = "-1.0" "MAX" = "0x1.fffffep+127f"
        "MIN" = "-0x1.fffffep+127f" "X" = "1.0, 0.0, 0.0" "Y" = "0.0, 1.0, 0.0"
        "Z" = "0.0, 0.0, 1.0" "NEG_X" = "-1.0, 0.0, 0.0" "NEG_Y" = "0.0, -1.0, 0.0"
        "NEG_Z" = "0.0, 0.0, -1.0";
    "vec3<i32>" 3 I32:
        "ZERO" = "0" "ONE" = "1" "NEG_ONE" = "-1" "MAX" = "2147483647" "MIN" = "-2147483648"
        "X" = "1, 0, 0" "Y" = "0, 1, 0" "Z" = "0, 0, 1" "NEG_X" = "-1, 0, 0" "NEG_Y" = "0, -1, 0"
        "NEG_Z" = "0, 0, -1";
    "vec3<u32>" 3 U32:
        "ZERO" = "0" "ONE" = "1" "MAX" = "4294967295" "MIN" = "0" "X" = "1, 0, 0" "Y" = "0, 1, 0"
        "Z" = "0, 0, 1";
    "vec3<bool>" 3 Bool:
        "TRUE" = "true" "FALSE" = "false";
    "vec4<f32>" 4 F32:
        "ZERO" = "0.0" "ONE" = "1.0" "NEG_ONE" = "-1.0" "MAX" = "0x1.fffffep+127f"
        "MIN" = "-0x1.fffffep+127f" "X" = "1.0, 0.0, 0.0, 0.0" "Y" = "0.0, 1.0, 0.0, 0.0"
        "Z" = "0.0, 0.0, 1.0, 0.0" "W" = "0.0, 0.0, 0.0, 1.0" "NEG_X" = "-1.0, 0.0, 0.0, 0.0"
        "NEG_Y" = "0.0, -1.0, 0.0, 0.0" "NEG_Z" = "0.0, 0.0, -1.0, 0.0"
        "NEG_W" = "0.0, 0.0, 0.0, -1.0";
    "vec4<i32>" 4 I32:
        "ZERO" = "0" "ONE" = "1" "NEG_ONE" = "-1" "MAX" = "2147483647" "MIN" = "-2147483648"
        "X" = "1, 0, 0, 0" "Y" = "0, 1, 0, 0" "Z" = "0, 0, 1, 0" "W" = "0, 0, 0, 1"
        "NEG_X" = "-1, 0, 0, 0" "NEG_Y" = "0, -1, 0, 0" "NEG_Z" = "0, 0, -1, 0"
        "NEG_W" = "0, 0, 0, -1";
    "vec4<u32>" 4 U32:
        "ZERO" = "0" "ONE" = "1" "MAX" = "4294967295" "MIN" = "0" "X" = "1, 0, 0, 0"
        "Y" = "0, 1, 0, 0" "Z" = "0, 0, 1, 0" "W" = "0, 0, 0, 1";
    "vec4<bool>" 4 Bool:
        "TRUE" = "true" "FALSE" = "false";
};

const fn matrix(columns: u8, rows: u8) -> Type {
    Type::Matrix { columns, rows }
}

#[rustfmt::skip]
static MATRICES: &[Row] = &[
    (matrix(2, 2), "ZERO", "mat2x2<f32>(0.0, 0.0, 0.0, 0.0)"),
    (matrix(2, 2), "IDENTITY", "mat2x2<f32>(1.0, 0.0, 0.0, 1.0)"),
    (matrix(2, 3), "ZERO", "mat2x3<f32>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
    (matrix(2, 4), "ZERO", "mat2x4<f32>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
    (matrix(3, 2), "ZERO", "mat3x2<f32>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
    (matrix(3, 3), "ZERO", "mat3x3<f32>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
    (matrix(3, 3), "IDENTITY", "mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)"),
    (matrix(3, 4), "ZERO", "mat3x4<f32>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
    (matrix(4, 2), "ZERO", "mat4x2<f32>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
    (matrix(4, 3), "ZERO", "mat4x3<f32>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
    (matrix(4, 4), "ZERO", "mat4x4<f32>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)"),
    (matrix(4, 4), "IDENTITY", "mat4x4<f32>(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)"),
];

static FLOAT: Type = Type::Scalar(F32);

/// The constants of `std::f32::consts`.
static FLOATS: &[(&str, &str)] = &[
    ("E", "2.7182817f"),
    ("FRAC_1_PI", "0.31830987f"),
    ("FRAC_1_SQRT_2", "0.70710677f"),
    ("FRAC_2_PI", "0.63661975f"),
    ("FRAC_2_SQRT_PI", "1.1283792f"),
    ("FRAC_PI_2", "1.5707964f"),
    ("FRAC_PI_3", "1.0471976f"),
    ("FRAC_PI_4", "0.7853982f"),
    ("FRAC_PI_6", "0.5235988f"),
    ("FRAC_PI_8", "0.3926991f"),
    ("LN_2", "0.6931472f"),
    ("LN_10", "2.3025851f"),
    ("LOG2_E", "1.442695f"),
    ("LOG2_10", "3.321928f"),
    ("LOG10_2", "0.30103f"),
    ("LOG10_E", "0.4342945f"),
    ("PI", "3.1415927f"),
    ("SQRT_2", "1.4142135f"),
    ("TAU", "6.2831855f"),
];

/// Returns the WGSL expression and the type of the constant `Type::NAME`: `Vec3::ONE`, `u32::MAX`. For `f32` this
/// includes the constants of `std::f32::consts`.
///
/// Non-finite constants are not included, because WGSL has none.
pub fn constant(ty: &Type, name: &str) -> Option<(&'static str, Type)> {
    if let ("BITS", Type::Scalar(scalar)) = (name, ty)
        && scalar.is_integer()
    {
        let bits = match scalar.bits() {
            8 => "8u",
            16 => "16u",
            64 => "64u",
            _ => "32u",
        };
        return Some((bits, Type::Scalar(U32)));
    }
    if let Type::Scalar(scalar) = ty
        && scalar.narrow_bits().is_some()
    {
        let wgsl = NARROW.iter().find(|(of, known, _)| of == scalar && *known == name)?.2;
        return Some((wgsl, ty.clone()));
    }
    // `usize` has the constants of `u32`.
    let found = constants().find(|(of, known, _)| of.is_same_in_wgsl(ty) && *known == name);
    found.map(|(.., wgsl)| (wgsl, ty.clone()))
}

/// Returns the WGSL expression and the type of a constant of `std::f32::consts` that is used by its name alone.
pub fn std_float_constant(name: &str) -> Option<(&'static str, Type)> {
    let found = FLOATS.iter().find(|(known, _)| *known == name);
    found.map(|(_, wgsl)| (*wgsl, FLOAT.clone()))
}

/// Returns all constants: the type, the name, and the WGSL expression.
pub fn constants() -> impl Iterator<Item = (&'static Type, &'static str, &'static str)> {
    let rows = [SCALARS, VECTORS, MATRICES].into_iter().flatten();
    let floats = FLOATS.iter().map(|(name, wgsl)| (&FLOAT, *name, *wgsl));
    rows.map(|(ty, name, wgsl)| (ty, *name, *wgsl)).chain(floats)
}
