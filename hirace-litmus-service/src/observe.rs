//! Gives each request an id, logs it and counts it.

use crate::app::App;
use crate::metrics::RequestLabels;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;
use tracing::Instrument as _;

const ID: &str = "x-request-id";

/// The maximum length of an id that is taken from a request.
const MAX_ID_LENGTH: usize = 64;

/// Handles a request, and logs and counts it.
pub async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let id = id(&request);
    let method = method_name(request.method());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let path = request.uri().path().to_owned();
    let began = Instant::now();
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default());
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, took) = (response.status(), began.elapsed());
    let labels =
        RequestLabels { method, route: route.unwrap_or_default(), status: status.as_u16() };
    app.metrics.record_response(&labels, took);
    span.in_scope(|| {
        let RequestLabels { method, status, .. } = &labels;
        let milliseconds = took.as_secs_f64() * 1e3;
        match response.status().is_server_error() {
            true => tracing::error!(method, path, status, milliseconds, "failed"),
            false => tracing::info!(method, path, status, milliseconds, "completed"),
        }
    });
    let headers = response.headers_mut();
    headers.insert(ID, id);
    // Browsers must not treat a response as a page or a script unless its content type says so.
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Returns the name of a method. Unknown methods share one name, since clients can invent any number of them.
fn method_name(method: &Method) -> String {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS];
    if known.contains(method) { method.to_string() } else { "other".to_owned() }
}

/// Returns the id that a proxy has set in the request's header, or a new one if there is none or it is malformed.
fn id(request: &Request) -> HeaderValue {
    let is_sane = |value: &&HeaderValue| {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=MAX_ID_LENGTH).contains(&value.len()) && value.as_bytes().iter().all(is_letter)
    };
    let made = || HeaderValue::from_str(&crate::random::hex::<8>()?).ok();
    let said = request.headers().get(ID).filter(is_sane).cloned();
    said.or_else(made).unwrap_or(HeaderValue::from_static("unknown"))
}
