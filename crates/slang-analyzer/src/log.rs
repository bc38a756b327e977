//! The log, on standard error: which requests come, which queries they run, what is slow and what panics.
//!
//! The environment variable `SLANG_ANALYZER_LOG` says what is in it and, where that is not set, the setting
//! `slang-analyzer.log`: a level (`off`, `error`, `warn`, `info`, `debug`, `trace`), or levels by the parts of the program
//! (`warn,salsa=info` lists each query that is executed). Without both it has warnings. What is filtered out costs a
//! look at a number.

use std::{
    env, io, panic,
    sync::OnceLock,
    time::{Duration, Instant},
};

use tracing::{Span, level_filters::LevelFilter};
use tracing_subscriber::{
    Registry, filter::Targets, fmt, layer::SubscriberExt as _, reload, util::SubscriberInitExt as _,
};

/// The environment variable that says what is in the log.
const VARIABLE: &str = "SLANG_ANALYZER_LOG";

/// A request that takes longer than this is felt.
const SLOW: Duration = Duration::from_millis(500);

static FILTER: OnceLock<reload::Handle<Targets, Registry>> = OnceLock::new();

/// Opens the log. Panics are written to it, with the queries that were running.
pub fn start() {
    let asked = env::var(VARIABLE).ok().and_then(|asked| filter(&asked));
    let (filter, handle) = reload::Layer::new(asked.unwrap_or_else(default_filter));
    let lines = fmt::layer().with_writer(io::stderr).with_ansi(false);
    if tracing_subscriber::registry().with(filter).with(lines).try_init().is_ok() {
        let _ = FILTER.set(handle);
        panic::set_hook(Box::new(report_panic));
    }
}

/// Applies the setting `slang-analyzer.log`, unless the environment has the say.
pub fn configure(setting: Option<&str>) {
    if env::var_os(VARIABLE).is_some() {
        return;
    }
    let filter = setting.and_then(filter).unwrap_or_else(default_filter);
    if let Some(handle) = FILTER.get() {
        // It fails when there is no log any more.
        let _ = handle.reload(filter);
    }
}

fn default_filter() -> Targets {
    Targets::new().with_default(LevelFilter::WARN)
}

/// What is written, as the variable and the setting spell it; nothing if that says nothing.
fn filter(text: &str) -> Option<Targets> {
    text.trim().parse().ok()
}

fn report_panic(panic: &panic::PanicHookInfo<'_>) {
    match salsa::Backtrace::capture() {
        Some(queries) => tracing::error!("{panic}\n{queries}"),
        None => tracing::error!("{panic}"),
    }
}

/// Work that somebody waits for: who asked for it, and since when.
#[derive(Clone)]
pub struct Asked {
    span: Span,
    since: Instant,
}

impl Asked {
    /// Work for the request that is handled now.
    pub fn now() -> Asked {
        Asked { span: Span::current(), since: Instant::now() }
    }

    /// Does the work, or a part of it, in the name of who asked.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        self.span.in_scope(work)
    }

    /// Says that the work is done, and in the log if it took long.
    pub fn finished(&self) {
        let taken = self.since.elapsed();
        if taken > SLOW {
            self.span.in_scope(|| tracing::warn!("slow: it took {} ms", taken.as_millis()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write,
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{Arc, Mutex},
    };

    use base_db::{Db, RootDatabase, SourceFile, documents::Documents};
    use tracing::Level;

    use super::*;

    /// What is written into the log while something is done.
    fn written(work: impl FnOnce()) -> String {
        #[derive(Clone, Default)]
        struct Lines(Arc<Mutex<Vec<u8>>>);
        impl Write for Lines {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().expect("nobody panics here").write(bytes)
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let lines = Lines::default();
        let made = lines.clone();
        let layer = fmt::layer().with_writer(move || made.clone()).with_ansi(false);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), work);
        let bytes = lines.0.lock().expect("nobody panics here").clone();
        String::from_utf8(bytes).expect("lines are text")
    }

    #[test]
    fn filters_are_levels_of_everything_or_of_parts() {
        let allows =
            |text: &str, target: &str, level| filter(text).is_some_and(|filter| filter.would_enable(target, &level));
        assert!(allows("debug", "slang_analyzer::server", Level::DEBUG));
        assert!(!allows("off", "slang_analyzer::server", Level::ERROR));
        assert!(allows("warn,salsa=info", "salsa::function", Level::INFO));
        assert!(!allows("warn,salsa=info", "slang_analyzer", Level::INFO));
        assert!(filter("salsa=loud").is_none());
    }

    #[test]
    fn panics_are_written_with_the_queries_that_were_running() {
        #[salsa::tracked]
        fn outer(db: &dyn Db, file: SourceFile) -> u32 {
            breaks(db, file) + 1
        }
        #[salsa::tracked]
        fn breaks(_db: &dyn Db, _file: SourceFile) -> u32 {
            panic!("something is wrong")
        }
        let mut db = RootDatabase::default();
        let file = Documents::new(&mut db).open(&mut db, "/a.slang", "");
        let before = panic::take_hook();
        panic::set_hook(Box::new(report_panic));
        let log = written(|| assert!(catch_unwind(AssertUnwindSafe(|| outer(&db, file))).is_err()));
        panic::set_hook(before);
        // That queries run is in the log before.
        let report = log.find("ERROR").map_or("", |at| &log[at..]);
        let order = ["ERROR", "something is wrong", "breaks", "outer"].map(|word| report.find(word));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{log}");
    }

    #[test]
    fn slow_requests_are_named() {
        let long_ago = Instant::now().checked_sub(SLOW * 2).expect("the clock is not that young");
        let log = written(|| {
            let span = tracing::warn_span!("request", method = "textDocument/hover");
            Asked { span, since: long_ago }.finished();
            Asked::now().finished();
        });
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(log.contains("WARN request{method=\"textDocument/hover\"}") && log.contains("slow"), "{log}");
    }
}
