//! Tests of reading definitions: as they are written, as the generator of MC Mutants writes them, and damaged.

use super::{Definition, read};
use crate::test::{Action, Class, Condition, Kind, Specification, Test, all};
use hirace_engine::random::Random;

fn text(test: &Test) -> String {
    serde_json::to_string_pretty(&Definition::from(test)).expect("all of it can be JSON")
}

fn taken(text: &str) -> Test {
    read("test.json", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn all_tests_are_read_as_they_are_written() {
    for test in all() {
        assert_eq!(taken(&text(&test)), test);
    }
}

/// A definition with only what the generator of MC Mutants knows. The model decides that it is a conformance test.
const PASSING: &str = r#"{
  "testName": "mp_coherency",
  "threads": [
    { "actions": [
      { "action": "write", "memoryLocation": "x", "value": 1 },
      { "action": "barrier" },
      { "action": "write", "memoryLocation": "x", "value": 2, "memoryOrder": "relaxed" } ] },
    { "actions": [
      { "action": "read", "memoryLocation": "x", "variable": "r2", "useRMW": false },
      { "action": "fence", "memoryOrder": "acq_rel" },
      { "action": "read", "memoryLocation": "x", "variable": "r10", "useRMW": true } ] }
  ],
  "behaviors": {
    "first": { "key": "seq0", "type": "op", "op": "and", "conditions": [
      { "type": "variable", "id": "r2", "value": 2 }, { "type": "variable", "id": "r10", "value": 2 } ] },
    "nothing": { "key": "seq1", "type": "variable", "id": "r2", "value": 0 },
    "between": { "key": "interleaved", "type": "op", "op": "and", "conditions": [
      { "type": "variable", "id": "r2", "value": 1 }, { "type": "op", "op": "not", "conditions": [
        { "type": "variable", "id": "r10", "value": 0 } ] } ] },
    "weak": { "type": "else" }
  }
}"#;

#[test]
fn what_the_generator_takes_is_read() {
    let test = taken(PASSING);
    assert_eq!(test.kind, Kind::Conformance);
    assert_eq!(test.threads[0][1], Action::Fence);
    assert_eq!(test.threads[1][2], Action::Read { location: 0, register: 1, update: true });
    let space = crate::test::Space::of(&test);
    let classes = Specification::Today.classify(&test).into_iter().enumerate();
    for (counter, class) in classes {
        if let Some(outcome) = space.outcome(counter)
            && test.condition.holds(&outcome)
        {
            assert_eq!(class, Class::Forbidden, "{outcome:?}");
        }
    }
    let Condition::Not(of) = &test.condition else { panic!("{:?}", test.condition) };
    assert!(matches!(&**of, Condition::Any(others) if others.len() == 3));
}

/// Each edit of [`PASSING`] that is refused, and the text at the reported position.
#[test]
fn what_is_wrong_is_said_at_its_place() {
    let deep = format!(
        "{}{{\"type\": \"else\"}}{}",
        "{\"type\": \"op\", \"op\": \"not\", \"conditions\": [".repeat(70),
        "]}".repeat(70)
    );
    let wide = "{ \"action\": \"fence\" }, ".repeat(12) + "{ \"action\": \"barrier\" }";
    let cases = [
        ("\"barrier\"", "\"barier\"", "\"barier\""),
        ("\"testName\"", "\"testname\"", "\"testname\""),
        ("\"acq_rel\"", "\"seq_cst\"", "\"seq_cst\""),
        ("\"relaxed\"", "\"acq_rel\"", "\"acq_rel\" } ] },\n    { \"actions\""),
        ("\"id\": \"r10\", \"value\": 0", "\"id\": \"r3\", \"value\": 0", "\"r3\""),
        (
            "\"variable\": \"r10\"",
            "\"variable\": \"r2\"",
            "{ \"action\": \"read\", \"memoryLocation\": \"x\", \"variable\": \"r2\", \"useRMW\": true",
        ),
        ("\"value\": 2, \"memoryOrder\"", "\"value\": 16, \"memoryOrder\"", "16"),
        ("\"value\": 1 },\n", "\"value\": 0 },\n", "0 },"),
        ("\"value\": 1 },\n", "\"value\": 1.5 },\n", "1.5 },"),
        ("\"useRMW\": false", "\"useRMW\": 0", "0 },"),
        ("\"weak\"", "\"strong\"", "{\n    \"first\""),
        ("\"weak\"", "\"first\"", "\"first\": { \"type\": \"else\""),
        ("{ \"action\": \"barrier\" }", "{ \"action\": \"wait\" }", "{ \"action\": \"wait\" }"),
        (
            "{ \"action\": \"barrier\" }",
            &wide,
            "{ \"action\": \"fence\" }, { \"action\": \"barrier\" }",
        ),
        (
            "\"memoryLocation\": \"x\", \"value\": 1 }",
            "\"value\": 1 }",
            "{ \"action\": \"write\", \"value\": 1",
        ),
        (
            "{ \"type\": \"else\" }",
            &deep,
            "{\"type\": \"op\", \"op\": \"not\", \"conditions\": [{\"type\": \"op\", \"op\": \"not\", \"conditions\": [{\"type\": \"op\", \"op\": \"not\", \"conditions\": [{\"type\": \"op\", \"op\": \"not\", \"conditions\": [{\"type\": \"op\", \"op\": \"not\", \"conditions\": [{\"type\": \"op\", \"op\": \"not\", \"conditions\": [{\"type\": \"else\"}",
        ),
        (
            "{ \"type\": \"else\" }",
            "{ \"type\": \"memory\", \"id\": \"y\", \"value\": 1 }",
            "\"y\"",
        ),
        ("{ \"type\": \"else\" }", "{ \"type\": \"otherwise\" }", "\"otherwise\""),
        ("\"threads\"", "\"kind\": \"observed\",\n  \"threads\"", "\"observed\""),
        ("\"threads\"", "\"kind\": \"mutant\",\n  \"threads\"", "{"),
        ("\"threads\"", "\"mutantOf\": \"mp\",\n  \"threads\"", "\"mp\""),
        ("\"threads\"", "\"memoryType\": \"non_atomic_storage\",\n  \"threads\"", "true }"),
        (
            "\"threads\"",
            "\"memoryType\": \"atomic_workgroup\",\n  \"threads\"",
            "\"atomic_workgroup\"",
        ),
        ("\"value\": 2 } ] },", "\"value\": 2 } ] ", "]"),
        ("  }\n}", "  }\n}}", "}"),
    ];
    taken(PASSING);
    for (from, to, place) in cases {
        let edited = PASSING.replacen(from, to, 1);
        assert_ne!(edited, PASSING, "{from}");
        let error = read("test.json", edited.as_bytes()).expect_err(&edited);
        let (span, _) = &error.labels[0];
        let at = &edited[span.start as usize..];
        if !place.starts_with(']') && !place.starts_with('}') {
            assert!(at.starts_with(place), "{to}\n{error}\n{at:.200}");
        }
        let source = error.source_map.as_ref().expect("a text");
        assert_eq!(source.name(), "test.json");
        assert!(source.position(span.start).line > 1 || place == "{", "{to}\n{error}");
    }
}

/// Tests whose enumeration would take too long are refused first.
#[test]
fn tests_that_are_too_large_are_refused() {
    let write = |location: &str, value: u32| {
        format!(r#"{{"action": "write", "memoryLocation": "{location}", "value": {value}}}"#)
    };
    let read_one = |variable: usize| {
        format!(r#"{{"action": "read", "memoryLocation": "x", "variable": "r{variable}"}}"#)
    };
    let refused = |threads: &[Vec<String>]| {
        let threads: Vec<String> = threads
            .iter()
            .map(|actions| format!(r#"{{"actions": [{}]}}"#, actions.join(",")))
            .collect();
        let text = format!(
            r#"{{"testName": "large", "threads": [{}], "behaviors": {{"weak": {{"type": "memory", "id": "x", "value": 1}}}}}}"#,
            threads.join(",")
        );
        read("large.json", text.as_bytes()).is_err()
    };
    assert!(!refused(&[vec![write("x", 1)], vec![write("x", 2)]]));
    assert!(refused(&vec![vec![write("x", 1)]; 5]), "threads");
    assert!(refused(&[(1..=9).map(|value| write("x", value)).collect()]), "executions");
    assert!(refused(&[vec![write("x", 15)], (0..5).map(read_one).collect()]), "outcomes");
    let locations = ["a", "b", "c", "d", "x"].map(|location| write(location, 1));
    assert!(refused(&[locations.to_vec()]), "locations");
    assert!(refused(&[vec![write("x", 1)], (0..9).map(read_one).collect()]), "variables");
    assert!(read("large.json", &vec![b' '; super::limits::BYTES + 1]).is_err());
    assert!(read("deep.json", "[".repeat(100_000).as_bytes()).is_err());
}

#[test]
fn bytes_that_are_no_text_are_refused_where_they_are() {
    let mut bytes = PASSING.as_bytes().to_vec();
    bytes[20] = 0xff;
    let error = read("test.json", &bytes).expect_err("no UTF-8");
    let at = error.source_map.as_ref().expect("a text").position(error.labels[0].0.start);
    assert_eq!((at.line, at.column), (2, 19));
}

#[test]
fn damaged_files_are_refused_or_read() {
    let texts: Vec<String> = all().iter().map(text).chain([PASSING.to_owned()]).collect();
    let mut random = Random::new(5);
    let (mut refused, mut read_whole) = (0, 0);
    for _ in 0..20_000 {
        let text = &texts[random.below(texts.len())];
        let damaged = match random.below(2u32) {
            0 => bytes(&mut random, text),
            _ => tokens(&mut random, text),
        };
        match read("test.json", &damaged) {
            Ok(test) => {
                read_whole += 1;
                // A test that was read can be written and read again.
                assert_eq!(taken(&self::text(&test)).threads, test.threads);
            }
            Err(error) => {
                refused += 1;
                let source = error.source_map.as_ref().expect("a text");
                assert!((error.labels[0].0.start as usize) <= source.text().len());
            }
        }
    }
    assert!(refused > 5000 && read_whole > 500, "{refused} refused, {read_whole} read");
}

/// Changes, adds or removes some bytes.
fn bytes(random: &mut Random, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3u32) {
        let at = random.below(bytes.len());
        let other = match random.below(4u32) {
            0 => random.below(256u32) as u8,
            _ => bytes[random.below(bytes.len())],
        };
        match random.below(3u32) {
            0 => bytes[at] = other,
            1 => bytes.insert(at, other),
            _ => drop(bytes.remove(at)),
        }
    }
    bytes
}

/// Replaces some words by others of the same text, or adds or removes some.
fn tokens(random: &mut Random, text: &str) -> Vec<u8> {
    let mut tokens: Vec<&str> =
        text.split_inclusive([' ', ',', '{', '}', '[', ']', '\n']).collect();
    for _ in 0..=random.below(3u32) {
        let (at, other) = (random.below(tokens.len()), random.below(tokens.len()));
        match random.below(4u32) {
            0 => tokens[at] = tokens[other],
            1 => tokens.insert(at, tokens[other]),
            2 => tokens.swap(at, other),
            _ => drop(tokens.remove(at)),
        }
    }
    tokens.concat().into_bytes()
}
