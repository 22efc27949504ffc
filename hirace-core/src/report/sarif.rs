//! The report as SARIF 2.1.0, for code scanning services.

use super::document::{
    self, Condition, Error, ErrorPlace, Finding, NotChecked, Place, RaceConsequences, Report,
    SuppressedFinding,
};
use super::rules::RULES;
use crate::facts::SuppressedBy;
use serde::Serialize;

/// The schema that the log refers to.
pub const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Returns the report as one SARIF log with one run.
pub fn report(report: &Report) -> String {
    let mut results = Vec::new();
    for launch in &report.launches {
        results.extend(launch.findings.iter().map(|finding| result(finding, None)));
        results.extend(launch.allowed.iter().map(|a| result(&a.finding, Some(a))));
        let contract = launch.contract.iter();
        let conditions = contract.flat_map(|contract| &contract.conditions);
        results.extend(conditions.filter_map(requirement));
    }
    let rules = RULES.iter().map(|rule| Descriptor {
        id: rule.code,
        name: rule.name,
        short_description: Text { text: rule.summary.to_owned() },
        help: Markdown { text: rule.text(), markdown: rule.text() },
        default_configuration: Configuration { level: "error" },
    });
    let driver = Driver {
        name: &report.tool.name,
        semantic_version: &report.tool.version,
        rules: rules.collect(),
    };
    let invocation = Invocation {
        execution_successful: report.not_checked.is_empty(),
        tool_execution_notifications: notifications(report),
    };
    // Columns are counted in Unicode scalar values, as in all reports.
    let column_kind = "unicodeCodePoints";
    let run = Run { tool: Tool { driver }, invocations: [invocation], column_kind, results };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
    let mut text = serde_json::to_string_pretty(&log).expect("a log has only string keys");
    text.push('\n');
    text
}

/// Returns notifications about errors, skipped inputs, features and limits that WebGPU does not guarantee, and notes.
fn notifications(report: &Report) -> Vec<Notification> {
    let skipped = report.not_checked.iter().filter(|input| input.stopped).map(notification);
    let beyond = report.launches.iter().flat_map(|launch| &launch.beyond_webgpu);
    let beyond = beyond.map(|beyond| note(&beyond.message, beyond.place.as_ref()));
    let notes = report.launches.iter().flat_map(|launch| &launch.notes);
    let notes = notes.map(|it| note(&it.message, Some(&it.place)));
    report.errors.iter().map(failure).chain(skipped).chain(beyond).chain(notes).collect()
}

/// Returns a notification about a kernel: a limit that it exceeds, or a note.
fn note(message: &str, at: Option<&ErrorPlace>) -> Notification {
    Notification {
        level: "note",
        message: Text { text: message.to_owned() },
        locations: at.into_iter().map(place).collect(),
    }
}

/// Returns a notification about an input that was not checked because the run was stopped.
fn notification(skipped: &NotChecked) -> Notification {
    Notification {
        level: "error",
        message: Text { text: skipped.reason.clone() },
        locations: skipped.input.iter().map(|file| artifact(file, None)).collect(),
    }
}

/// Returns a notification about an error.
fn failure(error: &Error) -> Notification {
    let places = error.places.iter().map(place);
    // A notification points to the source locations, or to the whole input if there are none.
    let input = error.input.iter().filter(|_| error.places.is_empty());
    Notification {
        level: "error",
        message: Text { text: error.lines().join("\n") },
        locations: places.chain(input.map(|file| artifact(file, None))).collect(),
    }
}

fn place(place: &ErrorPlace) -> NotificationLocation {
    artifact(&place.file, Some(region(place)))
}

fn region(place: &ErrorPlace) -> Region {
    Region {
        start_line: place.line,
        start_column: place.column,
        end_line: place.end_line,
        end_column: place.end_column,
        snippet: Text { text: place.snippet.clone() },
    }
}

fn artifact(file: &str, region: Option<Region>) -> NotificationLocation {
    let artifact_location = ArtifactLocation { uri: uri(file) };
    NotificationLocation { physical_location: Artifact { artifact_location, region } }
}

fn result<'a>(finding: &'a Finding, suppressed: Option<&SuppressedFinding>) -> Result<'a> {
    let mut message = vec![finding.message.clone(), finding.reason.clone()];
    message.extend(finding.consequences().map(|text| format!("leads to: {text}")));
    message.extend(finding.caused());
    message.extend(finding.notes.iter().cloned());
    message.extend(finding.help.iter().map(|help| format!("help: {help}")));
    message.extend(finding.replay.iter().map(|replay| format!("replay: {replay}")));
    let mut places = finding.accesses.iter();
    let first = places.next();
    Result {
        rule_id: finding.kind.code(),
        rule_index: finding.kind as usize,
        level: match &finding.caused_by {
            // The result of the cause has its own level.
            Some(_) if suppressed.is_none() => "note",
            _ if finding.is_certain_error() => "error",
            _ => "warning",
        },
        message: Text { text: message.join("\n") },
        locations: first.map(|place| location(place, None)).into_iter().collect(),
        related_locations: places.enumerate().map(|(i, p)| location(p, Some(i))).collect(),
        partial_fingerprints: Some(Fingerprints { hirace: finding.fingerprint.clone() }),
        suppressions: suppressed.map(suppression).into_iter().collect(),
        fixes: finding.fix.iter().map(|of| fix(finding, of)).collect(),
        properties: Properties::of(finding),
    }
}

/// Returns the fix of a finding, with the edits of each file.
fn fix(finding: &Finding, fix: &document::Fix) -> Fix {
    let mut changes: Vec<ArtifactChange> = Vec::new();
    for edit in &fix.edits {
        let uri = uri(&edit.file);
        let replacement = Replacement {
            deleted_region: DeletedRegion {
                start_line: edit.line,
                start_column: edit.column,
                end_line: edit.end_line,
                end_column: edit.end_column,
            },
            inserted_content: Text { text: edit.insert.clone() },
        };
        match changes.iter_mut().find(|change| change.artifact_location.uri == uri) {
            Some(change) => change.replacements.push(replacement),
            None => changes.push(ArtifactChange {
                artifact_location: ArtifactLocation { uri },
                replacements: vec![replacement],
            }),
        }
    }
    let description = finding.help.clone().map(|text| Text { text });
    Fix { description, artifact_changes: changes }
}

/// Returns the result for a condition of a contract; `None` if the rule is unknown.
fn requirement(condition: &Condition) -> Option<Result<'_>> {
    let rule_index = RULES.iter().position(|rule| rule.code == condition.otherwise.rule)?;
    let mut places = condition.otherwise.places.iter();
    let location =
        |place: &ErrorPlace, id| located(id, place.label.clone(), &place.file, region(place));
    let first = places.next();
    Some(Result {
        rule_id: RULES[rule_index].code,
        rule_index,
        level: "warning",
        message: Text { text: condition.lines().join("\n") },
        locations: first.map(|place| location(place, None)).into_iter().collect(),
        related_locations: places.enumerate().map(|(i, place)| location(place, Some(i))).collect(),
        partial_fingerprints: None,
        suppressions: Vec::new(),
        fixes: Vec::new(),
        properties: None,
    })
}

fn location(place: &Place, id: Option<usize>) -> Location {
    let region = Region {
        start_line: place.line,
        start_column: place.column,
        end_line: place.end_line,
        end_column: place.end_column,
        snippet: Text { text: place.snippet.clone() },
    };
    located(id, place.label.to_string(), &place.file, region)
}

/// Returns the location of a result.
fn located(id: Option<usize>, label: String, file: &str, region: Region) -> Location {
    let artifact_location = ArtifactLocation { uri: uri(file) };
    let physical_location = PhysicalLocation { artifact_location, region };
    Location { id, message: Text { text: label }, physical_location }
}

/// Converts a path to a relative URI reference: with forward slashes and percent-encoding.
pub fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn suppression(suppressed: &SuppressedFinding) -> Suppression {
    Suppression {
        kind: match suppressed.by {
            SuppressedBy::Comment => "inSource",
            SuppressedBy::Baseline => "external",
        },
        justification: suppressed.reason.clone(),
    }
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    version: &'a str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    column_kind: &'a str,
    results: Vec<Result<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<NotificationLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NotificationLocation {
    physical_location: Artifact,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'a str,
    semantic_version: &'a str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    name: &'static str,
    short_description: Text,
    help: Markdown,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Markdown {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Result<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_fingerprints: Option<Fingerprints>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Properties<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Text>,
    artifact_changes: Vec<ArtifactChange>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: DeletedRegion,
    inserted_content: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeletedRegion {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
struct Properties<'a> {
    #[serde(rename = "hirace/leadsTo", skip_serializing_if = "Option::is_none")]
    leads_to: Option<&'a RaceConsequences>,
    #[serde(rename = "hirace/causedBy", skip_serializing_if = "Option::is_none")]
    caused_by: Option<&'a str>,
}

impl<'a> Properties<'a> {
    fn of(finding: &'a Finding) -> Option<Self> {
        let (leads_to, caused_by) = (finding.leads_to.as_ref(), finding.caused_by.as_deref());
        (leads_to.is_some() || caused_by.is_some()).then_some(Self { leads_to, caused_by })
    }
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "hirace/v1")]
    hirace: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    message: Text,
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
    snippet: Text,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    justification: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("src\\my kernel.wgsl"), "src/my%20kernel.wgsl");
        assert_eq!(uri("a/b-c_d.wgsl"), "a/b-c_d.wgsl");
    }
}
