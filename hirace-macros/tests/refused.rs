//! What rustc says of items that are refused: our errors at their tokens, and nothing else.
//!
//! What is refused, and in which words, is tested where kernels are lowered.

#[test]
fn rustc_says_what_we_say_and_every_name_stays() {
    trybuild::TestCases::new().compile_fail("tests/refused/*.rs");
}
