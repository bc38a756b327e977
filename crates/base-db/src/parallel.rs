//! The same question about many things, asked on all cores.

use std::{
    panic::resume_unwind,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use diagnostics::stack;

use crate::Db;

/// Things that one thread answers for in less time than another takes to start.
const FEW: usize = 4;

/// The answers in the order of the things. An edit cancels it like any question. Not for queries: threads ask snapshots of
/// their own.
pub fn map<T: Sync, R: Send>(db: &dyn Db, things: &[T], ask: impl Fn(&dyn Db, &T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(things.len().div_ceil(FEW));
    if threads <= 1 {
        return things.iter().map(|thing| ask(db, thing)).collect();
    }
    let next = AtomicUsize::new(0);
    let mut answers: Vec<(usize, R)> = thread::scope(|scope| {
        let started: Vec<_> = (0..threads)
            .filter_map(|_| {
                let db = db.fork();
                let (next, ask) = (&next, &ask);
                let answer = move || {
                    let mut answers = Vec::new();
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(thing) = things.get(index) else { return answers };
                        answers.push((index, ask(&db, thing)));
                    }
                };
                thread::Builder::new().stack_size(stack::SIZE).spawn_scoped(scope, answer).ok()
            })
            .collect();
        let mut answers = Vec::with_capacity(things.len());
        for thread in started {
            match thread.join() {
                Ok(found) => answers.extend(found),
                // Cancelled, or a panic: as if it had happened here. The others are waited for by the scope.
                Err(panic) => resume_unwind(panic),
            }
        }
        // If no thread could be started, or not enough: what is left.
        let mut index = next.fetch_add(1, Ordering::Relaxed);
        while let Some(thing) = things.get(index) {
            answers.push((index, ask(db, thing)));
            index = next.fetch_add(1, Ordering::Relaxed);
        }
        answers
    });
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use crate::RootDatabase;

    #[test]
    fn answers_come_in_order() {
        let db = RootDatabase::default();
        let things: Vec<usize> = (0..1000).collect();
        let squares = super::map(&db, &things, |_, thing| thing * thing);
        assert!(squares.iter().enumerate().all(|(index, square)| *square == index * index));
    }

    #[test]
    fn a_panic_goes_on_in_the_asking_thread() {
        let db = RootDatabase::default();
        let things: Vec<usize> = (0..100).collect();
        let asked = std::panic::AssertUnwindSafe(|| {
            super::map(&db, &things, |_, thing| assert!(*thing != 50, "fifty"));
        });
        let panic = std::panic::catch_unwind(asked).expect_err("it panics");
        assert!(panic.downcast_ref::<&str>().is_some_and(|text| text.contains("fifty")));
    }
}
