//! Creates, fills and reads back textures.

use crate::error::Result;
use crate::fits;
use crate::opened::OpenDevice;
use crate::scope::scoped;
use wgpu::{
    Extent3d, Sampler, SamplerDescriptor, TexelCopyBufferInfo, TexelCopyBufferLayout, Texture,
    TextureDescriptor, TextureFormat, TextureView, TextureViewDescriptor, TextureViewDimension,
};

/// The alignment in bytes of rows of texels that are copied to a buffer.
const ROW_STEP: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;

/// Converts a storage texture format of naga to wgpu's.
pub fn storage_format(format: naga::StorageFormat) -> TextureFormat {
    wgpu_naga_bridge::map_storage_format_from_naga(format)
}

impl OpenDevice {
    /// Creates a texture of zeros. A texture that exceeds the limits is rejected before memory is allocated.
    pub fn texture(&self, descriptor: &TextureDescriptor<'_>) -> Result<Texture> {
        let Extent3d { width, height, depth_or_array_layers } = descriptor.size;
        let size = [width, height, depth_or_array_layers];
        fits::texture(self.limits(), descriptor.dimension, size)?;
        scoped(self.device(), || self.device().create_texture(descriptor))
    }

    /// Creates a view of the whole texture.
    pub fn view(&self, texture: &Texture, dimension: TextureViewDimension) -> Result<TextureView> {
        scoped(self.device(), || {
            texture.create_view(&TextureViewDescriptor {
                dimension: Some(dimension),
                ..TextureViewDescriptor::default()
            })
        })
    }

    /// Creates a sampler.
    pub fn sampler(&self, descriptor: &SamplerDescriptor<'_>) -> Result<Sampler> {
        scoped(self.device(), || self.device().create_sampler(descriptor))
    }

    /// Sets the texels of a mip level; `bytes` has all its rows without padding.
    pub fn write_texture(
        &self,
        texture: &Texture,
        level: u32,
        size: [u32; 3],
        bytes: &[u8],
    ) -> Result<()> {
        let rows = (size[1] as usize * size[2] as usize).max(1);
        let layout = TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: u32::try_from(bytes.len() / rows).ok(),
            rows_per_image: Some(size[1]),
        };
        let target = wgpu::TexelCopyTextureInfo { mip_level: level, ..texture.as_image_copy() };
        scoped(self.device(), || self.queue().write_texture(target, bytes, layout, extent(size)))
    }

    /// Reads the texels of a texture's first mip level, `texel_bytes` bytes each, after everything submitted so far.
    pub fn read_texture(&self, texture: &Texture, texel_bytes: u32) -> Result<Vec<u8>> {
        let size = [texture.width(), texture.height(), texture.depth_or_array_layers()];
        let row = size[0] * texel_bytes;
        let padded = row.next_multiple_of(ROW_STEP);
        let layout = TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(padded),
            rows_per_image: Some(size[1]),
        };
        let length = u64::from(padded) * u64::from(size[1]) * u64::from(size[2]);
        let bytes = self.read_back(length, |encoder, buffer| {
            let from = texture.as_image_copy();
            encoder.copy_texture_to_buffer(
                from,
                TexelCopyBufferInfo { buffer, layout },
                extent(size),
            );
        })?;
        let rows = bytes.chunks_exact(padded.max(1) as usize);
        Ok(rows.flat_map(|padded| &padded[..row as usize]).copied().collect())
    }
}

fn extent([width, height, depth_or_array_layers]: [u32; 3]) -> Extent3d {
    Extent3d { width, height, depth_or_array_layers }
}
