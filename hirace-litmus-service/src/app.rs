//! The application: its options, and the state that its request handlers share.

use crate::analyses::Analyses;
use crate::campaign_cache::CampaignCache;
use crate::memory_limit::MemoryLimit;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::rate::Rate;
use crate::store::{self, Store};
use crate::streamed::LongResponses;
use hirace_litmus::results::check::Checker;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The options of the service.
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum size of a request, in bytes.
    pub max_body: usize,
    /// The maximum number of POST and DELETE requests of an address per minute; 0 is unlimited.
    pub rate: u32,
    /// Whether the client address is taken from the header of a proxy.
    pub behind_proxy: bool,
    /// The token of the operator.
    pub token: Option<String>,
    /// Whether submissions need the token, too.
    pub requires_token: bool,
    /// The time limit of a request.
    pub time: Duration,
    /// The time after which a connection is closed whose client reads nothing of a response.
    pub idle: Duration,
    /// The address on which the service listens; the default is a loopback address.
    pub address: IpAddr,
    /// The host names under which clients may address the service, in addition to its address and localhost.
    pub hosts: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_body: 8 << 20,
            rate: 600,
            behind_proxy: false,
            token: None,
            requires_token: false,
            time: Duration::from_secs(60),
            idle: Duration::from_secs(30),
            address: Ipv4Addr::LOCALHOST.into(),
            hosts: Vec::new(),
        }
    }
}

/// The maximum number of bytes of all request bodies at one time. Further ones wait for a short time.
const ROOM: usize = 128 << 20;

/// The state that request handlers share.
#[derive(Clone, Debug)]
pub struct App {
    /// The database.
    pub store: Store,
    /// The checker of results.
    pub checker: Arc<Checker>,
    /// The options of the service.
    pub options: Arc<Options>,
    /// The rate limiter.
    pub rate: Arc<Rate>,
    /// The metrics.
    pub metrics: Arc<Metrics>,
    /// The cache of analyses.
    pub analyses: Arc<Analyses>,
    /// The cache of active campaigns.
    pub campaign_cache: Arc<CampaignCache>,
    /// The limit on memory for request bodies.
    pub room: Arc<MemoryLimit>,
    /// The limits on long responses.
    pub long: Arc<LongResponses>,
    /// The limit on concurrent CPU-bound work: the number of cores.
    work: Arc<Semaphore>,
}

impl App {
    /// Creates an application on a database.
    pub fn new(store: Store, options: Options) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let room = Arc::new(MemoryLimit::new(ROOM.max(options.max_body)));
        let long = Arc::new(LongResponses::new(store.folder()));
        Self {
            long,
            store,
            checker: Arc::default(),
            rate: Arc::new(Rate::new(options.rate)),
            options: Arc::new(options),
            metrics: Arc::default(),
            analyses: Arc::default(),
            campaign_cache: Arc::default(),
            room,
            work: Arc::new(Semaphore::new(cores)),
        }
    }

    /// Runs CPU-bound work when a core is free.
    ///
    /// # Errors
    /// The work panicked.
    pub async fn run_when_core_is_free<T: Send + 'static>(
        &self,
        does: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = Arc::clone(&self.work).acquire_owned().await;
        let permit = permit.map_err(|_| store::Error::ShuttingDown)?;
        let done = tokio::task::spawn_blocking(move || {
            let done = does();
            drop(permit);
            done
        });
        Ok(done.await?)
    }
}
