#!/bin/sh
# Installs the program judge of a release in a folder of yours:
#   sh install.sh RELEASE [FOLDER]
# RELEASE is the folder or the address that has the release's files and SHA256SUMS; FOLDER is
# ~/.local/bin unless given. A file with another checksum is not installed.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
fi
release=${1%/}
folder=${2:-$HOME/.local/bin}
machine=$(uname -m)
if [ "$(uname -s)" != Linux ]; then
  echo "judge needs Linux; docs/installing.md says how it runs in one on Windows and macOS" >&2
  exit 1
fi

get() { # name, place
  if [ -d "$release" ]; then
    cp "$release/$1" "$2"
  elif command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$2" "$release/$1"
  else
    wget -q -O "$2" "$release/$1"
  fi
}

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
get SHA256SUMS "$new/SHA256SUMS"
# One line: a checksum, two blanks and the name.
grep "  judge-[0-9][^ ]*-$machine-unknown-linux-musl\$" "$new/SHA256SUMS" >"$new/sum" || true
name=$(sed 's/^[^ ]*  //' "$new/sum")
case $(grep -c . "$new/sum") in
1) ;;
0) echo "$release has no program for this machine ($machine)" >&2 && exit 1 ;;
*) echo "$release/SHA256SUMS names several programs for this machine ($machine)" >&2 && exit 1 ;;
esac
if [ -d "$folder/judge" ]; then
  echo "$folder/judge is a folder; name another folder for the program" >&2
  exit 1
fi
get "$name" "$new/$name"
if ! (cd "$new" && sha256sum -c sum >/dev/null 2>&1); then
  echo "$release/$name has another checksum than SHA256SUMS says; nothing is installed" >&2
  exit 1
fi
mkdir -p "$folder"
# Renamed into its place, as the old one may be running.
cp "$new/$name" "$folder/.judge.new"
chmod 755 "$folder/.judge.new"
mv "$folder/.judge.new" "$folder/judge"
"$folder/judge" --version
if grep -qs 1 /proc/sys/kernel/apparmor_restrict_unprivileged_userns; then
  "$folder/judge" doctor | sed -n '/^to seal/p'
fi
case ":$PATH:" in
*":$folder:"*) ;;
*) echo "$folder/judge is installed; add $folder to PATH" ;;
esac
