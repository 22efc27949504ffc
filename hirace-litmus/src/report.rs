//! Reports of campaigns as text, JSON and CSV.

mod csv;
mod histogram;
mod listing;
mod locks;
mod notation;
mod prefix_sums;
mod race_bounds;
mod test_page;
mod text;

pub use csv::csv;
pub use histogram::{bars, histogram};
pub use listing::{Listing, list};
pub use locks::locks;
pub use prefix_sums::prefix_sums;
pub use race_bounds::race_bounds;
pub use test_page::show;
pub use text::{early_end_message, report};

use serde::Serialize;
use std::fmt::Write as _;
use std::iter::repeat;
use std::ops::RangeFrom;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object as _};
use tabled::settings::{Alignment, Modify, Padding, Style};

/// Returns a document as the JSON text of its file.
pub fn json(document: &impl Serialize) -> String {
    // Serialization cannot fail: documents have only text and numbers.
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// Returns a table with a row per run, whose first cell is its name, and then the failures. `times` are the seconds of the runs.
fn table_of_runs<'a, const N: usize>(
    head: [&str; N],
    runs: impl IntoIterator<Item = ([String; N], Option<&'a String>)>,
    times: Option<&[f64]>,
) -> String {
    let mut records = Builder::new();
    records.push_record(head.into_iter().chain(times.map(|_| "seconds")));
    let seconds = times.into_iter().flatten().map(|seconds| Some(format!("{seconds:.2}")));
    let mut failures = String::new();
    for ((cells, failure), time) in runs.into_iter().zip(seconds.chain(repeat(None))) {
        if let Some(failure) = failure {
            let _ = writeln!(failures, "{}: {failure}", cells[0]);
        }
        records.push_record(cells.into_iter().chain(time));
    }
    aligned(records, 1..) + &failures
}

/// Returns the table of these records. The columns of `numbers` are aligned to the right.
fn aligned(records: Builder, numbers: RangeFrom<usize>) -> String {
    let mut table = records.build();
    table.with(Style::empty());
    table.with(Modify::new(Columns::new(numbers)).with(Alignment::right()));
    table.with(Modify::new(Columns::first().inverse()).with(Padding::new(2, 0, 0, 0)));
    table.with(Modify::new(Columns::first()).with(Padding::zero()));
    table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}
