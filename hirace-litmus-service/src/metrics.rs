//! What is counted, for Prometheus.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::time::Duration;

/// A kind of request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct OfRequest {
    /// How.
    pub method: String,
    /// Which route; none of what there is none for.
    pub route: String,
    /// How it ended.
    pub status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRoute {
    route: String,
}

/// All that is counted.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<OfRequest, Counter>,
    seconds: Family<OfRoute, Histogram, fn() -> Histogram>,
    /// Submissions that were kept.
    pub submissions: Counter,
    /// Runs of campaigns that were kept.
    pub runs: Counter,
    /// Connections.
    pub connections: Gauge,
}

fn durations() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.0, 16))
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("hirace_litmus");
        let requests = Family::<OfRequest, Counter>::default();
        let seconds = Family::new_with_constructor(durations as fn() -> Histogram);
        let (submissions, runs) = (Counter::default(), Counter::default());
        let connections = Gauge::default();
        registry.register("requests", "Requests that were answered", requests.clone());
        registry.register("request_seconds", "How long requests took", seconds.clone());
        registry.register("submissions", "Submissions that were kept", submissions.clone());
        registry.register("runs", "Runs of campaigns that were kept", runs.clone());
        registry.register("connections", "Open connections", connections.clone());
        Self { registry, requests, seconds, submissions, runs, connections }
    }
}

impl Metrics {
    /// Counts a request.
    pub fn answered(&self, of: &OfRequest, took: Duration) {
        self.requests.get_or_create(of).inc();
        let route = OfRoute { route: of.route.clone() };
        self.seconds.get_or_create(&route).observe(took.as_secs_f64());
    }

    /// All of it as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // A text takes whatever is written to it.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
