//! Has loops compiled for processors with vectors too (`cfg(vectors)`) at `opt-level = 3`. They are a second copy of most of the engine,
//! which would double the time that the tests' build takes for it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(vectors)");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    if level == "3" {
        println!("cargo::rustc-cfg=vectors");
    }
}
