//! Fills textures that cannot be the target of copies: depth textures and multisampled ones. For each layer, the painter renders a
//! triangle that covers it. The fragments of the triangle read their texels from a buffer.

use crate::error::Result;
use crate::opened::OpenDevice;
use crate::scope::scoped;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{BufferUsages, Texture, TextureFormat, TextureSampleType};

impl OpenDevice {
    /// Fills every mip level, layer and sample of a renderable texture with four words per texel, in the order of
    /// levels, layers, rows, texels and samples. A depth texture uses the first word.
    pub fn paint(&self, texture: &Texture, texels: &[u32]) -> Result<()> {
        let kind = match texture.format().sample_type(None, None) {
            Some(TextureSampleType::Sint) => TexelKind::Sint,
            Some(TextureSampleType::Uint) => TexelKind::Uint,
            _ if texture.format().has_depth_aspect() => TexelKind::Depth,
            _ => TexelKind::Float,
        };
        Painter { opened: self, texture, kind }.paint(texels)
    }
}

/// The type of the texels of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TexelKind {
    Depth,
    Float,
    Sint,
    Uint,
}

/// The state for filling one texture.
#[derive(Clone, Copy)]
struct Painter<'a> {
    opened: &'a OpenDevice,
    texture: &'a Texture,
    kind: TexelKind,
}

impl Painter<'_> {
    fn paint(&self, texels: &[u32]) -> Result<()> {
        let (device, queue) = (self.opened.device(), self.opened.queue());
        let samples = self.texture.sample_count();
        scoped(device, || {
            let pipeline = self.pipeline();
            let texels = self.buffer(texels, BufferUsages::STORAGE);
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut first = 0;
            for level in 0..self.texture.mip_level_count() {
                let [width, height] = [self.texture.width(), self.texture.height()]
                    .map(|texels| (texels >> level).max(1));
                for layer in 0..self.texture.depth_or_array_layers() {
                    let parameters =
                        self.buffer(&[first, width, samples, 0], BufferUsages::UNIFORM);
                    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                        label: None,
                        layout: &pipeline.get_bind_group_layout(0),
                        entries: &[entry(0, &texels), entry(1, &parameters)],
                    });
                    self.pass(&mut encoder, &pipeline, &group, level, layer);
                    first += width * height * samples;
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
        let view = self.texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_mip_level: level,
            mip_level_count: Some(1),
            base_array_layer: layer,
            array_layer_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        });
        let color = wgpu::RenderPassColorAttachment {
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
        let colors = [Some(color)];
        let (color_attachments, depth_stencil_attachment) = match self.kind {
            TexelKind::Depth => (&[][..], Some(depth)),
            _ => (&colors[..], None),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("hirace painter"),
            color_attachments,
            depth_stencil_attachment,
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        // One instance per sample.
        pass.draw(0..3, 0..self.texture.sample_count());
    }

    fn pipeline(&self) -> wgpu::RenderPipeline {
        let device = self.opened.device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("hirace painter"),
            source: wgpu::ShaderSource::Wgsl(self.shader().into()),
        });
        let format = self.texture.format();
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
            depth_stencil: (self.kind == TexelKind::Depth).then(|| depth_state(format)),
            multisample: wgpu::MultisampleState {
                count: self.texture.sample_count(),
                ..wgpu::MultisampleState::default()
            },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fill"),
                compilation_options: Default::default(),
                targets: if self.kind == TexelKind::Depth { &[] } else { &target },
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// Returns the shader. A fragment of instance n fills sample n.
    fn shader(&self) -> String {
        let (output, ty, value) = match self.kind {
            TexelKind::Depth => ("@builtin(frag_depth)", "f32", "bitcast<f32>(texel.x)"),
            TexelKind::Sint => ("@location(0)", "vec4<i32>", "bitcast<vec4<i32>>(texel)"),
            TexelKind::Uint => ("@location(0)", "vec4<u32>", "texel"),
            TexelKind::Float => ("@location(0)", "vec4<f32>", "bitcast<vec4<f32>>(texel)"),
        };
        let (mask, sample) = match self.texture.sample_count() {
            1 => ("", ""),
            _ => ("@builtin(sample_mask) mask: u32,", ", 1u << covered.sample"),
        };
        format!(
            "struct Parameters {{ first: u32, width: u32, samples: u32, unused: u32 }}
            @group(0) @binding(0) var<storage> texels: array<vec4<u32>>;
            @group(0) @binding(1) var<uniform> parameters: Parameters;
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
                let index = (at.y * parameters.width + at.x) * parameters.samples + covered.sample;
                let texel = texels[parameters.first + index];
                return Filled({value}{sample});
            }}"
        )
    }

    fn buffer(&self, words: &[u32], usage: BufferUsages) -> wgpu::Buffer {
        let contents: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let descriptor =
            BufferInitDescriptor { label: Some("hirace painter"), contents: &contents, usage };
        self.opened.device().create_buffer_init(&descriptor)
    }
}

fn entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
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
