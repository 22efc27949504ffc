//! Tests of the analysis of barriers that order nothing.

use super::*;
use crate::front::ParsedModule;

const HEAD: &str = "
    @group(0) @binding(0) var<storage, read> input: array<u32>;
    @group(0) @binding(1) var<storage, read_write> out: array<u32>;
    @group(0) @binding(2) var<storage, read_write> total: atomic<u32>;
    @group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
    struct Pair { first: atomic<u32>, second: atomic<u32> }
    var<workgroup> pair: Pair;
    var<workgroup> bins: array<atomic<u32>, 64>;
    var<workgroup> others: array<atomic<u32>, 64>;
    var<workgroup> tile: array<u32, 64>;
    fn sync() { storageBarrier(); }
    fn sync_all() { storageBarrier(); workgroupBarrier(); }
    fn clear(l: u32) { atomicStore(&bins[l], 0u); }
    fn count(i: u32) { atomicAdd(&bins[input[i] % 64u], 1u); }
    fn add_to(bin: ptr<workgroup, atomic<u32>>) { atomicAdd(bin, 1u); }
";

/// Returns the texts of each barrier that orders nothing and of the accesses before and after it.
fn found_in(parsed: &ParsedModule) -> Vec<[String; 3]> {
    let program = Program::new(parsed, &Default::default()).expect("it is valid");
    let found = ineffective_barriers(&program, 0).into_iter();
    let text = |site: SiteId| {
        let site = program.sites.get(site).expect("a site");
        program.source.snippet(site.span).to_owned()
    };
    found.map(|found| [found.barrier, found.accesses[0], found.accesses[1]].map(text)).collect()
}

fn found_with(size: u32, body: &str) -> Vec<[String; 3]> {
    let text = format!(
        "{HEAD} @compute @workgroup_size({size})
        fn main(
            @builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: vec3<u32>
        ) {{ {body} }}"
    );
    found_in(&crate::front::wgsl::parse("test.wgsl", &text).expect("it parses"))
}

fn found(body: &str) -> Vec<[String; 3]> {
    found_with(64, body)
}

/// Asserts that the only barrier that orders nothing has this text.
fn assert_found(body: &str, barrier: &str) {
    let found = found(body);
    assert!(matches!(&found[..], [[one, ..]] if one == barrier), "{body}\n{found:?}");
}

const CLEAR: &str = "atomicStore(&bins[l], 0u);";
const COUNT: &str = "atomicAdd(&bins[input[id.x] % 64u], 1u);";

#[test]
fn barriers_of_the_wrong_class_between_atomics_are_found() {
    let storage = "storageBarrier()";
    let first = found(&format!(
        "{CLEAR} storageBarrier(); {COUNT} workgroupBarrier(); out[id.x] = atomicLoad(&bins[l]);"
    ));
    assert_eq!(
        first,
        [[storage, "atomicStore(&bins[l], 0u)", "atomicAdd(&bins[input[id.x] % 64u], 1u)"]]
    );
    assert_found(&format!("{CLEAR} textureBarrier(); {COUNT}"), "textureBarrier()");
    // In a loop, the accesses are in different iterations.
    assert_found(
        "var sum = 0u; for (var i = 0u; i < 4u; i++) { sum += atomicExchange(&bins[(l + i) % 64u], l); storageBarrier(); } out[id.x] = sum;",
        storage,
    );
    // In helper functions.
    assert_found("clear(l); storageBarrier(); count(id.x);", storage);
    assert_found("clear(l); sync(); count(id.x);", storage);
    assert_found(&format!("{CLEAR} sync(); add_to(&bins[input[id.x] % 64u]);"), storage);
    // A barrier of the right class that is not on the way.
    assert_found(
        &format!("workgroupBarrier(); {CLEAR} storageBarrier(); {COUNT} workgroupBarrier();"),
        storage,
    );
    // Plain accesses of other variables need no barrier.
    assert_found(
        &format!("let x = input[id.x]; {CLEAR} storageBarrier(); {COUNT} out[id.x] = x;"),
        storage,
    );
    assert_found(
        &format!("if (l < 32u) {{ {CLEAR} }} storageBarrier(); if (input[l] > 3u) {{ {COUNT} }}"),
        storage,
    );
    // Atomics of storage memory.
    assert_found(
        "if (l == 0u) { atomicStore(&total, 0u); } workgroupBarrier(); atomicAdd(&total, 1u);",
        "workgroupBarrier()",
    );
    assert_found(
        "atomicMax(&counts[input[l] % 4u], l); workgroupBarrier(); out[id.x] = atomicLoad(&counts[l % 4u]);",
        "workgroupBarrier()",
    );
}

#[test]
fn barriers_that_order_accesses_or_need_not_are_not_found() {
    let clean = |body: &str| assert_eq!(found(body), Vec::<[String; 3]>::new(), "{body}");
    // The right barrier, alone or next to the other one.
    clean(&format!("{CLEAR} workgroupBarrier(); {COUNT}"));
    clean(&format!("{CLEAR} storageBarrier(); workgroupBarrier(); {COUNT}"));
    clean(&format!("{CLEAR} workgroupBarrier(); storageBarrier(); {COUNT}"));
    clean(&format!("{CLEAR} sync_all(); {COUNT}"));
    clean(&format!("{CLEAR} workgroupBarrier(); let x = input[l]; storageBarrier(); {COUNT}"));
    clean(&format!("{CLEAR} storageBarrier(); let x = workgroupUniformLoad(&tile[0]); {COUNT}"));
    // The barrier orders plain accesses, or other atomics, of its own class.
    clean(&format!("out[id.x] = l; {CLEAR} storageBarrier(); {COUNT} tile[l] = out[id.x ^ 1u];"));
    clean(&format!(
        "atomicAdd(&counts[l], 1u); {CLEAR} storageBarrier(); {COUNT} out[id.x] = atomicLoad(&counts[l ^ 1u]);"
    ));
    clean(
        "tile[l] = l; atomicStore(&total, 0u); workgroupBarrier(); atomicAdd(&total, tile[l ^ 1u]);",
    );
    // It orders an access of the next iteration.
    clean(&format!(
        "for (var i = 0u; i < 4u; i++) {{ tile[l] = out[id.x ^ i]; {CLEAR} storageBarrier(); {COUNT} workgroupBarrier(); out[id.x] = tile[l]; storageBarrier(); }}"
    ));
    // One of the calls of a helper function orders accesses.
    clean(&format!("out[id.x] = l; sync(); tile[l] = out[id.x ^ 1u]; {CLEAR} sync(); {COUNT}"));
    // There are no atomics of the other class on both sides, or of one variable.
    clean(&format!("storageBarrier(); {COUNT}"));
    clean(&format!("{CLEAR} storageBarrier();"));
    clean("atomicStore(&bins[l], 0u); storageBarrier(); atomicAdd(&others[input[l] % 64u], 1u);");
    clean("atomicAdd(&pair.first, 1u); storageBarrier(); out[id.x] = atomicAdd(&pair.second, 1u);");
    clean(&format!("tile[l] = l; storageBarrier(); {COUNT}"));
    // Each invocation accesses elements of its own, or a single one accesses anything.
    clean("atomicStore(&bins[l], 0u); storageBarrier(); atomicAdd(&bins[l], 1u);");
    clean(
        "if (l == 0u) { atomicStore(&bins[0], 0u); } storageBarrier(); if (l == 0u) { atomicAdd(&bins[0], 1u); }",
    );
    // The order has no effect.
    clean(&format!("{COUNT} storageBarrier(); {COUNT}"));
    clean(
        "out[id.x] = atomicLoad(&bins[l]); storageBarrier(); out[id.x] += atomicLoad(&bins[63u - l]);",
    );
    // A barrier of the right class is on one of the paths.
    clean(&format!(
        "{CLEAR} if (input[0] > 3u) {{ workgroupBarrier(); }} storageBarrier(); {COUNT}"
    ));
    clean(&format!(
        "{CLEAR} for (var i = 0u; i < input[0]; i++) {{ workgroupBarrier(); }} storageBarrier(); {COUNT}"
    ));
    // The workgroup has one invocation.
    assert!(found_with(1, &format!("{CLEAR} storageBarrier(); {COUNT}")).is_empty());
}
