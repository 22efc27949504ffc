//! Filling textures that nothing can be copied to: those of depths, and multisampled ones. They are painted, a
//! triangle over the whole of each layer, whose fragments look their texel up in a buffer.

use super::failure::guarded;
use super::opened::Opened;
use crate::diagnostic::Result;
use crate::vm::memory::Texture;
use naga::ScalarKind;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{BufferUsages, TextureFormat};

/// A texture on the device, and what it is to hold.
#[derive(Clone, Copy)]
pub struct Canvas<'a> {
    pub device: &'a Opened,
    pub name: &'a str,
    pub made: &'a wgpu::Texture,
    pub texture: &'a Texture,
    /// The kind of its texels; depths if there is none.
    pub kind: Option<ScalarKind>,
}

impl Canvas<'_> {
    /// Paints every level, layer and sample.
    pub fn paint(&self) -> Result<()> {
        let Opened { device, queue, .. } = self.device;
        guarded(device, &format!("fill the texture `{}`", self.name), || {
            let pipeline = self.pipeline();
            let words = self.texture.texels.snapshot();
            let texels = self.buffer(bytemuck::cast_slice(&words), BufferUsages::STORAGE);
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut first = 0;
            for level in 0..self.texture.levels {
                let [width, height, layers] = self.texture.size;
                let [width, height] = [width, height].map(|n| (n >> level).max(1));
                for layer in 0..layers {
                    let at = [first, width, self.texture.samples, 0];
                    let place = self.buffer(bytemuck::cast_slice(&at), BufferUsages::UNIFORM);
                    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                        label: None,
                        layout: &pipeline.get_bind_group_layout(0),
                        entries: &[
                            wgpu::BindGroupEntry {
                                binding: 0,
                                resource: texels.as_entire_binding(),
                            },
                            wgpu::BindGroupEntry {
                                binding: 1,
                                resource: place.as_entire_binding(),
                            },
                        ],
                    });
                    self.pass(&mut encoder, &pipeline, &group, level, layer);
                    first += width * height * self.texture.samples;
                }
            }
            queue.submit([encoder.finish()]);
        })
    }

    fn pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::RenderPipeline,
        group: &wgpu::BindGroup,
        level: u32,
        layer: u32,
    ) {
        let view = self.made.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_mip_level: level,
            mip_level_count: Some(1),
            base_array_layer: layer,
            array_layer_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        });
        let colour = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        };
        let depth = wgpu::RenderPassDepthStencilAttachment {
            view: &view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        };
        let colours = [Some(colour)];
        let (color_attachments, depth_stencil_attachment) = match self.kind {
            Some(_) => (&colours[..], None),
            None => (&[][..], Some(depth)),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(self.name),
            color_attachments,
            depth_stencil_attachment,
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        // An instance for each sample.
        pass.draw(0..3, 0..self.texture.samples);
    }

    fn pipeline(&self) -> wgpu::RenderPipeline {
        let device = &self.device.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("hirace painter"),
            source: wgpu::ShaderSource::Wgsl(self.shader().into()),
        });
        let format = self.made.format();
        let target = [Some(wgpu::ColorTargetState::from(format))];
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("hirace painter"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("cover"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: self.kind.is_none().then(|| depth_state(format)),
            multisample: wgpu::MultisampleState {
                count: self.texture.samples,
                ..wgpu::MultisampleState::default()
            },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fill"),
                compilation_options: Default::default(),
                targets: if self.kind.is_some() { &target } else { &[] },
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// The shader: a fragment of instance n fills sample n.
    fn shader(&self) -> String {
        let (output, ty, value) = match self.kind {
            None => ("@builtin(frag_depth)", "f32", "bitcast<f32>(texel.x)"),
            Some(ScalarKind::Sint) => ("@location(0)", "vec4<i32>", "bitcast<vec4<i32>>(texel)"),
            Some(ScalarKind::Uint) => ("@location(0)", "vec4<u32>", "texel"),
            Some(_) => ("@location(0)", "vec4<f32>", "bitcast<vec4<f32>>(texel)"),
        };
        let (mask, sample) = match self.texture.samples {
            1 => ("", ""),
            _ => ("@builtin(sample_mask) mask: u32,", ", 1u << covered.sample"),
        };
        format!(
            "struct Place {{ first: u32, width: u32, samples: u32, unused: u32 }}
            @group(0) @binding(0) var<storage> texels: array<vec4<u32>>;
            @group(0) @binding(1) var<uniform> place: Place;
            struct Covered {{ @builtin(position) at: vec4<f32>, @location(0) @interpolate(flat) sample: u32 }}
            struct Filled {{ {output} value: {ty}, {mask} }}
            @vertex fn cover(
                @builtin(vertex_index) corner: u32,
                @builtin(instance_index) sample: u32,
            ) -> Covered {{
                let x = f32(corner & 1u) * 4.0 - 1.0;
                let y = f32(corner >> 1u) * 4.0 - 1.0;
                return Covered(vec4(x, y, 0.0, 1.0), sample);
            }}
            @fragment fn fill(covered: Covered) -> Filled {{
                let at = vec2<u32>(covered.at.xy);
                let index = (at.y * place.width + at.x) * place.samples + covered.sample;
                let texel = texels[place.first + index];
                return Filled({value}{sample});
            }}"
        )
    }

    fn buffer(&self, contents: &[u8], usage: BufferUsages) -> wgpu::Buffer {
        let descriptor = BufferInitDescriptor { label: Some(self.name), contents, usage };
        self.device.device.create_buffer_init(&descriptor)
    }
}

fn depth_state(format: TextureFormat) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Always),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}
