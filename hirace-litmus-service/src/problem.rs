//! What is wrong with a request, as it is answered (RFC 9457).

use crate::store::{self, Thing};
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hirace_litmus::campaign::NotAnnounced;
use hirace_litmus::remote;
use hirace_litmus::results::FailureKind;
use hirace_litmus::results::check::Wrong;

/// Why a request is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What becomes of it.
    pub status: StatusCode,
    /// What is wrong.
    pub detail: String,
    /// Where in what was sent.
    pub at: Option<String>,
    /// The kind of a failure, as runs have it.
    pub kind: Option<FailureKind>,
    /// After how many seconds it may be tried once more.
    pub retry_after: Option<u64>,
}

impl Problem {
    /// One with this status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), at: None, kind: None, retry_after: None }
    }

    /// What was sent can be read, but is wrong.
    pub fn unprocessable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// What was sent cannot be read.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// There is nothing here.
    pub fn nothing_at(path: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is nothing at {path}"))
    }

    /// Says where it is.
    pub fn at(self, at: impl Into<String>) -> Self {
        Self { at: Some(at.into()), ..self }
    }
}

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        let status = match &error {
            store::Error::Full => StatusCode::INSUFFICIENT_STORAGE,
            store::Error::Missing(Thing::Lease) => StatusCode::GONE,
            store::Error::NotHandedOut(_) => StatusCode::UNPROCESSABLE_ENTITY,
            store::Error::Missing(_) => StatusCode::NOT_FOUND,
            store::Error::Exists(_) | store::Error::TooMany(_) => StatusCode::CONFLICT,
            store::Error::Ended => StatusCode::SERVICE_UNAVAILABLE,
            _ => {
                tracing::error!(%error, "the database failed");
                return Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "the database failed: the log says more",
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
            at: self.at,
            kind: self.kind,
        };
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        // What was sent may not have been read: nothing may follow on it.
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

/// What ended by a panic: the log has it.
impl From<tokio::task::JoinError> for Problem {
    fn from(error: tokio::task::JoinError) -> Self {
        tracing::error!(%error, "the service is at fault");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the service is at fault: the log says more")
    }
}

impl From<Wrong> for Problem {
    fn from(wrong: Wrong) -> Self {
        Self::unprocessable(wrong.why).at(wrong.at)
    }
}

impl From<NotAnnounced> for Problem {
    fn from(refused: NotAnnounced) -> Self {
        Self::unprocessable(refused.why).at(refused.at)
    }
}
