//! 41804 through calls: what functions store for their callers, and what is excused.

use std::fmt::Write as _;

use hir_def::scope;

use super::{program, spelled};
use crate::diagnostics;

const DECLARATIONS: &str = "RWStructuredBuffer<float> buf;
RWStructuredBuffer<float> other;
RWStructuredBuffer<float> bufs[2];
RWTexture2D<float> tex;
RWTexture2D<float4> tex4;
RWTexture2D<float4> texs[2];
RWBuffer<float4> texels;
RWStructuredBuffer<float4> vectors;
RWByteAddressBuffer bytes;
uniform Ptr<float> ptr;
static float cell;
static float cells[4];
groupshared float shared_cells[8];
struct Store { RWStructuredBuffer<float> a; RWStructuredBuffer<float> b;
  void put(float v) { a[0] = v; } float get() { return a[0]; } float of_b() { return b[0]; } }
ParameterBlock<Store> block;
struct Cell { property float v { get { return cell; } set { cell = newValue; } } }
interface IStore { void put(float v); }
struct InBuffer : IStore { void put(float v) { buf[0] = v; } }
struct InCell<T> : IStore { void put(float v) { cell = v; } }
void put(float v) { buf[0] = v; }
void put_twice(float v) { put(v * 2.0); }
void put_often(float v, int n) { if (n > 0) put_often(v, n - 1); else put(v); }
void put_generic<T>(RWStructuredBuffer<T> b, T v) { b[1] = v; }
void put_in(RWStructuredBuffer<float> b, float v) { b[1] = v; }
void put_behind(Ptr<float> p, float v) { *p = v; }
void put_texel(float v) { tex[uint2(0)] = v; }
void put_bytes(float v) { bytes.Store<float>(0, v); }
void put_cell(float v) { cell = v; }
void put_element(float v) { cells[2] = v; }
void put_shared(float v) { shared_cells[2] = v; }
void put_detached(float v) { buf[0] = detach(v); }
void put_integer(int v) { buf[0] = v; }
void put_marked(no_diff float v) { buf[0] = v; }
[Differentiable] void put_by_rule(float v) { buf[0] = detach(v); }
void copy() { other[0] = buf[0]; }
float get() { return buf[0]; }
float keep(float v) { static float last = 0; float before = last; last = v; return before; }
void put_bwd(inout DifferentialPair<float> v) { v = diffPair(v.p, other[0]); }
[BackwardDerivative(put_bwd)] void put_with_derivative(float v) { buf[0] = v; }
";

/// What is found in `[Differentiable] float f(float x …) { … }`.
fn found(rest: &str) -> String {
    let text = format!("{DECLARATIONS}[Differentiable] float f{rest}");
    let (db, _, file) = program(&text);
    let mut out = String::new();
    for item in scope::all_file_items(&db, file) {
        assert_eq!(super::errors(&db, *item), Vec::<String>::new(), "{rest}");
        for finding in diagnostics(&db, *item) {
            let place = spelled(&db, &text, finding.at);
            let place = place.split_once(": ").map_or("", |(_, text)| text);
            write!(out, "{} {place} ", finding.code.0).expect("a string");
        }
    }
    out.trim_end().to_owned()
}

#[test]
fn what_a_call_stores_and_the_function_reads_again_is_lost() {
    for (rest, call) in [
        ("(float x) { put(x * x); return buf[0]; }", "put(x * x)"),
        ("(float x) { put_twice(x * x); return get(); }", "put_twice(x * x)"),
        ("(float x) { put_often(x, 3); return buf[0]; }", "put_often(x, 3)"),
        ("(float x) { put_generic<float>(buf, x); return buf[1]; }", "put_generic<float>(buf, x)"),
        ("(float x) { put_in(buf, x); return buf[1]; }", "put_in(buf, x)"),
        ("(float x, RWStructuredBuffer<float> b) { put_in(b, x); return b[1]; }", "put_in(b, x)"),
        ("(float x) { put_in(bufs[1], x); return bufs[1][1]; }", "put_in(bufs[1], x)"),
        ("(float x, int i) { put_in(bufs[i], x); return bufs[1][1]; }", "put_in(bufs[i], x)"),
        ("(float x, Store s) { s.put(x); return s.get(); }", "s.put(x)"),
        ("(float x) { block.put(x); return block.a[0]; }", "block.put(x)"),
        ("(float x) { put_behind(ptr, x); return *ptr; }", "put_behind(ptr, x)"),
        ("(float x) { put_behind(ptr + 1, x); return ptr[1]; }", "put_behind(ptr + 1, x)"),
        ("(float x) { put_texel(x); return tex[uint2(0)]; }", "put_texel(x)"),
        ("(float x) { put_bytes(x); return bytes.Load<float>(0); }", "put_bytes(x)"),
        ("(float x) { put_cell(x); return cell; }", "put_cell(x)"),
        ("(float x) { put_element(x); return cells[2]; }", "put_element(x)"),
        ("(float x, int i) { put_element(x); return cells[i]; }", "put_element(x)"),
        ("(float x) { put_shared(x); return shared_cells[2]; }", "put_shared(x)"),
        ("(float x) { Cell c; c.v = x; return c.v; }", "c.v = x"),
        ("<T : IStore>(float x, T t) { t.put(x); return buf[0]; }", "t.put(x)"),
        ("(float x, IStore t) { t.put(x); return cell; }", "t.put(x)"),
        ("(float x, InCell<int> t) { t.put(x); return cell; }", "t.put(x)"),
        ("(float x) { put_by_rule(x); return buf[0]; }", "put_by_rule(x)"),
        ("(float x) { put(x); copy(); return other[0]; }", "put(x)"),
        ("(float x) { keep(x); return keep(0); }", "keep(x)"),
        ("(float x) { float s = 0; for (int i = 0; i < 3; i++) { s += buf[0]; put(x); } return s; }", "put(x)"),
        ("(float x) { if (x > 0) put(x); return buf[0] * x; }", "put(x)"),
    ] {
        assert_eq!(found(rest), format!("41804 `{call}`"), "{rest}");
    }
}

#[test]
fn what_is_not_read_again_or_is_meant_is_no_loss() {
    for rest in [
        "(float x) { put(x); return x; }",
        "(float x) { put(x); return other[0]; }",
        "(float x) { float before = buf[0]; put(x); return before * x; }",
        "(float x) { put_in(buf, x); return buf[0]; }",
        "(float x) { put_in(bufs[1], x); return bufs[0][1]; }",
        "(float x, Store s) { s.put(x); return s.of_b(); }",
        "(float x) { put_element(x); return cells[1]; }",
        "(float x, InBuffer t) { t.put(x); return cell; }",
        "(float x) { put(x); if (buf[0] > 1.0) return x; return 2.0 * x; }",
        "(float x) { put(x); buf[0] = 1.0; return buf[0] * x; }",
        "(float x) { if (x > 0) { put(x); return x; } return buf[0] * x; }",
        "(float x) { if (x > 0) put(x); else return buf[0] * x; return x; }",
        "(float x) { put(1.0); return buf[0] * x; }",
        "(float x) { no_diff put(x * x); return get(); }",
        "(float x) { put(detach(x * x)); return get(); }",
        "(float x) { put_detached(x); return buf[0]; }",
        "(float x) { put_integer(int(x)); return buf[0]; }",
        "(float x) { put_marked(x); return buf[0]; }",
        "(float x) { put_with_derivative(x); return buf[0]; }",
        "(float x) { buf[0] = detach(x); buf[0] = 1.0; return buf[0]; }",
        "(float x) { buf[0] = detach(x); return buf[1]; }",
        "(float x) { float before = buf[0]; buf[0] = detach(x); return before; }",
        "(float x) { tex[uint2(0)] = detach(x); return x; }",
    ] {
        assert_eq!(found(rest), "", "{rest}");
    }
}

#[test]
fn what_the_function_stores_itself_is_missing_where_it_is_read() {
    for (rest, read) in [
        ("(float x) { buf[0] = detach(x); return get(); }", "get()"),
        ("(float x) { tex[uint2(0)] = detach(x); return tex[uint2(0)]; }", "tex[uint2(0)]"),
        ("(float x) { bytes.Store<float>(0, detach(x)); return bytes.Load<float>(0); }", "bytes.Load<float>(0)"),
    ] {
        assert_eq!(found(rest), format!("41804 `{read}`"), "{rest}");
    }
    // Where a function that is not differentiable makes its result from memory, the call loses it as any other.
    let rest = "(float x) { return via(x); } float via(float v) { put(v); return buf[0]; }";
    assert_eq!(found(rest), "41022 `via(x)`");
}

/// The error is slangc's, with slangc's choice of places; of the others it says nothing.
#[test]
fn what_is_written_where_no_derivative_can_be_is_lost_whether_or_not_slangc_says_so() {
    for (write, code) in [
        ("vectors[0] = x", 41031),
        ("vectors[0].x = x", 41031),
        ("vectors[0].y *= x", 41031),
        ("tex4[uint2(0)].x = x", 41031),
        ("tex4[uint2(0)].y *= x", 41031),
        ("tex4[uint2(0)][1] = x", 41031),
        ("texs[1][uint2(0)].w = x", 41031),
        ("texels[0].x = x", 41031),
        ("cell = x", 41031),
        ("shared_cells[1] = x", 41031),
        ("*ptr = x", 41031),
        ("ptr[1] = x", 41031),
        ("vectors[0].xy = x", 41809),
        ("tex[uint2(0)] = x", 41809),
        ("tex[uint2(0)] += x", 41809),
        ("tex4[uint2(0)] = x", 41809),
        ("tex4[uint2(0)].xy = float2(x, 1)", 41809),
        ("texs[1][uint2(0)] = x", 41809),
        ("texels[0] = x", 41809),
        ("texels[0] += x", 41809),
        ("texels[0].xz = float2(1, x)", 41809),
        ("bytes.Store<float>(0, x)", 41809),
        ("tex.Store(uint2(0), x)", 41809),
    ] {
        assert_eq!(found(&format!("(float x) {{ {write}; return x; }}")), format!("{code} `{write}`"), "{write}");
    }
}
