//! Serves connections: limits their number, applies timeouts and shuts down gracefully.

use crate::app::App;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt as _;

/// The maximum number of connections.
const MAX_CONNECTIONS: usize = 1024;

/// The timeout for the head of a request.
const HEAD: Duration = Duration::from_secs(10);

/// The maximum number of bytes that a connection buffers in each direction.
const BUFFER: usize = 64 << 10;

/// The time limit of a graceful shutdown.
const END: Duration = Duration::from_secs(30);

/// The delay before the next attempt if a connection cannot be accepted, for example because there are no free file
/// descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves requests until `stop` completes. Then waits for pending requests, up to a time limit.
pub async fn serve(listener: TcpListener, app: App, stop: impl Future<Output = ()>) {
    let (store, metrics) = (app.store.clone(), Arc::clone(&app.metrics));
    let idle = app.options.idle;
    let router = app.router();
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let Ok(permit) = permit else { break };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                time::sleep(PAUSE).await;
                continue;
            }
        };
        let answers = graceful.watch(connection(stream, peer, idle, router.clone()));
        let metrics = Arc::clone(&metrics);
        tokio::spawn(async move {
            metrics.connections.inc();
            if let Err(error) = answers.await {
                tracing::debug!(%error, %peer, "a connection ended");
            }
            metrics.connections.dec();
            drop(permit);
        });
    }
    drop(listener);
    tracing::info!("waiting for pending requests");
    if time::timeout(END, graceful.shutdown()).await.is_err() {
        tracing::warn!("closing connections with pending requests");
    }
    store.close().await;
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    idle: Duration,
    router: Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let mut timely = TimeoutStream::new(stream);
    timely.set_write_timeout(Some(idle));
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(Box::pin(timely)), service)
}

/// Completes when the process is asked to terminate.
pub async fn asked_to_stop() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            stopped = tokio::signal::ctrl_c() => stopped,
            _ = terminated.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
