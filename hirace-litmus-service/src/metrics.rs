//! Metrics for Prometheus.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::time::Duration;

/// The labels of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    /// The method.
    pub method: String,
    /// The route; empty for an unknown path.
    pub route: String,
    /// The status.
    pub status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

/// The metrics of the service.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram, fn() -> Histogram>,
    /// The number of stored submissions.
    pub submissions: Counter,
    /// The number of stored runs of campaigns.
    pub runs: Counter,
    /// The number of open connections.
    pub connections: Gauge,
}

fn duration_histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.0, 16))
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("hirace_litmus");
        let requests = Family::<RequestLabels, Counter>::default();
        let seconds = Family::new_with_constructor(duration_histogram as fn() -> Histogram);
        let (submissions, runs) = (Counter::default(), Counter::default());
        let connections = Gauge::default();
        registry.register("requests", "Requests that were answered", requests.clone());
        registry.register("request_seconds", "Duration of requests in seconds", seconds.clone());
        registry.register("submissions", "Submissions that were stored", submissions.clone());
        registry.register("runs", "Runs of campaigns that were stored", runs.clone());
        registry.register("connections", "Open connections", connections.clone());
        Self { registry, requests, seconds, submissions, runs, connections }
    }
}

impl Metrics {
    /// Counts a request.
    pub fn record_response(&self, labels: &RequestLabels, duration: Duration) {
        self.requests.get_or_create(labels).inc();
        let route = RouteLabels { route: labels.route.clone() };
        self.seconds.get_or_create(&route).observe(duration.as_secs_f64());
    }

    /// Returns all metrics as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
