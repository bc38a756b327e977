//! A process: a runtime for tasks, threads for what runs beside them.

use std::{
    io,
    sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    thread,
    time::Duration,
};

use diagnostics::stack;

use super::{PAUSE, Worker};

/// How often it is looked whether the process that started the server is there.
const WATCH: Duration = Duration::from_millis(250);

/// Runs a task to its end. Those that it spawned have nobody to work for any more then.
pub(crate) fn block_on<R>(task: impl Future<Output = R>) -> io::Result<R> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let result = runtime.block_on(task);
    runtime.shutdown_background();
    Ok(result)
}

/// Runs a task beside the one that is running.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(task);
}

/// Does work beside all other work.
pub(crate) fn beside(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(stack::SIZE).spawn(work).map(drop)
}

/// Starts what takes `messages`; it is made on its own thread.
pub(crate) fn start_worker<W: Worker>(
    make: impl FnOnce() -> W + Send + 'static,
    messages: Receiver<W::Message>,
) -> io::Result<()> {
    beside("writer", move || run(make(), &messages))
}

fn run<W: Worker>(mut worker: W, messages: &Receiver<W::Message>) {
    loop {
        let next = match messages.try_recv() {
            Ok(message) => Ok(message),
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                worker.caught_up();
                if worker.has_work_for_a_pause() {
                    messages.recv_timeout(PAUSE)
                } else {
                    messages.recv().map_err(|_| RecvTimeoutError::Disconnected)
                }
            }
        };
        match next {
            Ok(message) => worker.take(message),
            Err(RecvTimeoutError::Timeout) => worker.use_pause(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Ends the process after a pause, whatever runs.
pub(crate) fn end_process(pause: Duration, status: impl FnOnce() -> i32 + Send + 'static) {
    let end = move || {
        thread::sleep(pause);
        std::process::exit(status());
    };
    if thread::Builder::new().name("end".to_owned()).spawn(end).is_err() {
        std::process::exit(1);
    }
}

/// Ends the process when the one with this number ends, which started it and may leave its pipes open. Where that is no
/// parent of ours, only Linux says whether it is there; elsewhere the end of the input has to do.
pub(crate) fn end_with(process: u32) {
    let Some(is_there) = presence(process) else { return };
    let watch = move || {
        while is_there() {
            thread::sleep(WATCH);
        }
        std::process::exit(1);
    };
    if let Err(error) = thread::Builder::new().name("watch of the client".to_owned()).spawn(watch) {
        tracing::warn!("cannot watch the process that started the server: {error}");
    }
}

/// Asks whether a process is there, where that can be known and it is there now.
fn presence(process: u32) -> Option<Box<dyn Fn() -> bool + Send>> {
    #[cfg(unix)]
    if std::os::unix::process::parent_id() == process {
        // Who outlives its parent gets another.
        return Some(Box::new(move || std::os::unix::process::parent_id() == process));
    }
    let folder = std::path::PathBuf::from(format!("/proc/{process}"));
    (cfg!(target_os = "linux") && folder.exists())
        .then(|| Box::new(move || folder.exists()) as Box<dyn Fn() -> bool + Send>)
}
