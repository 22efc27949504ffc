//! The location of texels in a texture, and texture queries.

use crate::vm::memory::Texture;
use naga::ImageDimension;
use std::sync::atomic::Ordering;

/// A texture, viewed as its variable declares it.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    /// The bound texture.
    pub texture: &'a Texture,
    /// The declared dimension.
    pub dim: ImageDimension,
}

/// One texel of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TexelAddress {
    /// x, then y, then z or the layer, as far as the image has them (a face of a cube is a layer: cube `c`
    /// has the layers `6 * c` to `6 * c + 5`). The bits of `i32` or `u32`: a negative coordinate is outside
    /// of the texture.
    pub at: [u32; 3],
    /// The sample of a multisampled texture, otherwise 0.
    pub sample: u32,
    /// The mip level.
    pub level: u32,
}

impl Image<'_> {
    /// Returns width, height, and depth or number of layers of a level: `textureDimensions` returns as many
    /// of these as the dimension has. A level that does not exist means the last one.
    pub fn size(self, level: u32) -> [u32; 3] {
        let level = level.min(self.levels() - 1);
        let halved = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
        let [width, height, depth] = self.texture.size;
        match self.dim {
            ImageDimension::D3 => [halved(width), halved(height), halved(depth)],
            _ => [halved(width), halved(height), depth],
        }
    }

    /// Returns `textureNumLevels`.
    pub fn levels(self) -> u32 {
        self.texture.levels.max(1)
    }

    /// Returns `textureNumLayers`: for cube arrays, the number of cubes.
    pub fn layers(self) -> u32 {
        match self.dim {
            ImageDimension::Cube => self.texture.size[2] / 6,
            _ => self.texture.size[2],
        }
    }

    /// Returns `textureNumSamples`.
    pub fn samples(self) -> u32 {
        self.texture.samples.max(1)
    }

    /// Returns the index of the first of the texel's four words in [`Texture::texels`]; `None` outside of the
    /// texture.
    pub fn word(self, place: TexelAddress) -> Option<usize> {
        let [x, y, z] = place.at;
        let [width, height, depth] = self.size(place.level);
        let inside = x < width && y < height && z < depth;
        if !inside || place.level >= self.levels() || place.sample >= self.samples() {
            return None;
        }
        let texels = |[width, height, depth]: [u32; 3]| {
            u64::from(width) * u64::from(height) * u64::from(depth)
        };
        let before: u64 = (0..place.level).map(|level| texels(self.size(level))).sum();
        let row = u64::from(z) * u64::from(height) + u64::from(y);
        let texel = before + row * u64::from(width) + u64::from(x);
        let index = texel * u64::from(self.samples()) + u64::from(place.sample);
        let word = usize::try_from(index * 4).ok()?;
        (word + 4 <= self.texture.texels.words().len()).then_some(word)
    }

    /// Returns the components of a texel, as bits; `None` outside of the texture, where `textureLoad` returns
    /// zeros.
    pub fn load(self, place: TexelAddress) -> Option<[u32; 4]> {
        let word = self.word(place)?;
        let words = self.texture.texels.words().get(word..word + 4)?;
        Some(std::array::from_fn(|i| words[i].load(Ordering::Relaxed)))
    }

    /// Sets the components of a texel; does nothing outside of the texture.
    pub fn store(self, place: TexelAddress, texel: [u32; 4]) {
        let words = self.word(place).and_then(|at| self.texture.texels.words().get(at..at + 4));
        for (word, component) in words.into_iter().flatten().zip(texel) {
            word.store(component, Ordering::Relaxed);
        }
    }
}
