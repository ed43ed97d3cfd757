#!/usr/bin/env bash
# The TextMate grammar, run by the packages that editors use.  They are about 2 MB from the npm
# registry, loaded once into the build folder.  Skipped without node or without the packages.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
command -v node > /dev/null || { echo "skipped: node is not installed"; exit 77; }
folder=$build/textmate
if [ ! -e "$folder/node_modules/vscode-textmate" ] || [ ! -e "$folder/node_modules/vscode-oniguruma" ]; then
  command -v npm > /dev/null || { echo "skipped: npm is not installed"; exit 77; }
  mkdir -p "$folder" && cp "$source/editors/textmate/package.json" "$folder/"
  (cd "$folder" && timeout 60 npm install --no-audit --no-fund --ignore-scripts > npm.log 2>&1) ||
    { rm -rf "$folder/node_modules"; echo "skipped: the npm registry does not give the packages"; exit 77; }
fi
node "$source/tests/editors/scopes.js" "$source" "$folder/node_modules"
