//! Textures and samplers. Textures have methods under WGSL's names without `texture`; the commonest are there
//! as functions too.
#![allow(unused_variables, reason = "the functions stand for WGSL's and have no bodies")]

use super::classes::{
    Access, D1, D2, D3, Dimensions, Format, Index, Layers, Levels, Loadable, Place, Readable,
    Sampleable, Samples, Sealed, Storable, Texel, Texture, Writable,
};
use super::never_executed;
use core::marker::PhantomData;
use glam::{IVec2, IVec3, Vec2, Vec3, Vec4};

/// WGSL's `sampler`.
#[derive(Debug)]
pub struct Sampler(());

/// WGSL's `sampler_comparison`.
#[derive(Debug)]
pub struct SamplerComparison(());

/// Of a storage texture: it is read alone.
#[derive(Debug)]
pub struct Read;
/// Of a storage texture: it is written alone.
#[derive(Debug)]
pub struct Write;
/// Of a storage texture: it is read and written.
#[derive(Debug)]
pub struct ReadWrite;

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
        impl Format for $name {
            type Scalar = $scalar;
        }
    )*};
}

formats! {
    R8Unorm "r8unorm" f32;
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
    TextureMultisampled2d "texture_multisampled_2d" D2: Samples Loadable;
}

impl Sampleable for Texture2d<f32> {}
impl Sampleable for Texture3d<f32> {}

macro_rules! depth_textures {
    ($($name:ident $wgsl:literal: $($trait:ident)*;)*) => {$(
        #[doc = concat!("WGSL's `", $wgsl, "`.")]
        #[derive(Debug)]
        pub struct $name(());
        impl Sealed for $name {}
        impl Texture for $name {
            type Dimensions = D2;
            type Texel = f32;
        }
        $(impl $trait for $name {})*
    )*};
}

depth_textures! {
    TextureDepth2d "texture_depth_2d": Levels Loadable;
    TextureDepth2dArray "texture_depth_2d_array": Levels Layers;
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

/// `textureDimensions(texture)`: how many texels it has, at its first level.
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

/// `textureLoad(texture, place, level)`: a texel. Of a multisampled texture, the last is the sample.
pub fn texture_load<T: Loadable>(
    texture: &T,
    place: impl Place<T::Dimensions>,
    level: impl Index,
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

impl<T: Texel> Texture1d<T> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> u32 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl Index) -> u32 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, level)`: a texel.
    pub fn load(&self, place: impl Place<D1>, level: impl Index) -> T::Vector {
        never_executed()
    }
}

impl<T: Texel> Texture2d<T> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl Index) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, level)`: a texel.
    pub fn load(&self, place: impl Place<D2>, level: impl Index) -> T::Vector {
        never_executed()
    }

    /// `textureGather(component, self, sampler, point)`: a component, a constant, of the four texels around a point.
    pub fn gather(&self, component: u32, sampler: &Sampler, point: Vec2) -> T::Vector {
        never_executed()
    }

    /// `textureGather(component, self, sampler, point, offset)`: a component, a constant, of the four texels around a point.
    pub fn gather_offset(
        &self,
        component: u32,
        sampler: &Sampler,
        point: Vec2,
        offset: IVec2,
    ) -> T::Vector {
        never_executed()
    }
}

impl Texture2d<f32> {
    /// `textureSampleLevel(self, sampler, point, level)`.
    pub fn sample_level(&self, sampler: &Sampler, point: Vec2, level: f32) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, point, ddx, ddy)`.
    pub fn sample_grad(&self, sampler: &Sampler, point: Vec2, ddx: Vec2, ddy: Vec2) -> Vec4 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, level, offset)`.
    pub fn sample_level_offset(
        &self,
        sampler: &Sampler,
        point: Vec2,
        level: f32,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, point, ddx, ddy, offset)`.
    pub fn sample_grad_offset(
        &self,
        sampler: &Sampler,
        point: Vec2,
        ddx: Vec2,
        ddy: Vec2,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleBaseClampToEdge(self, sampler, point)`.
    pub fn sample_base_clamp_to_edge(&self, sampler: &Sampler, point: Vec2) -> Vec4 {
        never_executed()
    }
}

impl<T: Texel> Texture2dArray<T> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl Index) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureNumLayers(self)`.
    pub fn num_layers(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, layer, level)`: a texel.
    pub fn load(&self, place: impl Place<D2>, layer: impl Index, level: impl Index) -> T::Vector {
        never_executed()
    }

    /// `textureGather(component, self, sampler, point, layer)`: a component, a constant, of the four texels around a point.
    pub fn gather(
        &self,
        component: u32,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
    ) -> T::Vector {
        never_executed()
    }

    /// `textureGather(component, self, sampler, point, layer, offset)`: a component, a constant, of the four texels around a point.
    pub fn gather_offset(
        &self,
        component: u32,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
        offset: IVec2,
    ) -> T::Vector {
        never_executed()
    }
}

impl Texture2dArray<f32> {
    /// `textureSampleLevel(self, sampler, point, layer, level)`.
    pub fn sample_level(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
        level: f32,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, point, layer, ddx, ddy)`.
    pub fn sample_grad(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
        ddx: Vec2,
        ddy: Vec2,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, layer, level, offset)`.
    pub fn sample_level_offset(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
        level: f32,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, point, layer, ddx, ddy, offset)`.
    pub fn sample_grad_offset(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
        ddx: Vec2,
        ddy: Vec2,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }
}

impl<T: Texel> Texture3d<T> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec3 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl Index) -> glam::UVec3 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, level)`: a texel.
    pub fn load(&self, place: impl Place<D3>, level: impl Index) -> T::Vector {
        never_executed()
    }
}

impl Texture3d<f32> {
    /// `textureSampleLevel(self, sampler, point, level)`.
    pub fn sample_level(&self, sampler: &Sampler, point: Vec3, level: f32) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, point, ddx, ddy)`.
    pub fn sample_grad(&self, sampler: &Sampler, point: Vec3, ddx: Vec3, ddy: Vec3) -> Vec4 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, level, offset)`.
    pub fn sample_level_offset(
        &self,
        sampler: &Sampler,
        point: Vec3,
        level: f32,
        offset: IVec3,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, point, ddx, ddy, offset)`.
    pub fn sample_grad_offset(
        &self,
        sampler: &Sampler,
        point: Vec3,
        ddx: Vec3,
        ddy: Vec3,
        offset: IVec3,
    ) -> Vec4 {
        never_executed()
    }
}

impl<T: Texel> TextureMultisampled2d<T> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumSamples(self)`.
    pub fn num_samples(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, sample)`: a texel.
    pub fn load(&self, place: impl Place<D2>, sample: impl Index) -> T::Vector {
        never_executed()
    }
}

impl TextureDepth2d {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl Index) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, level)`: a texel.
    pub fn load(&self, place: impl Place<D2>, level: impl Index) -> f32 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, level)`.
    pub fn sample_level(&self, sampler: &Sampler, point: Vec2, level: impl Index) -> f32 {
        never_executed()
    }

    /// `textureSampleCompareLevel(self, sampler, point, reference)`.
    pub fn sample_compare_level(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        reference: f32,
    ) -> f32 {
        never_executed()
    }

    /// `textureGather(self, sampler, point)`.
    pub fn gather(&self, sampler: &Sampler, point: Vec2) -> Vec4 {
        never_executed()
    }

    /// `textureGatherCompare(self, sampler, point, reference)`.
    pub fn gather_compare(&self, sampler: &SamplerComparison, point: Vec2, reference: f32) -> Vec4 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, level, offset)`.
    pub fn sample_level_offset(
        &self,
        sampler: &Sampler,
        point: Vec2,
        level: impl Index,
        offset: IVec2,
    ) -> f32 {
        never_executed()
    }

    /// `textureSampleCompareLevel(self, sampler, point, reference, offset)`.
    pub fn sample_compare_level_offset(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        reference: f32,
        offset: IVec2,
    ) -> f32 {
        never_executed()
    }

    /// `textureGather(self, sampler, point, offset)`.
    pub fn gather_offset(&self, sampler: &Sampler, point: Vec2, offset: IVec2) -> Vec4 {
        never_executed()
    }

    /// `textureGatherCompare(self, sampler, point, reference, offset)`.
    pub fn gather_compare_offset(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        reference: f32,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }
}

impl TextureDepth2dArray {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl Index) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureNumLayers(self)`.
    pub fn num_layers(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, layer, level)`: a texel.
    pub fn load(&self, place: impl Place<D2>, layer: impl Index, level: impl Index) -> f32 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, layer, level)`.
    pub fn sample_level(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
        level: impl Index,
    ) -> f32 {
        never_executed()
    }

    /// `textureSampleCompareLevel(self, sampler, point, layer, reference)`.
    pub fn sample_compare_level(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        layer: impl Index,
        reference: f32,
    ) -> f32 {
        never_executed()
    }

    /// `textureGather(self, sampler, point, layer)`.
    pub fn gather(&self, sampler: &Sampler, point: Vec2, layer: impl Index) -> Vec4 {
        never_executed()
    }

    /// `textureGatherCompare(self, sampler, point, layer, reference)`.
    pub fn gather_compare(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        layer: impl Index,
        reference: f32,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, layer, level, offset)`.
    pub fn sample_level_offset(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
        level: impl Index,
        offset: IVec2,
    ) -> f32 {
        never_executed()
    }

    /// `textureSampleCompareLevel(self, sampler, point, layer, reference, offset)`.
    pub fn sample_compare_level_offset(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        layer: impl Index,
        reference: f32,
        offset: IVec2,
    ) -> f32 {
        never_executed()
    }

    /// `textureGather(self, sampler, point, layer, offset)`.
    pub fn gather_offset(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl Index,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureGatherCompare(self, sampler, point, layer, reference, offset)`.
    pub fn gather_compare_offset(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        layer: impl Index,
        reference: f32,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }
}

impl<F: Format, A: Access> TextureStorage1d<F, A> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> u32 {
        never_executed()
    }
}

impl<F: Format, A: Readable> TextureStorage1d<F, A> {
    /// `textureLoad(self, place)`: a texel.
    pub fn load(&self, place: impl Place<D1>) -> <F::Scalar as Texel>::Vector {
        never_executed()
    }
}

impl<F: Format, A: Writable> TextureStorage1d<F, A> {
    /// `textureStore(self, place, texel)`.
    pub fn store(&self, place: impl Place<D1>, texel: <F::Scalar as Texel>::Vector) {
        never_executed()
    }
}

impl<F: Format, A: Access> TextureStorage2d<F, A> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }
}

impl<F: Format, A: Readable> TextureStorage2d<F, A> {
    /// `textureLoad(self, place)`: a texel.
    pub fn load(&self, place: impl Place<D2>) -> <F::Scalar as Texel>::Vector {
        never_executed()
    }
}

impl<F: Format, A: Writable> TextureStorage2d<F, A> {
    /// `textureStore(self, place, texel)`.
    pub fn store(&self, place: impl Place<D2>, texel: <F::Scalar as Texel>::Vector) {
        never_executed()
    }
}

impl<F: Format, A: Access> TextureStorage2dArray<F, A> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumLayers(self)`.
    pub fn num_layers(&self) -> u32 {
        never_executed()
    }
}

impl<F: Format, A: Readable> TextureStorage2dArray<F, A> {
    /// `textureLoad(self, place, layer)`: a texel.
    pub fn load(&self, place: impl Place<D2>, layer: impl Index) -> <F::Scalar as Texel>::Vector {
        never_executed()
    }
}

impl<F: Format, A: Writable> TextureStorage2dArray<F, A> {
    /// `textureStore(self, place, layer, texel)`.
    pub fn store(
        &self,
        place: impl Place<D2>,
        layer: impl Index,
        texel: <F::Scalar as Texel>::Vector,
    ) {
        never_executed()
    }
}

impl<F: Format, A: Access> TextureStorage3d<F, A> {
    /// `textureDimensions(self)`: how many texels it has, at its first level.
    pub fn dimensions(&self) -> glam::UVec3 {
        never_executed()
    }
}

impl<F: Format, A: Readable> TextureStorage3d<F, A> {
    /// `textureLoad(self, place)`: a texel.
    pub fn load(&self, place: impl Place<D3>) -> <F::Scalar as Texel>::Vector {
        never_executed()
    }
}

impl<F: Format, A: Writable> TextureStorage3d<F, A> {
    /// `textureStore(self, place, texel)`.
    pub fn store(&self, place: impl Place<D3>, texel: <F::Scalar as Texel>::Vector) {
        never_executed()
    }
}
