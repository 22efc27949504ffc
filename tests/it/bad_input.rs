//! Tests of bad input: each case must give a diagnostic that names the problem and exit status 2, without a panic or a hang.

use crate::schema::is_of_schema;
use crate::support::{ProgramOutput, create_empty_folder, hirace, root, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::time::Duration;

const GOOD: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> limits: vec4<u32>;
override scale: u32 = 1u;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < limits.x) {
        data[id.x] = id.x * scale;
    }
}
";

/// A case: its name, the contents of `shader.wgsl`, the arguments after `check` (`{}` stands for the shader's path), and the
/// texts that the diagnostic must contain.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    // Files.
    ("missing_file", GOOD, &["no/such/file.wgsl"], &["no/such/file.wgsl"]),
    ("unknown_extension", GOOD, &["Cargo.toml"], &["Cargo.toml"]),
    ("empty_file", "", &["{}"], &["no compute entry point"]),
    ("no_compute_entry_point", "fn helper() {}", &["{}"], &["no compute entry point"]),
    (
        "fragment_entry_point_only",
        "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(); }",
        &["{}"],
        &["no compute entry point"],
    ),
    // WGSL.
    ("syntax_error", "fn main( {", &["{}"], &["shader.wgsl:1:"]),
    (
        "unknown_name",
        "@compute @workgroup_size(1) fn main() { x = 1; }",
        &["{}"],
        &["x", "shader.wgsl:1:"],
    ),
    (
        "type_error",
        "@compute @workgroup_size(1)\nfn main() {\n    var a: u32 = 1.5;\n}",
        &["{}"],
        &["shader.wgsl:3:"],
    ),
    (
        "workgroup_size_out_of_range",
        "@compute\n@workgroup_size(70000) fn main() {}",
        &["{}"],
        &["out of range", "shader.wgsl:2:1"],
    ),
    (
        "workgroup_size_of_nothing",
        "fn mainly() {}\n@compute @workgroup_size(1, 0)\nfn main() {}",
        &["{}"],
        &["out of range", "shader.wgsl:2:10"],
    ),
    (
        "arrays_that_add_up",
        "@group(0) @binding(0) var<storage, read_write> a: array<u32, 200000000>;
@group(0) @binding(1) var<storage, read_write> b: array<u32, 200000000>;
@compute @workgroup_size(1) fn main() { a[0] = b[0]; }",
        &["{}"],
        &["launch limit of 256 MiB", "shader.wgsl:1:"],
    ),
    (
        "recursion",
        "fn f() { f(); } @compute @workgroup_size(1) fn main() { f(); }",
        &["{}"],
        &["shader.wgsl:1:"],
    ),
    (
        "import_directive",
        "#import bevy_pbr::utils\n@compute @workgroup_size(1) fn main() {}",
        &["{}"],
        &["template"],
    ),
    (
        "conditional_directive",
        "#ifdef FAST\n#endif\n@compute @workgroup_size(1) fn main() {}",
        &["{}"],
        &["template"],
    ),
    ("braces", "@compute @workgroup_size({{SIZE}}) fn main() {}", &["{}"], &["template"]),
    // Flags.
    ("no_file", GOOD, &[], &["no file to check"]),
    ("unknown_flag", GOOD, &["{}", "--wrokgroups", "2"], &["--wrokgroups", "--workgroups"]),
    ("unknown_entry", GOOD, &["{}", "--entry", "mian"], &["mian", "main"]),
    ("unknown_entry_in_dispatch", GOOD, &["{}", "--dispatch", "mian:2"], &["mian", "main"]),
    ("grid_of_words", GOOD, &["{}", "--workgroups", "two"], &["two"]),
    ("grid_of_four", GOOD, &["{}", "--workgroups", "1,2,3,4"], &["1,2,3,4"]),
    ("negative_grid", GOOD, &["{}", "--workgroups=-1"], &["-1"]),
    ("grid_beyond_u32", GOOD, &["{}", "--workgroups", "99999999999"], &["99999999999"]),
    (
        "huge_grid",
        GOOD,
        &["{}", "--workgroups", "4294967295,4294967295,4294967295"],
        &["workgroups"],
    ),
    ("grid_beyond_the_limit", GOOD, &["{}", "--workgroups", "65536"], &["65535"]),
    ("zero_grid", GOOD, &["{}", "--workgroups", "0"], &["workgroups"]),
    ("unknown_buffer", GOOD, &["{}", "--buffer", "dta=zeros:8"], &["dta", "data"]),
    (
        "buffer_twice",
        GOOD,
        &["{}", "--buffer", "data=zeros:8", "--buffer", "data=zeros:4"],
        &["data"],
    ),
    ("buffer_without_contents", GOOD, &["{}", "--buffer", "data"], &["NAME=SPEC"]),
    ("buffer_of_no_kind", GOOD, &["{}", "--buffer", "data=zeroes:8"], &["zeroes", "zeros"]),
    ("buffer_of_words", GOOD, &["{}", "--buffer", "data=1,two,3"], &["two"]),
    ("buffer_too_long", GOOD, &["{}", "--buffer", "limits=1,2,3,4,5"], &["limits"]),
    ("huge_buffer", GOOD, &["{}", "--buffer", "data=zeros:99999999999999"], &["data"]),
    ("missing_buffer_file", GOOD, &["{}", "--buffer", "data=@no/such.npy"], &["no/such.npy"]),
    ("buffer_from_a_folder", GOOD, &["{}", "--buffer", "data=@kernels"], &["kernels"]),
    ("malformed_npy", GOOD, &["{}", "--buffer", "data=@{folder}/bad.npy"], &["bad.npy"]),
    ("truncated_npy", GOOD, &["{}", "--buffer", "data=@{folder}/short.npy"], &["short.npy"]),
    (
        "npy_of_floats",
        GOOD,
        &["{}", "--buffer", "data=@{folder}/floats.npy"],
        &["floats.npy", "u32"],
    ),
    ("unknown_override", GOOD, &["{}", "--override", "scael=2"], &["scael", "scale"]),
    ("override_of_words", GOOD, &["{}", "--override", "scale=big"], &["big"]),
    ("unknown_report", GOOD, &["{}", "--report", "pdf=out.pdf"], &["pdf"]),
    ("unknown_format", GOOD, &["{}", "--format", "yaml"], &["yaml"]),
    ("unknown_device", GOOD, &["{}", "--device", "abacus"], &["device"]),
    ("missing_config", GOOD, &["{}", "--config", "no/such.toml"], &["no/such.toml"]),
    ("malformed_config", GOOD, &["{}", "--config", "{folder}/bad.toml"], &["bad.toml"]),
    ("unknown_key_in_config", GOOD, &["{}", "--config", "{folder}/key.toml"], &["key.toml"]),
];

/// Returns a trial for each case, and further trials that do not fit in one line.
pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = CASES
        .iter()
        .filter(|case| cfg!(feature = "npy") || !case.0.contains("npy"))
        // A build without device support cannot know which device names are valid.
        .filter(|case| cfg!(feature = "gpu") || case.0 != "unknown_device")
        .map(|case| Trial::test(format!("bad_input::{}", case.0), move || refused(case)))
        .collect();
    trials.push(Trial::test("bad_input::good_input_is_taken", good));
    trials.push(Trial::test("bad_input::not_utf8", not_utf8));
    trials.push(Trial::test("bad_input::folder_without_shaders", empty_folder));
    trials.push(Trial::test("bad_input::deep_nesting", deep_nesting));
    trials.push(Trial::test("bad_input::unknown_verb", unknown_verb));
    trials.push(Trial::test("bad_input::stands_beside_findings", beside_findings));
    trials.push(Trial::test("bad_input::before_any_input_is_reported_too", before_inputs));
    for verb in ["check", "cover", "amplify", "verify", "mutate", "audit"] {
        let name = format!("bad_input::parts_in_a_folder_are_passed_over_by_{verb}");
        trials.push(Trial::test(name, move || parts(verb)));
    }
    for verb in ["check", "cover", "amplify", "verify"] {
        let name = format!("bad_input::the_document_of_{verb}_has_unread_inputs");
        trials.push(Trial::test(name, move || unread(verb)));
    }
    trials
}

const LIMIT: Duration = Duration::from_secs(60);

/// Runs `check` on a file with this text, in a folder that also has a few bad files.
fn check(name: &str, text: &[u8], arguments: &[&str]) -> Result<ProgramOutput, Failed> {
    let folder = scratch("bad_input").join(name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("shader.wgsl"), text)?;
    std::fs::write(folder.join("bad.npy"), b"not a numpy file")?;
    std::fs::write(folder.join("short.npy"), npy("<u4", &[0; 6]))?;
    std::fs::write(folder.join("floats.npy"), npy("<f8", &1.5f64.to_le_bytes().repeat(8)))?;
    std::fs::write(folder.join("bad.toml"), "[kernel\n")?;
    std::fs::write(folder.join("key.toml"), "wacth = [\"data\"]\n")?;
    let folder = folder.to_string_lossy();
    let shader = format!("{folder}/shader.wgsl");
    let arguments = arguments.iter().map(|a| a.replace("{folder}", &folder).replace("{}", &shader));
    let arguments: Vec<String> = ["check".to_owned()].into_iter().chain(arguments).collect();
    Ok(run(&mut hirace(&arguments), LIMIT))
}

/// Returns a .npy file that claims to hold 8 numbers of this type.
fn npy(type_: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{type_}', 'fortran_order': False, 'shape': (8,), }}");
    let padded = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((padded.len() as u16).to_le_bytes());
    bytes.extend(padded.as_bytes());
    bytes.extend(data);
    bytes
}

fn refused((name, text, arguments, says): &Case) -> Result<(), Failed> {
    let ended = check(name, text.as_bytes(), arguments)?;
    is_refusal(&ended)?;
    for part in *says {
        if !ended.stderr.contains(part) {
            return Err(format!("`{part}` was not found in:\n{}", ended.stderr).into());
        }
    }
    // clap words its own errors; a bad `--format` leaves no format to report in.
    if ended.stderr.contains("try '--help'") || arguments.contains(&"--format") {
        return Ok(());
    }
    let ended = check(name, text.as_bytes(), &[*arguments, &["--format", "json"]].concat())?;
    is_refusal(&ended)?;
    let said = errors(&ended.stdout)?.join("\n");
    match says.iter().find(|part| !said.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("`{part}` was not found in:\n{}", ended.stdout).into()),
    }
}

/// Returns the errors of a report, each prefixed with its locations. Fails if they differ from the inputs listed as not checked.
fn errors(report: &str) -> Result<Vec<String>, Failed> {
    let report: Value =
        serde_json::from_str(report).map_err(|error| format!("{error}:\n{report}"))?;
    let list = |key: &str| report[key].as_array().ok_or(format!("no list {key} in {report:#}"));
    let (errors, left) = (list("errors")?, list("not_checked")?);
    let named = |of: &[Value], key: &str| -> Vec<(Value, Value)> {
        of.iter().map(|each| (each["input"].clone(), each[key].clone())).collect()
    };
    if errors.is_empty() || named(errors, "message") != named(left, "reason") {
        return Err(format!("errors differ from unchecked inputs:\n{report:#}").into());
    }
    let said = |error: &Value| {
        let places = error["places"].as_array().into_iter().flatten();
        let places = places.map(|place| {
            let file = place["file"].as_str().unwrap_or_default();
            format!("{file}:{}:{}: {}", place["line"], place["column"], place["label"])
        });
        let texts = [&error["message"], &error["help"]].into_iter();
        let texts = texts.chain(error["notes"].as_array().into_iter().flatten());
        let texts = texts.filter_map(|text| text.as_str().map(str::to_owned));
        places.chain(texts).collect::<Vec<_>>().join("\n")
    };
    Ok(errors.iter().map(said).collect())
}

/// Errors in some inputs are reported together with the findings in the others, in every format and in report files.
fn beside_findings() -> Result<(), Failed> {
    let folder = scratch("bad_input").join("beside_findings");
    std::fs::create_dir_all(&folder)?;
    let at = |name: &str| folder.join(name).display().to_string();
    let racy = GOOD.replace("data[id.x]", "data[0]");
    std::fs::write(at("racy.wgsl"), racy)?;
    std::fs::write(at("bad.wgsl"), "@compute @workgroup_size(1)\nfn main() {\n    x = 1;\n}\n")?;
    let sarif = format!("sarif={}", at("out.sarif"));
    let inputs = [at("racy.wgsl"), at("bad.wgsl"), at("missing.wgsl")];
    let mut arguments: Vec<String> =
        ["check", "--format", "json", "--report", &sarif].into_iter().map(str::to_owned).collect();
    arguments.extend(inputs);
    let ended = run(&mut hirace(&arguments), LIMIT);
    let errors = errors(&ended.stdout)?;
    let [bad, missing] = &errors[..] else { return Err(ended.stdout.into()) };
    let right = ended.status == Some(1)
        && bad.contains("bad.wgsl:3:5")
        && missing.contains("missing.wgsl")
        && ended.stdout.contains("\"HR001\"");
    let log: Value = serde_json::from_str(&std::fs::read_to_string(at("out.sarif"))?)?;
    let said = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    let place = &said[0]["locations"][0]["physicalLocation"];
    let right = right && place["region"]["startLine"] == 3 && said[1]["level"] == "error";
    if right { Ok(()) } else { Err(format!("{ended:?}\n{log:#}").into()) }
}

/// Errors that are found before any input is read are printed and written to report files; but no report overwrites a file that
/// was to be read.
fn before_inputs() -> Result<(), Failed> {
    let folder = scratch("bad_input").join("before_inputs");
    std::fs::create_dir_all(&folder)?;
    let at = |name: &str| folder.join(name).display().to_string();
    let (good, json) = (at("good.wgsl"), format!("json={}", at("out.json")));
    std::fs::write(&good, GOOD)?;
    let _ = std::fs::remove_file(at("out.json"));
    std::fs::write(at("known.json"), "{}")?;
    let known = at("known.json");
    let flags = ["check", &good, "--baseline", &known, "--format", "sarif", "--report", &json];
    let ended = run(&mut hirace(&flags), LIMIT);
    let log: Value = serde_json::from_str(&ended.stdout)?;
    let invocation = &log["runs"][0]["invocations"][0];
    let said = invocation["toolExecutionNotifications"][0]["message"]["text"].to_string();
    let written = errors(&std::fs::read_to_string(at("out.json"))?)?;
    let right = ended.status == Some(2)
        && invocation["executionSuccessful"] == false
        && said.contains("known.json")
        && written.len() == 1
        && written[0].contains("known.json");
    if !right {
        return Err(format!("{ended:?}\n{written:?}").into());
    }
    let over = format!("json={good}");
    let ended = run(&mut hirace(&["check", &good, "--format", "json", "--report", &over]), LIMIT);
    let kept = std::fs::read_to_string(&good)? == GOOD;
    let said = errors(&ended.stdout)?;
    let right = ended.status == Some(2) && kept && said[0].contains("would overwrite");
    if right { Ok(()) } else { Err(format!("{kept} {ended:?}").into()) }
}

fn is_refusal(ended: &ProgramOutput) -> Result<(), Failed> {
    let ProgramOutput { status, timed_out, stderr, .. } = ended;
    if *timed_out {
        return Err("does not terminate".into());
    }
    if stderr.contains("panicked") || *status == Some(101) {
        return Err(format!("a panic:\n{stderr}").into());
    }
    if *status != Some(2) {
        return Err(format!("exit status {status:?}, not 2:\n{stderr}\n{}", ended.stdout).into());
    }
    if !stderr.contains("error") {
        return Err(format!("no diagnostic:\n{stderr}").into());
    }
    Ok(())
}

fn good() -> Result<(), Failed> {
    let ended = check("good", GOOD.as_bytes(), &["{}"])?;
    if matches!(ended.status, Some(0 | 4)) { Ok(()) } else { Err(format!("{ended:?}").into()) }
}

fn not_utf8() -> Result<(), Failed> {
    let ended = check("not_utf8", b"fn main() { // \xff\xfe\n}", &["{}"])?;
    is_refusal(&ended)?;
    if ended.stderr.contains("UTF-8") { Ok(()) } else { Err(ended.stderr.into()) }
}

fn empty_folder() -> Result<(), Failed> {
    let folder = scratch("bad_input").join("no_shaders");
    std::fs::create_dir_all(&folder)?;
    let ended = run(&mut hirace(&["check".as_ref(), folder.as_os_str()]), LIMIT);
    is_refusal(&ended)?;
    if ended.stderr.contains("no_shaders") { Ok(()) } else { Err(ended.stderr.into()) }
}

/// Parsers recurse: thousands of nested constructs must not overflow the stack.
fn deep_nesting() -> Result<(), Failed> {
    let many = 20_000;
    let body = [
        format!("let a = {}1u{};", "(".repeat(many), ")".repeat(many)),
        format!("let a = {}1i;", "-".repeat(many)),
        format!("{}{}", "{".repeat(many), "}".repeat(many)),
        format!("{}{}", "if true {".repeat(many), "}".repeat(many)),
        format!("var a: {}u32{};", "array<".repeat(many), ", 1>".repeat(many)),
        format!("let a = 1u{};", " + 1u".repeat(many)),
    ];
    for (i, body) in body.iter().enumerate() {
        let text = format!("@compute @workgroup_size(1) fn main() {{ {body} }}");
        let ended = check(&format!("deep_nesting_{i}"), text.as_bytes(), &["{}"])?;
        // A long sum is a valid program; the other bodies are rejected.
        let taken = matches!(ended.status, Some(0 | 4)) && !ended.timed_out;
        if !taken {
            is_refusal(&ended).map_err(|error| {
                Failed::from(format!("nesting {i}: {}", error.message().unwrap_or("fails")))
            })?;
        }
    }
    Ok(())
}

fn unknown_verb() -> Result<(), Failed> {
    let mut command = hirace(&["chekc"]);
    let ended = run(command.current_dir(root()), LIMIT);
    is_refusal(&ended)?;
    if ended.stderr.contains("check") { Ok(()) } else { Err(ended.stderr.into()) }
}

/// With one good input and one that cannot be read or run, the document of the verb names the bad one, and the verdict is not
/// clean.
fn unread(verb: &str) -> Result<(), Failed> {
    let folder = create_empty_folder(scratch("bad_input").join(format!("unread-{verb}")))?;
    let fine = "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>, 4>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
            atomicAdd(&n[i], 1u);
        }";
    std::fs::write(folder.join("fine.wgsl"), fine)?;
    let unread = [
        ("syntax.wgsl", "fn main( {"),
        ("none.wgsl", "fn helper() {}"),
        ("syntax.rs", "#[hirace::monitor(workgroup_size(1))] fn main( {"),
        ("types.wgsl", "@compute @workgroup_size(1) fn main() { var a: u32 = 1.5; }"),
    ];
    for (file, text) in unread {
        std::fs::write(folder.join(file), text)?;
    }
    let files = unread.map(|(file, _)| file).into_iter().chain(["missing.wgsl"]);
    for file in files {
        let launch = ["--workgroups", "1", "--buffer", "n=zeros", "--format", "json"];
        let arguments = [&[verb, "fine.wgsl", file], &launch[..]].concat();
        let ended = run(hirace(&arguments).current_dir(&folder), LIMIT);
        let json: Value = serde_json::from_str(&ended.stdout)
            .map_err(|error| format!("{file}: {error}: {ended:?}"))?;
        let schema = json["schema"].as_str().unwrap_or_default().replace('/', "-");
        is_of_schema(&schema, &json)?;
        let errors = json["errors"].as_array().cloned().unwrap_or_default();
        let named =
            errors.iter().filter_map(|error| error["file"].as_str().or(error["input"].as_str()));
        assert_eq!(named.collect::<Vec<_>>(), [file], "{verb}: {json:#}");
        assert_eq!(ended.status, Some(2), "{verb} {file}: {ended:?}");
        let verdict = json["verdict"].as_str();
        assert!(verdict.is_none_or(|verdict| verdict == "inconclusive"), "{verb} {file}: {json:#}");
    }
    Ok(())
}

/// A folder that contains files that are not complete kernels does not stop any verb. A file that is named explicitly does.
fn parts(verb: &str) -> Result<(), Failed> {
    let folder = create_empty_folder(scratch("bad_input").join(format!("parts-{verb}")))?;
    let fine = "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>, 4>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
            atomicAdd(&n[i], 1u);
        }";
    let parts = [
        ("helper.wgsl", "fn helper() -> u32 { return 1u; }"),
        ("vertex.wgsl", "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }"),
        ("plain.rs", "pub fn f() {}"),
        ("helpers.rs", "#[hirace::monitor]\npub mod e {\n    pub fn f() {}\n}\n"),
    ];
    for (file, text) in parts.into_iter().chain([("fine.wgsl", fine)]) {
        std::fs::write(folder.join(file), text)?;
    }
    let launch = ["--workgroups", "1", "--buffer", "n=zeros"];
    let ended = run(hirace(&[&[verb, "."], &launch[..]].concat()).current_dir(&folder), LIMIT);
    assert!(matches!(ended.status, Some(0 | 1)), "{verb}: {ended:?}");
    for part in ["helper.wgsl", "vertex.wgsl"] {
        assert!(ended.stderr.contains(&format!("{part} was skipped")), "{verb}: {ended:?}");
    }
    assert!(!ended.stderr.contains("error"), "{verb}: {ended:?}");
    std::fs::remove_file(folder.join("fine.wgsl"))?;
    let ended = run(hirace(&[&[verb, "."], &launch[..]].concat()).current_dir(&folder), LIMIT);
    let is_said = ended.stderr.contains("none of the files is a kernel by itself");
    assert!(ended.status == Some(2) && is_said, "{verb}: {ended:?}");
    let named = [&[verb, "helper.wgsl"], &launch[..]].concat();
    let ended = run(hirace(&named).current_dir(&folder), LIMIT);
    assert_eq!(ended.status, Some(2), "{verb}: {ended:?}");
    Ok(())
}
