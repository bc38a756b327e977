// What the gradient panel shows, without the page: ranges of sliders, words for numbers, colours of the map, requests.

// The result of the request `slang-analyzer/explore`. Numbers that are not finite are null.
export interface Exploration {
    function: string;
    inputs: InputNumber[];
    results: { name: string; value: number | null }[];
    gradients: Gradient[];
    along?: { xs: number[]; values: (number | null)[]; derivatives: (number | null)[] };
    over?: { xs: number[]; ys: number[]; values: (number | null)[][] };
    errors: [number, number | null][];
    problems: string[];
}

export interface InputNumber {
    name: string;
    kind: "float" | "int" | "bool";
    value: number;
    isDifferentiable: boolean;
    range?: [number, number];
}

export interface Gradient {
    result: number;
    input: number;
    forward: number | null;
    backward: number | null;
    differences: number | null;
    kink?: [number | null, number | null];
}

export interface Range {
    low: number;
    high: number;
}

// What the reader has chosen; `at` is missing until the server has said where the value is finite.
export interface Choice {
    at?: number[];
    result: number;
    along: number;
    // The second input of the map; none for a plot over one.
    over?: number;
    ranges: Range[];
}

// How far two derivatives may be apart, relative to them or to 1, and still agree.
const TOLERANCE = 1e-4;

// The range of a slider: what the source tells, or around the value.
export function rangeOf(input: InputNumber): Range {
    if (input.range && input.range[0] < input.range[1]) {
        return { low: input.range[0], high: input.range[1] };
    }
    const reach = Math.max(2, Math.abs(input.value));
    const whole = input.kind === "int";
    return {
        low: whole ? Math.floor(input.value - reach) : input.value - reach,
        high: whole ? Math.ceil(input.value + reach) : input.value + reach,
    };
}

// A range that has the value in it.
export function widened(range: Range, value: number): Range {
    return { low: Math.min(range.low, value), high: Math.max(range.high, value) };
}

// The parameters of the next request, behind those that name the function.
export function question(choice: Choice): Record<string, unknown> {
    const { at, result, along, over, ranges } = choice;
    const sweep = (number: number) => ({ number, ...(ranges[number] ?? { low: -1, high: 1 }) });
    const swept = at !== undefined && ranges.length > 0;
    return {
        at,
        result,
        along: swept ? sweep(along) : undefined,
        over: swept && over !== undefined && over !== along ? sweep(over) : undefined,
    };
}

// The parameter that a number belongs to: `v` of `v.x` and `m` of `m[0][1]`.
export function parameterOf(name: string): string {
    return name.split(/[.[]/, 1)[0] ?? name;
}

export function text(number: number | null | undefined): string {
    if (number === undefined) {
        return "–";
    }
    if (number === null) {
        return "not finite";
    }
    const size = Math.abs(number);
    const isPlain = size === 0 || (size >= 1e-4 && size < 1e7);
    return isPlain ? String(Number(number.toPrecision(6))) : number.toExponential(4);
}

export type Verdict = "agree" | "differ" | "kink" | "not finite" | "not compared";

// Whether the derivatives of both modes are what differences say.
export function verdict(gradient: Gradient, hasForward: boolean, hasBackward: boolean): Verdict {
    const modes = [
        ...(hasForward ? [gradient.forward] : []),
        ...(hasBackward ? [gradient.backward] : []),
    ];
    const found = modes.filter((mode): mode is number => mode !== null);
    if (modes.length > 0 && found.length < modes.length) {
        return "not finite";
    }
    if (gradient.kink) {
        return "kink";
    }
    const { differences } = gradient;
    if (differences === null || found.length === 0) {
        return "not compared";
    }
    const near = (a: number, b: number) => Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
    return found.every((mode) => near(mode, differences)) ? "agree" : "differ";
}

// The least and the greatest number of a map, and where a number is between them, from 0 to 1.
export function extent(values: (number | null)[][]): Range {
    const finite = values.flat().filter((value): value is number => value !== null);
    const low = finite.reduce((least, value) => Math.min(least, value), Infinity);
    const high = finite.reduce((greatest, value) => Math.max(greatest, value), -Infinity);
    return finite.length > 0 ? { low, high } : { low: 0, high: 0 };
}

// The range in which a curve is plotted: without the few values that would make a line of all others, as at a pole.
export function plotted(values: (number | null)[]): Range {
    const sorted = values.filter((value): value is number => value !== null).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
    const [low, high] = [at(0.02), at(0.98)];
    const margin = 0.25 * (high - low) || Math.max(1e-3, 0.1 * Math.abs(low));
    const inside = (value: number) => Math.min(Math.max(value, low - 2 * margin), high + 2 * margin);
    return { low: inside(at(0)) - 0.2 * margin, high: inside(at(1)) + 0.2 * margin };
}

// Dark blue to yellow in steps of even lightness, so that it can be read without colours, too.
const COLOURS = [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
];

export function colour(value: number, { low, high }: Range): [number, number, number] {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    const at = Math.min(Math.max(share, 0), 1) * (COLOURS.length - 1);
    const from = COLOURS[Math.floor(at)] ?? [0, 0, 0];
    const to = COLOURS[Math.ceil(at)] ?? from;
    const mixed = from.map((part, index) => Math.round(part + (at % 1) * ((to[index] ?? part) - part)));
    return [mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0];
}
