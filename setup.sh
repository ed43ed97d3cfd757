#!/usr/bin/env bash
# Installs what building and testing need, and the packages that are named, where they are missing (Debian 12).
set -eu
packages="gcc g++ cmake ninja-build pkg-config clang-format llvm-19-dev libffi-dev libisl-dev libgmp-dev libmpfr-dev libpng-dev libjpeg62-turbo-dev libtiff-dev libjansson-dev libsleef-dev check libsubunit-dev z3 gdb python3 python3-numpy python3-pip python3-dask python3-distributed python3-zarr python3-scipy scdoc libhalide14-0-dev
  neovim qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross $*"
missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
# The browser's part of tests/view.sh is skipped where these cannot be had.
add_browser() {
  local wanted="" folder
  folder=$(dirname "$0")/tests/view
  command -v chromium > /dev/null || wanted="chromium"
  command -v node > /dev/null || wanted="$wanted nodejs"
  command -v npm > /dev/null || wanted="$wanted npm"
  # shellcheck disable=SC2086 # several words
  [ -z "$wanted" ] || { [ "$(id -u)" -eq 0 ] && apt-get update &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $wanted; } > /dev/null 2>&1 || return 0
  [ -d "$folder/node_modules/playwright-core" ] || (cd "$folder" && npm ci --no-audit --no-fund) > /dev/null 2>&1 || return 0
}
[ -z "$missing" ] && { add_browser; exit 0; }
if [ "$(id -u)" -eq 0 ]; then
  install="apt-get"
elif sudo -n true 2>/dev/null; then
  install="sudo -n apt-get"
else
  echo "These Debian packages are missing, and there are no rights to install them here:" >&2
  echo "  $missing" >&2
  echo "Install them with:  sudo apt-get install$missing" >&2
  exit 3
fi
echo "installing:$missing"
log=$(mktemp)
{ $install update && DEBIAN_FRONTEND=noninteractive $install install -y --no-install-recommends $missing; } \
  > "$log" 2>&1 || { cat "$log" >&2; exit 3; }
rm -f "$log"
add_browser
