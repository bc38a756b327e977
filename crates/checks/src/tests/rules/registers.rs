use crate::tests::check;

/// Verdicts of the reference compiler.
#[test]
fn resources_have_registers_of_their_class() {
    check(
        "struct S { uint4 foo; }
        Texture2D a : register(space1); //! E31222 'space1'
        Texture2D a2 : register(T0); //! E31222 'T0'
        Texture2D b[3] : register(t0);
        Texture2D b2[3] : register(u0); //! E31222 'u0' for type 'Texture2D<float4>'
        Sampler2D c : register(s1);
        Sampler2D c2 : register(t1);
        Sampler2D c3 : register(u1); //! E31222 't' or 's'
        TextureBuffer<S> d : register(b1);
        TextureBuffer<S> d2 : register(t7);
        ParameterBlock<S> e : register(t3);
        SamplerComparisonState f : register(t2); //! E31222 's'
        Buffer<float> g : register(u8); //! E31222 't'
        RWBuffer<float> h : register(t8); //! E31222 'u'
        RWStructuredBuffer<S> i : register(t0, space1); //! E31222 'u'
        ConstantBuffer<S> j : register(t1); //! E31222 'b'
        ByteAddressBuffer k : register(u3); //! E31222 't'
        AppendStructuredBuffer<S> l : register(t7); //! E31222 'u'
        RaytracingAccelerationStructure m : register(u13); //! E31222 't'
        FeedbackTexture2D n : register(t6); //! E31222 'u'
        float x : register(c0);
        float y : register(t0);
        cbuffer CB : register(t1) { float z; } //! E31222 'cbuffer'
        tbuffer TB : register(t2) { float w; }
        struct Res { Texture2D t : register(u0); } //! E31222 'u0'",
    );
}

/// Verdicts of the reference compiler, for HLSL.
#[test]
fn registers_and_offsets_are_written_in_full() {
    check(
        "Texture2D a : register(t0, space); //! E39010 'space'
        Texture2D b : register(t0, space1x); //! E39009 'space1x'
        Texture2D c : register(t); //! E39008 't'
        Texture2D d : register(t0, space2);
        cbuffer E : register(b0, set1) { float e; } //! E39009 'set1'
        cbuffer F { float f : packoffset(d0); } //! E39007 'd0'
        cbuffer G { float g : packoffset(c0.w); float h : packoffset(c1.q); } //! E39011 'q'",
    );
}
