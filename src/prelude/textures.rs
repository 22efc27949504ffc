//! Textures and samplers, and functions for some forms of WGSL's texture functions. These functions also exist as methods.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

use super::classes::{
    Access, D1, D2, D3, Dimensions, Faces, Format, IndexInteger, Layers, Levels, Loadable, Place,
    Readable, Sampleable, Samples, Sealed, Storable, Texel, Texture, Writable,
};
use super::never_executed;
use core::marker::PhantomData;
use glam::Vec4;

/// WGSL's `sampler`.
#[derive(Debug)]
pub struct Sampler(());

/// WGSL's `sampler_comparison`.
#[derive(Debug)]
pub struct SamplerComparison(());

/// The access mode of a read-only storage texture.
#[derive(Debug)]
pub struct Read;
/// The access mode of a write-only storage texture.
#[derive(Debug)]
pub struct Write;
/// The access mode of a storage texture that is read and written.
#[derive(Debug)]
pub struct ReadWrite;

impl Sealed for Read {}
impl Sealed for Write {}
impl Sealed for ReadWrite {}
impl Access for Read {}
impl Access for Write {}
impl Access for ReadWrite {}
impl Readable for Read {}
impl Readable for ReadWrite {}
impl Writable for Write {}
impl Writable for ReadWrite {}

macro_rules! formats {
    ($($name:ident $wgsl:literal $scalar:ty;)*) => {$(
        #[doc = concat!("The format `", $wgsl, "`.")]
        #[derive(Debug)]
        pub struct $name;
        impl Sealed for $name {}
        impl Format for $name {
            type Scalar = $scalar;
        }
    )*};
}

formats! {
    R8Unorm "r8unorm" f32;
    R8Snorm "r8snorm" f32;
    R8Uint "r8uint" u32;
    R8Sint "r8sint" i32;
    R16Unorm "r16unorm" f32;
    R16Snorm "r16snorm" f32;
    R16Uint "r16uint" u32;
    R16Sint "r16sint" i32;
    R16Float "r16float" f32;
    Rg8Unorm "rg8unorm" f32;
    Rg8Snorm "rg8snorm" f32;
    Rg8Uint "rg8uint" u32;
    Rg8Sint "rg8sint" i32;
    Rg16Unorm "rg16unorm" f32;
    Rg16Snorm "rg16snorm" f32;
    Rg16Uint "rg16uint" u32;
    Rg16Sint "rg16sint" i32;
    Rg16Float "rg16float" f32;
    Rgb10a2Uint "rgb10a2uint" u32;
    Rgb10a2Unorm "rgb10a2unorm" f32;
    Rg11b10Ufloat "rg11b10ufloat" f32;
    Rgba16Unorm "rgba16unorm" f32;
    Rgba16Snorm "rgba16snorm" f32;
    Rgba8Unorm "rgba8unorm" f32;
    Rgba8Snorm "rgba8snorm" f32;
    Rgba8Uint "rgba8uint" u32;
    Rgba8Sint "rgba8sint" i32;
    Rgba16Uint "rgba16uint" u32;
    Rgba16Sint "rgba16sint" i32;
    Rgba16Float "rgba16float" f32;
    Rg32Uint "rg32uint" u32;
    Rg32Sint "rg32sint" i32;
    Rg32Float "rg32float" f32;
    Rgba32Uint "rgba32uint" u32;
    Rgba32Sint "rgba32sint" i32;
    Rgba32Float "rgba32float" f32;
    R32Uint "r32uint" u32;
    R32Sint "r32sint" i32;
    R32Float "r32float" f32;
    Bgra8Unorm "bgra8unorm" f32;
}

macro_rules! textures {
    ($($name:ident $wgsl:literal $dimensions:ident: $($trait:ident)*;)*) => {$(
        #[doc = concat!("WGSL's `", $wgsl, "<T>`.")]
        #[derive(Debug)]
        pub struct $name<T>(PhantomData<T>);
        impl<T> Sealed for $name<T> {}
        impl<T: Texel> Texture for $name<T> {
            type Dimensions = $dimensions;
            type Texel = T::Vector;
        }
        $(impl<T: Texel> $trait for $name<T> {})*
    )*};
}

textures! {
    Texture1d "texture_1d" D1: Levels Loadable;
    Texture2d "texture_2d" D2: Levels Loadable;
    Texture2dArray "texture_2d_array" D2: Levels Layers;
    Texture3d "texture_3d" D3: Levels Loadable;
    TextureCube "texture_cube" Faces: Levels;
    TextureCubeArray "texture_cube_array" Faces: Levels Layers;
    TextureMultisampled2d "texture_multisampled_2d" D2: Samples Loadable;
}

impl Sampleable for Texture1d<f32> {}
impl Sampleable for Texture2d<f32> {}
impl Sampleable for Texture3d<f32> {}
impl Sampleable for TextureCube<f32> {}

macro_rules! depth_textures {
    ($($name:ident $wgsl:literal $dimensions:ident: $($trait:ident)*;)*) => {$(
        #[doc = concat!("WGSL's `", $wgsl, "`.")]
        #[derive(Debug)]
        pub struct $name(());
        impl Sealed for $name {}
        impl Texture for $name {
            type Dimensions = $dimensions;
            type Texel = f32;
        }
        $(impl $trait for $name {})*
    )*};
}

depth_textures! {
    TextureDepth2d "texture_depth_2d" D2: Levels Loadable;
    TextureDepth2dArray "texture_depth_2d_array" D2: Levels Layers;
    TextureDepthCube "texture_depth_cube" Faces: Levels;
    TextureDepthCubeArray "texture_depth_cube_array" Faces: Levels Layers;
    TextureDepthMultisampled2d "texture_depth_multisampled_2d" D2: Samples Loadable;
}

macro_rules! storage_textures {
    ($($name:ident $wgsl:literal $dimensions:ident;)*) => {$(
        #[doc = concat!("WGSL's `", $wgsl, "<F, A>`.")]
        #[derive(Debug)]
        pub struct $name<F, A>(PhantomData<(F, A)>);
        impl<F, A> Sealed for $name<F, A> {}
        impl<F: Format, A: Access> Texture for $name<F, A> {
            type Dimensions = $dimensions;
            type Texel = <F::Scalar as Texel>::Vector;
        }
    )*};
}

storage_textures! {
    TextureStorage1d "texture_storage_1d" D1;
    TextureStorage2d "texture_storage_2d" D2;
    TextureStorage2dArray "texture_storage_2d_array" D2;
    TextureStorage3d "texture_storage_3d" D3;
}

impl<F: Format, A: Access> Layers for TextureStorage2dArray<F, A> {}
impl<F: Format, A: Writable> Storable for TextureStorage1d<F, A> {}
impl<F: Format, A: Writable> Storable for TextureStorage2d<F, A> {}
impl<F: Format, A: Writable> Storable for TextureStorage3d<F, A> {}

/// `textureDimensions(texture)`: the size of the first level in texels.
pub fn texture_dimensions<T: Texture>(texture: &T) -> <T::Dimensions as Dimensions>::Size {
    never_executed()
}

/// `textureNumLevels(texture)`.
pub fn texture_num_levels<T: Levels>(texture: &T) -> u32 {
    never_executed()
}

/// `textureNumLayers(texture)`.
pub fn texture_num_layers<T: Layers>(texture: &T) -> u32 {
    never_executed()
}

/// `textureNumSamples(texture)`.
pub fn texture_num_samples<T: Samples>(texture: &T) -> u32 {
    never_executed()
}

/// `textureLoad(texture, place, level)`: the texel at `place`. For a multisampled texture, the last argument is the sample index.
pub fn texture_load<T: Loadable>(
    texture: &T,
    place: impl Place<T::Dimensions>,
    level: impl IndexInteger,
) -> T::Texel {
    never_executed()
}

/// `textureStore(texture, place, texel)`.
pub fn texture_store<T: Storable>(texture: &T, place: impl Place<T::Dimensions>, texel: T::Texel) {
    never_executed()
}

/// `textureSampleLevel(texture, sampler, point, level)`.
pub fn texture_sample_level<T: Sampleable>(
    texture: &T,
    sampler: &Sampler,
    point: <T::Dimensions as Dimensions>::Point,
    level: f32,
) -> Vec4 {
    never_executed()
}
