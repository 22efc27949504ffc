//! Tests of kernels in Rust on the command line: the command makes the same WGSL as the macro, and compiles no crate.

mod kernels;

use crate::support::{
    ProgramOutput, create_empty_folder, hirace, naga_rejects, root, run, scratch,
};
use hirace::Kernel;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// The file of the kernels.
const KERNELS: &str = "tests/it/rust_files/kernels.rs";

/// Returns each kernel as the macro made it, with the flags that make the same kernel of the file.
fn compiled() -> [(Kernel, &'static [&'static str]); 5] {
    use kernels::{block_sum, racy_sum, tally};
    [
        (block_sum::kernel(), &["--entry", "block_sum"]),
        (
            racy_sum::kernel::<128, 7>(),
            &["--entry", "racy_sum", "--override", "N=128", "--override", "ROUNDS=7"],
        ),
        (tally::count::kernel(), &["--entry", "count"]),
        (tally::clear::kernel(), &["--entry", "clear"]),
        (tally::fill::kernel::<8>(), &["--entry", "fill", "--override", "W=8"]),
    ]
}

type Test = fn(&Path) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("a_file_gives_the_wgsl_that_the_macro_makes", same_wgsl),
    ("a_race_is_reported_on_the_lines_of_the_file", check_file),
    ("const_parameters_are_given_as_overrides_are_or_guessed", const_parameters),
    ("what_was_not_looked_at_is_said", unseen),
    ("one_kernel_that_is_refused_leaves_the_others_checked", one_refused),
    ("files_of_a_folder_without_kernels_are_passed_over_silently", folder_of_a_crate),
    ("of_several_files_those_without_kernels_are_passed_over", several),
    ("a_module_of_helpers_alone_is_no_program", helpers),
    ("a_brace_that_is_missing_is_said_where_it_is", unbalanced),
    ("any_text_is_a_diagnostic", damaged),
];

/// Returns the trials, each with its own folder.
pub fn trials() -> Vec<Trial> {
    let trial = |&(name, test): &(&'static str, Test)| {
        Trial::test(format!("rust_files::{name}"), move || {
            let folder = scratch("rust_files").join(name);
            std::fs::create_dir_all(&folder)?;
            test(&folder)
        })
    };
    TESTS.iter().map(trial).collect()
}

fn hirace_ends(arguments: &[&str]) -> ProgramOutput {
    run(&mut hirace(arguments), LIMIT)
}

fn ensure(holds: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(format!("{ended:#?}").into()) }
}

fn same_wgsl(_: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(root().join(KERNELS))?;
    let read = hirace::raw::front::rust::parse_file(KERNELS, &text)?;
    let mut all: Vec<&str> = read.kernels().collect();
    let kernels = compiled();
    let mut named: Vec<&str> = kernels.iter().filter_map(|(kernel, _)| kernel.entry()).collect();
    all.sort_unstable();
    named.sort_unstable();
    if all != named {
        return Err(format!("the file has {all:?}, the macro compiled {named:?}").into());
    }
    for (kernel, flags) in &kernels {
        let plain = hirace_ends(&[&["expand", KERNELS, "--plain"], *flags].concat());
        ensure(plain.stdout == kernel.wgsl(), &plain)?;
        let monitored = hirace_ends(&[&["expand", KERNELS], *flags].concat());
        ensure(
            monitored.status == Some(0) && naga_rejects(&monitored.stdout).is_none(),
            &monitored,
        )?;
        let instrumented = kernel.instrumented()?;
        if let Some(error) = naga_rejects(&instrumented) {
            return Err(error.into());
        }
    }
    Ok(())
}

fn check_file(_: &Path) -> Result<(), Failed> {
    let flags = ["--entry", "racy_sum", "--workgroups", "2", "--override", "N=64"];
    let flags = [&flags[..], &["--override", "ROUNDS=6"]].concat();
    let ended = hirace_ends(&[&["check", KERNELS], &flags[..]].concat());
    ensure(ended.status == Some(1), &ended)?;
    let text = std::fs::read_to_string(root().join(KERNELS))?;
    let lines = text.lines().enumerate();
    let sums = lines.filter(|(_, line)| line.contains("tile[lane] += tile[lane + stride];"));
    let line = sums.last().ok_or("the line was not found")?.0 + 1;
    ensure(ended.stdout.contains(&format!("{KERNELS}:{line}:13")), &ended)?;
    ensure(ended.stdout.contains("--entry racy_sum --override N=64"), &ended)?;
    let replay = ended.stdout.lines().find_map(|line| line.split_once("replay: hirace "));
    let arguments: Vec<&str> = replay.ok_or("no replay line")?.1.split(' ').collect();
    let rerun = hirace_ends(&arguments);
    ensure(rerun.status == Some(1), &rerun)
}

fn const_parameters(folder: &Path) -> Result<(), Failed> {
    let ended = hirace_ends(&["check", KERNELS, "--entry", "racy_sum", "--override", "ROUNDS=3"]);
    ensure(ended.stdout.contains("inferred: const parameter `N`: 64"), &ended)?;
    ensure(!ended.stdout.contains("const parameter `ROUNDS`"), &ended)?;
    let ended = hirace_ends(&["check", KERNELS, "--entry", "fill", "--override", "W=1.5"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("`W` cannot be 1.5"), &ended)?;
    // A value for one item does not apply to another, and a value for no item is an error.
    let ended = hirace_ends(&["check", KERNELS, "--override", "LIMIT=4", "--entry", "count"]);
    ensure(ended.status != Some(2), &ended)?;
    let ended = hirace_ends(&["check", KERNELS, "--override", "LIMITS=4", "--entry", "count"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("did you mean `LIMIT`"), &ended)?;
    let ended = hirace_ends(&["check", KERNELS, "--entry", "block_sums"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("did you mean `block_sum`"), &ended)?;
    let _ = folder;
    Ok(())
}

const HIDDEN: &str = "
#[cfg(feature = \"gpu\")]
#[hirace::monitor(workgroup_size(64))]
fn behind_cfg() {}

kernels! {
    #[hirace::monitor(workgroup_size(64))]
    fn behind_macro() {}
}
";

const FILL: &str = "
#[hirace::monitor(workgroup_size(64))]
fn fill(#[builtin(global_invocation_id)] gid: UVec3, out: &mut [u32]) {
    out[gid.x] = gid.x;
}
";

fn unseen(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("kernels.rs");
    let name = path.to_string_lossy().into_owned();
    std::fs::write(&path, format!("{FILL}{HIDDEN}"))?;
    let ended = hirace_ends(&["check", &name]);
    ensure(ended.status == Some(0), &ended)?;
    for words in ["`behind_cfg` was not checked", "`behind_macro` was not checked", "`kernels!`"] {
        ensure(ended.stderr.contains(words), &ended)?;
    }
    std::fs::write(&path, HIDDEN)?;
    let named = hirace_ends(&["check", &name]);
    ensure(named.status == Some(2) && named.stderr.contains("`behind_cfg` was not"), &named)?;
    let found = hirace_ends(&["check", &folder.to_string_lossy()]);
    ensure(found.status == Some(2) && found.stderr.contains("`behind_cfg` was not"), &found)
}

fn one_refused(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("kernels.rs");
    let refused =
        "#[hirace::monitor(workgroup_size(64))] fn bad(out: &mut [u32]) { out[0] = 1.5; }";
    std::fs::write(&path, format!("{FILL}{refused}"))?;
    let ended = hirace_ends(&["check", &path.to_string_lossy()]);
    ensure(ended.status == Some(2), &ended)?;
    ensure(ended.stderr.contains("kernels.rs:6:"), &ended)?;
    ensure(ended.stdout.starts_with("proved") && ended.stdout.contains("`fill`"), &ended)
}

fn folder_of_a_crate(folder: &Path) -> Result<(), Failed> {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, text)
    };
    file(
        "src/main.rs",
        "// hirace::check(…) is called elsewhere: nothing to monitor.\nfn main() {}",
    )?;
    file("src/kernels.rs", FILL)?;
    file("src/template.rs", "this is no Rust {{ at all }}")?;
    file("target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55")?;
    file("target/copy.rs", FILL)?;
    let ended = hirace_ends(&["check", &folder.to_string_lossy()]);
    ensure(ended.status == Some(0) && ended.stderr.is_empty(), &ended)?;
    ensure(ended.stdout.contains("src/kernels.rs") && !ended.stdout.contains("copy.rs"), &ended)?;
    let named = hirace_ends(&["check", &folder.join("src/main.rs").to_string_lossy()]);
    ensure(named.status == Some(2) && named.stderr.contains("no monitored kernel"), &named)
}

fn several(folder: &Path) -> Result<(), Failed> {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map(|()| path.to_string_lossy().into_owned())
    };
    let (kernel, none) = (file("kernel.rs", FILL)?, file("none.rs", "fn main() {}")?);
    let other = file("other.rs", "mod a;")?;
    let ended = hirace_ends(&["check", &none, &kernel, &other]);
    ensure(ended.status == Some(0) && ended.stderr.is_empty(), &ended)?;
    let ended = hirace_ends(&["check", &none, &other]);
    ensure(
        ended.status == Some(2) && ended.stderr.contains("none of the files is a kernel"),
        &ended,
    )
}

fn unbalanced(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("kernel.rs");
    let text = "#[hirace::monitor(workgroup_size(64))]
fn one(#[builtin(global_invocation_id)] id: UVec3, data: &mut [u32]) {
    if id.x < data.len() {
        data[id.x] = 1;
}
";
    std::fs::write(&path, text)?;
    let ended = hirace_ends(&["check", &path.to_string_lossy()]);
    let is_said = ended.stderr.contains("this `{` is not closed");
    ensure(ended.status == Some(2) && is_said && ended.stderr.contains("kernel.rs:3:26"), &ended)
}

fn damaged(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("kernels.rs");
    let name = path.to_string_lossy().into_owned();
    let deep = format!("{FILL}fn f() {{ {}1{} }}", "(".repeat(20_000), ")".repeat(20_000));
    let kernel = format!(
        "#[hirace::monitor(workgroup_size(1))] fn f(out: &mut [u32]) {{ out[0] = {}1{}; }}",
        "(".repeat(2_000),
        ")".repeat(2_000)
    );
    for text in [&FILL[..FILL.len() - 3], "#[hirace::monitor] fn \u{0}", &deep, &kernel] {
        std::fs::write(&path, text)?;
        let ended = hirace_ends(&["check", &name]);
        ensure(matches!(ended.status, Some(0 | 2)) && !ended.timed_out, &ended)?;
    }
    Ok(())
}

/// Modules of helpers: alone they are a file without kernels, and in a folder they are skipped.
fn helpers(folder: &Path) -> Result<(), Failed> {
    let folder = create_empty_folder(folder.to_path_buf())?;
    let modules = [
        "#[hirace::monitor]\npub mod e {\n    pub fn f() {}\n}\n",
        "#[hirace::monitor]\npub mod e {\n    pub const N: u32 = 2;\n}\n",
        "#[hirace::monitor]\npub mod e {\n    pub struct P {\n        pub a: u32,\n    }\n}\n",
        "#[hirace::monitor]\npub mod e {\n    pub fn f<const N: u32>(x: u32) -> u32 {\n        x + N\n    }\n}\n",
    ];
    let kernel = "use hirace::prelude::*;\n#[hirace::monitor(workgroup_size(64))]\n\
        pub fn k(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) { out[id.x] = id.x; }\n";
    for module in modules {
        std::fs::write(folder.join("helpers.rs"), module)?;
        std::fs::write(folder.join("kernel.rs"), kernel)?;
        let ended = run(hirace(&["check", "helpers.rs"]).current_dir(&folder), LIMIT);
        let is_said = ended.stderr.contains("has no monitored kernel");
        assert!(ended.status == Some(2) && is_said && !ended.stderr.contains("bug"), "{ended:?}");
        let ended = run(hirace(&["check", "."]).current_dir(&folder), LIMIT);
        assert!(ended.status == Some(0) && ended.stderr.is_empty(), "{module}: {ended:?}");
        // In one file with a kernel.
        std::fs::write(folder.join("kernel.rs"), format!("{module}{kernel}"))?;
        let ended = run(hirace(&["check", "kernel.rs"]).current_dir(&folder), LIMIT);
        assert!(ended.status == Some(0) && ended.stderr.is_empty(), "{module}: {ended:?}");
    }
    Ok(())
}
