#!/bin/bash
# Installs what the tests need beside Rust and node: Debian packages (as root, where apt is there) with a compiler for
# WebAssembly among them, slangc, DXC and nvrtc from PyPI, an environment of Python with numpy, and VS Code for browsers
# from npm packages. What is there already is left alone.
# usage: install.sh DIR
set -euo pipefail

dir=$(mkdir -p "${1:?usage: install.sh DIR}" && cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

# Program that tells whether the package is there, and the package.
packages=()
need() {
    if ! command -v "$1" >/dev/null; then
        packages+=("$2")
    fi
}
need nvim neovim
need chromium chromium
need rg ripgrep
need spirv-val spirv-tools
need glslangValidator glslang-tools
need unzip unzip
need g++ g++
ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1 || packages+=(mesa-vulkan-drivers)
ldconfig -p | grep -q libvulkan.so.1 || packages+=(libvulkan1)
if [ ${#packages[@]} -gt 0 ]; then
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

# For the server as WebAssembly: a compiler with the sources of its standard library, and WASI's C library. A compiler of
# rustup that has both does as well; Debian's stands behind it on PATH. Other systems may not have these packages: what is
# not built is said by `cargo xtask`.
sysroot=$(rustc --print sysroot)
if [ ! -d "$sysroot/lib/rustlib/src/rust/library" ] || [ ! -d "$sysroot/lib/rustlib/wasm32-wasip1" ]; then
    packages=()
    need wasm-ld-19 lld-19
    [ -x /usr/bin/rustc ] || packages+=(rustc-web)
    [ -x /usr/bin/cargo ] || packages+=(cargo-web)
    [ -e /usr/lib/rustlib/src/rust/library ] || packages+=(rust-web-src)
    [ -e /usr/lib/wasm32-wasi/libc.a ] || packages+=(wasi-libc)
    if [ ${#packages[@]} -gt 0 ]; then
        sudo=
        [ "$(id -u)" = 0 ] || sudo=sudo
        $sudo apt-get update -qq
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" ||
            echo "WARNING: no compiler for WebAssembly: ${packages[*]} cannot be installed" >&2
    fi
fi

# The reference compiler, for the tests that compare with it.
if [ ! -x "$dir/slangc" ]; then
    (
        cd "$dir"
        python3 -m pip download --quiet --no-deps --dest . slangtorch==1.3.22
        unzip -qo slangtorch-*.whl 'slangtorch/bin/*'
        rm slangtorch-*.whl
        chmod +x slangtorch/bin/slangc
        ln -sfn slangtorch/bin/slangc slangc
    )
fi

# The compiler for HLSL: a source package holds its library and headers.
if [ ! -x "$dir/dxc/dxc" ]; then
    (
        mkdir -p "$dir/dxc"
        cd "$dir/dxc"
        python3 -m pip download --quiet --no-deps --no-binary :all: --dest . compushady==0.17.5
        tar -xzf compushady-*.tar.gz --strip-components 3 --wildcards '*/backends/*.h' '*/libdxcompiler_*.so.*'
        rm compushady-*.tar.gz
        mv "libdxcompiler_$(uname -m).so.3.7" libdxcompiler.so
        rm -f libdxcompiler_*
        g++ -std=c++17 -O1 -w -I. "$here/dxc.cpp" -ldl '-Wl,-rpath,$ORIGIN' -o dxc
    )
fi

# NVIDIA's run-time compiler, which checks CUDA without a device.
if [ ! -e "$dir/libnvrtc.so" ]; then
    (
        cd "$dir"
        python3 -m pip download --quiet --no-deps --dest . nvidia-cuda-nvrtc-cu12==12.9.86
        unzip -qo nvidia_cuda_nvrtc_cu12-*.whl 'nvidia/cuda_nvrtc/lib/*'
        rm nvidia_cuda_nvrtc_cu12-*.whl
        ln -sfn nvidia/cuda_nvrtc/lib/libnvrtc.so.12 libnvrtc.so
    )
fi

# Python with numpy and nothing else, for the tests of the Python package.
if [ ! -x "$dir/python/bin/python" ] || ! "$dir/python/bin/python" -c 'import numpy' 2>/dev/null; then
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        sudo=
        [ "$(id -u)" = 0 ] || sudo=sudo
        $sudo apt-get update -qq
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv
    fi
    python3 -m venv "$dir/python"
    "$dir/python/bin/python" -m pip install --quiet numpy==2.2.6
fi

"$here/../editors/install-code-server.sh" "$dir/code-server"
