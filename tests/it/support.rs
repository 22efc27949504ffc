//! Support for several test modules: the binary, paths, and naga as a reference.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Creates a folder under `target` for the files of a test, which people may inspect.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// The manifest of a package that depends on hirace, without profiles.
const PACKAGE: &str = r#"[package]
name = "NAME"
version = "0.0.0"
edition = "2024"

[dependencies]
hirace = { path = "ROOT" }

[workspace]

"#;

/// Writes the manifest of a package into `folder`, and the workspace's lock file. The package has the profiles of the workspace, so
/// that cargo does not build for it again what it built for the workspace.
pub fn write_package(folder: &Path, name: &str) -> std::io::Result<()> {
    let root = root().canonicalize()?;
    let manifest = PACKAGE.replace("NAME", name).replace("ROOT", &root.display().to_string());
    std::fs::write(folder.join("Cargo.toml"), manifest + &profiles()?)?;
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map(drop)
}

/// Returns the workspace's profiles, as they are in its manifest.
pub fn profiles() -> std::io::Result<String> {
    let workspace = std::fs::read_to_string(root().join("Cargo.toml"))?;
    Ok(workspace[workspace.find("[profile.dev]").unwrap_or(workspace.len())..].to_owned())
}

/// Returns cargo's target folder of the workspace, which packages of tests share.
pub fn target_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("..")
}

/// Creates an empty folder, and deletes what was there.
pub fn create_empty_folder(folder: PathBuf) -> std::io::Result<PathBuf> {
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The outcome of a program.
#[derive(Debug)]
pub struct ProgramOutput {
    /// `None` if a signal ended it, also after a timeout.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub timed_out: bool,
    /// The peak memory in bytes, as far as it was observed; 0 where the system does not report it.
    pub peak_memory: u64,
}

/// Returns the peak memory of a process in bytes; 0 where the system does not report it.
pub fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.unwrap_or_default() << 10
}

/// Returns a command that runs the `hirace` binary with these arguments in the root of the repository.
pub fn hirace<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Command {
    let binary = env!("CARGO_BIN_EXE_hirace");
    // Signals that the parent process ignores (`nohup`, `&` in a script) would stay ignored.
    let mut command = match ignores_signals() {
        true => {
            let mut env = Command::new("env");
            env.args(["--default-signal=HUP,INT,TERM", binary]);
            env
        }
        false => Command::new(binary),
    };
    command.args(arguments).current_dir(root());
    command
}

/// Returns whether this process ignores a signal that stops a run, as far as the system tells.
fn ignores_signals() -> bool {
    const HUP_INT_TERM: u64 = 1 | 1 << 1 | 1 << 14;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & HUP_INT_TERM != 0)
}

/// The address space of a program that reads hostile input, in KiB.
const ADDRESS_SPACE_KIB: &str = "8388608";

/// Returns a command that runs a program with an address space of at most 8 GiB, where a shell can set that limit.
pub fn bounded_command<S: AsRef<std::ffi::OsStr>>(program: &Path, arguments: &[S]) -> Command {
    if cfg!(not(target_os = "linux")) {
        let mut command = Command::new(program);
        command.args(arguments);
        return command;
    }
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\"", ADDRESS_SPACE_KIB])
        .arg(program)
        .args(arguments);
    command
}

/// Runs a program, and kills it after `limit`.
pub fn run(command: &mut Command, limit: Duration) -> ProgramOutput {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program can be started");
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let start = Instant::now();
    let (mut timed_out, mut peak) = (false, 0);
    let status = loop {
        peak = peak_memory(child.id()).max(peak);
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            break status;
        }
        if start.elapsed() > limit && !timed_out {
            timed_out = true;
            child.kill().expect("the program can be killed");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |reader: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().expect("the reader ends")).into_owned()
    };
    let (stdout, mut stderr) = (text(stdout), text(stderr));
    if status.code().is_none() {
        // The signal, for the reader of a failure.
        stderr.push_str(&format!("({status})\n"));
    }
    ProgramOutput { status: status.code(), stdout, stderr, timed_out, peak_memory: peak }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).expect("the program's output can be read");
        }
        bytes
    })
}

/// Returns the errors of naga, the WGSL compiler of wgpu, in a text, with all its extensions enabled.
pub fn naga_rejects(wgsl: &str) -> Option<String> {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let module = match naga::front::wgsl::parse_str(wgsl) {
        Ok(module) => module,
        Err(error) => return Some(error.emit_to_string(wgsl)),
    };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&module).err().map(|error| error.emit_to_string(wgsl))
}
