//! Text with everything in it that a format gives a meaning.

use proptest::prelude::*;

/// Text with everything in it that a format gives a meaning.
pub fn hostile() -> BoxedStrategy<String> {
    prop_oneof![
        2 => "[a-zA-Z_:./0-9]{1,12}",
        2 => "[\"\\\\{}\\[\\],:;@'\\-#\t\r\n ]{1,8}",
        1 => "\\PC{1,8}",
        1 => "[a\"{,}\\[\\]算子é😀\u{7f}\u{feff}\u{2028}]{1,8}",
    ]
    .boxed()
}
