//! Tests of `hirace contract`.

use crate::schema;
use crate::support::{ProgramOutput, hirace, root, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// Racy kernels whose fault is an index that longer arrays avoid, or a loop without an end, which no contract is about.
const AVOIDABLE: &[&str] =
    &["array_length.racy.wgsl", "out_of_bounds.racy.wgsl", "unbounded_loop.racy.wgsl"];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("contract::no_racy_kernel_is_proved_and_no_clean_one_accused", rules),
        Trial::test("contract::exit_statuses_follow_from_the_verdict", statuses),
        Trial::test("contract::what_cannot_be_read_is_in_the_document", unread),
        Trial::test("contract::values_that_were_not_given_are_printed", assumed),
    ]
}

fn contract(arguments: &[&str]) -> ProgramOutput {
    run(&mut hirace(&[&["contract"], arguments].concat()), LIMIT)
}

fn document(output: &ProgramOutput) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&output.stdout)?)
}

fn rules() -> Result<(), Failed> {
    let folder = root().join("kernels/rules");
    let output = contract(&[&folder.to_string_lossy(), "--format", "json", "--no-timing"]);
    let document = document(&output)?;
    schema::is_of_schema("hirace.contract-1", &document)?;
    let entries = document["entries"].as_array().ok_or("no entries")?;
    let (mut proved, mut clean) = (0, 0);
    for entry in entries {
        let file = entry["file"].as_str().unwrap_or_default();
        let is_proved = matches!(entry["verdict"].as_str(), Some("proved" | "proved-if"));
        if file.contains(".clean.") {
            clean += 1;
            proved += usize::from(is_proved);
            assert_ne!(entry["verdict"], "findings", "{entry}");
        } else {
            let is_avoidable = AVOIDABLE.iter().any(|name| file.ends_with(name));
            assert_eq!(is_proved, is_avoidable, "{entry}");
        }
    }
    // The rest has indices that are data, orders workgroups by atomics, or is too complex.
    assert!(proved * 5 >= clean * 4, "{proved} of {clean} clean kernels are proved");
    Ok(())
}

fn statuses() -> Result<(), Failed> {
    let folder = scratch("contract_statuses");
    let kernel = |name: &str, declaration: &str, body: &str| -> Result<String, Failed> {
        let path = folder.join(name);
        let head = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n";
        let main = "@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3<u32>, \
                    @builtin(local_invocation_index) l: u32)";
        std::fs::write(&path, format!("{head}{declaration}\n{main} {{ {body} }}\n"))?;
        Ok(path.to_string_lossy().into_owned())
    };
    let tile = "var<workgroup> tile: array<u32, 64>;";
    let cases = [
        (kernel("proved_if.wgsl", "", "out[id.x] = l;")?, 0),
        (kernel("race.wgsl", tile, "tile[l / 2u] = l;")?, 1),
        (kernel("invalid.wgsl", "", "out[id.x] = missing;")?, 2),
        (kernel("data.wgsl", "", "out[out[id.x]] = l;")?, 4),
    ];
    for (path, status) in cases {
        let output = contract(&[&path]);
        assert_eq!(output.status, Some(status), "{path}: {}{}", output.stdout, output.stderr);
    }
    Ok(())
}

fn unread() -> Result<(), Failed> {
    let folder = scratch("contract_unread");
    std::fs::write(
        folder.join("good.wgsl"),
        "@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
         @compute @workgroup_size(1) fn main() { atomicAdd(&n, 1u); }",
    )?;
    std::fs::write(folder.join("bad.wgsl"), "@compute fn main( {")?;
    let output = contract(&[&folder.to_string_lossy(), "--format", "json"]);
    let document = document(&output)?;
    assert_eq!(output.status, Some(2));
    assert_eq!(document["verdict"], "inconclusive");
    assert_eq!(document["entries"][0]["verdict"], "proved");
    assert_eq!(document["errors"].as_array().map(Vec::len), Some(1));
    Ok(())
}

fn assumed() -> Result<(), Failed> {
    let folder = scratch("contract_assumed");
    let path = folder.join("kernel.wgsl");
    std::fs::write(
        &path,
        "override size: u32;
         @group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if (id.x < size) { out[id.x] = id.y; }
         }",
    )?;
    let path = path.to_string_lossy();
    let report = document(&contract(&[&path, "--format", "json"]))?;
    let assumed = &report["entries"][0]["assumed"];
    assert_eq!(assumed[0]["name"], "size");
    let report = document(&contract(&[&path, "--format", "json", "--override", "size=77"]))?;
    let entry = &report["entries"][0];
    assert!(entry["assumed"].is_null(), "{entry}");
    assert_eq!(entry["contract"]["conditions"][0]["condition"], "arrayLength(&out) >= 77");
    let unknown = contract(&[&path, "--entry", "mian"]);
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.stderr.contains("did you mean `main`?"), "{}", unknown.stderr);
    Ok(())
}
