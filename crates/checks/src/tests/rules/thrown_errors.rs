//! Errors that are thrown, tried and caught.

use crate::tests::check;

const DECLARATIONS: &str = "enum Full { Disk } enum Empty { Tank }
        int g() throws Full { throw Full.Disk; }
        int plain() { return 1; }
        struct Box<T> { T value; T get() throws Full { throw Full.Disk; } }
        ";

fn check_with_declarations(text: &str) {
    check(&format!("{DECLARATIONS}{text}"));
}

#[test]
fn errors_are_handed_on_or_caught() {
    check_with_declarations(
        "int handed_on(Box<int> b) throws Full { int a = try g(); return a + try b.get(); }
        int caught() { do { return try g() + plain(); } catch (e: Full) { return 2; } }
        int caught_by_all() { do { throw Empty.Tank; } catch { return 2; } return 1; }
        int in_defer() { defer { do { let n = try g(); } catch (e: Full) {} } return 1; }
        int further_out() { do { do { throw Full.Disk; } catch (e: Empty) {} } catch (e: Full) {} return 1; }
        int of_value<E>(E e) throws E { throw e; }
        int twice(Full f) throws Full { return try of_value(f); }",
    );
}

/// The numbers are slangc's.
#[test]
fn errors_that_nobody_takes() {
    check_with_declarations(
        "int a() { return g(); } //! E30094 'g' may throw: call it with 'try'
        int b() { return try g(); } //! E30093 declare the function 'throws Full', or catch it
        int c() { throw Full.Disk; } //! E30115 nothing catches 'Full' here
        int d() throws Empty { return try g(); } //! E30095 the call throws 'Full', the function around it 'Empty'
        int e() throws Full { return try plain(); } //! E30091 'plain' does not throw
        int f() throws Empty { throw Full.Disk; } //! E30116 the function throws 'Empty', not 'Full'
        int h() throws Full { return try 5; } //! E30090 in front of a call
        int i() { do { return try g(); } catch (e: Empty) { return 2; } } //! E30093 nothing catches 'Full'
        int j() { do { plain(); } catch (e: Full) { throw e; } return 1; } //! E30115 nothing catches 'Full'",
    );
}

#[test]
fn errors_do_not_leave_a_defer() {
    check_with_declarations(
        "int a() throws Full { defer { let n = try g(); } return 1; } //! E30114 an error cannot leave a 'defer'
        int b() throws Full { do { defer { throw Full.Disk; } } catch (e: Full) {} return 1; } //! E30113 cannot leave",
    );
}
