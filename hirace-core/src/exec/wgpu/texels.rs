//! Textures on the device: their formats, and the conversion of texels.

use super::failure::{READ_BACK, failed_to};
use crate::diagnostic::Result;
use crate::facts::Warning;
use crate::vm::memory::{Buffer, Texture};
use crate::vm::ops::texel;
use hirace_gpu::OpenDevice;
use hirace_gpu::wgpu::{
    self, Extent3d, TextureDimension, TextureFormat, TextureFormatFeatureFlags as Flags,
    TextureUsages, TextureViewDimension,
};
use naga::{ImageClass, ImageDimension, ScalarKind, StorageAccess, StorageFormat};

/// The type of a texture variable.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    pub name: &'a str,
    pub dim: ImageDimension,
    pub arrayed: bool,
    pub class: ImageClass,
}

impl Image<'_> {
    /// Returns what the device lacks for this texture, as the end of a sentence that starts with its name.
    pub fn lacking(&self, device: &OpenDevice, samples: u32) -> Option<String> {
        let format = self.format();
        let missing = format.required_features() - device.features();
        if !missing.is_empty() {
            return Some(format!(
                "has a format that the device does not support, {}",
                self.format_name()
            ));
        }
        let has = device.format_features(format);
        let flags = self.flags(samples);
        if has.allowed_usages.contains(self.usage(samples)) && has.flags.contains(flags) {
            return None;
        }
        Some(match self.class {
            ImageClass::Storage { access, .. } => format!(
                "is a storage texture for {}, which the device does not support for the format {}",
                access_said(access),
                self.format_name()
            ),
            _ if samples > 1 => {
                "is multisampled, in a format that the device cannot fill".to_owned()
            }
            _ => "has a format that the device cannot fill".to_owned(),
        })
    }

    /// Copies a texture to the device. Returns a warning if its contents are not exact.
    pub fn upload(
        &self,
        device: &OpenDevice,
        texture: &Texture,
    ) -> Result<(wgpu::Texture, wgpu::TextureView, Option<Warning>)> {
        let [width, height, layers] = texture.size;
        let purpose = |verb| failed_to(format!("{verb} the texture `{}`", self.name));
        let made = device.texture(&wgpu::TextureDescriptor {
            label: Some(self.name),
            size: Extent3d { width, height, depth_or_array_layers: layers },
            mip_level_count: texture.levels,
            sample_count: texture.samples,
            dimension: self.dimension(),
            format: self.format(),
            usage: self.usage(texture.samples),
            view_formats: &[],
        });
        let made = made.map_err(purpose("hold"))?;
        let words = texture.texels.snapshot();
        let filled = match self.painted(texture.samples) {
            false => self.fill(device, &made, texture, &words),
            true => device.paint(&made, &words),
        };
        filled.map_err(purpose("fill"))?;
        let clamped = matches!(self.class, ImageClass::Depth { .. }) && !depths(&words);
        let warning = clamped.then(|| Warning::DepthsClamped(self.name.to_owned()));
        let view =
            device.view(&made, self.view_dimension()).map_err(purpose("create a view of"))?;
        Ok((made, view, warning))
    }

    /// Returns the contents of a storage texture after a run. `before` is the texture before the run, which has the same size.
    pub fn download(
        &self,
        device: &OpenDevice,
        made: &wgpu::Texture,
        before: &Texture,
    ) -> Result<Texture> {
        let ImageClass::Storage { format, .. } = self.class else { return Ok(before.clone()) };
        let texel_bytes = texel::bytes(format, [0; 4]).len() as u32;
        let bytes = device.read_texture(made, texel_bytes).map_err(failed_to(READ_BACK))?;
        let texels = bytes.chunks_exact(texel_bytes as usize);
        let texels = texels.flat_map(|bytes| {
            texel::of_bytes(format, bytes).into_iter().flat_map(u32::to_le_bytes)
        });
        let texels = Buffer::new(&texels.collect::<Vec<u8>>());
        Ok(Texture { texels, levels: 1, ..before.clone() })
    }

    /// Returns whether the texture must be rendered, because nothing can be copied to it.
    fn painted(&self, samples: u32) -> bool {
        samples > 1 || matches!(self.class, ImageClass::Depth { .. })
    }

    fn usage(&self, samples: u32) -> TextureUsages {
        let mut usage = match self.class {
            ImageClass::Storage { .. } => TextureUsages::STORAGE_BINDING | TextureUsages::COPY_SRC,
            _ => TextureUsages::TEXTURE_BINDING,
        };
        usage |= match self.painted(samples) {
            true => TextureUsages::RENDER_ATTACHMENT,
            false => TextureUsages::COPY_DST,
        };
        if let ImageClass::Storage { access, .. } = self.class
            && access.contains(StorageAccess::ATOMIC)
        {
            usage |= TextureUsages::STORAGE_ATOMIC;
        }
        usage
    }

    /// Returns the flags that the format must have, in addition to its usages.
    fn flags(&self, samples: u32) -> Flags {
        let mut flags = Flags::empty();
        if samples > 1 {
            flags |= Flags::MULTISAMPLE_X4;
        }
        if let ImageClass::Storage { access, .. } = self.class {
            let both = StorageAccess::LOAD | StorageAccess::STORE;
            flags |= match access & both {
                access if access == both => Flags::STORAGE_READ_WRITE,
                StorageAccess::LOAD => Flags::STORAGE_READ_ONLY,
                _ => Flags::STORAGE_WRITE_ONLY,
            };
            if access.contains(StorageAccess::ATOMIC) {
                flags = Flags::STORAGE_ATOMIC;
            }
        }
        flags
    }

    /// Writes the texels of each level.
    fn fill(
        &self,
        device: &OpenDevice,
        made: &wgpu::Texture,
        texture: &Texture,
        words: &[u32],
    ) -> hirace_gpu::Result<()> {
        let mut rest = words;
        for level in 0..texture.levels {
            let halved = |n: u32| (n >> level).max(1);
            let [width, height, depth] = texture.size;
            let layers = if self.dim == ImageDimension::D3 { halved(depth) } else { depth };
            let size = [halved(width), halved(height), layers];
            let texels = size.iter().map(|&n| n as usize).product::<usize>();
            let (of_level, after) = rest.split_at((texels * 4).min(rest.len()));
            rest = after;
            let texels = of_level.chunks_exact(4);
            let bytes: Vec<u8> = texels
                .flat_map(|words| self.bytes([words[0], words[1], words[2], words[3]]))
                .collect();
            device.write_texture(made, level, size, &bytes)?;
        }
        Ok(())
    }

    fn bytes(&self, texel: [u32; 4]) -> Vec<u8> {
        match self.class {
            ImageClass::Storage { format, .. } => texel::bytes(format, texel),
            _ => texel.into_iter().flat_map(u32::to_le_bytes).collect(),
        }
    }

    fn format(&self) -> TextureFormat {
        match self.class {
            ImageClass::Storage { format, .. } => hirace_gpu::storage_format(format),
            ImageClass::Depth { .. } => TextureFormat::Depth32Float,
            ImageClass::Sampled { kind: ScalarKind::Sint, .. } => TextureFormat::Rgba32Sint,
            ImageClass::Sampled { kind: ScalarKind::Uint, .. } => TextureFormat::Rgba32Uint,
            ImageClass::Sampled { .. } | ImageClass::External => TextureFormat::Rgba32Float,
        }
    }

    /// Returns the name of the format in WGSL.
    fn format_name(&self) -> String {
        match self.class {
            ImageClass::Storage { format, .. } => format_name(format),
            _ => format!("{:?}", self.format()).to_lowercase(),
        }
    }

    pub fn dimension(&self) -> TextureDimension {
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

/// Returns whether all texels, of four words each, are depths: from 0 to 1.
fn depths(words: &[u32]) -> bool {
    words.chunks_exact(4).all(|texel| (0.0..=1.0).contains(&f32::from_bits(texel[0])))
}

fn access_said(access: StorageAccess) -> &'static str {
    match (access.contains(StorageAccess::ATOMIC), access.contains(StorageAccess::LOAD)) {
        (true, _) => "atomics",
        (_, true) if access.contains(StorageAccess::STORE) => "reading and writing",
        (_, true) => "reading",
        (_, false) => "writing",
    }
}

/// Returns the name of a format, such as `rgba8unorm`.
fn format_name(format: StorageFormat) -> String {
    format!("{format:?}").to_lowercase()
}
