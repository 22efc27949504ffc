//! The page: static files that are part of the program.

use crate::app::App;
use crate::body::PathParameter;
use crate::problem::Problem;
use axum::Router;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../page/", $name)))),*]
    };
}

/// The files by name.
const FILES: &[(&str, &str)] = files![
    "api.js"
    "chooser.js"
    "details.js"
    "device.js"
    "dom.js"
    "draw.js"
    "exploration.js"
    "failure.js"
    "gpu.js"
    "grid.js"
    "histogram.js"
    "labour.js"
    "main.js"
    "panel.js"
    "parameters.js"
    "patience.js"
    "pieces.js"
    "platform.js"
    "reading.js"
    "ready.js"
    "results.js"
    "route.js"
    "runner.js"
    "store.js"
    "style.css"
    "summary.js"
    "view-analysis.js"
    "view-campaign.js"
    "view-campaigns.js"
    "view-conform.js"
    "view-explore.js"
    "view-result.js"
    "view-results.js"
    "view-submit.js"
    "view-tune.js"
    "words.js"
];

const INDEX: &str = include_str!("../page/index.html");

/// The content security policy: the page runs only its own scripts and connects only to this service.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the routes of the page.
pub fn router() -> Router<App> {
    Router::new().route("/", get(index)).route("/page/{name}", get(file))
}

async fn index(headers: HeaderMap) -> Response {
    respond("index.html", INDEX, &headers)
}

async fn file(PathParameter(name): PathParameter<String>, headers: HeaderMap) -> Response {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => respond(name, text, &headers),
        None => Problem::unknown_path(&format!("/page/{name}")).into_response(),
    }
}

fn respond(name: &str, text: &'static str, request_headers: &HeaderMap) -> Response {
    let digest = Sha256::digest(text.as_bytes());
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{digest}\"");
    let headers: [(HeaderName, &str); 4] = [
        (header::CONTENT_TYPE, content_type(name)),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    let is_cached =
        request_headers.get(header::IF_NONE_MATCH).is_some_and(|cached| cached == tag.as_str());
    let (status, body) = match is_cached {
        true => (StatusCode::NOT_MODIFIED, ""),
        false => (StatusCode::OK, text),
    };
    (status, headers, [(header::ETAG, tag)], body).into_response()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => "text/html; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn each_file_of_the_page_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
        let mut on_disk: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        on_disk.sort();
        let mut served: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        served.push("index.html");
        served.sort_unstable();
        assert_eq!(served, on_disk);
    }

    #[test]
    fn no_file_names_another_host() {
        for (name, text) in FILES.iter().chain(&[("index.html", INDEX)]) {
            for prefix in ["http://", "https://", "//cdn"] {
                let others = text.match_indices(prefix).filter(|(at, _)| {
                    // XML namespaces are not addresses.
                    !text[*at..].starts_with("http://www.w3.org/")
                });
                assert_eq!(others.count(), 0, "{name}");
            }
        }
    }

    #[test]
    fn imported_files_exist() {
        let mut imports = 0;
        for (name, text) in FILES.iter().chain(&[("index.html", INDEX)]) {
            for part in text.split("from \"./").skip(1) {
                let imported = part.split('"').next().unwrap_or_default();
                imports += 1;
                assert!(FILES.iter().any(|(known, _)| known == &imported), "{name}: {imported}");
            }
        }
        assert!(imports > 10);
    }
}
