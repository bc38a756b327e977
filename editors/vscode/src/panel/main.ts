// The page of the gradient panel. It has no state but what the reader has chosen; the server computes.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./panel.css";
import {
    Choice,
    Exploration,
    InputNumber,
    colour,
    extent,
    parameterOf,
    plotted,
    question,
    rangeOf,
    text,
    verdict,
    widened,
} from "./model.js";

interface Host {
    postMessage(message: unknown): void;
    getState(): Choice | undefined;
    setState(choice: Choice): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
let choice: Choice = host.getState() ?? { result: 0, along: 0, ranges: [] };
let shown: Exploration | undefined;
let inputNames = "";
let timer: number | undefined;
const plots = new Map<string, uPlot>();

// What belongs to an element of the page, so that texts of users never become markup.
function element<Name extends keyof HTMLElementTagNameMap>(
    name: Name,
    attributes: Record<string, string> = {},
    ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
    const made = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...children);
    return made;
}

function part(id: string): HTMLElement {
    const found = document.getElementById(id);
    if (!found) {
        throw new Error(`the page has no ${id}`);
    }
    return found;
}

function ask(): void {
    host.setState(choice);
    clearTimeout(timer);
    timer = setTimeout(() => host.postMessage({ kind: "ask", question: question(choice) }), 30);
}

function setNumber(index: number, value: number): void {
    if (!choice.at || !Number.isFinite(value)) {
        return;
    }
    choice.at[index] = value;
    const range = choice.ranges[index];
    if (range) {
        choice.ranges[index] = widened(range, value);
    }
    ask();
}

window.addEventListener("message", ({ data }: MessageEvent) => {
    if (data.kind === "result") {
        show(data.result as Exploration);
    } else if (data.kind === "changed") {
        ask();
    } else if (data.kind === "failed") {
        part("status").textContent = String(data.message);
    }
});

function show(result: Exploration): void {
    shown = result;
    part("title").textContent = `Gradient of ${result.function}`;
    part("status").textContent = result.problems.join("; ");
    const names = result.inputs.map((input) => `${input.name}:${input.kind}`).join();
    const isNew = names !== inputNames;
    if (result.inputs.length > 0 && (isNew || !choice.at)) {
        const isFirst = choice.at === undefined || choice.at.length !== result.inputs.length;
        inputNames = names;
        choice.at = result.inputs.map((input) => input.value);
        choice.ranges = result.inputs.map((input, index) =>
            isFirst ? rangeOf(input) : widened(choice.ranges[index] ?? rangeOf(input), input.value),
        );
        const differentiable = result.inputs.findIndex((input) => input.isDifferentiable);
        if (isFirst) {
            choice = { ...choice, result: 0, along: Math.max(0, differentiable), over: undefined };
        }
        showInputs(result.inputs);
        if (!result.along && !result.over) {
            ask();
        }
    }
    showChoices(result);
    showGradients(result);
    showPlots(result);
}

function showInputs(inputs: InputNumber[]): void {
    const groups = new Map<string, HTMLElement>();
    inputs.forEach((input, index) => {
        const parameter = parameterOf(input.name);
        const group = groups.get(parameter) ?? element("fieldset", {}, element("legend", {}, parameter));
        groups.set(parameter, group);
        group.append(input.kind === "bool" ? check(input, index) : slider(input, index));
    });
    part("inputs").replaceChildren(...groups.values());
}

function check(input: InputNumber, index: number): HTMLElement {
    const box = element("input", { type: "checkbox", id: `number-${index}` });
    box.checked = input.value !== 0;
    box.addEventListener("change", () => setNumber(index, box.checked ? 1 : 0));
    return element("div", { class: "number" }, element("label", { for: box.id }, input.name), box);
}

function slider(input: InputNumber, index: number): HTMLElement {
    const range = choice.ranges[index] ?? rangeOf(input);
    const step = input.kind === "int" ? "1" : "any";
    const bounds = { min: String(range.low), max: String(range.high), value: String(input.value), step };
    const slide = element("input", { type: "range", ...bounds, "aria-label": `${input.name}, slider` });
    const field = element("input", { type: "number", step, value: String(input.value), id: `number-${index}` });
    slide.addEventListener("input", () => {
        field.value = String(Number(slide.valueAsNumber.toPrecision(6)));
        setNumber(index, slide.valueAsNumber);
    });
    field.addEventListener("change", () => {
        const bounds = widened(choice.ranges[index] ?? range, field.valueAsNumber);
        [slide.min, slide.max] = [String(bounds.low), String(bounds.high)];
        slide.value = field.value;
        setNumber(index, field.valueAsNumber);
    });
    const mark = input.isDifferentiable ? "" : " (no derivative)";
    const label = element("label", { for: field.id }, input.name + mark);
    return element("div", { class: "number" }, label, slide, field);
}

function showChoices(result: Exploration): void {
    const options = (names: string[], chosen: number | undefined, none?: string) => [
        ...(none === undefined ? [] : [element("option", { value: "" }, none)]),
        ...names.map((name, index) => {
            const option = element("option", { value: String(index) }, name);
            option.selected = index === chosen;
            return option;
        }),
    ];
    const inputs = result.inputs.map((input) => input.name);
    part("result").replaceChildren(...options(result.results.map((one) => one.name), choice.result));
    part("along").replaceChildren(...options(inputs, choice.along));
    part("over").replaceChildren(...options(inputs, choice.over, "none (plot)"));
}

function choose(id: "result" | "along" | "over"): void {
    const select = part(id) as HTMLSelectElement;
    select.addEventListener("change", () => {
        const index = select.value === "" ? undefined : Number(select.value);
        choice = { ...choice, [id]: index };
        ask();
    });
}

function showGradients(result: Exploration): void {
    const hasForward = result.gradients.some((gradient) => gradient.forward !== null);
    const hasBackward = result.gradients.some((gradient) => gradient.backward !== null);
    const head = ["derivative", "forward", "backward", "differences", ""].map((word) =>
        element("th", { scope: "col" }, word),
    );
    const rows = result.gradients.map((gradient) => {
        const name = `d ${result.results[gradient.result]?.name} / d ${result.inputs[gradient.input]?.name}`;
        const judged = verdict(gradient, hasForward, hasBackward);
        const slopes = gradient.kink
            ? `${text(gradient.kink[0])} | ${text(gradient.kink[1])}`
            : gradient.differences === null
              ? "–"
              : text(gradient.differences);
        const numbers = [
            hasForward ? text(gradient.forward) : "–",
            hasBackward ? text(gradient.backward) : "–",
            slopes,
        ];
        return element(
            "tr",
            { class: judged.replace(" ", "-") },
            element("th", { scope: "row" }, name),
            ...numbers.map((number) => element("td", {}, number)),
            element("td", {}, judged),
        );
    });
    const table = element("table", {}, element("tr", {}, ...head), ...rows);
    const values = result.results.map(({ name, value }) => element("li", {}, `${name} = ${text(value)}`));
    part("gradients").replaceChildren(element("ul", { "aria-label": "values" }, ...values), table);
}

function themeColour(name: string): string {
    return getComputedStyle(document.body).getPropertyValue(name).trim() || "#888888";
}

type Format = (values: number[]) => string[];

// A plot in the colours of the theme; scales beyond the second have an axis to the right.
function plot(
    id: string,
    data: uPlot.AlignedData,
    series: uPlot.Series[],
    scales: uPlot.Scales,
    label: string,
    format?: Format,
): void {
    const parent = part(id);
    plots.get(id)?.destroy();
    parent.replaceChildren();
    parent.setAttribute("role", "img");
    parent.setAttribute("aria-label", label);
    const values = format && ((_: uPlot, splits: number[]) => format(splits));
    const grid = { stroke: themeColour("--vscode-widget-border"), width: 1 };
    const axes: uPlot.Axis[] = Object.keys(scales).map((scale, index) => ({
        scale,
        side: index === 0 ? 2 : index === 1 ? 3 : 1,
        stroke: themeColour("--vscode-foreground"),
        grid: index > 1 ? { show: false } : grid,
        ...(values ? { values } : {}),
    }));
    const width = Math.max(240, parent.clientWidth);
    plots.set(id, new uPlot({ width, height: 240, series, scales, axes }, data, parent));
}

function showPlots(result: Exploration): void {
    const along = result.inputs[choice.along]?.name ?? "";
    const value = result.results[choice.result]?.name ?? "";
    part("plot").hidden = !result.along;
    part("map").hidden = !result.over;
    part("errors").hidden = result.errors.length === 0;
    if (result.along) {
        const { xs, values, derivatives } = result.along;
        const series = [
            { label: along },
            { label: value, stroke: themeColour("--vscode-charts-blue"), width: 2 },
            {
                label: `d / d ${along}`,
                scale: "derivative",
                stroke: themeColour("--vscode-charts-orange"),
                width: 2,
                dash: [6, 4],
            },
        ];
        const bounded = (values: (number | null)[]) => {
            const { low, high } = plotted(values);
            return { range: [low, high] as [number, number] };
        };
        const scales = { x: { time: false }, y: bounded(values), derivative: bounded(derivatives) };
        const label = `${value} and its derivative along ${along}`;
        plot("plot", [xs, values, derivatives], series, scales, label);
    }
    if (result.over) {
        showMap(result.over, `${value} over ${along} and ${result.inputs[choice.over ?? 0]?.name ?? ""}`);
    }
    const errors = result.errors.filter((one): one is [number, number] => one[1] !== null).reverse();
    if (errors.length > 0) {
        // Zero has no logarithm.
        const sizes = errors.map(([, error]) => Math.log10(Math.max(error, 1e-17)));
        const steps = errors.map(([step]) => Math.log10(step));
        const powers: Format = (values) => values.map((value) => (Number.isInteger(value) ? `1e${value}` : ""));
        const series = [
            { label: "step" },
            { label: "error of differences", stroke: themeColour("--vscode-charts-green"), width: 2 },
        ];
        const scales = { x: { time: false }, y: {} };
        plot("errors", [steps, sizes], series, scales, "error of differences by step size", powers);
    }
}

function showMap({ xs, ys, values }: NonNullable<Exploration["over"]>, label: string): void {
    const bounds = extent(values);
    const canvas = element("canvas", {
        width: String(xs.length),
        height: String(ys.length),
        role: "img",
        "aria-label": `${label}, from ${text(bounds.low)} to ${text(bounds.high)}`,
    });
    const context = canvas.getContext("2d");
    const image = context?.createImageData(xs.length, ys.length);
    if (!context || !image) {
        return;
    }
    values.forEach((row, y) =>
        row.forEach((value, x) => {
            // The first row is at the bottom; what is not finite stays clear.
            const at = 4 * ((ys.length - 1 - y) * xs.length + x);
            if (value !== null) {
                image.data.set([...colour(value, bounds), 255], at);
            }
        }),
    );
    context.putImageData(image, 0, 0);
    const words = `${label}: from ${text(bounds.low)} (dark) to ${text(bounds.high)} (bright)`;
    part("map").replaceChildren(element("p", {}, words), canvas);
}

(["result", "along", "over"] as const).forEach(choose);
for (const id of ["nan", "check", "values"]) {
    part(id).addEventListener("click", () => host.postMessage({ kind: id, at: choice.at }));
}
window.addEventListener("resize", () => shown && showPlots(shown));
ask();
