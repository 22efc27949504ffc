//! The methods of textures: WGSL's functions without `texture` in their names, with the parameters of each texture type.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

use super::classes::{Access, D1, D2, D3, Format, IndexInteger, Place, Readable, Texel, Writable};
use super::never_executed;
use super::textures::*;
use glam::{IVec2, IVec3, Vec2, Vec3, Vec4};

impl<T: Texel> Texture1d<T> {
    /// `textureDimensions(self)`: the size of the first level in texels.
    pub fn dimensions(&self) -> u32 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> u32 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, level)`: a texel.
    pub fn load(&self, place: impl Place<D1>, level: impl IndexInteger) -> T::Vector {
        never_executed()
    }
}

impl Texture1d<f32> {
    /// `textureSampleLevel(self, sampler, point, level)`.
    pub fn sample_level(&self, sampler: &Sampler, point: f32, level: f32) -> Vec4 {
        never_executed()
    }
}

impl<T: Texel> Texture2d<T> {
    /// `textureDimensions(self)`: the size of the first level in texels.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, level)`: a texel.
    pub fn load(&self, place: impl Place<D2>, level: impl IndexInteger) -> T::Vector {
        never_executed()
    }

    /// `textureGather(component, self, sampler, point)`: one component (a constant) of the four texels around a point.
    pub fn gather(&self, component: u32, sampler: &Sampler, point: Vec2) -> T::Vector {
        never_executed()
    }

    /// `textureGather(component, self, sampler, point, offset)`: one component (a constant) of the four texels around a point.
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
    /// `textureDimensions(self)`: the size of the first level in texels.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> glam::UVec2 {
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
    pub fn load(
        &self,
        place: impl Place<D2>,
        layer: impl IndexInteger,
        level: impl IndexInteger,
    ) -> T::Vector {
        never_executed()
    }

    /// `textureGather(component, self, sampler, point, layer)`: one component (a constant) of the four texels around a point.
    pub fn gather(
        &self,
        component: u32,
        sampler: &Sampler,
        point: Vec2,
        layer: impl IndexInteger,
    ) -> T::Vector {
        never_executed()
    }

    /// `textureGather(component, self, sampler, point, layer, offset)`: one component (a constant) of the four texels around a
    /// point.
    pub fn gather_offset(
        &self,
        component: u32,
        sampler: &Sampler,
        point: Vec2,
        layer: impl IndexInteger,
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
        layer: impl IndexInteger,
        level: f32,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, point, layer, ddx, ddy)`.
    pub fn sample_grad(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl IndexInteger,
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
        layer: impl IndexInteger,
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
        layer: impl IndexInteger,
        ddx: Vec2,
        ddy: Vec2,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }
}

impl<T: Texel> Texture3d<T> {
    /// `textureDimensions(self)`: the size of the first level in texels.
    pub fn dimensions(&self) -> glam::UVec3 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> glam::UVec3 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, level)`: a texel.
    pub fn load(&self, place: impl Place<D3>, level: impl IndexInteger) -> T::Vector {
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
    /// `textureDimensions(self)`: the size of the first level in texels.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumSamples(self)`.
    pub fn num_samples(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, sample)`: a texel.
    pub fn load(&self, place: impl Place<D2>, sample: impl IndexInteger) -> T::Vector {
        never_executed()
    }
}

impl TextureDepthMultisampled2d {
    /// `textureDimensions(self)`: the size in texels.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumSamples(self)`.
    pub fn num_samples(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, sample)`: a depth.
    pub fn load(&self, place: impl Place<D2>, sample: impl IndexInteger) -> f32 {
        never_executed()
    }
}

impl TextureDepth2d {
    /// `textureDimensions(self)`: the size of the first level in texels.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> glam::UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureLoad(self, place, level)`: a depth.
    pub fn load(&self, place: impl Place<D2>, level: impl IndexInteger) -> f32 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, level)`.
    pub fn sample_level(&self, sampler: &Sampler, point: Vec2, level: impl IndexInteger) -> f32 {
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
        level: impl IndexInteger,
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
    /// `textureDimensions(self)`: the size of the first level in texels.
    pub fn dimensions(&self) -> glam::UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> glam::UVec2 {
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

    /// `textureLoad(self, place, layer, level)`: a depth.
    pub fn load(
        &self,
        place: impl Place<D2>,
        layer: impl IndexInteger,
        level: impl IndexInteger,
    ) -> f32 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, layer, level)`.
    pub fn sample_level(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl IndexInteger,
        level: impl IndexInteger,
    ) -> f32 {
        never_executed()
    }

    /// `textureSampleCompareLevel(self, sampler, point, layer, reference)`.
    pub fn sample_compare_level(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        layer: impl IndexInteger,
        reference: f32,
    ) -> f32 {
        never_executed()
    }

    /// `textureGather(self, sampler, point, layer)`.
    pub fn gather(&self, sampler: &Sampler, point: Vec2, layer: impl IndexInteger) -> Vec4 {
        never_executed()
    }

    /// `textureGatherCompare(self, sampler, point, layer, reference)`.
    pub fn gather_compare(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        layer: impl IndexInteger,
        reference: f32,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, point, layer, level, offset)`.
    pub fn sample_level_offset(
        &self,
        sampler: &Sampler,
        point: Vec2,
        layer: impl IndexInteger,
        level: impl IndexInteger,
        offset: IVec2,
    ) -> f32 {
        never_executed()
    }

    /// `textureSampleCompareLevel(self, sampler, point, layer, reference, offset)`.
    pub fn sample_compare_level_offset(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        layer: impl IndexInteger,
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
        layer: impl IndexInteger,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureGatherCompare(self, sampler, point, layer, reference, offset)`.
    pub fn gather_compare_offset(
        &self,
        sampler: &SamplerComparison,
        point: Vec2,
        layer: impl IndexInteger,
        reference: f32,
        offset: IVec2,
    ) -> Vec4 {
        never_executed()
    }
}

impl<F: Format, A: Access> TextureStorage1d<F, A> {
    /// `textureDimensions(self)`: the size of the first level in texels.
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
    /// `textureDimensions(self)`: the size of the first level in texels.
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
    /// `textureDimensions(self)`: the size of the first level in texels.
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
    pub fn load(
        &self,
        place: impl Place<D2>,
        layer: impl IndexInteger,
    ) -> <F::Scalar as Texel>::Vector {
        never_executed()
    }
}

impl<F: Format, A: Writable> TextureStorage2dArray<F, A> {
    /// `textureStore(self, place, layer, texel)`.
    pub fn store(
        &self,
        place: impl Place<D2>,
        layer: impl IndexInteger,
        texel: <F::Scalar as Texel>::Vector,
    ) {
        never_executed()
    }
}

impl<F: Format, A: Access> TextureStorage3d<F, A> {
    /// `textureDimensions(self)`: the size of the first level in texels.
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
