//! Numbers that make no sense where they stand. Which do, slangc 2026.14 was asked.

use crate::tests::check;

#[test]
fn nothing_is_divided_by_zero() {
    check(
        "static const int ZERO = 0;
        static const int Q = 5 / 0; //! E30002 division by zero
        int f(int n, uint u, float x, int2 v) {
            int a = 1 / 0; //! E30002 division by zero
            int b = n / (1 - 1); //! E30002 division by zero
            uint c = u % 0u; //! E30002 division by zero
            n /= 0; //! E30002 division by zero
            float d = x / 0;
            float e = x / 0.0;
            int g = n / ZERO;
            int2 h = v / n;
            return a;
        }",
    );
}

#[test]
fn shifts_leave_something() {
    check(
        "static const int FORTY = 40;
        void f(int x, uint8_t b, int64_t l, int2 v, uint u, int n) {
            int a = x << 32; //! E41030 'int' has no bits left
            int c = x << 31;
            uint8_t d = b << 8; //! E41030 'uint8_t' has no bits left
            uint8_t d2 = b << 7;
            int64_t e = l << 63;
            int64_t g = l << 64; //! E41030 'int64_t' has no bits left
            int2 h = v << 32; //! E41030 'int2' has no bits left
            x <<= 30 + 3; //! E41030 'int' has no bits left
            int j = 1 << 40;
            int k = x << -1;
            int m = x << FORTY;
            int o = x >> 40;
            uint8_t p = b << n; //! E41034 stays a 'uint8_t'
            int q = x << n;
        }",
    );
}

#[test]
fn literals_are_numbers_of_their_types() {
    check(
        "void f() {
            float a = 1e39; //! E40009 no 'float' is that large
            float b = 3.4028235e38;
            float c = 3.4028236e38; //! E40009 no 'float' is that large
            float d = -1e39f; //! E40009 no 'float' is that large
            double e = 1e39; //! E40009 no 'float' is that large
            double g = 1e39L;
            double h = 1e309L; //! E40009 no 'double' is that large
            half j = 65519.0h;
            half k = 65520.0h; //! E40009 no 'half' is that large
            float m = 1e-50; //! E40010 no 'float' is that small
            float n = 1e-45;
            float o = 0.0e99;
            half p = 1e-9h; //! E40010 no 'half' is that small
        }",
    );
}

#[test]
fn a_literal_fits_where_its_bits_do() {
    check(
        "
        int8_t a() { return 128; }
        int8_t b() { return 0xFF; }
        int c() { return 3000000000; }
        uint8_t d() { return 300; } //! E40016 '300' does not fit
        ",
    );
}
