use super::{File, ImportRequest, build, import_path};
use crate::diagnostic::Diagnostic;
use crate::source_map::SourceMap;

/// Returns the texts of `main.wgsl` and of the files that it imports.
fn made(
    main: &str,
    files: &[(&str, &str)],
    defines: &[(&str, &str)],
) -> Result<SourceMap, Box<Diagnostic>> {
    let find = |asked: ImportRequest<'_>| {
        let mut files = files.iter();
        let found = files.find(|(name, text)| match asked {
            ImportRequest::Module(path) => import_path(text) == Some(path),
            ImportRequest::File(file) => *name == file,
            ImportRequest::Part(part) => {
                name.strip_suffix(".wgsl") == Some(part) && import_path(text).is_none()
            }
        });
        found.map(|(name, text)| File { name: (*name).to_owned(), text: (*text).to_owned() })
    };
    let defines = defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    build::source("main.wgsl", main, &defines.collect::<Vec<_>>(), &find)
}

fn text(main: &str, files: &[(&str, &str)], defines: &[(&str, &str)]) -> String {
    match made(main, files, defines) {
        Ok(source) => source.text().lines().map(|line| format!("{}\n", line.trim_end())).collect(),
        Err(error) => panic!("{error} {:?} {:?}", error.notes, error.help),
    }
}

/// Returns the error message with its location and help.
fn refused(main: &str, files: &[(&str, &str)], defines: &[(&str, &str)]) -> String {
    let error = *made(main, files, defines).expect_err("it is refused");
    let place = error.source_map.as_ref().zip(error.labels.first()).map(|(source, (span, _))| {
        let at = source.position(span.start);
        format!(" at {}:{}:{} `{}`", source.name(), at.line, at.column, source.snippet(*span))
    });
    let help = error.help.map(|help| format!("; {help}"));
    format!("{}{}{}", error.message, place.unwrap_or_default(), help.unwrap_or_default())
}

#[test]
fn conditions_leave_lines_out_and_values_are_put_in() {
    let main = "\
#ifdef FAST
const A = 1;
#else
const A = 2;
#endif
#if N >= 4
const B = #{N}u;
#endif
#define OWN 7
const C = #{OWN};
";
    let with = |fast: bool, n| {
        let all = [("N", n), ("FAST", "true")];
        text(main, &[], if fast { &all } else { &all[..1] })
    };
    assert_eq!(with(true, "4"), "\nconst A = 1;\n\n\n\n\nconst B = 4u;\n\n\nconst C = 7;\n");
    assert_eq!(with(false, "3"), "\n\n\nconst A = 2;\n\n\n\n\n\nconst C = 7;\n");
}

#[test]
fn what_is_imported_stands_behind_and_keeps_names_lines_and_columns() {
    let main = "\
#import math::shapes::{area, Circle}
#import math
fn f(c: Circle) -> f32 { let a = area(c); return a + math::double(a) * c.r; }
";
    let shapes = "\
#define_import_path math::shapes
#import math::double
struct Circle { r: f32 }
fn area(c: Circle) -> f32 { return double(c.r); }
";
    let math = "#define_import_path math\nfn double(x: f32) -> f32 { return 2.0 * x; }\n";
    let source = made(main, &[("shapes.wgsl", shapes), ("math.wgsl", math)], &[]).unwrap();
    let lines: Vec<&str> = source.text().lines().map(str::trim_end).collect();
    assert_eq!(
        lines[2],
        "fn f(c: Circle) -> f32 { let a = area(c); return a +       double(a) * c.r; }"
    );
    let at = |word: &str| {
        let at = source.text().find(word).unwrap() as u32;
        let position = source.position(at);
        format!("{}:{}:{}", source.file(at), position.line, position.column)
    };
    assert_eq!(at("double(a)"), "main.wgsl:3:60");
    assert_eq!(at("struct Circle"), "shapes.wgsl:3:1");
    assert_eq!(at("double(x"), "math.wgsl:2:4");
    assert!(naga::front::wgsl::parse_str(source.text()).is_ok(), "{}", source.text());
}

#[test]
fn names_that_another_file_uses_are_given_new_ones() {
    let main = "\
#import a::light
#import b
var<private> shade: f32;
fn f() -> f32 { return light(shade) + b::light(1.0) + b::gain.light; }
";
    let a = "#define_import_path a\nfn light(x: f32) -> f32 { return x; }\n";
    let b = "\
#define_import_path b
struct Gain { light: f32, shade: f32 }
var<private> gain: Gain;
var<private> shade: f32 = 3.0;
fn light(light: f32) -> f32 { return light * shade + gain.shade; }
";
    let text = text(main, &[("a.wgsl", a), ("b.wgsl", b)], &[]);
    for part in [
        "return light_a(shade) +  light_b(1.0) +    gain.light;",
        "fn light_a(x: f32)",
        "struct Gain { light: f32, shade: f32 }",
        "var<private> shade_b: f32 = 3.0;",
        "fn light_b(light_b: f32) -> f32 { return light_b * shade_b + gain.shade; }",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
}

#[test]
fn files_are_imported_by_name_too_and_parts_are_put_in_as_they_are() {
    let main = "\
#import \"light.wgsl\"::light
#import config
#ifdef NEVER
#import missing
#endif
fn f() -> f32 { return light() * SCALE; }
";
    let files = [
        ("light.wgsl", "fn light() -> f32 { return 1.0; }"),
        ("config.wgsl", "#import limits\nconst SCALE = 2.0 * LIMIT;"),
        ("limits.wgsl", "#import config\nconst LIMIT = 4.0;"),
        ("missing.wgsl", "no WGSL"),
    ];
    let text = text(main, &files, &[]);
    assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
    assert_eq!(text.matches("const SCALE").count(), 1);
}

#[test]
fn directives_of_any_file_stand_in_front() {
    let main = "// first\n#import a::one\nfn f() -> f32 { return f32(one()); }\n";
    let a = "enable f16;\n#define_import_path a\nfn one() -> f16 { return 1.0h; }\n";
    let source = made(main, &[("a.wgsl", a)], &[]).unwrap();
    assert!(source.text().starts_with("enable f16; // first\n"), "{}", source.text());
    assert_eq!(source.position(source.text().find("fn one").unwrap() as u32).line, 3);
}

#[test]
fn what_is_wrong_is_said_at_its_line() {
    let module = [("a.wgsl", "#define_import_path a\n#ifdef X\nfn x() {}\n#endif\nfn y() {}\n")];
    for (main, says) in [
        (
            "\nfn f() { b::c(); }\n",
            "there is no module `b` at main.wgsl:2:1 `fn f() { b::c(); }`; pass the file with \
             `#define_import_path b`, or its folder, with --module PATH",
        ),
        (
            "#import \"no.wgsl\"::c\n  fn f() { c(); }\n",
            "there is no module `\"no.wgsl\"` at main.wgsl:2:3 `fn f() { c(); }`; pass it with \
             --module no.wgsl",
        ),
        (
            "#import a::x\n\nfn f() { x(); }\n",
            "module `a` has no `x` at main.wgsl:3:1 `fn f() { x(); }`",
        ),
        (
            "fn f() {}\n#if N == 2\n#endif\n",
            "`N` is not defined at main.wgsl:2:1 `#if N == 2`; define it: --define N=VALUE",
        ),
        (
            "fn f() {}\n#endif\n",
            "naga_oil reports an error: Too many '# endif' lines. Each endif should be preceded by an if \
             statement. at main.wgsl:2:1 `#endif`",
        ),
        (
            "#import a\noverride fn a::y() {}\n",
            "hirace does not support virtual functions at main.wgsl:2:1 `override fn a::y() {}`; \
             check the output of naga_oil's composer",
        ),
    ] {
        assert_eq!(refused(main, &module, &[]), says);
    }
    let numbers = "#if N == true\n#endif\n";
    let says =
        "`N` is compared with `true`, which is not of type uint at main.wgsl:1:1 `#if N == true`";
    assert_eq!(refused(numbers, &[], &[("N", "4")]), says);
    let says = "the value of `--define N=f32` must be true, false or an integer here; text values are only substituted for {{NAME}}";
    assert_eq!(refused(numbers, &[], &[("N", "f32")]), says);
}

#[test]
fn no_text_makes_it_panic() {
    let pieces = [
        "#import ", "a::b", "{", "}", "\"", "#ifdef", " X", "\n", "#else", "#endif", "/*", "*/",
        "//", "#{X}", "#define ", "é", "::", "fn f", "(", ")", "struct ", "@", ";", "#if X ==",
        "var<", ">",
    ];
    let mut seed = 7_u64;
    for _ in 0..3_000 {
        let mut text = String::new();
        for _ in 0..12 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
        }
        let _ = made(&text, &[("a.wgsl", "#define_import_path a\nfn b() {}\n")], &[("X", "2")]);
    }
}

#[test]
fn what_stands_between_braces_is_a_value_of_any_kind() {
    let main = "\
const n = {{N}}u;
var<private> all: array<{{ TYPE }}, {{N}}>;
fn f() {{ let x = {{N}}; }}
#if N > 4
const more = {{N}} - 4;
#endif
";
    let made = text(main, &[], &[("N", "8"), ("TYPE", "vec4<f32>")]);
    let expected = "\
const n = 8u;
var<private> all: array<vec4<f32>, 8>;
fn f() {{ let x = 8; }}

const more = 8 - 4;

";
    assert_eq!(made, expected);
    assert_eq!(
        refused(main, &[], &[("N", "8")]),
        "`TYPE` has no value at main.wgsl:2:25 `{{ TYPE }}`; define it: --define TYPE=VALUE"
    );
    let unused = refused("const n = 1;\n", &[], &[("TYPE", "f32")]);
    assert!(unused.starts_with("the value of `--define TYPE=f32` must be"), "{unused}");
}

#[test]
fn values_are_put_into_modules_too() {
    let module = "#define_import_path m\nconst size = {{SIZE}};\n";
    let made =
        text("#import m::size\nconst own = size;\n", &[("m.wgsl", module)], &[("SIZE", "16")]);
    assert!(made.contains("= 16;"), "{made}");
}
