//! The recipes of `examples/litmus-service` work, if the machine has the programs that run them.

use crate::running::{Running, folder};
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, need: Need, test: fn() -> Result<(), Failed>| {
        Trial::test(format!("examples::{name}"), test).needs(need)
    };
    vec![
        Trial::test("examples::recipes_give_arguments_that_there_are", arguments),
        trial("systemd_takes_the_unit", needs("systemd-analyze", &["--version"]), unit),
        trial("the_containers_are_described", needs("docker", &["compose", "version"]), compose),
        trial("the_container_runs", needs("docker", &["info"]), container),
    ]
}

fn needs(program: &'static str, arguments: &'static [&'static str]) -> Need {
    Need::new(None, move || {
        let runs = Command::new(program).args(arguments).output();
        let is_there = runs.is_ok_and(|ended| ended.status.success());
        (!is_there).then(|| format!("`{program} {}` fails", arguments.join(" ")))
    })
}

fn recipe(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/litmus-service").join(name)
}

fn succeeds(command: &mut Command) -> Result<String, Failed> {
    let ended = command.output()?;
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    if !ended.status.success() {
        return Err(format!("{command:?}: {said}").into());
    }
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned() + &said)
}

/// The program accepts the arguments of the recipes, with the paths replaced by those of this machine.
fn arguments() -> Result<(), Failed> {
    let folder = folder();
    let token = folder.path().join("token");
    std::fs::write(&token, crate::running::TOKEN)?;
    let unit = std::fs::read_to_string(recipe("hirace-litmus.service"))?;
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let mut words: Vec<String> = start.split(' ').skip(1).map(str::to_owned).collect();
    let compose = std::fs::read_to_string(recipe("compose.yaml"))?;
    let given =
        compose.lines().find_map(|line| line.trim().strip_prefix("command: [\"--")).unwrap();
    let given = format!("--{}", given.trim_end_matches(['"', ']']));
    let compose: Vec<String> = given.split("\", \"").map(str::to_owned).collect();
    for recipe in [&mut words, &mut compose.clone()] {
        for at in 1..recipe.len() {
            match &recipe[at - 1][..] {
                "--database" => recipe[at] = folder.path().join("other.db").display().to_string(),
                "--token-file" => recipe[at] = token.display().to_string(),
                _ => {}
            }
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_hirace-litmus-service"));
        command.current_dir(folder.path()).args(["--listen", "127.0.0.1:0"]).args(&*recipe);
        let service = Running::of(&mut command);
        assert_eq!(service.get("/api/health").status, 200);
        assert_eq!(service.post_as_host("/api/campaigns", "{}").problem().0, 422);
    }
    Ok(())
}

fn unit() -> Result<(), Failed> {
    let folder = folder();
    let text = std::fs::read_to_string(recipe("hirace-litmus.service"))?;
    // The unit is only valid if the program exists.
    let program = env!("CARGO_BIN_EXE_hirace-litmus-service");
    let text = text.replace("/usr/local/bin/hirace-litmus-service", program);
    let path = folder.path().join("hirace-litmus.service");
    std::fs::write(&path, text)?;
    let said = succeeds(Command::new("systemd-analyze").arg("verify").arg(&path))?;
    let complaints: Vec<&str> =
        said.lines().filter(|line| line.contains("hirace-litmus.service")).collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
    Ok(())
}

fn compose() -> Result<(), Failed> {
    succeeds(
        Command::new("docker").arg("compose").arg("-f").arg(recipe("compose.yaml")).arg("config"),
    )?;
    Ok(())
}

fn container() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let name = "hirace-litmus-service-test";
    let docker = || Command::new("docker");
    succeeds(docker().args(["build", "-t", name, "-f"]).arg(recipe("Dockerfile")).arg(root))?;
    let run = ["run", "--rm", "--detach", "--publish", "127.0.0.1::7878", name];
    let id = succeeds(docker().args(run))?.trim().to_owned();
    let answered = succeeds(docker().args(["port", &id, "7878"])).and_then(|place| {
        let url = format!("http://{}/api/health", place.trim());
        // The service takes a moment to start.
        let answers = (0..50).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            ureq::get(&url).call().ok()?.body_mut().read_to_string().ok()
        });
        answers.ok_or_else(|| "the service does not respond".into())
    });
    succeeds(docker().args(["stop", &id]))?;
    assert!(answered?.contains("\"ok\""));
    Ok(())
}
