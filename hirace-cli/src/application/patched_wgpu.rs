//! A wgpu whose instances are monitored: the source of the application's wgpu with hirace-wgpu as one of its modules.
//!
//! A patched wgpu cannot depend on hirace-wgpu, since that depends on wgpu. Therefore the source of hirace-wgpu is
//! copied into it, as the module `hirace`, and refers to wgpu by the crate's own name.
//!
//! For the same reason hirace-wgpu has wgpu's edition and always creates instances with `wgpu::Instance::new`, which
//! the copy replaces.

use hirace_core::diagnostic::{Diagnostic, Result};
use std::path::{Path, PathBuf};
use std::{env, fs, io};
use toml::{Table, Value};

/// The version of wgpu that hirace-wgpu supports.
pub const MAJOR: &str = "30";

/// The environment variable that names the folder with hirace's source, if it is not where hirace was built.
const SOURCE: &str = "HIRACE_SOURCE";

/// Packages that are released together with wgpu. hirace requires exact versions of some.
pub const FAMILY: [&str; 11] = [
    "naga",
    "naga-types",
    "wgpu",
    "wgpu-core",
    "wgpu-core-deps-apple",
    "wgpu-core-deps-emscripten",
    "wgpu-core-deps-wasm",
    "wgpu-core-deps-windows-linux-android",
    "wgpu-hal",
    "wgpu-naga-bridge",
    "wgpu-types",
];

/// Crates that hirace-wgpu needs in addition to wgpu.
const OTHERS: [&str; 4] = ["libc", "rustc-hash", "tracing", "wgpu-naga-bridge"];

/// Features of wgpu that hirace-wgpu needs, whatever the application requests.
const FEATURES: [&str; 3] = ["custom", "naga-ir", "noop"];

/// Creates the patched wgpu in `folder`. Files that are up to date are not touched, so that cargo rebuilds nothing.
pub fn make((version, wgpu): &(String, PathBuf), folder: &Path) -> Result<PathBuf> {
    let own = own_source()?;
    let failed = |error: io::Error| {
        let error = format!("cannot create a monitored wgpu {version}: {error}");
        Box::new(Diagnostic::new(error))
    };
    let unknown = |what: &str| {
        let error = format!("wgpu {version} differs from the expected source: {what}");
        Box::new(
            Diagnostic::new(error)
                .help("create the instance with hirace_wgpu::instance(descriptor) instead"),
        )
    };
    copied(wgpu, folder, Path::new(""), &|path, text| match path.to_str() {
        Some("Cargo.toml") | Some("src/lib.rs") | Some("src/api/instance.rs") => None,
        _ => Some(text.to_vec()),
    })
    .map_err(failed)?;
    copied(&own.join("hirace-wgpu/src"), &folder.join("src/hirace"), Path::new(""), &within)
        .map_err(failed)?;
    let read = |path: &Path| fs::read_to_string(path).map_err(failed);
    let root = read(&own.join("hirace-wgpu/src/lib.rs"))?;
    let library = read(&wgpu.join("src/lib.rs"))?;
    let instance = read(&wgpu.join("src/api/instance.rs"))?;
    let manifest = read(&wgpu.join("Cargo.toml"))?;
    let versions = read(&own.join("Cargo.toml"))?;
    let manifest =
        manifest_of(&manifest, &versions, &own).ok_or_else(|| unknown("its manifest"))?;
    let instance = wrapping(&instance).ok_or_else(|| unknown("how instances are made"))?;
    // The added module uses std.
    let library = library.replace("#![no_std]\n", "");
    let library = format!(
        "#![allow(warnings)]\n{library}\nextern crate self as wgpu;\n\n#[doc(hidden)]\npub mod hirace;\n"
    );
    let module = moved(&root.replace("pub use wgpu;\n", ""));
    for (path, text) in [
        ("Cargo.toml", manifest),
        ("src/lib.rs", library),
        ("src/api/instance.rs", instance),
        ("src/hirace/mod.rs", module),
    ] {
        written(&folder.join(path), text.as_bytes()).map_err(failed)?;
    }
    Ok(folder.to_owned())
}

/// Returns the folder with hirace's own source.
fn own_source() -> Result<PathBuf> {
    let given = env::var_os(SOURCE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned);
    let folder = given.or(built).unwrap_or_default();
    if folder.join("hirace-wgpu/src/lib.rs").is_file() {
        return Ok(folder);
    }
    let error = format!("hirace's own source is not in {}", folder.display());
    Err(Box::new(Diagnostic::new(error).help(format!("set {SOURCE} to the folder"))))
}

/// Returns the source of a file of hirace-wgpu, adapted for its place in wgpu.
fn within(path: &Path, text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok().filter(|_| path != Path::new("lib.rs"))?;
    Some(moved(text).into_bytes())
}

/// Adapts a source of hirace-wgpu: its crate root becomes a module, and the instances that it creates are not
/// monitored.
fn moved(text: &str) -> String {
    let moved = text.replace("crate::", "crate::hirace::");
    moved.replace("wgpu::Instance::new(", "wgpu::Instance::unwatched(")
}

/// Returns the source of wgpu's instance with a `new` that hirace wraps.
fn wrapping(text: &str) -> Option<String> {
    let head = "    pub fn new(desc: InstanceDescriptor) -> Self {\n";
    let (before, after) = text.split_once(head)?;
    let wrapped = "        crate::hirace::instance(desc)\n    }\n\n    pub(crate) fn unwatched(desc: InstanceDescriptor) -> Self {\n";
    (!after.contains(head)).then(|| format!("{before}{head}{wrapped}{after}"))
}

/// Returns wgpu's manifest with the dependencies of hirace-wgpu. `versions` is the manifest of hirace's workspace.
fn manifest_of(wgpu: &str, versions: &str, own: &Path) -> Option<String> {
    let mut manifest: Table = wgpu.parse().ok()?;
    let versions: Table = versions.parse().ok()?;
    let versions = versions.get("workspace")?.get("dependencies")?;
    for name in ["lints", "test", "bench", "example", "dev-dependencies"] {
        manifest.remove(name);
    }
    // Without this, the package would belong to the workspace that contains its folder.
    manifest.insert("workspace".to_owned(), Value::Table(Table::new()));
    let features = manifest.get_mut("features")?.as_table_mut()?;
    for (name, list) in features.iter_mut().filter(|(name, _)| !FEATURES.contains(&name.as_str())) {
        let list = list.as_array_mut()?;
        // A feature that these features may enable would form a cycle.
        if name != "naga" {
            list.extend(FEATURES.map(|feature| Value::String(feature.to_owned())));
        }
    }
    let dependencies = manifest.get_mut("dependencies")?.as_table_mut()?;
    for name in OTHERS {
        dependencies.insert(name.to_owned(), versions.get(name)?.clone());
    }
    for name in ["hirace-core", "hirace-terminal"] {
        let mut of = Table::new();
        of.insert("path".to_owned(), own.join(name).display().to_string().into());
        if name == "hirace-core" {
            // GLSL is compiled by `glslangValidator` on PATH, so that an application needs no C++ compiler.
            of.insert("features".to_owned(), vec!["spirv"].into());
        }
        dependencies.insert(name.to_owned(), of.into());
    }
    Some(manifest.to_string())
}

/// Maps a file, given its path and contents, to its new contents.
type Change<'a> = &'a dyn Fn(&Path, &[u8]) -> Option<Vec<u8>>;

/// Copies the files of a folder as `change` maps them. Files for which it returns `None` are left out.
fn copied(from: &Path, to: &Path, within: &Path, change: Change<'_>) -> io::Result<()> {
    for entry in fs::read_dir(from.join(within))? {
        let entry = entry?;
        let path = within.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copied(from, to, &path, change)?;
        } else if let Some(text) = change(&path, &fs::read(entry.path())?) {
            written(&to.join(&path), &text)?;
        }
    }
    Ok(())
}

/// Writes a file, unless it has these contents already.
fn written(path: &Path, text: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|now| now == text) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_wrapped_and_inner_instances_are_plain() {
        let text = "impl Instance {\n    pub fn new(desc: InstanceDescriptor) -> Self {\n        plain(desc)\n    }\n}\n";
        let wrapped = wrapping(text).unwrap();
        assert!(wrapped.contains("Self {\n        crate::hirace::instance(desc)\n    }"));
        assert!(wrapped.contains(
            "pub(crate) fn unwatched(desc: InstanceDescriptor) -> Self {\n        plain(desc)"
        ));
        assert_eq!(wrapping("fn make() {}"), None);
        let own = "use crate::forward::lock;\nfn f() { wgpu::Instance::new(d) }";
        let expected = "use crate::hirace::forward::lock;\nfn f() { wgpu::Instance::unwatched(d) }";
        assert_eq!(moved(own), expected);
    }

    #[test]
    fn required_features_are_always_enabled() {
        let wgpu = "[package]\nname = \"wgpu\"\n[features]\ncustom = []\nnaga-ir = [\"dep:naga\"]\nnoop = []\nvulkan = [\"core/vulkan\"]\n[dependencies]\n[lints.rust]\nx = \"deny\"";
        let versions = "[workspace.dependencies]\nlibc = \"0.2\"\nrustc-hash = \"2\"\ntracing = \"0.1\"\nwgpu-naga-bridge = \"30\"";
        let manifest: Table =
            manifest_of(wgpu, versions, Path::new("own")).unwrap().parse().unwrap();
        let features = &manifest["features"]["vulkan"];
        assert_eq!(*features, vec!["core/vulkan", "custom", "naga-ir", "noop"].into());
        assert_eq!(manifest["dependencies"]["libc"], "0.2".into());
        assert!(manifest.get("lints").is_none());
    }
}
