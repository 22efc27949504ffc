//! Repairs, as users of `hirace verify --repair` meet them: what each kind of fault is repaired by; and of kernels that verify,
//! with one barrier less or of another class, that the repair verifies, is no larger than the damage, and is a patch.

mod models;
mod programs;
mod weakened;

use crate::schema::is_of_schema;
use crate::support::{Ended, hirace, long, root, run, scratch};
use hirace_adequacy::mutate::source::{Candidate, Source};
use hirace_core::random::Random;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

type Boxed = Box<dyn FnOnce(&Path) -> Result<(), Failed> + Send>;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let named = |name: &str, test: Boxed| {
        let name = name.to_owned();
        Trial::test(format!("verify_repair::{name}"), move || {
            let folder = scratch("verify_repair").join(name.replace(['/', '.'], "_"));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder)?;
            test(&folder)
        })
    };
    let mut trials: Vec<Trial> = CASES
        .iter()
        .map(|case| named(case.name, Box::new(move |folder| case.holds(folder))))
        .collect();
    trials.extend(
        models::CASES
            .iter()
            .map(|case| named(case.name, Box::new(move |folder| case.holds(folder)))),
    );
    trials.push(named("programs", Box::new(programs::repairs_are_as_the_page_has_them)));
    trials.push(named("weakened", Box::new(weakened::what_was_weakened_is_repaired)));
    trials.push(named("what_nothing_helps", Box::new(what_nothing_helps)));
    trials.push(named("what_cannot_be_repaired", Box::new(what_cannot_be_repaired)));
    trials.push(named("few_candidates", Box::new(few_candidates)));
    trials.push(named("litmus", Box::new(litmus)));
    for name in RULES {
        let file = format!("kernels/rules/{name}.clean.wgsl");
        let test = move |folder: &Path| damaged(folder, &file, None);
        trials.push(named(&format!("damaged/{name}"), Box::new(test)));
    }
    for (name, entry) in RUST {
        let file = format!("kernels/src/{name}.rs");
        let test = move |folder: &Path| damaged(folder, &file, Some(entry));
        trials.push(named(&format!("damaged/{name}"), Box::new(test)));
    }
    trials.push(long(named("random", Box::new(random))));
    trials
}

/// A faulty kernel, and the lines that its repair takes away and puts in.
struct Case {
    name: &'static str,
    file: &'static str,
    /// The body, in a kernel of two invocations.
    body: &'static str,
    repair: &'static [&'static str],
}

const WGSL: &str = "\
struct Tally { most: u32, counts: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: u32;
@group(0) @binding(2) var<storage, read_write> tally: Tally;
var<workgroup> tile: array<u32, 2>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) l: u32) {
";

const RUST_HEAD: &str = "\
use hirace::prelude::*;

#[hirace::monitor(workgroup_size(2))]
pub fn other(#[builtin(local_invocation_index)] l: u32, total: &mut [u32]) {
    total[l] = l;
}

#[hirace::monitor(workgroup_size(2))]
pub fn main(
    #[builtin(local_invocation_index)] l: u32,
    out: &mut [u32],
    total: &mut u32,
    #[workgroup] tile: &mut [u32; 2],
) {
";

const CASES: &[Case] = &[
    Case {
        name: "wgsl/missing",
        file: "it.wgsl",
        body: "    tile[l] = l + 1u;\n    let i = 1u - l;\n    out[l] = tile[i];\n",
        repair: &["+    workgroupBarrier();"],
    },
    Case {
        name: "wgsl/class",
        file: "it.wgsl",
        body: "    tile[l] = l + 1u;\n    storageBarrier();\n    out[l] = tile[1u - l];\n",
        repair: &["-    storageBarrier();", "+    workgroupBarrier();"],
    },
    Case {
        name: "wgsl/two_classes",
        file: "it.wgsl",
        body: "    tile[l] = l;\n    out[l] = l;\n    storageBarrier();\n    out[l + 2u] = out[1u - l] + tile[1u - l];\n",
        repair: &["+    workgroupBarrier();"],
    },
    Case {
        name: "wgsl/divergence",
        file: "it.wgsl",
        body: "    tile[l] = l + 1u;\n    if l == 0u {\n        workgroupBarrier();\n    }\n    out[l] = tile[1u - l];\n",
        repair: &["-        workgroupBarrier();", "+    workgroupBarrier();"],
    },
    Case {
        name: "wgsl/loop",
        file: "it.wgsl",
        body: "    for (var i = 0u; i < 2u; i++) {\n        tile[l] = l + i;\n        workgroupBarrier();\n        out[l] = tile[1u - l];\n    }\n",
        repair: &["+        workgroupBarrier();"],
    },
    Case {
        name: "wgsl/counter",
        file: "it.wgsl",
        body: "    total += l;\n",
        repair: &[
            "-@group(0) @binding(1) var<storage, read_write> total: u32;",
            "+@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;",
            "-    total += l;",
            "+    atomicAdd(&total, l);",
        ],
    },
    Case {
        name: "wgsl/members",
        file: "it.wgsl",
        body: "    tally.counts[0] = tally.counts[0] + out[l];\n    tally.counts[1] |= l;\n    tally.counts[0]++;\n",
        repair: &[
            "-struct Tally { most: u32, counts: array<u32, 2> }",
            "+struct Tally { most: u32, counts: array<atomic<u32>, 2> }",
            "-    tally.counts[0] = tally.counts[0] + out[l];",
            "-    tally.counts[1] |= l;",
            "-    tally.counts[0]++;",
            "+    atomicAdd(&tally.counts[0], out[l]);",
            "+    atomicOr(&tally.counts[1], l);",
            "+    atomicAdd(&tally.counts[0], 1);",
        ],
    },
    Case {
        name: "rust/missing",
        file: "it.rs",
        body: "    tile[l] = l + 1;\n    let i = 1 - l;\n    out[l] = tile[i];\n",
        repair: &["+    workgroup_barrier();"],
    },
    Case {
        name: "rust/class",
        file: "it.rs",
        body: "    tile[l] = l + 1;\n    storage_barrier();\n    out[l] = tile[1 - l];\n",
        repair: &["-    storage_barrier();", "+    workgroup_barrier();"],
    },
    Case {
        name: "rust/divergence",
        file: "it.rs",
        body: "    tile[l] = l + 1;\n    if l == 0 {\n        workgroup_barrier();\n    }\n    out[l] = tile[1 - l];\n",
        repair: &["-        workgroup_barrier();", "+    workgroup_barrier();"],
    },
    Case {
        name: "rust/loop",
        file: "it.rs",
        body: "    for i in 0..2 {\n        tile[l] = l + i;\n        workgroup_barrier();\n        out[l] = tile[1 - l];\n    }\n",
        repair: &["+        workgroup_barrier();"],
    },
    Case {
        name: "rust/counter",
        file: "it.rs",
        body: "    *total += l;\n    out[l] = *total;\n",
        repair: &[
            "-    total: &mut u32,",
            "+    total: &mut Atomic<u32>,",
            "-    *total += l;",
            "-    out[l] = *total;",
            "+    total.fetch_add(l);",
            "+    out[l] = total.load();",
        ],
    },
    Case {
        name: "rust/beside_atomics",
        file: "it.rs",
        body: "    atomic_add(&mut out[0], 1);\n    out[0] += 1;\n",
        repair: &["-    out[0] += 1;", "+    atomic_add(&mut out[0], 1);"],
    },
];

impl Case {
    fn holds(&self, folder: &Path) -> Result<(), Failed> {
        let head = if self.file.ends_with("rs") { RUST_HEAD } else { WGSL };
        let text = format!("{head}{}}}\n", self.body);
        let repair = repaired(folder, self.file, &text, &["--entry", "main"])?;
        let diff = repair["diff"].as_str().unwrap_or_default();
        assert_eq!(changed(diff), self.repair, "{repair}");
        assert_eq!(repair["verified"].as_bool(), Some(true), "{repair}");
        applies(folder, self.file, &text, &repair, &["--entry", "main"])
    }
}

/// The lines that a diff takes away and puts in.
fn changed(diff: &str) -> Vec<&str> {
    let is_changed = |line: &&str| {
        line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
    };
    diff.lines().filter(is_changed).collect()
}

/// Verifies the file in its folder, so that what it is called there is a path that a patch may have.
fn verified(folder: &Path, file: &str, flags: &[&str]) -> Ended {
    let one = ["--workgroups", "1"];
    let grid = if flags.contains(&"--workgroups") { &[] } else { &one[..] };
    let arguments = [&["verify", file, "--format", "json"], grid, flags].concat();
    run(hirace(&arguments).current_dir(folder), Duration::from_secs(240))
}

fn json(ended: &Ended) -> Result<Value, Failed> {
    let json: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}: {}{}", ended.stdout, ended.stderr))?;
    is_of_schema("hirace.verify-1", &json)?;
    Ok(json)
}

/// What the verb says of the repair of a text; nothing, if nothing is wrong with it.
fn repaired(folder: &Path, file: &str, text: &str, flags: &[&str]) -> Result<Value, Failed> {
    fs::write(folder.join(file), text)?;
    let json = json(&verified(folder, file, &[flags, &["--repair"]].concat()))?;
    Ok(json["programs"][0]["repair"].clone())
}

/// The diff makes of the text what the edits make of it, and that verifies.
fn applies(
    folder: &Path,
    file: &str,
    text: &str,
    repair: &Value,
    flags: &[&str],
) -> Result<(), Failed> {
    let expected = with_edits(text, repair);
    assert_ne!(expected, text, "{repair}");
    fs::write(folder.join("it.patch"), repair["diff"].as_str().unwrap_or_default())?;
    let mut git = Command::new("git");
    git.args(["apply", "-p0", "it.patch"]).current_dir(folder);
    // As outside of a repository, whatever the folder is in.
    git.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder));
    let applied = run(&mut git, Duration::from_secs(20));
    assert_eq!(applied.status, Some(0), "{}{repair}", applied.stderr);
    assert_eq!(fs::read_to_string(folder.join(file))?, expected);
    let json = json(&verified(folder, file, flags))?;
    assert_eq!(json["verdict"].as_str(), Some("verified"), "{expected}");
    Ok(())
}

/// The text with the edits that the JSON lists, from the last on.
fn with_edits(text: &str, repair: &Value) -> String {
    let mut text = text.to_owned();
    for edit in repair["edits"].as_array().into_iter().flatten().rev() {
        let number = |key: &str| edit[key].as_u64().unwrap_or(0) as usize;
        let line: usize = text.split_inclusive('\n').take(number("line") - 1).map(str::len).sum();
        let column = text[line..].chars().take(number("column") - 1).map(char::len_utf8);
        let at = line + column.sum::<usize>();
        let [removed, inserted] =
            ["remove", "insert"].map(|key| edit[key].as_str().unwrap_or_default());
        assert!(text[at..].starts_with(removed), "{edit}");
        text.replace_range(at..at + removed.len(), inserted);
    }
    text
}

/// A message behind a flag: no barrier orders workgroups, and WGSL's atomics order nothing.
fn what_nothing_helps(folder: &Path) -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> data: f32;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
    if g.x == 0u {
        data = 1.0;
        atomicStore(&flag, 1u);
    } else if atomicLoad(&flag) == 1u {
        data = data + 1.0;
    }
}
";
    fs::write(folder.join("it.wgsl"), text)?;
    let arguments = ["verify", "it.wgsl", "--workgroups", "2", "--repair", "--format", "json"];
    let ended = run(hirace(&arguments).current_dir(folder), Duration::from_secs(120));
    let json = json(&ended)?;
    let repair = &json["programs"][0]["repair"];
    assert_eq!((ended.status, repair["verified"].as_bool()), (Some(1), Some(false)), "{repair}");
    assert_eq!(repair["edits"].as_array().map(Vec::len), Some(0), "{repair}");
    Ok(())
}

fn what_cannot_be_repaired(folder: &Path) -> Result<(), Failed> {
    let binary = root().join("hirace-program/src/ir/body/tests/control.spv");
    let ended = verified(folder, &binary.display().to_string(), &["--repair"]);
    assert_eq!(ended.status, Some(2), "{}", ended.stderr);
    for word in ["no text to repair", "#[hirace::model]"] {
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
    }
    fs::write(folder.join("it.wgsl"), format!("{WGSL}}}"))?;
    let ended = verified(folder, "it.wgsl", &["--repair", "--preprocess"]);
    assert_eq!(ended.status, Some(2), "{}", ended.stderr);
    let ended = verified(folder, "it.wgsl", &["--max-candidates", "3"]);
    assert!(ended.status == Some(2) && ended.stderr.contains("--repair"), "{}", ended.stderr);
    let repair = repaired(folder, "it.wgsl", &format!("{WGSL}    out[l] = l;\n}}\n"), &[])?;
    assert!(repair.is_null(), "{repair}");
    Ok(())
}

fn few_candidates(folder: &Path) -> Result<(), Failed> {
    let text = format!("{WGSL}    total += l;\n}}\n");
    let repair = repaired(folder, "it.wgsl", &text, &["--max-candidates", "1"])?;
    assert_eq!(
        (repair["limited"].as_bool(), repair["verified"].as_bool()),
        (Some(true), Some(false)),
        "{repair}"
    );
    assert_eq!(repair["candidates"].as_u64(), Some(1), "{repair}");
    let arguments = ["verify", "it.wgsl", "--workgroups", "1", "--repair", "--max-candidates", "1"];
    let ended = run(hirace(&arguments).current_dir(folder), Duration::from_secs(120));
    assert!(ended.stdout.contains("--max-candidates"), "{}", ended.stdout);
    Ok(())
}

/// Tests of the model checker's crate that are too weak, and what their repairs put in, instruction by instruction.
fn litmus(folder: &Path) -> Result<(), Failed> {
    let table: &[(&str, &[&str])] = &[
        ("ptx/MP-cta", &["ld.acquire.gpu", "st.release.gpu"]),
        ("ptx/lock-relaxed", &["st.release.gpu", "st.release.gpu"]),
        ("ptx/lock-acquire-relaxed", &["atom.acquire.gpu.cas", "atom.acquire.gpu.cas"]),
        (
            "ptx/lock-cta",
            &["atom.acquire.gpu.cas", "atom.acquire.gpu.cas", "st.release.gpu", "st.release.gpu"],
        ),
        ("ptx/ticket-lock-relaxed", &["st.release.gpu", "st.release.gpu"]),
        ("ptx/test-and-set-lock-relaxed", &["atom.acquire.gpu.exch", "atom.acquire.gpu.exch"]),
        ("vulkan/MP-scope", &["ld.atom.acq.qf.sc0.semsc0"]),
        ("vulkan/barrier-none", &["st.atom.wg.sc0", "ld.atom.wg.sc0"]),
    ];
    for (name, inserted) in table {
        let text =
            fs::read_to_string(root().join("hirace-mc/litmus").join(format!("{name}.litmus")))?;
        let flags = ["--model", "scoped-rc11"];
        let repair = repaired(folder, "it.litmus", &text, &flags)?;
        let edits = repair["edits"].as_array().into_iter().flatten();
        let made: Vec<_> = edits.filter_map(|edit| edit["insert"].as_str()).collect();
        assert_eq!(made, *inserted, "{name}: {repair}");
        applies(folder, "it.litmus", &text, &repair, &flags)?;
    }
    Ok(())
}

/// Kernels in WGSL that verify with one workgroup, and have barriers.
const RULES: [&str; 10] = [
    "barrier_after_early_return",
    "barrier_in_a_reduction_loop",
    "helper_functions",
    "missing_barrier",
    "pointers",
    "scan_in_place",
    "storage_barrier_does_not_order_workgroup_memory",
    "transpose",
    "two_barriers_order_both",
    "workgroup_barrier_does_not_order_storage",
];

/// The same in Rust, with the entry point.
const RUST: [(&str, &str); 4] =
    [("arg_max", "clean"), ("box_blur", "clean"), ("transpose", "clean"), ("tree_sum", "tree_sum")];

/// Each barrier deleted, and each of the other class: where something is wrong then, one edit repairs it.
fn damaged(folder: &Path, file: &str, entry: Option<&str>) -> Result<(), Failed> {
    let original = fs::read_to_string(root().join(file))?;
    let name = if entry.is_some() { "it.rs" } else { "it.wgsl" };
    let flags = entry.map_or_else(Vec::new, |entry| vec!["--entry", entry]);
    fs::write(folder.join(name), &original)?;
    let whole = json(&verified(folder, name, &flags))?;
    assert_eq!(whole["verdict"].as_str(), Some("verified"), "{whole}");
    let source = Source::new(name, &original).ok_or("a source")?;
    let is_meant = |candidate: &Candidate| {
        let mutant = &candidate.mutant;
        matches!(
            mutant.operator.as_str(),
            "barrier-deleted"
                | "workgroup-barrier-to-storage-barrier"
                | "storage-barrier-to-workgroup-barrier"
        ) && (entry.is_none() || mutant.function.as_deref() == entry)
    };
    let mistakes = source.mistakes().map_err(|error| error.message.clone())?;
    let meant = source.compiling(mistakes.into_iter().filter(is_meant).collect());
    let mut wrong = 0;
    for damage in meant.map_err(|error| error.message.clone())? {
        let text = source.with(&damage);
        let repair = repaired(folder, name, &text, &flags)?;
        if repair.is_null() {
            continue;
        }
        wrong += 1;
        let operator = &damage.mutant.operator;
        let edits = repair["edits"].as_array().map(Vec::len);
        assert_eq!(
            (repair["verified"].as_bool(), edits),
            (Some(true), Some(1)),
            "{operator} {}:{}: {repair}",
            damage.mutant.line,
            damage.mutant.column
        );
        applies(folder, name, &text, &repair, &flags)?;
    }
    assert!(wrong > 0, "with none of these mistakes is anything wrong");
    Ok(())
}

/// A random kernel in which each invocation writes its own element and reads its neighbour's, with a barrier wherever one
/// may be needed.
fn kernel(random: &mut Random) -> String {
    let head = "@group(0) @binding(0) var<storage, read_write> out: array<u32, 8>;
var<workgroup> one: array<u32, 2>;
var<workgroup> two: array<u32, 2>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) l: u32) {
    var x = l;
";
    let mut body = String::new();
    let mut open = 0;
    for _ in 0..3 + random.below(4u32) {
        let indent = "    ".repeat(1 + open);
        let memory = ["one", "two"][random.below(2usize)];
        let statement = match random.below(6u32) {
            0 | 1 => format!("{memory}[l] = x + {}u;", random.below(5u32)),
            2 | 3 => format!("x += {memory}[1u - l];"),
            4 if open == 0 => {
                open += 1;
                "for (var i = 0u; i < 2u; i++) {".to_owned()
            }
            4 => {
                open -= 1;
                body += &format!("{}}}\n", "    ".repeat(1 + open));
                continue;
            }
            _ => format!("out[l] = x + {}u;", random.below(5u32)),
        };
        body += &format!("{indent}{statement}\n");
        if !statement.ends_with('{') && !statement.starts_with("out") {
            body += &format!("{indent}workgroupBarrier();\n");
        }
    }
    if open > 0 {
        body += "    }\n";
    }
    format!("{head}{body}}}\n")
}

fn random(folder: &Path) -> Result<(), Failed> {
    let mut random = Random::new(11);
    let mut wrong = 0;
    for _ in 0..200 {
        let text = kernel(&mut random);
        let path = folder.join("whole.wgsl");
        fs::write(&path, &text)?;
        let barriers = text.matches("workgroupBarrier();").count();
        if barriers == 0 {
            continue;
        }
        let gone = random.below(barriers);
        let at = text.match_indices("    workgroupBarrier();\n").nth(gone).map_or(0, |(at, _)| at);
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = at + text[at..].find('\n').unwrap_or(0) + 1;
        let damaged = format!("{}{}", &text[..line], &text[end..]);
        let repair = repaired(folder, "it.wgsl", &damaged, &[])?;
        if repair.is_null() {
            continue;
        }
        wrong += 1;
        let edits = repair["edits"].as_array().map(Vec::len);
        assert_eq!(
            (repair["verified"].as_bool(), edits),
            (Some(true), Some(1)),
            "{damaged}{repair}"
        );
        applies(folder, "it.wgsl", &damaged, &repair, &[])?;
    }
    assert!(wrong > 10, "{wrong}");
    Ok(())
}
