// The logic of the gradient panel, without a page.

import assert from "node:assert/strict";
import test from "node:test";
import { colour, extent, parameterOf, plotted, question, rangeOf, text, verdict, widened } from "../dist/panel-model.mjs";

const input = (value, more = {}) => ({ name: "x", kind: "float", value, isDifferentiable: true, ...more });

test("sliders reach around the value, or as far as the source tells", () => {
    assert.deepEqual(rangeOf(input(0.5)), { low: -1.5, high: 2.5 });
    assert.deepEqual(rangeOf(input(10)), { low: 0, high: 20 });
    assert.deepEqual(rangeOf(input(0.5, { range: [0, 1] })), { low: 0, high: 1 });
    assert.deepEqual(rangeOf(input(1, { range: [1, 1] })), { low: -1, high: 3 });
    assert.deepEqual(widened({ low: 0, high: 1 }, 3), { low: 0, high: 3 });
});

test("the first question leaves the point to the server", () => {
    assert.deepEqual(question({ result: 0, along: 0, ranges: [] }).at, undefined);
    assert.deepEqual(question({ result: 0, along: 0, ranges: [] }).along, undefined);
});

test("a map is over two inputs", () => {
    const ranges = [
        { low: 0, high: 1 },
        { low: -1, high: 1 },
    ];
    const choice = { at: [0.5, 0], result: 0, along: 0, over: 1, ranges };
    assert.deepEqual(question(choice).over, { number: 1, low: -1, high: 1 });
    assert.equal(question({ ...choice, over: 0 }).over, undefined);
    assert.deepEqual(question({ ...choice, over: undefined }).along, { number: 0, low: 0, high: 1 });
});

test("numbers are short and not finite ones are named", () => {
    assert.equal(text(1 / 3), "0.333333");
    assert.equal(text(1e-9), "1.0000e-9");
    assert.equal(text(null), "not finite");
    assert.equal(text(0), "0");
});

test("derivatives are compared with differences", () => {
    const gradient = (forward, backward, differences, kink) => ({ result: 0, input: 0, forward, backward, differences, kink });
    assert.equal(verdict(gradient(2, 2, 2.00001), true, true), "agree");
    assert.equal(verdict(gradient(2, 3, 2), true, true), "differ");
    assert.equal(verdict(gradient(2, null, 2), true, true), "not finite");
    // There is no backward derivative at all.
    assert.equal(verdict(gradient(2, null, 2), true, false), "agree");
    assert.equal(verdict(gradient(0, 0, null, [-1, 1]), true, true), "kink");
    assert.equal(verdict(gradient(0, 0, null), true, true), "not compared");
});

test("the map knows its extent and what is not finite", () => {
    assert.deepEqual(extent([[1, null], [3, -2]]), { low: -2, high: 3 });
    assert.deepEqual(extent([[null]]), { low: 0, high: 0 });
    assert.deepEqual(colour(0, { low: 0, high: 1 }), [68, 1, 84]);
    assert.deepEqual(colour(1, { low: 0, high: 1 }), [253, 231, 37]);
    assert.deepEqual(colour(5, { low: 5, high: 5 }), [33, 145, 140]);
});

test("a pole does not flatten the curve", () => {
    const values = [...Array(99).keys()].map((value) => value / 100);
    const { low, high } = plotted([...values, 1e9, null]);
    assert.ok(low <= 0 && low > -1 && high > 0.98 && high < 3);
    const flat = plotted([2, 2, 2]);
    assert.ok(flat.low < 2 && flat.high > 2);
});

test("numbers belong to parameters", () => {
    assert.equal(parameterOf("v.x"), "v");
    assert.equal(parameterOf("m[0][1]"), "m");
    assert.equal(parameterOf("x"), "x");
});
