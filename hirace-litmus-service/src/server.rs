//! Connections: so many at a time, none that says nothing for long, and at the end those that are at work are waited for.

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

/// The most connections.
const MOST: usize = 1024;

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(10);

/// How long an answer may wait to be read.
const UNREAD: Duration = Duration::from_secs(30);

/// How long connections are waited for at the end.
const END: Duration = Duration::from_secs(30);

/// How long is waited where a connection cannot be accepted, for want of descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers until `stop` is there, and then until all that was asked is answered.
pub async fn serve(listener: TcpListener, app: App, stop: impl Future<Output = ()>) {
    let (store, metrics) = (app.store.clone(), Arc::clone(&app.metrics));
    let router = app.router();
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(MOST));
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
                tracing::warn!(%error, "a connection is not accepted");
                time::sleep(PAUSE).await;
                continue;
            }
        };
        let answers = graceful.watch(connection(stream, peer, router.clone()));
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
    tracing::info!("waiting for what is at work");
    if time::timeout(END, graceful.shutdown()).await.is_err() {
        tracing::warn!("connections are cut off");
    }
    store.close().await;
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let mut timely = TimeoutStream::new(stream);
    timely.set_write_timeout(Some(UNREAD));
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(Box::pin(timely)), service)
}

/// When the process is asked to end.
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
