//! Sets `cfg(vectors)` at `opt-level = 3`, which compiles the hot loops a second time for processors with
//! vector extensions.
//!
//! The second copy covers most of the engine and would double the build time of the tests.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(vectors)");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    if level == "3" {
        println!("cargo::rustc-cfg=vectors");
    }
}
