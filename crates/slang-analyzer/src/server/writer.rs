//! The writer thread, which owns the world, and the readers, which answer from snapshots of it.
//!
//! A message is sent to the writer before anything is awaited, so the writer sees edits and requests in the client's
//! order. It applies edits itself and hands each read a snapshot, on a thread of the pool. An edit cancels the reads
//! that still run (salsa unwinds them); they are asked again on the new state.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Sender, channel},
};

use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use super::{
    index::Stage,
    world::{Snapshot, World},
};
use crate::{
    log::Asked,
    platform::{self, Readers, Worker},
};

/// How often a read is asked again after an edit cancelled it, before the client is told that its question is old.
const ATTEMPTS: u32 = 20;

enum Message {
    Write(Box<dyn FnOnce(&mut World) + Send>),
    Read(Stage, Read),
}

type Read = Box<dyn FnOnce(Snapshot) + Send>;

/// The sending side. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Writer {
    messages: Sender<Message>,
}

impl Writer {
    /// Starts the threads, which live as long as the process. `make_world` runs on the writer thread, so that the
    /// server is up before the core library is loaded.
    pub(crate) fn start(make_world: impl FnOnce(Writer) -> World + Send + 'static) -> std::io::Result<Writer> {
        let (messages, received) = channel();
        let writer = Writer { messages };
        let readers = Readers::start()?;
        let of_world = writer.clone();
        let make = move || Writing { world: make_world(of_world), readers, waiting: Vec::new() };
        platform::start_worker(make, received)?;
        Ok(writer)
    }

    /// Changes the world. Gives as soon as the message is on its way.
    pub(crate) fn write(&self, change: impl FnOnce(&mut World) + Send + 'static) {
        let asked = Asked::now();
        let change = move |world: &mut World| {
            asked.run(|| change(world));
            asked.finished();
        };
        // The writer lives as long as the process; if it is gone, so is the client.
        let _ = self.messages.send(Message::Write(Box::new(change)));
    }

    /// Asks what only the writer can tell.
    pub(crate) async fn ask<R: Send + 'static>(
        &self,
        question: impl FnOnce(&mut World) -> R + Send + 'static,
    ) -> Result<R> {
        let (reply, answer) = oneshot::channel();
        self.write(move |world| drop(reply.send(question(world))));
        answer.await.map_err(|_| Error::internal_error())
    }

    /// Asks about the world as it is once all earlier changes are made. The question is sent now, not when the future is
    /// first polled.
    pub(crate) fn read<R, Q>(&self, question: Q) -> impl Future<Output = Result<R>> + Send + use<R, Q>
    where
        R: Send + 'static,
        Q: Fn(&Snapshot) -> R + Send + 'static,
    {
        self.read_at(Stage::Searching, question)
    }

    /// The same, once so much of the workspace is known.
    pub(crate) fn read_at<R, Q>(&self, stage: Stage, question: Q) -> impl Future<Output = Result<R>> + Send + use<R, Q>
    where
        R: Send + 'static,
        Q: Fn(&Snapshot) -> R + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.post(stage, question, reply, Asked::now(), ATTEMPTS);
        async move { answer.await.unwrap_or_else(|_| Err(Error::internal_error())) }
    }

    fn post<R: Send + 'static>(
        &self,
        stage: Stage,
        question: impl Fn(&Snapshot) -> R + Send + 'static,
        reply: oneshot::Sender<Result<R>>,
        asked: Asked,
        attempts: u32,
    ) {
        let writer = self.clone();
        let read = move |snapshot: Snapshot| {
            if reply.is_closed() {
                // The client cancelled the request.
                return;
            }
            let outcome = asked.run(|| {
                catch_unwind(AssertUnwindSafe(|| salsa::Cancelled::catch(AssertUnwindSafe(|| question(&snapshot)))))
            });
            // Before the reply: whoever reads it may edit at once, and the writer waits for snapshots.
            drop(snapshot);
            let answer = match outcome {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(_cancelled)) if attempts > 0 => return writer.post(stage, question, reply, asked, attempts - 1),
                Ok(Err(_cancelled)) => Err(Error::content_modified()),
                Err(_panic) => Err(Error {
                    code: ErrorCode::InternalError,
                    message: "slang-analyzer failed on this request; it goes on with the next".into(),
                    data: None,
                }),
            };
            asked.finished();
            let _ = reply.send(answer);
        };
        let _ = self.messages.send(Message::Read(stage, Box::new(read)));
    }
}

/// What the writer thread does with messages.
struct Writing {
    world: World,
    readers: Readers,
    /// What asks about more than is known yet.
    waiting: Vec<(Stage, Read)>,
}

impl Writing {
    fn start(&self, read: Read) {
        let snapshot = self.world.snapshot();
        self.readers.send(Box::new(move || read(snapshot)));
    }

    fn schedule_diagnostics(&mut self) {
        if let Some(job) = self.world.diagnostics_job() {
            self.readers.send(job);
        }
    }
}

impl Worker for Writing {
    type Message = Message;

    fn take(&mut self, message: Message) {
        match message {
            // Diagnostics wait until no edit is waiting: they would be cancelled at once.
            Message::Write(change) => {
                if catch_unwind(AssertUnwindSafe(|| change(&mut self.world))).is_err() {
                    self.world.recover();
                }
                let stage = self.world.stage();
                let known: Vec<_> = self.waiting.extract_if(.., |(needed, _)| *needed <= stage).collect();
                known.into_iter().for_each(|(_, read)| self.start(read));
            }
            Message::Read(stage, read) => {
                self.schedule_diagnostics();
                if stage <= self.world.stage() {
                    self.start(read);
                } else {
                    self.waiting.push((stage, read));
                }
            }
        }
    }

    fn caught_up(&mut self) {
        self.schedule_diagnostics();
    }

    fn has_work_for_a_pause(&self) -> bool {
        self.world.expects_edit() || self.world.has_diagnostics_elsewhere() || self.world.may_drop_results()
    }

    /// What is not open is diagnosed, and then what can be made again is dropped.
    fn use_pause(&mut self) {
        if self.world.expects_edit() {
            self.world.prepare_for_edit();
        } else if self.world.has_diagnostics_elsewhere() {
            if let Some(job) = self.world.diagnostics_elsewhere_job() {
                self.readers.send(job);
            }
        } else if self.world.drop_results_if_idle() {
            platform::give_back();
            self.readers.give_back();
        }
    }
}
