//! A query that runs: its batches as they come, until it ends, its time is up, or nobody wants them any more.
//!
//! A query is planned, run and dropped on the threads of its session, whose stacks are large; whoever asked only waits.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use npuscope_store::StoreError;
use tokio::sync::mpsc::Receiver;
use tokio::task::AbortHandle;

use crate::error::EngineError;

/// How often somebody who waits looks whether the program is to stop.
const LOOK: Duration = Duration::from_millis(50);

/// What a running query reports.
pub(crate) enum Message {
    Schema(SchemaRef),
    Batch(RecordBatch),
    Failed(EngineError),
    End,
}

/// A query that runs. Dropping it stops the query.
pub struct Query {
    pub(crate) messages: Receiver<Message>,
    pub(crate) task: AbortHandle,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) program_stops: Arc<AtomicBool>,
    pub(crate) limit: Option<(Instant, Duration)>,
    pub(crate) schema: Option<SchemaRef>,
}

impl Query {
    /// The columns of the answer, known once the query is planned.
    pub async fn schema(&mut self) -> Result<SchemaRef, EngineError> {
        if self.schema.is_none() {
            match self.messages.recv().await {
                Some(Message::Schema(schema)) => self.schema = Some(schema),
                Some(Message::Failed(error)) => return Err(error),
                _ => return Err(EngineError::Ended),
            }
        }
        self.schema.clone().ok_or(EngineError::Ended)
    }

    /// The next batch; nothing at the end. Does not look at the time: that is for whoever waits.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        self.schema().await?;
        match self.messages.recv().await {
            Some(Message::Batch(batch)) => Ok(Some(batch)),
            Some(Message::End) => Ok(None),
            Some(Message::Failed(error)) => Err(error),
            Some(Message::Schema(_)) | None => Err(EngineError::Ended),
        }
    }

    /// When the query must have ended.
    pub fn deadline(&self) -> Option<Instant> {
        self.limit.map(|(deadline, _)| deadline)
    }

    /// What is wrong with a query that has not ended by then.
    pub fn out_of_time(&self) -> EngineError {
        EngineError::Time { limit: self.limit.map_or(Duration::ZERO, |(_, limit)| limit) }
    }

    /// [`Query::schema`] for those who may block.
    pub(crate) fn wait_schema(&mut self) -> Result<SchemaRef, EngineError> {
        let (deadline, stops) = (self.deadline(), self.program_stops.clone());
        match wait(self.schema(), deadline, &stops) {
            Ok(schema) => schema,
            Err(gave_up) => Err(self.gave_up(gave_up)),
        }
    }

    /// [`Query::next`] for those who may block.
    pub(crate) fn wait_next(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        let (deadline, stops) = (self.deadline(), self.program_stops.clone());
        match wait(self.next(), deadline, &stops) {
            Ok(batch) => batch,
            Err(gave_up) => Err(self.gave_up(gave_up)),
        }
    }

    fn gave_up(&self, why: GaveUp) -> EngineError {
        match why {
            GaveUp::Time => self.out_of_time(),
            GaveUp::Stopped => StoreError::Stopped.into(),
        }
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.task.abort();
    }
}

/// One of the queries that run.
pub(crate) struct Running(Arc<AtomicUsize>);

impl Running {
    pub(crate) fn new(count: &Arc<AtomicUsize>) -> Running {
        count.fetch_add(1, Ordering::Relaxed);
        Running(count.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Why somebody no longer waits.
pub(crate) enum GaveUp {
    Time,
    Stopped,
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread. The timers of the session would not do: its threads may all be busy with this very query.
pub(crate) fn wait<T>(
    future: impl Future<Output = T>,
    deadline: Option<Instant>,
    program_stops: &AtomicBool,
) -> Result<T, GaveUp> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    let mut future = poll_fn(|context| future.as_mut().poll(context));
    loop {
        if let Poll::Ready(value) = pin!(&mut future).poll(&mut context) {
            return Ok(value);
        }
        if program_stops.load(Ordering::Relaxed) {
            return Err(GaveUp::Stopped);
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Err(GaveUp::Time);
        }
        thread::park_timeout(left.unwrap_or(LOOK).min(LOOK));
    }
}
