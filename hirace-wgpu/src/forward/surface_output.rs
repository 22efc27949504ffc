//! Textures of surfaces.

use super::lock;
use super::object::{Fault, Home};
use std::sync::Mutex;
use wgpu::custom::SurfaceOutputDetailInterface;

/// The texture of a surface until it is presented or discarded.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) home: Home,
    pub(crate) lent: Mutex<Option<wgpu::SurfaceTexture>>,
}

impl Output {
    /// Takes the texture in order to present it. Only the first caller gets it.
    pub(crate) fn take(&self, home: Home) -> Result<Option<wgpu::SurfaceTexture>, Fault> {
        if home == self.home {
            Ok(lock(&self.lent).take())
        } else {
            Err(Fault::foreign("surface texture"))
        }
    }
}

impl SurfaceOutputDetailInterface for Output {
    fn texture_discard(&self) {
        // wgpu does this when a surface texture is dropped; if the thread is panicking, it releases the texture.
        drop(lock(&self.lent).take());
    }

    fn texture_release(&self) {
        drop(lock(&self.lent).take());
    }
}
