//! What went wrong with a request, as its answer.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use npuscope_engine::EngineError;
use npuscope_store::StoreError;

use npuscope_views::NotMade;

use crate::answers::{ErrorAnswer, Missing, MissingAnswer};
use crate::timeline::search::SearchError;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// The profile lacks what is asked for; the switch would have recorded it. That is an answer, too: browsers tell of
    /// others in their consoles.
    #[error("{what}")]
    Missing { what: String, switch: String },
    /// What is asked for makes no sense.
    #[error("{0}")]
    Bad(String),
    /// The request is larger than any that makes sense.
    #[error("{0}")]
    TooLarge(String),
    #[error("{0}")]
    Internal(String),
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
        Failure::Bad(error.to_string())
    }
}

impl From<NotMade> for Failure {
    fn from(why: NotMade) -> Failure {
        match why {
            NotMade::Missing { what, switch } => Failure::Missing { what, switch },
            NotMade::Bad(what) => Failure::Bad(what),
            NotMade::Failed(error) => error.into(),
        }
    }
}

/// What is said of something that a profile lacks.
pub fn missing(what: String, switch: String) -> MissingAnswer {
    MissingAnswer { missing: Missing { what, switch } }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, error) = match self {
            Failure::Missing { what, switch } => return Json(missing(what, switch)).into_response(),
            Failure::NotFound(why) => (StatusCode::NOT_FOUND, why),
            Failure::Bad(why) => (StatusCode::BAD_REQUEST, why),
            Failure::TooLarge(why) => (StatusCode::PAYLOAD_TOO_LARGE, why),
            Failure::Internal(why) => (StatusCode::INTERNAL_SERVER_ERROR, why),
        };
        (status, Json(ErrorAnswer { error })).into_response()
    }
}
