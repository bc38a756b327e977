//! The threads that answer questions from snapshots.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use diagnostics::stack;

use super::{Job, allocator};

const READERS: usize = 4;

/// The pool; its threads end with it.
pub(crate) struct Readers {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// How often memory was to be given back: each thread has its own heap, and nobody else can tidy it.
    tidied: u64,
    ended: bool,
}

impl Shared {
    /// Nothing that can panic runs with the lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    pub(crate) fn start() -> std::io::Result<Readers> {
        let readers = Readers { shared: Arc::default() };
        for number in 0..READERS {
            let shared = Arc::clone(&readers.shared);
            let name = format!("reader {number}");
            thread::Builder::new().name(name).stack_size(stack::SIZE).spawn(move || work(&shared))?;
        }
        Ok(readers)
    }

    pub(crate) fn send(&self, job: Job) {
        self.shared.state().jobs.push_back(job);
        self.shared.news.notify_one();
    }

    /// Each thread gives its free memory back to the system once it has no other work.
    pub(crate) fn give_back(&self) {
        self.shared.state().tidied += 1;
        self.shared.news.notify_all();
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.shared.state().ended = true;
        self.shared.news.notify_all();
    }
}

enum Work {
    Job(Job),
    GiveBack,
}

fn work(shared: &Shared) {
    let mut tidied = 0;
    while let Some(work) = next(shared, &mut tidied) {
        match work {
            // A panic of a question is caught inside the job; this catches one of the job itself, so that the pool never
            // shrinks.
            Work::Job(job) => drop(catch_unwind(AssertUnwindSafe(job))),
            Work::GiveBack => allocator::give_back(),
        }
    }
}

/// Waits for what is to be done next; `None` at the end.
fn next(shared: &Shared, tidied: &mut u64) -> Option<Work> {
    let mut state = shared.state();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            return Some(Work::Job(job));
        }
        if state.ended {
            return None;
        }
        if *tidied != state.tidied {
            *tidied = state.tidied;
            return Some(Work::GiveBack);
        }
        state = shared.news.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc::channel, time::Duration};

    use super::{READERS, Readers};

    #[test]
    fn every_job_runs_once_among_panics_and_tidying() {
        let readers = Readers::start().expect("threads start");
        let (sender, done) = channel();
        for number in 0..100 {
            if number % 10 == 0 {
                readers.give_back();
                (0..READERS)
                    .for_each(|_| readers.send(Box::new(|| std::panic::resume_unwind(Box::new("the job fails")))));
            }
            let sender = sender.clone();
            readers.send(Box::new(move || sender.send(number).expect("the test waits")));
        }
        let mut numbers: Vec<i32> =
            (0..100).map(|_| done.recv_timeout(Duration::from_secs(60)).expect("all jobs run")).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
        // The threads end with the pool, and with them what waits.
        drop(readers);
        drop(sender);
        assert!(done.recv_timeout(Duration::from_secs(60)).is_err());
    }
}
