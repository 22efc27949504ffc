//! Textures in the format of the executors: four words per texel, level by level.

use hirace_core::vm::memory::{Buffer, Texture};
use hirace_core::vm::ops::texel;
use naga::StorageFormat;
use wgpu::TextureFormat;

/// The texel format of a texture.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub(crate) struct Format {
    storage: StorageFormat,
    /// Whether the first three components are sRGB-encoded.
    srgb: bool,
}

/// One level of a texture in the buffer for copies.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub(crate) struct Level {
    /// The offset of the level.
    pub(crate) at: u64,
    pub(crate) bytes_per_row: u32,
    /// The width, the height, and the depth or number of layers.
    pub(crate) size: [u32; 3],
}

/// The alignment of rows in the buffer.
const ROW: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;

impl Format {
    /// Returns the format if its texels can be read.
    pub(crate) fn of(format: TextureFormat) -> Option<Self> {
        let storage = match format.remove_srgb_suffix() {
            TextureFormat::Depth32Float => StorageFormat::R32Float,
            TextureFormat::Depth16Unorm => StorageFormat::R16Unorm,
            plain => wgpu_naga_bridge::map_storage_format_to_naga(plain)?,
        };
        Some(Self { storage, srgb: format.is_srgb() })
    }

    /// Returns the number of bytes of a texel.
    pub(crate) fn bytes(self) -> u32 {
        texel::bytes(self.storage, [0; 4]).len() as u32
    }

    /// Lays out levels of these sizes from offset `at` on. Returns the levels and the offset of their end.
    pub(crate) fn levels(self, sizes: &[[u32; 3]], mut at: u64) -> (Vec<Level>, u64) {
        let mut levels = Vec::new();
        for &size in sizes {
            at = at.next_multiple_of(ROW.into());
            let bytes_per_row = (size[0] * self.bytes()).next_multiple_of(ROW);
            levels.push(Level { at, bytes_per_row, size });
            at += u64::from(bytes_per_row) * u64::from(size[1]) * u64::from(size[2]);
        }
        (levels, at)
    }

    /// Returns the texture whose copies these are.
    pub(crate) fn texture(self, levels: &[Level], copied: &[u8]) -> Texture {
        let mut texels = Vec::new();
        for level in levels {
            let [width, height, layers] = level.size;
            for row in 0..u64::from(height) * u64::from(layers) {
                let from = (level.at + row * u64::from(level.bytes_per_row)) as usize;
                let bytes = (width * self.bytes()) as usize;
                let row = copied.get(from..from + bytes).unwrap_or_default();
                for texel in row.chunks_exact(self.bytes() as usize) {
                    texels.extend(self.words(texel).into_iter().flat_map(u32::to_le_bytes));
                }
            }
        }
        let size = levels.first().map_or([1; 3], |level| level.size);
        Texture { size, levels: levels.len() as u32, samples: 1, texels: Buffer::new(&texels) }
    }

    fn words(self, texel: &[u8]) -> [u32; 4] {
        let mut words = texel::of_bytes(self.storage, texel);
        if self.srgb {
            words[..3].iter_mut().for_each(|word| *word = linear(f32::from_bits(*word)).to_bits());
        }
        words
    }
}

/// Converts an sRGB component to a linear value.
fn linear(component: f32) -> f32 {
    match component <= 0.04045 {
        true => component / 12.92,
        false => ((component + 0.055) / 1.055).powf(2.4),
    }
}

/// Returns a texture of zeros, or `None` if it is too large.
pub(crate) fn blank(size: [u32; 3]) -> Option<Texture> {
    let texels = size.iter().try_fold(16u32, |bytes, &n| bytes.checked_mul(n))?;
    Some(Texture { size, levels: 1, samples: 1, texels: Buffer::zeros(texels) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_lie_in_rows_of_256_bytes_and_are_read_back() {
        let format = Format::of(TextureFormat::Rgba8Unorm).unwrap();
        let (levels, end) = format.levels(&[[3, 2, 1], [1, 1, 1]], 4);
        assert_eq!(levels[0], Level { at: 256, bytes_per_row: 256, size: [3, 2, 1] });
        assert_eq!((levels[1].at, end), (768, 1024));
        let mut copied = vec![0; 1024];
        copied[256 + 256 + 8..][..4].copy_from_slice(&[255, 0, 255, 0]);
        copied[768..772].copy_from_slice(&[0, 255, 0, 255]);
        let texture = format.texture(&levels, &copied);
        let words = texture.texels.snapshot();
        let one = 1f32.to_bits();
        assert_eq!((texture.size, texture.levels, words.len()), ([3, 2, 1], 2, 7 * 4));
        assert_eq!(words[5 * 4..], [one, 0, one, 0, 0, one, 0, one]);
    }

    #[test]
    fn srgb_is_linear_when_read_and_depths_are_numbers() {
        let format = Format::of(TextureFormat::Rgba8UnormSrgb).unwrap();
        let words = format.words(&[188, 0, 255, 128]).map(f32::from_bits);
        assert!((words[0] - 0.5029).abs() < 1e-3, "{words:?}");
        assert_eq!((words[1], words[2]), (0.0, 1.0));
        assert!((words[3] - 128.0 / 255.0).abs() < 1e-6);
        let depth = Format::of(TextureFormat::Depth32Float).unwrap();
        assert_eq!(depth.words(&0.25f32.to_le_bytes())[0], 0.25f32.to_bits());
        assert_eq!(Format::of(TextureFormat::Bc1RgbaUnorm), None);
    }
}
