//! The service: what it knows, and which request goes where.

use crate::analyses::Analyses;
use crate::body::Room;
use crate::known::Known;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::rate::Rate;
use crate::store::{self, Store};
use crate::{api, guard, observe, page};
use axum::Router;
use axum::middleware;
use hirace_litmus::results::check::Checker;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tower_http::timeout::RequestBodyTimeoutLayer;

/// How the service is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most bytes of a request.
    pub max_body: usize,
    /// How many POST and DELETE requests an address may make in a minute; any number, if that is 0.
    pub rate: u32,
    /// Whether addresses are those that a proxy in front says.
    pub behind_proxy: bool,
    /// What whoever runs the service knows.
    pub token: Option<String>,
    /// Whether it is needed to submit, too.
    pub closed: bool,
    /// How long a request may take.
    pub time: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_body: 8 << 20,
            rate: 600,
            behind_proxy: false,
            token: None,
            closed: false,
            time: Duration::from_secs(60),
        }
    }
}

/// The most bytes of all that is sent at a time: more has to wait.
const ROOM: usize = 128 << 20;

/// How long a request may pause while it is sent.
const PAUSE: Duration = Duration::from_secs(10);

/// All that requests need.
#[derive(Clone, Debug)]
pub struct App {
    /// What is kept.
    pub store: Store,
    /// Says whether results are true to themselves.
    pub checker: Arc<Checker>,
    /// How the service is run.
    pub options: Arc<Options>,
    /// Who asks too often.
    pub rate: Arc<Rate>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// What was analysed.
    pub analyses: Arc<Analyses>,
    /// Campaigns that are worked on.
    pub announced: Arc<Known>,
    /// What there is room for.
    pub room: Arc<Room>,
    /// As many as the machine does at a time.
    work: Arc<Semaphore>,
}

impl App {
    /// A service on what is kept.
    pub fn new(store: Store, options: Options) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let room = Arc::new(Room::new(ROOM.max(options.max_body)));
        Self {
            store,
            checker: Arc::default(),
            rate: Arc::new(Rate::new(options.rate)),
            options: Arc::new(options),
            metrics: Arc::default(),
            analyses: Arc::default(),
            announced: Arc::default(),
            room,
            work: Arc::new(Semaphore::new(cores)),
        }
    }

    /// Does what takes a processor for a while, when one is free.
    ///
    /// # Errors
    /// It panicked.
    pub async fn at_work<T: Send + 'static>(
        &self,
        does: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = Arc::clone(&self.work).acquire_owned().await;
        let permit = permit.map_err(|_| store::Error::Ended)?;
        let done = tokio::task::spawn_blocking(move || {
            let done = does();
            drop(permit);
            done
        });
        Ok(done.await?)
    }

    /// What answers its requests.
    pub fn router(self) -> Router {
        let mut router = Router::new().merge(page::router());
        for route in api::routes() {
            router = router.route(route.path, route.handlers);
        }
        router
            .fallback(api::nothing)
            .method_not_allowed_fallback(api::not_so)
            .layer(middleware::from_fn_with_state(self.clone(), guard::guard))
            .layer(RequestBodyTimeoutLayer::new(PAUSE))
            .layer(middleware::from_fn_with_state(self.clone(), guard::in_time))
            .layer(middleware::from_fn_with_state(self.clone(), observe::observe))
            .with_state(self)
    }
}
