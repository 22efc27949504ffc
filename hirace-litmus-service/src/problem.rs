//! Errors of requests, as problem details (RFC 9457).

use crate::store::{self, ItemKind};
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hirace_litmus::campaign::ProposalError;
use hirace_litmus::remote;
use hirace_litmus::results::FailureKind;
use hirace_litmus::results::check::Inconsistency;

/// An error of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The status of the response.
    pub status: StatusCode,
    /// The description of the error.
    pub detail: String,
    /// The location of the error in the request.
    pub location: Option<String>,
    /// The kind of the failure, as in runs.
    pub kind: Option<FailureKind>,
    /// The number of seconds after which the request may be retried.
    pub retry_after: Option<u64>,
}

impl Problem {
    /// Creates a problem with this status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), location: None, kind: None, retry_after: None }
    }

    /// Creates the problem of a request that can be parsed but is invalid.
    pub fn unprocessable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// Creates the problem of a request that cannot be parsed.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// Creates the problem of an unknown path.
    pub fn unknown_path(path: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("nothing found at {path}"))
    }

    /// Adds the number of seconds after which the request may be retried.
    pub fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// Adds the location.
    pub fn at(self, at: impl Into<String>) -> Self {
        Self { location: Some(at.into()), ..self }
    }
}

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        let status = match &error {
            store::Error::Full => StatusCode::INSUFFICIENT_STORAGE,
            store::Error::Missing(ItemKind::Lease) => StatusCode::GONE,
            store::Error::NotLeased(_) => StatusCode::UNPROCESSABLE_ENTITY,
            store::Error::Missing(_) => StatusCode::NOT_FOUND,
            store::Error::Exists(_) | store::Error::TooMany(_) => StatusCode::CONFLICT,
            store::Error::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
            _ => {
                tracing::error!(%error, "the database failed");
                return Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "the database failed: see the log of the service",
                );
            }
        };
        Self::new(status, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = remote::Problem {
            title: self.status.canonical_reason().unwrap_or_default().to_owned(),
            status: self.status.as_u16(),
            detail: self.detail,
            location: self.location,
            kind: self.kind,
        };
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        // The request body may not have been read, so the connection cannot be reused.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<axum::extract::rejection::QueryRejection> for Problem {
    fn from(rejection: axum::extract::rejection::QueryRejection) -> Self {
        Self::unprocessable(rejection.body_text())
    }
}

/// Converts a panic, which is in the log.
impl From<tokio::task::JoinError> for Problem {
    fn from(error: tokio::task::JoinError) -> Self {
        tracing::error!(%error, "a task panicked");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error: see the log of the service")
    }
}

impl From<Inconsistency> for Problem {
    fn from(wrong: Inconsistency) -> Self {
        Self::unprocessable(wrong.why).at(wrong.at)
    }
}

impl From<ProposalError> for Problem {
    fn from(refused: ProposalError) -> Self {
        Self::unprocessable(refused.why).at(refused.at)
    }
}
