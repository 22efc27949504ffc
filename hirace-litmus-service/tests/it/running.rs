//! A running service, which ends when dropped.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use tempfile::TempDir;
use ureq::Agent;

/// The token of services that require one.
pub const TOKEN: &str = "0123456789abcdef-token";

pub struct Running {
    child: Child,
    pub address: SocketAddr,
    agent: Agent,
    log: Option<JoinHandle<String>>,
}

/// A response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub kind: String,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the status and the location of an error response.
    pub fn problem(&self) -> (u16, Value) {
        assert_eq!(self.kind, "application/problem+json", "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        assert!(problem["detail"].as_str().is_some_and(|said| !said.is_empty()), "{self:?}");
        (self.status, problem["location"].clone())
    }
}

/// Returns the command that starts the service on a database in a folder.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hirace-litmus-service"));
    command.arg("--database").arg(database(folder));
    // glibc keeps freed memory for each thread that used it, so that its peak depends on how many threads happened to run.
    command.env("MALLOC_ARENA_MAX", "1");
    for variable in ["HIRACE_LOG", "HIRACE_LITMUS_DATABASE", "HIRACE_LITMUS_LISTEN"] {
        command.env_remove(variable);
    }
    command
}

pub fn database(folder: &Path) -> PathBuf {
    folder.join("litmus.db")
}

/// Returns a new temporary folder.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

impl Running {
    /// Starts a service on a database in a folder, with additional arguments.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = program(folder);
        command.args(["--listen", "127.0.0.1:0"]).args(arguments);
        Self::of(&mut command)
    }

    /// Starts a service in which campaigns can be created.
    pub fn with_token(folder: &Path, arguments: &[&str]) -> Self {
        let path = folder.join("token");
        std::fs::write(&path, TOKEN).unwrap();
        let arguments = [&["--token-file", path.to_str().unwrap()], arguments].concat();
        Self::start(folder, &arguments)
    }

    /// Starts a service by a command.
    pub fn of(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = child.stderr.take().unwrap();
        // The log is read continuously, so that the service never blocks on writing it.
        let log = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = ChildStderr::read_to_string(&mut log, &mut text);
            text
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|at| at.strip_suffix('/'));
        let Some(address) = address else {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the service does not run: {line}\n{}", log.join().unwrap());
        };
        let config = Agent::config_builder().http_status_as_error(false).build();
        Self { child, address: address.parse().unwrap(), agent: config.into(), log: Some(log) }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn get(&self, path: &str) -> Answer {
        answer(self.agent.get(self.url(path)).call()).unwrap()
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.try_post(path, body).unwrap()
    }

    /// Posts a request. Fails if the service ends before it responds.
    pub fn try_post(&self, path: &str, body: &str) -> Result<Answer, ureq::Error> {
        let request = self.agent.post(self.url(path)).content_type("application/json");
        answer(request.send(body))
    }

    pub fn post_as_host(&self, path: &str, body: &str) -> Answer {
        let request = self.agent.post(self.url(path)).content_type("application/json");
        answer(request.header("authorization", format!("Bearer {TOKEN}")).send(body)).unwrap()
    }

    pub fn delete_as_host(&self, path: &str) -> Answer {
        let request = self.agent.delete(self.url(path));
        answer(request.header("authorization", format!("Bearer {TOKEN}")).call()).unwrap()
    }

    /// Opens a raw connection.
    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the service has ended. Returns its exit status and its log.
    pub fn ended(&mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        (status, self.log.take().unwrap().join().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(
    of: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Result<Answer, ureq::Error> {
    let mut of = of?;
    let kind = of.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    Ok(Answer {
        status: of.status().as_u16(),
        kind: kind.unwrap_or_default(),
        text: of.body_mut().read_to_string()?,
    })
}
