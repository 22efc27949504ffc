//! Tests of shaders in strings of programs: findings, coverage, mutants and errors are at lines and columns of the program.

use crate::support::{ProgramOutput, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("host::findings_are_at_lines_of_the_program", findings),
        Trial::test("host::values_are_given_by_flags", values),
        Trial::test("host::a_folder_skips_what_is_not_a_shader", folder),
        Trial::test("host::what_is_not_known_is_a_warning_at_its_place", unknown),
        Trial::test("host::errors_are_at_lines_of_the_program", errors),
        Trial::test("host::entry_points_of_several_shaders_differ", several),
        Trial::test("host::comments_suppress_findings", suppressed),
        Trial::test("host::comments_in_strings_suppress_findings_of_their_lines", suppressed_lines),
        Trial::test("host::a_text_that_may_be_something_else_is_a_warning_in_a_folder", doubtful),
        Trial::test("host::kernels_and_strings_of_one_rust_file_are_checked", both),
        Trial::test("host::mutants_and_coverage_are_at_lines_of_the_program", measured),
        Trial::test("host::templates_of_files_are_filled", templates),
        Trial::test("host::a_file_without_a_shader_is_an_error", none),
    ]
}

const LIMIT: Duration = Duration::from_secs(120);

/// The body of a kernel with a race between its second and its third line, without its workgroup size.
const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> t: array<u32, 64>;
";
const BODY: &str = "fn main(@builtin(local_invocation_index) l: u32) {
  t[l] = l;
  o[l] = t[l ^ 1u];
}
";

/// Creates a folder with these files.
fn files(name: &str, files: &[(&str, &str)]) -> Result<PathBuf, Failed> {
    let folder = scratch("host").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        std::fs::write(path, text)?;
    }
    Ok(folder)
}

fn in_folder(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    run(hirace(arguments).current_dir(folder), LIMIT)
}

/// Runs `check --format json` and returns its exit status and its document.
fn check(folder: &Path, arguments: &[&str]) -> Result<(Option<i32>, Value), Failed> {
    let ended = in_folder(folder, &[&["check", "--format", "json"], arguments].concat());
    let report = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}\n{}{}", ended.stdout, ended.stderr))?;
    Ok((ended.status, report))
}

/// Returns the file, line and column of each place of the races in a document.
fn places(report: &Value) -> Vec<(String, u64, u64)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let findings = list(&report["launches"]).into_iter().flat_map(|of| list(&of["findings"]));
    let races = findings.filter(|finding| finding["rule"] == "HR001");
    let labels = races.flat_map(|race| list(&race["accesses"])).map(|label| {
        let number = |key: &str| label[key].as_u64().unwrap_or_default();
        (label["file"].as_str().unwrap_or_default().to_owned(), number("line"), number("column"))
    });
    labels.collect()
}

fn findings() -> Result<(), Failed> {
    let size = "@compute @workgroup_size(64)\n";
    let typescript = format!("export const s = /* wgsl */ `\n{HEAD}{size}{BODY}`;\n");
    let sum = format!(
        "const W = 32;\nconst h = `\n{}`;\nexport const s = h + `\n@compute @workgroup_size(${{W * 2}})\n{BODY}`;\n",
        HEAD.replace("64", "${ W * 2 }")
    );
    let escaped = format!("s = '{}';\n", format!("{HEAD}{size}{BODY}").replace('\n', "\\n"));
    let windows = typescript.replace('\n', "\r\n");
    let html =
        format!("<!doctype html>\n<script type=\"x/wgsl\" id=s>\n{HEAD}{size}{BODY}</script>\n");
    let vue = format!(
        "<template/>\n<script setup lang=\"ts\">\nconst s: string = `\n{HEAD}{size}{BODY}`\n</script>\n"
    );
    let python = format!(
        "N = 64\nS = f'''\n{}@compute @workgroup_size({{N}})\n{}'''\n",
        HEAD.replace("64", "{N}"),
        BODY.replace('{', "{{").replace('}', "}}")
    );
    let joined: String =
        format!("{HEAD}{size}{BODY}").lines().map(|line| format!("    \"{line}\\n\"\n")).collect();
    let joined = format!("S = (\n{joined})\n");
    let rust = format!("pub const S: &str = r#\"\n{HEAD}{size}{BODY}\"#;\n");
    let format = format!(
        "const N: u32 = 64;\nfn s() -> String {{\n    format!(\"{{}}\n@compute @workgroup_size({{N}})\n{}\", H)\n}}\nconst H: &str = \"\n{HEAD}\";\n",
        BODY.replace('{', "{{").replace('}', "}}")
    );
    for (name, text, write, read) in [
        ("a.ts", &*typescript, (6, 3), (7, 10)),
        ("a.mts", &sum, (9, 3), (10, 10)),
        ("a.js", &escaped, (1, 0), (1, 0)),
        ("b.ts", &windows, (6, 3), (7, 10)),
        ("a.html", &html, (7, 3), (8, 10)),
        ("a.vue", &vue, (8, 3), (9, 10)),
        ("a.py", &python, (7, 3), (8, 10)),
        ("b.py", &joined, (6, 8), (7, 15)),
        ("a.rs", &rust, (6, 3), (7, 10)),
        ("b.rs", &format, (6, 3), (7, 10)),
    ] {
        let folder = files("findings", &[(name, text)])?;
        let (status, report) = check(&folder, &[name])?;
        let found = places(&report);
        let is_at = |(line, column): (u64, u64)| {
            found
                .iter()
                .any(|(file, l, c)| file == name && *l == line && (column == 0 || *c == column))
        };
        if status != Some(1) || !is_at(write) || !is_at(read) {
            return Err(format!("{name}: {status:?} {found:?}\n{text}\n{report:#}").into());
        }
    }
    Ok(())
}

fn values() -> Result<(), Failed> {
    let text = format!(
        "import {{ W }} from './w';\nconst s = `{HEAD}@compute @workgroup_size(${{W}})\n{BODY}`;\n"
    );
    let rust = format!(
        "fn s(w: u32) -> String {{ format!(\"{}\") }}\n",
        format!("{HEAD}@compute @workgroup_size(\u{1})\n{BODY}")
            .replace('{', "{{")
            .replace('}', "}}")
            .replace('\u{1}', "{w}")
    );
    let folder = files("values", &[("a.ts", &text), ("a.rs", &rust)])?;
    for (file, name) in [("a.ts", "W"), ("a.rs", "w")] {
        let ended = in_folder(&folder, &["check", file]);
        let help = format!("--define {name}=VALUE");
        if ended.status != Some(2) || !ended.stderr.contains(&help) {
            return Err(format!("{file}: {}{}", ended.stdout, ended.stderr).into());
        }
        let (status, report) = check(&folder, &[file, "--define", &format!("{name}=64")])?;
        if status != Some(1) || places(&report).is_empty() {
            return Err(format!("{file}: {status:?} {report:#}").into());
        }
        let replay = report.to_string();
        if !replay.contains(&format!("--define {name}=64")) {
            return Err(format!("the replay lacks the definition: {replay}").into());
        }
    }
    Ok(())
}

fn folder() -> Result<(), Failed> {
    let racy = format!("const s = `{HEAD}@compute @workgroup_size(64)\n{BODY}`;\n");
    let folder = files(
        "folder",
        &[
            ("src/a.ts", &racy),
            ("src/b.ts", "export const x = 1;\n"),
            ("src/part.ts", "export const f = `fn helper() {}`;\n"),
            (
                "src/vertex.ts",
                "const v = `@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }`;\n",
            ),
            ("src/test.ts", "if (text.includes('@compute')) throw 1;\n"),
            ("src/broken.ts", "const = = ;\n"),
            ("src/latin.py", "# only text\n"),
            ("src/node_modules/x/a.js", &racy),
            ("src/lib.min.js", &racy),
        ],
    )?;
    let (status, report) = check(&folder, &["src"])?;
    let found = places(&report);
    let is_own = found.iter().all(|(file, ..)| file == "src/a.ts");
    let errors = report["errors"].as_array().map_or(0, Vec::len);
    let ended = in_folder(&folder, &["check", "src"]);
    let is_silent = !ended.stderr.contains("warning");
    match status == Some(1) && is_own && !found.is_empty() && errors == 0 && is_silent {
        true => Ok(()),
        false => Err(format!("{status:?} {report:#}\n{}", ended.stderr).into()),
    }
}

fn unknown() -> Result<(), Failed> {
    let racy = format!("const s = `{HEAD}@compute @workgroup_size(64)\n{BODY}`;\n");
    let open = format!(
        "import {{ common }} from './c';\nconst s = `${{common}}\n@compute @workgroup_size(64)\n{BODY}`;\n"
    );
    let part = "import { tail } from './c';\nconst s = `@compute @workgroup_size(1)\nfn main() { helper(); }`;\nuse(s + tail);\n";
    let undefined = "use(`@compute @workgroup_size(1)\nfn main() { helper(); }`);\n";
    let all =
        [("a.ts", &*racy), ("open.ts", &*open), ("part.ts", part), ("undefined.ts", undefined)];
    let folder = files("unknown", &all)?;
    let (status, report) = check(&folder, &["."])?;
    let ended = in_folder(&folder, &["check", "."]);
    let starts = |line: &str| {
        line.trim_start().starts_with("--> ").then(|| line.trim_start()[4..].to_owned())
    };
    let warned = ended.stderr.lines().take_while(|line| !line.starts_with("error"));
    let mut lines: Vec<String> = warned.filter_map(starts).collect();
    lines.retain(|line| !line.starts_with("a.ts"));
    lines.sort();
    let expected = ["open.ts:2:12", "part.ts:4:9", "undefined.ts:2:13"].map(str::to_owned);
    let errors = report["errors"].as_array().map_or(0, Vec::len);
    match status == Some(1) && errors == 0 && lines == expected {
        true => Ok(()),
        false => Err(format!("{status:?} {lines:?}\n{}{report:#}", ended.stderr).into()),
    }
}

fn errors() -> Result<(), Failed> {
    let text = "const W = 'u32';\nconst s = `\nvar<private> x: ${W} = 1.5;\n@compute @workgroup_size(1)\nfn main() { let a = ; }`;\n";
    let folder = files("errors", &[("a.ts", text)])?;
    let (status, report) = check(&folder, &["a.ts"])?;
    let label = &report["errors"][0]["places"][0];
    match (status, label["file"].as_str(), label["line"].as_u64(), label["column"].as_u64()) {
        (Some(2), Some("a.ts"), Some(5), Some(21)) => Ok(()),
        _ => Err(format!("{status:?} {report:#}").into()),
    }
}

fn several() -> Result<(), Failed> {
    let size = "@compute @workgroup_size(64)\n";
    let clean = BODY.replace("  o[l]", "  workgroupBarrier();\n  o[l]");
    let text = format!(
        "const racy = `{HEAD}{size}{BODY}`;\nconst clean = `{HEAD}{size}{clean}`;\nuse({{ code: `{HEAD}{size}{}` }});\n",
        clean.replace("main", "other")
    );
    let folder = files("several", &[("a.ts", &text)])?;
    for (entry, expected) in [("racy.main", 1), ("clean.main", 0), ("other", 0)] {
        let (status, report) = check(&folder, &["a.ts", "--entry", entry])?;
        if status != Some(expected) || report["launches"][0]["entry"] != entry {
            return Err(format!("{entry}: {status:?} {report:#}").into());
        }
    }
    let (_, report) = check(&folder, &["a.ts"])?;
    let replays = report.to_string();
    match replays.contains("--entry racy.main") {
        true => Ok(()),
        false => Err(format!("{report:#}").into()),
    }
}

fn suppressed() -> Result<(), Failed> {
    let size = "@compute @workgroup_size(64)\n";
    let body = BODY.replace("  o[l]", "  // hirace: allow(race): a test\n  o[l]");
    let text = format!(
        "const a = `{HEAD}{size}{body}`;\nconst b = `{HEAD}{size}{}`;\n",
        BODY.replace("main", "other")
    );
    let folder = files("suppressed", &[("a.ts", &text)])?;
    let (status, report) = check(&folder, &["a.ts"])?;
    let allowed = report["launches"][0]["allowed"].as_array().map_or(0, Vec::len);
    let ended = in_folder(&folder, &["check", "a.ts"]);
    let lines: Vec<u64> = places(&report).into_iter().map(|(_, line, _)| line).collect();
    let is_silent = !ended.stderr.contains("warning");
    match status == Some(1) && allowed == 1 && is_silent && lines.iter().all(|line| *line > 8) {
        true => Ok(()),
        false => Err(format!("{status:?} {lines:?} {report:#}\n{}", ended.stderr).into()),
    }
}

fn suppressed_lines() -> Result<(), Failed> {
    let head = HEAD.replace('\n', "\\n");
    let comment = "// hirace: allow(race): a test\\n";
    for (before, after, expected) in [("", comment, (Some(0), 1)), (comment, "", (Some(1), 0))] {
        let body = BODY.replace('\n', "\\n").replace("  t[l] = l", &format!("{before}  t[l] = l"));
        let body =
            body.replace("  o[l]", &format!("{after}  o[l]")).replace("t[l] = l;", "let x = l;");
        let body = body.replace("o[l] = t[l ^ 1u]", "o[0] = l");
        let text = format!("const a = '{head}@compute @workgroup_size(64)\\n{body}';\n");
        let folder = files("suppressed_lines", &[("a.ts", &text)])?;
        let (status, report) = check(&folder, &["a.ts"])?;
        let allowed = report["launches"][0]["allowed"].as_array().map_or(0, Vec::len);
        if (status, allowed) != expected {
            return Err(format!("{before} {status:?} {report:#}").into());
        }
    }
    Ok(())
}

fn doubtful() -> Result<(), Failed> {
    let size = "@compute @workgroup_size(64)\n";
    let clean = BODY.replace("  o[l]", "  workgroupBarrier();\n  o[l]");
    let clean = format!("{HEAD}{size}{clean}");
    let ejs = "s = `@compute @workgroup_size(<%= W %>) fn main() {}`";
    let folder = files("doubtful", &[("src/a.wgsl", &clean), ("src/b.ts", ejs)])?;
    std::fs::write(folder.join("src/c.ts"), b"// \xe9\ns = `@compute`")?;
    let (status, report) = check(&folder, &["src"])?;
    let ended = in_folder(&folder, &["check", "src"]);
    let warnings = ended.stderr.matches("warning:").count();
    let named = ["b.ts", "c.ts"].map(|file| check(&folder.join("src"), &[file]));
    let is_refused =
        named.into_iter().all(|ended| ended.is_ok_and(|(status, _)| status == Some(2)));
    match status == Some(0) && warnings == 2 && is_refused {
        true => Ok(()),
        false => Err(format!("{status:?} {report:#}\n{}", ended.stderr).into()),
    }
}

fn both() -> Result<(), Failed> {
    let text = format!(
        "use hirace::prelude::*;\n#[hirace::monitor(workgroup_size(64))]\nfn kernel(#[builtin(local_invocation_index)] l: u32, #[workgroup] t: &mut [u32; 64], o: &mut [u32]) {{\n    t[l] = l;\n    o[l] = t[l ^ 1];\n}}\nconst S: &str = r\"{HEAD}@compute @workgroup_size(64)\n{BODY}\";\n"
    );
    let folder = files("both", &[("a.rs", &text)])?;
    let (status, report) = check(&folder, &["a.rs"])?;
    let lines: Vec<u64> = places(&report).into_iter().map(|(_, line, _)| line).collect();
    match status == Some(1) && lines.contains(&5) && lines.contains(&12) {
        true => Ok(()),
        false => Err(format!("{status:?} {lines:?} {report:#}").into()),
    }
}

fn measured() -> Result<(), Failed> {
    let body = BODY.replace("  o[l]", "  workgroupBarrier();\n  o[l]");
    let text =
        format!("const W = 64;\nconst s = `\n{HEAD}@compute @workgroup_size(${{W}})\n{body}`;\n");
    let folder = files("measured", &[("a.ts", &text)])?;
    let ended = in_folder(&folder, &["mutate", "a.ts", "--workgroups", "1", "--format", "json"]);
    let report: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}\n{}{}", ended.stdout, ended.stderr))?;
    let mutants = report["mutants"].as_array().cloned().unwrap_or_default();
    let barrier = mutants.iter().find(|mutant| {
        mutant["original"].as_str().is_some_and(|text| text.starts_with("workgroupBarrier"))
    });
    let at = barrier.map(|mutant| (mutant["line"].as_u64(), mutant["status"].as_str()));
    if at != Some((Some(8), Some("killed"))) {
        return Err(format!("{at:?} {report:#}\n{}", ended.stderr).into());
    }
    let ended = in_folder(&folder, &["cover", "a.ts", "--workgroups", "1", "--format", "json"]);
    let report: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}\n{}{}", ended.stdout, ended.stderr))?;
    match report.to_string().contains("\"line\":9") {
        true => Ok(()),
        false => Err(format!("{report:#}").into()),
    }
}

/// `${NAME}` and `{{NAME}}` in WGSL files are filled by `--define`, and the help says so.
fn templates() -> Result<(), Failed> {
    for open in ["${W}", "{{W}}", "{{ W }}"] {
        let text = format!("{HEAD}@compute @workgroup_size({open})\n{BODY}");
        let folder = files("templates", &[("a.wgsl", &text)])?;
        let ended = in_folder(&folder, &["check", "a.wgsl"]);
        if !cfg!(feature = "preprocess") {
            return Ok(());
        }
        if ended.status != Some(2) || !ended.stderr.contains("--define W=VALUE") {
            return Err(format!("{open}: {}{}", ended.stdout, ended.stderr).into());
        }
        let (status, report) = check(&folder, &["a.wgsl", "--define", "W=64"])?;
        if status != Some(1) || places(&report).is_empty() {
            return Err(format!("{open}: {status:?} {report:#}").into());
        }
    }
    Ok(())
}

fn none() -> Result<(), Failed> {
    let folder = files("none", &[("a.ts", "const x = 1;\n"), ("b.py", "s = '@compute'\n")])?;
    for name in ["a.ts", "b.py"] {
        let ended = in_folder(&folder, &["check", name]);
        let says = format!("`{name}` contains no compute shader");
        if ended.status != Some(2) || !ended.stderr.contains(&says) {
            return Err(
                format!("{name}: {:?} {}{}", ended.status, ended.stdout, ended.stderr).into()
            );
        }
    }
    Ok(())
}
