//! The files of a rank, and what their names say.

use std::iter;
use std::path::PathBuf;

use npuscope_tables::{Framework, Rank, Window};

use crate::diagnostic::Diagnostic;
use crate::file_kind::FileKind;
use crate::regular_file;

/// The name of the directory that torch_npu and MindSpore put deliverables in.
pub const OUTPUT_DIRECTORY: &str = "ASCEND_PROFILER_OUTPUT";

/// The rank number under which rows stand that concern no rank in particular.
pub const JOB: Rank = Rank(-1);

/// The files of one rank: of each of its windows, by time.
#[derive(Clone, Debug)]
pub struct RankSource {
    pub rank: Rank,
    pub first: WindowSource,
    /// Windows after the first. Most ranks have none.
    pub later: Vec<WindowSource>,
}

/// The files of one window of a rank: what was recorded without interruption.
#[derive(Clone, Debug)]
pub struct WindowSource {
    pub window: Window,
    /// The stage of reinforcement learning that was recorded, by the name of the directory.
    pub stage: Option<String>,
    /// Where paths of files are relative to.
    pub directory: PathBuf,
    pub framework: Framework,
    pub files: Vec<SourceFile>,
    /// Raw data is there too: `PROF_*` or `FRAMEWORK`.
    pub has_raw: bool,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the window's directory, with `/`.
    pub name: String,
    pub kind: FileKind,
    pub bytes: u64,
}

impl RankSource {
    /// A rank with one window.
    pub fn new(rank: Rank, window: WindowSource) -> RankSource {
        RankSource { rank, first: window, later: Vec::new() }
    }

    /// All windows, by time.
    pub fn windows(&self) -> impl Iterator<Item = &WindowSource> {
        iter::once(&self.first).chain(&self.later)
    }

    /// The framework that wrote the profile: windows of one process have the same.
    pub fn framework(&self) -> Framework {
        self.first.framework
    }

    /// Whether any window has a file of that kind.
    pub fn has(&self, kind: &FileKind) -> bool {
        self.windows().any(|window| window.has(kind))
    }

    /// Whether any window was saved as databases.
    pub fn is_db(&self) -> bool {
        self.windows().any(WindowSource::is_db)
    }

    /// Bytes of all files that will be read.
    pub fn bytes(&self) -> u64 {
        self.windows().map(WindowSource::bytes).sum()
    }

    /// The last component of the directory of the first window.
    pub fn directory_name(&self) -> String {
        self.first.directory_name()
    }
}

impl WindowSource {
    /// A window without files.
    pub fn new(directory: PathBuf, framework: Framework) -> WindowSource {
        WindowSource {
            window: Window::default(),
            stage: None,
            directory,
            framework,
            files: Vec::new(),
            has_raw: false,
            diagnostics: Vec::new(),
        }
    }

    pub fn path(&self, file: &SourceFile) -> PathBuf {
        self.directory.join(&file.name)
    }

    pub fn has(&self, kind: &FileKind) -> bool {
        self.files.iter().any(|f| f.kind == *kind)
    }

    /// Whether it was saved as databases.
    pub fn is_db(&self) -> bool {
        self.has(&FileKind::ProfilerDb) || self.has(&FileKind::AnalysisDb)
    }

    /// Bytes of all files that will be read.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|f| f.bytes).sum()
    }

    /// What the window is all of: its directory, or the one file that is all of it.
    pub fn place(&self) -> PathBuf {
        match self.files.as_slice() {
            [file] if self.framework == Framework::Kineto => self.path(file),
            _ => self.directory.clone(),
        }
    }

    /// Whether its files are those that were written while the job ran, and not yet parsed.
    pub fn is_raw(&self) -> bool {
        self.framework != Framework::Kineto
            && self.files.iter().any(|file| matches!(file.kind, FileKind::Framework(_) | FileKind::Kineto))
    }

    /// Whether npuscope's own recorder wrote it.
    pub fn is_ours(&self) -> bool {
        let info = self.files.iter().find(|file| file.kind == FileKind::ProfilerInfo);
        let text = info.and_then(|file| regular_file::read(&self.path(file)).ok());
        text.is_some_and(|text| memchr::memmem::find(&text, b"\"npuscope_version\"").is_some())
    }

    /// The last component of the directory.
    pub fn directory_name(&self) -> String {
        let name = self.directory.file_name().or_else(|| self.directory.parent()?.file_name());
        name.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What it is called: the last component of its [place](WindowSource::place).
    pub fn name(&self) -> String {
        match self.place().file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.directory_name(),
        }
    }
}

/// The host and the process in `{host}_{process}_{time}_ascend_pt`.
pub fn process_in_directory(name: &str) -> Option<(&str, &str)> {
    let name = name.strip_suffix("_ascend_pt").or_else(|| name.strip_suffix("_ascend_ms"))?;
    let (rest, stamp) = name.rsplit_once('_')?;
    let (host, process) = rest.rsplit_once('_')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (stamp.len() >= 14 && digits(stamp) && digits(process)).then_some((host, process))
}
