//! Settings, under the keys that slangd's extension reads, so that a user can switch without reconfiguring.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ide::severities::Severities;
use serde_json::Value;
use tower_lsp::ls_types::ConfigurationItem;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `slang.predefinedMacros`: `NAME` or `NAME=VALUE`.
    pub predefined_macros: Vec<(String, String)>,
    /// `slang.additionalSearchPaths`.
    pub additional_search_paths: Vec<PathBuf>,
    /// `slang.searchInAllWorkspaceDirectories`.
    pub search_in_all_workspace_directories: bool,
    pub hints: Hints,
    /// `slang-analyzer.diagnostics.severity`: an object from codes to severities or `off`.
    pub severities: Arc<Severities>,
}

/// Which inlay hints are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// `slang.inlayHints.deducedTypes`.
    pub deduced_types: bool,
    /// `slang.inlayHints.parameterNames`.
    pub parameter_names: bool,
}

impl Default for Hints {
    fn default() -> Self {
        Hints { deduced_types: true, parameter_names: true }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            predefined_macros: Vec::new(),
            additional_search_paths: Vec::new(),
            search_in_all_workspace_directories: true,
            hints: Hints::default(),
            severities: Arc::default(),
        }
    }
}

const KEYS: [&str; 6] = [
    "slang.predefinedMacros",
    "slang.additionalSearchPaths",
    "slang.searchInAllWorkspaceDirectories",
    "slang.inlayHints.deducedTypes",
    "slang.inlayHints.parameterNames",
    "slang-analyzer.diagnostics.severity",
];

/// What to ask the client for; [`from_answers`] takes the answers in this order.
pub fn items() -> Vec<ConfigurationItem> {
    KEYS.map(|section| ConfigurationItem { scope_uri: None, section: Some(section.to_owned()) }).into()
}

/// Values that are absent or of another shape keep their defaults.
pub fn from_answers(answers: &[Value]) -> Settings {
    let mut settings = Settings::default();
    let strings = |value: Option<&Value>| -> Vec<String> {
        let list = value.and_then(Value::as_array).cloned().unwrap_or_default();
        list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    settings.predefined_macros = strings(answers.first()).iter().map(|text| parse_macro(text)).collect();
    settings.additional_search_paths = strings(answers.get(1)).into_iter().map(PathBuf::from).collect();
    if let Some(value) = answers.get(2).and_then(Value::as_bool) {
        settings.search_in_all_workspace_directories = value;
    }
    for (setting, answer) in
        [(&mut settings.hints.deduced_types, answers.get(3)), (&mut settings.hints.parameter_names, answers.get(4))]
    {
        if let Some(value) = answer.and_then(Value::as_bool) {
            *setting = value;
        }
    }
    let severities = answers.get(5).and_then(Value::as_object).into_iter().flatten();
    let severities = severities.filter_map(|(code, level)| {
        Some((ide::severities::code(code).ok()?, ide::severities::level(level.as_str()?).ok()?))
    });
    settings.severities = Arc::new(Severities(severities.collect()));
    settings
}

/// The file by which a project configures slangd, in a workspace folder.
pub const PROJECT_FILE: &str = "slangdconfig.json";

impl Settings {
    /// Adds what a project file says; its relative paths mean the file's own folder. Text that is no JSON object says
    /// nothing.
    pub fn with_project_file(mut self, text: &[u8], folder: &Path) -> Settings {
        let Ok(Value::Object(said)) = serde_json::from_slice(text) else { return self };
        let said = from_answers(&KEYS.map(|key| said.get(key).cloned().unwrap_or(Value::Null)));
        self.predefined_macros.extend(said.predefined_macros);
        self.additional_search_paths.extend(said.additional_search_paths.into_iter().map(|path| folder.join(path)));
        self.search_in_all_workspace_directories &= said.search_in_all_workspace_directories;
        if !said.severities.0.is_empty() {
            Arc::make_mut(&mut self.severities).0.extend(said.severities.0.iter().map(|(code, level)| (*code, *level)));
        }
        self
    }
}

/// `NAME` defines 1, as on the command line.
pub fn parse_macro(text: &str) -> (String, String) {
    match text.split_once('=') {
        Some((name, value)) => (name.trim().to_owned(), value.to_owned()),
        None => (text.trim().to_owned(), "1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ide::diagnostics::{Severity, codes};
    use serde_json::json;

    #[test]
    fn answers_of_the_wrong_shape_keep_the_defaults() {
        assert_eq!(from_answers(&[]), Settings::default());
        assert_eq!(from_answers(&[json!(3), json!(null), json!("yes")]), Settings::default());
    }

    #[test]
    fn macros_and_paths_are_read() {
        let settings = from_answers(&[json!(["A", "B=2"]), json!(["include"]), json!(false)]);
        assert_eq!(settings.predefined_macros, [("A".into(), "1".into()), ("B".into(), "2".into())]);
        assert_eq!(settings.additional_search_paths, [PathBuf::from("include")]);
        assert!(!settings.search_in_all_workspace_directories);
    }

    #[test]
    fn severities_are_those_of_known_codes() {
        let asked = json!({"E41804": "error", "40100": "off", "E41031": "loud", "nothing": "hint"});
        let settings = from_answers(&[json!(null), json!(null), json!(null), json!(null), json!(null), asked]);
        let expected = [(codes::UNUSED_VARIABLE, None), (codes::LOST_IN_MEMORY, Some(Severity::Error))];
        assert_eq!(settings.severities.0, expected.into_iter().collect());
    }

    #[test]
    fn a_project_file_adds_to_the_settings() {
        let settings = from_answers(&[json!(["A"]), json!(["include"])]);
        let text = br#"{"slang.predefinedMacros": ["B=2"], "slang.additionalSearchPaths": ["shaders"]}"#;
        let settings = settings.with_project_file(text, Path::new("/project"));
        assert_eq!(settings.predefined_macros, [("A".into(), "1".into()), ("B".into(), "2".into())]);
        assert_eq!(settings.additional_search_paths, [PathBuf::from("include"), PathBuf::from("/project/shaders")]);
        assert!(settings.search_in_all_workspace_directories);
        assert_eq!(settings.clone().with_project_file(b"[", Path::new("/")), settings);
    }
}
