//! The server as a WebAssembly module. Its host gives it messages on WASI's standard input and takes those that it writes
//! on standard output, framed as everywhere; files are those of WASI.

use std::cell::Cell;

use crate::{
    log,
    platform::{self, HostInput, HostOutput, Next},
    server,
};

thread_local! {
    static IS_STARTED: Cell<bool> = const { Cell::new(false) };
}

/// Reads what is on standard input and works a little. Returns when to call it again: after so many milliseconds without
/// input, with `paused` 1; for a negative number only when there is input.
#[expect(unsafe_code, reason = "the host finds it by its name, which nothing else has")]
#[unsafe(no_mangle)]
pub extern "C" fn slang_analyzer_work(paused: i32) -> i32 {
    if !IS_STARTED.replace(true) {
        log::start();
        platform::spawn(async {
            server::serve(HostInput, HostOutput).await;
        });
    }
    match platform::work(paused != 0) {
        Next::Now => 0,
        Next::AfterPause(pause) => i32::try_from(pause.as_millis()).unwrap_or(i32::MAX),
        Next::WhenAsked => -1,
    }
}
