//! Barriers and memory functions.

use super::super::tree::Scalar::{U32, Usize};
use super::Emit::Call;
use super::Parameter::{ArrayPlace, Held, Place, Scalar, Unit};
use super::{Builtin, Class, row};

pub(super) const FUNCTIONS: &[Builtin] = &[
    row("workgroup_barrier", Class::None, &[], Unit, Call("workgroupBarrier")),
    row("storage_barrier", Class::None, &[], Unit, Call("storageBarrier")),
    row("texture_barrier", Class::None, &[], Unit, Call("textureBarrier")),
    row("subgroup_barrier", Class::None, &[], Unit, Call("subgroupBarrier")),
    row("workgroup_uniform_load", Class::Any, &[Place], Held, Call("workgroupUniformLoad")),
    row("array_length", Class::None, &[ArrayPlace], Scalar(U32), Call("arrayLength")),
];

pub(super) const METHODS: &[Builtin] =
    &[row("len", Class::None, &[ArrayPlace], Scalar(Usize), Call("arrayLength"))];
