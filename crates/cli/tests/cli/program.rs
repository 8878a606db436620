//! Runs the program in a directory of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Where the program runs, with a cache of its own.
pub struct Sandbox {
    directory: TempDir,
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Sandbox {
    pub fn empty() -> Sandbox {
        Sandbox { directory: tempfile::tempdir().unwrap() }
    }

    /// With a healthy job of four ranks in `job`.
    pub fn with_job() -> Sandbox {
        Sandbox::with_job_of(&[])
    }

    /// With a job in `job` whose rank 3 is slow.
    pub fn with_slow_rank() -> Sandbox {
        Sandbox::with_job_of(&["--fault", "slow-rank@3:1.5"])
    }

    /// With a job in `job`, the trace of whose rank 1 is cut.
    pub fn with_cut_trace() -> Sandbox {
        let sandbox = Sandbox::with_job();
        let trace = sandbox.rank(1).join("ASCEND_PROFILER_OUTPUT/trace_view.json");
        let bytes = fs::read(&trace).unwrap();
        fs::write(trace, &bytes[..bytes.len() / 2]).unwrap();
        sandbox
    }

    /// With two ranks of a GPU job in `job`, the second slower.
    pub fn with_gpu_job() -> Sandbox {
        let sandbox = Sandbox::empty();
        fs::create_dir(sandbox.path("job")).unwrap();
        for (rank, kernel_us) in [(0, 300), (1, 500)] {
            fs::write(sandbox.path(&format!("job/node1_{rank}.pt.trace.json")), gpu_trace(rank, kernel_us)).unwrap();
        }
        sandbox
    }

    fn with_job_of(options: &[&str]) -> Sandbox {
        let sandbox = Sandbox::empty();
        let sizes = "--pp 1 --layers 2 --micro-batches 1 --steps 2".split(' ');
        let arguments: Vec<&str> = ["synth", "-o", "job"].into_iter().chain(sizes).chain(options.to_vec()).collect();
        assert_eq!(sandbox.run(&arguments).stderr, "note: 4 ranks and ground_truth.json written to job\n");
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The directory of a rank of `job`.
    pub fn rank(&self, rank: usize) -> PathBuf {
        let entries = fs::read_dir(self.path("job")).unwrap().map(|entry| entry.unwrap().path());
        let mut ranks: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        ranks.sort();
        ranks.swap_remove(rank)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_npuscope"));
        command.args(arguments).current_dir(self.directory.path()).stdin(Stdio::null());
        let ours = ["NO_COLOR", "CLICOLOR_FORCE", "NPUSCOPE_THREADS", "NPUSCOPE_NO_CACHE"];
        for variable in ours.into_iter().chain(["LC_ALL", "LC_MESSAGES", "LANG"]) {
            command.env_remove(variable);
        }
        command.env("NPUSCOPE_CACHE_DIR", self.path("cache")).env("COLUMNS", "100");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.command(arguments).output().unwrap())
    }

    /// Runs the program and gives its output as bytes.
    pub fn bytes(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// The output of a query.
    pub fn sql(&self, path: &str, query: &str) -> String {
        String::from_utf8(self.bytes(&["sql", path, query, "--format", "csv"])).unwrap()
    }
}

/// A trace as PyTorch's profiler writes it: two steps, each of a kernel that takes `kernel_us` and a collective.
fn gpu_trace(rank: u32, kernel_us: u32) -> String {
    let mut events = vec![
        r#"{"ph": "M", "name": "process_labels", "pid": 77, "tid": 0, "args": {"labels": "CPU"}}"#.to_owned(),
        r#"{"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}}"#.to_owned(),
    ];
    let mut slice = |category: &str, name: &str, (pid, tid): (u32, u32), start: u32, us: u32, args: String| {
        events.push(format!(
            r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid}, "ts": {start}, "dur": {us}, "args": {{{args}}}}}"#
        ));
    };
    for step in [3, 4] {
        let at = step * 1000;
        let launch = |id: u32| format!(r#""correlation": {id}"#);
        slice("user_annotation", &format!("ProfilerStep#{step}"), (77, 77), at, 900, String::new());
        slice("cpu_op", "aten::mm", (77, 77), at + 10, 20, String::new());
        slice("cuda_runtime", "cudaLaunchKernel", (77, 77), at + 15, 5, launch(at));
        slice("cuda_runtime", "cudaLaunchKernelExC", (77, 77), at + 40, 5, launch(at + 1));
        slice("kernel", "gemm", (0, 7), at + 100, kernel_us, launch(at));
        let group = r#""Collective name": "allreduce", "Process Group Name": "0", "Group size": 2, "stream": 9"#;
        slice(
            "kernel",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)",
            (0, 9),
            at + 700,
            100,
            format!("{group}, {}", launch(at + 1)),
        );
    }
    format!(
        r#"{{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "NVIDIA H100"}}],
        "distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 2}}, "with_stack": 1,
        "traceEvents": [{}], "baseTimeNanoseconds": 1711964646000000000}}"#,
        events.join(",")
    )
}

pub fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Every file below a directory.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    found.sort();
    found
}
