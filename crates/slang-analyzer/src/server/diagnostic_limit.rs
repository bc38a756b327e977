//! How many diagnostics of a file a client is sent: a list that nobody reads to its end only makes the editor slow.

use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity};

/// The most that are sent of one file. The rest is counted.
pub(crate) const MAX_SHOWN: usize = 1_000;

/// Which diagnostics are shown, if not all are: the most severe, and of those the first.
pub(crate) fn kept(severities: &[Option<DiagnosticSeverity>]) -> Option<Vec<bool>> {
    if severities.len() <= MAX_SHOWN {
        return None;
    }
    let mut by_weight: Vec<usize> = (0..severities.len()).collect();
    // Without a severity the client decides, and most take it for an error.
    by_weight.sort_by_key(|index| severities[*index].unwrap_or(DiagnosticSeverity::ERROR));
    let mut kept = vec![false; severities.len()];
    by_weight.iter().take(MAX_SHOWN).for_each(|index| kept[*index] = true);
    Some(kept)
}

/// What is said in place of the others, at the beginning of the file.
pub(crate) fn remainder(severities: &[Option<DiagnosticSeverity>], kept: &[bool]) -> Diagnostic {
    let left = severities.len() - kept.iter().filter(|kept| **kept).count();
    let counts = [
        (DiagnosticSeverity::ERROR, "error"),
        (DiagnosticSeverity::WARNING, "warning"),
        (DiagnosticSeverity::INFORMATION, "remark"),
        (DiagnosticSeverity::HINT, "hint"),
    ];
    let counts = counts.into_iter().filter_map(|(severity, word)| {
        let is_left = |(of, kept): &(&Option<DiagnosticSeverity>, &bool)| {
            !**kept && of.unwrap_or(DiagnosticSeverity::ERROR) == severity
        };
        let count = severities.iter().zip(kept).filter(is_left).count();
        (count > 0).then(|| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
    });
    let counts: Vec<String> = counts.collect();
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        source: Some("slang-analyzer".to_owned()),
        message: format!("{left} more diagnostics of this file are not shown: {}", counts.join(", ")),
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_all_shown() {
        assert_eq!(kept(&vec![Some(DiagnosticSeverity::HINT); MAX_SHOWN]), None);
    }

    #[test]
    fn of_many_the_most_severe_are_shown_and_the_others_counted() {
        let mut severities = vec![Some(DiagnosticSeverity::HINT); MAX_SHOWN];
        severities.extend([Some(DiagnosticSeverity::WARNING); 2]);
        severities.push(Some(DiagnosticSeverity::ERROR));
        let kept = kept(&severities).expect("there are too many");
        assert_eq!(kept.iter().filter(|kept| **kept).count(), MAX_SHOWN);
        assert!(kept[MAX_SHOWN..].iter().all(|kept| *kept), "errors and warnings come before hints");
        assert!(kept[0] && !kept[MAX_SHOWN - 1]);
        let said = remainder(&severities, &kept);
        assert_eq!(said.message, "3 more diagnostics of this file are not shown: 3 hints");
    }
}
