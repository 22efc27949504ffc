//! Oclgrind, where it is installed: <https://github.com/jrprice/Oclgrind>.

use super::opencl::{Kernel, Parameter};
use super::{Failed, Said};
use hirace_core::launch::Launch;
use hirace_core::vm::memory::Resource;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What part of the time that starting takes a launch has to take, for its own time to be known.
const LEAST_OF_STARTING: u32 = 4;

/// Whether it is there.
pub fn is_installed() -> bool {
    let mut command = Command::new("oclgrind-kernel");
    let ran = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.is_ok_and(|status| status.success())
}

/// Runs the first dispatch of `launch` under Oclgrind, with its files in the folder `scratch`.
///
/// # Errors
/// It is not there, or does not take the kernel.
pub fn run(
    kernel: &Kernel,
    launch: &Launch,
    workgroup_size: [u32; 3],
    scratch: &Path,
) -> Result<Said, Failed> {
    std::fs::write(scratch.join("kernel.cl"), &kernel.text)?;
    let workgroups = workgroups(launch);
    let description = description(kernel, launch, workgroups, workgroup_size)?;
    std::fs::write(scratch.join("launch.sim"), description)?;
    let output = Command::new("oclgrind-kernel")
        .args(["--data-races", "--uniform-writes", "--num-threads", "1", "--max-errors", "2000"])
        // Its compiler would make one access of two that stand on two lines, and that is on line 0.
        .args(["--build-options", "-cl-opt-disable"])
        .arg("launch.sim")
        .current_dir(scratch)
        .output()
        .map_err(Failed::to_start("Oclgrind"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let text = text + String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || text.contains("error:") || text.contains("Invalid") {
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Err(Failed::Refused(line.to_owned()));
    }
    Ok(said(&text))
}

/// How long Oclgrind takes to look for races in the first dispatch of `launch`, as it does if nothing is asked of it, with its
/// files in the folder `scratch`. What it takes for one workgroup is taken off: by far the most of that is to start, to
/// compile and to read what is bound.
///
/// # Errors
/// It is not there, or does not take the kernel.
pub fn time(
    kernel: &Kernel,
    launch: &Launch,
    workgroup_size: [u32; 3],
    scratch: &Path,
) -> Result<Duration, Failed> {
    std::fs::write(scratch.join("kernel.cl"), &kernel.text)?;
    let timed = |workgroups| -> Result<Duration, Failed> {
        let description = description(kernel, launch, workgroups, workgroup_size)?;
        std::fs::write(scratch.join("launch.sim"), description)?;
        let mut command = Command::new("oclgrind-kernel");
        command.args(["--data-races", "launch.sim"]).current_dir(scratch);
        let started = Instant::now();
        let output = command.output().map_err(Failed::to_start("Oclgrind"))?;
        let took = started.elapsed();
        match output.status.success() {
            true => Ok(took),
            false => Err(Failed::Refused(output.status.to_string())),
        }
    };
    let one = timed([1; 3])?;
    let took = timed(workgroups(launch))?.saturating_sub(one);
    match took * LEAST_OF_STARTING >= one {
        true => Ok(took),
        false => Err(Failed::Refused("it is done too soon to tell that from starting".to_owned())),
    }
}

fn workgroups(launch: &Launch) -> [u32; 3] {
    launch.dispatches.first().map_or([1; 3], |dispatch| dispatch.workgroups)
}

/// The launch on so many workgroups, in words that Oclgrind reads.
fn description(
    kernel: &Kernel,
    launch: &Launch,
    workgroups: [u32; 3],
    workgroup_size: [u32; 3],
) -> Result<String, Failed> {
    let [x, y, z] = [0, 1, 2].map(|axis| workgroups[axis] * workgroup_size[axis]);
    let [a, b, c] = workgroup_size;
    let mut text = format!("kernel.cl\n{}\n{x} {y} {z}\n{a} {b} {c}\n\n", kernel.name);
    for parameter in &kernel.parameters {
        let (Parameter::Buffer(global) | Parameter::Length(global) | Parameter::Value(global)) =
            parameter;
        let bound = launch.resources.by_global.get(global.index()).and_then(Option::as_ref);
        let Some(Resource::Buffer(buffer)) = bound else { return Err(Failed::Unbound) };
        let words = match parameter {
            Parameter::Length(_) => vec![buffer.len() / 4],
            Parameter::Buffer(_) | Parameter::Value(_) => buffer.snapshot(),
        };
        let _ = writeln!(text, "<size={} uint>", words.len() * 4);
        for word in words {
            let _ = write!(text, "{word} ");
        }
        text.push('\n');
    }
    Ok(text)
}

/// Reads the report: `… data race at …`, then for each of both accesses `At line 6 (column 11) of …`.
fn said(text: &str) -> Said {
    let mut said = Said::default();
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
    fn a_report_is_read() {
        let text = "\nRead-write data race at local memory address 0x1000000000004\n\tKernel: t\n\n\
            \tFirst entity:  Global(1,0,0)\n\tAt line 14 (column 26) of input.cl:\n\t  carry\n\n\
            \tSecond entity: Global(0,0,0)\n\tAt line 6 (column 11) of input.cl:\n\t  b[2]\n\n\
            Write-write data race at global memory address 0x2\n\tAt line 3 (column 1) of a\n\tAt line 3 (column 1) of a\n";
        assert_eq!(said(text), Said { races: 2, lines: BTreeSet::from([(6, 14), (3, 3)]) });
        assert_eq!(said("b[0] = 28\n"), Said::default());
    }
}
