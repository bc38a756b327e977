//! Attributes and their arguments.

use crate::tests::check;

#[test]
fn sizes_of_groups_and_waves() {
    check(
        "[numthreads(8, 8, 1)] [WaveSize(32)] void a() {}
        static const int n = 4;
        [numthreads(n * 2, 1, 1)] void b() {}
        [numthreads(0, 1, 1)] void c() {} //! E31102 got '0'
        [numthreads(n - 5, 1, 1)] void d() {} //! E31102 got '-1'
        [numthreads(1, 1, 1)] [numthreads(2, 1, 1)] void e() {} //! E31202 redundant
        [WaveSize(5)] void f() {} //! E31103 got '5'",
    );
}

#[test]
fn attributes_stand_on_what_they_are_about() {
    check(
        "[Flags] enum A { X }
        [Flags] struct B {} //! E31002 attribute 'Flags' is not valid here
        [ForceInline] int c; //! E31002 attribute 'ForceInline' is not valid here
        [MaxIters(3)] void d() {} //! E31002 attribute 'MaxIters' is not valid here
        [UnscopedEnum] enum class E { Y } //! E31202 conflicts with 'class'
        [NoDiscard] void f() {} //! E30069 not allowed on a function that returns 'void'
        [NoDiscard] int g() { return 1; }",
    );
}

#[test]
fn stages_are_known() {
    check(
        "[shader(\"compute\")] [numthreads(1, 1, 1)] void a() {}
        [shader(\"compte\")] void b() {} //! E36105 unknown stage 'compte'",
    );
}

#[test]
fn attributes_of_the_program() {
    check(
        "[__AttributeUsage(_AttributeTargets.Var)] struct RangeAttribute { int low; float high; }
        [Range(1, 2.5)] int a;
        [Range(1, 2)] int b;
        [Range(1)] int c; //! E31001 attribute 'Range' expects 2 arguments (1 provided)
        [Range(\"low\", 2.0)] int d; //! E30019 expected an expression of type 'int', got 'String'
        [Range(1, 2.5)] void e() {} //! E31002 attribute 'Range' is not valid here",
    );
}

#[test]
fn specialization_constants_are_scalars() {
    check(
        "[SpecializationConstant] const int a = 1;
        [vk::constant_id(2)] const float3 b; //! E31218 must be a scalar
        [vk::constant_id(3)] static const int c = 1; //! E31219 cannot be 'static'",
    );
}

#[test]
fn com_interfaces() {
    check(
        "[COM(\"4CDF8E5F-1B1C-4E0F-A6B5-1C6B2D2F5E4D\")] interface A { int f(); }
        [COM(\"no guid\")] interface B {} //! E31123 'no guid' is not a valid GUID
        class C : A { int f() { return 1; } }
        struct D : A { int f() { return 1; } } //! E31124 cannot implement a [COM] interface",
    );
}

#[test]
fn attributes_that_nobody_knows() {
    check(
        "[Diferentiable] float a(float x) { return x; } //! E31000 unknown attribute 'Diferentiable'
        [ForceInline] [vk::binding(0)] float b(float x) { return x; }",
    );
}

#[test]
fn one_target_at_a_time() {
    check(
        "[require(glsl_spirv, sm_5_0)] void a() {}
        [require(hlsl, _sm_5_0)] void b() {}
        [require(spirv, hlsl)] void c() {} //! E36111 names two targets, 'spirv' and 'hlsl'",
    );
}
