//! How a crate declares its messages.

/// A message that some code makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    pub id: &'static str,
    pub arguments: &'static [&'static str],
}

/// Implements [`Display`](std::fmt::Display) for types with a method `message`: its English sentence.
#[macro_export]
macro_rules! display_message {
    ($($type:ty),+ $(,)?) => {
        $(impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.message(), f)
            }
        })+
    };
}

/// Declares messages: each becomes a function that takes the arguments and returns a [`Message`](crate::Message).
/// `DECLARED` lists them for [`check`](crate::check).
#[macro_export]
macro_rules! messages {
    ($($(#[$attribute:meta])* $id:literal => $function:ident($($argument:ident: $type:ty),* $(,)?)),+ $(,)?) => {
        $(
            $(#[$attribute])*
            pub fn $function($($argument: $type),*) -> $crate::Message {
                $crate::Message::declared($id, vec![$((stringify!($argument), $argument.into())),*])
            }
        )+

        /// The messages above.
        #[allow(dead_code)]
        pub const DECLARED: &[$crate::Declared] = &[$(
            $crate::Declared { id: $id, arguments: &[$(stringify!($argument)),*] }
        ),+];
    };
}
