//! Tests of every kind of arm, in each language, annotated with the expected counts.
//!
//! A comment `//^ WHAT LABEL=COUNT …` annotates the line above: a kind of branch with its arms, `loop` with `zero`, `once`,
//! `many` and `boundary` (`-` where that is impossible), or `barrier` with `complete` and `divergent`.

use crate::support::{ProgramOutput, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

pub const IN_WGSL: &str = "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if (i < 3u) { out[i] = 1u; }
    //^ if true=3 false=5
    if (i == 7u) { out[i] = 2u; } else { out[i] = 3u; }
    //^ if true=1 false=7
    switch (i % 4u) {
    //^ switch case 0=2 case 1, 2=4 default=2
        case 0u: { out[i] += 1u; }
        case 1u, 2u: { out[i] += 2u; }
        default: {}
    }
    if (i > 1u && i < 6u) { out[i] += 4u; }
    //^ if true=4 false=4
    //^ and right operand=6 left operand only=2
    if (i == 0u || i > 9u) { out[i] += 8u; }
    //^ if true=1 false=7
    //^ or right operand=7 left operand only=1
    out[i] += select(16u, 32u, i < 2u);
    //^ select true=2 false=6
    for (var k = 0u; k < i; k++) { out[i] += k; }
    //^ loop zero=1 once=1 many=6 boundary=8
    var n = i;
    while (n > 4u) { n -= 1u; }
    //^ loop zero=5 once=1 many=2 boundary=8
    loop { n += 1u; if (n > 2u) { break; } }
    //^ loop zero=- once=6 many=2 boundary=-
    //^ if true=8 false=3
    loop { n += 1u; continuing { break if n > 5u; } }
    //^ loop zero=- once=4 many=4 boundary=8
    workgroupBarrier();
    //^ barrier complete=1 divergent=0
    if (i < 4u) { storageBarrier(); }
    //^ if true=4 false=4
    //^ barrier complete=0 divergent=1
}
";

const IN_RUST: &str = "\
#[hirace::monitor]
mod kernels {
    use hirace::prelude::*;

    #[kernel(workgroup_size(8))]
    fn main(#[builtin(local_invocation_index)] i: u32, out: &mut [u32]) {
        if i < 3 { out[i] = 1; }
        //^ if true=3 false=5
        if i == 7 { out[i] = 2; } else { out[i] = 3; }
        //^ if true=1 false=7
        match i % 4 {
        //^ switch case 0=2 case 1, 2=4 default=2
            0 => out[i] += 1,
            1 | 2 => out[i] += 2,
            _ => {}
        }
        if i > 1 && i < 6 { out[i] += 4; }
        //^ if true=4 false=4
        //^ and right operand=6 left operand only=2
        if i == 0 || i > 9 { out[i] += 8; }
        //^ if true=1 false=7
        //^ or right operand=7 left operand only=1
        out[i] += select(16, 32, i < 2);
        //^ select true=2 false=6
        for k in 0..i { out[i] += k; }
        //^ loop zero=1 once=1 many=6 boundary=8
        let mut n = i;
        while n > 4 { n -= 1; }
        //^ loop zero=5 once=1 many=2 boundary=8
        loop { n += 1; if n > 2 { break; } }
        //^ loop zero=- once=6 many=2 boundary=-
        //^ if true=8 false=3
        workgroup_barrier();
        //^ barrier complete=1 divergent=0
    }
}
";

#[cfg(feature = "spirv")]
const IN_GLSL: &str = "\
#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Out { uint data[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < 3u)
    //^ if true=3 false=5
        data[i] = 1u;
    switch (i % 4u) {
    //^ switch case 0=2 case 1, 2=4 default=2
        case 0u: data[i] += 1u; break;
        case 1u:
        case 2u: data[i] += 2u; break;
        default: break;
    }
    for (uint k = 0u; k < i; k++)
    //^ loop zero=1 once=1 many=6 boundary=8
        data[i] += k;
    barrier();
    //^ barrier complete=1 divergent=0
}
";

pub fn trials() -> Vec<Trial> {
    let all = [
        Trial::test("cover::arms::in_wgsl", || {
            check_annotations("arms.wgsl", IN_WGSL, "arms.wgsl", "out")
        }),
        Trial::test("cover::arms::in_rust", || {
            check_annotations("arms.rs", IN_RUST, "arms.rs", "out")
        }),
    ];
    all.into_iter().chain(in_spirv()).collect()
}

#[cfg(not(feature = "spirv"))]
fn in_spirv() -> Option<Trial> {
    None
}

#[cfg(feature = "spirv")]
fn in_spirv() -> Option<Trial> {
    let test = || check_annotations("arms.comp", IN_GLSL, "arms.spv", "Out");
    let name = "cover::arms::in_spirv_with_lines".to_owned();
    Some(crate::spirv::needing("glslangValidator", name, test))
}

/// Returns the annotations of a source, each with its line.
fn annotations(source: &str) -> BTreeSet<(u64, String)> {
    let (mut annotations, mut above) = (BTreeSet::new(), 0);
    for (number, line) in (1..).zip(source.lines()) {
        match line.trim().strip_prefix("//^ ") {
            Some(text) => drop(annotations.insert((above, text.to_owned()))),
            None => above = number,
        }
    }
    annotations
}

/// Returns the counts of a coverage report, in the form of annotations.
fn counts(file: &Value) -> BTreeSet<(u64, String)> {
    let all = |what: &str| file[what].as_array().cloned().unwrap_or_default();
    let line = |of: &Value| of["line"].as_u64().unwrap_or_default();
    let shown = |count: &Value| count.as_u64().map_or("-".to_owned(), |count| count.to_string());
    let mut counted = BTreeSet::new();
    for branch in all("branches") {
        let arms = branch["arms"].as_array().cloned().unwrap_or_default();
        let arms = arms.iter().map(|arm| {
            format!(" {}={}", arm["label"].as_str().unwrap_or_default(), shown(&arm["count"]))
        });
        let kind = branch["kind"].as_str().unwrap_or_default().to_owned();
        counted.insert((line(&branch), kind + &arms.collect::<String>()));
    }
    for of in all("loops") {
        let cases = ["zero", "once", "many", "boundary"];
        let cases = cases.map(|case| format!(" {case}={}", shown(&of[case])));
        counted.insert((line(&of), "loop".to_owned() + &cases.concat()));
    }
    for barrier in all("barriers") {
        let visits =
            ["complete", "divergent"].map(|case| format!(" {case}={}", shown(&barrier[case])));
        counted.insert((line(&barrier), "barrier".to_owned() + &visits.concat()));
    }
    counted
}

fn check_annotations(name: &str, source: &str, input: &str, buffer: &str) -> Result<(), Failed> {
    let folder = scratch("cover-arms").join(input);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), source)?;
    if name != input {
        let mut compile = std::process::Command::new("glslangValidator");
        compile.args(["-V", "-gVS", "-S", "comp", name, "-o", input]).current_dir(&folder);
        let compiled = compile.output()?;
        if !compiled.status.success() {
            return Err(String::from_utf8_lossy(&compiled.stdout).into_owned().into());
        }
    }
    let buffer = format!("{buffer}=zeros:8");
    let arguments = ["cover", input, "--workgroups", "1", "--buffer", &buffer, "--format", "json"];
    let ended: ProgramOutput =
        run(hirace(&arguments).current_dir(&folder), Duration::from_secs(60));
    let coverage: Value =
        serde_json::from_str(&ended.stdout).map_err(|error| format!("{error}: {ended:#?}"))?;
    let (annotations, counts) = (annotations(source), counts(&coverage["files"][0]));
    let lists = [annotations.difference(&counts), counts.difference(&annotations)];
    let [missing, unexpected] = lists.map(|list| list.collect::<Vec<_>>());
    match missing.is_empty() && unexpected.is_empty() {
        true => Ok(()),
        false => Err(format!("not counted: {missing:#?}\nnot annotated: {unexpected:#?}").into()),
    }
}
