//! The router of the application.

use crate::app::App;
use crate::{api, guard, observe, page};
use axum::Router;
use axum::middleware;
use std::time::Duration;
use tower_http::timeout::RequestBodyTimeoutLayer;

/// The maximum pause while a request body is received.
const PAUSE: Duration = Duration::from_secs(10);

impl App {
    /// Returns the router of all requests.
    pub fn router(self) -> Router {
        let mut router = Router::new().merge(page::router());
        for route in api::routes() {
            router = router.route(route.path, route.handlers);
        }
        router
            .fallback(api::not_found)
            .method_not_allowed_fallback(api::method_not_allowed)
            .layer(middleware::from_fn_with_state(self.clone(), guard::guard))
            .layer(middleware::from_fn_with_state(self.clone(), guard::check_host))
            .layer(RequestBodyTimeoutLayer::new(PAUSE))
            .layer(middleware::from_fn_with_state(self.clone(), guard::enforce_time_limit))
            .layer(middleware::from_fn_with_state(self.clone(), observe::observe))
            .with_state(self)
    }
}
