//! Arguments of copy commands: locations in textures and in buffers.

use super::object::{Fault, Home};

pub(crate) fn texture<'a>(
    home: Home,
    outer: &wgpu::TexelCopyTextureInfo<'a>,
) -> Result<wgpu::TexelCopyTextureInfo<'a>, Fault> {
    let &wgpu::TexelCopyTextureInfo { texture, mip_level, origin, aspect } = outer;
    Ok(wgpu::TexelCopyTextureInfo { texture: home.open(texture)?, mip_level, origin, aspect })
}

pub(crate) fn buffer<'a>(
    home: Home,
    outer: &wgpu::TexelCopyBufferInfo<'a>,
) -> Result<wgpu::TexelCopyBufferInfo<'a>, Fault> {
    let &wgpu::TexelCopyBufferInfo { buffer, layout } = outer;
    Ok(wgpu::TexelCopyBufferInfo { buffer: home.open(buffer)?, layout })
}
