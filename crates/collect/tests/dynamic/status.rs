//! What ranks report.

use std::fs;

use npuscope_collect::dynamic::{Control, Failure, Reporter, State, Status, statuses, write_status};

use crate::{mindspore, request};

#[test]
fn statuses_are_read_back_by_rank() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("profiler_config.json");
    assert_eq!(statuses(&config), []);
    for rank in [10, 2, 0] {
        let status = Status { step: 7, state: State::Recording, ..Status::of_this_process(rank) };
        write_status(&config, &status).unwrap();
    }
    let place = directory.path().join("npuscope_status");
    fs::write(place.join("rank3.json"), "{ malformed").unwrap();
    fs::write(place.join("notes.txt"), "").unwrap();
    let read = statuses(directory.path());
    assert_eq!(read.iter().map(|status| status.rank).collect::<Vec<_>>(), [0, 2, 10]);
    assert!(
        read.iter().all(|status| status.pid == std::process::id() && status.step == 7 && status.age().as_secs() < 60)
    );
    assert!(!read[0].host.is_empty());
    let left: Vec<_> = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "no temporary file stays: {left:?}");
}

#[test]
fn versions_before_and_after_the_renaming_read_the_error_of_a_rank() {
    let directory = tempfile::tempdir().unwrap();
    let error = Some(Failure::Text("the disk is full".to_owned()));
    write_status(directory.path(), &Status { error: error.clone(), ..Status::of_this_process(0) }).unwrap();
    let file = directory.path().join("npuscope_status/rank0.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(r#""error":"the disk is full""#), "{text}");
    assert!(text.contains(r#""problem":"the disk is full""#), "{text}"); // older name
    assert_eq!(statuses(directory.path())[0].error, error);
    fs::write(&file, text.replace(r#""error":"the disk is full","#, "")).unwrap();
    assert_eq!(statuses(directory.path())[0].error, error);
}

#[test]
fn a_step_alone_is_not_worth_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let mut reporter = Reporter::new(directory.path());
    let mut control = Control::new(4);
    control.begin(Some(request(&mindspore(3, 4))));
    assert!(reporter.report(&control.status(None)).unwrap());
    control.step(None);
    assert!(!reporter.report(&control.status(None)).unwrap(), "the same but for the step");
    control.step(None);
    assert!(reporter.report(&control.status(Some("out/rank4_start3_stop4"))).unwrap(), "it records now");
    let read = statuses(directory.path());
    assert_eq!((read[0].rank, read[0].step, read[0].state), (4, 2, State::Recording));
    assert_eq!((read[0].start, read[0].stop), (Some(3), Some(4)));
    assert_eq!(read[0].output.as_deref(), Some("out/rank4_start3_stop4"));
    assert_eq!(read[0].fingerprint, Some(request(&mindspore(3, 4)).fingerprint));
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_and_is_not_tried_at_every_step() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("npuscope_status"), "in the way").unwrap();
    let mut reporter = Reporter::new(directory.path());
    let status = Status::of_this_process(0);
    assert!(reporter.report(&status).is_err());
    assert!(!reporter.report(&status).unwrap());
}
