//! How glam makes vectors, and vectors of others.

use super::super::tree::Scalar::{Bool, F32, I32, U32};
use super::Emit::{Call, Template};
use super::Parameter::{Element, Elements, Like, Scalar, T, Vector};
use super::{Builtin, Class, row};

const NUMBERS: &[super::super::tree::Scalar] = &[F32, I32, U32];
const ALL: &[super::super::tree::Scalar] = &[F32, I32, U32, Bool];

pub(super) const FUNCTIONS: &[Builtin] = &[
    row("vec2", Class::None, &[Scalar(F32); 2], Vector(2, F32), Call("vec2<f32>")),
    row("vec3", Class::None, &[Scalar(F32); 3], Vector(3, F32), Call("vec3<f32>")),
    row("vec4", Class::None, &[Scalar(F32); 4], Vector(4, F32), Call("vec4<f32>")),
    row("ivec2", Class::None, &[Scalar(I32); 2], Vector(2, I32), Call("vec2<i32>")),
    row("ivec3", Class::None, &[Scalar(I32); 3], Vector(3, I32), Call("vec3<i32>")),
    row("ivec4", Class::None, &[Scalar(I32); 4], Vector(4, I32), Call("vec4<i32>")),
    row("uvec2", Class::None, &[Scalar(U32); 2], Vector(2, U32), Call("vec2<u32>")),
    row("uvec3", Class::None, &[Scalar(U32); 3], Vector(3, U32), Call("vec3<u32>")),
    row("uvec4", Class::None, &[Scalar(U32); 4], Vector(4, U32), Call("vec4<u32>")),
    row("bvec2", Class::None, &[Scalar(Bool); 2], Vector(2, Bool), Call("vec2<bool>")),
    row("bvec3", Class::None, &[Scalar(Bool); 3], Vector(3, Bool), Call("vec3<bool>")),
    row("bvec4", Class::None, &[Scalar(Bool); 4], Vector(4, Bool), Call("vec4<bool>")),
];

pub(super) const ASSOCIATED: &[Builtin] = &[
    row("new", Class::Only(&[2], ALL), &[Element; 2], T, Template("{T}({0}, {1})")),
    row("new", Class::Only(&[3], ALL), &[Element; 3], T, Template("{T}({0}, {1}, {2})")),
    row("new", Class::Only(&[4], ALL), &[Element; 4], T, Template("{T}({0}, {1}, {2}, {3})")),
    row("splat", Class::Only(&[2, 3, 4], ALL), &[Element], T, Template("{T}({0})")),
];

pub(super) const METHODS: &[Builtin] = &[
    row(
        "extend",
        Class::Only(&[2], NUMBERS),
        &[T, Element],
        Elements(3),
        Template("vec3<{E}>({0}, {1})"),
    ),
    row(
        "extend",
        Class::Only(&[3], NUMBERS),
        &[T, Element],
        Elements(4),
        Template("vec4<{E}>({0}, {1})"),
    ),
    row("truncate", Class::Only(&[3], NUMBERS), &[T], Elements(2), Template("{0}.xy")),
    row("truncate", Class::Only(&[4], NUMBERS), &[T], Elements(3), Template("{0}.xyz")),
    row("as_vec2", Class::Only(&[2], &[I32, U32]), &[T], Like(F32), Template("{F}({0})")),
    row("as_vec3", Class::Only(&[3], &[I32, U32]), &[T], Like(F32), Template("{F}({0})")),
    row("as_vec4", Class::Only(&[4], &[I32, U32]), &[T], Like(F32), Template("{F}({0})")),
    row("as_ivec2", Class::Only(&[2], &[F32, U32]), &[T], Like(I32), Template("{I}({0})")),
    row("as_ivec3", Class::Only(&[3], &[F32, U32]), &[T], Like(I32), Template("{I}({0})")),
    row("as_ivec4", Class::Only(&[4], &[F32, U32]), &[T], Like(I32), Template("{I}({0})")),
    row("as_uvec2", Class::Only(&[2], &[F32, I32]), &[T], Like(U32), Template("{U}({0})")),
    row("as_uvec3", Class::Only(&[3], &[F32, I32]), &[T], Like(U32), Template("{U}({0})")),
    row("as_uvec4", Class::Only(&[4], &[F32, I32]), &[T], Like(U32), Template("{U}({0})")),
];
