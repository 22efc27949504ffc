//! Tests values, memory layouts and atomics.

use super::{Kernel, expect, options, out};
use crate::vm::run::Options;

#[test]
fn vectors_and_matrices() {
    let body = "
        let v = vec3f(f32(l), 1.0, 2.0);
        let m = mat3x2f(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        let w = m * v;
        let r = vec2f(1.0, 10.0) * m;
        out[l] = u32(w.x + 100.0 * w.y + dot(v.zyx, v.xxx) * 0.0 + r.z + v[l % 3u]);";
    let want = |l: u32| {
        let v = [l, 1, 2];
        let w = [l + 3 + 10, 2 * l + 4 + 12];
        w[0] + 100 * w[1] + 65 + v[l as usize % 3]
    };
    assert_eq!(out("", body), expect(want));
}

#[test]
fn function_memory_is_indexed_by_each_invocation_for_itself() {
    let globals = "
        struct Item { key: u32, at: array<vec2u, 3> }
        fn bump(p: ptr<function, u32>, by: u32) { *p += by; }";
    let body = "
        var items: array<Item, 4>;
        for (var i = 0u; i < 4u; i++) {
            items[i].key = i * 10u;
            items[i].at[(i + l) % 3u][l % 2u] = i + l;
        }
        bump(&items[l % 4u].key, 7u);
        bump(&items[3].key, 1u);
        let copy = items;
        items[0].key = 999u;
        out[l] = copy[l % 4u].key * 1000u + copy[2].at[(2u + l) % 3u][l % 2u] + copy[0].key;";
    let want = |l: u32| {
        let mut keys = [0, 10, 20, 30];
        keys[l as usize % 4] += 7;
        keys[3] += 1;
        keys[l as usize % 4] * 1000 + 2 + l + keys[0]
    };
    assert_eq!(out(globals, body), expect(want));
}

#[test]
fn private_variables_have_initial_values_in_every_workgroup() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        const table = array(5u, 6u, 7u, 8u);
        var<private> p: array<u32, 4> = table;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
            p[id.x % 4u] += id.x;
            out[id.x] = p[id.x % 4u] + table[id.x % 4u];
        }";
    let kernel = Kernel::new(text).zeros("out", 16);
    kernel.run(&Options { workgroups: [4, 1, 1], ..options() });
    let want: Vec<u32> = (0..16).map(|i| 2 * (5 + i % 4) + i).collect();
    assert_eq!(kernel.result("out"), want);
}

#[test]
fn structs_in_memory_have_padding() {
    let text = "
        struct Inner { a: vec3f, b: f32 }
        struct Outer { first: u32, m: mat3x3f, inner: array<Inner, 2>, last: vec2u }
        @group(0) @binding(0) var<storage, read> source: Outer;
        @group(0) @binding(1) var<storage, read_write> to: Outer;
        @group(0) @binding(2) var<storage, read_write> picked: array<f32>;
        @compute @workgroup_size(1) fn main() {
            to = source;
            picked[0] = source.m[1][2];
            picked[1] = source.inner[1].b;
            picked[2] = f32(source.last.y);
            picked[3] = (source.m * vec3f(1.0, 0.0, 0.0)).y;
        }";
    let mut words = [0u32; 32];
    words[0] = 42;
    for column in 0..3 {
        for row in 0..3 {
            words[4 + column * 4 + row] = ((column * 10 + row) as f32).to_bits();
        }
    }
    for (index, word) in (16..24).zip(100..) {
        words[index] = (word as f32).to_bits();
    }
    (words[24], words[25]) = (7, 8);
    let words = &words[..28];
    let kernel = Kernel::new(text).words("source", words).zeros("to", 28).zeros("picked", 4);
    kernel.run(&options());
    assert_eq!(kernel.result("to"), words);
    let picked: Vec<f32> = kernel.result("picked").into_iter().map(f32::from_bits).collect();
    assert_eq!(picked, [12.0, 107.0, 8.0, 1.0]);
}

#[test]
fn builtins() {
    let text = "
        struct In { @builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u }
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(2, 3, 2)
        fn main(in: In, @builtin(global_invocation_id) id: vec3u,
                @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
            let size = count * vec3u(2u, 3u, 2u);
            let at = id.x + id.y * size.x + id.z * size.x * size.y;
            let rebuilt = in.group * vec3u(2u, 3u, 2u) + in.local;
            out[at] = 1u + l + 100u * u32(all(rebuilt == id));
        }";
    let kernel = Kernel::new(text).zeros("out", 12 * 2 * 2 * 3);
    kernel.run(&Options { workgroups: [2, 2, 3], subgroup_size: 8, ..options() });
    let mut want = Vec::new();
    for z in 0..6 {
        for y in 0..6 {
            for x in 0..4 {
                want.push(101 + x % 2 + y % 3 * 2 + z % 2 * 6);
            }
        }
    }
    assert_eq!(kernel.result("out"), want);
}

#[test]
fn atomics_of_every_kind() {
    let globals = "
        var<workgroup> w: array<atomic<i32>, 4>;
        @group(0) @binding(1) var<storage, read_write> s: array<atomic<u32>, 8>;";
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32, 64>;
        {globals}
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{
            atomicAdd(&s[0], l);
            atomicSub(&s[1], 1u);
            atomicMax(&s[2], l);
            atomicMin(&s[3], l);
            atomicOr(&s[4], 1u << (l % 32u));
            atomicAnd(&s[5], ~(1u << (l % 8u)));
            atomicXor(&s[6], l);
            let r = atomicCompareExchangeWeak(&s[7], l, l + 1u);
            atomicMin(&w[0], -i32(l));
            atomicMax(&w[1], i32(l) - 100);
            workgroupBarrier();
            out[l] = u32(r.exchanged) + r.old_value * 2u;
            if (l == 63u) {{ out[63] = u32(-atomicLoad(&w[0])) + u32(atomicExchange(&w[1], 5)); }}
        }}"
    );
    let mut s = [0, 100, 0, 500, 0, 0xffff, 0, 0];
    let kernel = Kernel::new(&text).zeros("out", 64).words("s", &s);
    let run = kernel.run(&options());
    assert_eq!(run.out_of_bounds, []);
    s = [2016, 36, 63, 0, u32::MAX, 0xff00, (0..64).fold(0, |a, b| a ^ b), 64];
    assert_eq!(kernel.result("s"), s);
    let mut want = expect(|l| 1 + 2 * l);
    want[63] = 63;
    assert_eq!(kernel.result("out"), want);
}

#[test]
fn wide_and_narrow_scalars() {
    let text = "
        enable f16;
        struct S { h: f16, v: vec3<f16>, n: u32 }
        @group(0) @binding(0) var<storage, read_write> s: array<S, 2>;
        @group(0) @binding(1) var<storage, read_write> wide: array<i64, 2>;
        @group(0) @binding(2) var<storage, read_write> double: array<f64, 2>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) l: u32) {
            s[l].h = s[l].h + 1.5h;
            s[l].v.y = f16(l) + 0.25h;
            s[l].n = u32(s[l].h * 2.0h);
            wide[l] = wide[l] * 3li - i64(l);
            double[l] = double[l] / 3.0lf + f64(l);
        }";
    let three = 3.0f64.to_bits();
    let doubles = [three as u32, (three >> 32) as u32, 0, 0];
    let kernel = Kernel::new(text)
        .words("s", &[0x4000, 0, 0x7777_0000, 0, 0, 0, 0, 0])
        .words("wide", &[0x8000_0000, 1, 5, 0])
        .words("double", &doubles);
    kernel.run(&Options { subgroup_size: 1, ..options() });
    // 2.0 + 1.5 = 3.5 is 0x4300; 0.25 is 0x3400; the adjacent bytes do not change.
    let s = kernel.result("s");
    assert_eq!(s[0], 0x4300);
    assert_eq!(s[2], 0x3400_0000);
    let wide: Vec<i64> = kernel
        .result("wide")
        .chunks(2)
        .map(|pair| (u64::from(pair[0]) | u64::from(pair[1]) << 32) as i64)
        .collect();
    assert_eq!(wide, [0x1_8000_0000 * 3, 14]);
    let one = 1.0f64.to_bits();
    assert_eq!(kernel.result("double"), [one as u32, (one >> 32) as u32].repeat(2));
}

#[test]
fn workgroup_booleans_keep_to_their_byte() {
    let globals = "var<workgroup> flags: array<bool, 64>;";
    let body = "
        flags[l] = l % 3u == 0u;
        workgroupBarrier();
        out[l] = u32(flags[63u - l]);";
    assert_eq!(out(globals, body), expect(|l| u32::from((63 - l) % 3 == 0)));
}

#[test]
fn a_uniform_is_read_by_all() {
    let text = "
        struct Params { scale: u32, shift: vec4u }
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<uniform> params: Params;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            out[id.x] = id.x * params.scale + params.shift[id.x % 4u];
        }";
    let kernel = Kernel::new(text).zeros("out", 128).words("params", &[3, 0, 0, 0, 10, 20, 30, 40]);
    kernel.run(&Options { workgroups: [2, 1, 1], parallel: true, ..options() });
    let want: Vec<u32> = (0..128).map(|i| i * 3 + 10 * (i % 4 + 1)).collect();
    assert_eq!(kernel.result("out"), want);
}

#[test]
fn subgroup_operations_are_among_active_lanes() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(16)
        fn main(@builtin(local_invocation_index) l: u32,
                @builtin(subgroup_invocation_id) lane: u32) {
            if (l % 2u == 1u) {
                let sum = subgroupAdd(l);
                let ballot = subgroupBallot(l > 4u);
                let before = subgroupExclusiveAdd(1u);
                let other = subgroupShuffleXor(l, 2u);
                out[l] = sum + ballot.x * 100u + before * 1000000u + other * 10000000u;
            } else {
                out[l] = subgroupBroadcastFirst(l + 7u) + lane;
            }
        }";
    let kernel = Kernel::new(text).zeros("out", 16);
    kernel.run(&Options { subgroup_size: 8, ..options() });
    let want = |l: u32| {
        let first = l / 8 * 8;
        if l.is_multiple_of(2) {
            return first + 7 + l % 8;
        }
        let active = (first..first + 8).filter(|other| other % 2 == 1);
        let sum: u32 = active.clone().sum();
        let ballot: u32 = active.filter(|o| *o > 4).map(|o| 1 << (o - first)).sum();
        sum + ballot * 100 + l % 8 / 2 * 1_000_000 + (l ^ 2) * 10_000_000
    };
    assert_eq!(kernel.result("out"), (0..16).map(want).collect::<Vec<_>>());
}

#[test]
fn division_by_constants_of_every_kind() {
    let body = "
        let v = vec2u(l * 1000003u, l) / vec2u(8u) + vec2u(l * 7u) % 16u;
        let w = vec2u(l * 999u) % vec2u(4u, 8u);
        let i = (i32(l) - 32) / 4 + (i32(l) - 32) % 8;
        out[l] = v.x + v.y + w.x * 3u + w.y * 5u + (l * 77u) / 1u + (l * 77u) % 1u + l / 10u
            + u32(i + 1000);";
    let want = |l: u32| {
        let i = (l as i32 - 32) / 4 + (l as i32 - 32) % 8;
        let v = l * 1_000_003 / 8 + l / 8 + 2 * (l * 7 % 16);
        v + l * 999 % 4 * 3 + l * 999 % 8 * 5 + l * 77 + l / 10 + (i + 1000) as u32
    };
    assert_eq!(out("", body), expect(want));
}
