//! Tests of shaders in host files of all languages.

use crate::shaders::{self, Shader};
use hirace_program::source_map::Span;

fn found(name: &str, text: &str) -> Vec<Shader> {
    defined(name, text, &[])
}

fn defined(name: &str, text: &str, defines: &[(&str, &str)]) -> Vec<Shader> {
    let defines: Vec<_> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    shaders::find(name, text, &defines)
}

/// Returns the text of the only shader, without line breaks, and requires that each verbatim part is the same in the host file.
fn text(name: &str, host: &str) -> String {
    let all = found(name, host);
    let [shader] = &all[..] else { panic!("{} shaders in {host}", all.len()) };
    assert_eq!(shader.holes, [], "{host}");
    let text = shader.text.text();
    for (at, character) in text.char_indices() {
        let span = Span::new(at as u32, (at + character.len_utf8()) as u32);
        let place = shader.text.host_span(span);
        let source = &host[place.range(host)];
        let is_same = shader
            .text
            .sources()
            .any(|(of, same)| same && of.start <= place.start && place.end <= of.end);
        assert!(!is_same || source == character.to_string(), "{at} in {text}");
    }
    text.replace('\n', "")
}

const ENTRY: &str = "@compute @workgroup_size(WG) fn main() {}";

/// Returns `ENTRY` with this workgroup size.
fn entry(size: &str) -> String {
    ENTRY.replace("WG", size)
}

#[test]
fn typescript_texts_are_put_together() {
    let e = &entry("64");
    for host in [
        format!("const s = `{e}`;"),
        format!("const s = '{e}' as const;"),
        "const WG = 64; const s = `@compute @workgroup_size(${WG}) fn main() {}`;".to_owned(),
        "const WG = 2 ** 6; f(/* wgsl */ `@compute @workgroup_size(${ WG }) fn main() {}`)"
            .to_owned(),
        "const W = { x: 0x40 }; let s = wgsl`@compute @workgroup_size(${W.x}) fn main() {}`;"
            .to_owned(),
        "class A { static WG = 64; s = `@compute @workgroup_size(${A.WG}) fn main() {}` }"
            .to_owned(),
        "enum W { X = 64 } f(`@compute @workgroup_size(${W.X}) fn main() {}`)".to_owned(),
        "const s = ['@compute @workgroup_size(', 8 * 8, ') fn main() {}'].join('');".to_owned(),
        "const s = '@compute @workgroup_size(' + String(64) + ') fn main' + '() {}';".to_owned(),
        "s = '@compute @workgroup_size(N) fn main() {}'.replace('N', '64');".to_owned(),
        r"s = '@compute @workgroup_size({{N}}) fn main() {}'.replace(/\{\{N\}\}/g, 64);".to_owned(),
        "const N = 64; s = '@compute @workgroup_size({{N}}) fn main() {}';".to_owned(),
        "const h = true; s = `@compute @workgroup_size(${h ? 64 : 1}) fn main() {}`;".to_owned(),
        "const c = ` fn main() {}`; s = `@compute @workgroup_size(64)${c}`;".to_owned(),
        "const c = `@compute @workgroup_size(64)`; s = c + ' fn main() {}';".to_owned(),
    ] {
        assert_eq!(text("a.ts", &host), *e, "{host}");
    }
}

#[test]
fn other_languages_are_put_together() {
    let e = &entry("64");
    for (name, host) in [
        ("a.py", format!("s = '''{e}'''")),
        ("a.py", "WG = 64\ns = f'@compute @workgroup_size({WG}) fn main() {{}}'".to_owned()),
        ("a.py", "s = '@compute @workgroup_size({}) fn main() {{}}'.format(64)".to_owned()),
        ("a.py", "s = ('@compute @workgroup_size({n})' ' fn main() {{}}').format(n=32 * 2)".to_owned()),
        ("a.py", "s = '@compute @workgroup_size($N) fn main() {}'.replace('$N', str(64))".to_owned()),
        ("a.py", "class A:\n  N = 64\n  def f(self):\n    return f'@compute @workgroup_size({self.N}) fn main() {{}}'".to_owned()),
        ("a.py", "D = {'n': 64}\ns = f\"@compute @workgroup_size({D['n']}) fn main() {{}}\"".to_owned()),
        ("a.rs", format!("const S: &str = r##\"{e}\"##;")),
        ("a.rs", "const WG: u32 = 64; fn f() { format!(\"@compute @workgroup_size({WG}) fn main() {{}}\"); }".to_owned()),
        ("a.rs", "const WG: u32 = 64; fn f() { format!(\"@compute @workgroup_size({n}) fn main() {{}}\", n = WG); }".to_owned()),
        ("a.rs", "fn f() { let n = 2; let n = n * 32; format!(\"@compute @workgroup_size({}) fn main() {{}}\", n); }".to_owned()),
        ("a.rs", "const S: &str = concat!(\"@compute @workgroup_size(\", 64, \") fn main() {}\");".to_owned()),
        ("a.rs", "fn f() { \"@compute @workgroup_size({{N}}) fn main() {}\".replace(\"{{N}}\", &64.to_string()); }".to_owned()),
        ("a.html", format!("<script type='x/wgsl'>{e}</script>")),
        ("a.html", "<script>const WG = 64;</script><script>f(`@compute @workgroup_size(${WG}) fn main() {}`)</script>".to_owned()),
        ("a.vue", format!("<script lang=ts setup>let s: string = `{e}`;</script>")),
        ("a.svelte", format!("<script>let s = `{e}`;</script><p>{{s}}</p>")),
        ("a.jsx", format!("const s = `{e}`; const v = <p>{{s}}</p>;")),
    ] {
        assert_eq!(text(name, &host), *e, "{host}");
    }
}

#[test]
fn what_is_not_known_is_a_hole_with_its_name() {
    for (file, host, holes) in [
        ("a.ts", "f(`@compute @workgroup_size(${WG}) fn main() {}`)", vec![Some("WG")]),
        (
            "a.ts",
            "const W = 64; (W) => `@compute @workgroup_size(${W}) fn main() {}`",
            vec![Some("W")],
        ),
        (
            "a.ts",
            "function f(W) { return `@compute @workgroup_size(${W}) fn main() {}` }",
            vec![Some("W")],
        ),
        (
            "a.ts",
            "let W = 64; W = 3; f(`@compute @workgroup_size(${W}) fn main() {}`)",
            vec![Some("W")],
        ),
        ("a.ts", "f(`@compute @workgroup_size(${c.size}) fn main() {}`)", vec![Some("size")]),
        ("a.ts", "f(`@compute @workgroup_size(${W * 2}) fn main() {}`)", vec![Some("W")]),
        ("a.ts", "f(`@compute @workgroup_size(64) fn main() {${body()}}`)", vec![None]),
        ("a.ts", "f(common + `@compute @workgroup_size(64) fn main() {}`)", vec![Some("common")]),
        ("a.ts", "s = '@compute @workgroup_size({{N}}) fn main() {}'", vec![Some("N")]),
        ("a.py", "s = f'@compute @workgroup_size({N}) fn main() {{}}'", vec![Some("N")]),
        (
            "a.py",
            "N = 1\nN = 2\ns = f'@compute @workgroup_size({N}) fn main() {{}}'",
            vec![Some("N")],
        ),
        (
            "a.rs",
            "fn f(n: u32) { format!(\"@compute @workgroup_size({n}) fn main() {{}}\"); }",
            vec![Some("n")],
        ),
    ] {
        let all = found(file, host);
        let found: Vec<_> = all.iter().flat_map(|shader| &shader.holes).collect();
        let names: Vec<_> = found.iter().map(|hole| hole.name.as_deref()).collect();
        assert_eq!(names, holes, "{host}");
        for name in holes.into_iter().flatten() {
            let given = defined(file, host, &[(name, "32")]);
            assert!(given.iter().all(|shader| shader.holes.is_empty()), "{host}");
        }
    }
}

#[test]
fn what_is_no_shader_is_not_found() {
    let e = &entry("64");
    for (name, host) in [
        ("a.ts", "if (text.includes('@compute')) f();".to_owned()),
        ("a.ts", format!("// `{e}`")),
        ("a.ts", "const s = `fn helper() {}`; // @compute".to_owned()),
        ("a.py", format!("'''{e}'''\ndef f():\n  '''{e}'''\n")),
        ("a.py", format!("s = b'''{e}'''")),
        ("a.rs", format!("/// `{e}`\n#[doc = \"{e}\"] fn f() {{}}")),
        ("a.html", format!("<!-- <script type='wgsl'>{e}</script> --><p>{e}</p>")),
    ] {
        assert_eq!(found(name, &host).len(), 0, "{host}");
    }
}

#[test]
fn parts_of_shaders_are_not_shaders_of_their_own() {
    let host = "
        const tail = `@compute @workgroup_size(1) fn main() { f(); }`;
        const one = `fn f() {}\n${tail}`;
        const two = `fn f() { return; }\n${tail}`;";
    let all = found("a.ts", host);
    let names: Vec<_> = all.iter().map(|shader| shader.name.as_deref()).collect();
    assert_eq!(names, [Some("one"), Some("two")]);
}

#[test]
fn nesting_and_broken_texts_do_no_harm() {
    let e = &entry("64");
    let deep = 20_000;
    for (name, open) in [
        ("a.ts", "("),
        ("a.ts", "["),
        ("a.ts", "{"),
        ("a.tsx", "<a>"),
        ("a.ts", "!"),
        ("a.ts", "a=>"),
        ("a.ts", "`${"),
        ("a.ts", "x+"),
        ("a.ts", "x?y:"),
        ("a.ts", "f("),
        ("a.py", "("),
        ("a.py", "not "),
        ("a.py", "f'{"),
        ("a.py", "-"),
        ("a.rs", "("),
        ("a.rs", "{"),
        ("a.rs", "&"),
        ("a.rs", "m!("),
        ("a.html", "<script>"),
    ] {
        let _ = found(name, &format!("const s = `{e}`;\n x = {}", open.repeat(deep)));
        let _ = found(name, &format!("x = {} `{e}`", open.repeat(1000)));
    }
}

#[test]
fn names_that_refer_to_one_another_end() {
    let mut host =
        "const a0 = a0 + a1; const s = `@compute @workgroup_size(${a0}) fn main() {}`;".to_owned();
    for n in 1..60 {
        host += &format!("const a{n} = a{} + a{};", n + 1, n + 1);
    }
    assert_eq!(found("a.ts", &host).len(), 1);
    let doubled: String =
        (0..60).map(|n| format!("const t{n} = t{} + t{};", n + 1, n + 1)).collect();
    let host = format!("const t60 = `{}`; {doubled} f(t0);", entry("1"));
    assert!(found("a.ts", &host).len() <= 61);
}
