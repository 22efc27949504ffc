//! Tests of GLSL shaders: macros and include folders from the command line, target environments, and the source locations of
//! errors.

use crate::support::{ProgramOutput, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("glsl::macros_are_defined", macros),
        Trial::test("glsl::files_are_included", includes),
        Trial::test("glsl::a_configuration_defines_macros_and_include_folders", configured),
        Trial::test("glsl::results_are_reused_only_if_included_files_are_unchanged", reuse),
        Trial::test("glsl::only_regular_files_are_read", irregular_files),
        Trial::test("glsl::errors_have_source_locations", errors),
        Trial::test("glsl::versions_and_extensions_are_those_of_glslang", versions),
        Trial::test("glsl::target_environments_restrict_features", targets),
        Trial::test("glsl::uniforms_without_a_block_are_accepted", uniforms),
        Trial::test("glsl::cooperative_matrices_are_refused_by_name", cooperative_matrices),
        Trial::test("glsl::only_branches_of_the_shader_are_covered", branches),
        Trial::test("glsl::a_timeout_does_not_crash_the_command", timeouts),
    ]
}

/// Returns a kernel with a declaration in line 4 and a statement in line 7.
fn kernel(declaration: &str, statement: &str) -> String {
    format!(
        "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data {{ uint data[]; }};
{declaration}
shared uint tile[64];
void main() {{
    {statement}
}}
"
    )
}

fn folder(name: &str, files: &[(&str, &str)]) -> Result<PathBuf, Failed> {
    let folder = scratch("glsl").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        std::fs::write(path, text)?;
    }
    Ok(folder)
}

fn check(folder: &Path, flags: &[&str]) -> ProgramOutput {
    let arguments: Vec<&str> = ["check", "main.comp", "--format", "json", "--workgroups", "1"]
        .into_iter()
        .chain(flags.iter().copied())
        .collect();
    run(hirace(&arguments).current_dir(folder), LIMIT)
}

fn ensure(holds: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(format!("{:?}\n{}\n{}", ended.status, ended.stdout, ended.stderr).into())
    }
}

/// At a timeout, a thread may still run in glslang. It must not access destroyed data while the process exits.
fn timeouts() -> Result<(), Failed> {
    let folder = folder("timeouts", &[("main.comp", &kernel("", "data[0] = 1u;"))])?;
    for hundredths in 1..25 {
        let seconds = f64::from(hundredths) / 100.0;
        let ended = check(&folder, &["--timeout", &seconds.to_string()]);
        ensure(ended.status.is_some(), &ended)?;
    }
    Ok(())
}

/// Returns the files, lines and columns of the accesses of the first finding.
fn accesses(ended: &ProgramOutput) -> Result<Vec<(String, u64, u64)>, Failed> {
    let report: Value = serde_json::from_str(&ended.stdout)?;
    let places = report["launches"][0]["findings"][0]["accesses"].as_array();
    let places = places.ok_or_else(|| ended.stdout.clone())?.iter();
    let number = |place: &Value, key: &str| place[key].as_u64().unwrap_or_default();
    let of = |place: &Value| {
        let file = place["file"].as_str().unwrap_or_default().to_owned();
        (file, number(place, "line"), number(place, "column"))
    };
    Ok(places.map(of).collect())
}

fn macros() -> Result<(), Failed> {
    let statement = "data[gl_LocalInvocationID.x INDEX] = gl_LocalInvocationID.x;";
    let folder = folder("macros", &[("main.comp", &kernel("", statement))])?;
    let ended = check(&folder, &[]);
    ensure(ended.status == Some(2) && ended.stderr.contains("main.comp:7"), &ended)?;
    // A macro without a value is empty.
    let ended = check(&folder, &["--define", "INDEX", "--buffer", "Data=zeros:64"]);
    ensure(ended.status == Some(0), &ended)?;
    let ended = check(&folder, &["-D", "INDEX=/ 2u", "--buffer", "Data=zeros:64"]);
    ensure(ended.status == Some(1), &ended)?;
    // The location is that of the access in the source, although the macro is expanded.
    ensure(accesses(&ended)?.iter().all(|(_, line, column)| (*line, *column) == (7, 5)), &ended)?;
    ensure(ended.stdout.contains("--define 'INDEX=/ 2u'"), &ended)
}

fn includes() -> Result<(), Failed> {
    let main = kernel("#include \"sums.glsl\"", "data[gl_LocalInvocationID.x] = sum();");
    let sums = "#include <lib/one.glsl>
shared uint values[64];
uint sum() {
    uint lane = gl_LocalInvocationID.x;
    values[lane] = ONE;
    return values[63u - lane];
}
";
    let one = "#ifndef ONE_GLSL\n#define ONE_GLSL\n#define ONE 1u\n#endif\n";
    let files = [("main.comp", &*main), ("sums.glsl", sums), ("shared/lib/one.glsl", one)];
    let folder = folder("includes", &files)?;
    let ended = check(&folder, &[]);
    ensure(ended.status == Some(2) && ended.stderr.contains("sums.glsl:1"), &ended)?;
    let ended = check(&folder, &["-I", "shared", "--buffer", "Data=zeros:64"]);
    ensure(ended.status == Some(1), &ended)?;
    let found = accesses(&ended)?;
    let of = |line, column| ("sums.glsl".to_owned(), line, column);
    ensure(found.contains(&of(5, 5)) && found.contains(&of(6, 12)), &ended)?;
    ensure(ended.stdout.contains("--include shared"), &ended)
}

const CONFIGURATION: &str = "[[file]]
path = \"main.comp\"
define = { STEP = \"/ 2u\" }
include = [\"shared\"]
target-env = \"vulkan1.1\"
[[file.launch]]
workgroups = 1
buffers = { Data = \"zeros:64\" }
";

/// Returns a folder with a kernel that needs its configuration.
fn configured_folder(name: &str) -> Result<PathBuf, Failed> {
    let extension = "#extension GL_KHR_shader_subgroup_basic : require\n#include <lib/one.glsl>";
    let main =
        kernel(extension, "data[gl_LocalInvocationID.x STEP] = uint(subgroupElect()) + ONE;");
    let one = "#define ONE 1u\n";
    folder(
        name,
        &[("main.comp", &main), ("shared/lib/one.glsl", one), ("hirace.toml", CONFIGURATION)],
    )
}

fn configured() -> Result<(), Failed> {
    let folder = configured_folder("configured")?;
    let ended = check(&folder, &["--buffer", "Data=zeros:64"]);
    ensure(ended.status == Some(1), &ended)?;
    ensure(accesses(&ended)?.iter().all(|(_, line, _)| *line == 8), &ended)?;
    // Flags take precedence.
    let ended = check(&folder, &["--buffer", "Data=zeros:64", "-D", "STEP"]);
    ensure(ended.status == Some(0), &ended)?;
    let ended = check(&folder, &["--target-env", "vulkan1.0"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("SPIR-V 1.3"), &ended)?;
    // Other commands read the file in the same way.
    for arguments in
        [&["cover"][..], &["mutate", "--list"], &["amplify"], &["expand", "main.comp", "--plain"]]
    {
        let ended = run(hirace(arguments).current_dir(&folder), LIMIT);
        ensure(matches!(ended.status, Some(0 | 1)), &ended)?;
    }
    std::fs::write(folder.join("hirace.toml"), CONFIGURATION.replace("shared", "missing"))?;
    let ended = check(&folder, &[]);
    ensure(ended.status == Some(2) && ended.stderr.contains("main.comp:5"), &ended)
}

/// A run that was stopped is resumed, and shards are merged, only if included files and macros are the same.
fn reuse() -> Result<(), Failed> {
    let folder = configured_folder("reuse")?;
    let judged = || -> Result<String, Failed> {
        let arguments =
            ["mutate", "--output", "state", "--operator", "arithmetic", "--schedules", "0"];
        let ended = run(hirace(&arguments).current_dir(&folder), LIMIT);
        ensure(matches!(ended.status, Some(0 | 1)), &ended)?;
        Ok(std::fs::read_to_string(folder.join("state/run.json"))?)
    };
    let shard = |part: &str| -> Result<(), Failed> {
        let report = format!("json={}.json", &part[..1]);
        let arguments = ["check", "--shard", part, "--report", &report];
        let ended = run(hirace(&arguments).current_dir(&folder), LIMIT);
        ensure(matches!(ended.status, Some(0 | 1 | 4)), &ended)
    };
    let merged = || run(hirace(&["merge", "1.json", "2.json"]).current_dir(&folder), LIMIT);
    shard("1/2")?;
    shard("2/2")?;
    let ended = merged();
    ensure(ended.status == Some(1), &ended)?;
    let first = judged()?;
    let again = judged()?;
    std::fs::write(folder.join("shared/lib/one.glsl"), "#define ONE 2u\n")?;
    shard("2/2")?;
    let ended = merged();
    ensure(ended.status == Some(2), &ended)?;
    let second = judged()?;
    std::fs::write(folder.join("hirace.toml"), CONFIGURATION.replace("/ 2u", "/ 4u"))?;
    let third = judged()?;
    match first == again && first != second && second != third && first != third {
        true => Ok(()),
        false => Err(format!("{first} {again} {second} {third}").into()),
    }
}

fn irregular_files() -> Result<(), Failed> {
    let main = kernel("#include \"pipe\"", "");
    let folder = folder("irregular_files", &[("main.comp", &main), ("directory/x", "")])?;
    let pipe = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status()?;
    let ended = check(&folder, &[]);
    ensure(made.success() && ended.status == Some(2) && ended.stderr.contains("`pipe`"), &ended)?;
    for name in ["directory", "/dev/zero", "missing"] {
        let main = kernel(&format!("#include \"{name}\""), "");
        std::fs::write(folder.join("main.comp"), main)?;
        let ended = check(&folder, &[]);
        ensure(ended.status == Some(2) && ended.stderr.contains("main.comp:4"), &ended)?;
    }
    // An `#include` in an inactive `#if` is ignored.
    let main = kernel("#if 0\n#include \"missing\"\n#endif", "");
    std::fs::write(folder.join("main.comp"), main)?;
    let ended = check(&folder, &[]);
    ensure(ended.status == Some(0), &ended)
}

fn errors() -> Result<(), Failed> {
    let folder = folder("errors", &[])?;
    for (declaration, statement, place, message) in [
        ("", "data[0] = one;", "main.comp:7:15", "'one' : undeclared identifier"),
        ("", "uint a = 1u data[0] = a;", "main.comp:7:17", "syntax error"),
        ("#error no", "", "main.comp:4", "no"),
        ("#line 90", "data[0] = one;", "main.comp:7:15", "undeclared"),
        ("#define ONE one", "data[0] = ONE;", "main.comp:7:15", "undeclared"),
        ("#if 1", "", "main.comp", "missing #endif"),
    ] {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("main.comp"), kernel(declaration, statement))?;
        let ended = check(&folder, &[]);
        let is_there = ended.stderr.contains(place) && ended.stderr.contains(message);
        ensure(ended.status == Some(2) && is_there, &ended)?;
    }
    Ok(())
}

fn versions() -> Result<(), Failed> {
    let folder = folder("versions", &[("main.comp", "")])?;
    let extensions = "#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
layout(constant_id = 0) const uint SIZE = 64;
shared uint sized[SIZE];
layout(std430, binding = 1) buffer Bytes { uint8_t bytes[]; };";
    let unrolled =
        "[[unroll]] for (uint i = 0u; i < 1u; i++) data[gl_LocalInvocationID.x] = uint(bytes[0]);";
    for text in [
        kernel("", "").replace("450", "430"),
        kernel("", "").replace("450", "310 es"),
        kernel("", "").replace("#version 450\n", ""),
        kernel("layout(std430) buffer;", ""),
        kernel("", "data[gl_LocalInvocationID.x] = 1u;").replace('\n', "\r\n"),
        kernel(extensions, unrolled),
    ] {
        std::fs::write(folder.join("main.comp"), &text)?;
        let ended = check(&folder, &["--buffer", "Data=zeros:64"]);
        if ended.status != Some(0) {
            return Err(format!("{text}\n{}\n{}", ended.stdout, ended.stderr).into());
        }
    }
    Ok(())
}

fn targets() -> Result<(), Failed> {
    let extension = "#extension GL_KHR_shader_subgroup_basic : require";
    let statement = "if (subgroupElect()) data[gl_SubgroupID] = 1u;";
    let folder = folder("targets", &[("main.comp", &kernel(extension, statement))])?;
    let data = ["--buffer", "Data=zeros:64"];
    let ended = check(&folder, &data);
    ensure(ended.status == Some(0), &ended)?;
    // Subgroups need SPIR-V 1.3.
    let ended = check(&folder, &["--target-env", "vulkan1.0"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("SPIR-V 1.3"), &ended)?;
    let ended = check(&folder, &["--target-env", "vulkan1.1", data[0], data[1]]);
    ensure(ended.status == Some(0), &ended)?;
    let ended = check(&folder, &["--target-env", "metal"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("vulkan1.3"), &ended)
}

fn uniforms() -> Result<(), Failed> {
    let statement = "if (gl_LocalInvocationID.x < count) data[gl_LocalInvocationID.x] = 1u;";
    let folder = folder("uniforms", &[("main.comp", &kernel("uniform uint count;", statement))])?;
    let ended = check(&folder, &["--buffer", "Data=zeros:64"]);
    ensure(ended.status == Some(0) || ended.status == Some(4), &ended)?;
    ensure(ended.stdout.contains("count"), &ended)
}

/// Instructions that hirace replaces with several others, and accesses to elements at dynamic indices, do not count as branches.
fn branches() -> Result<(), Failed> {
    let text = "#version 450
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Rows { int values[64]; } rows[3];
layout(std430, binding = 1) readonly buffer Which { uint which; };
void main() {
    int l = int(gl_LocalInvocationIndex);
    int x = (l - 5) % 7;
    ivec2 y = ivec2(x, l) % ivec2(3);
    x += subgroupClusteredMax(x, 4u) + rows[which].values[l];
    rows[which].values[l] = x > 3 ? y.x : x;
}
";
    let folder = folder("branches", &[("main.comp", text)])?;
    let ended = run(
        hirace(&["cover", "main.comp", "--workgroups", "1", "--format", "json"])
            .current_dir(folder),
        LIMIT,
    );
    let report: Value = serde_json::from_str(&ended.stdout)?;
    let branches = report["files"][0]["branches"].as_array().ok_or("no branches")?;
    let found: Vec<_> =
        branches.iter().map(|of| (of["kind"].as_str(), of["line"].as_u64())).collect();
    ensure(found == [(Some("if"), Some(11))], &ended)
}

fn cooperative_matrices() -> Result<(), Failed> {
    let extensions = "#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#define MATRIX coopmat<uint, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>";
    let statement = "MATRIX sum;
    coopMatLoad(sum, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(sum, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);";
    let folder = folder("cooperative_matrices", &[("main.comp", &kernel(extensions, statement))])?;
    let ended = check(&folder, &["--target-env", "vulkan1.3"]);
    let said = ["cooperative matrices", "main.comp:10", "a variant of the kernel"];
    let is_said = said.iter().all(|said| ended.stderr.contains(said));
    ensure(ended.status == Some(2) && is_said, &ended)
}
