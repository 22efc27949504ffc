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

/// The own time of a launch is reported only if it is at least 1 / `MIN_TIME_DIVISOR` of the startup time.
const MIN_TIME_DIVISOR: u32 = 4;

/// Runs shorter than this are repeated, and the shortest one counts.
const SHORT: Duration = Duration::from_secs(2);
const SHORT_RUNS: usize = 3;

/// The name of an empty kernel.
const EMPTY_KERNEL: &str = "nothing";

/// Returns whether Oclgrind is installed.
pub fn is_installed() -> bool {
    let mut command = Command::new("oclgrind-kernel");
    let status = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
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
    let description = describe_launch(kernel, launch, workgroups(launch), workgroup_size)?;
    std::fs::write(scratch.join("launch.sim"), description.text(&kernel.name, |_| false))?;
    // The optimizer of Oclgrind's compiler would merge accesses of two lines into one with line 0.
    let no_optimizer = ["--build-options", "-cl-opt-disable"];
    let options =
        ["--data-races", "--uniform-writes", "--num-threads", "1", "--max-errors", "2000"];
    let output = output([&options[..], &no_optimizer, &["launch.sim"]].concat(), scratch)?;
    let text = String::from_utf8_lossy(&output.stderr);
    let text = text + String::from_utf8_lossy(&output.stdout);
    Ok(parse_report(&text))
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
    let empty = format!("\n__kernel void {EMPTY_KERNEL}({}) {{}}\n", kernel.signature);
    std::fs::write(scratch.join("kernel.cl"), kernel.text.clone() + &empty)?;
    let workgroups = workgroups(launch);
    let (file, empty_file) = ("launch.sim", "empty.sim");
    let description = describe_launch(kernel, launch, workgroups, workgroup_size)?;
    std::fs::write(scratch.join(file), description.text(&kernel.name, |_| false))?;
    // A single invocation: the time of many empty invocations belongs to the launch.
    let description = LaunchDescription { size: [1; 3], group: [1; 3], ..description };
    std::fs::write(scratch.join(empty_file), description.text(EMPTY_KERNEL, |_| false))?;
    let timed = |file: &str| -> Result<Duration, PeerError> {
        let started = Instant::now();
        output(vec!["--data-races", file], scratch)?;
        Ok(started.elapsed())
    };
    let (mut total, mut startup) = (timed(file)?, timed(empty_file)?);
    // Other activity of the machine can only increase the time.
    for _ in 1..SHORT_RUNS {
        if total < SHORT {
            total = total.min(timed(file)?);
        }
        if startup < SHORT {
            startup = startup.min(timed(empty_file)?);
        }
    }
    let own_time = total.saturating_sub(startup);
    match own_time * MIN_TIME_DIVISOR >= startup {
        true => Ok(own_time),
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
    let description = describe_launch(kernel, launch, workgroups(launch), workgroup_size)?;
    let is_written = |global: Handle<GlobalVariable>| match module.global_variables[global].space {
        AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
        _ => false,
    };
    std::fs::write(scratch.join("launch.sim"), description.text(&kernel.name, is_written))?;
    let output = output(vec!["--num-threads", "1", "launch.sim"], scratch)?;
    let buffers = kernel.parameters.iter().filter_map(|parameter| match *parameter {
        Parameter::Buffer(global) if is_written(global) => Some(global),
        _ => None,
    });
    Ok(buffers.zip(parse_dump(&String::from_utf8_lossy(&output.stdout))).collect())
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
    let error = lines.find(|line| line.contains("error:") || line.contains("Invalid"));
    match error {
        Some(line) => Some(line.trim().to_owned()),
        None if output.status.success() => None,
        None => {
            let message = errors.lines().find(|line| !line.trim().is_empty());
            Some(message.unwrap_or("no error message").trim().to_owned())
        }
    }
}

/// Parses the printed buffers: `Argument 'a': 8 bytes`, then `  a[0] = 1` and so on.
fn parse_dump(text: &str) -> Vec<Vec<u32>> {
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
    /// Returns the description of a launch of this kernel. After the launch, Oclgrind prints the buffers for which
    /// `is_dumped` holds.
    fn text(&self, kernel: &str, is_dumped: impl Fn(Handle<GlobalVariable>) -> bool) -> String {
        let ([x, y, z], [a, b, c]) = (self.size, self.group);
        let mut text = format!("kernel.cl\n{kernel}\n{x} {y} {z}\n{a} {b} {c}\n\n");
        for (buffer, words) in &self.arguments {
            let dump = if buffer.is_some_and(&is_dumped) { " dump" } else { "" };
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
fn parse_report(text: &str) -> PeerResult {
    let mut result = PeerResult::default();
    let mut first: Option<u32> = None;
    for line in text.lines() {
        if line.contains("data race at") {
            result.races += 1;
            first = None;
        }
        let number = line.trim().strip_prefix("At line ");
        let number = number.and_then(|rest| rest.split(' ').next()?.parse().ok());
        match (first, number) {
            (None, Some(number)) => first = Some(number),
            (Some(one), Some(two)) => {
                result.lines.insert((one.min(two), one.max(two)));
                first = None;
            }
            (_, None) => {}
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn dumped_buffers_are_parsed() {
        let text = "\nArgument 'g0': 8 bytes\n  g0[0] = 7\n  g0[1] = 4294967295\n\n\n\
            Argument 'g2': 4 bytes\n  g2[0] = 0\n";
        assert_eq!(parse_dump(text), [vec![7, u32::MAX], vec![0]]);
        assert!(parse_dump("").is_empty());
    }

    #[test]
    fn a_launch_description_marks_the_buffers_to_print() {
        let text = "var<private> a: u32; var<private> b: u32;
            @compute @workgroup_size(1) fn main() { a = b; }";
        let parsed = hirace_core::front::wgsl::parse("test.wgsl", text).unwrap();
        let program = hirace_core::program::Program::new(&parsed, &BTreeMap::new()).unwrap();
        let mut globals = program.module.global_variables.iter().map(|(handle, _)| handle);
        let [one, two] = [(); 2].map(|()| globals.next().unwrap());
        let description = LaunchDescription {
            size: [8, 1, 1],
            group: [4, 1, 1],
            arguments: vec![(Some(one), vec![1, 2]), (None, vec![2]), (Some(two), vec![3])],
        };
        assert_eq!(
            description.text("kernel_of_it", |global| global == two),
            "kernel.cl\nkernel_of_it\n8 1 1\n4 1 1\n\n<size=8 uint>\n1 2 \n<size=4 uint>\n2 \n\
             <size=4 uint dump>\n3 \n"
        );
    }

    #[test]
    fn a_report_is_parsed() {
        let text = "\nRead-write data race at local memory address 0x1000000000004\n\tKernel: t\n\n\
            \tFirst entity:  Global(1,0,0)\n\tAt line 14 (column 26) of input.cl:\n\t  carry\n\n\
            \tSecond entity: Global(0,0,0)\n\tAt line 6 (column 11) of input.cl:\n\t  b[2]\n\n\
            Write-write data race at global memory address 0x2\n\tAt line 3 (column 1) of a\n\tAt line 3 (column 1) of a\n";
        assert_eq!(
            parse_report(text),
            PeerResult { races: 2, lines: BTreeSet::from([(6, 14), (3, 3)]) }
        );
        assert_eq!(parse_report("b[0] = 28\n"), PeerResult::default());
    }
}
