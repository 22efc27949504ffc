//! Tests of files for naga_oil: findings are at lines of the original files, and what is missing is named with the flag that
//! gives it.

use crate::support::{ProgramOutput, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("preprocess::findings_stand_where_they_were_written", finds),
        Trial::test("preprocess::names_and_values_decide", defines),
        Trial::test("preprocess::a_folder_is_taken_as_a_whole", folder),
        Trial::test("preprocess::what_it_makes_is_printed", expands),
        Trial::test("preprocess::the_help_of_a_template_is_a_command_that_works", pasted),
        Trial::test("preprocess::what_is_missing_is_named", missing),
        Trial::test("preprocess::a_part_is_put_in_as_vello_does", part),
    ]
}

const LIMIT: Duration = Duration::from_secs(60);

/// A module that sums the values of a workgroup, without the barrier if `RACY` is defined.
const SUMS: &str = "\
#define_import_path tools::sums

var<workgroup> tile: array<u32, #{TILE}>;

fn sum(lane: u32, value: u32) -> u32 {
    tile[lane] = value;
#ifndef RACY
    workgroupBarrier();
#endif
    return tile[(lane + 1u) % #{TILE}];
}
";

const MAIN: &str = "\
#import tools::sums
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(#{TILE})
fn main(@builtin(local_invocation_index) lane: u32) {
    data[lane] = sums::sum(lane, lane);
}
";

/// Creates a folder with these files, and deletes what a previous test of this name left.
fn files(name: &str, files: &[(&str, &str)]) -> Result<PathBuf, Failed> {
    let folder = scratch("preprocess").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        std::fs::write(path, text)?;
    }
    Ok(folder)
}

/// Runs `hirace` in `folder`.
fn in_folder(folder: &PathBuf, arguments: &[&str]) -> ProgramOutput {
    run(hirace(arguments).current_dir(folder), LIMIT)
}

fn ensure(is_so: bool, ended: &ProgramOutput) -> Result<(), Failed> {
    if is_so {
        Ok(())
    } else {
        Err(format!("{:?}\n{}{}", ended.status, ended.stdout, ended.stderr).into())
    }
}

fn finds() -> Result<(), Failed> {
    let folder = files("finds", &[("main.wgsl", MAIN), ("tools/sums.wgsl", SUMS)])?;
    let flags = ["--define", "TILE=64", "--define", "RACY", "--workgroups", "1"];
    let ended =
        in_folder(&folder, &[&["check", "main.wgsl", "--format", "json"], &flags[..]].concat());
    let report: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}\n{}{}", ended.stdout, ended.stderr))?;
    let finding = &report["launches"][0]["findings"][0];
    let place = |index: usize| {
        let place = &finding["accesses"][index];
        format!("{}:{}:{}", place["file"], place["line"], place["column"])
    };
    let mut places = [place(0), place(1)];
    places.sort();
    let replay = finding["replay"].as_str().unwrap_or_default();
    let again = "hirace check main.wgsl --define TILE=64 --define RACY --workgroups 1";
    let expected = ["\"tools/sums.wgsl\":10:12", "\"tools/sums.wgsl\":6:5"];
    let right = places == expected && report["launches"][0]["source"] == "main.wgsl";
    let right = right && replay == again;
    ensure(ended.status == Some(1) && right, &ended)
}

fn defines() -> Result<(), Failed> {
    let folder = files("defines", &[("main.wgsl", MAIN), ("sums.wgsl", SUMS)])?;
    let of = ["check", "main.wgsl", "--workgroups", "1", "--preprocess", "--define", "TILE=32"];
    let ended = in_folder(&folder, &of);
    ensure(ended.status == Some(0) && ended.stdout.contains("of 32 invocations"), &ended)?;
    let wrong = ["check", "main.wgsl", "--define", "TILE=many"];
    let ended = in_folder(&folder, &wrong);
    ensure(ended.status == Some(2) && ended.stderr.contains("an integer"), &ended)?;
    let ended = in_folder(&folder, &["check", "main.wgsl", "--define", "TI LE"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("NAME=VALUE"), &ended)
}

/// A folder's modules are skipped, and files without preprocessor directives are checked unchanged.
fn folder() -> Result<(), Failed> {
    let plain = "@compute @workgroup_size(1) fn plain() {}\n";
    let all = [("main.wgsl", MAIN), ("lib/deep/sums.wgsl", SUMS), ("plain.wgsl", plain)];
    let folder = files("folder", &all)?;
    let ended = in_folder(&folder, &["check", ".", "--define", "TILE=8", "--workgroups", "1"]);
    let right = ended.stderr.contains("lib/deep/sums.wgsl was skipped")
        && ended.stdout.contains("`main`")
        && ended.stdout.contains("`plain`");
    ensure(ended.status == Some(0) && right, &ended)?;
    // A module further away than the neighboring files has to be named.
    let ended = in_folder(&folder, &["check", "main.wgsl", "--define", "TILE=8"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("--module PATH"), &ended)?;
    let named =
        ["check", "main.wgsl", "--define", "TILE=8", "--workgroups", "1", "--module", "lib"];
    let ended = in_folder(&folder, &named);
    ensure(ended.status == Some(0), &ended)?;
    let over = [&named[..], &["--module", "plain.wgsl", "--report", "json=plain.wgsl"]].concat();
    let ended = in_folder(&folder, &over);
    let kept = std::fs::read_to_string(folder.join("plain.wgsl"))? == plain;
    ensure(ended.status == Some(2) && kept && ended.stderr.contains("module"), &ended)
}

fn expands() -> Result<(), Failed> {
    let folder = files("expands", &[("main.wgsl", MAIN), ("sums.wgsl", SUMS)])?;
    let flags = ["expand", "main.wgsl", "--plain", "--preprocess", "--define", "TILE=4"];
    let ended = in_folder(&folder, &flags);
    let text = &ended.stdout;
    // The lines of the first file keep their numbers.
    let right = text.lines().nth(5).is_some_and(|line| line.contains("sum(lane, lane)"))
        && text.contains("array<u32, 4>")
        && !text.contains('#');
    ensure(ended.status == Some(0) && right, &ended)?;
    std::fs::write(folder.join("made.wgsl"), text)?;
    let ended = in_folder(&folder, &["check", "made.wgsl", "--workgroups", "1"]);
    ensure(ended.status == Some(0), &ended)?;
    let monitored = [&["expand", "main.wgsl"], &flags[3..]].concat();
    let ended = in_folder(&folder, &monitored);
    ensure(ended.status == Some(0) && ended.stdout.contains("hirace_enter"), &ended)
}

/// The command in the help of the diagnostic, with values filled in, checks the file.
fn pasted() -> Result<(), Failed> {
    let folder = files("pasted", &[("main.wgsl", MAIN), ("sums.wgsl", SUMS)])?;
    let ended = in_folder(&folder, &["check", "main.wgsl"]);
    let command = ended.stderr.split('`').find(|part| part.starts_with("hirace check"));
    ensure(ended.status == Some(2) && command.is_some(), &ended)?;
    let command = command.unwrap_or_default().replace("VALUE", "16");
    let command = format!("{command} --workgroups 1");
    let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
    let ended = in_folder(&folder, &arguments);
    ensure(ended.status == Some(0), &ended)
}

fn missing() -> Result<(), Failed> {
    let main = "#import bevy_pbr::mesh\n@compute @workgroup_size(1)\nfn main() { mesh::x(); }\n";
    let folder = files("missing", &[("main.wgsl", main), ("bad.wgsl", MAIN), ("sums.wgsl", SUMS)])?;
    let ended = in_folder(&folder, &["check", "main.wgsl", "--preprocess"]);
    let said = ended.stderr.contains("no module `bevy_pbr::mesh`")
        && ended.stderr.contains("main.wgsl:3:1");
    ensure(ended.status == Some(2) && said, &ended)?;
    let ended = in_folder(&folder, &["check", "bad.wgsl", "--preprocess"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("--define TILE=VALUE"), &ended)?;
    // An error in a module is reported at its line there.
    std::fs::write(folder.join("sums.wgsl"), SUMS.replace("value;", "1.5;"))?;
    let ended = in_folder(&folder, &["check", "bad.wgsl", "--define", "TILE=4"]);
    ensure(ended.status == Some(2) && ended.stderr.contains("sums.wgsl:6:"), &ended)
}

fn part() -> Result<(), Failed> {
    let main = "\
#import config
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(WG_SIZE)
fn main(@builtin(local_invocation_index) lane: u32) {
#ifdef full
    data[0] = lane;
#endif
    data[lane] = lane;
}
";
    let config = "const WG_SIZE = 32u;\n";
    let folder = files("part", &[("main.wgsl", main), ("shared/config.wgsl", config)])?;
    let ended = in_folder(&folder, &["check", "main.wgsl"]);
    ensure(ended.stderr.contains("vello"), &ended)?;
    let ended = in_folder(&folder, &["check", "main.wgsl", "--preprocess", "--workgroups", "1"]);
    ensure(ended.status == Some(0), &ended)?;
    let full = ["check", "main.wgsl", "--define", "full", "--workgroups", "1"];
    let ended = in_folder(&folder, &full);
    ensure(ended.status == Some(1) && ended.stdout.contains("main.wgsl:6:5"), &ended)
}
