//! What the server tells the client unasked, besides diagnostics: how far the index is, that answers are old, and what is
//! wrong with settings.

use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp::{
    Client,
    ls_types::{
        MessageType, ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
        WorkDoneProgressEnd, WorkDoneProgressReport, notification::Progress,
    },
};

use super::capabilities::Refreshes;
use crate::platform;

#[derive(Debug, Clone)]
pub(crate) enum Notice {
    /// The workspace is searched for files.
    IndexBegins,
    /// So many of the files that were found are known.
    IndexGrows {
        known: usize,
        of: usize,
    },
    IndexEnds,
    /// The user should know, whatever the editor shows.
    Problem(String),
    /// Something changed that the client did not send: what it knows of open documents may be old.
    AnswersAreOld(Refreshes),
}

/// Passes notices on to the client, as far as it understands them.
pub(crate) async fn deliver(client: Client, shows_progress: bool, mut notices: UnboundedReceiver<Notice>) {
    let mut progress = IndexProgress { client: client.clone(), searches: 0, shown: false };
    while let Some(notice) = notices.recv().await {
        match notice {
            Notice::AnswersAreOld(wanted) => refresh(&client, wanted),
            Notice::Problem(text) => client.show_message(MessageType::WARNING, text).await,
            _ if !shows_progress => {}
            Notice::IndexBegins => progress.begin().await,
            Notice::IndexGrows { known, of } => progress.report(known, of).await,
            Notice::IndexEnds => progress.end().await,
        }
    }
}

/// Whatever the client answers, and whether it does: nothing waits for it.
fn refresh(client: &Client, wanted: Refreshes) {
    let client = client.clone();
    platform::spawn(async move {
        if wanted.diagnostics {
            let _ = client.workspace_diagnostic_refresh().await;
        }
        if wanted.semantic_tokens {
            let _ = client.semantic_tokens_refresh().await;
        }
        if wanted.inlay_hints {
            let _ = client.inlay_hint_refresh().await;
        }
        if wanted.code_lenses {
            let _ = client.code_lens_refresh().await;
        }
    });
}

struct IndexProgress {
    client: Client,
    /// Counts in the tokens, which must differ.
    searches: u32,
    shown: bool,
}

impl IndexProgress {
    async fn begin(&mut self) {
        self.end().await;
        self.searches += 1;
        self.shown = self.client.create_work_done_progress(self.token()).await.is_ok();
        self.send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: "Indexing".to_owned(),
            cancellable: Some(false),
            message: None,
            percentage: Some(0),
        }))
        .await;
    }

    async fn report(&mut self, known: usize, of: usize) {
        self.send(WorkDoneProgress::Report(WorkDoneProgressReport {
            cancellable: Some(false),
            message: Some(format!("{known} of {of} files")),
            percentage: Some((100 * known / of.max(1)) as u32),
        }))
        .await;
    }

    async fn end(&mut self) {
        self.send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
        self.shown = false;
    }

    fn token(&self) -> ProgressToken {
        ProgressToken::String(format!("slang-analyzer/index/{}", self.searches))
    }

    async fn send(&self, value: WorkDoneProgress) {
        if self.shown {
            let value = ProgressParamsValue::WorkDone(value);
            self.client.send_notification::<Progress>(ProgressParams { token: self.token(), value }).await;
        }
    }
}
