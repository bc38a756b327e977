use crate::tests::check;

/// Verdicts of the reference compiler.
#[test]
fn fields_of_payloads_say_who_uses_them() {
    check(
        "[raypayload] struct P {
            float a : read(caller, anyhit) : write(caller);
            float b : read(miss);
            float c : write(closesthit);
            float d; //! E40000 field 'd'
            float e : read(caller) : write(badstage); //! E40001 'badstage'
            float f : read(anyht, miss) : write(caller); //! E40001 'anyht'
            static int shared;
        }
        struct Plain { float a; float b : read(nobody); }",
    );
}
