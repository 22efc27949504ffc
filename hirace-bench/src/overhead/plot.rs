//! The report as a plot: a dot for each kernel, sorted by slowdown, on a logarithmic axis; and as a page with the plot
//! and the tables.
//!
//! Both are self-contained, follow the light or dark mode of the browser, and are readable at the width of a phone.

use super::report::{ExecutorReport, Report, Row, Summary};
use super::statistics::Spread;
use std::fmt::Write;

/// The size of a panel, which shows one executor.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 250.0;

/// The area of the dots in a panel.
const LEFT: f64 = 38.0;
const RIGHT: f64 = WIDTH - 8.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = HEIGHT - 24.0;

/// The style of plots, on their own and in pages.
const STYLE: &str = "
svg { color: #1d1d1f; --dynamic: #b45f06; --checked: #1f6feb; --grid: #d8d8dc; }
@media (prefers-color-scheme: dark) {
  svg { color: #ececf0; --dynamic: #f0a04b; --checked: #6cb0ff; --grid: #3d3d43; }
}
svg text { font: 11px system-ui, sans-serif; fill: currentColor; }
svg .name { font-weight: 600; font-size: 12px; }
svg line { stroke: var(--grid); }
svg .one { stroke: currentColor; }
svg .dynamic { fill: none; stroke: var(--dynamic); }
svg .checked { fill: var(--checked); }
";

/// The additional style of a page.
const PAGE_STYLE: &str = "
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 46rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
svg { width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
";

/// Returns the plot.
pub fn svg(report: &Report) -> String {
    let height = HEIGHT * report.executors.len().max(1) as f64;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">"#
    );
    let _ = write!(svg, "<style>{STYLE}</style>");
    for (number, executor) in report.executors.iter().enumerate() {
        let _ = write!(svg, r#"<g transform="translate(0 {})">"#, HEIGHT * number as f64);
        let _ = write!(svg, r#"<text x="4" y="14" class="name">{}</text>"#, short(executor));
        panel(&mut svg, executor);
        svg.push_str("</g>");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns a page with the plot and the tables.
pub fn html(report: &Report) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
         <title>Cost of checking</title><style>{PAGE_STYLE}{STYLE}</style></head>\n<body>\
         <h1>Cost of checking</h1>\n\
         <p>Ratios of the times of checked and bare kernels, measured in alternation. Each dot is a \
         kernel. Hollow dots are with all checks at run time, filled dots without checks that are statically \
         unnecessary.</p>\n"
    );
    if report.stopped {
        page.push_str("<p><strong>Stopped before all kernels were measured.</strong></p>\n");
    }
    for executor in &report.executors {
        let _ = writeln!(page, "<section><h2>{}</h2>", escaped(&executor.name));
        let _ = write!(
            page,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">"#
        );
        panel(&mut page, executor);
        page.push_str("</svg>\n");
        summaries(&mut page, executor);
        kernels(&mut page, executor);
        page.push_str("</section>\n");
    }
    page.push_str("</body></html>\n");
    page
}

/// Draws the dots of one executor and the axis.
fn panel(svg: &mut String, executor: &ExecutorReport) {
    let mut rows: Vec<&Row> = executor.kernels.iter().collect();
    rows.sort_by(|a, b| a.checked.ratio.ratio.total_cmp(&b.checked.ratio.ratio));
    let ratios = rows.iter().flat_map(|row| [row.checked.ratio.ratio, row.dynamic.ratio.ratio]);
    let scale = Scale::of(ratios);
    legend(svg);
    for tick in scale.ticks() {
        let y = scale.y(tick);
        let class = if tick == 1.0 { r#" class="one""# } else { "" };
        let _ = write!(svg, r#"<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1}" y2="{y:.1}"{class}/>"#);
        let _ = write!(
            svg,
            r#"<text x="{}" y="{:.1}" text-anchor="end">{tick}×</text>"#,
            LEFT - 4.0,
            y + 4.0
        );
    }
    let step = (RIGHT - LEFT) / rows.len().max(1) as f64;
    for (number, row) in rows.iter().enumerate() {
        let x = LEFT + (number as f64 + 0.5) * step;
        for (class, radius, slowdown) in
            [("dynamic", 2.4, &row.dynamic), ("checked", 2.2, &row.checked)]
        {
            let ratio = slowdown.ratio.ratio;
            let _ = write!(
                svg,
                r#"<circle class="{class}" cx="{x:.1}" cy="{:.1}" r="{radius}"><title>{} on {}: {ratio:.2}×</title></circle>"#,
                scale.y(ratio),
                escaped(&row.name),
                escaped(&row.input),
            );
        }
    }
    let _ = write!(
        svg,
        r#"<text x="{RIGHT}" y="{}" text-anchor="end">{} kernels, sorted</text>"#,
        HEIGHT - 8.0,
        rows.len()
    );
}

/// Returns the name of the executor without its driver, which does not fit.
fn short(executor: &ExecutorReport) -> String {
    escaped(executor.name.split(", ").next().unwrap_or_default())
}

fn legend(svg: &mut String) {
    svg.push_str(
        r#"<circle class="checked" cx="10" cy="27" r="2.2"/><text x="17" y="31">checked</text>"#,
    );
    svg.push_str(
        r#"<circle class="dynamic" cx="76" cy="27" r="2.4"/><text x="83" y="31">all checks at run time</text>"#,
    );
}

/// A logarithmic axis of ratios.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// Returns a scale that contains all of these ratios, and 1.
    fn of(ratios: impl Iterator<Item = f64>) -> Self {
        let finite = ratios.filter(|ratio| ratio.is_finite() && *ratio > 0.0);
        let (least, most) = finite
            .fold((1.0f64, 1.0f64), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
        let low = rounds().rfind(|&round| round <= least);
        let high = rounds().find(|&round| round >= most && round > 1.0);
        Self { low: low.unwrap_or(least), high: high.unwrap_or(most) }
    }

    fn y(&self, ratio: f64) -> f64 {
        let share = (ratio.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        BOTTOM - share.min(1.0) * (BOTTOM - TOP)
    }

    /// Returns round ratios, as many as fit.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        let is_wide = self.high / self.low > 500.0;
        let (low, high) = (self.low, self.high);
        rounds().filter(move |&tick| {
            let is_power = (tick.log10() - tick.log10().round()).abs() < 1e-9;
            (low..=high).contains(&tick) && (is_power || !is_wide)
        })
    }
}

/// Returns 1, 2 and 5 times powers of ten, in ascending order.
fn rounds() -> impl DoubleEndedIterator<Item = f64> {
    (-3..7).flat_map(|power| {
        let powered = |digit: f64| match power {
            0.. => digit * 10f64.powi(power),
            _ => digit / 10f64.powi(-power),
        };
        [1.0, 2.0, 5.0].map(powered)
    })
}

fn summaries(page: &mut String, executor: &ExecutorReport) {
    page.push_str(
        "<div class=\"wide\"><table><tr><th>kernels</th><th></th><th>median</th><th>mean</th><th>geometric</th>\
         <th>worst</th><th>bytes a word</th><th>sites proved</th></tr>\n",
    );
    let groups = executor.corpora.iter().map(|(of, summary)| (format!("{of:?}"), summary));
    let groups =
        groups.chain(executor.categories.iter().map(|(of, summary)| (format!("{of:?}"), summary)));
    for (name, summary) in [("All".to_owned(), &executor.summary)].into_iter().chain(groups) {
        summary_rows(page, &name, summary);
    }
    page.push_str("</table></div>\n");
}

fn summary_rows(page: &mut String, name: &str, summary: &Summary) {
    let rest = format!(
        "<td>{}</td><td>{} of {}</td>",
        shown(summary.shadow_bytes_per_word),
        summary.sites_proved,
        summary.sites
    );
    let ways = [
        ("checked", &summary.checked, rest.as_str()),
        ("with clearing", &summary.with_clearing, "<td></td><td></td>"),
        ("dynamic", &summary.dynamic, "<td></td><td></td>"),
        ("first run", &summary.first, "<td></td><td></td>"),
    ];
    for (number, (way, Spread { median, mean, geomean, worst }, rest)) in
        ways.into_iter().enumerate()
    {
        let name = if number == 0 { format!("{name}, {}", summary.kernels) } else { String::new() };
        let cells =
            [median, mean, geomean, worst].map(|figure| format!("<td>{}</td>", shown(*figure)));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{way}</td>{}{rest}</tr>",
            escaped(&name),
            cells.concat()
        );
    }
}

fn kernels(page: &mut String, executor: &ExecutorReport) {
    page.push_str(
        "<details><summary>Each kernel</summary><div class=\"wide\"><table><tr><th>kernel</th><th>input</th>\
         <th>bare, ms</th><th>checked</th><th>dynamic</th><th>first run</th><th>bytes a word</th>\
         <th>sites proved</th></tr>\n",
    );
    for row in &executor.kernels {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{:.3}{}</td><td>{:.2}</td><td>{:.2}</td><td>{:.2}</td><td>{}</td>\
             <td>{} of {}</td></tr>",
            escaped(&row.name),
            escaped(&row.input),
            row.bare_ms,
            if row.is_long { "" } else { "*" },
            row.checked.ratio.ratio,
            row.dynamic.ratio.ratio,
            row.first.checked,
            shown(row.shadow_bytes_per_word),
            row.sites_proved,
            row.sites,
        );
    }
    page.push_str("</table></div>\n<p>* no larger launch is possible.</p>\n");
    if !executor.skipped.is_empty() {
        page.push_str("<p>Not measured:</p><ul>\n");
        for skipped in &executor.skipped {
            let (name, reason) = (escaped(&skipped.name), escaped(&skipped.reason));
            let _ = writeln!(page, "<li>{name}: {reason}</li>");
        }
        page.push_str("</ul>\n");
    }
    page.push_str("</details>\n");
}

/// A figure, if there is one.
fn shown(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.2}"))
}

/// Escapes `text` for XML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::report;
    use super::*;

    /// Returns whether elements are nested correctly and the text between them has no unescaped `&`.
    fn is_well_formed(text: &str) -> bool {
        let mut open = Vec::new();
        let mut parts = text.split('<');
        let is_text = |text: &str| {
            text.split('&').skip(1).all(|rest| {
                ["amp;", "lt;", "gt;", "quot;"].iter().any(|name| rest.starts_with(name))
            })
        };
        if !parts.next().is_some_and(is_text) {
            return false;
        }
        for part in parts {
            let Some((tag, after)) = part.split_once('>') else { return false };
            if !is_text(after) {
                return false;
            }
            let name = |tag: &str| tag.split_whitespace().next().unwrap_or_default().to_owned();
            if let Some(ended) = tag.strip_prefix('/') {
                if open.pop() != Some(name(ended)) {
                    return false;
                }
            } else if !tag.ends_with('/') && !tag.starts_with('!') {
                open.push(name(tag));
            }
        }
        open.is_empty()
    }

    #[test]
    fn well_formedness_check_finds_errors() {
        assert!(is_well_formed("<!doctype html><a><b c=\"d\"/>x &amp; y</a>"));
        for wrong in ["<a>", "<a></b>", "<a>&b</a>", "</a>", "<a"] {
            assert!(!is_well_formed(wrong), "{wrong}");
        }
    }

    #[test]
    fn pictures_and_pages_are_well_formed_and_names_are_escaped() {
        for text in [svg(&report()), html(&report())] {
            assert!(is_well_formed(&text), "{text}");
            assert!(text.contains("a &lt;GPU&gt;"));
        }
    }

    #[test]
    fn plot_omits_the_driver_name() {
        let name = "a GPU (LLVM), Vulkan, a driver".to_owned();
        let report = Report::new(vec![ExecutorReport::new(name, Vec::new(), Vec::new())], false);
        assert!(svg(&report).contains(">a GPU (LLVM)<"));
        assert!(html(&report).contains("<h2>a GPU (LLVM), Vulkan, a driver</h2>"));
    }

    #[test]
    fn each_kernel_has_two_dots_on_each_executor() {
        let dots = svg(&report()).matches("<title>").count();
        assert_eq!(dots, 2 * (3 + 2));
    }

    #[test]
    fn what_was_not_measured_stands_on_the_page() {
        let page = html(&report());
        assert!(page.contains("spin_lock::clean: it does not terminate"));
        assert!(!page.contains("Stopped before"));
        assert!(html(&Report { stopped: true, ..report() }).contains("Stopped before"));
    }

    #[test]
    fn an_axis_has_room_for_all_and_is_marked_at_round_ratios() {
        let scale = Scale::of([0.8, 3.0, 14.0].into_iter());
        assert_eq!((scale.low, scale.high), (0.5, 20.0));
        assert_eq!(scale.ticks().collect::<Vec<_>>(), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!((scale.y(0.5), scale.y(20.0)), (BOTTOM, TOP));
        assert!(scale.y(1.0) > scale.y(2.0));
        let wide = Scale::of([1.0, 4000.0].into_iter());
        assert_eq!(wide.ticks().collect::<Vec<_>>(), [1.0, 10.0, 100.0, 1000.0]);
    }

    #[test]
    fn without_kernels_there_is_an_empty_picture() {
        let empty =
            Report::new(vec![ExecutorReport::new("x".to_owned(), Vec::new(), Vec::new())], true);
        assert!(is_well_formed(&svg(&empty)) && is_well_formed(&html(&empty)));
    }
}
