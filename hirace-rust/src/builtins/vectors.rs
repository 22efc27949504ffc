//! glam's vector constructors, and the methods of vectors of every scalar type.

use super::super::tree::Scalar as Kind;
use super::super::tree::Scalar::{Bool, F32, I32, U32};
use super::Emit::{self, Call, Template};
use super::Parameter::{Array, Element, Elements, Like, Scalar, T, Vector};
use super::{Builtin, Class, Parameter, row};

const NUMBERS: &[Kind] = &[F32, I32, U32];
const ALL: &[Kind] = &[F32, I32, U32, Bool];
const TWO: Class = Class::Only(&[2], NUMBERS);
const THREE: Class = Class::Only(&[3], NUMBERS);
const FOUR: Class = Class::Only(&[4], NUMBERS);
const INTEGERS: Class = Class::Only(&[2, 3, 4], &[I32, U32]);
const MASKS: Class = Class::Only(&[2, 3, 4], &[Bool]);

/// Creates the row of one of glam's constructors.
const fn made(
    name: &'static str,
    parameters: &'static [Parameter],
    result: Parameter,
    function: &'static str,
) -> Builtin {
    row(name, Class::None, parameters, result, Call(function))
}

pub(super) const FUNCTIONS: &[Builtin] = &[
    made("vec2", &[Scalar(F32); 2], Vector(2, F32), "vec2<f32>"),
    made("vec3", &[Scalar(F32); 3], Vector(3, F32), "vec3<f32>"),
    made("vec4", &[Scalar(F32); 4], Vector(4, F32), "vec4<f32>"),
    made("ivec2", &[Scalar(I32); 2], Vector(2, I32), "vec2<i32>"),
    made("ivec3", &[Scalar(I32); 3], Vector(3, I32), "vec3<i32>"),
    made("ivec4", &[Scalar(I32); 4], Vector(4, I32), "vec4<i32>"),
    made("uvec2", &[Scalar(U32); 2], Vector(2, U32), "vec2<u32>"),
    made("uvec3", &[Scalar(U32); 3], Vector(3, U32), "vec3<u32>"),
    made("uvec4", &[Scalar(U32); 4], Vector(4, U32), "vec4<u32>"),
    made("bvec2", &[Scalar(Bool); 2], Vector(2, Bool), "vec2<bool>"),
    made("bvec3", &[Scalar(Bool); 3], Vector(3, Bool), "vec3<bool>"),
    made("bvec4", &[Scalar(Bool); 4], Vector(4, Bool), "vec4<bool>"),
];

pub(super) const ASSOCIATED: &[Builtin] = &[
    row("new", Class::Only(&[2], ALL), &[Element; 2], T, Template("{T}({0}, {1})")),
    row("new", Class::Only(&[3], ALL), &[Element; 3], T, Template("{T}({0}, {1}, {2})")),
    row("new", Class::Only(&[4], ALL), &[Element; 4], T, Template("{T}({0}, {1}, {2}, {3})")),
    row("splat", Class::Only(&[2, 3, 4], ALL), &[Element], T, Template("{T}({0})")),
    row("select", Class::NumericVector, &[Like(Bool), T, T], T, Template("select({2}, {1}, {0})")),
    row("from_array", Class::Only(&[2], ALL), &[Array(2)], T, Template("{T}({0}[0], {0}[1])")),
    row(
        "from_array",
        Class::Only(&[3], ALL),
        &[Array(3)],
        T,
        Template("{T}({0}[0], {0}[1], {0}[2])"),
    ),
    row(
        "from_array",
        Class::Only(&[4], ALL),
        &[Array(4)],
        T,
        Template("{T}({0}[0], {0}[1], {0}[2], {0}[3])"),
    ),
    row(
        "from_homogeneous",
        Class::Only(&[3], &[F32]),
        &[Vector(4, F32)],
        T,
        Template("({0}.xyz / {0}.w)"),
    ),
    row(
        "from_angle",
        Class::Only(&[2], &[F32]),
        &[Element],
        T,
        Template("{T}(cos({0}), sin({0}))"),
    ),
];

/// Creates the row of a comparison by component.
const fn compare(name: &'static str, template: &'static str) -> Builtin {
    row(name, Class::NumericVector, &[T, T], Like(Bool), Template(template))
}

/// Creates the row of a copy of the vector with one component replaced.
const fn with(name: &'static str, class: Class, template: &'static str) -> Builtin {
    row(name, class, &[T, Element], T, Template(template))
}

/// Creates the row of a conversion by component with WGSL's meaning: a float outside the integer's range becomes the
/// nearest bound that the float type can represent.
const fn convert(name: &'static str, class: Class, scalar: Kind, emit: Emit) -> Builtin {
    match scalar {
        F32 => row(name, class, &[T], Like(F32), emit),
        I32 => row(name, class, &[T], Like(I32), emit),
        _ => row(name, class, &[T], Like(U32), emit),
    }
}

const FLOATS: Emit = Template("{F}({0})");
const INTS: Emit = Template("{I}({0})");
const UINTS: Emit = Template("{U}({0})");

pub(super) const METHODS: &[Builtin] = &[
    row("extend", TWO, &[T, Element], Elements(3), Template("vec3<{E}>({0}, {1})")),
    row("extend", THREE, &[T, Element], Elements(4), Template("vec4<{E}>({0}, {1})")),
    row("truncate", THREE, &[T], Elements(2), Template("{0}.xy")),
    row("truncate", FOUR, &[T], Elements(3), Template("{0}.xyz")),
    with("with_x", TWO, "{T}({1}, {0}.y)"),
    with("with_x", THREE, "{T}({1}, {0}.yz)"),
    with("with_x", FOUR, "{T}({1}, {0}.yzw)"),
    with("with_y", TWO, "{T}({0}.x, {1})"),
    with("with_y", THREE, "{T}({0}.x, {1}, {0}.z)"),
    with("with_y", FOUR, "{T}({0}.x, {1}, {0}.zw)"),
    with("with_z", THREE, "{T}({0}.xy, {1})"),
    with("with_z", FOUR, "{T}({0}.xy, {1}, {0}.w)"),
    with("with_w", FOUR, "{T}({0}.xyz, {1})"),
    row("to_array", TWO, &[T], Array(2), Template("array<{E}, 2>({0}.x, {0}.y)")),
    row("to_array", THREE, &[T], Array(3), Template("array<{E}, 3>({0}.x, {0}.y, {0}.z)")),
    row("to_array", FOUR, &[T], Array(4), Template("array<{E}, 4>({0}.x, {0}.y, {0}.z, {0}.w)")),
    convert("as_vec2", Class::Only(&[2], &[I32, U32]), F32, FLOATS),
    convert("as_vec3", Class::Only(&[3], &[I32, U32]), F32, FLOATS),
    convert("as_vec4", Class::Only(&[4], &[I32, U32]), F32, FLOATS),
    convert("as_ivec2", Class::Only(&[2], &[F32, U32]), I32, INTS),
    convert("as_ivec3", Class::Only(&[3], &[F32, U32]), I32, INTS),
    convert("as_ivec4", Class::Only(&[4], &[F32, U32]), I32, INTS),
    convert("as_uvec2", Class::Only(&[2], &[F32, I32]), U32, UINTS),
    convert("as_uvec3", Class::Only(&[3], &[F32, I32]), U32, UINTS),
    convert("as_uvec4", Class::Only(&[4], &[F32, I32]), U32, UINTS),
    compare("cmpeq", "({0} == {1})"),
    compare("cmpne", "({0} != {1})"),
    compare("cmplt", "({0} < {1})"),
    compare("cmple", "({0} <= {1})"),
    compare("cmpgt", "({0} > {1})"),
    compare("cmpge", "({0} >= {1})"),
    row("all", MASKS, &[T], Scalar(Bool), Call("all")),
    row("any", MASKS, &[T], Scalar(Bool), Call("any")),
    row(
        "bitmask",
        Class::Only(&[2], &[Bool]),
        &[T],
        Scalar(U32),
        Template("dot(vec2<u32>({0}), vec2<u32>(1u, 2u))"),
    ),
    row(
        "bitmask",
        Class::Only(&[3], &[Bool]),
        &[T],
        Scalar(U32),
        Template("dot(vec3<u32>({0}), vec3<u32>(1u, 2u, 4u))"),
    ),
    row(
        "bitmask",
        Class::Only(&[4], &[Bool]),
        &[T],
        Scalar(U32),
        Template("dot(vec4<u32>({0}), vec4<u32>(1u, 2u, 4u, 8u))"),
    ),
    row("dot", Class::NumericVector, &[T, T], Element, Call("dot")),
    row("cross", Class::Only(&[3], &[F32]), &[T, T], T, Call("cross")),
    row(
        "cross",
        Class::Only(&[3], &[I32]),
        &[T, T],
        T,
        Template("({0}.yzx * {1}.zxy - {0}.zxy * {1}.yzx)"),
    ),
    row("element_sum", Class::NumericVector, &[T], Element, Template("dot({0}, {T}(1))")),
    row("element_product", TWO, &[T], Element, Template("({0}.x * {0}.y)")),
    row("element_product", THREE, &[T], Element, Template("({0}.x * {0}.y * {0}.z)")),
    row("element_product", FOUR, &[T], Element, Template("({0}.x * {0}.y * {0}.z * {0}.w)")),
    row("min_element", TWO, &[T], Element, Template("min({0}.x, {0}.y)")),
    row("min_element", THREE, &[T], Element, Template("min(min({0}.x, {0}.y), {0}.z)")),
    row("min_element", FOUR, &[T], Element, Template("min(min({0}.x, {0}.y), min({0}.z, {0}.w))")),
    row("max_element", TWO, &[T], Element, Template("max({0}.x, {0}.y)")),
    row("max_element", THREE, &[T], Element, Template("max(max({0}.x, {0}.y), {0}.z)")),
    row("max_element", FOUR, &[T], Element, Template("max(max({0}.x, {0}.y), max({0}.z, {0}.w))")),
    row("length_squared", Class::NumericVector, &[T], Element, Template("dot({0}, {0})")),
    row(
        "distance_squared",
        Class::Only(&[2, 3, 4], &[F32, I32]),
        &[T, T],
        Element,
        Template("dot({0} - {1}, {0} - {1})"),
    ),
    row(
        "manhattan_distance",
        INTEGERS,
        &[T, T],
        Scalar(U32),
        Template("dot(bitcast<{U}>(max({0}, {1})) - bitcast<{U}>(min({0}, {1})), {U}(1u))"),
    ),
];
