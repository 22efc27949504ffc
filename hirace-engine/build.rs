//! Has loops compiled for processors with vectors too (`cfg(vectors)`), unless compiling is to take little time: that makes a
//! second copy of most of the engine, which without much optimisation is hardly faster.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(vectors)");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    if level == "3" {
        println!("cargo::rustc-cfg=vectors");
    }
}
