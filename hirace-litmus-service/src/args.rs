//! Arguments.

use clap::{Parser, Subcommand};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus_service::app::Options;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::log::LogFormat;

/// Collect results of litmus tests, run tests in browsers, and analyse what comes
///
/// It prints the address of its page, and answers until it is interrupted.
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
    /// What is logged to standard error: a level, or parts with a level each
    #[arg(long, global = true, value_name = "FILTER", env = "HIRACE_LOG", default_value = "info")]
    pub log: String,
    /// How lines of the log look
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub log_format: LogFormat,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Keep results that lie in files: those of `hirace litmus`, and published ones of MC Mutants and GPUHarbor
    Import {
        /// Files, and folders of them
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Write a copy of the database; it may be in use
    Backup {
        /// The copy
        #[arg(value_name = "FILE")]
        to: PathBuf,
    },
}

/// Where things are kept.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// The database
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "HIRACE_LITMUS_DATABASE",
        default_value = "hirace-litmus.db"
    )]
    pub database: PathBuf,
    /// The most that the database may grow to
    #[arg(long, global = true, value_name = "MEGABYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub max_database: Option<u64>,
}

/// How it is served.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Where it listens
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "HIRACE_LITMUS_LISTEN",
        default_value = "127.0.0.1:7878"
    )]
    pub listen: SocketAddr,
    /// A file with a token: whoever has it announces campaigns and removes what was submitted. Without one nobody does
    #[arg(long, value_name = "FILE", env = "HIRACE_LITMUS_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Only whoever has the token may submit and work on campaigns: by the command line, as the page has no place for it
    #[arg(long, requires = "token_file")]
    closed: bool,
    /// How many POST and DELETE requests an address may make in a minute, of which a page makes two for each test that it runs; 0
    /// for any number
    #[arg(long, value_name = "N", default_value = "600")]
    rate: u32,
    /// Addresses are those of the last X-Forwarded-For, which a proxy in front writes
    #[arg(long)]
    behind_proxy: bool,
    /// The most that a request may be
    #[arg(long, value_name = "MEGABYTES", default_value = "8", value_parser = clap::value_parser!(u64).range(1..=256))]
    max_body: u64,
    /// How long a request may take
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..=3600))]
    time: u64,
}

/// Shorter ones can be guessed.
const LEAST_TOKEN: usize = 16;

impl Serve {
    /// All of it.
    pub fn options(&self) -> Result<Options> {
        let token = self.token_file.as_ref().map(|path| {
            let read = fs::read_to_string(path);
            let token = read.map_err(|error| {
                Diagnostic::new(format!("cannot read {}: {error}", path.display()))
            })?;
            let token = token.trim().to_owned();
            match token.len() < LEAST_TOKEN {
                true => {
                    let error = format!(
                        "{} has a token of {} characters: {LEAST_TOKEN} at least",
                        path.display(),
                        token.len()
                    );
                    let help = "make one: openssl rand -hex 32 > token.txt";
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
            closed: self.closed,
            time: Duration::from_secs(self.time),
        })
    }
}
