//! The methods of cube textures and arrays of cube textures, which are sampled in a direction.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

use super::classes::{IndexInteger, Texel};
use super::never_executed;
use super::textures::*;
use glam::{UVec2, Vec3, Vec4};

impl<T: Texel> TextureCube<T> {
    /// `textureDimensions(self)`: the size of a face in texels, at the first level.
    pub fn dimensions(&self) -> UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureGather(component, self, sampler, direction)`: one component (a constant) of the four texels around the direction.
    pub fn gather(&self, component: u32, sampler: &Sampler, direction: Vec3) -> T::Vector {
        never_executed()
    }
}

impl TextureCube<f32> {
    /// `textureSampleLevel(self, sampler, direction, level)`.
    pub fn sample_level(&self, sampler: &Sampler, direction: Vec3, level: f32) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, direction, ddx, ddy)`.
    pub fn sample_grad(&self, sampler: &Sampler, direction: Vec3, ddx: Vec3, ddy: Vec3) -> Vec4 {
        never_executed()
    }
}

impl<T: Texel> TextureCubeArray<T> {
    /// `textureDimensions(self)`: the size of a face in texels, at the first level.
    pub fn dimensions(&self) -> UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureNumLayers(self)`: the number of cubes.
    pub fn num_layers(&self) -> u32 {
        never_executed()
    }

    /// `textureGather(component, self, sampler, direction, cube)`: one component (a constant) of the four texels around the
    /// direction.
    pub fn gather(
        &self,
        component: u32,
        sampler: &Sampler,
        direction: Vec3,
        cube: impl IndexInteger,
    ) -> T::Vector {
        never_executed()
    }
}

impl TextureCubeArray<f32> {
    /// `textureSampleLevel(self, sampler, direction, cube, level)`.
    pub fn sample_level(
        &self,
        sampler: &Sampler,
        direction: Vec3,
        cube: impl IndexInteger,
        level: f32,
    ) -> Vec4 {
        never_executed()
    }

    /// `textureSampleGrad(self, sampler, direction, cube, ddx, ddy)`.
    pub fn sample_grad(
        &self,
        sampler: &Sampler,
        direction: Vec3,
        cube: impl IndexInteger,
        ddx: Vec3,
        ddy: Vec3,
    ) -> Vec4 {
        never_executed()
    }
}

impl TextureDepthCube {
    /// `textureDimensions(self)`: the size of a face in texels, at the first level.
    pub fn dimensions(&self) -> UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, direction, level)`.
    pub fn sample_level(
        &self,
        sampler: &Sampler,
        direction: Vec3,
        level: impl IndexInteger,
    ) -> f32 {
        never_executed()
    }

    /// `textureSampleCompareLevel(self, sampler, direction, reference)`.
    pub fn sample_compare_level(
        &self,
        sampler: &SamplerComparison,
        direction: Vec3,
        reference: f32,
    ) -> f32 {
        never_executed()
    }

    /// `textureGather(self, sampler, direction)`.
    pub fn gather(&self, sampler: &Sampler, direction: Vec3) -> Vec4 {
        never_executed()
    }

    /// `textureGatherCompare(self, sampler, direction, reference)`.
    pub fn gather_compare(
        &self,
        sampler: &SamplerComparison,
        direction: Vec3,
        reference: f32,
    ) -> Vec4 {
        never_executed()
    }
}

impl TextureDepthCubeArray {
    /// `textureDimensions(self)`: the size of a face in texels, at the first level.
    pub fn dimensions(&self) -> UVec2 {
        never_executed()
    }

    /// `textureDimensions(self, level)`.
    pub fn dimensions_of_level(&self, level: impl IndexInteger) -> UVec2 {
        never_executed()
    }

    /// `textureNumLevels(self)`.
    pub fn num_levels(&self) -> u32 {
        never_executed()
    }

    /// `textureNumLayers(self)`: the number of cubes.
    pub fn num_layers(&self) -> u32 {
        never_executed()
    }

    /// `textureSampleLevel(self, sampler, direction, cube, level)`.
    pub fn sample_level(
        &self,
        sampler: &Sampler,
        direction: Vec3,
        cube: impl IndexInteger,
        level: impl IndexInteger,
    ) -> f32 {
        never_executed()
    }

    /// `textureSampleCompareLevel(self, sampler, direction, cube, reference)`.
    pub fn sample_compare_level(
        &self,
        sampler: &SamplerComparison,
        direction: Vec3,
        cube: impl IndexInteger,
        reference: f32,
    ) -> f32 {
        never_executed()
    }

    /// `textureGather(self, sampler, direction, cube)`.
    pub fn gather(&self, sampler: &Sampler, direction: Vec3, cube: impl IndexInteger) -> Vec4 {
        never_executed()
    }

    /// `textureGatherCompare(self, sampler, direction, cube, reference)`.
    pub fn gather_compare(
        &self,
        sampler: &SamplerComparison,
        direction: Vec3,
        cube: impl IndexInteger,
        reference: f32,
    ) -> Vec4 {
        never_executed()
    }
}
