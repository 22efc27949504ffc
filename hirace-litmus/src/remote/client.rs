//! A service that is reached by HTTP.

use super::{Board, Kept, LeaseAsked, Leased, Problem, Submitted, Worked};
use crate::campaign::Announced;
use hirace_core::diagnostic::{Diagnostic, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::thread;
use std::time::Duration;
use thiserror::Error;
use ureq::http::StatusCode;
use ureq::{Agent, Body, SendBody};

/// The most bytes of an answer.
const MOST: u64 = 256 << 20;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long is waited before what failed is tried once more; in between it is tried that often.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(10),
];

/// What a service did not take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{}", .0.detail, .0.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default())]
pub struct Refused(pub Problem);

/// A service.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    /// Its address, without a slash at the end.
    url: String,
    token: Option<String>,
}

/// The pieces of one campaign.
#[derive(Debug)]
pub struct OfCampaign<'a> {
    client: &'a Client,
    name: &'a str,
}

impl Client {
    /// That at an address.
    pub fn new(url: &str, token: Option<String>) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .user_agent(concat!("hirace/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned(), token }
    }

    /// The campaign of this name, or the first that is open.
    ///
    /// # Errors
    /// There is none, or it cannot be reached.
    pub fn campaign(&self, name: Option<&str>) -> Result<Announced> {
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

    /// Sends what came of tests, as JSON.
    ///
    /// # Errors
    /// It is not taken, or not reached.
    pub fn submit(&self, document: &str) -> Result<Submitted> {
        self.patiently(|| self.sent("/api/submissions", document.as_bytes()))
    }

    /// Where a path is.
    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// The pieces of a campaign.
    pub fn board<'a>(&'a self, name: &'a str) -> OfCampaign<'a> {
        OfCampaign { client: self, name }
    }

    fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.patiently(|| {
            let request = self.agent.get(self.address(path));
            self.read(request.call())
        })
    }

    fn post<T: DeserializeOwned>(&self, path: &str, of: &impl Serialize) -> Result<T> {
        let text = serde_json::to_vec(of).map_err(|error| self.failed(&error.to_string()))?;
        self.patiently(|| self.sent(path, &text))
    }

    fn sent<T: DeserializeOwned>(&self, path: &str, text: &[u8]) -> Tried<T> {
        let mut request = self.agent.post(self.address(path)).content_type("application/json");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        self.read(request.send(SendBody::from_reader(&mut &*text)))
    }

    fn read<T: DeserializeOwned>(
        &self,
        answer: std::result::Result<ureq::http::Response<Body>, ureq::Error>,
    ) -> Tried<T> {
        let mut answer = answer.map_err(|error| Failed::Later(self.failed(&error.to_string())))?;
        let status = answer.status();
        let text = answer.body_mut().with_config().limit(MOST).read_to_vec();
        let text = text.map_err(|error| Failed::Later(self.failed(&error.to_string())))?;
        if status.is_success() {
            return serde_json::from_slice(&text).map_err(|error| {
                Failed::Now(self.failed(&format!("its answer cannot be read: {error}")))
            });
        }
        let why = match serde_json::from_slice::<Problem>(&text) {
            Ok(problem) => Refused(problem).to_string(),
            Err(_) => format!("it answers with status {status}"),
        };
        let error = self.failed(&why);
        let is_worth_waiting =
            status.is_server_error() && status != StatusCode::INSUFFICIENT_STORAGE;
        match is_worth_waiting || status == StatusCode::TOO_MANY_REQUESTS {
            true => Err(Failed::Later(error)),
            false => Err(Failed::Now(error)),
        }
    }

    /// Does it, and once more where it may be that it cannot be done just now.
    fn patiently<T>(&self, mut does: impl FnMut() -> Tried<T>) -> Result<T> {
        for pause in PAUSES {
            match does() {
                Ok(done) => return Ok(done),
                Err(Failed::Now(error)) => return Err(error),
                Err(Failed::Later(_)) => thread::sleep(pause),
            }
        }
        does().map_err(|failed| match failed {
            Failed::Now(error) | Failed::Later(error) => error,
        })
    }

    fn failed(&self, why: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(format!("{}: {why}", self.url)).of_device())
    }
}

type Tried<T> = std::result::Result<T, Failed>;

enum Failed {
    /// It will be no other way.
    Now(Box<Diagnostic>),
    /// It may be another way soon.
    Later(Box<Diagnostic>),
}

impl Board for OfCampaign<'_> {
    fn lease(&mut self, asked: &LeaseAsked) -> Result<Leased> {
        self.client.post(&format!("/api/campaigns/{}/leases", self.name), asked)
    }

    fn put(&mut self, lease: &str, worked: &Worked) -> Result<Kept> {
        self.client.post(&format!("/api/campaigns/{}/leases/{lease}", self.name), worked)
    }
}
