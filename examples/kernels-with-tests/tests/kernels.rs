//! Each test runs a kernel on hirace's own executor, with every access watched: no device is needed.

use hirace::{Launch, Result, Verdict, check};
use kernels_with_tests::{block_sum, histogram};

#[test]
fn sums_are_right_and_free_of_races() -> Result<()> {
    let input: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let launch = Launch::new()
        .workgroups(4)
        .buffer("input", &input)
        .zeros("output", 4);
    let checked = check(&block_sum::kernel(), launch)?;
    checked.assert_clean();

    let expected: Vec<f32> = input.chunks(64).map(|block| block.iter().sum()).collect();
    assert_eq!(checked.buffer::<Vec<f32>>("output")?, expected);
    Ok(())
}

#[test]
fn sums_do_not_hang_on_the_order_of_things() -> Result<()> {
    let input = [1.0f32; 128];
    let launch = || {
        Launch::new()
            .workgroups(2)
            .buffer("input", &input)
            .zeros("output", 2)
    };
    // Ten orders of workgroups and subgroups, and narrow subgroups.
    check(&block_sum::kernel(), launch().schedules(10))?.assert_clean();
    check(&block_sum::kernel(), launch().subgroup_size(8))?.assert_clean();
    Ok(())
}

#[test]
fn the_brightness_that_occurs_most_often_is_found() -> Result<()> {
    let (width, height) = (20, 10);
    let brightness = |i: u32| {
        if i % 3 == 0 {
            0.7
        } else {
            i as f32 / (width * height) as f32
        }
    };
    let texels: Vec<f32> = (0..width * height).map(brightness).collect();
    let launch = Launch::new()
        .texture("image", [width, height], &texels)
        .zeros("bins", histogram::BINS as usize)
        .buffer("brightest", &0u32)
        .dispatch("count", [width.div_ceil(8), height.div_ceil(8)])
        .dispatch("most", 1);
    let checked = check(&histogram::count::kernel(), launch)?;
    checked.assert_clean();

    let bins: Vec<u32> = checked.buffer("bins")?;
    assert_eq!(bins.iter().sum::<u32>(), width * height);
    assert_eq!(
        checked.buffer::<u32>("brightest")?,
        (0.7 * histogram::BINS as f32) as u32
    );
    Ok(())
}

/// Lacks a barrier: an invocation may read an element before another has written it.
#[hirace::monitor(workgroup_size(64))]
fn neighbors(
    #[builtin(local_invocation_index)] lane: u32,
    input: &[f32],
    output: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    tile[lane] = input[lane];
    output[lane] = tile[lane] + tile[(lane + 1) % 64];
}

#[test]
fn a_missing_barrier_is_found() -> Result<()> {
    let launch = Launch::new()
        .workgroups(1)
        .buffer("input", &[1.0f32; 64])
        .zeros("output", 64);
    let checked = check(&neighbors::kernel(), launch)?;
    assert_eq!(checked.verdict(), Verdict::Findings);
    let race = checked.findings().next().expect("a finding");
    assert_eq!(
        race.memory.as_ref().map(|memory| &*memory.variable),
        Some("tile")
    );
    // This is the report with which `assert_clean` panics. `cargo test -- --nocapture` shows it.
    println!("{checked}");
    Ok(())
}
