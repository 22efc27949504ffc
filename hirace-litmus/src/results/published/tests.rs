use super::*;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::random::Random;
use hirace_core::source_map::LineColumn;

const RUN: &str = r#"{"seq": 500, "interleaved": 10, "weak": 2, "durationSeconds": 0.5}"#;

fn file() -> String {
    format!(
        r#"{{
  "0": {{
    "RR Mutations Default": {RUN},
    "Message Passing Default": {RUN},
    "params": {{"testingWorkgroups": 2, "maxWorkgroups": 4, "shufflePct": 0, "barrierPct": 0, "memStressPct": 0,
      "preStressPct": 0, "scratchMemorySize": 2048, "memStride": 1, "stressLineSize": 64, "stressTargetLines": 2,
      "memStressIterations": 1024, "preStressIterations": 128, "stressStrategyBalancePct": 0,
      "memStressStoreFirstPct": 0, "memStressStoreSecondPct": 0, "preStressStoreFirstPct": 0,
      "preStressStoreSecondPct": 0, "iterations": 1}}
  }},
  "7": {{"CoRR Default": {RUN}}},
  "platformInfo": {{"gpu": {{"vendor": "é", "device": ""}}, "browser": {{"vendor": "Chrome", "version": "113"}}, "os": {{"vendor": "macOS", "version": "", "mobile": false}}}},
  "randomSeed": "webgpu",
  "userInfo": {{"name": "N. N."}}
}}"#
    )
}

fn refused(text: &str) -> (Diagnostic, LineColumn) {
    let error = *PublishedResults::parse("results.json", text).unwrap_err();
    let at = error.source_map.as_ref().unwrap().position(error.labels[0].0.start);
    (error, at)
}

#[test]
fn what_a_file_has_is_read() {
    let read = PublishedResults::parse("results.json", &file()).unwrap();
    let numbers: Vec<u32> = read.entries.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, [0, 7]);
    assert_eq!(read.entries[0].purpose(), Purpose::Tuning);
    assert_eq!(read.entries[1].purpose(), Purpose::Conformance);
    let parameters = read.entries[0].parameters.as_ref().unwrap();
    assert_eq!((parameters.workgroup_size, parameters.iterations), (256, Some(1)));
    assert_eq!(read.entries[0].runs[1].0, "Message Passing Default");
    assert_eq!(read.entries[0].runs[1].1.instances(), 512);
    assert_eq!((read.gpu("vendor"), read.gpu("device")), (Some("é"), None));
    let software = |what| read.software(what).map(|software| software.to_string());
    assert_eq!(software("browser").as_deref(), Some("Chrome 113"));
    assert_eq!((software("os").as_deref(), software("gpu")), (Some("macOS"), Some("é".to_owned())));
    assert_eq!(read.random_seed.as_deref(), Some("webgpu"));
}

#[test]
fn what_is_written_is_read_again() {
    let read = PublishedResults::parse("results.json", &file()).unwrap();
    assert_eq!(PublishedResults::parse("results.json", &read.text()).unwrap(), read);
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let line_of = |from: &str, to: &str| {
        let text = file();
        assert!(text.contains(from), "{from}");
        refused(&text.replacen(from, to, 1)).1.line
    };
    assert_eq!(line_of("\"weak\": 2", "\"weak\": -2"), 3);
    assert_eq!(line_of("\"weak\": 2", "\"weakly\": 2"), 3);
    assert_eq!(line_of("\"weak\": 2", "\"weak\": 9007199254740993"), 3);
    assert_eq!(line_of("0.5", "-0.5"), 3);
    assert_eq!(line_of("0.5", "1e999"), 3);
    assert_eq!(line_of("Message Passing Default", "RR Mutations Default"), 4);
    assert_eq!(line_of("\"memStride\": 1", "\"memStrid\": 1"), 6);
    assert_eq!(line_of("\"memStride\": 1, ", ""), 9, "the end of what lacks it");
    assert_eq!(line_of("\"7\"", "\"0\""), 11);
    assert_eq!(line_of("\"7\"", "\"07\""), 11);
    assert_eq!(line_of("userInfo", "userinfo"), 14);
    assert_eq!(refused("[]").1, LineColumn { line: 1, column: 1 });
    assert_eq!(refused("{\"randomSeed\": \"éé\", 1}").1, LineColumn { line: 1, column: 22 });
}

#[test]
fn instances_that_were_not_counted_are_named() {
    let mut read = PublishedResults::parse("results.json", &file()).unwrap();
    assert_eq!(read.find_miscounted(), [], "512 is 1 iteration of 2 workgroups of 256");
    read.entries[0].runs[1].1.weak = 3;
    let test = "Message Passing Default".to_owned();
    assert_eq!(read.find_miscounted(), [CountMismatch { entry: 0, test, counted: 513, ran: 512 }]);
    read.entries[0].parameters.as_mut().unwrap().iterations = None;
    assert_eq!(read.find_miscounted(), [], "the number of iterations is unknown");
}

#[test]
fn no_damage_makes_reading_panic() {
    let mut random = Random::new(1);
    let whole = file().into_bytes();
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..4000 {
        let mut text = whole.clone();
        for _ in 0..1 + random.below(3_usize) {
            let at = random.below(text.len());
            match random.below(4_u32) {
                0 => text[at] = b' ' + random.below(95_u32) as u8,
                1 => text.truncate(at.max(1)),
                2 => {
                    let to = (at + random.below(40_usize)).min(text.len());
                    let part = text[at..to].to_vec();
                    let into = random.below(text.len());
                    text.splice(into..into, part);
                }
                _ => text.insert(at, b"{}[]\",:0-9e\n"[random.below(12_usize)]),
            }
        }
        match PublishedResults::parse("results.json", &String::from_utf8_lossy(&text)) {
            Ok(read) => {
                let _ = read.find_miscounted();
                assert_eq!(PublishedResults::parse("again", &read.text()).unwrap(), read);
                taken += 1;
            }
            Err(error) => {
                let source = error.source_map.as_ref().unwrap();
                assert!(source.position(error.labels[0].0.start).line <= source.lines().max(1));
                refused += 1;
            }
        }
    }
    assert!(taken > 50 && refused > 50, "{taken} taken, {refused} refused");
}
