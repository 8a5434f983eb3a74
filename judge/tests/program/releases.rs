//! A release for its users: the installer, and the action of the repository.

use crate::support::{Ended, Has, Run, SYSTEM_PATH, Scene, program, root};
use crate::templates::{SMALL, break_bot, first_bot, knows_yaml, yaml};
use sha2::{Digest, Sha256};
use std::fs;
use std::process::Command;

/// Makes a release in the scene's folder `release`.
fn release(scene: &Scene) -> String {
    let machine = Command::new("uname").arg("-m").ended().well().stdout;
    let machine = machine.trim_end();
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("judge-{version}-{machine}-unknown-linux-musl");
    let content = fs::read(program()).expect("the program");
    let sum = model::draw::hexadecimal(&Sha256::digest(&content));
    scene.write(&format!("release/{name}"), content);
    let zeros = "0".repeat(64);
    let other = format!("{zeros}  judge-{version}-other-unknown-linux-musl\n");
    scene.write("release/SHA256SUMS", format!("{other}{sum}  {name}\n"));
    scene.folder().join("release").display().to_string()
}

#[test]
fn release_installs_from_folder_or_url_with_checksum() {
    let scene = Scene::new();
    let folder = release(&scene);
    let install = |release: &str, to: &str| {
        let mut sh = Command::new("sh");
        sh.arg(root().join("docs/packaging/install.sh"));
        sh.arg(release).arg(scene.folder().join(to)).ended()
    };
    let url = format!("file://{folder}/");
    for (release, to) in [(&folder, "one"), (&url, "two")] {
        let ended = install(release, to).well();
        ended.says(&[env!("CARGO_PKG_VERSION")]);
        assert!(scene.folder().join(to).join("judge").is_file());
    }
    let text = scene.text("release/SHA256SUMS");
    let (other, own) = text.split_once('\n').expect("two lines");
    let forged = format!("{other}\n{}{}", "0".repeat(64), &own[64..]);
    scene.write("release/SHA256SUMS", forged);
    let ended = install(&folder, "three").exits(1);
    ended.warns(&["has another checksum"]);
    scene.write("release/SHA256SUMS", format!("{other}\n"));
    install(&folder, "three").warns(&["no program for this machine"]);
    assert!(!scene.folder().join("three").exists());
}

#[test]
fn action_checks_bot_with_released_program() {
    if !knows_yaml() {
        return;
    }
    let scene = Scene::new();
    let folder = scene.folder().join("student");
    first_bot(&scene, "student/bot");
    let action = yaml(&root().join("action.yml"));
    let release = release(&scene);
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
        let ended = steps.map(|step| {
            let mut bash = Command::new("bash");
            bash.args(["-e", "-c", step["run"].as_str().expect("a script")]);
            for (name, text) in step["env"].as_object().expect("an environment") {
                bash.env(name, value(text.as_str().expect("text")));
            }
            bash.env("GITHUB_ACTION_PATH", root()).current_dir(&folder);
            bash.env("GITHUB_RUN_NUMBER", "7").env("PATH", SYSTEM_PATH);
            bash.env("RUNNER_TEMP", scene.folder()).ended()
        });
        let ended: Vec<Ended> = ended.collect();
        ended.into_iter().next_back().expect("a last step")
    };
    steps().well().says(&["bot is ready"]);
    break_bot(&folder.join("bot"));
    steps().exits(4).stdout.has(&["\n::error "]);
}
