use super::*;
use crate::parse_file_among;

/// Returns the result of reading `src/kernels.rs` in a package of these files: WGSL, or the first error with its file
/// and line.
fn read(files: &[(&str, &str)]) -> std::result::Result<String, String> {
    let folder = PathBuf::from("/nowhere/package");
    let given: Vec<(PathBuf, String)> =
        files.iter().map(|(name, text)| (folder.join(name), (*text).to_owned())).collect();
    let (name, text) = files[0];
    let said = |error: Box<crate::diagnostic::Diagnostic>| {
        let (source, at) =
            (error.source_map.clone().unwrap(), error.labels.first().map(|(at, _)| at.start));
        let at = at.unwrap_or_default();
        format!("{}:{}: {}", source.file(at), source.position(at).line, error.message)
    };
    let file = parse_file_among(name, &folder.join(name), text, &given).map_err(said)?;
    assert!(file.source.name() == name);
    let mut items = file.items.into_iter();
    let parsed = items.next().unwrap().map_err(said)?;
    Ok(parsed.wgsl().text().to_owned())
}

const KERNEL: &str = "#[hirace::monitor(workgroup_size(1))] fn k(out: &mut [u32]) { out[0] = ";

#[test]
fn paths_are_followed_through_files_modules_and_imports() {
    let kernels = |head: &str, value: &str| format!("{head}\n{KERNEL}{value}; }}");
    let files = |kernels: &str| {
        let kernels = kernels.to_owned();
        read(&[
            ("src/kernels.rs", &kernels),
            (
                "src/lib.rs",
                "mod kernels; mod math; pub mod deep; pub use math::square as power; use std::fmt;",
            ),
            (
                "src/math.rs",
                "pub mod more; pub use self::more::*; #[hirace::monitor] pub fn square(x: u32) -> u32 { x * more::ONE }",
            ),
            (
                "src/math/more.rs",
                "#[hirace::monitor] pub const ONE: u32 = super::inner::ONE_TOO; #[hirace::monitor] fn own() -> u32 { 1 }",
            ),
            (
                "src/deep/mod.rs",
                "pub mod down { use hirace::monitor; #[monitor] pub mod all { pub fn cube(x: u32) -> u32 { square(x) * x } fn square(x: u32) -> u32 { crate::power(x) } } }",
            ),
        ])
    };
    for (head, value) in [
        ("", "crate::math::square(3)"),
        ("", "super::math::square(3)"),
        ("use crate::math::square;", "square(3)"),
        ("use crate::{math as m};", "m::square(3)"),
        ("use super::power;", "power(3)"),
        ("use crate::math::*;", "square(ONE)"),
        ("use super::deep::down::all::{self, cube};", "cube(3) + all::cube(2)"),
        ("use super::*;", "deep::down::all::cube(3)"),
    ] {
        // `ONE` depends on a name that is not declared; everything else is found.
        let error = files(&kernels(head, value)).unwrap_err();
        assert!(error.contains("inner::ONE_TOO"), "{head} {value}: {error}");
        assert!(error.starts_with("src/math/more.rs:1:"), "{error}");
    }
    let text = files(&kernels("use crate::math::more::own;", "own()")).unwrap();
    assert!(text.contains("fn own() -> u32") && text.contains("out[0i] = own()"), "{text}");
}

#[test]
fn items_in_a_body_shadow_outer_items() {
    let text = format!(
        "#[hirace::monitor] fn two() -> u32 {{ 2 }} #[hirace::monitor] fn one() -> u32 {{ 1 }}
         fn main() {{ #[hirace::monitor] fn one() -> u32 {{ 11 }} {KERNEL}one() + two(); }} }}"
    );
    let text = read(&[("src/kernels.rs", &text)]).unwrap();
    assert!(
        text.contains("return 11u") && text.contains("return 2u") && !text.contains("return 1u"),
        "{text}"
    );
}

#[test]
fn unmarked_and_cfg_items_are_unknown() {
    let unknown = |text: &str| read(&[("src/kernels.rs", text)]).unwrap_err();
    let error = unknown(&format!("fn other() -> u32 {{ 1 }}\n{KERNEL}other(); }}"));
    assert_eq!(
        error,
        "src/kernels.rs:2: unknown function `other`; if `other` is declared elsewhere, mark it with `#[hirace::monitor]`"
    );
    let error = unknown(&format!(
        "#[cfg(test)] mod m {{ #[hirace::monitor] pub fn f() -> u32 {{ 1 }} }}\n{KERNEL}m::f(); }}"
    ));
    assert!(error.starts_with("src/kernels.rs:2:"), "{error}");
}

#[test]
fn name_cycles_terminate() {
    let text = format!(
        "mod a {{ pub use super::b::*; }} mod b {{ pub use super::a::*; }} use a::f;
         #[hirace::monitor] fn g() -> u32 {{ h() }} #[hirace::monitor] fn h() -> u32 {{ g() }} {KERNEL}f() + g(); }}"
    );
    assert!(read(&[("src/kernels.rs", &text)]).is_err());
}

#[test]
fn standalone_impls_are_included_with_their_types() {
    let text = |kernel: &str| {
        read(&[
            ("src/kernels.rs", kernel),
            ("src/lib.rs", "mod kernels; mod types; mod way;"),
            // This file's text gives no hint that there is an `impl` in a submodule.
            ("src/way.rs", "fn modest() {} mod\n more\n;"),
            (
                "src/types.rs",
                "#[hirace::monitor] pub struct Count { pub of: u32 }
                 #[hirace::monitor] impl Count { pub fn one() -> Self { Self { of: 1 } } }
                 #[hirace::monitor] pub mod whole { pub struct Closed { pub of: u32 } }
                 #[hirace::monitor] impl whole::Closed { pub fn two() -> Self { Self { of: 2 } } }
                 #[hirace::monitor] pub fn three() -> Count { Count { of: 3 } }",
            ),
            (
                "src/way/more.rs",
                "use crate::types::Count; #[hirace::monitor] fn half(x: u32) -> u32 { x / 2 }
                 #[hirace::monitor] impl Count { pub fn halved(self) -> Self { Self { of: half(self.of) } } }
                 mod other { pub struct Count; #[hirace::monitor] impl Count { fn halved(self) -> u32 { 7 } } }",
            ),
        ])
    };
    let found =
        text(&format!("use crate::types::*; {KERNEL}Count::one().halved().of; }}")).unwrap();
    assert!(found.contains("fn Count_one()") && found.contains("half(self_.of_)"), "{found}");
    // The type is not named at its use.
    let found = text(&format!("{KERNEL}crate::types::three().halved().of; }}")).unwrap();
    assert!(found.contains("fn Count_halved(") && !found.contains("7u"), "{found}");
    let error = text(&format!("{KERNEL}crate::types::whole::Closed::two().of; }}")).unwrap_err();
    assert!(error.contains("`Closed` has no function `two`"), "{error}");
}

#[test]
fn modules_that_can_have_no_impls_are_passed_over() {
    for without in ["fn f() {}", "mod tests { mod inner{} }", "// modes\nfn model() {}"] {
        assert!(!may_lead_to_impls(without), "{without}");
    }
    for with in ["impl S {}", "mod a;", "mod a {} mod\nb ;", "pub(crate) mod /* there */ a;"] {
        assert!(may_lead_to_impls(with), "{with}");
    }
}
