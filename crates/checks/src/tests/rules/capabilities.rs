//! `[require(…)]` and what is used; what is expected is what slangc 2026.14.1 says.

use crate::tests::check;

#[test]
fn names_of_capabilities_are_known() {
    check(
        r#"
        [require(nonsense)] void a() {} //! E36105 unknown capability 'nonsense'
        [require(cpp_foo)] void b() {} //! E36105 unknown capability 'cpp_foo'
        [require("hlsl")] void c() {} //! E36106 without quotes
        [require(1)] void d() {} //! E36106 names of capabilities
        [require(spirv, hlsl)] void e() {} //! E36111 'spirv' and 'hlsl'
        [require(hlsl, sm_6_0)] void f() {}
        [require(spvAtomicFloat32AddEXT, spvRayQueryKHR)] void g() {}
        [require(cpp_cuda_glsl_hlsl_metal_spirv, sm_5_0)] void h() {}
        void i() { if (false) { __requireCapability(nonsense); } } //! E36105 'nonsense'
        void j() { __requireCapability(spirv, spvRayQueryKHR); }
        [shader("_raygen")] void k() {}
        [shader("compute_fragment")] void l() {} //! E36116 several stages
        "#,
    );
}

#[test]
fn a_function_uses_what_it_declares() {
    check(
        "
        [require(hlsl)] void h() {}
        [require(glsl)] void g() {}
        [require(spvShaderClockKHR)] void clock() {}
        [require(spvShaderNonUniform)] uint nonuniform() { return 1; }
        void between() { clock(); nonuniform(); }

        [require(hlsl)] void a() { g(); } //! E36108 the target 'hlsl'
        [require(spirv, shaderclock)] void b() { between(); } //! E36104 uses 'spvShaderNonUniform'
        [require(spirv, shaderclock)] void c() { uint x = nonuniform() + 1u; } //! E36104 uses 'spvShaderNonUniform'
        [require(spirv, shaderclock)] void d() { clock(); }
        [require(spirv, shaderclock, spvShaderNonUniform)] void e() { between(); }
        [require(glsl_hlsl_metal_spirv)] void anywhere() {}
        [require(hlsl, sm_6_0)] void newer() { AllMemoryBarrier(); anywhere(); }
        [require(hlsl)] void f() { newer(); } //! E36104 uses 'sm_6_0'
        void undeclared() { f(); newer(); between2(); }
        void between2() { anywhere(); }
        ",
    );
}

#[test]
fn what_is_used_together_has_a_target_in_common() {
    check(
        r#"
        [require(hlsl)] void h() {}
        [require(glsl)] void g() {}
        void a() { h(); g(); } //! E36100 'g' exists for none
        [shader("compute")] [numthreads(1, 1, 1)] void b() { h(); g(); } //! E36100 'g' exists for none
        [require(hlsl)] void c() { c2(); }
        void c2() { c(); h(); }
        "#,
    );
}

#[test]
fn types_are_for_targets_as_well() {
    check(
        "
        [require(hlsl)] struct S
        {
            int x;
            [require(glsl)] void m() {} //! E36108 the target 'glsl'
            [require(glsl)] static void s() {}
        }
        [require(glsl)] void local() { S s = {}; } //! E36108 the target 'glsl'
        [require(glsl)] int parameter(S s) { return 1; } //! E36108 the target 'glsl'
        [require(hlsl)] int right(S s) { return s.x; }
        ",
    );
}

#[test]
fn discard_is_for_fragments() {
    check(
        r#"
        struct Payload {}
        [require(spvRayTracingKHR)] [shader("closesthit")]
        void hit(inout Payload payload, BuiltInTriangleIntersectionAttributes attributes) { discard; } //! E36117 'closesthit'
        [require(spirv)] [shader("fragment")]
        float4 shade() : SV_Target { discard; return 1.0; }
        void plain() { discard; }
        "#,
    );
}

#[test]
fn arms_of_a_target_switch_are_targets() {
    check(
        "
        [require(hlsl)] void h() {}
        [require(glsl)] void g() {}
        void a() { __target_switch { case nonsense: return; default: return; } } //! E29110 'nonsense'
        void b() { __target_switch { case fragment: return; default: return; } } //! E29115 'fragment' is a stage
        void c() { __target_switch { case raytracing: return; default: return; } } //! E36109 'raytracing'
        void d() { __stage_switch { case fragment: return; case foo: return; default: return; } } //! E29110 'foo'
        [require(spirv)] void e() { __target_switch { case hlsl: return; default: return; } } //! E36101 not for 'hlsl'
        void f() { __target_switch { case hlsl: g(); default: return; } } //! E36101 does not exist for its target
        void i() { __target_switch { case hlsl: h(); break; case glsl: g(); break; } }
        [require(hlsl)] void j() { i(); }
        [require(spirv)] void k() { i(); } //! E36108 the target 'spirv'
        void l()
        {
            __target_switch
            {
            case spvDeviceGroup: return;
            case spvBindlessTextureNV: return; //! E36120 neither includes
            }
        }
        void m() { __target_switch { case spirv: return; case spvBindlessTextureNV: return; } }
        [require(cpp)] [require(glsl)] [require(spirv)] void n() { __target_switch { case glsl: return; default: return; } }
        ",
    );
}

#[test]
fn types_keep_what_their_interfaces_promise() {
    check(
        "
        [require(hlsl)] [require(spirv)] interface IBoth {}
        [require(hlsl)] struct One : IBoth {} //! E36118 not for 'spirv'
        [require(sm_4_0)] interface IOld {}
        [require(sm_5_0)] struct New : IOld {} //! E36114 uses 'sm_5_0'
        [require(sm_5_0)] interface INew {}
        [require(sm_4_0)] struct Old : INew {}

        [require(spvGroupNonUniformArithmetic)] void arithmetic() {}
        [require(spvRayQueryKHR)] void query() {}
        [require(spvAtomicFloat16AddEXT)] interface IFoo { [require(spvRayQueryKHR)] void a(); void b(); }
        struct Good : IFoo { void a() { query(); } void b() {} }
        struct Bad : IFoo
        {
            void a() { query(); arithmetic(); } //! E36110 'spvGroupNonUniformArithmetic'
            void b() { arithmetic(); } //! E36110 'spvGroupNonUniformArithmetic'
        }
        interface IFree { void c(); }
        struct Free : IFree { void c() { arithmetic(); } }
        ",
    );
}
