//! What is bound to a kernel.

use std::borrow::Cow;

/// A variable that memory, a texture or a sampler is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Its name.
    pub name: Cow<'static, str>,
    /// `@group(…)`.
    pub group: u32,
    /// `@binding(…)`.
    pub binding: u32,
    /// What it is bound to.
    pub kind: BindingKind,
    /// Its type in WGSL: `array<vec3<f32>>`.
    pub ty: Cow<'static, str>,
}

/// What a variable is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer that is only read.
    StorageRead,
    /// A storage buffer.
    StorageReadWrite,
    /// A sampled, multisampled or depth texture.
    Texture,
    /// A storage texture.
    StorageTexture,
    /// A sampler.
    Sampler,
}
