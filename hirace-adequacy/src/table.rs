//! Tables of text: a name in front, and columns that two spaces keep apart.

use std::ops::Range;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object as _};
use tabled::settings::{Alignment, Modify, Padding, Style};

/// The table of these records. What stands in the columns of `numbers` stands to their right.
pub fn aligned(records: Builder, numbers: Range<usize>) -> Table {
    let mut table = records.build();
    table.with(Style::empty());
    table.with(Modify::new(Columns::new(numbers)).with(Alignment::right()));
    table.with(Modify::new(Columns::first().inverse()).with(Padding::new(2, 0, 0, 0)));
    table.with(Modify::new(Columns::first()).with(Padding::zero()));
    table
}

/// Its lines. Cells are as wide as their columns, also where a line ends with them.
pub fn lines(table: &Table) -> String {
    table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}
