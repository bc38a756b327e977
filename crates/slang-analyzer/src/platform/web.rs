//! A WebAssembly module: its host calls [`work`] when there is input, and again as that says.

use std::{
    cell::RefCell,
    io::{self, Read as _, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::mpsc::Receiver,
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_executor::{LocalPool, LocalSpawner};
use futures_task::LocalSpawn as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Job, PAUSE, Worker};

/// When there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// At once.
    Now,
    /// If nothing comes in for so long.
    AfterPause(Duration),
    /// When something comes in.
    WhenAsked,
}

type Step = Box<dyn FnMut(bool) -> Next>;

thread_local! {
    static TASKS: RefCell<LocalPool> = RefCell::default();
    static SPAWNER: LocalSpawner = TASKS.with_borrow(LocalPool::spawner);
    static WORKER: RefCell<Option<Step>> = RefCell::default();
    /// The task that waits for input.
    static READER: RefCell<Option<Waker>> = RefCell::default();
}

/// Reads what came in, lets each task go on as far as it can, and the worker take one message, so that whatever else came
/// in meanwhile (that a question is not asked any more) is seen before the next. `paused` says that nothing came in for the
/// time that was asked for.
pub(crate) fn work(paused: bool) -> Next {
    READER.take().iter().for_each(Waker::wake_by_ref);
    TASKS.with_borrow_mut(LocalPool::run_until_stalled);
    let next = WORKER.with_borrow_mut(|worker| worker.as_mut().map_or(Next::WhenAsked, |step| step(paused)));
    TASKS.with_borrow_mut(LocalPool::run_until_stalled);
    next
}

/// Runs a task beside the one that is running.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    // It fails when the pool is gone, which lives as long as the module.
    let _ = SPAWNER.with(|spawner| spawner.spawn_local_obj(Box::pin(task).into()));
}

/// Does work at once.
pub(crate) fn beside(_name: &str, work: impl FnOnce()) -> io::Result<()> {
    work();
    Ok(())
}

/// Starts what takes `messages`, each in a call of [`work`].
pub(crate) fn start_worker<W: Worker>(
    make: impl FnOnce() -> W + Send + 'static,
    messages: Receiver<W::Message>,
) -> io::Result<()> {
    let mut make = Some(make);
    let mut worker: Option<W> = None;
    let step = move |paused: bool| {
        if let Some(make) = make.take() {
            worker = Some(make());
        }
        worker.as_mut().map_or(Next::WhenAsked, |worker| step(worker, &messages, paused))
    };
    WORKER.set(Some(Box::new(step)));
    Ok(())
}

fn step<W: Worker>(worker: &mut W, messages: &Receiver<W::Message>, paused: bool) -> Next {
    if let Ok(message) = messages.try_recv() {
        worker.take(message);
        return Next::Now;
    }
    worker.caught_up();
    if paused && worker.has_work_for_a_pause() {
        worker.use_pause();
        return Next::Now;
    }
    if worker.has_work_for_a_pause() { Next::AfterPause(PAUSE) } else { Next::WhenAsked }
}

/// Who answers questions: whoever asks, at once.
pub(crate) struct Readers;

impl Readers {
    pub(crate) fn start() -> io::Result<Readers> {
        Ok(Readers)
    }

    pub(crate) fn send(&self, job: Job) {
        let _ = catch_unwind(AssertUnwindSafe(job));
    }

    pub(crate) fn give_back(&self) {}
}

/// The memory of a module only grows.
pub(crate) fn give_back() {}

/// The host ends with the module.
pub(crate) fn end_process(_pause: Duration, status: impl FnOnce() -> i32 + Send + 'static) {
    std::process::exit(status());
}

/// There are no processes.
pub(crate) fn end_with(_process: u32) {}

/// Standard input. When it has nothing there may be more at the next call of [`work`]: it has no end.
pub(crate) struct HostInput;

impl AsyncRead for HostInput {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let count = io::stdin().read(into.initialize_unfilled())?;
        if count == 0 {
            READER.set(Some(context.waker().clone()));
            return Poll::Pending;
        }
        into.advance(count);
        Poll::Ready(Ok(()))
    }
}

/// Standard output, which takes all at once.
pub(crate) struct HostOutput;

impl AsyncWrite for HostOutput {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(io::stdout().write(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(io::stdout().flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}
