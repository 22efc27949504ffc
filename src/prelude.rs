//! The items for kernels in Rust: glam's types, and WGSL's functions and types under WGSL's names.
//!
//! Write `use hirace::prelude::*;` above a kernel. Functions have WGSL's names in snake_case and WGSL's meaning; methods of glam
//! and std have their own meaning. These functions never run: rustc only checks a kernel's types with them, and the kernel runs
//! as the WGSL that the macro generates.

pub mod classes;
pub mod kernels;

mod atomic;
mod bits;
mod cubes;
mod geometry;
mod index;
mod mask;
mod matrices;
mod numeric;
mod scopes;
mod subgroups;
mod sync;
mod texture_methods;
mod textures;

pub use atomic::*;
pub use bits::*;
pub use geometry::*;
pub use index::*;
pub use mask::*;
pub use matrices::*;
pub use numeric::*;
pub use scopes::{Scope, Within};
pub use subgroups::*;
pub use sync::*;
pub use textures::*;

pub use core::f32::consts;
pub use glam::{
    BVec2, BVec3, BVec4, BVec4A, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, UVec2, UVec3, UVec4, Vec2,
    Vec2Swizzles, Vec3, Vec3Swizzles, Vec4, Vec4Swizzles, bvec2, bvec3, bvec4, ivec2, ivec3, ivec4,
    mat2, mat3, mat4, uvec2, uvec3, uvec4, vec2, vec3, vec4,
};

/// The body of the functions that represent WGSL functions. A kernel's Rust code is only type-checked; its WGSL runs.
pub(crate) fn never_executed() -> ! {
    panic!("this function represents a WGSL function, and can only be called in a kernel")
}
