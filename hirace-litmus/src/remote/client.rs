//! A client of a service over HTTP.

use super::{
    Board, LeaseRequest, LeaseResponse, Problem, SubmissionReceipt, WorkReceipt, WorkReport,
};
use crate::campaign::SharedCampaign;
use hirace_core::diagnostic::{Diagnostic, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use ureq::http::StatusCode;
use ureq::http::header::RETRY_AFTER;
use ureq::{Agent, Body};

/// The maximum size of a response, in bytes.
const MAX_RESPONSE_BYTES: u64 = 256 << 20;

/// The timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The delays before retries.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(10),
];

/// A client of a service.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    /// The address, without a trailing slash.
    url: String,
    token: Option<String>,
    /// Set to stop waiting.
    stop: Arc<AtomicBool>,
}

/// The pieces of one campaign.
#[derive(Debug)]
pub struct CampaignBoard<'a> {
    client: &'a Client,
    name: &'a str,
}

impl Client {
    /// Creates a client of the service at an address. When `stop` is set, failed requests are not retried.
    pub fn new(url: &str, token: Option<String>, stop: Arc<AtomicBool>) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .user_agent(concat!("hirace/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned(), token, stop }
    }

    /// Returns the campaign of this name, or the first open one.
    ///
    /// # Errors
    /// There is no such campaign, or the service cannot be reached.
    pub fn campaign(&self, name: Option<&str>) -> Result<SharedCampaign> {
        if let Some(name) = name {
            return self.get(&format!("/api/campaigns/{name}"));
        }
        #[derive(serde::Deserialize)]
        struct Listed {
            campaigns: Vec<Named>,
        }
        #[derive(serde::Deserialize)]
        struct Named {
            name: String,
            open: bool,
        }
        let listed: Listed = self.get("/api/campaigns")?;
        match listed.campaigns.into_iter().find(|campaign| campaign.open) {
            Some(Named { name, .. }) => self.get(&format!("/api/campaigns/{name}")),
            None => Err(Box::new(Diagnostic::new(format!("{} has no open campaign", self.url)))),
        }
    }

    /// Submits results as JSON.
    ///
    /// # Errors
    /// The service refuses the results, or cannot be reached.
    pub fn submit(&self, document: &str) -> Result<SubmissionReceipt> {
        self.with_retries(Busy, || self.sent("/api/submissions", document.as_bytes()))
    }

    /// Returns the URL of a path.
    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Returns the pieces of a campaign.
    pub fn board<'a>(&'a self, name: &'a str) -> CampaignBoard<'a> {
        CampaignBoard { client: self, name }
    }

    fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.with_retries(Busy, || {
            let request = self.agent.get(self.address(path));
            self.read(request.call())
        })
    }

    fn post<T: DeserializeOwned>(&self, path: &str, of: &impl Serialize) -> Result<T> {
        let text = serde_json::to_vec(of).map_err(|error| self.failed(&error.to_string()))?;
        self.with_retries(Unreachable, || self.sent(path, &text))
    }

    fn sent<T: DeserializeOwned>(&self, path: &str, text: &[u8]) -> RequestResult<T> {
        let mut request = self.agent.post(self.address(path)).content_type("application/json");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        self.read(request.send(text))
    }

    fn read<T: DeserializeOwned>(
        &self,
        answer: std::result::Result<ureq::http::Response<Body>, ureq::Error>,
    ) -> RequestResult<T> {
        let unreachable = |error: ureq::Error| (Unreachable, self.failed(&error.to_string()));
        let mut answer = answer.map_err(unreachable)?;
        let status = answer.status();
        let text = answer.body_mut().with_config().limit(MAX_RESPONSE_BYTES).read_to_vec();
        let text = text.map_err(unreachable)?;
        if status.is_success() {
            return serde_json::from_slice(&text).map_err(|error| {
                (Final, self.failed(&format!("cannot read the response: {error}")))
            });
        }
        let why = match serde_json::from_slice::<Problem>(&text) {
            Ok(Problem { detail, location: Some(at), .. }) => format!("{detail} ({at})"),
            Ok(Problem { detail, .. }) => detail,
            Err(_) => format!("unexpected status {status}"),
        };
        let error = self.failed(&why);
        let said = answer
            .headers()
            .get(RETRY_AFTER)
            .and_then(|seconds| seconds.to_str().ok()?.parse().ok());
        Err(match status {
            StatusCode::TOO_MANY_REQUESTS => (Wait(said.unwrap_or(1)), error),
            StatusCode::REQUEST_TIMEOUT => (Busy, error),
            StatusCode::INSUFFICIENT_STORAGE | StatusCode::GONE => (Final, error),
            status if status.is_server_error() => (Busy, error),
            // The request is at fault, not the service.
            _ => (Final, Box::new(Diagnostic::new(format!("{}: {why}", self.url)))),
        })
    }

    /// Retries an operation while it fails with `worst` or with a less permanent failure.
    fn with_retries<T>(
        &self,
        worst: RetryClass,
        mut does: impl FnMut() -> RequestResult<T>,
    ) -> Result<T> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let (how, error) = match does() {
                Ok(done) => return Ok(done),
                Err(failed) => failed,
            };
            let pause = match how {
                // The service asks for this delay, so it does not count as a failure.
                Wait(seconds) => Some(Duration::from_secs(seconds)),
                how if how <= worst => pauses.next(),
                _ => None,
            };
            if !pause.is_some_and(|pause| self.wait(pause)) {
                return Err(error);
            }
        }
    }

    /// Waits. Returns false if it was stopped.
    fn wait(&self, pause: Duration) -> bool {
        let until = Instant::now() + pause.min(TIMEOUT);
        while Instant::now() < until {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            thread::sleep(Duration::from_millis(20));
        }
        true
    }

    fn failed(&self, why: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(format!("{}: {why}", self.url)).of_device())
    }
}

type RequestResult<T> = std::result::Result<T, (RetryClass, Box<Diagnostic>)>;

/// The kind of a failure, in ascending order of permanence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RetryClass {
    /// Too many requests; the service accepts them again after this number of seconds.
    Wait(u64),
    /// The service is overloaded.
    Busy,
    /// The service cannot be reached. The first request does not wait, since the address may be wrong; a running worker
    /// does.
    Unreachable,
    /// A retry cannot succeed.
    Final,
}

use RetryClass::{Busy, Final, Unreachable, Wait};

impl Board for CampaignBoard<'_> {
    fn lease(&mut self, asked: &LeaseRequest) -> Result<LeaseResponse> {
        self.client.post(&format!("/api/campaigns/{}/leases", self.name), asked)
    }

    fn put(&mut self, lease: &str, worked: &WorkReport) -> Result<WorkReceipt> {
        self.client.post(&format!("/api/campaigns/{}/leases/{lease}", self.name), worked)
    }
}
