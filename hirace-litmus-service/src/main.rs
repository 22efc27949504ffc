//! `hirace-litmus-service`, the program behind `hirace litmus serve`.

#![forbid(unsafe_code)]

mod args;
mod log;

use args::{Command, Common, Serve};
use clap::Parser as _;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus_service::app::App;
use hirace_litmus_service::import::{self, ImportCounts};
use hirace_litmus_service::server;
use hirace_litmus_service::store::{self, Store};
use hirace_terminal::{Color, Exit, Output};
use std::process::ExitCode;
use tokio::net::TcpListener;

fn main() -> ExitCode {
    let args = args::Args::parse();
    let output = Output::new(Color::Auto);
    let ended = log::start(args.log_format, &args.log).and_then(|()| match args.command {
        None => serve(&args.serve, &args.common, &output),
        Some(Command::Import { paths }) => import(&args.common, &paths, &output),
        Some(Command::Backup { to }) => {
            store::backup(&args.common.database, &to)?;
            Ok(output.print(&format!("wrote {}\n", to.display())).err().unwrap_or(Exit::Clean))
        }
    });
    let exit = ended.unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    exit.into()
}

fn open(common: &Common) -> Result<Store> {
    Store::open(&common.database, Some(common.max_database << 20)).map_err(|error| {
        let error = format!("cannot use {}: {error}", common.database.display());
        Box::new(Diagnostic::new(error).of_device())
    })
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    Ok(built.map_err(|error| {
        Diagnostic::new(format!("cannot start the runtime: {error}")).of_device()
    })?)
}

fn serve(serve: &Serve, common: &Common, output: &Output) -> Result<Exit> {
    let options = serve.options()?;
    if !serve.listen.ip().is_loopback() {
        let who = match (&options.token, options.requires_token) {
            (Some(_), true) => "everyone with the token",
            _ => "everyone who reaches this machine",
        };
        let warning =
            format!("{} is not a loopback address: {who} can submit results", serve.listen);
        let help = "use a proxy that speaks HTTPS, and see --token-file, --closed and --rate";
        output.warning(&Diagnostic::new(warning).help(help));
    }
    let store = open(common)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let failed = |error: std::io::Error| {
            Diagnostic::new(format!("cannot listen on {}: {error}", serve.listen)).of_device()
        };
        let listener = TcpListener::bind(serve.listen).await.map_err(failed)?;
        let at = listener.local_addr().map_err(failed)?;
        if let Err(exit) = output.print(&format!("http://{at}/\n")) {
            return Ok(exit);
        }
        let stop = async {
            if let Err(error) = server::asked_to_stop().await {
                tracing::error!(%error, "cannot receive signals");
                std::future::pending::<()>().await;
            }
        };
        server::serve(listener, App::new(store, options), stop).await;
        Ok(Exit::Clean)
    });
    // All acknowledged writes are committed, so remaining work can be abandoned.
    runtime.shutdown_background();
    served
}

fn import(common: &Common, paths: &[std::path::PathBuf], output: &Output) -> Result<Exit> {
    let store = open(common)?;
    let imported = runtime()?.block_on(async {
        let imported = import::import(&store, paths).await;
        store.close().await;
        imported
    });
    let ImportCounts { new, known } = imported?;
    let said = format!("imported {new} files, {known} were already stored\n");
    Ok(output.print(&said).err().unwrap_or(Exit::Clean))
}
