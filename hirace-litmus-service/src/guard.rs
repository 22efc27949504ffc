//! Authorization and rate limits.

use crate::app::{App, Options};
use crate::problem::Problem;
use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Permission for operations of the operator: the request has the token.
#[derive(Clone, Copy, Debug)]
pub struct Operator;

/// Permission to submit.
#[derive(Clone, Copy, Debug)]
pub struct Submitter;

impl FromRequestParts<App> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match &app.options.token {
            None => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "this operation is disabled, because the service was started without a token (--token-file)",
            )),
            Some(token) => check_token(&parts.headers, token).map(|()| Self),
        }
    }
}

impl FromRequestParts<App> for Submitter {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match (&app.options.token, app.options.requires_token) {
            (Some(token), true) => check_token(&parts.headers, token).map(|()| Self),
            _ => Ok(Self),
        }
    }
}

/// Refuses a request without the token. It compares digests, so the duration reveals nothing about the token.
fn check_token(headers: &HeaderMap, token: &str) -> Result<(), Problem> {
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

/// Refuses requests that change something if their address sends too many of them.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if changes && let Err(seconds) = app.rate.take(address(&request, app.options.behind_proxy)) {
        let detail = format!("too many requests from this address: wait {seconds} s");
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, detail);
        return problem.retry_after(seconds).into_response();
    }
    next.run(request).await
}

/// Refuses requests that address another host. Otherwise a page of another site could reach the service through a name of that site
/// that resolves to this machine (DNS rebinding).
pub async fn check_host(State(app): State<App>, request: Request, next: Next) -> Response {
    let said = request.headers().get(header::HOST).map(|host| host.to_str().unwrap_or_default());
    // A browser always states the host.
    match said.or(request.uri().authority().map(Authority::as_str)) {
        Some(host) if !is_own(host, &app.options) => {
            let detail = "the service does not have this host name: see --host";
            Problem::new(StatusCode::MISDIRECTED_REQUEST, detail).at("host").into_response()
        }
        _ => next.run(request).await,
    }
}

/// Returns whether a host, with or without a port, is one of the service.
fn is_own(host: &str, options: &Options) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host().trim_matches(['[', ']']).trim_end_matches('.');
    match name.parse::<IpAddr>() {
        // Only the name of a site can be made to resolve to another address.
        Ok(address) => {
            address.is_loopback() || options.address.is_unspecified() || address == options.address
        }
        Err(_) => {
            let is_given = |given: &String| given.eq_ignore_ascii_case(name);
            name.eq_ignore_ascii_case("localhost")
                || name.to_ascii_lowercase().ends_with(".localhost")
                || options.hosts.iter().any(is_given)
        }
    }
}

/// Ends requests that exceed the time limit.
pub async fn enforce_time_limit(State(app): State<App>, request: Request, next: Next) -> Response {
    let time = app.options.time;
    tokio::time::timeout(time, next.run(request)).await.unwrap_or_else(|_| {
        let detail = format!("the service did not respond within {} s", time.as_secs());
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(10).into_response()
    })
}

/// Returns the address of the client.
fn address(request: &Request, behind_proxy: bool) -> IpAddr {
    // Only the last address was written by the proxy itself; the earlier ones come from the client.
    let said = request.headers().get_all("x-forwarded-for").iter().next_back();
    let said = said.filter(|_| behind_proxy).and_then(|value| value.to_str().ok());
    let said = said.and_then(|said| said.rsplit(',').next()?.trim().parse().ok());
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    said.or(peer.map(|ConnectInfo(peer)| peer.ip())).unwrap_or(Ipv4Addr::UNSPECIFIED.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_hosts_are_accepted() {
        let hosts = vec!["litmus.example.org".to_owned()];
        let local = Options { hosts, ..Options::default() };
        for own in ["localhost", "LOCALHOST:7878", "a.localhost", "127.0.0.1:1", "[::1]:7878"] {
            assert!(is_own(own, &local), "{own}");
        }
        assert!(is_own("Litmus.example.org:443", &local) && is_own("litmus.example.org.", &local));
        for other in
            ["", "example.org", "localhost.example.org", "192.0.2.1", "[2001:db8::1]", "a b"]
        {
            assert!(!is_own(other, &local), "{other}");
        }
        let everywhere = Options { address: Ipv4Addr::UNSPECIFIED.into(), ..Options::default() };
        assert!(is_own("192.0.2.1:7878", &everywhere) && !is_own("example.org", &everywhere));
        let one = Options { address: Ipv4Addr::new(192, 0, 2, 1).into(), ..Options::default() };
        assert!(is_own("192.0.2.1", &one) && !is_own("192.0.2.2", &one));
    }
}
