//! Extractors of request bodies (JSON with a size limit) and of names in paths.

use crate::app::App;
use crate::memory_limit::{MemoryLimit, Reservation};
use crate::problem::Problem;
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;

/// A parameter of the path. A parameter that cannot be parsed gives a 404 response.
#[derive(Debug)]
pub struct PathParameter<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for PathParameter<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let path = Path::from_request_parts(parts, app).await;
        path.map(|Path(name)| Self(name)).map_err(|_| Problem::unknown_path(parts.uri.path()))
    }
}

/// The text of a JSON body, and its memory.
#[derive(Debug)]
pub struct JsonText(pub Bytes, pub Reservation);

/// A parsed JSON body.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl FromRequest<App> for JsonText {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Problem::new(status, "only application/json is supported"));
        }
        let said = request.headers().get(header::CONTENT_LENGTH);
        let said = said.and_then(|length| length.to_str().ok()?.parse::<u128>().ok());
        let most = app.options.max_body;
        if said.is_some_and(|length| length > most as u128) {
            if said.is_some_and(|length| length <= discard_limit(most) as u128) {
                collect(request.into_body(), 0, discard_limit(most), &app.room).await?;
            }
            return Err(too_large(most));
        }
        match collect(request.into_body(), most, discard_limit(most), &app.room).await? {
            Some(text) => Ok(text),
            None => Err(too_large(most)),
        }
    }
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let JsonText(text, _memory) = JsonText::from_request(request, app).await?;
        parse(&text).map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = said.and_then(|said| said.split(';').next()).unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

fn too_large(most: usize) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("the request exceeds the limit of {most} bytes"),
    )
}

/// Returns the number of bytes that are read from an oversized body. A client that is still sending does not read the
/// response, so a body that is not much too large is read completely and discarded.
fn discard_limit(most: usize) -> usize {
    most.saturating_mul(4)
}

/// Reads a body. Returns `None` if it has more than `most` bytes; up to `heard` bytes are read in that case.
async fn collect(
    mut body: Body,
    most: usize,
    heard: usize,
    room: &MemoryLimit,
) -> Result<Option<JsonText>, Problem> {
    let (mut all, mut length, mut reserved) = (BytesMut::new(), 0, Reservation::default());
    while let Some(frame) = body.frame().await {
        let cut_off =
            |_| Problem::new(StatusCode::REQUEST_TIMEOUT, "the request body is incomplete");
        let frame = frame.map_err(cut_off)?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        match length {
            _ if length <= most => {
                room.extend(&mut reserved, length).await?;
                all.extend_from_slice(&data);
            }
            _ if length <= heard => (all, reserved) = Default::default(),
            _ => break,
        }
    }
    Ok((length <= most).then(|| JsonText(all.freeze(), reserved)))
}

/// Parses JSON. Errors have their location.
pub fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let at = error.path().to_string();
        let said = error.into_inner();
        let problem = match said.is_data() {
            true => Problem::unprocessable(said.to_string()),
            false => Problem::malformed(said.to_string()),
        };
        if at == "." { problem } else { problem.at(at) }
    })?;
    reader.end().map_err(|error| Problem::malformed(error.to_string()))?;
    Ok(read)
}
