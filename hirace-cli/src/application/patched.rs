//! A wgpu whose instances watch: the source of the one that an application has, with hirace-wgpu as a module of it.
//!
//! hirace-wgpu cannot be what a patched wgpu depends on, since it depends on wgpu itself. So its source stands within, under
//! the name `hirace`, and finds wgpu by the crate's own name.

use hirace_core::diagnostic::{Diagnostic, Result};
use std::path::{Path, PathBuf};
use std::{env, fs, io};
use toml::{Table, Value};

/// The versions of wgpu that hirace-wgpu is for.
pub const MAJOR: &str = "30";

/// The variable that names the folder with hirace's own source, if that is not where it was built.
const SOURCE: &str = "HIRACE_SOURCE";

/// Packages that go together with wgpu. hirace is made for exact versions of some.
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

/// Crates that hirace-wgpu needs beside wgpu.
const OTHERS: [&str; 4] = ["libc", "rustc-hash", "tracing", "wgpu-naga-bridge"];

/// Features of wgpu that are needed, whichever ones the application asks for.
const FEATURES: [&str; 3] = ["custom", "naga-ir", "noop"];

/// Makes it in `folder`. Files that are as they should be stay, so that cargo builds nothing anew.
pub fn make((version, wgpu): &(String, PathBuf), folder: &Path) -> Result<PathBuf> {
    let own = own_source()?;
    let failed = |error: io::Error| {
        let error = format!("cannot make a wgpu {version} that watches: {error}");
        Box::new(Diagnostic::new(error))
    };
    let unknown = |what: &str| {
        let error = format!("wgpu {version} is not as it was known: {what}");
        Box::new(Diagnostic::new(error).help("hirace-wgpu by the changed line may work with it"))
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
    // What is within uses std.
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

/// The folder with hirace's own source.
fn own_source() -> Result<PathBuf> {
    let given = env::var_os(SOURCE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned);
    let folder = given.or(built).unwrap_or_default();
    if folder.join("hirace-wgpu/src/lib.rs").is_file() {
        return Ok(folder);
    }
    let error = format!("hirace's own source is not in {}", folder.display());
    Err(Box::new(Diagnostic::new(error).help(format!("name the folder by {SOURCE}"))))
}

/// The source of a file of hirace-wgpu, in its place within wgpu.
fn within(path: &Path, text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok().filter(|_| path != Path::new("lib.rs"))?;
    Some(moved(text).into_bytes())
}

/// A text of hirace-wgpu, in which its own root is a module, and instances are made that are not watched.
fn moved(text: &str) -> String {
    let moved = text.replace("crate::", "crate::hirace::");
    moved.replace("wgpu::Instance::new(", "wgpu::Instance::unwatched(")
}

/// The source of wgpu's instance, which is made by hirace.
fn wrapping(text: &str) -> Option<String> {
    let head = "    pub fn new(desc: InstanceDescriptor) -> Self {\n";
    let (before, after) = text.split_once(head)?;
    let wrapped = "        crate::hirace::instance(desc)\n    }\n\n    pub(crate) fn unwatched(desc: InstanceDescriptor) -> Self {\n";
    (!after.contains(head)).then(|| format!("{before}{head}{wrapped}{after}"))
}

/// wgpu's manifest, with what hirace-wgpu needs; `versions` is that of hirace's workspace.
fn manifest_of(wgpu: &str, versions: &str, own: &Path) -> Option<String> {
    let mut manifest: Table = wgpu.parse().ok()?;
    let versions: Table = versions.parse().ok()?;
    let versions = versions.get("workspace")?.get("dependencies")?;
    for name in ["lints", "test", "bench", "example", "dev-dependencies"] {
        manifest.remove(name);
    }
    // Else it would be of the workspace that it lies in.
    manifest.insert("workspace".to_owned(), Value::Table(Table::new()));
    let features = manifest.get_mut("features")?.as_table_mut()?;
    for (name, list) in features.iter_mut().filter(|(name, _)| !FEATURES.contains(&name.as_str())) {
        let list = list.as_array_mut()?;
        // A feature that such a feature may lead to would go in a circle.
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
            of.insert("features".to_owned(), vec!["glsl", "spirv"].into());
        }
        dependencies.insert(name.to_owned(), of.into());
    }
    Some(manifest.to_string())
}

/// What a file is that is copied: of its path and what it holds.
type Change<'a> = &'a dyn Fn(&Path, &[u8]) -> Option<Vec<u8>>;

/// Copies a folder's files as `change` has them; those of which it gives nothing are left out.
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

/// Writes a file, unless it is like that already.
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
    fn an_instance_is_made_by_hirace_and_hirace_makes_plain_ones() {
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
    fn whatever_features_are_asked_for_those_needed_are_on() {
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
