#!/usr/bin/env bash
# Puts Debian's arm64 packages of what compiled pipelines link into a folder of its own, for the tests that run aarch64 code
# under qemu: tests/target/arm64.sh FOLDER.  Nothing of the machine's own apt or dpkg is touched.
set -eu
folder=$(realpath -m "$1")
packages="libsleef3"
[ -e "$folder/complete" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/apt/etc" "$folder/packages"
: > "$folder/apt/status"
# From the mirror that this machine takes its own packages from.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' "Created-By: Packages" "Codename: bookworm" "Component: main" | head -n 1)
echo "deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian bookworm} main" \
  > "$folder/apt/sources.list"
private="-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::Etc::SourceList=$folder/apt/sources.list
  -o Dir::Etc::SourceParts=$folder/apt/etc -o Dir::State::Lists=$folder/apt/lists -o Dir::State::status=$folder/apt/status
  -o Dir::Cache=$folder/apt/cache -o Dir::Etc::Parts=$folder/apt/etc -o Acquire::Languages=none -o APT::Sandbox::User=root
  -o Acquire::Retries=2 -o Acquire::http::Timeout=20"
(cd "$folder/packages" && apt-get $private update && apt-get $private download $packages) > "$folder/log" 2>&1 || {
  cat "$folder/log" >&2
  exit 3
}
for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
rm -rf "$folder/apt" "$folder/packages"
touch "$folder/complete"
