use hirace::pipeline::{Gpu, Result};

fn main() -> Result<()> {
    let values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    println!(
        "{:?}",
        kernel_in_ten_lines::block_sums(&Gpu::open()?, &values)?
    );
    Ok(())
}
