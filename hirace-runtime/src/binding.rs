//! The resources that are bound to a kernel.

use std::borrow::Cow;

/// A variable to which a buffer, a texture or a sampler is bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Binding {
    /// The name of the variable.
    pub name: Cow<'static, str>,
    /// `@group(…)`.
    pub group: u32,
    /// `@binding(…)`.
    pub binding: u32,
    /// The kind of resource.
    pub kind: BindingKind,
    /// The type in WGSL, such as `array<vec3<f32>>`.
    pub ty: Cow<'static, str>,
}

impl Binding {
    /// Creates a binding. For generated code.
    #[doc(hidden)]
    pub const fn new(
        name: Cow<'static, str>,
        group: u32,
        binding: u32,
        kind: BindingKind,
        ty: Cow<'static, str>,
    ) -> Self {
        Self { name, group, binding, kind, ty }
    }
}

/// The kind of resource that is bound to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BindingKind {
    /// A uniform buffer.
    Uniform,
    /// A read-only storage buffer.
    StorageRead,
    /// A read-write storage buffer.
    StorageReadWrite,
    /// A sampled, multisampled or depth texture.
    Texture,
    /// A storage texture.
    StorageTexture,
    /// A sampler.
    Sampler,
}
