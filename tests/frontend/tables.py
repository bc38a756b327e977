#!/usr/bin/env python3
"""Writes what slangc says of every operator and of the core library's functions, for all types of their operands.

usage: tables.py --slangc PATH --ours PATH [--out crates/checks/src/tests/tables.txt]

A table is a statement with places for the word of a row and the word of a column; both are put into a function whose parameters have
the types, one statement a line, and slangc is asked which lines it rejects. A cell is `.` where the statement is accepted and `!` where
not; `m` says that slangc alone rejects it and `f` that slang-analyzer alone does: these are known differences, to become fewer.
A test of the crate `checks` reads the file. Python 3 standard library only.
"""
import argparse
import os
import re
import subprocess
import tempfile

TYPES = ("bool int uint float half double int64_t uint16_t bool2 int2 uint2 float2 half2 float3 float2x2 half2x2 int2x2 float3x3 S E "
         "float[2]").split()
PRELUDE = """struct S { int a; float b; }
enum E { x, y }
void ofInt(out int p) { p = 1; }
void ofUint(inout uint p) { }
void ofRef(__ref int p) { }
void ofUint2(inout uint2 p) { }
void ofMatrix(float2x2 p) { }
void joined<T : __BuiltinArithmeticType>(T a, T b) { }
void inPlace<T : __BuiltinArithmeticType>(inout T a, T b) { }
void behind<T : __BuiltinArithmeticType>(T a, inout T b) { }
void byRef<T : __BuiltinArithmeticType>(__ref T a, T b) { }
void vectors<T : __BuiltinFloatingPointType, let N : int>(vector<T, N> a, T b) { }
"""
ONE = ("abs acos all any asfloat asint asuint atan ceil cos countbits degrees detach determinant exp floor frac isnan length log normalize "
       "rcp reversebits round rsqrt saturate sign sin sqrt tanh transpose ofInt ofUint ofRef ofUint2 ofMatrix").split()
TWO = "atan2 cross distance dot fmod ldexp max min mul pow step reflect and select".split()
LITERALS = "1 1u 1.0 1.0h 1.0l true -1".split()

# The statement, the words of the rows, and those of the columns. `@R` and `@C` are values of the types that rows and columns name.
TABLES = (
    [("@R_type m = @C;", TYPES, TYPES), ("var m = (@R_type)@C;", TYPES, TYPES), ("var m = @R_type(@C);", TYPES, TYPES)]
    + [("var m = @R %s @C;" % op, TYPES, TYPES) for op in ("+", "%", "<", "==", "&", "<<", "&&")]
    + [("var m = @R; m %s @C;" % op, TYPES, TYPES) for op in ("+=", "&=", "<<=")]
    + [("var m = @R_word@C;", ["-", "!", "~", "&"], TYPES), ("var m = @C; m@R_word;", ["++", "--"], TYPES)]
    + [("var m = %s ? @R : @C;" % cond, TYPES, TYPES) for cond in ("of_bool", "of_bool2")]
    + [("var m = @R ? @C : @C;", TYPES, TYPES), ("var m = @R[@C];", TYPES, TYPES), ("var m = @C.@R_word;", "x y z w xy rg _m00 _11 a".split(), TYPES)]
    + [("if (@C) { @R_word }", [";"], TYPES), ("switch (@C) { @R_word }", ["default: break;"], TYPES), ("return @C@R_word;", [""], ["bool"])]
    + [("@R_word(@C);", ONE, TYPES)]
    + [("%s(@R, @C);" % function, TYPES, TYPES) for function in TWO]
    + [("%s(@R, @C_word);" % function, TYPES, LITERALS) for function in ("max", "pow", "dot")]
    + [("%s(@R, @C_word, 1.0);" % function, TYPES, LITERALS) for function in ("clamp", "lerp")]
    + [("%s(@R, @C);" % function, TYPES, TYPES) for function in "joined inPlace behind byRef vectors".split()]
    + [("lerp(@R, @C, of_float);", TYPES, TYPES), ("clamp(of_float2x2, @R, @C);", TYPES, TYPES)]
    + [("InterlockedAdd(of_buffer_%s[0], @R, @C);" % ty, "int uint float half bool".split(), "int uint float half bool".split()) for ty in ("int", "uint")]
)
BUFFERS = "RWStructuredBuffer<int> of_buffer_int, RWStructuredBuffer<uint> of_buffer_uint"


def value(ty):
    return "of_" + ty.replace("[", "_").replace("]", "")


def statement(template, row, column):
    for mark, word in (("@R", row), ("@C", column)):
        template = template.replace(mark + "_type", word).replace(mark + "_word", word).replace(mark, value(word))
    return template


def program(template, rows, columns):
    parameters = ", ".join("%s %s" % (ty, value(ty)) for ty in TYPES)
    lines = ["{ %s }" % statement(template, row, column) for row in rows for column in columns]
    return PRELUDE + "void f(%s, %s) {\n" % (parameters, BUFFERS) + "\n".join(lines) + "\n}\n"


def rejected(command, file, first):
    done = subprocess.run([*command, file], capture_output=True, text=True)
    text = done.stdout + done.stderr
    found = {int(line) - first for line in re.findall(r"error\[E\d+\]: [^\n]*\n\s*--> [^\n:]*:(\d+)", text)}
    if min(found, default=0) < 0:
        raise SystemExit("an error outside of the table:\n" + text[:2000])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slangc", required=True)
    parser.add_argument("--ours", required=True)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--out", default=os.path.join(here, "../../crates/checks/src/tests/tables.txt"))
    config = parser.parse_args()
    out = ["types " + " ".join(TYPES), *("prelude " + line for line in PRELUDE.splitlines()), "parameters " + BUFFERS]
    known = 0
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "table.slang")
        for template, rows, columns in TABLES:
            with open(file, "w") as text:
                text.write(program(template, rows, columns))
            first = PRELUDE.count("\n") + 2
            theirs = rejected([config.slangc, "-o", os.path.join(folder, "table.slang-module")], file, first)
            ours = rejected([config.ours, "check"], file, first)
            out += ["", "table " + template, "columns " + " ".join(columns)]
            for index, row in enumerate(rows):
                cells = range(index * len(columns), (index + 1) * len(columns))
                marks = {(False, False): ".", (True, True): "!", (True, False): "m", (False, True): "f"}
                line = "".join(marks[cell in theirs, cell in ours] for cell in cells)
                known += line.count("m") + line.count("f")
                out.append("%s|%s" % (line, row))
    with open(config.out, "w") as text:
        text.write("\n".join(out) + "\n")
    print("%d tables, %d cells differ" % (len(TABLES), known))


if __name__ == "__main__":
    main()
