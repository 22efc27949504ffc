//! Support for tests of pages in a browser, at the width of a phone and of a screen, in light and dark mode.

use crate::support::run;
use hirace_testing::Facility;
#[cfg(feature = "litmus")]
use hirace_testing::harness::Trial;
use hirace_testing::harness::{Need, is_installed};
#[cfg(feature = "litmus")]
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(240);

/// Returns the need of a test for a browser.
pub fn need() -> Need {
    Need::new(Facility::Browser, || {
        browser().is_none().then(|| "chromium is not installed".to_owned())
    })
}

/// Returns a test that needs a browser.
#[cfg(feature = "litmus")]
pub fn trial(name: &str, test: fn() -> Result<(), Failed>) -> Trial {
    Trial::test(name, test).needs(need())
}

/// Returns the name of a browser that can be run here.
fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| is_installed(name))
}

/// A page that embeds the tested page in a frame and keeps its output. A browser window cannot be as narrow as a phone, but a
/// frame can.
const AROUND: &str = "<!DOCTYPE html><meta name=\"color-scheme\" content=\"light dark\">
<iframe src=\"clicked.html\" width=\"WIDTH\" height=\"800\" style=\"border: 0\"></iframe><output></output>
<script>
addEventListener(\"message\", (event) => { document.querySelector(\"output\").textContent = event.data; });
</script>
";

/// The beginning of every script: it reports the results in `left`, and the elements that are wider than the page.
const BEGIN: &str = include_str!("browser/begin.js");

/// Opens a page four times, each time with an appended script that fills `left`, and compares the results with `wanted` and with
/// what is expected of every page.
pub fn assert_page_reports(
    folder: &Path,
    page: &str,
    script: &str,
    wanted: &[(&str, Value)],
) -> Result<(), String> {
    let script = BEGIN.replace("SCRIPT", script);
    let test = page.replace("</body>", &format!("<script>\n{script}</script>\n</body>"));
    if test == page {
        return Err("the page has no closing tag".into());
    }
    fs::write(folder.join("clicked.html"), test).map_err(|e| e.to_string())?;
    for (width, dark) in [(360, 0), (360, 1), (1280, 0), (1280, 1)] {
        one(folder, width, dark, wanted)
            .map_err(|why| format!("{width} wide, dark {dark}: {why}"))?;
    }
    Ok(())
}

fn one(folder: &Path, width: u32, dark: u32, wanted: &[(&str, Value)]) -> Result<(), String> {
    let name = browser().ok_or("no browser is installed")?;
    let around = folder.join(format!("around-{width}.html"));
    fs::write(&around, AROUND.replace("WIDTH", &width.to_string())).map_err(|e| e.to_string())?;
    let profile = folder.join(format!("profile-{width}-{dark}"));
    let mut command = Command::new(name);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--blink-settings=preferredColorScheme={}", 1 - dark))
        .arg("--window-size=1400,900")
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", around.display()));
    let ended = run(&mut command, LIMIT);
    let (_, left) = ended.stdout.split_once("<output>").ok_or_else(|| format!("{ended:#?}"))?;
    let left = left.split("</output>").next().unwrap_or_default().replace("&quot;", "\"");
    let left: Value =
        serde_json::from_str(&left.replace("&amp;", "&")).map_err(|e| e.to_string())?;
    let always = [
        ("width", Value::from(width)),
        ("dark", Value::from(dark == 1)),
        ("wider", Value::from(Vec::<String>::new())),
        ("errors", Value::from(Vec::<String>::new())),
    ];
    for (what, wanted) in always.iter().chain(wanted) {
        if left[what] != *wanted {
            return Err(format!("{what} is not {wanted}: {left:#}"));
        }
    }
    let complaints: Vec<&str> =
        ended.stderr.lines().filter(|line| line.contains("CONSOLE")).collect();
    if complaints.is_empty() { Ok(()) } else { Err(format!("{complaints:#?}")) }
}
