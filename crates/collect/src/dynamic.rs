//! Recording that a file switches while the job runs.
