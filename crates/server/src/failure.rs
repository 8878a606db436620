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
use crate::messages;
use crate::timeline::search::SearchError;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    NotFound(#[from] NotFound),
    /// The profile lacks what is asked for; the switch would have recorded it. That is an answer, too: browsers report
    /// others in their consoles.
    Missing {
        what: Box<Message>,
        switch: Box<Message>,
    },
    Bad(#[from] Bad),
    /// The request is larger than any that makes sense.
    TooLarge {
        limit: usize,
    },
    /// The profile could not be read, or not be asked.
    Engine(#[from] EngineError),
    /// The pages that a report is made of are not in the binary.
    NoPages,
    /// The text is that of another library.
    Internal(String),
}

/// There is no such thing.
#[derive(Debug, thiserror::Error)]
pub enum NotFound {
    Address,
    Rank { rank: Rank, ranks: Vec<Rank> },
    Slice { rank: Rank, slice: u32 },
    View(String),
}

/// What is asked for makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum Bad {
    Question(#[from] BadQuestion),
    Search(#[from] SearchError),
    /// The query is at fault, and the engine says why.
    Query(EngineError),
    /// The address or the body of the request is not what is asked for: what axum says of it.
    Request(String),
    NotNumbers(&'static str),
    Level {
        most: u32,
    },
    Strip {
        most: usize,
    },
    NoGap,
}

impl Failure {
    pub fn message(&self) -> Message {
        match self {
            Failure::NotFound(why) => why.message(),
            Failure::Missing { what, .. } => Message::clone(what),
            Failure::Bad(why) => why.message(),
            Failure::TooLarge { limit } => messages::request_too_large(*limit),
            Failure::Engine(error) => error.message(),
            Failure::NoPages => messages::no_pages(),
            Failure::Internal(text) => messages::internal(text),
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Failure::Missing { .. } => StatusCode::OK,
            Failure::NotFound(_) => StatusCode::NOT_FOUND,
            Failure::Bad(_) => StatusCode::BAD_REQUEST,
            Failure::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Failure::Engine(_) | Failure::NoPages | Failure::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl NotFound {
    pub fn message(&self) -> Message {
        match self {
            NotFound::Address => messages::no_address(),
            NotFound::Rank { rank, ranks } => BadQuestion::NoRank { rank: *rank, ranks: ranks.clone() }.message(),
            NotFound::Slice { rank, slice } => messages::no_slice(rank.to_string(), *slice),
            NotFound::View(name) => messages::no_view(name),
        }
    }
}

impl Bad {
    pub fn message(&self) -> Message {
        match self {
            Bad::Question(why) => why.message(),
            Bad::Search(why) => why.message(),
            Bad::Query(error) => error.message(),
            Bad::Request(text) => messages::request_invalid(text),
            Bad::NotNumbers(name) => messages::not_numbers(name),
            Bad::Level { most } => messages::no_level(*most),
            Bad::Strip { most } => messages::strip(*most),
            Bad::NoGap => messages::not_idle(),
        }
    }
}

npuscope_messages::display_message!(Failure, NotFound, Bad);

impl From<BadQuestion> for Failure {
    fn from(why: BadQuestion) -> Failure {
        Bad::from(why).into()
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        EngineError::from(error).into()
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
        let (status, error) = (self.status(), self.message());
        match self {
            Failure::Missing { what, switch } => Json(missing(*what, *switch)).into_response(),
            _ => (status, Json(ErrorAnswer { error })).into_response(),
        }
    }
}
