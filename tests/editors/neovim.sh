#!/bin/bash
# The Neovim test. usage: neovim.sh SERVER
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
export ROOT=$root SLANG_ANALYZER=${1:?usage: neovim.sh SERVER}
exec timeout 120 nvim --headless --clean -u NONE -i NONE -n -c "luafile $root/tests/editors/neovim.lua"
