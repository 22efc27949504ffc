//! Tests the kernel on hirace's executor and on a device: both compute what plain Rust computes.

use hirace::pipeline::{DeviceError, Error, Gpu};
use hirace::{Launch, check};
use kernel_in_ten_lines::{block_sum, block_sums};

fn plain(values: &[f32]) -> Vec<f32> {
    values.chunks(64).map(|block| block.iter().sum()).collect()
}

#[test]
fn sums_are_right_and_free_of_races() -> hirace::Result<()> {
    let values: Vec<f32> = (0..200).map(|i| i as f32).collect();
    let launch = Launch::new()
        .workgroups(4)
        .buffer("input", &values)
        .zeros("output", 4);
    let checked = check(&block_sum::kernel(), launch)?;
    assert_eq!(
        checked.assert_clean().buffer::<Vec<f32>>("output")?,
        plain(&values)
    );
    Ok(())
}

// Without a device, nothing is compared.
#[test]
fn a_device_computes_the_same() {
    let gpu = match Gpu::open() {
        Err(Error::Device(DeviceError::NoAdapter)) => {
            eprintln!("no device was found: nothing was compared");
            return;
        }
        gpu => gpu.expect("the device can be opened"),
    };
    for length in [1, 64, 65, 1000] {
        let values: Vec<f32> = (0..length).map(|i| i as f32).collect();
        let sums = block_sums(&gpu, &values).expect("the kernel runs");
        assert_eq!(sums, plain(&values));
    }
}
