//! Textures, their views, external textures, samplers.

use super::object::Object;
use wgpu::custom::{
    DispatchTextureView, ExternalTextureInterface, SamplerInterface, TextureInterface,
    TextureViewInterface,
};

impl TextureInterface for Object<wgpu::Texture> {
    fn create_view(&self, descriptor: &wgpu::TextureViewDescriptor<'_>) -> DispatchTextureView {
        let view = self.inner.as_ref().map(|texture| texture.create_view(descriptor));
        let inner = view.map_err(Clone::clone);
        let own = wgpu::TextureViewDescriptor { label: None, ..descriptor.clone() };
        DispatchTextureView::custom(Object { home: self.home, inner, own })
    }

    fn destroy(&self) {
        if let Ok(texture) = &self.inner {
            texture.destroy();
        }
    }
}

impl TextureViewInterface for Object<wgpu::TextureView, wgpu::TextureViewDescriptor<'static>> {}

impl ExternalTextureInterface for Object<wgpu::ExternalTexture> {
    fn destroy(&self) {
        if let Ok(texture) = &self.inner {
            texture.destroy();
        }
    }
}

impl SamplerInterface for Object<wgpu::Sampler, wgpu::SamplerDescriptor<'static>> {}
