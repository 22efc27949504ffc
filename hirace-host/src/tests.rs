//! Tests of shaders in host files of all languages.

use crate::shaders::{self, Shader};
use crate::{HostFile, parse_file};
use hirace_program::diagnostic::Cause;
use hirace_program::source_map::{SourceMap, Span};

fn found(name: &str, text: &str) -> Vec<Shader> {
    defined(name, text, &[])
}

fn defined(name: &str, text: &str, defines: &[(&str, &str)]) -> Vec<Shader> {
    let defines: Vec<_> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    shaders::find(name, text, &defines).shaders
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

/// Parses a file.
fn file(name: &str, text: &str) -> HostFile {
    parse_file(&SourceMap::new(name, text), &[]).unwrap_or_default()
}

/// Returns the entry points of the programs in a file, which has no errors and no warnings.
fn checked(name: &str, text: &str) -> Vec<String> {
    let HostFile { items, unread } = file(name, text);
    assert_eq!(unread.len(), 0, "{text}");
    let modules = items.iter().map(|item| item.as_ref().map_err(|error| error.message.clone()));
    let kernels = modules.flat_map(|module| match module {
        Ok(module) => module.kernels().map(str::to_owned).collect(),
        Err(error) => vec![error],
    });
    kernels.collect()
}

/// Returns the messages of the warnings in a file without programs and errors.
fn unread(name: &str, text: &str) -> Vec<String> {
    let HostFile { items, unread } = file(name, text);
    assert_eq!(items.len(), 0, "{text}");
    unread.into_iter().map(|warning| warning.message).collect()
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
    assert_eq!(checked("a.ts", host), ["one.main", "two.main"]);
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

#[test]
fn messages_that_contain_a_shader_do_not_replace_it() {
    let code = format!("const code = `{}`;\n", entry("1"));
    for rest in [
        "console.log('compiling: ' + code);",
        "run('#import a::b\\n' + code);",
        "throw new Error(`failed ${e}\\n${code}`);",
        "log(`${code} is not valid`, `${e} ${code}`);",
    ] {
        assert_eq!(checked("a.ts", &format!("{code}{rest}")), ["main"], "{rest}");
    }
    // The start of a shader is not a program by itself.
    let start = "const start = `@compute @workgroup_size(1) fn main() {`;\nf(start + body + '}');";
    assert_eq!(unread("a.ts", start).len(), 1);
    let both = format!("{code} f(`${{code}} @compute @workgroup_size(${{x}}) fn other() {{}}`);");
    assert_eq!(file("a.ts", &both).unread.len(), 1);
}

#[test]
fn modules_have_names_of_their_own() {
    let script = |size| {
        let used = "s = `@compute @workgroup_size(${W}) fn main() {}`";
        format!("<script type='module'>const W = {size}; {used}</script>")
    };
    let all = found("a.html", &(script(1) + &script(2)));
    let texts: Vec<_> = all.iter().map(|shader| shader.text.text()).collect();
    assert_eq!(texts, [entry("1"), entry("2")]);
}

#[test]
fn a_tag_says_that_a_text_is_a_shader() {
    let host =
        "const s = wgsl`@compute fn main() {}`; const t = /* wgsl */ `@compute fn main() {}`;";
    assert_eq!(found("a.ts", host).len(), 2);
    assert_eq!(found("a.ts", "const s = css`@compute fn main() {}`;").len(), 0);
}

#[test]
fn what_is_too_large_is_a_warning() {
    let doubled: String =
        (0..39).map(|n| format!("const t{n} = t{} + t{};", n + 1, n + 1)).collect();
    let host = format!("const t39 = `{}`; {doubled} f(t0);", entry("h()"));
    let file = file("a.ts", &host);
    assert!(file.unread.iter().any(|warning| warning.message.contains("too large")));
    let large = format!("const s = `{}`;\n//{}", entry("1"), " ".repeat(shaders::MAX_FILE));
    assert_eq!(unread("a.ts", &large).len(), 1);
}

#[test]
fn values_that_the_program_changes_are_not_known() {
    let class = "class A:\n  W = 64\n  def f(self):\n";
    let used = "f'@compute @workgroup_size({W}) fn main() {{}}'";
    for (name, host) in [
        ("a.ts", "const W = { x: 64 }; W.x = 3; f(`@compute @workgroup_size(${W.x}) fn main() {}`)".to_owned()),
        ("a.ts", "const W = { x: 64, ...o }; f(`@compute @workgroup_size(${W.x}) fn main() {}`)".to_owned()),
        ("a.ts", "const W = { x: 64, [k]: 3 }; f(`@compute @workgroup_size(${W.x}) fn main() {}`)".to_owned()),
        ("a.ts", "const W = { x: 64, get x() { return 3; } }; f(`@compute @workgroup_size(${W.x}) fn main() {}`)".to_owned()),
        ("a.ts", "const W = { x: 64 }; Object.assign(W, o); f(`@compute @workgroup_size(${W.x}) fn main() {}`)".to_owned()),
        ("a.ts", "let W = 64; [W] = [3]; f(`@compute @workgroup_size(${W}) fn main() {}`)".to_owned()),
        ("a.ts", "let W = 64; ({ W } = o); f(`@compute @workgroup_size(${W}) fn main() {}`)".to_owned()),
        ("a.ts", "let W = 64; for (W of l) f(`@compute @workgroup_size(${W}) fn main() {}`)".to_owned()),
        ("a.ts", "const W = [64]; W[0]++; f(`@compute @workgroup_size(${W[0]}) fn main() {}`)".to_owned()),
        ("a.ts", "const W = [...o, 64]; f(`@compute @workgroup_size(${W[0]}) fn main() {}`)".to_owned()),
        ("a.ts", "const W = [64]; W.unshift(3); f(`@compute @workgroup_size(${W[0]}) fn main() {}`)".to_owned()),
        ("a.py", format!("W = 64\ndef g():\n  global W\n  W = 3\ns = {used}")),
        ("a.py", format!("{class}    return {used}")),
        ("a.py", "class A:\n  W = 64\n  def g(self, n):\n    self.W = n\n  def f(self):\n    return f'@compute @workgroup_size({self.W}) fn main() {{}}'".to_owned()),
        ("a.py", "D = {'n': 64}\nD['n'] = 3\ns = f\"@compute @workgroup_size({D['n']}) fn main() {{}}\"".to_owned()),
        ("a.py", "D = {'n': 64, **o}\ns = f\"@compute @workgroup_size({D['n']}) fn main() {{}}\"".to_owned()),
        ("a.py", format!("try:\n  from c import W\nexcept ImportError:\n  W = 64\ns = {used}")),
        ("a.py", format!("W = 64\nwith f() as W:\n  s = {used}")),
        ("a.rs", "const W: u32 = 64; fn f() { format!(\"@compute @workgroup_size({}) fn main() {{}}\", other::W); }".to_owned()),
        ("a.rs", "const MAX: u32 = 64; fn f() { format!(\"@compute @workgroup_size({}) fn main() {{}}\", u32::MAX); }".to_owned()),
        ("a.rs", "#[cfg(a)] const W: u32 = 64; #[cfg(b)] const W: u32 = 3; fn f() { format!(\"@compute @workgroup_size({W}) fn main() {{}}\"); }".to_owned()),
        ("a.rs", "const W: u32 = 64; fn f() { if let Some(W) = o { format!(\"@compute @workgroup_size({W}) fn main() {{}}\"); } }".to_owned()),
    ] {
        let all = found(name, &host);
        assert_eq!(all.len(), 1, "{host}");
        assert!(!all[0].holes.is_empty(), "{host}");
    }
    // A class sees its own names, and a method those of its object.
    let within = "class A:\n  W = 64\n  s = f'@compute @workgroup_size({W}) fn main() {{}}'";
    assert_eq!(text("a.py", within), entry("64"));
    let set = "class A:\n  def g(self):\n    self.W = 64\n  def f(self):\n    return f'@compute @workgroup_size({self.W}) fn main() {{}}'";
    assert_eq!(text("a.py", set), entry("64"));
}

#[test]
fn sums_are_added_from_the_left() {
    for (name, host, size) in [
        (
            "a.ts",
            "const W = 63; s = '@compute @workgroup_size(' + (W + 1 + 'u') + ') fn main() {}'",
            "64u",
        ),
        ("a.ts", "const W = 63; s = '@compute @workgroup_size(' + W + 1 + ') fn main() {}'", "631"),
        (
            "a.ts",
            "const W = 63; s = '@compute @workgroup_size(' + (String(W) + 1) + ') fn main() {}'",
            "631",
        ),
        ("a.py", "s = '@compute @workgroup_size(' + str(6) + str(4) + ') fn main() {}'", "64"),
        (
            "a.rs",
            "fn f() { \"@compute @workgroup_size(\".to_string() + &64.to_string() + \") fn main() {}\"; }",
            "64",
        ),
        (
            "a.ts",
            "const W = 64; s = `@compute @workgroup_size(${W >= 64 && !0 ? W || 1 : 1}) fn main() {}`",
            "64",
        ),
        (
            "a.ts",
            "const m = 'x'; s = `@compute @workgroup_size(${m ? 1 | 2 : 1}) fn main() {}`",
            "3",
        ),
        (
            "a.ts",
            "const W = 64; const o = { W }; s = `@compute @workgroup_size(${o.W ?? 3}) fn main() {}`",
            "64",
        ),
        (
            "a.py",
            "W = 64\ns = f'@compute @workgroup_size({W if W > 32 and W <= 64 else 1}) fn main() {{}}'",
            "64",
        ),
        (
            "a.rs",
            "const W: u32 = 64; fn f() { format!(\"@compute @workgroup_size({W}) fn main() {{}}\"); let W = 3; }",
            "64",
        ),
        (
            "a.rs",
            "const W: u32 = 64; fn f() { format!(\"@compute @workgroup_size({}) fn main() {{}}\", self::W); }",
            "64",
        ),
    ] {
        assert_eq!(text(name, host), entry(size), "{host}");
    }
    let mixed = found("a.py", "s = '@compute @workgroup_size(' + 64 + ') fn main() {}'");
    assert_eq!(mixed[0].holes.len(), 1);
}

#[test]
fn a_value_of_the_user_replaces_what_is_not_known() {
    for host in [
        "const W = f(x); s = `@compute @workgroup_size(${W}) fn main() {}`",
        "const W = x * 2; s = `@compute @workgroup_size(${W}) fn main() {}`",
        "const W = `${x}`; s = `@compute @workgroup_size(${W}) fn main() {}`",
        "const W = x ? 1 : 2; s = `@compute @workgroup_size(${W}) fn main() {}`",
        "const o = { W: x }; s = `@compute @workgroup_size(${o.W}) fn main() {}`",
    ] {
        let all = defined("a.ts", host, &[("W", "32")]);
        assert_eq!(all[0].holes, [], "{host}");
        assert!(all[0].text.text().contains("(32)"), "{host}");
        assert_eq!(found("a.ts", host)[0].holes.len(), 1, "{host}");
    }
}

#[test]
fn texts_about_shaders_are_not_shaders() {
    for host in [
        "s = 'a @compute @workgroup_size fn { shader is needed'",
        "s = '// @compute @workgroup_size(1) fn main() {}'",
        "s = 'an @compute @workgroup_size function (see fn) {}'",
    ] {
        assert_eq!(found("a.ts", host).len(), 0, "{host}");
    }
    for host in [
        "s = `@compute ${SIZE} fn main() {}`",
        "s = `@compute @workgroup_size(1) fn ${name}() {}`",
        "s = `@compute @workgroup_size(1) ${body}`",
        "s = `@compute @workgroup_size(1) fn main() ${body}`",
        "s = `@compute ${SIZE}\nfn main() ${body}`",
        "s = '@compute @workgroup_size(1) fn {{ NAME }}() {}'",
    ] {
        assert_eq!(unread("a.ts", host).len(), 1, "{host}");
    }
}

#[test]
fn templates_are_warnings() {
    for (name, host) in [
        ("a.ts", "s = `#import a::b\n@compute @workgroup_size(1) fn main() {}`"),
        ("a.ts", "s = `#ifdef A\n#endif\n@compute @workgroup_size(1) fn main() {}`"),
        ("a.py", "s = '''@compute @workgroup_size(%d) fn main() {}''' % 64"),
        ("a.py", "s = f'@compute @workgroup_size({N:02d}) fn main() {{}}'"),
        ("a.py", "N = 64\ns = f'@compute @workgroup_size({N:x}) fn main() {{}}'"),
        ("a.py", "N = 64\ns = f'@compute @workgroup_size({N!r}) fn main() {{}}'"),
        ("a.py", "N = 64\ns = f'@compute @workgroup_size({N=}) fn main() {{}}'"),
        (
            "a.rs",
            "const N: u32 = 64; fn f() { format!(\"@compute @workgroup_size({N:x}) fn main() {{}}\"); }",
        ),
    ] {
        assert_eq!(unread(name, host).len(), 1, "{host}");
    }
}

#[test]
fn an_error_in_a_text_without_a_tag_may_be_that_of_another_language() {
    let text = "`@compute @workgroup_size(<%= WG %>) fn main() {}`";
    for (tag, cause) in [("", Cause::NoKernel), ("/* wgsl */", Cause::Input)] {
        let items = file("a.ts", &format!("s = {tag}{text}")).items;
        let causes: Vec<_> = items.into_iter().filter_map(Result::err).map(|e| e.cause).collect();
        assert_eq!(causes, [cause], "{tag}");
    }
}

#[test]
fn unknown_parts_of_comments_do_not_matter() {
    let host =
        "s = `// ${name}, ${a ? b : c}\n/* ${x.y} */ @compute @workgroup_size(1) fn main() {}`";
    assert_eq!(checked("a.ts", host), ["main"]);
    let host = "s = '// ' + name + '\\n@compute @workgroup_size(1) fn main() {}'";
    assert_eq!(checked("a.ts", host), ["main"]);
    let host = "fn f(n: u32) { format!(\"// {n}\\n@compute @workgroup_size(1) fn main() {{}}\"); }";
    assert_eq!(checked("a.rs", host), ["main"]);
    let host = "s = `// ${name}\n@compute @workgroup_size(1) fn main() { ${body} }`";
    assert_eq!(unread("a.ts", host).len(), 1);
}

#[test]
fn names_of_entry_points_differ() {
    let e = entry("1");
    let host = format!("f(`{e}`, `{e}`, `{e}`); const line1 = `{e}`;");
    let names = checked("a.ts", &host);
    assert_eq!(names, ["line1.main", "line1_2.main", "line1_3.main", "line1_line1.main"]);
}

#[test]
fn large_files_are_read_quickly() {
    let e = entry("1");
    let many: String =
        (0..4000).map(|n| format!("{{ let a = 'x' + a; f(`${{a}}{n}`); }}")).collect();
    let nested = format!("{}{}", "function f(a) { let b = a;".repeat(2000), "}".repeat(2000));
    let braces = format!("s = `{} {e}`;", "{ ".repeat(50_000));
    let start = std::time::Instant::now();
    for host in [format!("{many} s = `{e}`;"), format!("s = `{e}`; {nested}"), braces] {
        let _ = file("a.ts", &host);
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn constants_of_the_standard_library_are_known() {
    let entry = "@compute @workgroup_size(1) fn main() {}";
    let host = format!("const s = `const A = ${{2 * Math.PI}}; {entry}`;");
    assert!(text("a.ts", &host).starts_with("const A = 6.283185307179586;"));
    let python = entry.replace("{}", "{{}}");
    let host = format!("import math\ns = f'const A = {{math.pi / 2}}; {python}'");
    assert!(text("a.py", &host).starts_with("const A = 1.5707963267948966;"));
    // A parameter hides the module.
    let host = format!("function f(Math) {{ return `const A = ${{Math.PI}}; {entry}`; }}");
    assert_eq!(unread("a.ts", &host).len(), 1);
    let host = format!("from . import fast as math\ns = f'const A = {{math.pi}}; {python}'");
    assert_eq!(unread("a.py", &host).len(), 1);
}

/// tree-sitter takes minutes to recover from thousands of errors.
#[test]
fn a_file_with_thousands_of_syntax_errors_is_not_read_in_silence() {
    let shader = "const a = `@compute @workgroup_size(1) fn main() {}`;\n";
    let errors = "  t[l] = l=;\n";
    let few = format!("{shader}{}", errors.repeat(20));
    assert_eq!(checked("a.js", &few), ["main"]);
    let unclosed = format!("{shader}const b = `${{x}} ${{\n{}", errors.repeat(4000));
    let message = "not all shaders of `a.js` were found: it has too many syntax errors";
    assert_eq!(unread("a.js", &unclosed), [message]);
}
