//! What went wrong with a request, as its answer.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use npuscope_engine::EngineError;
use npuscope_messages::Message;
use npuscope_store::StoreError;
use npuscope_tables::Rank;
use npuscope_views::{BadQuestion, NotMade};

use crate::answers::{ErrorAnswer, Missing, MissingAnswer};
use crate::timeline::search::SearchError;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The profile lacks what is asked for; the switch would have recorded it. That is an answer, too: browsers report
    /// others in their consoles.
    #[error("{what}")]
    Missing { what: Box<Message>, switch: Box<Message> },
    #[error(transparent)]
    Bad(#[from] Bad),
    /// The request is larger than any that makes sense.
    #[error("{0}")]
    TooLarge(String),
    #[error("{0}")]
    Internal(String),
}

/// There is no such thing.
#[derive(Debug, thiserror::Error)]
pub enum NotFound {
    #[error("there is nothing at this address")]
    Address,
    #[error("there is no rank {0}")]
    Rank(Rank),
    #[error("rank {rank} has no slice {slice}")]
    Slice { rank: Rank, slice: u32 },
    #[error("there is no table {0}")]
    Table(String),
}

/// What is asked for makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum Bad {
    #[error(transparent)]
    Question(#[from] BadQuestion),
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The query is at fault, and the engine says why.
    #[error(transparent)]
    Query(EngineError),
    /// The body of the request is not what is asked for: what axum says of it.
    #[error("{0}")]
    Body(String),
    #[error("{0} are numbers by comma")]
    NotNumbers(&'static str),
    #[error("there is no level above {most}")]
    Level { most: u32 },
    #[error("a strip has 1 to {most} buckets, and ends after it begins")]
    Strip { most: usize },
    #[error("this is no gap of a lane of the device")]
    NoGap,
}

impl From<BadQuestion> for Failure {
    fn from(why: BadQuestion) -> Failure {
        Bad::from(why).into()
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Internal(error.to_string())
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Internal(error.to_string())
    }
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Failure {
        Bad::from(error).into()
    }
}

impl From<NotMade> for Failure {
    fn from(why: NotMade) -> Failure {
        match why {
            NotMade::Missing { what, switch } => Failure::Missing { what, switch },
            NotMade::Bad(why) => why.into(),
            NotMade::Failed(error) => error.into(),
        }
    }
}

/// What is said of something that a profile lacks.
pub fn missing(what: Message, switch: Message) -> MissingAnswer {
    MissingAnswer { missing: Missing { what, switch } }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, error) = match self {
            Failure::Missing { what, switch } => return Json(missing(*what, *switch)).into_response(),
            Failure::NotFound(why) => (StatusCode::NOT_FOUND, why.to_string()),
            Failure::Bad(why) => (StatusCode::BAD_REQUEST, why.to_string()),
            Failure::TooLarge(why) => (StatusCode::PAYLOAD_TOO_LARGE, why),
            Failure::Internal(why) => (StatusCode::INTERNAL_SERVER_ERROR, why),
        };
        (status, Json(ErrorAnswer { error })).into_response()
    }
}
