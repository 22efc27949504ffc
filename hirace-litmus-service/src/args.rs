//! The command line.

use clap::{Parser, Subcommand};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus_service::app::Options;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::log::LogFormat;

/// Collect results of litmus tests, run tests in browsers, and analyze the results
///
/// Prints the address of the page, and serves until interrupted.
#[derive(Debug, Parser)]
#[command(
    name = "hirace-litmus-service",
    bin_name = "hirace litmus serve",
    version,
    after_help = "Examples:
  hirace litmus serve                                        then open http://127.0.0.1:7878/
  hirace litmus serve --listen 0.0.0.0:7878 --token-file token.txt
  hirace litmus serve import results/ --database litmus.db
  hirace litmus serve backup copy.db --database litmus.db"
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub serve: Serve,
    #[command(flatten)]
    pub common: Common,
    /// Select what to log to standard error: a level, or targets with a level each
    #[arg(long, global = true, value_name = "FILTER", env = "HIRACE_LOG", default_value = "info")]
    pub log: String,
    /// Choose the format of the log
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub log_format: LogFormat,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Import results from files: those of `hirace litmus`, and published ones of MC Mutants and GPUHarbor
    Import {
        /// Files to import, and folders of them
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Write a copy of the database, which may be in use
    Backup {
        /// File to write
        #[arg(value_name = "FILE")]
        to: PathBuf,
    },
}

/// The options of all commands.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// Use this database file
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "HIRACE_LITMUS_DATABASE",
        default_value = "hirace-litmus.db"
    )]
    pub database: PathBuf,
    /// Limit the size of the database
    #[arg(long, global = true, value_name = "MEGABYTES", default_value = "10240", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub max_database: u64,
}

/// The options of serving.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Listen on this address
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "HIRACE_LITMUS_LISTEN",
        default_value = "127.0.0.1:7878"
    )]
    pub listen: SocketAddr,
    /// Read a token from this file, and require it to create campaigns and to remove submissions. Without a token, both
    /// are disabled
    #[arg(long, value_name = "FILE", env = "HIRACE_LITMUS_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Require the token for submissions and for work on campaigns. Only the command line can send it, not the page
    #[arg(long, requires = "token_file")]
    closed: bool,
    /// Limit the number of POST and DELETE requests of an address per minute; 0 for no limit. The page makes two requests
    /// for each test that it runs
    #[arg(long, value_name = "N", default_value = "600")]
    rate: u32,
    /// Use the last address of the X-Forwarded-For header, which a proxy in front of the service writes, as the
    /// client's address
    #[arg(long)]
    behind_proxy: bool,
    /// Limit the size of a request
    #[arg(long, value_name = "MEGABYTES", default_value = "8", value_parser = clap::value_parser!(u64).range(1..=256))]
    max_body: u64,
    /// Limit the time of a request
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Close a connection if its client reads nothing of a response for this time
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = clap::value_parser!(u64).range(1..=3600))]
    idle: u64,
    /// Accept requests for this host name (repeatable), in addition to the address of `--listen` and localhost. A proxy
    /// passes on the name that clients use
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
}

/// The minimum length of a token, in characters: shorter ones can be guessed.
const MIN_TOKEN_LENGTH: usize = 16;

impl Serve {
    /// Returns the options of the service.
    pub fn options(&self) -> Result<Options> {
        let token = self.token_file.as_ref().map(|path| {
            let read = fs::read_to_string(path);
            let token = read.map_err(|error| {
                Diagnostic::new(format!("cannot read {}: {error}", path.display()))
            })?;
            let token = token.trim().to_owned();
            match token.len() < MIN_TOKEN_LENGTH {
                true => {
                    let error = format!(
                        "{} has a token of {} characters, but at least {MIN_TOKEN_LENGTH} are required",
                        path.display(),
                        token.len()
                    );
                    let help = "create one with `openssl rand -hex 32 > token.txt`";
                    Err(Box::new(Diagnostic::new(error).help(help)))
                }
                false => Ok(token),
            }
        });
        Ok(Options {
            max_body: usize::try_from(self.max_body << 20).unwrap_or(usize::MAX),
            rate: self.rate,
            behind_proxy: self.behind_proxy,
            token: token.transpose()?,
            requires_token: self.closed,
            time: Duration::from_secs(self.timeout),
            idle: Duration::from_secs(self.idle),
            address: self.listen.ip(),
            hosts: self.host.clone(),
        })
    }
}
