//! The core library as the type checker sees it.

use base_db::{Db, Project, SourceFile};
use hir_def::scope;

use super::{check, database};

/// Declarations and bodies of the whole library are free of errors.
#[test]
fn the_core_library_has_no_errors() {
    let (db, ..) = database("");
    assert_no_errors(&db, Project::get(&db).prelude(&db));
}

#[test]
fn the_library_of_glsl_has_no_errors() {
    let (db, ..) = database("import glsl;");
    assert!(!Project::get(&db).glsl(&db).is_empty());
    assert_no_errors(&db, Project::get(&db).glsl(&db));
}

fn assert_no_errors(db: &dyn Db, files: &[SourceFile]) {
    let mut found = Vec::new();
    for file in files {
        found.extend(hir_def::diagnostics::file_diagnostics(db, *file).into_iter().map(|found| found.message));
        for item in scope::all_file_items(db, *file).iter() {
            for diagnostic in crate::diagnostics(db, *item) {
                let name = hir_ty::display::item_name(db, *item);
                found.push(format!("{}: {name}: {}", file.path(db), diagnostic.message));
            }
        }
    }
    found.dedup();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Who does not ask for GLSL's library neither sees nor loads it.
#[test]
fn the_library_of_glsl_is_there_for_those_who_ask() {
    let (db, ..) = database("float4 f() { return 0; }");
    assert!(Project::get(&db).glsl(&db).is_empty());
    check("void f() { vec4 v; } //! 30015 undefined identifier 'vec4'");
    check(
        "import glsl;
        void f(mat3x2 m, vec3 v, ivec2 a) {
            let p = m * v; //: m * v : float2
            let e = a == a; //: a == a : bool
        }
        bool same<T : __BuiltinLogicalType, let N : int>(vector<T, N> a) { return a == a && not(bvec2(true)) != bvec2(true); }",
    );
    check(
        "#version 450
        precision highp float;
        layout(local_size_x = 8) in;
        const vec2 middle = vec2(0.5);
        layout(rgba32f) uniform image2D drawing;
        uniform sampler2D image; buffer Data { vec4 values[]; } data; shared uint count;
        void main() {
            uint i = gl_GlobalInvocationID.x; //: gl_GlobalInvocationID : uint3
            data.values[i] = textureLod(image, middle, 0.0); //: textureLod(image, middle, 0.0) : float4
            imageStore(drawing, ivec2(1), imageLoad(drawing, imageSize(drawing) / 2)); //: imageSize(drawing) : int2
            data.values[i].xyz += mix(vec3(1), vec3(2), 0.5);
            atomicAdd(count, 1u); //: atomicAdd(count, 1u) : uint
            barrier();
            bool any = subgroupAny(i == gl_SubgroupSize); //: gl_SubgroupSize : uint
        }",
    );
}

#[test]
fn every_family_of_textures_has_its_members() {
    check(
        "Texture2DArray<float4> a; SamplerState s; SamplerComparisonState c; Sampler2D<float2> own; DepthTexture2D depth;
        WTexture2D<float> w; Texture2DMS<float3> ms; RWTexture3D<uint> volume;
        void f(float2 uv, float3 uvw) {
            let x = a.Sample(s, uvw); //: a.Sample(s, uvw) : float4
            let y = own.Sample(uv); //: own.Sample(uv) : float2
            let z = depth.SampleCmp(c, uv, 0.5); //: depth.SampleCmp(c, uv, 0.5) : float
            let g = own.GatherRed(uv); //: own.GatherRed(uv) : float4
            let m = ms[uint2(1, 2), 3]; //: ms[uint2(1, 2), 3] : float3
            let l = a.mips[1][uint3(1, 2, 3)]; //: a.mips[1][uint3(1, 2, 3)] : float4
            w[uint2(0, 0)] = 1.0;
            let v = volume.Load(int3(1, 2, 3)); //: volume.Load(int3(1, 2, 3)) : uint
            let wrong = ms.Sample(s, uv); //! 30027 'Sample' is not a member of 'Texture2DMS<float3>'
        }",
    );
}

#[test]
fn rays_are_traced_in_line_and_by_the_pipeline() {
    check(
        "struct Payload { float3 color; }
        RaytracingAccelerationStructure scene;
        void f(RayDesc ray) {
            Payload payload;
            TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 0, 0, ray, payload);
            RayQuery<RAY_FLAG_FORCE_OPAQUE> query;
            query.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, ray);
            let more = query.Proceed(); //: query.Proceed() : bool
            let hit = HitObject.MakeMiss(0, ray); //: HitObject.MakeMiss(0, ray) : HitObject
            let way = WorldRayDirection(); //: WorldRayDirection() : float3
            query.Proceed(1); //! 39999 too many arguments
        }",
    );
}

#[test]
fn handles_are_used_like_their_resources() {
    check(
        "struct Material { Texture2D<float4>.Handle color; DescriptorHandle<RWStructuredBuffer<int>> counts; }
        void f(Material m, SamplerState s) {
            let x = m.color.Sample(s, float2(0, 0)); //: m.color.Sample(s, float2(0, 0)) : float4
            let n = m.counts[1]; //: m.counts[1] : int
            Texture2D<float4> t = ResourceDescriptorHeap[3];
            SamplerState u = SamplerDescriptorHeap[3];
            Texture2D<float4> wrong = SamplerDescriptorHeap[3]; //! 30019 UntypedSamplerHandle
        }",
    );
}

#[test]
fn tensors_carry_derivatives_where_they_say_so() {
    check(
        "[Differentiable] float f(DiffTensorView t, uint i) { return t[i] * t.load(uint2(i, 0)) + t.loadOnce(i); }
        void g(TensorView<float> a, TensorView<float> da) {
            DiffTensorView p = DiffTensorView(a, { da });
            bwd_diff(f)(p, 0u, 1.0);
            let n = a.size(0); //: a.size(0) : uint
            let wrong = p.loadTwice(0u); //! 30027 'loadTwice' is not a member
        }",
    );
}

#[test]
fn wave_operations_take_masks_and_whole_matrices() {
    check(
        "void f(WaveMask mask, float2x2 m, int i) {
            let a = WaveMaskSum(mask, i); //: WaveMaskSum(mask, i) : int
            let b = WaveActiveSum(m); //: WaveActiveSum(m) : float2x2
            let c = WaveMultiPrefixExclusiveBitOr(i, uint4(1)); //: WaveMultiPrefixExclusiveBitOr(i, uint4(1)) : int
            let d = WaveMaskBitAnd(mask, 1.0); //! 39999 no overload
        }",
    );
}

#[test]
fn tuples_are_joined() {
    check(
        "void f(Tuple<int, float> t, Tuple<uint> u) {
            let both = concat(t, u); //: concat(t, u) : Tuple<int, float, uint>
            let last = both._2; //: both._2 : uint
        }",
    );
}

#[test]
fn matrices_that_threads_hold_together_are_multiplied_and_added() {
    check(
        "using namespace linalg;
        typealias Left = CoopMat<half, MemoryScope.Subgroup, 16, 8, CoopMatMatrixUse.MatrixA>;
        typealias Right = CoopMat<half, MemoryScope.Subgroup, 8, 16, CoopMatMatrixUse.MatrixB>;
        typealias Sum = CoopMat<float, MemoryScope.Subgroup, 16, 16, CoopMatMatrixUse.MatrixAccumulator>;
        RWStructuredBuffer<half> b;
        RWStructuredBuffer<float> out;
        void f() {
            let left = Left.Load<CoopMatMatrixLayout.RowMajor>(b, 0, 16);
            let right = coopMatLoad<half, MemoryScope.Subgroup, 8, 16, CoopMatMatrixUse.MatrixB, CoopMatMatrixLayout.RowMajor>(b, 0, 16);
            Sum sum = coopMatMulAdd<float, false>(left, right, Sum(0.0));
            sum = sum + sum;
            sum[0] = sum[1] * 2;
            sum.Store<CoopMatMatrixLayout.ColumnMajor>(out, 0, 16);
            let whole = TensorLayout<2>().Dimension(64, 64).Slice(0, 16, 16, 16);
            sum = Sum.Load(out, 0, whole);
            let wrong = coopMatMulAdd<float, false>(right, left, sum); //! 30019 CoopMat
        }",
    );
}

#[test]
fn a_handle_is_the_resource_that_it_stands_for() {
    check(
        "uniform RWStructuredBuffer<float4>.Handle handle;
        void f() {
            let buffer = *handle; //: *handle : RWStructuredBuffer<float4>
            (*handle)[0] = 1.0;
        }",
    );
}

#[test]
fn small_numbers_are_widened_one_by_one() {
    check(
        "void f(vector<BFloat16, 4> small) {
            let wide = float4(small); //: float4(small) : float4
            let sum = dot(small, small); //: dot(small, small) : BFloat16
        }",
    );
}

#[test]
fn samples_of_multisampled_textures_are_written() {
    check(
        "RWTexture2DMS<int4> t; RWTexture2DMSArray<int4> layers;
        void f() { t[int2(0, 0), 1].xz = int2(1, 2); layers[int3(0, 0, 1), 1] = int4(1); }",
    );
}

#[test]
fn buffers_are_read_and_written_at_bytes_whatever_they_are() {
    check(
        "T first<T, B : IPhysicalBuffer>(B buffer) { return buffer.LoadByteOffset<T>(0); }
        ByteAddressBuffer a; RWByteAddressBuffer b;
        void f() {
            let x = first<float2>(a); //: first<float2>(a) : float2
            b.StoreByteOffset(8, first<int>(b));
            b.Store2Aligned(0, a.Load2Aligned(8));
            b.InterlockedCompareStoreFloatBitwise(0, 1.0, 2.0);
        }",
    );
}

#[test]
fn small_numbers_that_threads_hold_together_are_added_and_compared() {
    check(
        "typealias Small = linalg::CoopMat<BFloat16, MemoryScope.Subgroup, 16, 16, linalg::CoopMatMatrixUse.MatrixA>;
        void f(Small a, Small b) {
            let sum = -a + b * a;
            let less = a < b; //: a < b : bool
        }",
    );
}

#[test]
fn atomic_values_change_by_operators() {
    check(
        "RWStructuredBuffer<Atomic<float>> sums; RWStructuredBuffer<Atomic<uint>> counts; groupshared Atomic<int> shared;
        void f(int i, float x, half h) {
            sums[i] += x;
            sums[i] -= h;
            sums[i] += i;
            counts[i] += 1;
            counts[i] |= 3;
            counts[i] &= 3u;
            counts[i] ^= i;
            shared -= 2;
            ++shared;
            --counts[i];
            let old = counts[i]++; //: counts[i]++ : uint
            counts[i] <<= 2; //! E39999 no overload for '<<='
            sums[i] |= 1; //! E39999 no overload for '|='
            sums[i]++; //! E39999 no overload for '++'
            let sum = counts[i] + 1; //! E39999 no overload for '+'
        }
        void g<T : IArithmeticAtomicable>(RWStructuredBuffer<Atomic<T>> b, int i, T x) { b[i] += x; }
        void h<let N : int>(RWStructuredBuffer<Atomic<float>> b, vector<float, N> x) { b[0] += x[0]; }
        void p(Atomic<float>* p, float x) { *p += x; p[2] -= x; }",
    );
}

#[test]
fn truth_values_are_counted_across_a_wave() {
    check(
        "void f(bool b, bool3 v) {
            let a = WavePrefixSum(b); //: WavePrefixSum(b) : int
            let c = WaveActiveSum(v); //: WaveActiveSum(v) : int3
            let d = WaveActiveMax(b); //: WaveActiveMax(b) : int
            let e = WaveActiveAllTrue(b); //: WaveActiveAllTrue(b) : bool
        }",
    );
}

#[test]
fn a_handle_gives_its_resource_by_name() {
    check(
        "struct Model { float4 tint; }
        void f(uint i, Texture2D<float>.Handle h) {
            Model model = getDescriptorFromHandle(ConstantBuffer<Model>.Handle(uint2(i, 0)));
            let texture = getDescriptorFromHandle(h); //: getDescriptorFromHandle(h) : Texture2D<float>
        }",
    );
}

#[test]
fn textures_say_which_texels_sampling_reads() {
    check(
        "Texture2D<float4> plane; Texture3D<float> volume; SamplerState s;
        void f(float2 uv, float3 uvw) {
            TextureFootprint2D a = plane.queryFootprintFine(0, s, uv);
            TextureFootprint3D b = volume.queryFootprintCoarseGradClamp(1, s, uvw, uvw, uvw, 0.5);
            uint2 where = a.anchor + a.offset + a.mask + a.lod + a.granularity;
            bool single = a.isSingleLevel;
            TextureFootprint2D wrong = b; //! 30019 got 'TextureFootprint<3>'
        }",
    );
}

#[test]
fn cooperative_vectors_multiply_in_place_and_read_what_is_shared() {
    check(
        "ByteAddressBuffer weights; groupshared float4 rows[8]; groupshared int numbers[8]; StructuredBuffer<half> halves;
        T twice<T : IArithmetic>(T x) { return x.add(x); }
        void f(CoopVec<half, 4> x) {
            let type = CoopVecComponentType.Float16;
            var y = twice(x); //: twice(x) : CoopVec<half, 4>
            y.matMulAccum(x, CoopVecComponentType.Float16, weights, 0, CoopVecComponentType.Float16, CoopVecMatrixLayout.RowMajor, false, 8);
            y.matMulAddAccum(x, CoopVecComponentType.Float16, halves, 0, CoopVecComponentType.Float16, halves, 64, CoopVecComponentType.Float16, CoopVecMatrixLayout.RowMajor, false, 8);
            y = CoopVec<half, 4>.loadAny(rows, 16);
            y.storeAny(numbers);
            UINT count = 1u; //: 1u : uint
        }
        struct Constant : IDifferentiable { typealias Differential = NullDifferential; int value; }",
    );
}

/// `_Texture` with known arguments is the texture of that name; generic code may use what every fitting texture has.
#[test]
fn all_textures_are_one_type_with_arguments() {
    check(
        "typealias Depth<let samples : int = 0, let format : int = 0> = _Texture<float, __Shape2D, 0, 1, samples, 0, 1, 0, format>;
        typealias Image = _Texture<float4, __Shape3D, 0, 0, 0, 1, 0, 0, 0>;
        Depth depth; Image image; Texture2DArray<float2> layers; TextureCube<float> cube; SamplerState s;
        __DynamicResource all[8];
        T fetch<T : ITexelElement, Shape : __ITextureShape, let isArray : int, let format : int>(
            _Texture<T, Shape, isArray, 0, 0, 0, 0, 0, format> t, vector<float, Shape.dimensions + isArray> at)
        {
            t.Store(0, at); //! E30027 'Store' is not a member of
            T texel = t[vector<uint, Shape.dimensions + isArray>(0)];
            return t.SampleLevel(s, at, 0.0);
        }
        struct Handle<T : ITexelElement, Shape : __ITextureShape, let access : int> {
            typealias Target = _Texture<T, Shape, 0, 0, 0, access, 0, 0, 0>;
            uint index;
            Target get() { return all[index].as<Target>(); }
        }
        void f(Handle<float4, __Shape2D, 1> handle, Handle<int, __Shape1D, 0> row, int2 at) {
            let a = depth; //: depth : DepthTexture2DMS
            let b = image; //: image : RWTexture3D<float4>
            let c = fetch(layers, float3(0)); //: fetch(layers, float3(0)) : float2
            let d = fetch(cube, float3(0)); //: fetch(cube, float3(0)) : float
            let e = handle.get(); //: handle.get() : RWTexture2D<float4>
            e[at] = 1.0;
            let g = row.get(); //: row.get() : Texture1D<int>
            Texture2D converted = all[1];
            fetch(layers, float2(0)); //! E30019 expected an expression
        }",
    );
}

#[test]
fn readonly_blocks_of_glsl_are_not_written() {
    check(
        "#version 450
        layout(binding = 0) readonly buffer A { int x[]; } a;
        layout(binding = 1) readonly buffer B { int y; };
        layout(binding = 2) buffer C { readonly int z; int w; } c;
        layout(binding = 3) writeonly buffer D { int v[]; } d;
        void main()
        {
            a.x[0] = 1; //! E30011 left of '=' is not an l-value
            y = 1; //! E30011 left of '=' is not an l-value
            c.z = 1; //! E30011 left of '=' is not an l-value
            c.w = a.x[0] + y + c.z;
            d.v[0] = c.w;
        }",
    );
}
