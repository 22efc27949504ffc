//! Tests that following a help fixes the fault: for each kind of help a kernel that has the fault, the help, and the
//! kernel after the help was applied, which must be clean.

use super::Options;
use super::source::check_wgsl;
use crate::facts::Verdict;
use crate::launch::spec::{Binding, DispatchSpec, LaunchSpec, parse_grid};
use crate::report::compose;
use crate::report::document::LaunchReport;

const HEAD: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> other: array<u32>;
@group(0) @binding(2) var<storage, read_write> floats: array<f32>;
@group(0) @binding(3) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(4) var<storage, read_write> pairs: array<vec2u>;
struct List { n: u32, items: array<u32> }
@group(0) @binding(5) var<storage, read_write> list: List;
var<workgroup> tile: array<u32, 64>;
var<workgroup> total: atomic<u32>;
var<workgroup> sum: u32;
";

/// A fault and its fix: the body before and after, launched with `workgroups` workgroups of 64 invocations.
struct Case {
    /// A part of the help that identifies it.
    help: &'static str,
    workgroups: &'static str,
    before: &'static str,
    after: &'static str,
}

const CASES: &[Case] = &[
    Case {
        help: "call `workgroupBarrier()` between line",
        workgroups: "1",
        before: "tile[l] = l;\n let x = 1u;\n data[l] = tile[63u - l] + x;",
        after: "tile[l] = l;\n workgroupBarrier(); let x = 1u;\n data[l] = tile[63u - l] + x;",
    },
    Case {
        help: "call `workgroupBarrier()` before the `if` at line",
        workgroups: "1",
        before: "tile[l] = l;\n if (l >= 48u) {\n return;\n }\n data[l] = tile[63u - l];",
        after: "tile[l] = l;\n workgroupBarrier(); if (l >= 48u) {\n return;\n }\n data[l] = tile[63u - l];",
    },
    Case {
        help: "call `workgroupBarrier()` at the end of the loop body",
        workgroups: "1",
        before: "tile[l] = l; workgroupBarrier();\n for (var s = 32u; s > 0u; s /= 2u) {\n if (l < s) {\n let other = tile[l + s];\n tile[l] += other;\n }\n }",
        after: "tile[l] = l; workgroupBarrier();\n for (var s = 32u; s > 0u; s /= 2u) {\n if (l < s) {\n let other = tile[l + s];\n tile[l] += other;\n }\n workgroupBarrier(); }",
    },
    Case {
        help: "call `workgroupBarrier()` between line",
        workgroups: "1",
        before: "step(l, 0u);\n step(l, 1u);",
        after: "step(l, 0u);\n workgroupBarrier(); step(l, 1u);",
    },
    Case {
        help: "call it again at the end of the loop body",
        workgroups: "1",
        before: "tile[l] = l; workgroupBarrier();\n for (var i = 0u; i < 3u; i++) {\n tile[l] = tile[(l + 1u) % 64u];\n }",
        after: "tile[l] = l; workgroupBarrier();\n for (var i = 0u; i < 3u; i++) {\n let x = tile[(l + 1u) % 64u]; workgroupBarrier(); tile[l] = x; workgroupBarrier();\n }",
    },
    Case {
        help: "also call `storageBarrier()` at line",
        workgroups: "1",
        before: "data[l] = l;\n workgroupBarrier();\n other[l] = data[63u - l];",
        after: "data[l] = l;\n workgroupBarrier(); storageBarrier();\n other[l] = data[63u - l];",
    },
    Case {
        help: "and again at the end of the loop body",
        workgroups: "1",
        before: "for (var i = 0u; i < 4u; i++) {\n tile[l] = l + i;\n data[l] = tile[63u - l];\n }",
        after: "for (var i = 0u; i < 4u; i++) {\n tile[l] = l + i; workgroupBarrier();\n data[l] = tile[63u - l]; workgroupBarrier();\n }",
    },
    Case {
        help: "at the end of the loop body",
        workgroups: "1",
        before: "for (var i = 0u; i < 4u; i++) {\n tile[l] = l + i;\n workgroupBarrier();\n data[l] = tile[63u - l];\n }",
        after: "for (var i = 0u; i < 4u; i++) {\n tile[l] = l + i;\n workgroupBarrier();\n data[l] = tile[63u - l]; workgroupBarrier();\n }",
    },
    Case {
        help: "read into a variable first, then call `workgroupBarrier()`, then write",
        workgroups: "1",
        before: "tile[l] = l; workgroupBarrier();\n tile[l] = tile[(l + 1u) % 64u];",
        after: "tile[l] = l; workgroupBarrier();\n let x = tile[(l + 1u) % 64u]; workgroupBarrier(); tile[l] = x;",
    },
    Case {
        help: "split the `if` at line",
        workgroups: "1",
        before: "if (l < 32u) {\n tile[l] = l;\n } else {\n data[l] = tile[l - 32u];\n }",
        after: "if (l < 32u) {\n tile[l] = l;\n }\n workgroupBarrier();\n if (l >= 32u) {\n data[l] = tile[l - 32u];\n }",
    },
    Case {
        help: "let only one invocation write it, or give each invocation its own element",
        workgroups: "1",
        before: "data[0] = l;",
        after: "if (l == 0u) { data[0] = l; }",
    },
    Case {
        help: "let only one invocation write it, or give each invocation its own element",
        workgroups: "2",
        before: "data[0] = id.x;",
        after: "if (id.x == 0u) { data[0] = id.x; }",
    },
    Case {
        help: "let only one workgroup write this element of `data`",
        workgroups: "2",
        before: "if (l == 0u) { data[0] = id.x; }",
        after: "if (id.x == 0u) { data[0] = id.x; }",
    },
    Case {
        help: "call `workgroupBarrier()` between line",
        workgroups: "1",
        before: "atomicAdd(&total, l);\n if (l == 0u) { data[0] = atomicLoad(&total); }\n sum = 1u; \n if (l == 0u) { data[1] = sum; }",
        after: "atomicAdd(&total, l);\n if (l == 0u) { data[0] = atomicLoad(&total); }\n if (l == 0u) { sum = 1u; } workgroupBarrier(); \n if (l == 0u) { data[1] = sum; }",
    },
    Case {
        help: "let one invocation write the whole vector, or store its components as separate scalars",
        workgroups: "1",
        before: "if (l == 0u) { pairs[0].x = 1u; }\n if (l == 1u) { pairs[0].y = 2u; }",
        after: "if (l == 0u) { pairs[0] = vec2u(1u, 2u); }",
    },
    Case {
        help: "atomicAdd(&data[0], …)` at line",
        workgroups: "2",
        before: "data[0] += 1u;",
        after: "atomicAdd(&count, 1u);",
    },
    Case {
        help: "and update it in a loop with `atomicCompareExchangeWeak`",
        workgroups: "1",
        before: "data[0] *= 3u;",
        after: "for (var i = 0u; i < 4096u; i++) {
            let old = atomicLoad(&count);
            if (atomicCompareExchangeWeak(&count, old, old * 3u).exchanged) { break; } }",
    },
    Case {
        help: "combine the values of a workgroup in workgroup memory and those of the workgroups in another dispatch",
        workgroups: "2",
        before: "floats[0] += 1.0;",
        after: "atomicAdd(&total, l); workgroupBarrier();
            if (l == 0u) { floats[id.x / 64u] = f32(atomicLoad(&total)); }",
    },
    Case {
        help: "write to a second buffer instead of back to `data`",
        workgroups: "2",
        before: "let x = data[(id.x + 1u) % 128u];\n data[id.x] = x;",
        after: "let x = data[(id.x + 1u) % 128u];\n other[id.x] = x;",
    },
    Case {
        help: "write to a second buffer instead of back to `data`",
        workgroups: "2",
        before: "let x = neighbor(id.x);\n data[id.x] = x;",
        after: "let x = neighbor(id.x);\n other[id.x] = x;",
    },
    Case {
        help: "write to a second buffer instead of back to `data`",
        workgroups: "2",
        before: "let x = neighbor(id.x) + neighbor(id.x + 2u);\n data[id.x] = x;",
        after: "let x = neighbor(id.x) + neighbor(id.x + 2u);\n other[id.x] = x;",
    },
    Case {
        help: "make `data` atomic and update it in a loop",
        workgroups: "1",
        before: "data[l / 2u] = (data[l / 2u] & 65535u) | (l << 16u);",
        after: "atomicOr(&count, l << 16u);",
    },
    Case {
        help: "let only one invocation write it, or give each invocation its own element",
        workgroups: "1",
        before: "tile[l / 2u] = tile[(l / 2u + 1u) % 32u] + l;",
        after: "data[l] = tile[(l / 2u + 1u) % 32u] + l;",
    },
    Case {
        help: "do not return at line",
        workgroups: "1",
        before: "if (l >= 32u) {\n return;\n }\n tile[l] = l;\n workgroupBarrier();\n data[l] = tile[31u - l];",
        after: "if (l < 32u) {\n tile[l] = l;\n }\n workgroupBarrier();\n if (l < 32u) { data[l] = tile[31u - l]; }",
    },
    Case {
        help: "put one barrier where all invocations pass, in place of",
        workgroups: "1",
        before: "if (l < 32u) {\n tile[l] = l;\n workgroupBarrier();\n } else {\n tile[l] = 2u;\n workgroupBarrier();\n }\n data[l] = tile[63u - l];",
        after: "if (l < 32u) {\n tile[l] = l;\n } else {\n tile[l] = 2u;\n }\n workgroupBarrier();\n data[l] = tile[63u - l];",
    },
    Case {
        help: "which depends on local_invocation_index, to directly after it (checked: the launch above is clean",
        workgroups: "1",
        before: "tile[l] = l;\n if (l < 32u) {\n workgroupBarrier();\n }\n data[l] = l;",
        after: "tile[l] = l;\n workgroupBarrier();\n data[l] = l;",
    },
    Case {
        help: "skip the access if the index is not below `arrayLength(&data)`",
        workgroups: "2",
        before: "data[id.x + 1u] = l;",
        after: "if (id.x + 1u < arrayLength(&data)) { data[id.x + 1u] = l; }",
    },
    Case {
        help: "skip the access if the index is not below `arrayLength(&list.items)`",
        workgroups: "2",
        before: "list.items[id.x + 1u] = l;",
        after: "if (id.x + 1u < arrayLength(&list.items)) { list.items[id.x + 1u] = l; }",
    },
    Case {
        help: "skip the access if the index is not from 0 to 63",
        workgroups: "1",
        before: "data[l] = tile[l + 1u];",
        after: "if (l + 1u <= 63u) { data[l] = tile[l + 1u]; }",
    },
    Case {
        help: "`select` evaluates both of its values: load under an `if` instead",
        workgroups: "1",
        before: "data[l] = select(0u, tile[l - 1u], l < 64u);",
        after: "var x = 0u; if (l > 0u) { x = tile[l - 1u]; } data[l] = x;",
    },
    Case {
        help: "do not wait in a loop for another invocation",
        workgroups: "1",
        before: "while (atomicLoad(&count) == 0u) { }\n data[l] = l;",
        after: "data[l] = l;",
    },
    Case {
        help: "make sure that each iteration of the loop makes progress",
        workgroups: "1",
        before: "var i = 0u; while (i < 9u) { data[l] = i; }",
        after: "var i = 0u; while (i < 9u) { data[l] = i; i++; }",
    },
];

fn check_launch(text: &str, spec: LaunchSpec) -> LaunchReport {
    let options = Options { launches: vec![spec], ..Options::default() };
    let launches = check_wgsl("test.wgsl", text, &options);
    let launches = launches.unwrap_or_else(|error| panic!("{error}\n{text}"));
    compose::report(&launches).launches.remove(0)
}

fn launch_spec(dispatches: &[&str], workgroups: &str) -> LaunchSpec {
    let bindings = [
        "data=zeros:128",
        "other=zeros:128",
        "floats=zeros:128",
        "count=0",
        "pairs=zeros:4",
        "list=zeros:128",
    ];
    LaunchSpec {
        dispatches: dispatches.iter().map(|text| DispatchSpec::parse(text).unwrap()).collect(),
        workgroups: Some(parse_grid(workgroups).unwrap()),
        bindings: bindings.map(|text| Binding::parse(text).unwrap()).to_vec(),
        ..LaunchSpec::default()
    }
}

fn check_body(body: &str, workgroups: &str) -> LaunchReport {
    let text = format!(
        "{HEAD}
         fn neighbor(at: u32) -> u32 {{ return data[(at + 1u) % 128u]; }}
         fn step(l: u32, number: u32) {{
             if number == 0u {{ tile[l] = l; }} else {{ data[l] = tile[63u - l]; }}
         }}
         @compute @workgroup_size(64)
         fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {{
         {body}
         }}"
    );
    check_launch(&text, launch_spec(&[], workgroups))
}

#[test]
fn a_kernel_is_clean_after_its_help_was_applied() {
    for case in CASES {
        let before = check_body(case.before, case.workgroups);
        assert_eq!(before.verdict, Verdict::Findings, "{}: {before:?}", case.before);
        let helps: Vec<&String> = before.findings.iter().filter_map(|f| f.help.as_ref()).collect();
        let is_shown = helps.iter().any(|help| help.contains(case.help));
        assert!(is_shown, "{}: `{}` is not among {helps:#?}", case.before, case.help);
        let after = check_body(case.after, case.workgroups);
        assert_eq!(after.verdict, Verdict::Clean, "{}: {after:?}", case.after);
    }
}

/// Returns the helps of the findings of a body.
fn helps(body: &str) -> Vec<String> {
    let helps = check_body(body, "1").findings.into_iter();
    helps.filter_map(|finding| finding.help).collect()
}

#[test]
fn a_barrier_is_tried_before_it_is_suggested() {
    let is_barrier = |case: &&Case| case.help.contains("call `") || case.help.contains("body");
    for case in CASES.iter().filter(is_barrier).filter(|case| case.after.contains("Barrier()")) {
        let helps = helps(case.before);
        let is_checked =
            helps.iter().any(|help| help.contains(case.help) && help.contains("(checked: "));
        assert!(is_checked, "{}: {helps:#?}", case.before);
    }
}

#[test]
fn a_barrier_that_a_race_makes_unreachable_is_not_moved() {
    let body = "var i = 0u;\n loop {\n if (l == 0u) { sum = i; }\n workgroupBarrier();\n if (sum >= 3u) { break; }\n i++;\n }";
    for help in helps(body) {
        assert!(help.contains("at the end of the loop body"), "{help}");
    }
}

#[test]
fn a_change_says_whether_other_findings_remain() {
    let is_shown = |body, result: &str| {
        let helps = helps(body);
        assert!(helps.iter().any(|help| help.ends_with(result)), "{helps:#?}");
    };
    let body = "tile[l] = l;\n data[l] = tile[63u - l];";
    is_shown(body, "(checked: the launch above is clean with this change)");
    let body = "tile[l] = l;\n data[l] = tile[63u - l];\n data[0] = l;";
    is_shown(body, "(checked: this finding is gone with this change)");
}

#[test]
fn a_barrier_that_does_not_help_is_not_suggested() {
    for body in [
        "tile[l / 2u] = tile[(l / 2u + 1u) % 32u] + l;",
        "let x = tile[(l / 2u + 1u) % 32u];\n tile[l / 2u] = x + l;",
        "for (var i = 0u; i < 3u; i++) {\n tile[l % 32u] = tile[(l + 1u) % 32u] + l;\n }",
        "data[l / 4u] = (data[l / 4u] & ~(255u << l)) | (l << 8u);",
    ] {
        let helps = helps(body);
        let without_benefit =
            |help: &String| help.contains("Barrier()") && !help.contains("checked");
        assert!(!helps.is_empty() && !helps.iter().any(without_benefit), "{body}: {helps:#?}");
    }
}

/// Tests help that moves a part of the kernel into another dispatch.
#[test]
fn a_kernel_split_into_dispatches_is_clean() {
    let first = "data[id.x] = id.x;";
    let second = "other[id.x] = data[127u - id.x];";
    let kernel = |name: &str, body: &str| {
        format!(
            "@compute @workgroup_size(64)
             fn {name}(@builtin(global_invocation_id) id: vec3u) {{ {body} }}\n"
        )
    };
    let one = check_launch(
        &format!("{HEAD}{}", kernel("main", &format!("{first}\n{second}"))),
        launch_spec(&[], "2"),
    );
    let help = one.findings[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("split the kernel into two dispatches: line 13 in the first"), "{help}");
    let text = format!("{HEAD}{}{}", kernel("first", first), kernel("second", second));
    let two = check_launch(&text, launch_spec(&["first:2", "second:2"], "2"));
    assert_eq!(two.verdict, Verdict::Clean, "{two:?}");

    let iteration =
        |i: &str| format!("if (id.x % 2u == {i}) {{ data[id.x] = data[(id.x + 1u) % 128u]; }}");
    let looped =
        format!("for (var i = 0u; i < 2u; i++) {{\n {}\n storageBarrier(); }}", iteration("i"));
    let one = check_launch(&format!("{HEAD}{}", kernel("main", &looped)), launch_spec(&[], "2"));
    let helps: Vec<_> = one.findings.iter().filter_map(|finding| finding.help.as_ref()).collect();
    assert!(helps.iter().any(|help| help.contains("run each iteration of the loop")), "{helps:?}");
    let text = format!(
        "{HEAD}{}{}",
        kernel("first", &iteration("0u")),
        kernel("second", &iteration("1u"))
    );
    let two = check_launch(&text, launch_spec(&["first:2", "second:2"], "2"));
    assert_eq!(two.verdict, Verdict::Clean, "{two:?}");
}
