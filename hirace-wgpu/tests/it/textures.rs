//! Textures and samplers.

use crate::support::{same, same_idle, same_with, Gpu};
use hirace_testing::harness::Trial;
use wgpu::{TextureFormat, TextureUsages as Usages};

pub fn trials() -> Vec<Trial> {
    vec![
        same("textures::sampled", sampled),
        same("textures::stored", stored),
        same("textures::copied", copied),
        same_with("textures::cleared", wgpu::Features::CLEAR_TEXTURE, cleared),
        same("textures::views", views),
        same("textures::destroyed", destroyed),
        same("textures::resources_in_another_state", transitions),
        same_with("textures::external", wgpu::Features::EXTERNAL_TEXTURE, external),
        same_with("textures::arrays", wgpu::Features::TEXTURE_BINDING_ARRAY, arrays),
        same_idle("textures::external", wgpu::Features::EXTERNAL_TEXTURE, external),
        same_idle("textures::arrays", wgpu::Features::TEXTURE_BINDING_ARRAY, arrays),
    ]
}

const SIZE: wgpu::Extent3d = wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 };

fn texture(gpu: &Gpu, format: TextureFormat, usage: Usages) -> wgpu::Texture {
    gpu.create_texture(&wgpu::TextureDescriptor {
        label: Some("four by four"),
        size: SIZE,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Writes one word per texel.
fn write(gpu: &Gpu, texture: &wgpu::Texture, words: &[u32; 16]) {
    gpu.queue.write_texture(
        texture.as_image_copy(),
        bytemuck::cast_slice(words),
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(16), rows_per_image: None },
        SIZE,
    );
}

fn to_buffer(buffer: &wgpu::Buffer) -> wgpu::TexelCopyBufferInfo<'_> {
    wgpu::TexelCopyBufferInfo {
        buffer,
        layout: wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(256),
            rows_per_image: None,
        },
    }
}

fn read(gpu: &Gpu, texture: &wgpu::Texture) -> Vec<u32> {
    let buffer = gpu.storage("texels", &[0; 256]);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(texture.as_image_copy(), to_buffer(&buffer), SIZE);
    gpu.queue.submit([encoder.finish()]);
    let words = gpu.read(&buffer);
    (0..16).map(|index| words[index / 4 * 64 + index % 4]).collect()
}

const COLORS: [u32; 16] = {
    let mut colors = [0; 16];
    let mut index = 0;
    while index < 16 {
        colors[index] = 0x0102_0304 * (index as u32);
        index += 1;
    }
    colors
};

fn run(gpu: &Gpu, text: &str, resources: &[wgpu::BindingResource<'_>]) {
    let pipeline = gpu.kernel(text);
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
}

fn sampled(gpu: &Gpu) -> Vec<u32> {
    let texture =
        texture(gpu, TextureFormat::Rgba8Unorm, Usages::TEXTURE_BINDING | Usages::COPY_DST);
    write(gpu, &texture, &COLORS);
    let sampler = gpu.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        address_mode_u: wgpu::AddressMode::Repeat,
        ..Default::default()
    });
    let buffer = gpu.storage("samples", &[0; 64]);
    run(
        gpu,
        "@group(0) @binding(0) var image: texture_2d<f32>;
         @group(0) @binding(1) var linear: sampler;
         @group(0) @binding(2) var<storage, read_write> samples: array<u32>;
         @compute @workgroup_size(8, 8) fn main(@builtin(local_invocation_id) id: vec3u) {
             let place = (vec2f(id.xy) - 1.0) / 5.0;
             samples[id.y * 8u + id.x] = pack4x8unorm(textureSampleLevel(image, linear, place, 0.0));
         }",
        &[
            wgpu::BindingResource::TextureView(&texture.create_view(&Default::default())),
            wgpu::BindingResource::Sampler(&sampler),
            buffer.as_entire_binding(),
        ],
    );
    let words = gpu.read(&buffer);
    assert!(words.iter().any(|&word| word != 0));
    words
}

fn stored(gpu: &Gpu) -> Vec<u32> {
    let texture = texture(gpu, TextureFormat::R32Uint, Usages::STORAGE_BINDING | Usages::COPY_SRC);
    run(
        gpu,
        "@group(0) @binding(0) var image: texture_storage_2d<r32uint, write>;
         @compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) id: vec3u) {
             textureStore(image, id.xy, vec4u(id.y * 10u + id.x));
         }",
        &[wgpu::BindingResource::TextureView(&texture.create_view(&Default::default()))],
    );
    let words = read(gpu, &texture);
    assert_eq!(words[6], 12);
    words
}

fn copied(gpu: &Gpu) -> (Vec<u32>, Vec<u32>, Option<String>) {
    let usage = Usages::COPY_SRC | Usages::COPY_DST;
    let one = texture(gpu, TextureFormat::R32Uint, usage);
    let two = texture(gpu, TextureFormat::R32Uint, usage);
    let buffer = gpu.storage("texels", &(0..256).collect::<Vec<_>>());
    write(gpu, &two, &COLORS);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_texture(to_buffer(&buffer), one.as_image_copy(), SIZE);
    let part = wgpu::Extent3d { width: 2, height: 3, depth_or_array_layers: 1 };
    let place = wgpu::TexelCopyTextureInfo {
        origin: wgpu::Origin3d { x: 1, y: 1, z: 0 },
        ..two.as_image_copy()
    };
    encoder.copy_texture_to_texture(one.as_image_copy(), place, part);
    gpu.queue.submit([encoder.finish()]);
    let error = gpu.error(|| {
        let mut encoder = gpu.create_command_encoder(&Default::default());
        encoder.copy_texture_to_texture(one.as_image_copy(), place, SIZE);
        gpu.queue.submit([encoder.finish()]);
    });
    assert!(error.is_some());
    (read(gpu, &one), read(gpu, &two), error)
}

fn cleared(gpu: &Gpu) -> Vec<u32> {
    let texture = texture(gpu, TextureFormat::R32Uint, Usages::COPY_SRC | Usages::COPY_DST);
    write(gpu, &texture, &COLORS);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.clear_texture(&texture, &Default::default());
    gpu.queue.submit([encoder.finish()]);
    let words = read(gpu, &texture);
    assert_eq!(words, [0; 16]);
    words
}

fn views(gpu: &Gpu) -> (String, bool, Option<String>) {
    let texture = texture(gpu, TextureFormat::R32Uint, Usages::TEXTURE_BINDING);
    let view = texture.create_view(&Default::default());
    let error = gpu.error(|| {
        let _ = texture.create_view(&wgpu::TextureViewDescriptor {
            label: Some("beyond"),
            base_mip_level: 7,
            ..Default::default()
        });
    });
    assert!(error.is_some());
    let described = format!(
        "{:?} {:?} {:?} {} {}",
        texture.size(),
        texture.format(),
        texture.usage(),
        texture.mip_level_count(),
        texture.sample_count()
    );
    (described, *view.texture() == texture, error)
}

fn destroyed(gpu: &Gpu) -> Option<String> {
    let texture = texture(gpu, TextureFormat::R32Uint, Usages::COPY_DST);
    texture.destroy();
    let error = gpu.error(|| write(gpu, &texture, &COLORS));
    assert!(error.is_some());
    error
}

fn transitions(gpu: &Gpu) -> Vec<u32> {
    let texture = texture(gpu, TextureFormat::R32Uint, Usages::COPY_SRC | Usages::COPY_DST);
    write(gpu, &texture, &COLORS);
    let mut encoder = gpu.create_command_encoder(&Default::default());
    let transition = wgpu::TextureTransition {
        texture: &texture,
        selector: None,
        state: wgpu::TextureUses::COPY_SRC,
    };
    encoder.transition_resources(std::iter::empty(), [transition].into_iter());
    gpu.queue.submit([encoder.finish()]);
    read(gpu, &texture)
}

fn external(gpu: &Gpu) -> Vec<u32> {
    let texture =
        texture(gpu, TextureFormat::Rgba8Unorm, Usages::TEXTURE_BINDING | Usages::COPY_DST);
    write(gpu, &texture, &COLORS);
    let view = texture.create_view(&Default::default());
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let mut matrix = [0.0; 16];
    (0..4).for_each(|index| matrix[5 * index] = 1.0);
    let straight = wgpu::ExternalTextureTransferFunction { a: 1.0, b: 0.0, g: 1.0, k: 1.0 };
    let external = gpu.create_external_texture(
        &wgpu::ExternalTextureDescriptor {
            label: None,
            width: 4,
            height: 4,
            format: wgpu::ExternalTextureFormat::Rgba,
            yuv_conversion_matrix: matrix,
            gamut_conversion_matrix: identity,
            src_transfer_function: straight,
            dst_transfer_function: straight,
            sample_transform: [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            load_transform: [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        },
        &[&view],
    );
    let buffer = gpu.storage("texels", &[0; 16]);
    run(
        gpu,
        "@group(0) @binding(0) var image: texture_external;
         @group(0) @binding(1) var<storage, read_write> texels: array<u32>;
         @compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) id: vec3u) {
             texels[id.y * 4u + id.x] = pack4x8unorm(textureLoad(image, id.xy));
         }",
        &[wgpu::BindingResource::ExternalTexture(&external), buffer.as_entire_binding()],
    );
    external.destroy();
    gpu.read(&buffer)
}

fn arrays(gpu: &Gpu) -> Vec<u32> {
    let format = TextureFormat::R32Uint;
    let textures = [0, 1].map(|_| texture(gpu, format, Usages::TEXTURE_BINDING | Usages::COPY_DST));
    write(gpu, &textures[1], &COLORS);
    let views = textures.each_ref().map(|texture| texture.create_view(&Default::default()));
    let layout = gpu.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[
            wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Uint,
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                count: std::num::NonZero::new(2),
            },
            wgpu::BindGroupLayoutEntry {
                binding: 1,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: false },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            },
        ],
    });
    let pipelines = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = gpu.pipeline(
        "enable wgpu_binding_array;
         @group(0) @binding(0) var images: binding_array<texture_2d<u32>, 2>;
         @group(0) @binding(1) var<storage, read_write> texels: array<u32>;
         @compute @workgroup_size(4, 4) fn main(@builtin(local_invocation_id) id: vec3u) {
             texels[id.y * 4u + id.x] = textureLoad(images[1], id.xy, 0).x;
         }",
        Some(&pipelines),
        &[],
    );
    let buffer = gpu.storage("texels", &[0; 16]);
    let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureViewArray(&[&views[0], &views[1]]),
            },
            wgpu::BindGroupEntry { binding: 1, resource: buffer.as_entire_binding() },
        ],
    });
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    gpu.read(&buffer)
}
