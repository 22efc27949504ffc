//! vello: a renderer of vector graphics with about twenty compute shaders, which are made from templates.

use crate::gpu::Gpu;
use crate::plant::Plant;
use crate::run::{Make, Outcome, timed};
use std::sync::atomic::AtomicBool;
use vello::kurbo::{Affine, BezPath, Circle, Rect, Stroke};
use vello::peniko::{Color, Fill, Gradient, Mix};
use vello::{AaConfig, AaSupport, RenderParams, Renderer, RendererOptions, Scene};

pub static NO_BARRIER: Plant = Plant {
    what: "in the scan of path tags, the barrier between loading and storing partial sums is left out",
    shader: "vello.pathtag_scan_small",
    changes: &[(
        "        workgroupBarrier();\n        sh_monoid[local_id.x] = agg_part;\n",
        "        sh_monoid[local_id.x] = agg_part;\n",
    )],
    done: AtomicBool::new(false),
};

const SIDE: u32 = 128;

pub fn run(make: Make<'_>, plant: Option<&'static Plant>) -> Outcome {
    let planting = |descriptor| match plant {
        Some(plant) => plant.around(make(descriptor)),
        None => make(descriptor),
    };
    timed(|| {
        let gpu = Gpu::open(&planting, &wgpu::DeviceDescriptor::default());
        let options = RendererOptions {
            antialiasing_support: AaSupport { area: true, msaa8: false, msaa16: true },
            ..Default::default()
        };
        let mut renderer = Renderer::new(&gpu.device, options).expect("a renderer");
        let target = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("target"),
            size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        let scene = scene();
        (gpu.name(), move || {
            let mut image = |antialiasing_method| {
                let params = RenderParams {
                    base_color: Color::BLACK,
                    width: SIDE,
                    height: SIDE,
                    antialiasing_method,
                };
                let (device, queue) = (&gpu.device, &gpu.queue);
                let done = renderer.render_to_texture(device, queue, &scene, &view, &params);
                done.expect("it renders");
                gpu.read_texture(&target)
            };
            [image(AaConfig::Area), image(AaConfig::Msaa16)].concat()
        })
    })
}

/// Returns a scene with fills, strokes, a gradient, a clip, a blend and many small paths.
fn scene() -> Scene {
    let mut scene = Scene::new();
    let at = Affine::IDENTITY;
    let color = |i: u8| Color::from_rgba8(i.wrapping_mul(37), 255 - i, i.wrapping_mul(91), 200);
    let gradient = Gradient::new_linear((0.0, 0.0), (128.0, 128.0))
        .with_stops([Color::from_rgb8(20, 40, 160), Color::from_rgb8(240, 200, 60)]);
    scene.fill(Fill::NonZero, at, &gradient, None, &Rect::new(8.0, 8.0, 120.0, 120.0));
    scene.push_layer(Fill::NonZero, Mix::Multiply, 0.8, at, &Circle::new((64.0, 64.0), 50.0));
    for i in 0..40u8 {
        let (x, y) = (f64::from(i % 8) * 16.0, f64::from(i / 8) * 24.0);
        scene.fill(Fill::EvenOdd, at, color(i), None, &Circle::new((x, y), 9.0));
    }
    scene.pop_layer();
    let mut path = BezPath::new();
    path.move_to((10.0, 100.0));
    path.curve_to((40.0, -20.0), (80.0, 180.0), (118.0, 20.0));
    scene.stroke(&Stroke::new(5.0), at, color(200), None, &path);
    scene
}
