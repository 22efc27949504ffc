//! Oclgrind, if it is installed: <https://github.com/jrprice/Oclgrind>.

use super::opencl::{Kernel, Parameter};
use super::{PeerError, PeerResult};
use hirace_core::launch::Launch;
use hirace_core::vm::memory::Resource;
use naga::{AddressSpace, GlobalVariable, Handle, Module, StorageAccess};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A launch must take at least 1 / `MIN_STARTUP_TIME` of the startup time for its own time to be known.
const MIN_STARTUP_TIME: u32 = 4;

/// Runs shorter than this are repeated, and the shortest one counts.
const SHORT: Duration = Duration::from_secs(2);
const SHORT_RUNS: usize = 3;

/// The name of an empty kernel.
const NOTHING: &str = "nothing";

/// Returns whether Oclgrind is installed.
pub fn is_installed() -> bool {
    let mut command = Command::new("oclgrind-kernel");
    let ran = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.is_ok_and(|status| status.success())
}

/// Runs the first dispatch of `launch` under Oclgrind, with its files in the folder `scratch`.
///
/// # Errors
/// Oclgrind is not installed, or refuses the kernel.
pub fn run(
    kernel: &Kernel,
    launch: &Launch,
    workgroup_size: [u32; 3],
    scratch: &Path,
) -> Result<PeerResult, PeerError> {
    std::fs::write(scratch.join("kernel.cl"), &kernel.text)?;
    let described = describe_launch(kernel, launch, workgroups(launch), workgroup_size)?;
    std::fs::write(scratch.join("launch.sim"), described.text(&kernel.name, |_| false))?;
    // The optimizer of its compiler would merge accesses of two lines into one with line 0.
    let unchanged = ["--build-options", "-cl-opt-disable"];
    let all = ["--data-races", "--uniform-writes", "--num-threads", "1", "--max-errors", "2000"];
    let output = output([&all[..], &unchanged, &["launch.sim"]].concat(), scratch)?;
    let text = String::from_utf8_lossy(&output.stderr);
    let text = text + String::from_utf8_lossy(&output.stdout);
    Ok(said(&text))
}

/// Measures how long Oclgrind takes to check the first dispatch of `launch` with its default options, with its files in
/// the folder `scratch`. The time of an empty kernel with the same text and buffers is subtracted: startup, compilation
/// and reading the buffers.
///
/// # Errors
/// Oclgrind is not installed, refuses the kernel, or is too quick for a measurement.
pub fn time(
    kernel: &Kernel,
    launch: &Launch,
    workgroup_size: [u32; 3],
    scratch: &Path,
) -> Result<Duration, PeerError> {
    let empty = format!("\n__kernel void {NOTHING}({}) {{}}\n", kernel.signature);
    std::fs::write(scratch.join("kernel.cl"), kernel.text.clone() + &empty)?;
    let workgroups = workgroups(launch);
    let (file, empty_file) = ("launch.sim", "empty.sim");
    let described = describe_launch(kernel, launch, workgroups, workgroup_size)?;
    std::fs::write(scratch.join(file), described.text(&kernel.name, |_| false))?;
    // A single invocation: the time of many empty invocations belongs to the launch.
    let described = LaunchDescription { size: [1; 3], group: [1; 3], ..described };
    std::fs::write(scratch.join(empty_file), described.text(NOTHING, |_| false))?;
    let timed = |file: &str| -> Result<Duration, PeerError> {
        let started = Instant::now();
        output(vec!["--data-races", file], scratch)?;
        Ok(started.elapsed())
    };
    let (mut whole, mut starting) = (timed(file)?, timed(empty_file)?);
    // Other activity of the machine can only increase the time.
    for _ in 1..SHORT_RUNS {
        if whole < SHORT {
            whole = whole.min(timed(file)?);
        }
        if starting < SHORT {
            starting = starting.min(timed(empty_file)?);
        }
    }
    let took = whole.saturating_sub(starting);
    match took * MIN_STARTUP_TIME >= starting {
        true => Ok(took),
        false => Err(PeerError::TooEarly),
    }
}

/// Returns the final content of the buffers that the first dispatch of `launch` may write, with the files in the folder
/// `scratch`.
///
/// # Errors
/// Oclgrind is not installed, or refuses the kernel.
pub fn outputs(
    module: &Module,
    kernel: &Kernel,
    launch: &Launch,
    workgroup_size: [u32; 3],
    scratch: &Path,
) -> Result<BTreeMap<Handle<GlobalVariable>, Vec<u32>>, PeerError> {
    std::fs::write(scratch.join("kernel.cl"), &kernel.text)?;
    let described = describe_launch(kernel, launch, workgroups(launch), workgroup_size)?;
    let written = |global: Handle<GlobalVariable>| match module.global_variables[global].space {
        AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
        _ => false,
    };
    std::fs::write(scratch.join("launch.sim"), described.text(&kernel.name, written))?;
    let output = output(vec!["--num-threads", "1", "launch.sim"], scratch)?;
    let buffers = kernel.parameters.iter().filter_map(|parameter| match *parameter {
        Parameter::Buffer(global) if written(global) => Some(global),
        _ => None,
    });
    Ok(buffers.zip(dumped(&String::from_utf8_lossy(&output.stdout))).collect())
}

/// Runs Oclgrind with these arguments in the folder `scratch` and returns its output.
fn output(arguments: Vec<&str>, scratch: &Path) -> Result<Output, PeerError> {
    let mut command = Command::new("oclgrind-kernel");
    let command = command.args(arguments).current_dir(scratch);
    let output = command.output().map_err(PeerError::to_start("Oclgrind"))?;
    match refusal(&output) {
        None => Ok(output),
        Some(line) => Err(PeerError::Rejected(line)),
    }
}

/// Returns why Oclgrind refused a kernel: the first line with an error.
fn refusal(output: &Output) -> Option<String> {
    let errors = String::from_utf8_lossy(&output.stderr);
    let printed = String::from_utf8_lossy(&output.stdout);
    let mut lines = errors.lines().chain(printed.lines());
    let wrong = lines.find(|line| line.contains("error:") || line.contains("Invalid"));
    match wrong {
        Some(line) => Some(line.trim().to_owned()),
        None if output.status.success() => None,
        None => {
            let said = errors.lines().find(|line| !line.trim().is_empty());
            Some(said.unwrap_or("no error message").trim().to_owned())
        }
    }
}

/// Parses the printed buffers: `Argument 'a': 8 bytes`, then `  a[0] = 1` and so on.
fn dumped(text: &str) -> Vec<Vec<u32>> {
    let mut buffers: Vec<Vec<u32>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("Argument '") {
            buffers.push(Vec::new());
        }
        let word = line.split_once("] = ").and_then(|(_, word)| word.trim().parse().ok());
        if let (Some(buffer), Some(word)) = (buffers.last_mut(), word) {
            buffer.push(word);
        }
    }
    buffers
}

fn workgroups(launch: &Launch) -> [u32; 3] {
    launch.dispatches.first().map_or([1; 3], |dispatch| dispatch.workgroups)
}

/// The description of a launch in Oclgrind's format.
#[derive(Clone)]
struct LaunchDescription {
    /// The number of invocations, in total and per workgroup.
    size: [u32; 3],
    group: [u32; 3],
    /// The arguments of the kernel: the variable, if it is a buffer, and the words.
    arguments: Vec<(Option<Handle<GlobalVariable>>, Vec<u32>)>,
}

impl LaunchDescription {
    /// Returns the description of a launch of this kernel. The buffers that are `dumped` are printed after it.
    fn text(&self, kernel: &str, dumped: impl Fn(Handle<GlobalVariable>) -> bool) -> String {
        let ([x, y, z], [a, b, c]) = (self.size, self.group);
        let mut text = format!("kernel.cl\n{kernel}\n{x} {y} {z}\n{a} {b} {c}\n\n");
        for (buffer, words) in &self.arguments {
            let dump = if buffer.is_some_and(&dumped) { " dump" } else { "" };
            let _ = writeln!(text, "<size={} uint{dump}>", words.len() * 4);
            for word in words {
                let _ = write!(text, "{word} ");
            }
            text.push('\n');
        }
        text
    }
}

/// Describes the launch on this number of workgroups.
fn describe_launch(
    kernel: &Kernel,
    launch: &Launch,
    workgroups: [u32; 3],
    group: [u32; 3],
) -> Result<LaunchDescription, PeerError> {
    let mut arguments = Vec::new();
    for parameter in &kernel.parameters {
        let (Parameter::Buffer(global)
        | Parameter::Length { of: global, .. }
        | Parameter::Value(global)) = *parameter;
        let bound = launch.resources.by_global.get(global.index()).and_then(Option::as_ref);
        let Some(Resource::Buffer(buffer)) = bound else { return Err(PeerError::Unbound) };
        arguments.push(match *parameter {
            Parameter::Length { offset, stride, .. } => {
                (None, vec![buffer.len().saturating_sub(offset) / stride.max(1)])
            }
            Parameter::Buffer(_) => (Some(global), buffer.snapshot()),
            Parameter::Value(_) => (None, buffer.snapshot()),
        });
    }
    Ok(LaunchDescription {
        size: [0, 1, 2].map(|axis| workgroups[axis] * group[axis]),
        group,
        arguments,
    })
}

/// Parses the report: `… data race at …`, then for both accesses `At line 6 (column 11) of …`.
fn said(text: &str) -> PeerResult {
    let mut said = PeerResult::default();
    let mut first: Option<u32> = None;
    for line in text.lines() {
        if line.contains("data race at") {
            said.races += 1;
            first = None;
        }
        let number = line.trim().strip_prefix("At line ");
        let number = number.and_then(|rest| rest.split(' ').next()?.parse().ok());
        match (first, number) {
            (None, Some(number)) => first = Some(number),
            (Some(one), Some(two)) => {
                said.lines.insert((one.min(two), one.max(two)));
                first = None;
            }
            (_, None) => {}
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_left_in_buffers_is_read() {
        let text = "\nArgument 'g0': 8 bytes\n  g0[0] = 7\n  g0[1] = 4294967295\n\n\n\
            Argument 'g2': 4 bytes\n  g2[0] = 0\n";
        assert_eq!(dumped(text), [vec![7, u32::MAX], vec![0]]);
        assert!(dumped("").is_empty());
    }

    #[test]
    fn a_launch_is_described_with_what_is_to_be_printed_of_it() {
        let text = "var<private> a: u32; var<private> b: u32;
            @compute @workgroup_size(1) fn main() { a = b; }";
        let parsed = hirace_core::front::wgsl::parse("test.wgsl", text).unwrap();
        let program = hirace_core::program::Program::new(&parsed, &BTreeMap::new()).unwrap();
        let mut globals = program.module.global_variables.iter().map(|(handle, _)| handle);
        let [one, two] = [(); 2].map(|()| globals.next().unwrap());
        let described = LaunchDescription {
            size: [8, 1, 1],
            group: [4, 1, 1],
            arguments: vec![(Some(one), vec![1, 2]), (None, vec![2]), (Some(two), vec![3])],
        };
        assert_eq!(
            described.text("kernel_of_it", |global| global == two),
            "kernel.cl\nkernel_of_it\n8 1 1\n4 1 1\n\n<size=8 uint>\n1 2 \n<size=4 uint>\n2 \n\
             <size=4 uint dump>\n3 \n"
        );
    }

    #[test]
    fn a_report_is_read() {
        let text = "\nRead-write data race at local memory address 0x1000000000004\n\tKernel: t\n\n\
            \tFirst entity:  Global(1,0,0)\n\tAt line 14 (column 26) of input.cl:\n\t  carry\n\n\
            \tSecond entity: Global(0,0,0)\n\tAt line 6 (column 11) of input.cl:\n\t  b[2]\n\n\
            Write-write data race at global memory address 0x2\n\tAt line 3 (column 1) of a\n\tAt line 3 (column 1) of a\n";
        assert_eq!(said(text), PeerResult { races: 2, lines: BTreeSet::from([(6, 14), (3, 3)]) });
        assert_eq!(said("b[0] = 28\n"), PeerResult::default());
    }
}
