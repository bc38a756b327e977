// The page of the gradient panel, which its script fills.

export const BODY = `<h1 id="title">Gradient</h1>
<div id="status" role="status" aria-live="polite"></div>
<main>
<section aria-label="Inputs"><div id="inputs"></div>
<p>
<button id="values">Values in the margin</button>
<button id="nan">Find NaN</button>
<button id="check">Check gradient</button>
</p>
</section>
<section aria-label="Value and derivatives">
<div id="gradients"></div>
<div class="choices">
<label>Result <select id="result"></select></label>
<label>Along <select id="along"></select></label>
<label>Map over <select id="over"></select></label>
</div>
<div id="plot"></div>
<div id="map"></div>
<div id="errors"></div>
</section>
</main>`;
