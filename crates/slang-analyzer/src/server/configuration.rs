//! Settings, under the keys that slangd's extension reads, so that a user can switch without reconfiguring.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ide::severities::Severities;
use serde_json::Value;
use tower_lsp::ls_types::ConfigurationItem;

use crate::{
    compiler_flags::{CompilerFlags, macro_definition},
    discovery::Filter,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `slang.predefinedMacros`: `NAME` or `NAME=VALUE`.
    pub predefined_macros: Vec<(String, String)>,
    /// `slang.additionalSearchPaths`.
    pub additional_search_paths: Vec<PathBuf>,
    /// `slang.searchInAllWorkspaceDirectories`.
    pub search_in_all_workspace_directories: bool,
    pub hints: Hints,
    /// `slang-analyzer.lenses`: the kinds that are shown.
    pub lenses: Lenses,
    /// `slang-analyzer.diagnostics.severity`: an object from codes to severities or `off`.
    pub severities: Arc<Severities>,
    /// Of `slang-analyzer.workspace.fileExtensions`, `slang-analyzer.workspace.exclude` and the editor's `files.exclude`.
    pub sources: Filter,
    /// `slang-analyzer.diagnostics.scope`.
    pub scope: Scope,
    /// `slang-analyzer.log`: what is in the log, see [`crate::log`].
    pub log: Option<String>,
    /// Of `slang-analyzer.compilerFlags`; what it says of macros, folders and warnings is in the fields above.
    pub unscoped_enums: bool,
    /// Of the same.
    pub allow_glsl: bool,
}

/// The files whose diagnostics are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// `openFiles`: those that are open, and what these import and include.
    #[default]
    OpenFiles,
    /// `workspace`: all of the workspace folders.
    Workspace,
}

/// Which inlay hints are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hints {
    /// `slang.inlayHints.deducedTypes`.
    pub deduced_types: bool,
    /// `slang.inlayHints.parameterNames`.
    pub parameter_names: bool,
    /// `slang-analyzer.inlayHints.derivatives`.
    pub derivatives: bool,
}

/// Which code lenses are wanted, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lenses {
    pub preview: bool,
    pub gradient: bool,
    pub non_finite: bool,
    pub cost: bool,
}

impl Default for Lenses {
    fn default() -> Self {
        Lenses { preview: true, gradient: true, non_finite: true, cost: true }
    }
}

impl Lenses {
    fn named(names: &[String]) -> Lenses {
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        Lenses { preview: has("preview"), gradient: has("gradient"), non_finite: has("nan"), cost: has("cost") }
    }
}

impl Default for Hints {
    fn default() -> Self {
        Hints { deduced_types: true, parameter_names: true, derivatives: false }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            predefined_macros: Vec::new(),
            additional_search_paths: Vec::new(),
            search_in_all_workspace_directories: true,
            hints: Hints::default(),
            lenses: Lenses::default(),
            severities: Arc::default(),
            sources: Filter { extensions: vec!["slang".to_owned(), "slangh".to_owned()], excluded: Vec::new() },
            scope: Scope::default(),
            log: None,
            unscoped_enums: false,
            allow_glsl: false,
        }
    }
}

const KEYS: [&str; 14] = [
    "slang.predefinedMacros",
    "slang.additionalSearchPaths",
    "slang.searchInAllWorkspaceDirectories",
    "slang.inlayHints.deducedTypes",
    "slang.inlayHints.parameterNames",
    "slang-analyzer.diagnostics.severity",
    "slang-analyzer.workspace.fileExtensions",
    "slang-analyzer.workspace.exclude",
    "files.exclude",
    "slang-analyzer.diagnostics.scope",
    "slang-analyzer.log",
    "slang-analyzer.compilerFlags",
    "slang-analyzer.lenses",
    "slang-analyzer.inlayHints.derivatives",
];

/// What to ask the client for; [`from_answers`] takes the answers in this order.
pub(crate) fn items() -> Vec<ConfigurationItem> {
    KEYS.map(|section| ConfigurationItem { scope_uri: None, section: Some(section.to_owned()) }).into()
}

/// Values that are absent or of another shape keep their defaults.
pub(crate) fn from_answers(answers: &[Value]) -> Settings {
    let mut settings = Settings::default();
    let strings = |value: Option<&Value>| -> Vec<String> {
        let list = value.and_then(Value::as_array).cloned().unwrap_or_default();
        list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    settings.predefined_macros = strings(answers.first()).iter().map(|text| macro_definition(text)).collect();
    settings.additional_search_paths = strings(answers.get(1)).into_iter().map(PathBuf::from).collect();
    if let Some(value) = answers.get(2).and_then(Value::as_bool) {
        settings.search_in_all_workspace_directories = value;
    }
    let hints = &mut settings.hints;
    for (setting, answer) in [
        (&mut hints.deduced_types, answers.get(3)),
        (&mut hints.parameter_names, answers.get(4)),
        (&mut hints.derivatives, answers.get(13)),
    ] {
        if let Some(value) = answer.and_then(Value::as_bool) {
            *setting = value;
        }
    }
    let severities = answers.get(5).and_then(Value::as_object).into_iter().flatten();
    let severities = severities.filter_map(|(code, level)| {
        Some((ide::severities::code(code).ok()?, ide::severities::level(level.as_str()?).ok()?))
    });
    settings.severities = Arc::new(Severities(severities.collect()));
    if let Some(lenses) = answers.get(12).filter(|lenses| lenses.is_array()) {
        settings.lenses = Lenses::named(&strings(Some(lenses)));
    }
    let extensions = strings(answers.get(6));
    if !extensions.is_empty() {
        let bare = |extension: &String| extension.trim_start_matches("*.").trim_start_matches('.').to_owned();
        settings.sources.extensions = extensions.iter().map(bare).collect();
    }
    settings.sources.excluded = strings(answers.get(7));
    // The editor's globs are switched on and off; those with a condition are about files beside others.
    let of_editor = answers.get(8).and_then(Value::as_object).into_iter().flatten();
    let switched_on = of_editor.filter(|(_, on)| on.as_bool() == Some(true));
    settings.sources.excluded.extend(switched_on.map(|(glob, _)| glob.clone()));
    settings.scope = match answers.get(9).and_then(Value::as_str) {
        Some("workspace") => Scope::Workspace,
        _ => Scope::OpenFiles,
    };
    settings.log = answers.get(10).and_then(Value::as_str).map(str::to_owned);
    settings.add_compiler_flags(&strings(answers.get(11)));
    settings
}

/// The file by which a project configures slangd, in a workspace folder.
pub(crate) const PROJECT_FILE: &str = "slangdconfig.json";

impl Settings {
    /// What no option of slangc is goes to the log.
    fn add_compiler_flags(&mut self, words: &[String]) {
        let (flags, problems) = CompilerFlags::read(words.iter().map(String::as_str));
        for problem in problems {
            tracing::warn!("slang-analyzer.compilerFlags: {problem}");
        }
        flags.add_to(&mut self.severities);
        self.unscoped_enums |= flags.unscoped_enums;
        self.allow_glsl |= flags.allow_glsl;
        self.predefined_macros.extend(flags.macro_definitions);
        self.additional_search_paths.extend(flags.search_roots);
    }

    /// Adds what a project file says; its relative paths mean the file's own folder.
    ///
    /// # Errors
    /// Why the text is no JSON object; it says nothing then.
    pub(crate) fn add_project_file(&mut self, text: &[u8], folder: &Path) -> Result<(), String> {
        let said = match serde_json::from_slice(text) {
            Ok(Value::Object(said)) => said,
            Ok(_) => return Err("it is not a JSON object".to_owned()),
            Err(error) => return Err(error.to_string()),
        };
        let said = from_answers(&KEYS.map(|key| said.get(key).cloned().unwrap_or(Value::Null)));
        self.predefined_macros.extend(said.predefined_macros);
        self.additional_search_paths.extend(said.additional_search_paths.into_iter().map(|path| folder.join(path)));
        self.search_in_all_workspace_directories &= said.search_in_all_workspace_directories;
        self.sources.excluded.extend(said.sources.excluded);
        self.unscoped_enums |= said.unscoped_enums;
        self.allow_glsl |= said.allow_glsl;
        if said.scope == Scope::Workspace {
            self.scope = said.scope;
        }
        if !said.severities.0.is_empty() {
            Arc::make_mut(&mut self.severities).0.extend(said.severities.0.iter().map(|(code, level)| (*code, *level)));
        }
        Ok(())
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
    fn sources_are_what_the_settings_and_the_editor_leave() {
        let mut answers = vec![json!(null); 10];
        answers[6] = json!([".slang", "*.hlsl", "hlsli"]);
        answers[7] = json!(["out/**"]);
        answers[8] = json!({"**/.git": true, "**/kept": false, "**/*.slang": {"when": "$(basename).json"}});
        answers[9] = json!("workspace");
        let settings = from_answers(&answers);
        assert_eq!(settings.sources.extensions, ["slang", "hlsl", "hlsli"]);
        assert_eq!(settings.sources.excluded, ["out/**", "**/.git"]);
        assert_eq!(settings.scope, Scope::Workspace);
    }

    #[test]
    fn severities_are_those_of_known_codes() {
        let asked = json!({"E41804": "error", "41810": "off", "E41031": "loud", "nothing": "hint"});
        let settings = from_answers(&[json!(null), json!(null), json!(null), json!(null), json!(null), asked]);
        let expected = [(codes::UNUSED_VARIABLE, None), (codes::LOST_IN_MEMORY, Some(Severity::Error))];
        assert_eq!(settings.severities.0, expected.into_iter().collect());
    }

    #[test]
    fn a_project_file_adds_to_the_settings() {
        let mut settings = from_answers(&[json!(["A"]), json!(["include"])]);
        let text = br#"{"slang.predefinedMacros": ["B=2"], "slang.additionalSearchPaths": ["shaders"]}"#;
        assert_eq!(settings.add_project_file(text, Path::new("/project")), Ok(()));
        assert_eq!(settings.predefined_macros, [("A".into(), "1".into()), ("B".into(), "2".into())]);
        assert_eq!(settings.additional_search_paths, [PathBuf::from("include"), PathBuf::from("/project/shaders")]);
        assert!(settings.search_in_all_workspace_directories);
        let before = settings.clone();
        for wrong in [b"[".as_slice(), b"[]", b"{bad"] {
            assert!(settings.add_project_file(wrong, Path::new("/")).is_err());
            assert_eq!(settings, before);
        }
    }

    #[test]
    fn options_of_slangc_are_settings_in_another_form() {
        let mut answers = vec![json!(null); 12];
        answers[0] = json!(["A"]);
        answers[11] =
            json!(["-DB=2", "-I include", "-I", "more", "-profile", "sm_6_6", "-Wno-41810", "-unscoped-enum"]);
        let settings = from_answers(&answers);
        assert_eq!(settings.predefined_macros, [("A".into(), "1".into()), ("B".into(), "2".into())]);
        assert_eq!(settings.additional_search_paths, ["include", "more"].map(PathBuf::from));
        assert_eq!(settings.severities.0, [(codes::UNUSED_VARIABLE, None)].into_iter().collect());
        assert!(settings.unscoped_enums);
        let text = br#"{"slang-analyzer.compilerFlags": ["-Ishaders", "-unscoped-enum"]}"#;
        let mut settings = Settings::default();
        assert_eq!(settings.add_project_file(text, Path::new("/project")), Ok(()));
        assert_eq!(settings.additional_search_paths, [PathBuf::from("/project/shaders")]);
        assert!(settings.unscoped_enums);
    }
}
