//! Who may do what, and how often.

use crate::app::App;
use crate::problem::Problem;
use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// What only whoever runs the service may do: they have the token.
#[derive(Clone, Copy, Debug)]
pub struct Host;

/// What whoever may submit may do.
#[derive(Clone, Copy, Debug)]
pub struct Guest;

impl FromRequestParts<App> for Host {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match &app.options.token {
            None => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "the service was started without a token (--token-file), so nobody may do this",
            )),
            Some(token) => has(&parts.headers, token).map(|()| Self),
        }
    }
}

impl FromRequestParts<App> for Guest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match (&app.options.token, app.options.closed) {
            (Some(token), true) => has(&parts.headers, token).map(|()| Self),
            _ => Ok(Self),
        }
    }
}

/// Refuses a request without the token. How long that takes says nothing of it, as digests are compared.
fn has(headers: &HeaderMap, token: &str) -> Result<(), Problem> {
    let said = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let said = said.and_then(|said| said.strip_prefix("Bearer ")).unwrap_or_default();
    match Sha256::digest(said.as_bytes()) == Sha256::digest(token.as_bytes()) {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "the token is missing or wrong: send `Authorization: Bearer …`",
        )),
    }
}

/// Refuses whoever asks too often for something to be done.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if changes && let Err(seconds) = app.rate.take(address(&request, app.options.behind_proxy)) {
        let problem = Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            format!("this address asks too often: wait {seconds} s"),
        );
        return Problem { retry_after: Some(seconds), ..problem }.into_response();
    }
    next.run(request).await
}

/// Ends what takes too long.
pub async fn in_time(State(app): State<App>, request: Request, next: Next) -> Response {
    let time = app.options.time;
    tokio::time::timeout(time, next.run(request)).await.unwrap_or_else(|_| {
        let detail = format!("the service did not answer in {} s", time.as_secs());
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail);
        Problem { retry_after: Some(10), ..problem }.into_response()
    })
}

/// Whose request it is.
fn address(request: &Request, behind_proxy: bool) -> IpAddr {
    // The last is what the proxy itself saw; those before it are hearsay.
    let said = request.headers().get_all("x-forwarded-for").iter().next_back();
    let said = said.filter(|_| behind_proxy).and_then(|value| value.to_str().ok());
    let said = said.and_then(|said| said.rsplit(',').next()?.trim().parse().ok());
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    said.or(peer.map(|ConnectInfo(peer)| peer.ip())).unwrap_or(Ipv4Addr::UNSPECIFIED.into())
}
