//! Compares mutants of random kernels that are called equivalent with their originals.

use super::{judged, launched};
use crate::mutate::judge::TestOutcome;
use crate::mutate::results::Status;
use crate::mutate::source::Source;
use hirace_core::random::Random;
use hirace_testing::{sample_size, seeds};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The number of kernels that the quick tier and the full tier compare.
const SAMPLE: [u64; 2] = [20, 2_000];

/// Returns one of these texts.
fn one_of<'a>(random: &mut Random, texts: &[&'a str]) -> &'a str {
    texts[random.below(texts.len())]
}

/// Returns the text of a loop whose number of iterations is mostly constant. `k` is its counter.
fn loop_head(random: &mut Random) -> String {
    let bound = random.below(9_u32);
    match random.below(6_u32) {
        0 => format!("for (var k = 0u; k < {bound}u; k++)"),
        1 => format!("for (var k = 1u; k <= {bound}u; k += 1u)"),
        2 => format!("for (var k = {bound}u; k > 0u; k--)"),
        3 => format!("for (var k = 1u; k < {}u; k *= 2u)", 1 << bound.min(5)),
        4 => format!("for (var k = {}u; k > 0u; k >>= 1u)", 1 << bound.min(4)),
        _ => "for (var k = 0u; k < n % 4u; k++)".to_owned(),
    }
}

/// Returns the condition of an `if` in a loop.
fn condition(random: &mut Random) -> &'static str {
    one_of(
        random,
        &[
            "lane < (8u >> k)",
            "lane < k",
            "lane < 16u",
            "k < 4u",
            "(lane & k) == 0u",
            "n > 3u",
            "lane / 16u > 0u",
        ],
    )
}

/// Writes a statement that all invocations execute.
fn statement(random: &mut Random, text: &mut String) {
    let own = one_of(random, &["n += lane;", "n = n * 1u + 0u;", "m = n;", "n = max(n, m);"]);
    let step = one_of(random, &["n += k;", "m = n + k;", "tile[lane] += k;", "n ^= data[lane];"]);
    match random.below(9_u32) {
        0 => text.push_str("tile[lane] = n;\n"),
        1 => text.push_str("workgroupBarrier();\n"),
        2 => text.push_str("workgroupBarrier(); n += tile[15u - lane]; workgroupBarrier();\n"),
        3 => text.push_str("storageBarrier();\n"),
        4 => text.push_str("out[lane] = n + m;\n"),
        5 => {
            let (head, condition) = (loop_head(random), condition(random));
            let exit =
                one_of(random, &["", "", "if k == 3u { continue; }", "if n == 5u { break; }"]);
            writeln!(text, "{head} {{ {exit} if {condition} {{ {step} }} }}").unwrap();
        }
        6 => {
            let (head, condition) = (loop_head(random).replace("n % 4u", "2u"), condition(random));
            let tile =
                "let other = tile[(lane + k) % 16u]; workgroupBarrier(); tile[lane] += other;";
            let tile = one_of(random, &[tile, "tile[lane] += k;", "n += tile[lane ^ 1u];"]);
            let step = match tile.contains("Barrier") {
                true => tile.to_owned(),
                false => format!("if {condition} {{ {tile} }}"),
            };
            writeln!(text, "{head} {{ workgroupBarrier(); {step} }}\nworkgroupBarrier();").unwrap();
        }
        7 => {
            let other = one_of(random, &["m = 2u;", "m = n;", "n = 1u;"]);
            writeln!(text, "if n % 2u == 0u {{ {own} }} else {{ {other} }}").unwrap();
        }
        _ => writeln!(text, "{own}").unwrap(),
    }
}

fn kernel(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut body = String::new();
    for _ in 0..2 + random.below(5_u32) {
        statement(&mut random, &mut body);
    }
    format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 16>;
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) lane: u32) {{
var n = data[lane];
var m = 0u;
{body}
data[lane] = n + m + tile[lane];
}}
"
    )
}

#[test]
fn equivalent_mutants_of_random_kernels_do_what_their_originals_do() {
    let mut reasons = BTreeMap::<String, u64>::new();
    for seed in seeds(SAMPLE[0], SAMPLE[1]) {
        let text = kernel(seed);
        let source = Source::new("kernel.wgsl", &text).unwrap();
        let mutants = source.mutants().unwrap();
        let equivalent = mutants.iter().filter(|of| of.mutant.status == Some(Status::Equivalent));
        let equivalent: Vec<_> = equivalent.collect();
        for memory in ["data=random:16 out=zeros:16", "data=iota:16 out=fill:16:3"] {
            let outcomes = judged(&source, launched([1, 1, 1], memory), &equivalent);
            for (mutant, outcome) in equivalent.iter().zip(outcomes) {
                let made = source.with(mutant);
                let reason = mutant.mutant.reason.clone().unwrap_or_default();
                assert_eq!(outcome, TestOutcome::Passed, "{seed}: {reason}\n{text}\n{made}");
                *reasons.entry(reason).or_default() += 1;
            }
        }
    }
    let least = sample_size(SAMPLE[0], SAMPLE[1]) / 2;
    assert!(reasons.len() >= 2 && reasons.values().sum::<u64>() >= least, "{reasons:?}");
}
