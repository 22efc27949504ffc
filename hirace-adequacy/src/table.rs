//! Text tables: a name column, followed by columns separated by two spaces.

use std::ops::Range;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object as _};
use tabled::settings::{Alignment, Modify, Padding, Style};

/// Returns a table of these records. The columns in `numbers` are right-aligned.
pub fn align_columns(records: Builder, numbers: Range<usize>) -> Table {
    let mut table = records.build();
    table.with(Style::empty());
    table.with(Modify::new(Columns::new(numbers)).with(Alignment::right()));
    table.with(Modify::new(Columns::first().inverse()).with(Padding::new(2, 0, 0, 0)));
    table.with(Modify::new(Columns::first()).with(Padding::zero()));
    table
}

/// Returns the table's lines without trailing spaces.
pub fn lines(table: &Table) -> String {
    table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}
