//! Clients of litmus services: `hirace litmus submit`, and `hirace litmus run --server`.

use super::campaign::{self, CampaignProgress, Format};
use super::run_folder::results_file;
use super::target::TargetArgs;
use crate::report::ReportArgs;
use clap::Args;
use hirace_core::bounded::{CONFIGURATION, REPORT};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::campaign::EarlyEnd;
use hirace_litmus::remote::{Client, NoMorePieces, WorkEnd, work};
use hirace_terminal::{Exit, Output, stop};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments for the connection to a service.
#[derive(Debug, Args)]
#[command(next_help_heading = "Service")]
pub struct ServiceArgs {
    /// Read the access token of the service from a file
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl ServiceArgs {
    fn client(&self, url: &str, stop: Arc<AtomicBool>) -> Result<Client> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let error = Diagnostic::new(format!("`{url}` is not the address of a service"));
            return Err(Box::new(error.help("give a URL such as http://127.0.0.1:7878")));
        }
        if url.starts_with("https://") && !cfg!(feature = "https") {
            let error = Diagnostic::new("this build of hirace does not support HTTPS");
            return Err(Box::new(error.help("build it with the feature `https`")));
        }
        let token = self.token_file.as_ref().map(|path| CONFIGURATION.text(path)).transpose()?;
        Ok(Client::new(url, token.map(|token| token.trim().to_owned()), stop))
    }
}

/// Send results to a service
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hirace litmus tune --report json=tuned.json
  hirace litmus submit http://127.0.0.1:7878 tuned.json")]
pub struct SubmitArgs {
    /// The address of the service
    #[arg(value_name = "URL")]
    url: String,
    /// Files written by `--report json=FILE`, published results, or folders of campaigns, of which the newest complete run is
    /// sent
    #[arg(value_name = "FILE or FOLDER", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    service: ServiceArgs,
}

/// Runs `hirace litmus submit`.
pub fn submit(args: &SubmitArgs, output: &Output) -> Result<Exit> {
    let stop = stop::on_signal();
    let client = args.service.client(&args.url, Arc::clone(&stop))?;
    let mut exit = Exit::Clean;
    for path in &args.files {
        if stop.load(Ordering::Relaxed) {
            return Ok(Exit::Failed);
        }
        let found = results_file(path, output).map(|file| file.unwrap_or_else(|| path.clone()));
        let shown = found.as_ref().unwrap_or(path).display();
        let text = found.as_ref().map_err(Clone::clone).and_then(|file| REPORT.text(file));
        match text.and_then(|text| client.submit(&text)) {
            Ok(submitted) => {
                let said = format!("{shown}: {}\n", client.address(&submitted.url));
                if let Err(exit) = output.print(&said) {
                    return Ok(exit);
                }
            }
            // The service may accept the other files.
            Err(error) => {
                output.note(&format!("{shown} was not sent"));
                output.error(&error);
                exit = Exit::of(&error);
            }
        }
    }
    Ok(exit)
}

/// Works on a campaign of a service until it is complete.
pub fn run(
    url: &str,
    name: Option<&str>,
    service: &ServiceArgs,
    target: &TargetArgs,
    args: &ReportArgs<Format>,
    output: &Output,
) -> Result<Exit> {
    let stop = stop::on_signal();
    let client = service.client(url, Arc::clone(&stop))?;
    let announced = client.campaign(name)?;
    let Some(campaign) = announced.campaign() else {
        let error = format!(
            "this version of hirace does not know all tests of campaign {}",
            announced.name
        );
        let help = "update hirace or the service: their versions differ";
        return Err(Box::new(Diagnostic::new(error).help(help)));
    };
    output.note(&format!("working on campaign {} of {url}", announced.name));
    let mut runner = target.open()?;
    let about = runner.described();
    let mut live = CampaignProgress::new(campaign.pieces.len(), args.quiet);
    let mut board = client.board(&announced.name);
    let (runs, ended) = work(&mut board, &campaign, runner.as_mut(), &mut live, &stop);
    drop(live);
    let early = match ended {
        WorkEnd::NothingToDo(why) => {
            output.note(match why {
                NoMorePieces::Done => "the campaign is complete",
                NoMorePieces::Budget => "the campaign's time for this device is used up",
                NoMorePieces::Closed => "the campaign has ended",
            });
            None
        }
        WorkEnd::Stopped => Some(EarlyEnd::Stopped),
        WorkEnd::Lost(times) => Some(EarlyEnd::DeviceLost(times)),
        WorkEnd::Failed(error) => {
            output.error(&error);
            Some(EarlyEnd::Stopped)
        }
    };
    if let Some(early @ EarlyEnd::DeviceLost(_)) = early {
        output.error(&Diagnostic::new(hirace_litmus::report::early_end_message(early)).of_device());
    }
    let own = runs.len();
    let is_part = own < campaign.pieces.len();
    let document = campaign.document(about.into(), runs, is_part);
    output.note(&format!(
        "{own} of {} runs were done here; all runs: {}",
        campaign.pieces.len(),
        client.address(&format!("/#/campaigns/{}", announced.name))
    ));
    if own == 0 && early.is_none() {
        return Ok(Exit::Clean);
    }
    Ok(campaign::reported(args, &document, early, output))
}
