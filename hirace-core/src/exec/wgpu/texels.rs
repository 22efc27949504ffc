//! Textures on the device: formats, and texels as these have them.

use super::Device;
use super::failure::guarded;
use crate::diagnostic::Result;
use crate::vm::memory::Texture;
use crate::vm::ops::texel;
use naga::{ImageClass, ImageDimension, ScalarKind};
use wgpu::{Extent3d, TextureDimension, TextureFormat, TextureUsages, TextureViewDimension};

/// What the type of a texture variable says.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    pub name: &'a str,
    pub dim: ImageDimension,
    pub arrayed: bool,
    pub class: ImageClass,
}

impl Image<'_> {
    /// Copies a texture to the device. With a sentence, if its contents are not what they should be.
    pub fn upload(
        &self,
        device: &Device,
        texture: &Texture,
    ) -> Result<(wgpu::TextureView, Option<String>)> {
        let format = self.format();
        let samples = texture.samples;
        let filled = samples == 1 && format != TextureFormat::Depth32Float;
        let [width, height, layers] = texture.size;
        let size = Extent3d { width, height, depth_or_array_layers: layers };
        let mut usage = match self.class {
            ImageClass::Storage { .. } => TextureUsages::STORAGE_BINDING,
            _ => TextureUsages::TEXTURE_BINDING,
        };
        if filled {
            usage |= TextureUsages::COPY_DST;
        }
        if samples > 1 {
            usage |= TextureUsages::RENDER_ATTACHMENT;
        }
        if let ImageClass::Storage { access, .. } = self.class
            && access.contains(naga::StorageAccess::ATOMIC)
        {
            usage |= TextureUsages::STORAGE_ATOMIC;
        }
        let view = guarded(&device.device, &format!("hold the texture `{}`", self.name), || {
            let made = device.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(self.name),
                size,
                mip_level_count: texture.levels,
                sample_count: samples,
                dimension: self.dimension(),
                format,
                usage,
                view_formats: &[],
            });
            if filled {
                self.fill(device, &made, texture);
            }
            made.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(self.view_dimension()),
                ..wgpu::TextureViewDescriptor::default()
            })
        })?;
        let warning = (!filled).then(|| {
            format!(
                "`{}` held zeros: the contents of such a texture cannot be copied to a device",
                self.name
            )
        });
        Ok((view, warning))
    }

    /// Writes the texels of each level.
    fn fill(&self, device: &Device, made: &wgpu::Texture, texture: &Texture) {
        let words = texture.texels.snapshot();
        let mut at = 0;
        for level in 0..texture.levels {
            let halved = |n: u32| (n >> level).max(1);
            let [width, height, depth] = texture.size;
            let layers = if self.dim == ImageDimension::D3 { halved(depth) } else { depth };
            let size = [halved(width), halved(height), layers];
            let texels = size.iter().map(|&n| n as usize).product::<usize>();
            let bytes: Vec<u8> = words
                .iter()
                .skip(at * 4)
                .take(texels * 4)
                .copied()
                .collect::<Vec<u32>>()
                .chunks_exact(4)
                .flat_map(|words| self.bytes([words[0], words[1], words[2], words[3]]))
                .collect();
            at += texels;
            let row = bytes.len() / (size[1] as usize * size[2] as usize).max(1);
            device.queue.write_texture(
                wgpu::TexelCopyTextureInfo {
                    texture: made,
                    mip_level: level,
                    origin: wgpu::Origin3d::ZERO,
                    aspect: wgpu::TextureAspect::All,
                },
                &bytes,
                wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row as u32),
                    rows_per_image: Some(size[1]),
                },
                Extent3d { width: size[0], height: size[1], depth_or_array_layers: size[2] },
            );
        }
    }

    fn bytes(&self, texel: [u32; 4]) -> Vec<u8> {
        match self.class {
            ImageClass::Storage { format, .. } => texel::bytes(format, texel),
            _ => texel.into_iter().flat_map(u32::to_le_bytes).collect(),
        }
    }

    fn format(&self) -> TextureFormat {
        match self.class {
            ImageClass::Storage { format, .. } => {
                wgpu_naga_bridge::map_storage_format_from_naga(format)
            }
            ImageClass::Depth { .. } => TextureFormat::Depth32Float,
            ImageClass::Sampled { kind: ScalarKind::Sint, .. } => TextureFormat::Rgba32Sint,
            ImageClass::Sampled { kind: ScalarKind::Uint, .. } => TextureFormat::Rgba32Uint,
            ImageClass::Sampled { .. } | ImageClass::External => TextureFormat::Rgba32Float,
        }
    }

    fn dimension(&self) -> TextureDimension {
        match self.dim {
            ImageDimension::D1 => TextureDimension::D1,
            ImageDimension::D2 | ImageDimension::Cube => TextureDimension::D2,
            ImageDimension::D3 => TextureDimension::D3,
        }
    }

    fn view_dimension(&self) -> TextureViewDimension {
        match (self.dim, self.arrayed) {
            (ImageDimension::D1, _) => TextureViewDimension::D1,
            (ImageDimension::D2, false) => TextureViewDimension::D2,
            (ImageDimension::D2, true) => TextureViewDimension::D2Array,
            (ImageDimension::Cube, false) => TextureViewDimension::Cube,
            (ImageDimension::Cube, true) => TextureViewDimension::CubeArray,
            (ImageDimension::D3, _) => TextureViewDimension::D3,
        }
    }
}
