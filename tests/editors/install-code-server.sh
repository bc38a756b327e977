#!/bin/bash
# Installs VS Code for browsers (code-server) from npm packages alone, for the end-to-end test of the extension.
# usage: install-code-server.sh DIR
# Packages' own install scripts are not run, since some of them download prebuilt binaries: native modules are built
# here instead. Needs node 20 with its headers, g++, make, python3 and ripgrep.
set -euo pipefail

dir=${1:?usage: install-code-server.sh DIR}
version=4.99.4
entry=node_modules/code-server/out/node/entry.js
mkdir -p "$dir"
cd "$dir"
if [ -f "installed-$version" ]; then
    exit 0
fi
[ -f package.json ] || npm init -y >/dev/null
npm install --loglevel error --no-audit --no-fund --ignore-scripts "code-server@$version" playwright-core@1.56.1

vscode=$PWD/node_modules/code-server/lib/vscode
(cd "$vscode" && npm install --loglevel error --no-audit --no-fund --omit=dev --ignore-scripts)
(cd "$vscode/extensions" && npm install --loglevel error --no-audit --no-fund --omit=dev --ignore-scripts)

node_gyp="$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js"
node_root=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
for package in @vscode/spdlog native-watchdog node-pty; do
    log=$PWD/build-$(basename "$package").log
    (cd "$vscode/node_modules/$package" && node "$node_gyp" rebuild --nodedir="$node_root" >"$log" 2>&1) || {
        tail -n 40 "$log" >&2
        exit 1
    }
done
npm rebuild --loglevel error argon2 --build-from-source --nodedir="$node_root" >/dev/null

# The layout that code-server expects of a packaged build.
ln -sfn node_modules "$vscode/node_modules.asar"
mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
ln -sfn "$(command -v rg)" "$vscode/node_modules/@vscode/ripgrep/bin/rg"

node "$entry" --config "$PWD/config.yaml" --version >/dev/null
touch "installed-$version"
