//! An unfinished kernel. rustc reports what is missing, and the other kernel is kept.

#[hirace::monitor(workgroup_size(64))]
fn half(#[builtin(local_invocation_index)] lane: u32, data: &mut [f32]) {
    data[lane] = sqrt(data[lane]) +
}

#[hirace::monitor(workgroup_size(64))]
fn good(#[builtin(local_invocation_index)] lane: u32, data: &mut [f32]) {
    data[lane] = 1.0;
}

fn main() {
    let _ = [half::kernel(), good::kernel()];
}
