use super::*;

fn options(target: TargetEnvironment) -> Options {
    Options { target, defines: Vec::new() }
}

/// Preprocesses and compiles a text without includes.
fn compiled(text: &str, options: &Options) -> Result<Vec<u32>, Vec<Message>> {
    let text = preprocess(text, options, &mut |_| Err(String::new()))?;
    compile("kernel.comp", &text, options.target)
}

/// Returns the operands of all instructions with this opcode.
fn operands(words: &[u32], opcode: u32) -> Vec<Vec<u32>> {
    let (mut found, mut at) = (Vec::new(), 5);
    while at < words.len() {
        let count = (words[at] >> 16) as usize;
        if words[at] & 0xffff == opcode {
            found.push(words[at + 1..at + count].to_vec());
        }
        at += count;
    }
    found
}

const OP_LINE: u32 = 8;
const OP_DECORATE: u32 = 71;

const KERNEL: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
void main() {
    data[gl_LocalInvocationID.x] = 1u;
}
";

#[test]
fn a_kernel_becomes_words_with_its_lines() {
    let words = compiled(KERNEL, &Options::default()).unwrap();
    assert_eq!(words[..2], [0x0723_0203, 0x0001_0600]);
    assert!(operands(&words, OP_LINE).iter().any(|line| line[1] == 5));
    let words = compiled(KERNEL, &options(TargetEnvironment::Vulkan1_0)).unwrap();
    assert_eq!(words[1], 0x0001_0000);
}

#[test]
fn errors_have_the_lines_of_the_text() {
    let text = KERNEL.replace("1u;", "one;");
    let errors = compiled(&text, &Options::default()).unwrap_err();
    assert_eq!((errors[0].file.as_deref(), errors[0].line), (Some("0"), 5));
    assert_eq!(errors[0].text, "'one' : undeclared identifier");

    let text = "#version 450\nvoid main() {\n    #error no\n}\n";
    let errors = compiled(text, &Options::default()).unwrap_err();
    assert_eq!((errors[0].line, &*errors[0].text), (3, "'#error' : no"));

    let errors =
        compiled("#version 450\nuint f() { return 1u; }\n", &Options::default()).unwrap_err();
    assert!(errors[0].file.is_none() && errors[0].text.contains("entry point"), "{errors:?}");

    let errors = compiled("#version 450\n\n\0", &Options::default()).unwrap_err();
    assert_eq!(errors[0].line, 3);
}

#[test]
fn definitions_are_expanded() {
    let text = KERNEL.replace("1u;", "VALUE + OTHER;");
    let mut options = Options::default();
    assert!(compiled(&text, &options).is_err());
    options.defines =
        vec![("VALUE".to_owned(), "2u".to_owned()), ("OTHER".to_owned(), "3u".to_owned())];
    assert!(compiled(&text, &options).is_ok());
}

#[test]
fn files_are_included() {
    let text = "#version 450\n#include \"a.glsl\"\nvoid main() { f(); }\n";
    let mut requests = Vec::new();
    let preprocessed = preprocess(text, &Options::default(), &mut |request| {
        requests.push((request.name.to_owned(), request.is_system, request.includer.to_owned()));
        match request.name {
            "a.glsl" => Ok(IncludedFile {
                name: "1".into(),
                text: "#include <b.glsl>\nvoid f() { g(); }\n".into(),
            }),
            "b.glsl" => Ok(IncludedFile { name: "2".into(), text: "void g() {}\n".into() }),
            _ => Err(String::new()),
        }
    });
    let preprocessed = preprocessed.unwrap();
    let expected = [("a.glsl", false, ""), ("b.glsl", true, "1")];
    let expected = expected.map(|(name, system, from)| (name.to_owned(), system, from.to_owned()));
    assert_eq!(requests, expected);
    let lines: Vec<&str> = preprocessed.lines().map(str::trim).collect();
    let expected = ["#version 450", "#line 1 \"1\"", "#line 1 \"2\"", "void g() { }"];
    assert_eq!(lines[..4], expected);
    assert!(lines.contains(&"void f() { g(); }"));

    let errors = preprocess(text, &Options::default(), &mut |_| Err(String::new())).unwrap_err();
    assert_eq!(errors[0].line, 2);
    // An error in an included file has its name.
    let broken =
        |_: IncludeRequest<'_>| Ok(IncludedFile { name: "1".into(), text: "\n#error no\n".into() });
    let errors = preprocess(text, &Options::default(), &mut { broken }).unwrap_err();
    assert_eq!((errors[0].file.as_deref(), errors[0].line), (Some("1"), 2));
}

#[test]
#[should_panic(expected = "from the callback")]
fn a_panic_of_the_callback_is_resumed() {
    let text = "#version 450\n#include \"a\"\n";
    let _ = preprocess(text, &Options::default(), &mut |_| panic!("from the callback"));
}

#[test]
fn names_that_a_line_directive_cannot_hold_are_not_included() {
    let text = "#version 450\n#include \"a\"\nvoid main() {}\n";
    for name in ["", "a\"b", "a\nb", "a\\"] {
        let file =
            |_: IncludeRequest<'_>| Ok(IncludedFile { name: name.to_owned(), text: String::new() });
        assert!(preprocess(text, &Options::default(), &mut { file }).is_err(), "{name:?}");
    }
}

#[test]
fn uniforms_and_bindings_of_opengl_are_given_bindings() {
    let text = "#version 430
layout(local_size_x = 1) in;
uniform uint scale;
layout(std430) buffer Data { uint data[]; };
void main() { data[0] = scale; }
";
    for target in [TargetEnvironment::default(), TargetEnvironment::Vulkan1_1] {
        let words = compiled(text, &options(target)).unwrap();
        let bindings = operands(&words, OP_DECORATE).into_iter().filter(|of| of[1] == 33);
        let mut bindings: Vec<u32> = bindings.map(|of| of[2]).collect();
        bindings.sort_unstable();
        bindings.dedup();
        assert_eq!(bindings.len(), 2);
    }
}

#[test]
fn targets_have_the_names_of_glslang_validator() {
    for target in TargetEnvironment::ALL {
        assert_eq!(target.to_string().parse(), Ok(target));
        let result = compiled(KERNEL, &options(target));
        assert!(result.is_ok(), "{target}: {result:?}");
    }
    assert!("vulkan9".parse::<TargetEnvironment>().unwrap_err().to_string().contains("vulkan1.3"));
}

#[test]
fn locations_are_parsed_after_names_with_colons() {
    let parse = |line: &str| Message::parse_all(line).remove(0);
    let message = parse("ERROR: C:\\a.glsl:12: 'x' : undeclared identifier ");
    assert_eq!((message.file.as_deref(), message.line), (Some("C:\\a.glsl"), 12));
    assert_eq!(message.text, "'x' : undeclared identifier");
    assert_eq!(parse("ERROR: Linking failed: 3: no"), Message::new("Linking failed: 3: no"));
    assert_eq!(parse("ERROR: 2 compilation errors.  No code generated.").line, 0);
    assert!(Message::parse_all("WARNING: 0:1: x\n").is_empty());
}

#[test]
fn threads_compile_at_the_same_time() {
    std::thread::scope(|scope| {
        for version in [430, 440, 450, 460] {
            scope.spawn(move || {
                let text = KERNEL.replace("450", &version.to_string());
                for _ in 0..5 {
                    assert!(compiled(&text, &Options::default()).is_ok());
                }
            });
        }
    });
}

/// The program gives the same words of the same meaning: the same lines, and the same errors.
#[test]
fn the_program_on_path_does_the_same() {
    if std::process::Command::new("glslangValidator").arg("--version").output().is_err() {
        // Without the program there is nothing to compare with.
        return;
    }
    let text = "#version 450
#include \"a.glsl\"
layout(local_size_x = 64) in;
layout(std430) buffer Data { uint data[]; };
void main() {
    data[gl_LocalInvocationID.x] = VALUE + f();
}
";
    let find = |_: IncludeRequest<'_>| {
        Ok(IncludedFile { name: "1".into(), text: "\nuint f() { return 1u; }\n".into() })
    };
    let defines = vec![("VALUE".to_owned(), "2u".to_owned())];
    let given = Options { target: TargetEnvironment::Vulkan1_2, defines };
    let one = preprocess(text, &given, &mut { find }).unwrap();
    let other = tool::preprocess(text, &given, &mut { find }).unwrap();
    assert!(other.contains("#line 1 \"1\"") && other.contains("#line 3"), "{other}");
    let lines = |words: &[u32]| {
        let lines = operands(words, OP_LINE).into_iter().map(|line| line[1]);
        lines.collect::<std::collections::BTreeSet<u32>>()
    };
    let compilable = |text: &str| {
        let lines =
            text.lines().filter(|line| !line.starts_with("#line") && !line.contains("GL_GOOGLE"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let one = compilable(&one);
    let [words, of_tool] =
        [compile, tool::compile].map(|compile| compile("a", &one, given.target).unwrap());
    // Versions of glslang differ in the lines of generated instructions.
    assert!(lines(&of_tool).contains(&6) && lines(&of_tool).is_subset(&lines(&words)));
    assert_eq!(words[1], of_tool[1]);
    let wrong = one.replace("2u", "two");
    let errors =
        [compile, tool::compile].map(|compile| compile("a", &wrong, given.target).unwrap_err());
    assert_eq!(errors[0], errors[1]);
}

#[test]
fn definitions_are_names_with_a_value_on_one_line() {
    let wrong =
        [("F(x)", "x"), ("A", "1\n#error"), ("A", "/*"), ("1A", ""), ("", "1"), ("A", "1\\")];
    for (name, value) in wrong {
        let defines = vec![(name.to_owned(), value.to_owned())];
        let options = Options { target: TargetEnvironment::default(), defines };
        let result = preprocess(KERNEL, &options, &mut |_| Err(String::new()));
        assert!(result.is_err(), "{name}={value}");
    }
}
