#!/bin/bash
# Installs what the tests need beside Rust and node: Debian packages (as root, where apt is there) with a compiler for
# WebAssembly among them, slangc, DXC and nvrtc from PyPI, an environment of Python with numpy, and VS Code for browsers
# from npm packages. What is there already is left alone.
# usage: install.sh DIR [STEP]
set -euo pipefail

dir=$(mkdir -p "${1:?usage: install.sh DIR [STEP]}" && cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

# Debian packages that are missing.
packages=()

# Program that tells whether the package is there, and the package.
need() {
    if ! command -v "$1" >/dev/null; then
        packages+=("$2")
    fi
}

# Installs the packages that were found missing.
apt_install() {
    local sudo=
    if [ ${#packages[@]} -eq 0 ]; then
        return
    fi
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
}

step_programs() {
    need nvim neovim
    need chromium chromium
    need rg ripgrep
    need spirv-val spirv-tools
    need glslangValidator glslang-tools
    need unzip unzip
    need g++ g++
    ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1 || packages+=(mesa-vulkan-drivers)
    ldconfig -p | grep -q libvulkan.so.1 || packages+=(libvulkan1)
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
    apt_install
}

# For the server as WebAssembly: a compiler with the sources of its standard library, and WASI's C library. A compiler of
# rustup that has both does as well; Debian's stands behind it on PATH. Other systems may not have these packages: what is
# not built is said by `cargo xtask`.
step_webassembly() {
    local sysroot
    sysroot=$(rustc --print sysroot)
    if [ -d "$sysroot/lib/rustlib/src/rust/library" ] && [ -d "$sysroot/lib/rustlib/wasm32-wasip1" ]; then
        return
    fi
    need wasm-ld-19 lld-19
    [ -x /usr/bin/rustc ] || packages+=(rustc-web)
    [ -x /usr/bin/cargo ] || packages+=(cargo-web)
    [ -e /usr/lib/rustlib/src/rust/library ] || packages+=(rust-web-src)
    [ -e /usr/lib/wasm32-wasi/libc.a ] || packages+=(wasi-libc)
    apt_install
}

# The reference compiler, for the tests that compare with it.
step_slangc() {
    if [ -x "$dir/slangc" ]; then
        return
    fi
    cd "$dir"
    python3 -m pip download --quiet --no-deps --dest . slangtorch==1.3.22
    unzip -qo slangtorch-*.whl 'slangtorch/bin/*'
    rm slangtorch-*.whl
    chmod +x slangtorch/bin/slangc
    ln -sfn slangtorch/bin/slangc slangc
}

# The compiler for HLSL: a source package holds its library and headers.
step_dxc() {
    if [ -x "$dir/dxc/dxc" ]; then
        return
    fi
    mkdir -p "$dir/dxc"
    cd "$dir/dxc"
    python3 -m pip download --quiet --no-deps --no-binary :all: --dest . compushady==0.17.5
    tar -xzf compushady-*.tar.gz --strip-components 3 --wildcards '*/backends/*.h' '*/libdxcompiler_*.so.*'
    rm compushady-*.tar.gz
    mv "libdxcompiler_$(uname -m).so.3.7" libdxcompiler.so
    rm -f libdxcompiler_*
    g++ -std=c++17 -O1 -w -I. "$here/dxc.cpp" -ldl '-Wl,-rpath,$ORIGIN' -o dxc
}

# NVIDIA's run-time compiler, which checks CUDA without a device.
step_nvrtc() {
    if [ -e "$dir/libnvrtc.so" ]; then
        return
    fi
    cd "$dir"
    python3 -m pip download --quiet --no-deps --dest . nvidia-cuda-nvrtc-cu12==12.9.86
    unzip -qo nvidia_cuda_nvrtc_cu12-*.whl 'nvidia/cuda_nvrtc/lib/*'
    rm nvidia_cuda_nvrtc_cu12-*.whl
    ln -sfn nvidia/cuda_nvrtc/lib/libnvrtc.so.12 libnvrtc.so
}

# Python with numpy and nothing else, for the tests of the Python package.
step_python() {
    if [ -x "$dir/python/bin/python" ] && "$dir/python/bin/python" -c 'import numpy' 2>/dev/null; then
        return
    fi
    python3 -m venv "$dir/python"
    "$dir/python/bin/python" -m pip install --quiet numpy==2.2.6
}

step_code_server() {
    "$here/../editors/install-code-server.sh" "$dir/code-server"
}

# Servers of packages fail now and then: each step is a process of its own, which is tried three times, a while apart.
attempt() {
    local pause
    for pause in 10 60 last; do
        if "$here/install.sh" "$dir" "$1"; then
            return
        fi
        if [ "$pause" != last ]; then
            echo "WARNING: installing $1 failed and is tried again in $pause seconds" >&2
            sleep "$pause"
        fi
    done
    echo "ERROR: $1 cannot be installed" >&2
    return 1
}

if [ $# -gt 1 ]; then
    "step_$2"
    exit
fi
attempt programs
attempt webassembly || echo "WARNING: no compiler for WebAssembly" >&2
for step in slangc dxc nvrtc python code_server; do
    attempt "$step"
done
