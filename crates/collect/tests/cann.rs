//! Driving CANN, against libraries that write down how they were called.

use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use libloading::Library;
use npuscope_collect::cann::{
    Cann, CannError, ConfigType, DeviceOptions, Features, Libraries, Profile, Stream, configs, mask, masks,
    metrics_number,
};
use npuscope_collect::config::{AicMetrics, Level};
use tempfile::TempDir;

/// There is one recording at a time in a process, and tests may share theirs.
static ALONE: Mutex<()> = Mutex::new(());

/// The three libraries in a directory of their own, so that each test has its own.
struct StandIn {
    directory: TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl StandIn {
    /// `None`, and a word about it, where there is no C compiler.
    fn build(libraries: &[(&str, &[&str])]) -> Option<StandIn> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        if Command::new("cc").arg("--version").output().is_err() {
            eprintln!("skipped: there is no cc to build the stand-in of CANN with");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cann_stand_in.c");
        for (name, defines) in libraries {
            let mut cc = Command::new("cc");
            cc.args(["-shared", "-fPIC", "-Wall", "-Werror", "-o"]).arg(directory.path().join(name));
            cc.args(defines.iter().map(|define| format!("-D{define}"))).arg(&source);
            let built = cc.output().unwrap();
            assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        }
        let stand_in = StandIn { directory, _alone: alone };
        for (name, _) in libraries {
            stand_in.with_library(name, |library| {
                let log = CString::new(stand_in.log().to_str().unwrap()).unwrap();
                // SAFETY: the type is that of the C file.
                unsafe {
                    library.get::<unsafe extern "C" fn(*const i8)>(b"stand_in_log_to").unwrap()(log.as_ptr().cast())
                };
            });
        }
        Some(stand_in)
    }

    fn whole() -> Option<StandIn> {
        StandIn::build(&[
            ("libascendcl.so", &["ASCENDCL"]),
            ("libmsprofiler.so", &["MSPROFILER"]),
            ("libms_tools_ext.so", &["TOOLS_EXT"]),
        ])
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("calls")
    }

    fn with_library(&self, name: &str, act: impl FnOnce(&Library)) {
        // SAFETY: our own library, which has no initialisers.
        let library = unsafe { Library::new(self.directory.path().join(name)).unwrap() };
        act(&library);
        // It stays loaded, so that it remembers.
        std::mem::forget(library);
    }

    fn fail(&self, name: &str, function: &str, code: i32) {
        self.with_library(name, |library| {
            let function = CString::new(function).unwrap();
            // SAFETY: the type is that of the C file.
            unsafe {
                library.get::<unsafe extern "C" fn(*const i8, i32)>(b"stand_in_fail").unwrap()(
                    function.as_ptr().cast(),
                    code,
                );
            };
        });
    }

    fn libraries(&self) -> Libraries {
        Libraries { directories: vec![self.directory.path().to_owned()], ..Libraries::default() }
    }

    fn open(&self) -> Arc<Cann> {
        Arc::new(Cann::open(&self.libraries()).unwrap())
    }

    /// The calls so far, which are forgotten.
    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let _ = fs::remove_file(self.log());
        text.lines().map(str::to_owned).collect()
    }
}

fn level1() -> DeviceOptions {
    DeviceOptions {
        directory: "/data/out".to_owned(),
        device: 3,
        level: Level::Level1,
        metrics: AicMetrics::PipeUtilization,
        ..DeviceOptions::default()
    }
}

#[test]
fn a_recording_makes_the_calls_of_torch_npu_in_its_order() {
    let Some(stand_in) = StandIn::whole() else { return };
    let options = DeviceOptions {
        memory: true,
        mstx: true,
        host_sys: vec!["cpu".to_owned(), "mem".to_owned()],
        sys_io: true,
        sys_interconnection: true,
        ..level1()
    };
    let mut profile = Profile::begin(&stand_in.open(), &options, true).unwrap();
    assert!(!profile.is_running());
    profile.start().unwrap();
    profile.start().unwrap();
    assert!(profile.is_running() && profile.diagnostics().is_empty());
    profile.finish().unwrap();
    let expected = [
        "Init /data/out 9",
        "SetConfig 3 50 2",
        "SetConfig 8 cpu,mem 7",
        "SetConfig 5 100 3",
        "SetConfig 6 50 2",
        "CreateConfig 3 of 1 metrics 0x1 events none mask 0x10a7",
        "Warmup config",
        "Start 1",
        "RegisterDeviceCallback",
        "Stop 1",
        "DestroyConfig 1",
        "Finalize",
    ];
    assert_eq!(stand_in.calls(), expected);
}

#[test]
fn what_is_dropped_is_stopped_and_finalised_once() {
    let Some(stand_in) = StandIn::whole() else { return };
    let cann = stand_in.open();
    drop(Profile::begin(&cann, &level1(), false).unwrap());
    let ends: Vec<String> = stand_in.calls().split_off(4);
    assert_eq!(ends, ["Stop 1", "DestroyConfig 1", "Finalize"]);
    // One that never ran is not stopped.
    drop(Profile::prepare(&cann, &level1()).unwrap());
    assert_eq!(stand_in.calls().split_off(2), ["DestroyConfig 1", "Finalize"]);
}

#[test]
fn there_is_one_recording_at_a_time() {
    let Some(stand_in) = StandIn::whole() else { return };
    let cann = stand_in.open();
    let first = Profile::begin(&cann, &level1(), false).unwrap();
    assert!(matches!(Profile::begin(&cann, &level1(), false), Err(CannError::Busy)));
    first.finish().unwrap();
    Profile::begin(&cann, &level1(), false).unwrap().finish().unwrap();
}

#[test]
fn failures_carry_their_code_and_undo_what_was_done() {
    let Some(stand_in) = StandIn::whole() else { return };
    let cann = stand_in.open();
    let attempt = |function: &str, code: i32| {
        stand_in.fail("libascendcl.so", function, code);
        let error = Profile::begin(&cann, &level1(), false).err().map(|error| error.to_string());
        stand_in.fail("libascendcl.so", "", 0);
        let names: Vec<String> = stand_in.calls().iter().map(|c| c.split(' ').next().unwrap().to_owned()).collect();
        (error.unwrap_or_default(), names.join(" "))
    };
    let (error, calls) = attempt("aclprofInit", 200_006);
    assert_eq!(
        (error.as_str(), calls.as_str()),
        ("aclprofInit failed with error 200006 (the feature is not supported)", "Init")
    );
    let (error, calls) = attempt("aclprofCreateConfig", 1);
    assert_eq!(error, "aclprofCreateConfig refused mask 0x27 and metrics 0x1 for device 3");
    assert_eq!(calls, "Init CreateConfig Finalize");
    let (error, calls) = attempt("aclprofStart", 987_654);
    assert_eq!(error, "aclprofStart failed with error 987654");
    assert_eq!(calls, "Init CreateConfig Start DestroyConfig Finalize");

    stand_in.fail("libascendcl.so", "aclprofStop", 500_000);
    let profile = Profile::begin(&cann, &level1(), false).unwrap();
    let error = profile.finish().unwrap_err();
    assert!(matches!(error, CannError::Call { call: "aclprofStop", error } if error.0 == 500_000));
    assert_eq!(
        stand_in.calls().split_off(4),
        ["Stop 1", "DestroyConfig 1", "Finalize"],
        "the rest is done all the same"
    );
}

#[test]
fn a_rate_that_cannot_be_set_costs_its_data_only() {
    let Some(stand_in) = StandIn::whole() else { return };
    stand_in.fail("libmsprofiler.so", "aclprofSetConfig", 100_000);
    let options = DeviceOptions { sys_io: true, ..level1() };
    let profile = Profile::begin(&stand_in.open(), &options, false).unwrap();
    assert_eq!(profile.diagnostics().len(), 1);
    assert!(
        profile.diagnostics()[0]
            .to_string()
            .starts_with("SysIoFrequency is not set to 100: aclprofSetConfig failed with error 100000")
    );
    profile.finish().unwrap();
}

#[test]
fn without_the_newer_libraries_the_rest_works() {
    let Some(stand_in) = StandIn::build(&[("libascendcl.so", &["ASCENDCL"])]) else { return };
    let cann = stand_in.open();
    assert!(!cann.has_warmup() && cann.mstx().is_none());
    let mut profile = Profile::begin(&cann, &DeviceOptions { memory: true, ..level1() }, true).unwrap();
    profile.start().unwrap();
    assert!(profile.diagnostics()[0].to_string().contains("no aclprofSetConfig"), "{:?}", profile.diagnostics());
    profile.finish().unwrap();
    let create = "CreateConfig 3 of 1 metrics 0x1 events none mask 0x1027";
    assert_eq!(stand_in.calls(), ["Init /data/out 9", create, "Start 1", "Stop 1", "DestroyConfig 1", "Finalize"]);
}

#[test]
fn libraries_that_are_missing_or_too_old_are_named() {
    let Some(stand_in) = StandIn::build(&[("libascendcl.so", &["ASCENDCL", "TOO_OLD"])]) else { return };
    let error = |libraries: &Libraries| Cann::open(libraries).err().unwrap().to_string();
    assert!(
        error(&stand_in.libraries())
            .ends_with("libascendcl.so has no aclprofStop: it is too old, or not a CANN library")
    );
    let nowhere = Libraries { ascendcl: Some("/nowhere/libascendcl.so".into()), ..Libraries::default() };
    assert!(error(&nowhere).starts_with("cannot load /nowhere/libascendcl.so: "));
}

#[test]
fn a_directory_with_a_zero_byte_is_refused_before_anything_is_called() {
    let Some(stand_in) = StandIn::whole() else { return };
    let options = DeviceOptions { directory: "a\0b".to_owned(), ..level1() };
    assert!(matches!(Profile::begin(&stand_in.open(), &options, false), Err(CannError::Text(_))));
    assert_eq!(stand_in.calls(), Vec::<String>::new());
}

#[test]
fn ranges_go_to_their_domain_and_default_has_no_handle() {
    let Some(stand_in) = StandIn::whole() else { return };
    let cann = stand_in.open();
    let mstx = cann.mstx().unwrap();
    // SAFETY: the stand-in prints the address and does not follow it.
    let stream = unsafe { Stream::from_address(0xabc) };
    mstx.mark("here", None, "default");
    let range = mstx.range_start("step", stream, "default");
    mstx.range_end(range, "default");
    let inner = mstx.range_start("send", None, "communication");
    mstx.mark("now", stream, "communication");
    mstx.range_end(inner, "communication");
    mstx.mark("cut\0off", None, "stage");
    mstx.range_end(0, "stage");
    let expected = [
        "mark here stream 0",
        "start step stream abc",
        "end 101",
        "create communication",
        "domain 1 start send stream 0",
        "domain 1 mark now stream abc",
        "domain 1 end 102",
        "create stage",
        "domain 2 mark cut stream 0",
    ];
    assert_eq!(stand_in.calls(), expected);
}

#[test]
fn a_domain_that_cannot_be_made_is_the_default_one() {
    let Some(stand_in) = StandIn::whole() else { return };
    stand_in.fail("libms_tools_ext.so", "mstxDomainCreateA", 1);
    let cann = stand_in.open();
    let mstx = cann.mstx().unwrap();
    let range = mstx.range_start("step", None, "mine");
    mstx.range_end(range, "mine");
    assert_eq!(stand_in.calls(), ["create mine", "start step stream 0", "end 101"]);
}

#[test]
fn many_threads_make_a_domain_once() {
    let Some(stand_in) = StandIn::whole() else { return };
    let cann = stand_in.open();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| cann.mstx().unwrap().mark("x", None, "mine"));
        }
    });
    let calls = stand_in.calls();
    assert_eq!(calls.iter().filter(|call| *call == "create mine").count(), 1);
    assert_eq!(calls.iter().filter(|call| *call == "domain 1 mark x stream 0").count(), 16);
}

#[test]
fn masks_are_those_of_the_levels() {
    let of = |level| mask(&DeviceOptions { level, ..DeviceOptions::default() });
    let levels = [Level::None, Level::Level0, Level::Level1, Level::Level2];
    assert_eq!(levels.map(of), [0, 0x801, 0x27, 0x12F]);
}

#[test]
fn every_option_has_its_bit() {
    let level0 = DeviceOptions { level: Level::Level0, ..DeviceOptions::default() };
    let all = Features { op_attr: true, memory_access: true, aicore_shape: true };
    for (options, bit) in [
        (DeviceOptions { l2_cache: true, ..level0.clone() }, 0x10),
        (DeviceOptions { mstx: true, ..level0.clone() }, 0x80),
        (DeviceOptions { memory: true, ..level0.clone() }, 0x1000),
        (DeviceOptions { op_attr: true, features: all, ..level0.clone() }, 0x4000),
        (DeviceOptions { op_attr: true, ..level0.clone() }, 0),
        (DeviceOptions { shapes: true, features: all, ..level0.clone() }, masks::AICORE_SHAPE),
        (DeviceOptions { shapes: true, ..level0.clone() }, 0),
        (DeviceOptions { metrics: AicMetrics::Memory, ..level0.clone() }, 0),
        (DeviceOptions { sys_io: true, sys_interconnection: true, ..level0.clone() }, 0),
    ] {
        assert_eq!(mask(&options), 0x801 | bit, "{options:?}");
    }
    let level1 = DeviceOptions { level: Level::Level1, shapes: true, features: all, ..level0.clone() };
    assert_eq!(mask(&level1), 0x27, "shapes are part of level 1");
    assert_eq!(mask(&DeviceOptions { level: Level::None, mstx: true, ..level0 }), 0x80);
}

#[test]
fn metrics_have_the_numbers_of_the_interface_and_need_level_1() {
    assert_eq!(AicMetrics::ALL.map(metrics_number), [0xFF, 1, 0, 2, 3, 5, 4, 6, 8]);
    let recorded = |level, metrics, memory_access| {
        let features = Features { memory_access, ..Features::default() };
        DeviceOptions { level, metrics, features, ..DeviceOptions::default() }.recorded_metrics()
    };
    assert_eq!(recorded(Level::Level0, AicMetrics::PipeUtilization, true), AicMetrics::None);
    assert_eq!(recorded(Level::Level1, AicMetrics::MemoryUb, false), AicMetrics::MemoryUb);
    assert_eq!(recorded(Level::Level2, AicMetrics::MemoryAccess, true), AicMetrics::MemoryAccess);
    assert_eq!(recorded(Level::Level2, AicMetrics::MemoryAccess, false), AicMetrics::PipeUtilization);
}

#[test]
fn limits_and_rates_are_text_in_their_range() {
    let options = DeviceOptions { storage_limit_mb: Some(1), ..DeviceOptions::default() };
    assert_eq!(configs(&options), [(ConfigType::StorageLimit, "200MB".to_owned())]);
    assert_eq!(configs(&DeviceOptions::default()), []);
    assert_eq!(ConfigType::HostSysUsageFrequency.number(), 10);
}
