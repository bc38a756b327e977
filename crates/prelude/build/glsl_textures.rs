//! Writes the samplers of GLSL and the functions that read through them: every shape has the same with other numbers of
//! coordinates.

use std::fmt::Write;

/// The generated file: name and text.
pub(crate) fn file() -> (&'static str, String) {
    let mut text = String::from(
        "// Samplers of GLSL, which are textures together with their samplers, and what is asked of them. Nothing here carries a\n\
         // derivative.\n\n",
    );
    for shape in SHAPES {
        for (prefix, element) in ELEMENTS {
            let own = format!("{prefix}sampler{}", shape.name);
            let slang = format!("Sampler{}<{element}>", shape.name);
            let _ = writeln!(text, "/// A texture with its sampler: `{slang}`.\ntypealias {own} = {slang};\n");
            functions(&mut text, shape, &own, element);
            if shape.plane == 2 && !shape.cube() && !shape.array {
                size_of_first_level(&mut text, &own);
            }
        }
        if !shape.array {
            old_names(&mut text, shape);
        }
        if shape.plane != 3 {
            compared(&mut text, shape);
        }
    }
    for name in ["2DMS", "2DMSArray"] {
        for (prefix, element) in ELEMENTS {
            let own = format!("{prefix}sampler{name}");
            let slang = format!("Sampler{name}<{element}>");
            let _ = writeln!(text, "/// A texture with its sampler: `{slang}`.\ntypealias {own} = {slang};\n");
            let location = if name == "2DMS" { "int2" } else { "int3" };
            let fetch = format!("{element} texelFetch({own} sampler, {location} p, int sample)");
            function(&mut text, "The sample of a texel.", &fetch, "return sampler.Load(p, sample);");
            let (passed, size) =
                if name == "2DMS" { ("width, height", "int2") } else { ("width, height, layers", "int3") };
            let declared: String = passed.split(", ").map(|part| format!("uint {part};\n")).collect();
            let body =
                format!("{declared}uint samples;\nsampler.GetDimensions({passed}, samples);\nreturn {size}({passed});");
            function(&mut text, "The size.", &format!("{size} textureSize({own} sampler)"), &body);
        }
    }
    for (name, slang, location, sizes) in IMAGES {
        for (prefix, element) in ELEMENTS {
            let own = format!("{prefix}image{name}");
            image(&mut text, &own, &format!("{slang}<{element}>"), element, location, sizes);
            if let Some(scalar) = element.strip_suffix('4').filter(|scalar| *scalar != "float") {
                atomics(&mut text, &own, scalar, location);
            }
        }
    }
    for (prefix, element) in ELEMENTS {
        buffer(&mut text, &format!("{prefix}samplerBuffer"), element);
        subpass(&mut text, &format!("{prefix}subpassInput"), element);
    }
    ("glsl_textures", text)
}

/// What images are called behind `image`, and in Slang; what says which texel, and the numbers of their size.
const IMAGES: [(&str, &str, &str, &[&str]); 6] = [
    ("1D", "RWTexture1D", "int", &["width"]),
    ("2D", "RWTexture2D", "int2", &["width", "height"]),
    ("3D", "RWTexture3D", "int3", &["width", "height", "depth"]),
    ("1DArray", "RWTexture1DArray", "int2", &["width", "layers"]),
    ("2DArray", "RWTexture2DArray", "int3", &["width", "height", "layers"]),
    ("Buffer", "RWBuffer", "int", &["width"]),
];

/// A texture that is written, and what is done with it.
fn image(text: &mut String, name: &str, slang: &str, element: &str, location: &str, sizes: &[&str]) {
    let _ = writeln!(text, "/// Texels to read and write: `{slang}`.\ntypealias {name} = {slang};\n");
    let signature = format!("{element} imageLoad({name} image, {location} p)");
    function(text, "The texel `p`.", &signature, "return image[p];");
    let signature = format!("void imageStore({name} image, {location} p, {element} data)");
    function(text, "Writes the texel `p`.", &signature, "image[p] = data;");
    let declared: String = sizes.iter().map(|size| format!("uint {size};\n")).collect();
    let (passed, ty) = (sizes.join(", "), vector("int", sizes.len()));
    let body = format!("{declared}image.GetDimensions({passed});\nreturn {ty}({passed});");
    function(text, "The number of texels.", &format!("{ty} imageSize({name} image)"), &body);
}

/// What changes the first component of a texel in one step.
fn atomics(text: &mut String, image: &str, scalar: &str, location: &str) {
    let first = format!("{image} image, {location} p");
    for name in ["Add", "Min", "Max", "And", "Or", "Xor", "Exchange"] {
        let signature = format!("{scalar} imageAtomic{name}({first}, {scalar} data)");
        let body = format!("{scalar} old;\nInterlocked{name}(image[p].x, data, old);\nreturn old;");
        function(text, "Changes the texel `p` in one step and gives what was there.", &signature, &body);
    }
    let signature = format!("{scalar} imageAtomicCompSwap({first}, {scalar} compare, {scalar} data)");
    let body = format!("{scalar} old;\nInterlockedCompareExchange(image[p].x, compare, data, old);\nreturn old;");
    function(
        text,
        "Replaces the texel `p` if it is `compare`, in one step, and gives what was there.",
        &signature,
        &body,
    );
}

/// Texels in a row that are only read.
fn buffer(text: &mut String, name: &str, element: &str) {
    let _ = writeln!(text, "/// Texels in a row: `Buffer<{element}>`.\ntypealias {name} = Buffer<{element}>;\n");
    function(text, "A texel.", &format!("{element} texelFetch({name} sampler, int p)"), "return sampler[p];");
    let body = "uint width;\nsampler.GetDimensions(width);\nreturn int(width);";
    function(text, "The number of texels.", &format!("int textureSize({name} sampler)"), body);
}

/// What an earlier pass wrote.
fn subpass(text: &mut String, name: &str, element: &str) {
    for (samples, parameter, argument) in [("", "", ""), ("MS", ", int sample", "sample")] {
        let (own, slang) = (format!("{name}{samples}"), format!("SubpassInput{samples}<{element}>"));
        let _ = writeln!(text, "/// What an earlier pass wrote: `{slang}`.\ntypealias {own} = {slang};\n");
        let signature = format!("{element} subpassLoad({own} subpass{parameter})");
        function(
            text,
            "The value at this pixel; fragment stage.",
            &signature,
            &format!("return subpass.SubpassLoad({argument});"),
        );
    }
}

/// What the names of samplers begin with, and their texels.
const ELEMENTS: [(&str, &str); 3] = [("", "float4"), ("i", "int4"), ("u", "uint4")];

#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    /// Coordinates, without the layer.
    dimensions: usize,
    /// Of one level or face.
    plane: usize,
    array: bool,
}

const SHAPES: [Shape; 7] = [
    Shape { name: "1D", dimensions: 1, plane: 1, array: false },
    Shape { name: "2D", dimensions: 2, plane: 2, array: false },
    Shape { name: "3D", dimensions: 3, plane: 3, array: false },
    Shape { name: "Cube", dimensions: 3, plane: 2, array: false },
    Shape { name: "1DArray", dimensions: 1, plane: 1, array: true },
    Shape { name: "2DArray", dimensions: 2, plane: 2, array: true },
    Shape { name: "CubeArray", dimensions: 3, plane: 2, array: true },
];

impl Shape {
    fn cube(self) -> bool {
        self.dimensions != self.plane
    }

    /// Where one samples.
    fn location(self) -> String {
        vector("float", self.dimensions + usize::from(self.array))
    }
}

fn vector(scalar: &str, len: usize) -> String {
    if len == 1 { scalar.to_owned() } else { format!("{scalar}{len}") }
}

/// Appends a function.
fn function(text: &mut String, doc: &str, signature: &str, body: &str) {
    let _ = writeln!(text, "/// {doc}\n{signature}\n{{\n    {}\n}}\n", body.replace('\n', "\n    "));
}

/// What is asked of a sampler of one shape and element.
fn functions(text: &mut String, shape: Shape, sampler: &str, element: &str) {
    let (location, gradient, offset) =
        (shape.location(), vector("float", shape.dimensions), vector("int", shape.plane));
    let first = format!("{sampler} sampler, {location} p");
    let gradients = format!("{gradient} dPdx, {gradient} dPdy");
    // Name, what it does, further parameters, what they are for the method, its name.
    let ways = [
        ("texture", "Filtered value at `p`; fragment stage.", "", "", "Sample"),
        (
            "texture",
            "Filtered value at `p` with `bias` added to the level; fragment stage.",
            ", float bias",
            ", bias",
            "SampleBias",
        ),
        ("textureLod", "Filtered value at `p` of level `lod`.", ", float lod", ", lod", "SampleLevel"),
        (
            "textureGrad",
            "Filtered value at `p` for these screen gradients.",
            &format!(", {gradients}"),
            ", dPdx, dPdy",
            "SampleGrad",
        ),
    ];
    for (name, doc, parameters, arguments, method) in ways {
        let signature = format!("{element} {name}({first}{parameters})");
        function(text, doc, &signature, &format!("return sampler.{method}(p{arguments});"));
        if !shape.cube() {
            // The bias comes last in GLSL.
            let (before, after) = if method == "SampleBias" { ("", parameters) } else { (parameters, "") };
            let signature = format!("{element} {name}Offset({first}{before}, constexpr {offset} offset{after})");
            let body = format!("return sampler.{method}(p{arguments}, offset);");
            function(text, &doc.replace("`p`", "`p`, moved by `offset` texels,"), &signature, &body);
        }
    }
    if !shape.array && !shape.cube() {
        projected(text, shape, sampler, element);
    }
    if !shape.cube() {
        let texel = vector("int", shape.dimensions + usize::from(shape.array));
        let count = shape.dimensions + usize::from(shape.array) + 1;
        let signature = format!("{element} texelFetch({sampler} sampler, {texel} p, int lod)");
        function(
            text,
            "The texel `p` of level `lod`.",
            &signature,
            &format!("return sampler.Load(int{count}(p, lod));"),
        );
        let signature =
            format!("{element} texelFetchOffset({sampler} sampler, {texel} p, int lod, constexpr {offset} offset)");
        let body = format!("return sampler.Load(int{count}(p, lod), offset);");
        function(text, "The texel at `offset` from `p` of level `lod`.", &signature, &body);
    }
    sizes(text, shape, sampler);
    let body = "return float2(sampler.CalculateLevelOfDetail(p), sampler.CalculateLevelOfDetailUnclamped(p));";
    let doc =
        "The level that sampling at `p` would use, among those that exist and without their limits; fragment stage.";
    function(text, doc, &format!("float2 textureQueryLod({sampler} sampler, {gradient} p)"), body);
    if shape.plane == 2 {
        let signature = format!("{element} textureGather({first}, constexpr int component = 0)");
        let body = "switch (component)\n{\ncase 1: return sampler.GatherGreen(p);\ncase 2: return sampler.GatherBlue(p);\n\
                    case 3: return sampler.GatherAlpha(p);\ndefault: return sampler.GatherRed(p);\n}";
        function(text, "One component of the four texels around `p`.", &signature, body);
    }
    if shape.plane == 2 && !shape.cube() {
        let signature = format!("{element} textureGatherOffset({first}, int2 offset, constexpr int component = 0)");
        let body = "switch (component)\n{\ncase 1: return sampler.GatherGreen(p, offset);\n\
                    case 2: return sampler.GatherBlue(p, offset);\ncase 3: return sampler.GatherAlpha(p, offset);\n\
                    default: return sampler.GatherRed(p, offset);\n}";
        function(text, "One component of the four texels around `p`, moved by `offset`.", &signature, body);
    }
}

/// The coordinates are divided by the last one.
fn projected(text: &mut String, shape: Shape, sampler: &str, element: &str) {
    let gradient = vector("float", shape.dimensions);
    let offset = vector("int", shape.dimensions);
    let parts = &"xyz"[..shape.dimensions];
    // Longer vectors than needed: those between are ignored.
    let mut lengths = vec![shape.dimensions + 1, 4];
    lengths.dedup();
    for len in lengths {
        let last = &"xyzw"[len - 1..len];
        let first = format!("{sampler} sampler, float{len} p");
        let place = format!("p.{parts} / p.{last}");
        let gradients = format!(", {gradient} dPdx, {gradient} dPdy");
        let ways = [
            ("textureProj", "", "", "Sample"),
            ("textureProj", ", float bias", ", bias", "SampleBias"),
            ("textureProjLod", ", float lod", ", lod", "SampleLevel"),
            ("textureProjGrad", gradients.as_str(), ", dPdx, dPdy", "SampleGrad"),
        ];
        for (name, parameters, arguments, method) in ways {
            let doc = "Filtered value at what `p` is when it is divided by its last coordinate.";
            let signature = format!("{element} {name}({first}{parameters})");
            function(text, doc, &signature, &format!("return sampler.{method}({place}{arguments});"));
            let (before, after) = if method == "SampleBias" { ("", parameters) } else { (parameters, "") };
            let signature = format!("{element} {name}Offset({first}{before}, constexpr {offset} offset{after})");
            function(text, doc, &signature, &format!("return sampler.{method}({place}{arguments}, offset);"));
        }
    }
}

/// The size without a level.
fn size_of_first_level(text: &mut String, sampler: &str) {
    let signature = format!("int2 textureSize({sampler} sampler)");
    function(text, "The size of the first level.", &signature, "return textureSize(sampler, 0);");
}

/// What the functions were called when their names still said which texture is read.
fn old_names(text: &mut String, shape: Shape) {
    let Shape { name, dimensions, .. } = shape;
    let mut ways = vec![("", "texture", dimensions)];
    if !shape.cube() {
        ways.push(("Proj", "textureProj", dimensions + 1));
        if dimensions < 3 {
            ways.push(("Proj", "textureProj", 4));
        }
    }
    for (suffix, now, coordinates) in ways {
        let place = vector("float", coordinates);
        let doc = format!("`{now}`, as older versions called it.");
        let first = format!("sampler{name} sampler, {place} p");
        for (how, last) in [("", ""), ("", ", float bias"), ("Lod", ", float lod")] {
            let signature = format!("float4 texture{name}{suffix}{how}({first}{last})");
            let passed = last.replace("float ", "");
            function(text, &doc, &signature, &format!("return {now}{how}(sampler, p{passed});"));
        }
    }
}

/// How large the texture is, and how many levels it has.
fn sizes(text: &mut String, shape: Shape, sampler: &str) {
    let mut names = ["width", "height", "depth"][..shape.plane].to_vec();
    if shape.array {
        names.push("layers");
    }
    let declared: String = names.iter().map(|name| format!("uint {name};\n")).collect();
    let passed = names.join(", ");
    let size = vector("int", names.len());
    let value = if names.len() == 1 { format!("int({passed})") } else { format!("{size}({passed})") };
    let body = format!("{declared}uint levels;\nsampler.GetDimensions(uint(lod), {passed}, levels);\nreturn {value};");
    function(text, "The size of level `lod`.", &format!("{size} textureSize({sampler} sampler, int lod)"), &body);
    let body = format!("{declared}uint levels;\nsampler.GetDimensions(0, {passed}, levels);\nreturn int(levels);");
    function(text, "How many levels there are.", &format!("int textureQueryLevels({sampler} sampler)"), &body);
}

/// What is asked of a sampler that compares: the coordinates end in what is compared, unless they are four already.
fn compared(text: &mut String, shape: Shape) {
    let sampler = format!("sampler{}Shadow", shape.name);
    let slang = format!("Sampler{}Shadow", shape.name);
    let _ =
        writeln!(text, "/// A texture with its sampler, for comparisons: `{slang}`.\ntypealias {sampler} = {slang};\n");
    let count = shape.dimensions + usize::from(shape.array);
    let parts = &"xyzw"[..count];
    // One coordinate is skipped in one dimension.
    let (len, compare) =
        if shape.name == "1D" { (3, "z") } else { (count + 1, &"xyzw"[count.min(3)..count.min(3) + 1]) };
    let (first, place, compare) = if count == 4 {
        (format!("{sampler} sampler, float4 p, float compare"), "p".to_owned(), "compare".to_owned())
    } else {
        (format!("{sampler} sampler, float{len} p"), format!("p.{parts}"), format!("p.{compare}"))
    };
    let gradient = vector("float", shape.dimensions);
    let gradients = format!(", {gradient} dPdx, {gradient} dPdy");
    let ways = [
        ("texture", "", "", "SampleCmp"),
        ("texture", ", float bias", ", bias", "SampleCmpBias"),
        ("textureLod", ", float lod", ", lod", "SampleCmpLevel"),
        ("textureGrad", gradients.as_str(), ", dPdx, dPdy", "SampleCmpGrad"),
    ];
    for (name, parameters, arguments, method) in ways {
        let doc = "Filtered comparison with what `p` ends in.";
        let signature = format!("float {name}({first}{parameters})");
        function(text, doc, &signature, &format!("return sampler.{method}({place}, {compare}{arguments});"));
        if !shape.cube() {
            let offset = vector("int", shape.plane);
            let (before, after) = if method == "SampleCmpBias" { ("", parameters) } else { (parameters, "") };
            let signature = format!("float {name}Offset({first}{before}, constexpr {offset} offset{after})");
            function(
                text,
                doc,
                &signature,
                &format!("return sampler.{method}({place}, {compare}{arguments}, offset);"),
            );
        }
    }
    sizes(text, shape, &sampler);
}
