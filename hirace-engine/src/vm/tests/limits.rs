//! Tests what the executor rejects, with its messages.

use super::Kernel;
use crate::vm::lower::lower;

fn refusal(text: &str) -> String {
    lower(&Kernel::new(text).program, 0).unwrap_err().message
}

#[test]
fn too_large_workgroups() {
    let text = "@compute @workgroup_size(1024, 1024, 64) fn main() {}";
    assert_eq!(refusal(text), "`main` has workgroups of 67108864 invocations");
}

#[test]
fn too_much_memory() {
    let text = "
        var<workgroup> w: array<u32, 100000000>;
        @compute @workgroup_size(1) fn main() { w[0] = 1u; }";
    assert_eq!(
        refusal(text),
        "`main` has more workgroup memory than the embedded executor supports"
    );
    let text = "@compute @workgroup_size(1) fn main() { var a: array<u32, 1000000>; a[0] = 1u; }";
    assert!(refusal(text).contains("size is not supported"), "{}", refusal(text));
}

#[test]
fn other_stages() {
    let text = "@fragment fn shade() {} @compute @workgroup_size(1) fn main() {}";
    assert_eq!(refusal(text), "`shade` is not a compute entry point");
}
