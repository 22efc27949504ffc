//! Tests of imported values, with files in a temporary folder.

use crate::shaders;
use std::path::Path;

/// Writes files, and returns the text of the only shader of the first one without line breaks, and the names that have no value.
fn shader(files: &[(&str, &str)]) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let (name, text) = files[0];
    read(&folder.path().join(name), text)
}

fn read(path: &Path, text: &str) -> (String, Vec<String>) {
    let found = shaders::find(path.to_str().unwrap(), text, &[]).shaders;
    let [shader] = &found[..] else { panic!("{} shaders in {text}", found.len()) };
    let holes = shader.holes.iter().filter_map(|hole| hole.name.clone()).collect();
    (shader.text.text().replace('\n', ""), holes)
}

/// Returns the size that a shader has, with these imports before it and these other files.
fn size(host: &str, imports: &str, size: &str, others: &[(&str, &str)]) -> Option<String> {
    let text = match host.rsplit('.').next() {
        Some("py") => {
            format!("{imports}\ns = f'@compute @workgroup_size({{{size}}}) fn main() {{{{}}}}'")
        }
        Some("rs") => format!(
            "{imports}\nconst S: &str = formatcp!(\"@compute @workgroup_size({{}}) fn main() {{{{}}}}\", {size});"
        ),
        _ => {
            format!("{imports}\nconst s = `@compute @workgroup_size(${{{size}}}) fn main() {{}}`;")
        }
    };
    let files = [&[(host, &*text)], others].concat();
    let (text, holes) = shader(&files);
    let size = text.strip_prefix("@compute @workgroup_size(")?.split(')').next()?;
    holes.is_empty().then(|| size.to_owned())
}

#[test]
fn javascript_imports_have_the_values_of_their_files() {
    let constants = (
        "lib/constants.ts",
        "export const WG = 8 * 8; export const sizes = { tile: 16 } as const; const B = 4;
         export { B as block }; export default 32;",
    );
    let again =
        ("lib/index.ts", "export * from './constants'; export { WG as W } from './constants.js';");
    let cases = [
        ("import { WG } from './lib/constants';", "WG", "64"),
        ("import { WG as N } from './lib/constants.js';", "N / 2", "32"),
        ("import D, { sizes } from './lib/constants.ts';", "sizes.tile + D", "48"),
        ("import * as C from './lib/constants';", "C.WG", "64"),
        ("import * as C from './lib/constants';", "C.sizes.tile", "16"),
        ("import { block } from './lib';", "block", "4"),
        ("import { W, sizes } from './lib/index';", "W + sizes.tile", "80"),
    ];
    for (imports, used, expected) in cases {
        let found = size("main.ts", imports, used, &[constants, again]);
        assert_eq!(found.as_deref(), Some(expected), "{imports} {used}");
    }
}

#[test]
fn python_imports_have_the_values_of_their_files() {
    let files = [
        ("pkg/__init__.py", "DEPTH = 2"),
        ("pkg/constants.py", "WG = 64\nclass Sizes:\n    TILE = 16\n"),
        ("pkg/sub/more.py", "from ..constants import WG\nHALF = WG // 2\n"),
    ];
    let cases = [
        ("pkg/main.py", "from .constants import WG", "WG", "64"),
        ("pkg/main.py", "from pkg.constants import WG as N", "N", "64"),
        ("pkg/main.py", "from . import constants", "constants.WG", "64"),
        ("pkg/main.py", "import pkg.constants as c", "c.Sizes.TILE", "16"),
        ("pkg/main.py", "import pkg.constants", "pkg.constants.WG", "64"),
        ("pkg/main.py", "from .constants import *", "WG", "64"),
        ("main.py", "from pkg.sub.more import HALF", "HALF", "32"),
        ("main.py", "import pkg", "pkg.DEPTH", "2"),
    ];
    for (host, imports, used, expected) in cases {
        let found = size(host, imports, used, &files);
        assert_eq!(found.as_deref(), Some(expected), "{host}: {imports} {used}");
    }
}

#[test]
fn rust_paths_have_the_values_of_their_modules() {
    let files = [
        ("src/lib.rs", "mod consts; mod gpu; pub const TOP: u32 = 2;"),
        ("src/consts.rs", "pub const WG: u32 = 64;"),
        ("src/gpu/sizes.rs", "use super::super::consts::WG;\npub const TILE: u32 = WG / 4;"),
        ("src/gpu/mod.rs", "pub mod sizes; pub const DEPTH: u32 = 3;"),
    ];
    let cases = [
        ("src/scan.rs", "use crate::consts::WG;", "WG", "64"),
        ("src/scan.rs", "use crate::{consts::WG as N, TOP};", "N", "64"),
        ("src/scan.rs", "use crate::{consts::WG as N, TOP};", "TOP", "2"),
        ("src/scan.rs", "use crate::consts::*;", "WG", "64"),
        ("src/scan.rs", "use crate::consts;", "consts::WG", "64"),
        ("src/scan.rs", "", "crate::consts::WG", "64"),
        ("src/scan.rs", "use super::TOP;", "TOP", "2"),
        ("src/gpu/mod.rs", "pub mod sizes;", "sizes::TILE", "16"),
    ];
    for (host, imports, used, expected) in cases {
        let others: Vec<_> = files.into_iter().filter(|(name, _)| *name != host).collect();
        let found = size(host, imports, used, &others);
        assert_eq!(found.as_deref(), Some(expected), "{host}: {imports} {used}");
    }
}

#[test]
fn texts_of_files_are_parts_of_shaders() {
    let header = ("shaders/header.wgsl", "const N = 4u;");
    let entry = "@compute @workgroup_size(1) fn main() {}";
    let hosts = [
        (
            "main.ts",
            format!(
                "import header from './shaders/header.wgsl?raw';\nconst s = `${{header}}{entry}`;"
            ),
        ),
        (
            "main.js",
            format!("import header from './shaders/header.wgsl';\nconst s = header + '{entry}';"),
        ),
        (
            "main.rs",
            format!("const S: &str = concat!(include_str!(\"shaders/header.wgsl\"), \"{entry}\");"),
        ),
    ];
    for (name, host) in hosts {
        let (text, holes) = shader(&[(name, &host), header]);
        assert_eq!((text, holes.len()), (format!("const N = 4u;{entry}"), 0), "{name}");
    }
}

#[test]
fn a_value_that_is_not_found_is_missing() {
    let cycle = [
        ("a.ts", "import { X } from './b'; export const Y = X;"),
        ("b.ts", "export { Y as X } from './a';"),
    ];
    let cases: [(&str, &str, &[(&str, &str)]); 6] = [
        ("import { WG } from './missing';", "WG", &[]),
        ("import { WG } from 'package';", "WG", &[("package.ts", "export const WG = 64;")]),
        ("import { WG } from './c';", "WG", &[("c.ts", "export let WG = 64; WG = 32;")]),
        ("import { WG } from './c';", "WG", &[("c.ts", "export function f(WG) { return WG; }")]),
        ("import { WG } from './c';", "WG", &[("c.ts/d.ts", "export const WG = 64;")]),
        ("import { Y as WG } from './a';", "WG", &cycle),
    ];
    for (imports, used, files) in cases {
        assert_eq!(size("main.ts", imports, used, files), None, "{imports}");
    }
    // A parameter hides the imported name.
    let host = "import { WG } from './c';
                function f(WG) { return `@compute @workgroup_size(${WG}) fn main() {}`; }";
    let (_, holes) = shader(&[("main.ts", host), ("c.ts", "export const WG = 64;")]);
    assert_eq!(holes, ["WG"]);
    // In a module within a file, `super` is the file.
    let host = "mod inner { use super::WG;
                const S: &str = formatcp!(\"@compute @workgroup_size({}) fn main() {{}}\", WG); }";
    let (_, holes) = shader(&[("src/a.rs", host), ("src/lib.rs", "pub const WG: u32 = 64;")]);
    assert_eq!(holes, ["WG"]);
}

#[test]
fn pipes_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("c.ts");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let host = "import { WG } from './c'; s = `@compute @workgroup_size(${WG}) fn main() {}`;";
    let (_, holes) = read(&folder.path().join("main.ts"), host);
    assert_eq!(holes, ["WG"]);
}
