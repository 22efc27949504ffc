//! Tests of `hirace check --fix`: each kind of fault gets the expected edits, the changed file is checked again, and nothing is written
//! if no change is known to be right.

use crate::schema::is_of_schema;
use crate::support::{ProgramOutput, create_empty_folder, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// A kernel, and what `--fix=yes` makes of it.
struct Case {
    name: &'static str,
    flags: &'static [&'static str],
    before: &'static str,
    /// The lines that are removed (`-`) and added (`+`), in order; empty if nothing is written.
    changes: &'static [&'static str],
    /// The exit status.
    status: i32,
}

const CASES: &[Case] = &[
    Case {
        name: "a_barrier_is_inserted",
        flags: &["--workgroups", "1"],
        before: "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    tile[l] = l;
    out[l] = tile[63u - l];
}
",
        changes: &["+    workgroupBarrier();"],
        status: 0,
    },
    Case {
        name: "a_barrier_is_inserted_at_the_end_of_a_loop",
        flags: &["--workgroups", "1"],
        before: "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    tile[l] = l;
    workgroupBarrier();
    for (var s = 32u; s > 0u; s /= 2u) {
        if (l < s) {
            tile[l] += tile[l + s];
        } // the upper half is done
    }
    if (l == 0u) { out[0] = tile[0]; }
}
",
        changes: &["+        workgroupBarrier();"],
        status: 0,
    },
    Case {
        name: "a_guarded_maximum_becomes_atomic",
        flags: &["--workgroups", "2", "--buffer", "best=zeros", "--buffer", "values=iota:128"],
        before: "\
@group(0) @binding(0) var<storage, read_write> best: array<u32, 2>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let v = values[id.x];
    if (best[v & 1u] < v) { best[v & 1u] = v; }
}
",
        changes: &[
            "-@group(0) @binding(0) var<storage, read_write> best: array<u32, 2>;",
            "+@group(0) @binding(0) var<storage, read_write> best: array<atomic<u32>, 2>;",
            "-    if (best[v & 1u] < v) { best[v & 1u] = v; }",
            "+    atomicMax(&best[v & 1u], v);",
        ],
        status: 0,
    },
    Case {
        name: "several_findings_of_a_file_are_fixed_at_once",
        flags: &["--workgroups", "1"],
        before: "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
var<workgroup> tile: array<u32, 64>;
var<workgroup> other: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
\ttile[l] = l;
\tlet reversed = tile[63u - l];
\tother[l] = reversed;
\tlet back = other[63u - l];
\tout[l] = back;
\tsums[0] += back;
}
",
        changes: &[
            "-@group(0) @binding(1) var<storage, read_write> sums: array<u32>;",
            "+@group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;",
            "+\tworkgroupBarrier();",
            "+\tworkgroupBarrier();",
            "-\tsums[0] += back;",
            "+\tatomicAdd(&sums[0], back);",
        ],
        status: 0,
    },
    Case {
        name: "a_barrier_is_moved_out_of_a_branch",
        flags: &["--workgroups", "1"],
        before: "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    tile[l] = l;
    if (l < 32u) {
        workgroupBarrier();
        out[l] = tile[63u - l];
    }
}
",
        changes: &["+    workgroupBarrier();", "-        workgroupBarrier();"],
        status: 0,
    },
    Case {
        name: "memory_becomes_atomic_with_all_its_accesses",
        flags: &["--workgroups", "1", "--buffer", "input=random:64", "--buffer", "out=zeros:16"],
        before: "\
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Counts { total: u32, bins: array<u32, 16> }
var<workgroup> counts: Counts;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    if (l < 16u) { counts.bins[l] = 0u; }
    workgroupBarrier();
    let bin = input[l] % 16u;
    counts.bins[bin] = counts.bins[bin] + 1u;
    workgroupBarrier();
    if (l < 16u) { out[l] = counts.bins[l]; }
}
",
        changes: &[
            "-struct Counts { total: u32, bins: array<u32, 16> }",
            "+struct Counts { total: u32, bins: array<atomic<u32>, 16> }",
            "-    if (l < 16u) { counts.bins[l] = 0u; }",
            "+    if (l < 16u) { atomicStore(&counts.bins[l], 0u); }",
            "-    counts.bins[bin] = counts.bins[bin] + 1u;",
            "+    atomicAdd(&counts.bins[bin], 1u);",
            "-    if (l < 16u) { out[l] = counts.bins[l]; }",
            "+    if (l < 16u) { out[l] = atomicLoad(&counts.bins[l]); }",
        ],
        status: 0,
    },
    Case {
        name: "a_maximum_becomes_atomic",
        flags: &["--workgroups", "2", "--buffer", "input=random:128", "--buffer", "most=0"],
        before: "\
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> most: u32;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    most = max(most, input[id.x]);
}
",
        changes: &[
            "-@group(0) @binding(1) var<storage, read_write> most: u32;",
            "+@group(0) @binding(1) var<storage, read_write> most: atomic<u32>;",
            "-    most = max(most, input[id.x]);",
            "+    atomicMax(&most, input[id.x]);",
        ],
        status: 0,
    },
    Case {
        name: "a_write_is_guarded",
        flags: &["--workgroups", "1", "--buffer", "out=zeros:42"],
        before: "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.x] = id.x * 2u;
}
",
        changes: &[
            "-    out[id.x] = id.x * 2u;",
            "+    if (id.x < arrayLength(&out)) {",
            "+        out[id.x] = id.x * 2u;",
            "+    }",
        ],
        status: 0,
    },
    Case {
        name: "a_write_with_a_signed_index_is_guarded",
        flags: &["--workgroups", "1"],
        before: "\
struct List { count: u32, items: array<vec2<u32>, 16> }
@group(0) @binding(0) var<storage, read_write> out: List;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    let at = i32(l) - 8;
    out.items[at + 1].y = l;
}
",
        changes: &[
            "-    out.items[at + 1].y = l;",
            "+    if ((at + 1) >= 0 && u32(at + 1) < 16u) {",
            "+        out.items[at + 1].y = l;",
            "+    }",
        ],
        status: 0,
    },
    Case {
        name: "a_value_is_read_before_a_barrier",
        flags: &["--workgroups", "1", "--buffer", "data=random:64"],
        before: "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    for (var value = 1u; value < 64u; value *= 2u) {
        if (l == 63u) { data[0] = 7u; }
        storageBarrier();
        data[l] += data[(l + value) % 64u] / 2u;
        storageBarrier();
    }
}
",
        changes: &[
            "-        data[l] += data[(l + value) % 64u] / 2u;",
            "+        let value_1 = data[l] + (data[(l + value) % 64u] / 2u);",
            "+        storageBarrier();",
            "+        data[l] = value_1;",
        ],
        status: 0,
    },
    // A multiplication has no atomic form. A load and a store, each atomic, would lose updates without a race.
    Case {
        name: "a_product_is_not_made_atomic",
        flags: &["--workgroups", "1", "--buffer", "product=1"],
        before: "\
@group(0) @binding(0) var<storage, read_write> product: u32;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    product = product * 3u;
}
",
        changes: &[],
        status: 1,
    },
    Case {
        name: "other_updates_of_the_memory_have_to_have_an_atomic_form",
        flags: &["--workgroups", "1", "--buffer", "sums=0,1"],
        before: "\
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    sums[0] += l;
    if (l == 0u) { sums[1] = sums[1] * 2u; }
}
",
        changes: &[],
        status: 1,
    },
    // Atomic memory would hide that a barrier is missing before the load.
    Case {
        name: "atomics_do_not_hide_a_missing_barrier",
        flags: &["--workgroups", "1", "--buffer", "out=zeros:64", "--buffer", "input=random:64"],
        before: "\
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> bins: array<u32, 16>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    bins[input[l] % 16u] += 1u;
    if (l >= 16u) { return; }
    out[l] = bins[15u - l];
}
",
        changes: &[
            "-var<workgroup> bins: array<u32, 16>;",
            "+var<workgroup> bins: array<atomic<u32>, 16>;",
            "-    bins[input[l] % 16u] += 1u;",
            "+    atomicAdd(&bins[input[l] % 16u], 1u);",
            "+    workgroupBarrier();",
            "-    out[l] = bins[15u - l];",
            "+    out[l] = atomicLoad(&bins[15u - l]);",
        ],
        status: 0,
    },
    // A barrier would order the accesses, and the updates would still be lost.
    Case {
        name: "a_barrier_does_not_hide_lost_updates",
        flags: &["--workgroups", "1", "--buffer", "sum=0"],
        before: "\
@group(0) @binding(0) var<storage, read_write> sum: u32;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    var old = sum;
    old += l;
    sum = old;
}
",
        changes: &[],
        status: 1,
    },
    Case {
        name: "a_race_between_workgroups_has_no_change",
        flags: &["--workgroups", "2", "--buffer", "data=random:128"],
        before: "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = data[127u - id.x];
}
",
        changes: &[],
        status: 1,
    },
    // Either change may be meant.
    Case {
        name: "an_unused_dimension_is_left_to_the_user",
        flags: &["--workgroups", "1", "--buffer", "out=zeros:16"],
        before: "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    out[id.x] = out[id.x] / 2u;
}
",
        changes: &[],
        status: 1,
    },
    Case {
        name: "a_load_out_of_bounds_is_left_to_the_user",
        flags: &["--workgroups", "1", "--buffer", "input=random:42", "--buffer", "out=zeros:64"],
        before: "\
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let value = input[id.x];
    out[id.x] = value * 2u;
}
",
        changes: &[],
        status: 1,
    },
    // All invocations have to reach the barrier in the function.
    Case {
        name: "a_call_is_not_guarded",
        flags: &["--workgroups", "1", "--buffer", "out=zeros:42"],
        before: "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;
fn reversed(l: u32) -> u32 {
    tile[l] = l;
    workgroupBarrier();
    return tile[63u - l];
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    out[l] = reversed(l);
}
",
        changes: &[],
        status: 1,
    },
    // The end of the body is skipped by a `continue`.
    Case {
        name: "a_barrier_is_inserted_where_continue_does_not_skip_it",
        flags: &["--workgroups", "1", "--buffer", "out=zeros:64"],
        before: "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    for (var i = 0u; i < 4u; i++) {
        tile[l] = l + i;
        workgroupBarrier();
        let value = tile[63u - l];
        if (value % 2u == 0u) {
            continue;
        }
        out[l] += value;
    }
}
",
        changes: &["+        workgroupBarrier();"],
        status: 0,
    },
];

/// A test in a folder of its own.
type Test = Box<dyn FnOnce(&Path) -> Result<(), Failed> + Send>;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let named = |name: &'static str, test: Test| {
        Trial::test(format!("fix::{name}"), move || {
            test(&create_empty_folder(scratch("fix").join(name))?)
        })
    };
    let mut trials: Vec<Trial> = CASES
        .iter()
        .map(|case| named(case.name, Box::new(move |folder| case.holds(folder))))
        .collect();
    trials.push(named("only_certain_findings_are_fixed", Box::new(possible)));
    trials.push(named("line_ends_and_byte_order_marks_stay", Box::new(bytes)));
    trials.push(named("without_a_terminal_nothing_is_asked", Box::new(no_terminal)));
    trials.push(named("what_has_no_text_is_refused", Box::new(refused)));
    trials.push(named("files_of_a_folder_are_fixed", Box::new(folder)));
    trials.push(named("the_fix_is_in_the_reports", Box::new(reports)));
    trials
}

fn fix(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    let arguments = [&["check", "--fix=yes", "--quiet"], arguments].concat();
    run(hirace(&arguments).current_dir(folder), LIMIT)
}

impl Case {
    fn holds(&self, folder: &Path) -> Result<(), Failed> {
        fs::write(folder.join("k.wgsl"), self.before)?;
        let ended = fix(folder, &[&["k.wgsl"], self.flags].concat());
        let after = fs::read_to_string(folder.join("k.wgsl"))?;
        let changed = changed_lines(self.before, &after);
        if changed != self.changes || ended.status != Some(self.status) {
            return Err(format!("{after}\n{changed:#?}\n{ended:#?}").into());
        }
        let said = match self.changes {
            [] => "no file was changed",
            _ => "k.wgsl was changed, which fixes ",
        };
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
        let again = run(
            hirace(&[&["check", "--quiet", "k.wgsl"], self.flags].concat()).current_dir(folder),
            LIMIT,
        );
        assert_eq!(again.status, Some(self.status), "{again:#?}");
        let files: Vec<_> = fs::read_dir(folder)?.collect();
        assert_eq!(files.len(), 1, "{files:?}");
        Ok(())
    }
}

/// Returns the lines that differ, as a diff has them.
fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let diff = hirace_core::edit::diff::unified_diff("k.wgsl", before, after);
    let is_changed = |line: &&str| {
        line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
    };
    diff.lines().filter(is_changed).map(str::to_owned).collect()
}

const RACY: &str = CASES[0].before;

fn possible(folder: &Path) -> Result<(), Failed> {
    // Whether the branch is taken depends on contents that are guessed.
    let text = "\
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> mode: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    if (mode[l] > 3u) {
        tile[0] = tile[0] + 1u;
    }
    workgroupBarrier();
    out[l] = tile[0];
}
";
    fs::write(folder.join("k.wgsl"), text)?;
    let ended = fix(folder, &["k.wgsl", "--workgroups", "1"]);
    assert_eq!(ended.status, Some(4), "{ended:#?}");
    assert_eq!(fs::read_to_string(folder.join("k.wgsl"))?, text, "{ended:#?}");
    // With the contents, it is certain.
    let given = ["--workgroups", "1", "--buffer", "mode=fill:64:9", "--buffer", "out=zeros:64"];
    let ended = fix(folder, &[&["k.wgsl"], &given[..]].concat());
    assert_eq!(ended.status, Some(0), "{ended:#?}");
    let after = fs::read_to_string(folder.join("k.wgsl"))?;
    assert!(after.contains("        atomicAdd(&tile[0], 1u);\n"), "{after}");
    Ok(())
}

fn bytes(folder: &Path) -> Result<(), Failed> {
    let text = format!("\u{feff}{}", RACY.replace('\n', "\r\n"));
    fs::write(folder.join("k.wgsl"), &text)?;
    let ended = fix(folder, &["k.wgsl", "--workgroups", "1"]);
    assert_eq!(ended.status, Some(0), "{ended:#?}");
    let after = fs::read_to_string(folder.join("k.wgsl"))?;
    let before = "    out[l] = tile";
    let expected = text.replace(before, &format!("    workgroupBarrier();\r\n{before}"));
    assert_eq!(after, expected);
    Ok(())
}

fn no_terminal(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("k.wgsl"), RACY)?;
    let ended = run(hirace(&["check", "--fix", "k.wgsl"]).current_dir(folder), LIMIT);
    assert_eq!(ended.status, Some(2), "{ended:#?}");
    assert!(ended.stderr.contains("write without asking with --fix=yes"), "{ended:#?}");
    assert_eq!(fs::read_to_string(folder.join("k.wgsl"))?, RACY);
    Ok(())
}

fn refused(folder: &Path) -> Result<(), Failed> {
    let stdin = fix(folder, &["-"]);
    assert_eq!(stdin.status, Some(2), "{stdin:#?}");
    assert!(stdin.stderr.contains("`--fix` cannot change standard input"), "{stdin:#?}");
    fs::write(folder.join("k.wgsl"), RACY)?;
    let defined = fix(folder, &["k.wgsl", "--preprocess"]);
    assert_eq!(defined.status, Some(2), "{defined:#?}");
    if cfg!(feature = "host") {
        let program = format!("const shader = /* wgsl */ `{RACY}`;\n");
        fs::write(folder.join("k.ts"), &program)?;
        let ended = fix(folder, &["k.ts", "--workgroups", "1"]);
        assert_eq!(ended.status, Some(1), "{ended:#?}");
        let said = "k.ts cannot be changed: `--fix` changes only WGSL files";
        assert!(ended.stderr.contains(said), "{ended:#?}");
        assert_eq!(fs::read_to_string(folder.join("k.ts"))?, program);
    }
    assert_eq!(fs::read_to_string(folder.join("k.wgsl"))?, RACY);
    Ok(())
}

fn folder(folder: &Path) -> Result<(), Failed> {
    let shaders = folder.join("shaders");
    fs::create_dir_all(&shaders)?;
    let [a, b, c] = ["a.wgsl", "b.wgsl", "c.wgsl"].map(|name| shaders.join(name));
    fs::write(&a, RACY)?;
    fs::write(&b, "@compute @workgroup_size(1)\nfn main() {}\n")?;
    // `tile` is renamed, so that its finding is not that of the other file.
    fs::write(&c, RACY.replace("tile", "row"))?;
    let ended = fix(folder, &["shaders", "--workgroups", "1"]);
    assert_eq!(ended.status, Some(0), "{ended:#?}");
    for (path, lines) in [(a, 8), (b, 2), (c, 8)] {
        let text = fs::read_to_string(&path)?;
        assert_eq!(text.lines().count(), lines, "{}: {text}", path.display());
    }
    Ok(())
}

fn reports(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("k.wgsl"), RACY)?;
    let format = |format: &str| -> Result<Value, Failed> {
        let arguments = ["check", "k.wgsl", "--workgroups", "1", "--format", format];
        let ended = run(hirace(&arguments).current_dir(folder), LIMIT);
        assert_eq!(ended.status, Some(1), "{ended:#?}");
        Ok(serde_json::from_str(&ended.stdout)?)
    };
    let json = format("json")?;
    is_of_schema("hirace.check-2", &json)?;
    let edit = &json["launches"][0]["findings"][0]["fix"]["edits"][0];
    let expected = serde_json::json!({
        "file": "k.wgsl", "line": 6, "column": 1, "end_line": 6, "end_column": 1,
        "remove": "", "insert": "    workgroupBarrier();\n",
    });
    assert_eq!(*edit, expected);
    let sarif = format("sarif")?;
    let fix = &sarif["runs"][0]["results"][0]["fixes"][0];
    let change = &fix["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "k.wgsl", "{fix}");
    let replacement = serde_json::json!({
        "deletedRegion": { "startLine": 6, "startColumn": 1, "endLine": 6, "endColumn": 1 },
        "insertedContent": { "text": "    workgroupBarrier();\n" },
    });
    assert_eq!(change["replacements"][0], replacement, "{fix}");
    Ok(())
}
