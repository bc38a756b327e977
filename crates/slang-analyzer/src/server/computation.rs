//! Work that takes its time and needs no database: it runs beside edits and questions, one at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::{Semaphore, oneshot};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::platform;

static TURN: Semaphore = Semaphore::const_new(1);

/// Runs `work` on a thread of its own when its turn comes; a request that is cancelled before does not run.
pub(crate) async fn compute<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Result<R> {
    let turn = TURN.acquire().await.map_err(|_| Error::internal_error())?;
    let (reply, answer) = oneshot::channel();
    let run = move || {
        // The next in line waits for the work, not for who asked for it.
        let _turn = turn;
        let _ = reply.send(catch_unwind(AssertUnwindSafe(work)).map_err(|_panic| Error {
            code: ErrorCode::InternalError,
            message: "slang-analyzer failed on this request; it goes on with the next".into(),
            data: None,
        }));
    };
    let started = platform::beside("computation", run);
    started.map_err(|_| Error::internal_error())?;
    answer.await.unwrap_or_else(|_| Err(Error::internal_error()))
}
