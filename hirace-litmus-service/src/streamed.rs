//! Long responses. They are written to a temporary file and sent from there in parts, so that a client that does not read holds only
//! the memory of a part.
//!
//! A limited number of responses is written at one time. That does not depend on clients, so a slow one does not delay others.

use crate::problem::Problem;
use axum::body::{Body, HttpBody};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::Frame;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tempfile::SpooledData;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::{task, time};

/// The number of bytes of a part. Responses up to this length stay in memory.
const PART: usize = 64 << 10;

/// The number of bytes per permit of files.
const UNIT: u64 = 1 << 20;

/// The maximum number of units of the files of all responses that are being sent.
const MAX_UNITS: u32 = 1024;

/// The time limit for sending a response.
const SENDING: Duration = Duration::from_secs(600);

/// The limits on long responses.
#[derive(Debug)]
pub struct LongResponses {
    folder: PathBuf,
    writing: Arc<Semaphore>,
    files: Arc<Semaphore>,
}

/// The permit to write a response.
pub type WritePermit = OwnedSemaphorePermit;

impl LongResponses {
    /// Creates the limits. `folder` is where the files are.
    pub fn new(folder: &Path) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            folder: folder.to_owned(),
            writing: Arc::new(Semaphore::new(2 * cores)),
            files: Arc::new(Semaphore::new(MAX_UNITS as usize)),
        }
    }

    /// Waits for the permit to write a response. It is taken before the content of the response is read or computed.
    pub async fn permit(&self) -> Result<WritePermit, Problem> {
        let permit = Arc::clone(&self.writing).acquire_owned().await;
        Ok(permit.map_err(|_| crate::store::Error::ShuttingDown)?)
    }

    /// Writes a response with `write`, and returns it.
    async fn written(
        &self,
        permit: WritePermit,
        kind: &'static str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> Result<Response, Problem> {
        let mut file = tempfile::spooled_tempfile_in(PART, &self.folder);
        let written = task::spawn_blocking(move || {
            // The permit ends with the work, also if the request is cancelled.
            let _permit = permit;
            let mut out = BufWriter::with_capacity(PART, &mut file);
            write(&mut out)?;
            out.flush()?;
            drop(out);
            let length = file.stream_position()?;
            file.seek(SeekFrom::Start(0))?;
            io::Result::Ok((file, length))
        });
        let (file, length) = written.await?.map_err(|error| write_problem(&error))?;
        let body = match file.into_inner() {
            SpooledData::OnDisk(file) => {
                Body::new(Parts { parts: sent(file, self.reserve(length)?) })
            }
            SpooledData::InMemory(bytes) => Body::from(bytes.into_inner()),
        };
        let headers =
            [(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_LENGTH, length.to_string())];
        Ok((headers, body).into_response())
    }

    /// Reserves space for a file that is being sent.
    fn reserve(&self, length: u64) -> Result<OwnedSemaphorePermit, Problem> {
        // A response that is larger than the limit takes all of it.
        let units = length.div_ceil(UNIT).min(u64::from(MAX_UNITS)) as u32;
        Arc::clone(&self.files).try_acquire_many_owned(units).map_err(|_| {
            let detail = "too many long responses are being sent";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(10)
        })
    }
}

/// Returns the problem of a response that could not be written to a temporary file.
fn write_problem(error: &io::Error) -> Problem {
    tracing::error!(%error, "cannot write a response to a temporary file");
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Problem::new(StatusCode::INSUFFICIENT_STORAGE, "the disk is full")
        }
        _ => {
            let detail = "cannot write a temporary file: see the log of the service";
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
        }
    }
}

/// Returns a value as JSON.
pub async fn json<T: Serialize + Send + 'static>(
    long: &LongResponses,
    permit: WritePermit,
    value: T,
) -> Result<Response, Problem> {
    let write =
        move |out: &mut dyn Write| serde_json::to_writer(out, &value).map_err(io::Error::from);
    long.written(permit, "application/json", write).await
}

/// Returns an object whose last field is a stored JSON text.
pub async fn json_with(
    long: &LongResponses,
    permit: WritePermit,
    object: serde_json::Map<String, serde_json::Value>,
    (name, text): (&'static str, String),
) -> Result<Response, Problem> {
    let write = move |out: &mut dyn Write| {
        out.write_all(b"{")?;
        for (name, value) in &object {
            write!(out, "{}:{value},", serde_json::Value::from(name.as_str()))?;
        }
        write!(out, "\"{name}\":{text}}}")
    };
    long.written(permit, "application/json", write).await
}

/// Returns a text.
pub async fn text(
    long: &LongResponses,
    permit: WritePermit,
    kind: &'static str,
    text: impl FnOnce() -> String + Send + 'static,
) -> Result<Response, Problem> {
    long.written(permit, kind, move |out| out.write_all(text().as_bytes())).await
}

/// Reads a file part by part, each when the one before it was taken. The space of the file is reserved until then.
fn sent(mut file: File, reserved: OwnedSemaphorePermit) -> mpsc::Receiver<io::Result<Bytes>> {
    let (sender, parts) = mpsc::channel(1);
    tokio::spawn(async move {
        let _reserved = reserved;
        let send_all = async {
            loop {
                let Ok(place) = sender.reserve().await else { return };
                let read = task::spawn_blocking(move || {
                    let mut part = vec![0; PART];
                    let read = file.read(&mut part).map(|count| {
                        part.truncate(count);
                        Bytes::from(part)
                    });
                    (file, read)
                });
                let Ok((same, part)) = read.await else { return };
                file = same;
                match part {
                    Ok(part) if part.is_empty() => return,
                    Ok(part) => place.send(Ok(part)),
                    Err(error) => return place.send(Err(error)),
                }
            }
        };
        // A body that ends before its stated length closes the connection.
        let _ = time::timeout(SENDING, send_all).await;
    });
    parts
}

/// A body that arrives in parts.
struct Parts {
    parts: mpsc::Receiver<io::Result<Bytes>>,
}

impl HttpBody for Parts {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let part = self.get_mut().parts.poll_recv(context);
        part.map(|part| part.map(|part| part.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_disk_is_reported_as_full() {
        let status = |kind: ErrorKind| write_problem(&kind.into()).status;
        for full in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            assert_eq!(status(full), StatusCode::INSUFFICIENT_STORAGE);
        }
        for other in [ErrorKind::PermissionDenied, ErrorKind::NotFound, ErrorKind::Other] {
            assert_eq!(status(other), StatusCode::INTERNAL_SERVER_ERROR);
        }
    }
}
