//! Expected races, marked in a source, and the races that were found, in the same format.
//!
//! Carets are under the first to the last character of the marked range, which is in the nearest preceding line
//! that is not a mark.

use hirace::report::Place;
use hirace::{Checked, Finding, Kind};
use std::collections::BTreeSet;
use std::fmt;

/// A marked source range and its text.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    line: u32,
    start: u32,
    end: u32,
    text: String,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, carets) = (self.start as usize - 3, (self.end - self.start) as usize);
        write!(f, "{:4} //{:before$}{:^<carets$} {}", self.line, "", "", self.text)
    }
}

/// Returns all marks of a source.
pub fn of(source: &str) -> BTreeSet<Mark> {
    let mut marks = BTreeSet::new();
    let mut about = 0;
    for (line, number) in source.lines().zip(1..) {
        let carets = line.strip_prefix("//").map(str::trim_start);
        match carets.filter(|rest| rest.starts_with('^')) {
            Some(carets) => {
                let said = carets.trim_start_matches('^');
                let column = |rest: &str| (line.chars().count() - rest.chars().count()) as u32 + 1;
                let (start, end) = (column(carets), column(said));
                marks.insert(Mark { line: about, start, end, text: said.trim().to_owned() });
            }
            None => about = number,
        }
    }
    marks
}

/// Returns the findings as marks.
pub fn found(checked: &Checked) -> BTreeSet<Mark> {
    checked.findings().flat_map(marks).collect()
}

fn marks(finding: &Finding) -> Vec<Mark> {
    let mark = |place: &Place, text: String| Mark {
        line: place.line,
        start: place.column,
        end: place.end_column,
        text,
    };
    match (finding.kind, finding.accesses.as_slice()) {
        (Kind::DataRace, [a, b]) => {
            let memory = finding.memory.as_ref().map_or("?", |memory| &memory.element);
            let text = |a: &Place, b: &Place| {
                format!("race: {}/{} on {}", a.kind, b.kind, any_element(memory))
            };
            vec![mark(a, text(a, b)), mark(b, text(b, a))]
        }
        (_, places) => {
            places.iter().take(1).map(|place| mark(place, finding.message.clone())).collect()
        }
    }
}

/// Returns `tile[16].x` as `tile[..].x`, because the element depends on the schedule.
fn any_element(element: &str) -> String {
    let mut parts = element.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once(']').map_or("", |(_, behind)| behind));
    rest.fold(first, |text, behind| text + "[..]" + behind)
}

#[test]
fn every_kernel_of_the_field_has_a_racy_twin() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let mut twins = 0;
    for folder in ["", "parboil", "polybench", "rodinia"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let none = ["lib", "marks", "reference", "support"].contains(&name.as_str());
            // A file next to a folder of its name declares the modules in it.
            if path.is_dir() || path.with_extension("").is_dir() || none {
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            assert!(!of(&source).is_empty(), "{name} marks no race");
            twins += 1;
        }
    }
    assert!(twins >= 76, "{twins} kernels");
}
