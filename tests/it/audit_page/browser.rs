//! The page in a browser, as wide as a phone and as wide as a screen: nothing is wider than that, links land where they
//! point to, what is to be copied is copied or selected, and no script complains.

use super::{LIMIT, Test, audit, ensure};
use crate::corpus::compilers::installed;
use crate::support::run;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

pub fn tests() -> Vec<(&'static str, Test, Option<&'static str>)> {
    let is_required = std::env::var_os("HIRACE_REQUIRE_BROWSER").is_some();
    let needs = (browser().is_none() && !is_required).then_some("chromium");
    vec![("browser::a_page_is_read_and_clicked_through", clicked as Test, needs)]
}

/// The name of a browser that can be run here.
fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| installed(name))
}

/// What stands behind the page: it says in the end what it saw.
const CLICKS: &str = include_str!("clicks.js");

/// A page around the page, which keeps what that says. Windows of a browser may not be as narrow as a phone; this is.
const AROUND: &str = "<!DOCTYPE html><meta name=\"color-scheme\" content=\"light dark\">
<iframe src=\"clicked.html\" width=\"WIDTH\" height=\"800\" style=\"border: 0\"></iframe><output></output>
<script>
addEventListener(\"message\", (event) => { document.querySelector(\"output\").textContent = event.data; });
</script>
";

fn clicked(folder: &Path) -> Result<(), Failed> {
    let ended = audit(folder, &["--report", "html=audit.html"]);
    ensure(ended.status == Some(1), &ended)?;
    let page = fs::read_to_string(folder.join("audit.html"))?;
    let test = page.replace("</body>", &format!("<script>\n{CLICKS}</script>\n</body>"));
    fs::write(folder.join("clicked.html"), test)?;
    for (width, dark) in [(360, 0), (360, 1), (1280, 0), (1280, 1)] {
        one(folder, width, dark).map_err(|why| format!("{width} wide, dark {dark}: {why}"))?;
    }
    Ok(())
}

fn one(folder: &Path, width: u32, dark: u32) -> Result<(), String> {
    let name = browser().ok_or("there is no browser")?;
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
    let wanted = [
        ("width", Value::from(width)),
        ("dark", Value::from(dark == 1)),
        ("wider", Value::from(Vec::<String>::new())),
        ("landed", Value::from(true)),
        ("back", Value::from(true)),
        ("copied", Value::from(true)),
        ("folded", Value::from(true)),
        ("title", Value::from("How good the tests of GPU kernels are")),
        ("errors", Value::from(Vec::<String>::new())),
    ];
    for (what, wanted) in wanted {
        if left[what] != wanted {
            return Err(format!("{what} is not {wanted}: {left:#}"));
        }
    }
    let complaints: Vec<&str> =
        ended.stderr.lines().filter(|line| line.contains("CONSOLE")).collect();
    if complaints.is_empty() { Ok(()) } else { Err(format!("{complaints:#?}")) }
}
