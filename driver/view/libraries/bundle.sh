#!/usr/bin/env bash
# Makes libraries.js and LICENCES from the packages of package-lock.json. Needs npm and its registry; the
# build needs neither, it takes the two files as they are.
set -eu
cd "$(dirname "$0")"
npm ci --no-audit --no-fund
node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=Libraries --target=es2020 \
  --charset=ascii --legal-comments=none --outfile=libraries.js
for package in @dagrejs/dagre @dagrejs/graphlib diff prismjs; do
  [ -d "node_modules/$package" ] || continue
  echo "==== $package $(node -p "require('./node_modules/$package/package.json').version")"
  cat "node_modules/$package"/LICENSE*
  echo
done > LICENCES
rm -rf node_modules
