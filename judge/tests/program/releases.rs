//! A release for its users: the installer, and the action of the repository.

use crate::support::{Ended, Run, Scene, program, root};
use crate::templates::{SMALL, break_bot, first_bot, knows_yaml, yaml};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn release(scene: &Scene) -> PathBuf {
    let folder = scene.folder().join("release");
    fs::create_dir(&folder).expect("a new folder");
    let machine = Command::new("uname").arg("-m").output();
    let machine = String::from_utf8(machine.expect("it starts").stdout).expect("text");
    let machine = machine.trim_end();
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("judge-{version}-{machine}-unknown-linux-musl");
    fs::copy(program(), folder.join(&name)).expect("a copy");
    let other = format!(
        "{}  judge-{version}-other-unknown-linux-musl\n",
        "0".repeat(64)
    );
    let content = fs::read(program()).expect("the program");
    let sum = model::draw::hexadecimal(&Sha256::digest(content));
    let sums = format!("{other}{sum}  {name}\n");
    fs::write(folder.join("SHA256SUMS"), sums).expect("writable");
    folder
}

#[test]
fn release_installs_from_folder_or_url_with_checksum() {
    let scene = Scene::new();
    let release = release(&scene);
    let install = |release: &str, to: &str| {
        let mut sh = Command::new("sh");
        sh.arg(root().join("docs/packaging/install.sh"));
        sh.arg(release).arg(scene.folder().join(to)).ended()
    };
    let folder = release.display().to_string();
    for (release, to) in [
        (folder.clone(), "one"),
        (format!("file://{folder}/"), "two"),
    ] {
        let ended = install(&release, to).well();
        ended.says(&[env!("CARGO_PKG_VERSION")]);
        assert!(scene.folder().join(to).join("judge").is_file());
    }
    let sums = release.join("SHA256SUMS");
    let text = fs::read_to_string(&sums).expect("readable");
    let (other, own) = text.split_once('\n').expect("two lines");
    let forged = format!("{other}\n{}{}", "0".repeat(64), &own[64..]);
    fs::write(&sums, forged).expect("writable");
    let ended = install(&folder, "three").exits(1);
    assert!(ended.stderr.contains("has another checksum"), "{ended:?}");
    fs::write(&sums, format!("{other}\n")).expect("writable");
    let ended = install(&folder, "three");
    ended.warns(&["no program for this machine"]);
    assert!(!scene.folder().join("three").exists());
}

#[test]
fn action_checks_bot_with_released_program() {
    if !knows_yaml() {
        return;
    }
    let scene = Scene::new();
    let folder = scene.folder().join("student");
    first_bot(&folder.join("bot"));
    let action = yaml(&root().join("action.yml"));
    let release = release(&scene).display().to_string();
    let value = |text: &str| match text.trim_start_matches("${{ ").trim_end_matches(" }}") {
        "inputs.release" => release.clone(),
        "inputs.flags" => SMALL.to_owned(),
        name => {
            let name = name.strip_prefix("inputs.").expect("an input");
            let default = action["inputs"][name]["default"].as_str();
            default.expect("a default").to_owned()
        }
    };
    let steps = || {
        let steps = action["runs"]["steps"].as_array().expect("steps").iter();
        let ended: Vec<Ended> = steps
            .map(|step| {
                let mut bash = Command::new("bash");
                bash.args(["-e", "-c", step["run"].as_str().expect("a script")]);
                for (name, text) in step["env"].as_object().expect("an environment") {
                    bash.env(name, value(text.as_str().expect("text")));
                }
                bash.current_dir(&folder)
                    .env("GITHUB_ACTION_PATH", root())
                    .env("GITHUB_RUN_NUMBER", "7")
                    .env("RUNNER_TEMP", scene.folder());
                bash.ended()
            })
            .collect();
        ended.into_iter().next_back().expect("a last step")
    };
    let ended = steps().well();
    assert!(ended.stdout.contains("bot is ready"), "{ended:?}");
    break_bot(&folder.join("bot"));
    let ended = steps().exits(4);
    assert!(ended.stdout.contains("\n::error "), "{ended:?}");
}
