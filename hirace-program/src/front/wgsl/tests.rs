use super::*;

fn error(text: &str) -> Diagnostic {
    *parse("a.wgsl", text).unwrap_err()
}

/// Returns the text that the first label of a diagnostic points to.
fn place(error: &Diagnostic) -> &str {
    error.source_map.as_ref().unwrap().snippet(error.labels[0].0)
}

const KERNEL: &str = "@compute @workgroup_size(1) fn main() {}";

#[test]
fn syntax_errors_stand_at_their_token() {
    let error = error("fn main( { }");
    assert_eq!(error.message, "expected identifier, found \"{\"");
    assert_eq!(place(&error), "{");
}

#[test]
fn the_innermost_reason_of_a_validation_error_is_its_message() {
    let error = error(
        "var<workgroup> w: array<u32, 4>;
         fn helper() -> f32 { let x = w[9]; return f32(x); }
         @compute @workgroup_size(1) fn main() { _ = helper(); }",
    );
    assert_eq!(error.message, "Accessing index 9 is out of bounds");
    assert_eq!(error.notes, ["Function 'helper' is invalid"]);
    assert_eq!(place(&error), "w[9]");
}

#[test]
fn templates_are_recognised_by_their_tool() {
    let templates = [
        ("#import bevy_pbr::mesh\nfn f() {}", "naga_oil", "#import bevy_pbr::mesh"),
        ("#define_import_path a::b\n#ifdef X\n#endif", "naga_oil", "#define_import_path a::b"),
        (
            "@group(#{GROUP}) @binding(0) var<uniform> a: f32;",
            "naga_oil",
            "#{GROUP}) @binding(0) var<uniform> a: f32;",
        ),
        ("// x\n  #ifdef WIDE\nconst a = 1;\n  #endif", "preprocessor", "#ifdef WIDE"),
        ("const size = {{ size }};", "tera", "{{ size }};"),
        ("{% for i in x %} {% endfor %}", "tera", "{% for i in x %} {% endfor %}"),
        ("import package::a::b;\nfn f() {}", "WESL", "import package::a::b;"),
        ("const n = ${n};", "JavaScript", "${n};"),
        ("const n = {workgroup_size}u;", "`{name}`", "{workgroup_size}u;"),
    ];
    for (text, tool, sign) in templates {
        let error = error(text);
        assert!(error.message.contains("is a template"), "{text}: {}", error.message);
        assert!(error.message.contains(tool), "{text}: {}", error.message);
        assert_eq!(place(&error), sign);
        assert!(error.help.is_some());
    }
}

#[test]
fn signs_of_templates_in_comments_are_none() {
    let text = "// #import a\n/* {{ b }} */\nfn broken( {";
    assert!(!error(text).message.contains("template"));
    parse("a.wgsl", &format!("// #ifdef X\n{KERNEL}")).unwrap();
}

#[test]
fn a_forgotten_semicolon_makes_no_template() {
    assert!(!error("fn f() { if true {return} }").message.contains("template"));
}

#[test]
fn blocks_within_blocks_are_no_template() {
    parse("a.wgsl", "@compute @workgroup_size(1) fn main() {{ var x = 1; {{}} }}").unwrap();
    assert!(!error("fn f() {{ x = 1; }} }").message.contains("template"));
}

#[test]
fn a_file_without_compute_says_what_it_has() {
    let error = error(
        "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
         @fragment fn fs() -> @location(0) vec4f { return vec4f(); }",
    );
    assert_eq!(error.message, "`a.wgsl` has no compute entry point");
    assert_eq!(error.notes, ["its entry points are `vs` (vertex), `fs` (fragment)"]);
}

#[test]
fn an_empty_file_has_no_entry_point() {
    for text in ["", "\n\n", "// nothing\n", "fn helper() {}"] {
        let error = error(text);
        assert_eq!(error.message, "`a.wgsl` has no compute entry point", "{text:?}");
        assert!(error.notes[0].contains("no entry points"));
    }
}

#[test]
fn names_of_other_files_are_looked_for_there() {
    let error = error("@compute @workgroup_size(1) fn main() { shared_helper(); }");
    assert!(error.message.contains("shared_helper"), "{}", error.message);
    assert!(error.help.unwrap().contains("another file"));
}

#[test]
fn text_that_is_not_utf8_is_reported_by_byte_and_line() {
    let error = parse_bytes("a.wgsl", b"// a\n// \xff\n").unwrap_err();
    assert_eq!(error.message, "`a.wgsl` is not UTF-8: invalid byte at offset 8 (0xff) in line 2");
    let wide: Vec<u8> = KERNEL.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let bom = [&[0xfe, 0xff][..], &wide].concat();
    assert!(parse_bytes("a.wgsl", &bom).unwrap_err().message.contains("byte at offset 0 (0xfe)"));
}

#[test]
fn byte_order_marks_and_carriage_returns_are_fine() {
    let text = format!(
        "\u{feff}var<workgroup> w: u32;\r\n{}",
        KERNEL.replace("{}", "{\r\n  w = 1u;\r\n}\r\n")
    );
    let parsed = parse_bytes("a.wgsl", text.as_bytes()).unwrap();
    let program = crate::program::Program::new(&parsed, &Default::default()).unwrap();
    let (_, site, _) = program.sites.accesses().next().unwrap();
    assert_eq!(program.source.snippet(site.span), "w");
    assert_eq!(program.source.position(site.span.start).line, 3);
}

#[test]
fn nesting_is_limited_and_never_overflows() {
    let n = 100_000;
    let kernel =
        |body: &str| format!("@compute @workgroup_size(1) fn main() {{ var x = 1u; {body} }}");
    let deep = [
        format!("x = {}x{};", "(".repeat(n), ")".repeat(n)),
        format!("x = {}x;", "~".repeat(n)),
        format!("x = {}x;", "x + ".repeat(n)),
        format!("x = x{};", "[0]".repeat(n)),
        format!("x = {}x{};", "min(x, ".repeat(n), ")".repeat(n)),
        "{".repeat(n) + &"}".repeat(n),
        format!("if x == 1u {{}} {}", "else if x == 2u {} ".repeat(1000)),
        format!("if x == 1u {{}} {}", "else if x == 2u {} ".repeat(n)),
        format!("var y: {}u32{};", "array<".repeat(n), ">".repeat(n)),
    ];
    for body in deep {
        assert!(parse("a.wgsl", &kernel(&body)).is_err(), "{}", &body[..40]);
    }
    let calls: String = (0..300).map(|i| format!("fn f{i}() {{ f{}(); }}\n", i + 1)).collect();
    assert!(
        error(&format!("{calls} fn f300() {{}} {}", kernel("f0();")))
            .message
            .contains("calls may nest")
    );
    let types: String = (0..300).map(|i| format!("struct S{} {{ x: S{i} }}\n", i + 1)).collect();
    assert!(
        error(&format!("struct S0 {{ x: u32 }} {types} {KERNEL}"))
            .message
            .contains("types may nest")
    );
    parse(
        "a.wgsl",
        &kernel(&"if x == 1u { ".repeat(100).to_string()).replace(" }", &"}".repeat(101)),
    )
    .unwrap();
}

#[test]
fn rays_are_refused_by_name() {
    let error = error(
        "enable wgpu_ray_query;
         @group(0) @binding(0) var tree: acceleration_structure;
         @compute @workgroup_size(1) fn main() { var query: ray_query; _ = tree; }",
    );
    assert_eq!(error.message, "hirace does not run programs that need RAY_QUERY");
}
