//! Tests of guesses: for each kind of guess a correct kernel, for which no combination of given and guessed values may
//! give a certain finding, and a wrong twin, for which every combination gives the fault.

use super::Options;
use super::source::check_wgsl;
use crate::facts::{Certainty, Finding, Flag, Kind, LaunchFacts, Verdict};
use crate::launch::spec::{Binding, LaunchSpec, parse_grid, parse_override};

/// A value that may be given, and is valid for the correct kernel.
#[derive(Clone, Copy)]
enum Given {
    Grid(&'static str),
    Buffer(&'static str),
    Override(&'static str),
    Subgroups(u32),
}

use Given::{Buffer, Grid, Override, Subgroups};

/// A pair of kernels: their declarations, their workgroup size, and the correct and the wrong body.
struct Twins {
    name: &'static str,
    globals: &'static str,
    size: &'static str,
    correct: &'static str,
    wrong: &'static str,
    fault: Kind,
    given: &'static [Given],
    /// Whether the fault is certain, whatever is given.
    is_certain: bool,
}

/// The parts that kernels have in common whose behavior a number selects.
const MODE: Twins = Twins {
    name: "",
    globals: "struct Params { n: u32 }
              @group(0) @binding(0) var<uniform> params: Params;
              @group(0) @binding(1) var<storage, read> data: array<u32>;
              @group(0) @binding(2) var<storage, read_write> out: array<u32>;
              var<workgroup> tile: array<u32, 64>;",
    size: "64",
    correct: "",
    wrong: "",
    fault: Kind::DataRace,
    given: &[],
    is_certain: false,
};

/// The same, with a second number.
const TWO_NUMBERS: Twins = Twins {
    globals: "struct Params { n: u32, m: u32 }
              @group(0) @binding(0) var<uniform> params: Params;
              @group(0) @binding(1) var<storage, read_write> out: array<u32>;
              var<workgroup> tile: array<u32, 64>;",
    ..MODE
};

const TWINS: &[Twins] = &[
    Twins {
        name: "a copy of an id in a private variable",
        globals: "var<private> own: vec3u;
                  @group(0) @binding(0) var<storage, read_write> out: array<u32>;",
        size: "64",
        correct: "own = id; out[own.x] = l;",
        wrong: "own = id; out[own.x / 2u] = l;",
        fault: Kind::DataRace,
        given: &[Grid("2"), Buffer("out=zeros:128")],
        is_certain: true,
    },
    Twins {
        name: "one workgroup alone",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;",
        size: "64",
        correct: "out[l] = l;",
        wrong: "out[l / 2u] = l;",
        fault: Kind::DataRace,
        given: &[Grid("1"), Buffer("out=zeros:64")],
        is_certain: true,
    },
    Twins {
        name: "an id that is declared and not used",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;",
        size: "1",
        correct: "let i = id.x; out[0] = 1u;",
        wrong: "out[id.x / 2u] = 1u;",
        fault: Kind::DataRace,
        given: &[Buffer("out=zeros:128")],
        is_certain: true,
    },
    Twins {
        name: "a size that is given without the grid",
        globals: "struct Params { width: u32, height: u32 }
                  @group(0) @binding(0) var<uniform> params: Params;
                  @group(0) @binding(1) var<storage> now: array<u32>;
                  @group(0) @binding(2) var<storage, read_write> next: array<u32>;",
        size: "8, 8",
        correct: "let w = params.width;
                  next[id.y * w + id.x] = now[id.y * w + (id.x + 1u) % w];",
        wrong: "let w = params.width;
                next[id.y * w + id.x] = now[id.y * w + id.x] + next[id.y * w + (id.x + 1u) % w];",
        fault: Kind::DataRace,
        given: &[
            Buffer("params.width=16"),
            Buffer("params.height=16"),
            Grid("2,2"),
            Buffer("next=zeros:256"),
            Buffer("now=zeros:256"),
        ],
        is_certain: false,
    },
    Twins {
        name: "a row of constant length",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;",
        size: "8, 8",
        correct: "out[id.y * 8u + id.x] = l;",
        wrong: "out[id.y * 4u + id.x / 2u] = l;",
        fault: Kind::DataRace,
        given: &[Grid("1,4"), Buffer("out=zeros:256")],
        is_certain: true,
    },
    Twins {
        name: "arrays with room for one workgroup",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32, 64>;",
        size: "64",
        correct: "out[id.x] = l;",
        wrong: "out[id.x + 1u] = l;",
        fault: Kind::OutOfBounds,
        given: &[Grid("1"), Buffer("out=zeros")],
        is_certain: true,
    },
    Twins {
        name: "a return where the length ends, and a barrier behind it",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
                  var<workgroup> tile: array<u32, 64>;",
        size: "64",
        correct: "if (id.x >= arrayLength(&out)) { return; }
                  tile[l] = out[id.x]; workgroupBarrier(); out[id.x] = tile[63u - l];",
        wrong: "if (l >= 63u) { return; }
                tile[l] = out[id.x]; workgroupBarrier(); out[id.x] = tile[63u - l];",
        fault: Kind::BarrierDivergence,
        given: &[Grid("2"), Buffer("out=zeros:128")],
        is_certain: true,
    },
    Twins {
        name: "no id at all",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;",
        size: "SIZE",
        correct: "const SIZE = 1u; out[0] += 1u;",
        wrong: "const SIZE = 64u; out[0] += 1u;",
        fault: Kind::DataRace,
        given: &[Grid("1"), Buffer("out=zeros:1")],
        is_certain: true,
    },
    Twins {
        name: "a guard that one invocation passes",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;",
        size: "8, 8",
        correct: "if (id.x == 0u && id.y == 0u) { out[0] += 1u; }",
        wrong: "if (id.x == 0u) { out[0] += 1u; }",
        fault: Kind::DataRace,
        given: &[Grid("2,2"), Buffer("out=zeros:1")],
        is_certain: true,
    },
    Twins {
        name: "a permutation as indices",
        globals: "@group(0) @binding(0) var<storage> order: array<u32>;
                  @group(0) @binding(1) var<storage, read_write> out: array<u32>;",
        size: "64",
        correct: "out[order[id.x]] = l;",
        wrong: "out[order[id.x] / 2u] = l;",
        fault: Kind::DataRace,
        given: &[Grid("2"), Buffer("order=permutation:128"), Buffer("out=zeros:128")],
        is_certain: false,
    },
    Twins {
        name: "a number that lanes are compared with",
        globals: "struct Params { n: u32 }
                  @group(0) @binding(0) var<uniform> params: Params;
                  @group(0) @binding(1) var<storage, read_write> out: array<u32>;
                  var<workgroup> tile: array<u32, 64>;",
        size: "64",
        correct: "if (l < params.n) { tile[l] = out[id.x]; }
                  workgroupBarrier();
                  var sum = 0u;
                  for (var i = 0u; i < params.n; i++) { sum += tile[i]; }
                  out[id.x] = sum;",
        wrong: "if (l < params.n) { tile[l / 2u] = out[id.x]; }
                workgroupBarrier();
                var sum = 0u;
                for (var i = 0u; i < params.n; i++) { sum += tile[i]; }
                out[id.x] = sum;",
        fault: Kind::DataRace,
        given: &[Grid("2"), Buffer("params.n=64"), Buffer("out=zeros:128")],
        is_certain: true,
    },
    Twins {
        name: "a size that fits an array of the workgroup",
        globals: "struct Params { n: u32 }
                  @group(0) @binding(0) var<uniform> params: Params;
                  @group(0) @binding(1) var<storage, read_write> out: array<u32>;
                  var<workgroup> tile: array<u32, 64>;",
        size: "64",
        correct: "for (var i = l; i < params.n * 4u; i += 64u) { tile[i] = i; }
                  workgroupBarrier(); out[id.x] = tile[63u - l];",
        wrong: "for (var i = l; i < params.n * 4u; i += 64u) { tile[i / 2u] = i; }
                workgroupBarrier(); out[id.x] = tile[63u - l];",
        fault: Kind::DataRace,
        given: &[Grid("2"), Buffer("params.n=16"), Buffer("out=zeros:128")],
        is_certain: false,
    },
    Twins {
        name: "code behind a condition that is decided",
        globals: "const DEAD = false;
                  fn step(i: u32, dead: bool) { if (dead) { out[0] = i; } }
                  @group(0) @binding(0) var<storage, read_write> out: array<u32>;",
        size: "64",
        correct: "if (DEAD) { out[1] = l; } step(l, false); out[id.x] = l;",
        wrong: "if (!DEAD) { out[1] = l; } step(l, true); out[id.x] = l;",
        fault: Kind::DataRace,
        given: &[Grid("2"), Buffer("out=zeros:128")],
        is_certain: true,
    },
    Twins {
        name: "a way that few numbers lead to",
        globals: "struct Params { mode: u32 }
                  @group(0) @binding(0) var<uniform> params: Params;
                  @group(0) @binding(1) var<storage> kinds: array<vec2u>;
                  @group(0) @binding(2) var<storage, read_write> out: array<u32>;",
        size: "64",
        correct: "let kind = kinds[id.x];
                  if (params.mode > 3u && kind.x == kind.y) { out[id.x] = id.x; }",
        wrong: "let kind = kinds[id.x];
                if (params.mode > 3u && kind.x == kind.y) { out[id.x / 2u] = id.x; }",
        fault: Kind::DataRace,
        given: &[
            Grid("2"),
            Buffer("params.mode=4"),
            Buffer("kinds=zeros:128"),
            Buffer("out=zeros:128"),
        ],
        is_certain: false,
    },
    Twins {
        name: "elements next to an edge",
        globals: "struct Params { width: u32, pad: u32, start: u32, to: u32 }
                  @group(0) @binding(0) var<uniform> params: Params;
                  @group(0) @binding(1) var<storage, read_write> data: array<u32>;",
        size: "64",
        correct: "let at = i32(id.x) - i32(params.pad);
                  if (id.x >= params.width || at < 0) { return; }
                  data[params.to + id.x] = data[params.start + u32(at)];",
        wrong: "let at = i32(id.x) - i32(params.pad);
                if (id.x >= params.width || at < 0) { return; }
                data[params.to + id.x / 2u] = data[params.start + u32(at)];",
        fault: Kind::DataRace,
        given: &[
            Grid("2"),
            Buffer("params.width=128"),
            Buffer("params.pad=1"),
            Buffer("params.start=0"),
            Buffer("params.to=128"),
            Buffer("data=zeros:256"),
        ],
        is_certain: false,
    },
    Twins {
        name: "workgroups that are apart by all rows of their lanes",
        globals: "struct Params { apart: u32, row: u32, n: u32 }
                  @group(0) @binding(0) var<uniform> params: Params;
                  @group(0) @binding(1) var<storage, read_write> out: array<u32>;",
        size: "64",
        correct: "for (var i = 0u; i < params.n; i++) { out[group.x * params.apart + l * params.row + i] = l; }",
        wrong: "for (var i = 0u; i < params.n; i++) { out[group.x * params.apart + l / 2u * params.row + i] = l; }",
        fault: Kind::DataRace,
        given: &[
            Grid("2"),
            Buffer("params.apart=512"),
            Buffer("params.row=8"),
            Buffer("params.n=8"),
            Buffer("out=zeros:1024"),
        ],
        is_certain: false,
    },
    Twins {
        name: "subgroups of 32",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
                  var<workgroup> tile: array<u32, 64>;",
        size: "64",
        correct: "let sum = subgroupAdd(l);
                  if (lane == 0u) { tile[l / 32u] = sum; }
                  workgroupBarrier(); out[id.x] = tile[l / 32u];",
        wrong: "let sum = subgroupAdd(l);
                if (lane == 0u) { tile[0] = sum; }
                workgroupBarrier(); out[id.x] = tile[l / 32u];",
        fault: Kind::DataRace,
        given: &[Grid("2"), Subgroups(32), Buffer("out=zeros:128")],
        is_certain: false,
    },
    Twins {
        name: "a loop that takes long",
        globals: "@group(0) @binding(0) var<storage, read_write> out: array<u32>;",
        size: "1",
        correct: "var i = 0u; while (i < 4000000u) { i += 1u; } out[id.x] = i;",
        wrong: "var i = 0u; while (i < 4000000u) { out[id.x] = i; } out[id.x] = i;",
        fault: Kind::NoProgress,
        given: &[Grid("1"), Buffer("out=zeros:1")],
        is_certain: true,
    },
    Twins {
        name: "a barrier that all hosts ask for",
        correct: "tile[l] = l; if (params.n == 9u) { workgroupBarrier(); } out[id.x] = tile[63u - l];",
        wrong: "tile[l] = l; if (params.n == 9u) { storageBarrier(); } out[id.x] = tile[63u - l];",
        given: &[Grid("1"), Buffer("params.n=9"), Buffer("out=zeros:64")],
        ..MODE
    },
    Twins {
        name: "a barrier that data ask for",
        correct: "tile[l] = l; if (data[0] == 7u) { workgroupBarrier(); } out[id.x] = tile[63u - l];",
        wrong: "tile[l] = l; if (data[0] == 7u) { storageBarrier(); } out[id.x] = tile[63u - l];",
        given: &[Grid("1"), Buffer("data=7,7"), Buffer("out=zeros:64")],
        ..MODE
    },
    Twins {
        name: "barriers in a loop whose length is not known",
        correct: "tile[l] = l; for (var i = 40u; i < params.n; i++) { workgroupBarrier(); } out[id.x] = tile[63u - l];",
        wrong: "tile[l] = l; for (var i = 40u; i < params.n; i++) { storageBarrier(); } out[id.x] = tile[63u - l];",
        given: &[Grid("1"), Buffer("params.n=41"), Buffer("out=zeros:64")],
        ..MODE
    },
    Twins {
        name: "an offset that is chosen by a mode",
        correct: "var base = 32u; if (params.n == 9u) { base = 0u; } if (l < 32u) { tile[l] = 1u; } else { tile[l - base] = 2u; }",
        wrong: "var base = 32u; if (params.n == 9u) { base = 16u; } if (l < 32u) { tile[l] = 1u; } else { tile[l - base] = 2u; }",
        given: &[Grid("1"), Buffer("params.n=9")],
        ..MODE
    },
    Twins {
        name: "a width that is chosen by a mode",
        correct: "var width = 64u; if (params.n == 9u) { width = 32u; } if (l < width) { tile[l & 31u] = l; }",
        wrong: "var width = 64u; if (params.n == 9u) { width = 33u; } if (l < width) { tile[l & 31u] = l; }",
        given: &[Grid("1"), Buffer("params.n=9")],
        ..MODE
    },
    Twins {
        name: "a barrier for launches of three workgroups",
        correct: "tile[l] = l; if (groups.x == 3u) { workgroupBarrier(); } out[id.x] = tile[63u - l];",
        wrong: "tile[l] = l; if (groups.x == 3u) { storageBarrier(); } out[id.x] = tile[63u - l];",
        given: &[Grid("3"), Buffer("out=zeros:192")],
        ..MODE
    },
    Twins {
        name: "a stride that is the number of workgroups",
        correct: "out[l * groups.x + id.x / 64u] = l;",
        wrong: "out[l / 2u * groups.x + id.x / 64u] = l;",
        given: &[Grid("3"), Buffer("out=zeros:192")],
        ..MODE
    },
    Twins {
        name: "a barrier that an override asks for",
        globals: "override mode: u32;
                  @group(0) @binding(1) var<storage, read_write> out: array<u32>;
                  var<workgroup> tile: array<u32, 64>;",
        correct: "tile[l] = l; if (mode == 9u) { workgroupBarrier(); } out[id.x] = tile[63u - l];",
        wrong: "tile[l] = l; if (mode == 9u) { storageBarrier(); } out[id.x] = tile[63u - l];",
        given: &[Grid("1"), Override("mode=9"), Buffer("out=zeros:64")],
        ..MODE
    },
    Twins {
        name: "an override as workgroup size",
        globals: "override size: u32;
                  @group(0) @binding(1) var<storage, read_write> out: array<u32>;
                  var<workgroup> tile: array<u32, 16>;",
        size: "size",
        correct: "tile[l & 15u] = l; out[id.x] = tile[l & 15u];",
        wrong: "tile[l & 7u] = l; out[id.x] = tile[l & 7u];",
        given: &[Grid("1"), Override("size=16"), Buffer("out=zeros:64")],
        ..MODE
    },
];

/// Returns the findings in a kernel with `body`, where the members of `given` are given that have their bit set in
/// `which`.
fn found(twins: &Twins, body: &str, which: usize) -> Vec<Finding> {
    launched(twins, body, which).findings
}

fn launched(twins: &Twins, body: &str, which: usize) -> LaunchFacts {
    let (size, body) = match body.split_once(';') {
        Some((constant, rest)) if constant.starts_with("const SIZE = ") => {
            (constant.trim_start_matches("const SIZE = "), rest)
        }
        _ => (twins.size, body),
    };
    let lane =
        if body.contains("lane") { ", @builtin(subgroup_invocation_id) lane: u32" } else { "" };
    let group = if body.contains("group.") { ", @builtin(workgroup_id) group: vec3u" } else { "" };
    let groups =
        if body.contains("groups.") { ", @builtin(num_workgroups) groups: vec3u" } else { "" };
    let text = format!(
        "{}
         @compute @workgroup_size({size})
         fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32{lane}{group}{groups}) {{
             {body}
         }}",
        twins.globals
    );
    let mut spec = LaunchSpec::default();
    for (bit, given) in twins.given.iter().enumerate() {
        if which >> bit & 1 == 0 {
            continue;
        }
        match *given {
            Grid(grid) => spec.workgroups = Some(parse_grid(grid).unwrap()),
            Buffer(text) => spec.bindings.push(Binding::parse(text).unwrap()),
            Override(text) => spec.overrides.push(parse_override(text).unwrap()),
            Subgroups(size) => spec.subgroup_size = Some(size),
        }
    }
    let options = Options { launches: vec![spec], ..Options::default() };
    let launches = check_wgsl(twins.name, &text, &options);
    launches.unwrap_or_else(|error| panic!("{}: {error}", twins.name)).remove(0)
}

fn combinations(twins: &Twins) -> std::ops::Range<usize> {
    0..1 << twins.given.len()
}

#[test]
fn nothing_is_certain_of_a_correct_kernel_whatever_is_guessed() {
    for twins in TWINS {
        for which in combinations(twins) {
            let found = found(twins, twins.correct, which);
            let certain = found.iter().find(|finding| finding.certainty() == Certainty::Certain);
            assert!(certain.is_none(), "{}, given {which:b}: {certain:?}", twins.name);
        }
    }
}

#[test]
fn a_fault_shows_whatever_is_guessed() {
    for twins in TWINS {
        for which in combinations(twins) {
            let found = found(twins, twins.wrong, which);
            let fault = found.iter().filter(|finding| finding.kind() == twins.fault);
            let certainties: Vec<Certainty> = fault.map(Finding::certainty).collect();
            let name = twins.name;
            assert!(!certainties.is_empty(), "{name}, given {which:b}: {found:?}");
            if twins.is_certain {
                let any = certainties.contains(&Certainty::Certain);
                assert!(any, "{name}, given {which:b}: {found:?}");
            }
        }
    }
}

#[test]
fn fault_is_certain_if_all_inputs_are_given() {
    for twins in TWINS {
        let found = found(twins, twins.wrong, combinations(twins).end - 1);
        let is = |finding: &Finding| {
            finding.kind() == twins.fault && finding.certainty() == Certainty::Certain
        };
        assert!(found.iter().any(is), "{}: {found:?}", twins.name);
    }
}

/// Twins whose correct kernel is clean with nothing given but the text.
const CLEAN: &[&str] = &[
    "a size that is given without the grid",
    "a guard that one invocation passes",
    "a number that lanes are compared with",
    "a size that fits an array of the workgroup",
    "code behind a condition that is decided",
    "a way that few numbers lead to",
    "elements next to an edge",
    "workgroups that are apart by all rows of their lanes",
];

#[test]
fn a_correct_kernel_is_clean_and_its_twin_is_not() {
    for name in CLEAN {
        let twins = TWINS.iter().find(|twins| twins.name == *name).unwrap();
        let launch = launched(twins, twins.correct, 0);
        let missed = &launch.stats.sites_missed;
        assert_eq!(
            launch.verdict(),
            Verdict::NoFindings,
            "{name}: {:?} {missed:?}",
            launch.findings
        );
        assert!(!launched(twins, twins.wrong, 0).verdict().is_success(), "{name}");
    }
}

#[test]
fn a_requested_buffer_has_contents_of_the_kind_that_was_inferred() {
    let kernels = [
        // A counter starts at zero. Random contents would hide the race of the last workgroup.
        (
            "var<private> n: u32;
             @group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
             @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
             @group(0) @binding(2) var<storage, read_write> out: array<u32>;",
            "if (l == 0u) {
                 sums[group.x] = id.x;
                 if (atomicAdd(&count, 1u) == 1u) { out[0] = sums[0] + sums[1]; }
             }",
            "count=zeros",
        ),
        (
            "@group(0) @binding(0) var<storage> keys: array<f32>;
             @group(0) @binding(1) var<storage, read_write> out: array<u32>;",
            "if (keys[id.x] < 0.5) { out[0] = l; }",
            "keys=random:",
        ),
    ];
    for (globals, body, expected) in kernels {
        let twins = Twins { globals, ..MODE };
        let launch = launched(&twins, body, 0);
        let flags = launch.wanted.map(|wanted| wanted.flags).unwrap_or_default();
        let buffer = |flag: &Flag| match flag {
            Flag::Buffer { name, spec } => Some(format!("{name}={spec}")),
            _ => None,
        };
        let specs: Vec<String> = flags.iter().filter_map(buffer).collect();
        assert!(specs.iter().any(|spec| spec.contains(expected)), "{expected}: {specs:?}");
    }
}

#[test]
fn other_members_of_a_uniform_do_not_make_a_given_one_a_guess() {
    let twins = Twins {
        wrong: "var width = 32u; if (params.n == 9u) { width = 33u; }
                if (l < width) { tile[l & 31u] = l; } out[l] = params.m;",
        given: &[Grid("1"), Buffer("params.n=9")],
        ..TWO_NUMBERS
    };
    let certainty = |which| {
        let found = found(&twins, twins.wrong, which);
        found.iter().map(Finding::certainty).collect::<Vec<_>>()
    };
    assert_eq!(certainty(0b11), [Certainty::Certain]);
    assert_eq!(certainty(0b01), [Certainty::Possible]);
}

#[test]
fn values_that_are_given_are_not_taken_for_others() {
    let twins = Twins {
        wrong: "for (var k = 0u; k < params.n; k++) {
                    tile[l] = k; if (params.m != 3u) { workgroupBarrier(); } out[l] = tile[63u - l];
                }",
        given: &[Grid("1"), Buffer("params.n=1")],
        ..TWO_NUMBERS
    };
    let found = found(&twins, twins.wrong, 0b11);
    assert!(!found.is_empty());
    assert!(found.iter().all(|finding| finding.certainty() == Certainty::Possible), "{found:?}");
}

#[test]
fn a_barrier_at_which_others_wait_may_be_a_guess() {
    let twins = Twins {
        globals: "@group(0) @binding(0) var<storage, read> data: array<u32>;",
        wrong: "for (var k = 0u; k < 3u; k++) {
                    workgroupBarrier();
                    if (data[0] < 70u) { if (l < 32u) { workgroupBarrier(); } }
                }",
        given: &[Grid("1")],
        ..MODE
    };
    let found = found(&twins, twins.wrong, 1);
    assert!(!found.is_empty());
    assert!(found.iter().all(|finding| finding.certainty() == Certainty::Possible), "{found:?}");
}

#[test]
fn a_member_of_a_uniform_with_many_fields_is_a_guess() {
    let twins = Twins {
        globals: "struct Params { a: array<vec4u, 300>, m: u32 }
                  @group(0) @binding(0) var<uniform> params: Params;
                  @group(0) @binding(1) var<storage, read_write> out: array<u32>;
                  var<workgroup> tile: array<u32, 64>;",
        wrong: "tile[l] = l + params.a[l].x; if (params.m == 9u) { workgroupBarrier(); }
                out[l] = tile[63u - l];",
        given: &[Grid("1"), Buffer("params.a[0]=1,2,3,4")],
        ..MODE
    };
    for which in combinations(&twins) {
        let found = found(&twins, twins.wrong, which);
        assert!(!found.is_empty(), "given {which:b}");
        let is_possible = |finding: &Finding| finding.certainty() == Certainty::Possible;
        assert!(found.iter().all(is_possible), "given {which:b}: {found:?}");
    }
}
