//! Compares the kernel on a device with the results of hirace.

use hirace::{Launch, check};
use kernel_on_wgpu::{Gpu, smooth};

/// Returns the result of a device, after checking that hirace computes the same, without findings.
fn smoothed(heights: &[f32], least: f32, reach: u32) -> Vec<f32> {
    let kernel = smooth::kernel();
    let workgroups = heights.len().div_ceil(64) as u32;
    let launch = Launch::new()
        .workgroups(workgroups)
        .buffer("least", &least)
        .buffer("reach", &reach);
    let launch = launch
        .buffer("heights", heights)
        .zeros("smoothed", heights.len());
    let checked = check(&kernel, launch).expect("the kernel can be launched");
    checked.assert_clean();
    let here: Vec<f32> = checked.buffer("smoothed").expect("the buffer exists");
    if let Some(gpu) = Gpu::first() {
        let zeros = vec![0.0f32; heights.len()];
        let buffers = [
            ("least", bytemuck::bytes_of(&least)),
            ("reach", bytemuck::bytes_of(&reach)),
            ("heights", bytemuck::cast_slice(heights)),
            ("smoothed", bytemuck::cast_slice(&zeros)),
        ];
        let there = gpu.run(&kernel, &buffers, workgroups);
        let there: &[f32] = bytemuck::cast_slice(&there);
        for (here, there) in here.iter().zip(there) {
            assert!(
                (here - there).abs() <= 1e-5 * here.abs(),
                "{here} here, {there} on the device"
            );
        }
    }
    here
}

#[test]
fn a_level_row_stays_level() {
    assert_eq!(smoothed(&[3.0; 128], 1.0, 2), [3.0; 128]);
}

#[test]
fn a_peak_is_spread() {
    let mut heights = [0.0; 64];
    heights[10] = 9.0;
    assert_eq!(smoothed(&heights, 0.0, 1)[8..13], [0.0, 3.0, 3.0, 3.0, 0.0]);
}

#[test]
fn what_is_low_stays() {
    assert_eq!(
        smoothed(&[1.0, 5.0, 1.0, 5.0], 2.0, 1),
        [1.0, 7.0 / 3.0, 1.0, 3.0]
    );
}

// A constant row hides a wrong choice between tile and row, so mutants of that choice would survive.
#[test]
fn neighbors_may_be_of_another_workgroup() {
    let heights: Vec<f32> = (0..150).map(|i| (i * i % 97) as f32).collect();
    let smoothed = smoothed(&heights, 0.0, 3);
    for (i, smoothed) in smoothed.iter().enumerate() {
        let around = &heights[i.saturating_sub(3)..(i + 4).min(150)];
        let mean = around.iter().sum::<f32>() / around.len() as f32;
        assert!(
            (smoothed - mean).abs() < 1e-4,
            "{smoothed} at {i}, not {mean}"
        );
    }
}
