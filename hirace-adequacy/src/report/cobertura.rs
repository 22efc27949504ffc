//! A coverage report as Cobertura XML (coverage-04.dtd), for Jenkins, GitLab and others.
//!
//! A folder becomes a package, a file a class and a function a method. Branches and loop conditions become conditions.
//! The number of loop iterations and barrier coverage have no element.

use super::conditions::{Condition, Row, rows};
use super::escape::escape;
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::{File, Part};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Returns the XML. `timestamp` is the creation time in milliseconds since 1970. File names are taken relative to the
/// current folder.
pub fn report(coverage: &Coverage, timestamp: u64) -> String {
    let classes: Vec<Class<'_>> =
        coverage.files.iter().map(|file| Class::new(file, coverage.hits)).collect();
    let mut packages = BTreeMap::<&str, Vec<&Class<'_>>>::new();
    for class in &classes {
        packages.entry(class.folder).or_default().push(class);
    }
    let all = classes.iter().fold(Figures::default(), |all, class| all.and(class.figures));
    let mut xml = Xml::default();
    xml.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    xml.line("<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">");
    let version = env!("CARGO_PKG_VERSION");
    let totals = format!(
        "lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\"",
        all.lines.covered, all.lines.total, all.ways.covered, all.ways.total
    );
    let made = format!("version=\"hirace {version}\" timestamp=\"{timestamp}\"");
    xml.within("coverage", &format!("{} {totals} {made}", all.rates()), |xml| {
        xml.within("sources", "", |xml| xml.line("<source>.</source>"));
        xml.within("packages", "", |xml| {
            packages.iter().for_each(|(folder, classes)| package(xml, folder, classes));
        });
    });
    xml.text
}

/// A file with its path split into components.
struct Class<'a> {
    file: &'a File,
    folder: &'a str,
    name: &'a str,
    rows: BTreeMap<u32, Row<'a>>,
    figures: Figures,
}

impl<'a> Class<'a> {
    fn new(file: &'a File, hits: bool) -> Self {
        let (folder, name) = file.file.rsplit_once(['/', '\\']).unwrap_or((".", &file.file));
        let rows = rows(file, hits);
        let figures = Figures::of(rows.values(), |_| true);
        Self { file, folder, name, rows, figures }
    }
}

fn package(xml: &mut Xml, folder: &str, classes: &[&Class<'_>]) {
    let all = classes.iter().fold(Figures::default(), |all, class| all.and(class.figures));
    let attributes = format!("name=\"{}\" {}", escape(folder), all.rates());
    xml.within("package", &attributes, |xml| {
        xml.within("classes", "", |xml| classes.iter().for_each(|of| class(xml, of)));
    });
}

fn class(xml: &mut Xml, class: &Class<'_>) {
    let (name, path) = (escape(class.name), escape(&class.file.file));
    let rates = class.figures.rates();
    xml.within("class", &format!("name=\"{name}\" filename=\"{path}\" {rates}"), |xml| {
        xml.within("methods", "", |xml| methods(xml, class));
        lines(xml, class.rows.iter(), |_| true);
    });
}

fn methods(xml: &mut Xml, class: &Class<'_>) {
    for function in &class.file.functions {
        // A function ends where another one with the same name begins.
        let others = class.file.functions.iter().filter(|other| other.name == function.name);
        let end = others.map(|other| other.line).filter(|line| *line > function.line).min();
        let own = class.file.lines.iter().filter(|line| {
            let line_of = function.line..end.unwrap_or(u32::MAX);
            line.function == function.name && line_of.contains(&line.line)
        });
        let own = own.filter_map(|line| Some((&line.line, class.rows.get(&line.line)?)));
        let is_own = |condition: &Condition<'_>| condition.function == function.name;
        let figures = Figures::of(own.clone().map(|(_, row)| row), is_own);
        // Parameter types are not available.
        let attributes =
            format!("name=\"{}\" signature=\"\" {}", escape(&function.name), figures.rates());
        xml.within("method", &attributes, |xml| lines(xml, own, is_own));
    }
}

fn lines<'a>(
    xml: &mut Xml,
    rows: impl Iterator<Item = (&'a u32, &'a Row<'a>)>,
    is_of: impl Fn(&Condition<'_>) -> bool,
) {
    xml.within("lines", "", |xml| {
        for (number, row) in rows {
            // Readers use signed numbers.
            let hits = row.count.min(i64::MAX as u64);
            let line = format!("number=\"{number}\" hits=\"{hits}\"");
            let conditions: Vec<_> = row.conditions.iter().filter(|of| is_of(of)).collect();
            if conditions.is_empty() {
                xml.line(&format!("<line {line} branch=\"false\"/>"));
                continue;
            }
            let all = conditions.iter().map(|of| part(of)).fold(Part::default(), sum);
            let line = format!(
                "{line} branch=\"true\" condition-coverage=\"{} ({}/{})\"",
                percent(all),
                all.covered,
                all.total
            );
            xml.within("line", &line, |xml| {
                xml.within("conditions", "", |xml| {
                    for (number, condition) in conditions.iter().enumerate() {
                        let kind = if condition.is_switch { "switch" } else { "jump" };
                        let coverage = percent(part(condition));
                        xml.line(&format!(
                            "<condition number=\"{number}\" type=\"{kind}\" coverage=\"{coverage}\"/>"
                        ));
                    }
                });
            });
        }
    });
}

/// The coverage of lines and of outcomes of conditions.
#[derive(Clone, Copy, Default)]
struct Figures {
    lines: Part,
    ways: Part,
}

impl Figures {
    fn of<'a>(
        rows: impl Iterator<Item = &'a Row<'a>>,
        is_of: impl Fn(&Condition<'_>) -> bool,
    ) -> Self {
        rows.fold(Self::default(), |figures, row| {
            let line = Part { covered: u64::from(row.count > 0), total: 1 };
            let conditions = row.conditions.iter().filter(|of| is_of(of));
            let ways = conditions.map(part).fold(Part::default(), sum);
            figures.and(Self { lines: line, ways })
        })
    }

    fn and(self, other: Self) -> Self {
        Self { lines: sum(self.lines, other.lines), ways: sum(self.ways, other.ways) }
    }

    /// Returns the rate attributes. Complexity is not measured.
    fn rates(self) -> String {
        let (lines, ways) = (rate(self.lines), rate(self.ways));
        format!("line-rate=\"{lines}\" branch-rate=\"{ways}\" complexity=\"0\"")
    }
}

fn part(condition: &Condition<'_>) -> Part {
    Part { covered: condition.taken(), total: condition.ways.len() as u64 }
}

fn sum(a: Part, b: Part) -> Part {
    Part { covered: a.covered + b.covered, total: a.total + b.total }
}

/// Formats a rate from 0 to 1. The result is 1 only if nothing is missing; the rate of an empty part is 1, as in
/// Cobertura itself.
fn rate(part: Part) -> String {
    match part.covered {
        covered if covered >= part.total => "1".to_owned(),
        0 => "0".to_owned(),
        covered => format!("0.{:04}", u128::from(covered) * 10_000 / u128::from(part.total)),
    }
}

fn percent(part: Part) -> String {
    let percent = u128::from(part.covered) * 100 / u128::from(part.total.max(1));
    format!("{percent}%")
}

/// An XML writer that puts each element on its own line.
#[derive(Default)]
struct Xml {
    text: String,
    depth: usize,
}

impl Xml {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * self.depth);
    }

    fn within(&mut self, name: &str, attributes: &str, inner: impl FnOnce(&mut Self)) {
        let space = if attributes.is_empty() { "" } else { " " };
        self.line(&format!("<{name}{space}{attributes}>"));
        self.depth += 1;
        inner(self);
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }
}
