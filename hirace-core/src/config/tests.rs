use super::*;
use crate::launch::number::Number;
use crate::launch::spec::{Contents, Length};

fn parse(text: &str) -> Result<Config> {
    Config::parse("hirace.toml", text, PathBuf::from("/project"))
}

fn parse_error(text: &str) -> (u32, String, Option<String>) {
    let error = parse(text).unwrap_err();
    let line = error.source_map.unwrap().position(error.labels[0].0.start).line;
    (line, error.message, error.help)
}

const EXAMPLE: &str = include_str!("../../../docs/book/guide/hirace.toml");

#[test]
fn the_documented_example_holds_every_key() {
    let config = parse(EXAMPLE).unwrap();
    let settings = config.settings(Path::new("/project/shaders/scan.wgsl")).unwrap();
    assert_eq!(settings.kernels, ["scan_blocks", "add_sums"]);
    // The launches, then those of the tests.
    assert_eq!(settings.launches.len(), 3);
    let [test] = &settings.tests[..] else { panic!("one test") };
    assert_eq!((&test.name[..], test.tolerance), ("sums of ones count", 1e-6));
    assert_eq!(test.launch, settings.launches[2]);
    assert_eq!(test.expect[0].contents, Contents::List(vec![Number::Int(256)]));
    assert_eq!(test.golden, ["data"]);
    let launch = &settings.launches[0];
    let entries: Vec<&str> = launch.dispatches.iter().map(|d| d.entry.as_str()).collect();
    assert_eq!(entries, ["scan_blocks", "scan_blocks", "add_sums"]);
    assert_eq!(launch.dispatches[0].workgroups, Some([4, 1, 1]));
    let contents = |name: &str| {
        let binding = launch.bindings.iter().find(|binding| binding.name == name);
        binding.unwrap().contents.clone()
    };
    assert_eq!(contents("data"), Contents::Random(Some(Length::Elements(1024)), None));
    assert_eq!(contents("params"), Contents::List(vec![Number::Int(1024), Number::Float(0.5)]));
    assert_eq!(launch.overrides, [("BLOCK".to_owned(), 256.0)]);
    assert!(EXAMPLE.contains("subgroup-size") && EXAMPLE.contains("[shadow]"));
    assert_eq!(settings.watch.relations, [Relation::Workgroup, Relation::Dispatch]);
    let glsl = config.settings(Path::new("/project/shaders/a.comp")).unwrap().preprocessing;
    let defines = [("BLOCK", "256"), ("DEBUG", ""), ("TYPE", "uint")];
    assert_eq!(glsl.defines, defines.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(glsl.includes, [PathBuf::from("/project/shaders/include")]);
    assert_eq!(glsl.target.as_deref(), Some("vulkan1.2"));
    assert!(settings.preprocessing.is_empty());
    // Every key of every table occurs, so the example is complete.
    for &(table, keys) in super::keys::KEYS {
        for key in keys {
            let line = |line: &str| {
                line.trim_start_matches(['#', ' ', '[', '{']).starts_with(key)
                    || line.contains(&format!("{key} ="))
                    || line.contains(&format!("{key}]"))
            };
            assert!(EXAMPLE.lines().any(line), "`{key}` of `{table}` is not shown");
        }
    }
}

/// The parser's stack overflowed at such texts.
#[test]
fn deep_nesting_is_reported_at_its_location() {
    let message = "arrays and tables are nested more than 64 levels deep";
    let broken = "kernels = [\"main\"]\nwatch = { ig.wgsl\"\n".repeat(5_000);
    for text in [broken, "a = ".to_owned() + &"[".repeat(50_000), "a = { b = ".repeat(50_000)] {
        assert_eq!(parse_error(&text).1, message);
    }
    let line = |text: &str| parse_error(text).0;
    assert_eq!(line(&format!("[check]\nseed = {}1{}", "[".repeat(65), "]".repeat(65))), 2);
}

#[test]
fn an_unknown_key_is_reported_at_its_location() {
    let text = "[check]\nseed = 1\nshedules = 4\n";
    let (line, message, help) = parse_error(text);
    assert_eq!((line, message.as_str()), (3, "unknown key `shedules` in `check`"));
    assert_eq!(help.as_deref(), Some("did you mean `schedules`?"));
    let text = "[[file]]\npath = \"a\"\n[[file.launch]]\nentry = \"m\"\nworkgroup = 4\n";
    assert_eq!(parse_error(text).0, 5);
    let text =
        "[[file]]\npath = \"a\"\n[[file.launch]]\ndispatches = [{ entry = \"m\", grid = 4 }]\n";
    let (line, message, _) = parse_error(text);
    assert_eq!((line, message.as_str()), (4, "unknown key `grid` in `dispatches`"));
    assert_eq!(parse_error("[wach]\n").2.as_deref(), Some("did you mean `watch`?"));
}

#[test]
fn wrong_values_are_reported_at_their_location() {
    assert_eq!(parse_error("[check]\nseed = \"one\"\n").0, 2);
    assert_eq!(parse_error("[check\n").0, 1);
    let launch = "[[file]]\npath = \"a\"\n[[file.launch]]\n";
    let (line, message, _) = parse_error(&format!("{launch}buffers = {{ a = \"zeroes:4\" }}\n"));
    assert_eq!(line, 4);
    assert!(message.contains("zeroes:4"));
    assert_eq!(parse_error(&format!("{launch}workgroups = [1, 2, 3, 4]\n")).0, 4);
    assert_eq!(parse_error(&format!("{launch}workgroups = -1\n")).0, 4);
    let (_, message, _) =
        parse_error(&format!("{launch}entry = \"m\"\ndispatches = [{{ entry = \"n\" }}]\n"));
    assert!(message.contains("either `entry` or `dispatches`"));
    let (line, message, help) = parse_error("[watch]\nrelations = [\"warp\"]\n");
    assert_eq!((line, message.as_str()), (2, "unknown relation `warp`"));
    assert!(help.unwrap().contains("subgroup"));
}

#[test]
fn later_sections_and_flags_replace_definitions() {
    let text = "
        [[file]]
        path = \"*.comp\"
        define = { SIZE = 64, FAST = true }
        include = [\"all\"]
        target-env = \"vulkan1.1\"
        [[file]]
        path = \"a.comp\"
        define.SIZE = 1.5
        include = [\"own\"]";
    let settings = parse(text).unwrap().settings(Path::new("/project/a.comp")).unwrap();
    let flags = Preprocessing {
        defines: vec![("FAST".to_owned(), "0".to_owned())],
        target: Some("vulkan1.3".to_owned()),
        ..Preprocessing::default()
    };
    let combined = flags.over(&settings.preprocessing);
    let defines = [("FAST", "0"), ("SIZE", "1.5")];
    assert_eq!(combined.defines, defines.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(combined.includes, ["/project/own", "/project/all"].map(PathBuf::from));
    assert_eq!(combined.target.as_deref(), Some("vulkan1.3"));
    let file = "[[file]]\npath = \"a\"\n";
    assert_eq!(parse_error(&format!("{file}define = {{ \"A B\" = 1 }}\n")).0, 3);
    assert_eq!(parse_error(&format!("{file}define = {{ A = [1] }}\n")).0, 3);
    #[cfg(any(feature = "glsl", feature = "spirv"))]
    {
        let (line, message, _) = parse_error(&format!("{file}target-env = \"metal\"\n"));
        assert!(line == 3 && message.contains("vulkan1.3"), "{line}: {message}");
    }
    let help = parse_error(&format!("{file}defines = {{ A = 1 }}\n")).2;
    assert_eq!(help.as_deref(), Some("did you mean `define`?"));
}

#[test]
fn a_launch_may_have_less_time_than_the_others() {
    let text = "check.timeout = 90\n[[file]]\npath = \"a\"\n[[file.launch]]\ntimeout = 0.5\n[[file.launch]]\n";
    let settings = parse(text).unwrap().settings(Path::new("/project/a")).unwrap();
    let times = settings.launches.iter().map(|launch| launch.timeout.unwrap().as_millis());
    assert_eq!(times.collect::<Vec<_>>(), [500, 90_000]);
    let (line, message, _) = parse_error("[check]\ntimeout = 0\n");
    assert_eq!(line, 2);
    assert!(message.contains("seconds above 0"), "{message}");
}

#[test]
fn sections_hold_for_the_files_they_match() {
    let text = "
        [watch]
        ignore = [\"log\"]
        [[file]]
        path = \"shaders/*.wgsl\"
        watch.ignore = [\"debug\"]
        [[file]]
        path = \"shaders/a.wgsl\"
        kernels = [\"main\"]
        [[file]]
        path = \"more\"
        kernels = [\"other\"]";
    let config = parse(text).unwrap();
    let settings = |path: &str| config.settings(Path::new(path)).unwrap();
    assert_eq!(settings("/project/shaders/a.wgsl").kernels, ["main"]);
    assert_eq!(settings("/project/shaders/a.wgsl").watch.ignore, ["log", "debug"]);
    assert!(settings("/project/shaders/b.wgsl").kernels.is_empty());
    assert_eq!(settings("/project/shaders/b.wgsl").watch.ignore, ["log", "debug"]);
    assert_eq!(settings("/project/more/deep/c.wgsl").kernels, ["other"]);
    assert_eq!(settings("/elsewhere/a.wgsl").watch.ignore, ["log"]);
    assert_eq!(config.files().len(), 2);
}

#[test]
fn a_configuration_is_found_in_a_folder_above() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b");
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(folder.path().join(FILE_NAME), "[check]\nseed = 9\n").unwrap();
    assert_eq!(Config::find(&deep).unwrap().unwrap().check().seed, 9);
    std::fs::write(folder.path().join(FILE_NAME), [0xff]).unwrap();
    assert!(Config::find(&deep).unwrap_err().message.contains("not UTF-8"));
}

#[test]
fn a_file_of_several_sections_is_one() {
    let text =
        "[[file]]\npath = \"a.wgsl\"\n[[file]]\npath = \"b.wgsl\"\n[[file]]\npath = \"a.wgsl\"\n";
    let config = Config::parse("hirace.toml", text, PathBuf::from("x")).unwrap();
    assert_eq!(config.files(), [PathBuf::from("x/a.wgsl"), PathBuf::from("x/b.wgsl")]);
}

#[test]
fn contents_files_are_relative_to_the_configuration() {
    let text =
        "[[file]]\npath = \"a\"\n[[file.launch]]\nbuffers = { x = \"@data/x.bin\", y = 3 }\n";
    let settings = parse(text).unwrap().settings(Path::new("/project/a")).unwrap();
    let bindings = &settings.launches[0].bindings;
    assert_eq!(bindings[0].contents, Contents::File("/project/data/x.bin".into()));
    assert_eq!(bindings[1].contents, Contents::List(vec![Number::Int(3)]));
}

#[test]
fn a_test_has_a_name_of_its_own_and_expects_something() {
    let file = "[[file]]\npath = \"a\"\n";
    let test = |rest: &str| {
        format!("[[file.test]]\nname = \"t\"\n{rest}\nlaunch = {{ workgroups = 1 }}\n")
    };
    let (line, message, help) = parse_error(&(file.to_owned() + &test("")));
    assert_eq!((line, message.as_str()), (4, "this test expects nothing"));
    assert!(help.unwrap().contains("golden"));
    let golden = test("golden = [\"x\"]");
    let (line, message, _) = parse_error(&(file.to_owned() + &golden + &golden));
    assert_eq!((line, message.as_str()), (8, "duplicate test name `t`"));
    let below = test("tolerance = -1\ngolden = [\"x\"]");
    assert_eq!(parse_error(&(file.to_owned() + &below)).0, 4);
    let wrong = test("expect = { out = \"zeroes:4\" }");
    assert_eq!(parse_error(&(file.to_owned() + &wrong)).0, 5);
    let unknown = test("expects = { out = 1 }\ngolden = [\"x\"]");
    let (line, message, _) = parse_error(&(file.to_owned() + &unknown));
    assert_eq!((line, message.as_str()), (5, "unknown key `expects` in `test`"));
    assert!(parse(&(file.to_owned() + &golden)).is_ok());
}

#[test]
fn paths_are_as_one_would_write_them_in_the_working_folder() {
    let seen = |here: &str, path: &str| relative_path(Path::new(here), Path::new(path));
    assert_eq!(seen("/project", "/project/src/a.wgsl"), Path::new("src/a.wgsl"));
    assert_eq!(seen("/project/src", "/project/src/a.wgsl"), Path::new("a.wgsl"));
    assert_eq!(seen("/project/src/deep", "/project/a.wgsl"), Path::new("../../a.wgsl"));
    assert_eq!(seen("/", "/project/a.wgsl"), Path::new("project/a.wgsl"));
    assert_eq!(absolute(Path::new("/project/src/../a.wgsl")), Path::new("/project/a.wgsl"));
    // If neither folder contains the other, paths stay unchanged.
    assert_eq!(
        parse("[check]\nbaseline = \"b.json\"").unwrap().baseline(),
        Some("/project/b.json".into())
    );
}
