//! Writes the declarations of textures: every shape has the same members with other numbers of coordinates.

use std::fmt::Write;

/// The generated files: name and text.
pub(crate) fn files() -> [(&'static str, String); 4] {
    [
        ("textures", "Textures that shaders read. Coordinates of arrays end in the layer.", sampled(false)),
        ("samplers", "Textures together with their samplers, as in GLSL.", sampled(true)),
        ("textures_writable", "Textures that shaders write, and feedback textures.", writable() + &feedback()),
        ("textures_by_shape", "Textures whose shape is a generic parameter.", by_shape()),
    ]
    .map(|(name, title, text)| (name, format!("// {title} Nothing here carries a derivative.\n\n{text}")))
}

#[derive(Clone, Copy)]
struct Shape {
    /// As in `Texture2D`.
    name: &'static str,
    /// Coordinates, without the layer.
    dimensions: usize,
    /// Of one level or face: what `GetDimensions` and offsets are about.
    plane: usize,
    cube: bool,
    array: bool,
    multisampled: bool,
    /// Whether the numbers of coordinates are `Shape.dimensions`, `Shape.planeDimensions` and `isArray`.
    symbolic: bool,
}

/// Name, coordinates, coordinates in a level or face, whether it is a cube.
const KINDS: [(&str, usize, usize, bool); 4] =
    [("1D", 1, 1, false), ("2D", 2, 2, false), ("3D", 3, 3, false), ("Cube", 3, 2, true)];

impl Shape {
    fn all() -> Vec<Shape> {
        let mut shapes = Vec::new();
        for (name, dimensions, plane, cube) in KINDS {
            for array in [false, true] {
                for multisampled in [false, true] {
                    if !(multisampled && name != "2D" || array && name == "3D") {
                        shapes.push(Shape { name, dimensions, plane, cube, array, multisampled, symbolic: false });
                    }
                }
            }
        }
        shapes
    }

    /// Of a texture whose shape is a parameter; `dimensions` and the rest say nothing.
    fn symbolic() -> Shape {
        Shape { name: "", dimensions: 0, plane: 0, cube: false, array: false, multisampled: false, symbolic: true }
    }

    fn spelling(self) -> String {
        let multisampled = if self.multisampled { "MS" } else { "" };
        let array = if self.array { "Array" } else { "" };
        format!("{}{multisampled}{array}", self.name)
    }

    fn words(self) -> String {
        let multisampled = if self.multisampled { "multisampled " } else { "" };
        let kind = match self.name {
            "1D" => "one-dimensional",
            "2D" => "two-dimensional",
            "3D" => "three-dimensional",
            _ => "cube",
        };
        let array = if self.array { "s, in layers" } else { "" };
        format!("{multisampled}{kind} texture{array}")
    }

    /// Where one samples.
    fn location(self) -> String {
        self.place("float", 0)
    }

    /// Coordinates with the layer, and `more`.
    fn place(self, scalar: &str, more: usize) -> String {
        match (self.symbolic, more) {
            (true, 0) => format!("vector<{scalar}, Shape.dimensions + isArray>"),
            (true, _) => format!("vector<{scalar}, Shape.dimensions + isArray + {more}>"),
            (false, _) => vector(scalar, self.dimensions + usize::from(self.array) + more),
        }
    }

    /// Which texel one loads.
    fn texel(self, more: usize) -> String {
        self.place("int", more)
    }

    fn offset(self) -> String {
        if self.symbolic { "vector<int, Shape.planeDimensions>".to_owned() } else { vector("int", self.plane) }
    }

    fn gradient(self) -> String {
        if self.symbolic { "vector<float, Shape.dimensions>".to_owned() } else { vector("float", self.dimensions) }
    }

    /// What `GetDimensions` passes out.
    fn sizes(self) -> Vec<&'static str> {
        let mut sizes = ["width", "height", "depth"][..self.plane].to_vec();
        if self.array {
            sizes.push("elements");
        }
        if self.multisampled {
            sizes.push("sampleCount");
        }
        sizes
    }
}

fn vector(scalar: &str, len: usize) -> String {
    if len == 1 { scalar.to_owned() } else { format!("{scalar}{len}") }
}

/// What every resource says of itself, for handles.
fn descriptor(text: &mut String, kind: &str, access: &str) {
    let _ = writeln!(text, "    /// A handle of such a texture.\n    typealias Handle = DescriptorHandle<This>;");
    let _ = writeln!(text, "    /// What it is.\n    static const DescriptorKind kind = DescriptorKind.{kind};");
    let _ = writeln!(text, "    /// What may be done with it.");
    let _ = writeln!(text, "    static const DescriptorAccess descriptorAccess = DescriptorAccess.{access};");
    let _ = writeln!(text, "    /// The same with its type.\n    [__intrinsic(\"descriptor.as\")]");
    let _ = writeln!(text, "    __implicit_conversion __init(__DynamicResource resource);");
    let _ =
        writeln!(text, "    /// The texture at this place of the heap.\n    [__intrinsic(\"descriptor.from_heap\")]");
    let _ = writeln!(text, "    __implicit_conversion __init(UntypedResourceHandle heapEntry);");
}

/// Appends a member.
fn member(text: &mut String, doc: &str, intrinsic: &str, signature: &str) {
    let _ = writeln!(text, "    /// {doc}\n    [__intrinsic(\"texture.{intrinsic}\")]\n    {signature};");
}

/// Declares what is read through samplers.
fn sampled(combined: bool) -> String {
    let mut text = String::new();
    for shape in Shape::all() {
        let prefix = if combined { "Sampler" } else { "Texture" };
        let (name, words) = (shape.spelling(), shape.words());
        let with = if combined { " with its sampler" } else { "" };
        let _ = writeln!(text, "/// A {words} of `T`{with}, read only. Not differentiable.");
        let _ = writeln!(
            text,
            "[__builtin_type(\"{prefix}{name}\")]\nstruct {prefix}{name}<T : ITexelElement = float4> : IOpaqueDescriptor\n{{"
        );
        descriptor(&mut text, if combined { "CombinedTextureSampler" } else { "Texture" }, "Read");
        if !shape.multisampled {
            filtered(&mut text, shape, combined);
            gathered(&mut text, shape, combined);
            if !combined && !shape.array {
                footprints(&mut text, shape);
            }
        }
        loaded(&mut text, shape);
        dimensions(&mut text, shape);
        text.push_str("}\n\n");
    }
    text
}

/// The ways to ask for one filtered value: name, what the level comes from, further parameters.
fn filtered(text: &mut String, shape: Shape, combined: bool) {
    let location = shape.location();
    let gradient = shape.gradient();
    let gradients = format!(", {gradient} gradX, {gradient} gradY");
    let plain = [
        ("Sample", "sample", "Filtered value at `location`; fragment stage", ""),
        (
            "SampleBias",
            "sample_bias",
            "Filtered value at `location` with `bias` added to the level; fragment stage",
            ", float bias",
        ),
        ("SampleLevel", "sample_level", "Filtered value at `location` of level `level`", ", float level"),
        ("SampleLevelZero", "sample_level_zero", "Filtered value at `location` of level 0", ""),
        ("SampleGrad", "sample_grad", "Filtered value at `location` for these screen gradients", gradients.as_str()),
    ];
    let compared = [
        ("SampleCmp", "sample_cmp", "Filtered comparison with `compareValue`; fragment stage", ""),
        (
            "SampleCmpBias",
            "sample_cmp_bias",
            "Filtered comparison with `bias` added to the level; fragment stage",
            ", float bias",
        ),
        ("SampleCmpLevel", "sample_cmp_level", "Filtered comparison at level `level`", ", float level"),
        ("SampleCmpLevelZero", "sample_cmp_level_zero", "Filtered comparison at level 0", ""),
        ("SampleCmpGrad", "sample_cmp_grad", "Filtered comparison for these screen gradients", gradients.as_str()),
    ];
    for (is_compared, ways) in [(false, plain), (true, compared)] {
        let (result, sampler, value) = match is_compared {
            false => ("T", "SamplerState s, ", ""),
            true => ("float", "SamplerComparisonState s, ", ", float compareValue"),
        };
        let sampler = if combined { "" } else { sampler };
        for (name, intrinsic, doc, level) in ways {
            let start = format!("{result} {name}({sampler}{location} location{value}{level}");
            let offset = format!(", constexpr {} offset", shape.offset());
            member(text, &format!("{doc}."), intrinsic, &format!("{start})"));
            let has_clamp = matches!(name, "Sample" | "SampleBias" | "SampleGrad" | "SampleCmp" | "SampleCmpGrad");
            let clamp = if has_clamp { ", float clamp" } else { "" };
            if !shape.cube {
                member(text, &format!("{doc}, moved by `offset` texels."), intrinsic, &format!("{start}{offset})"));
                if has_clamp {
                    let doc = format!("{doc}, moved by `offset` texels, no finer than level `clamp`.");
                    member(text, &doc, intrinsic, &format!("{start}{offset}{clamp})"));
                }
            }
            let offset = if shape.cube { "" } else { offset.as_str() };
            let doc = format!("{doc}; `status` says whether all texels were there.");
            member(text, &doc, intrinsic, &format!("{start}{offset}{clamp}, out uint status)"));
        }
    }
    let location = shape.gradient();
    let samplers: &[&str] = if combined { &[""] } else { &["SamplerState s, ", "SamplerComparisonState s, "] };
    for sampler in samplers {
        let doc = "The level that sampling at `location` would use; fragment stage.";
        member(text, doc, "level_of_detail", &format!("float CalculateLevelOfDetail({sampler}{location} location)"));
        let doc = "The same without clamping to the levels that exist; fragment stage.";
        let signature = format!("float CalculateLevelOfDetailUnclamped({sampler}{location} location)");
        member(text, doc, "level_of_detail_unclamped", &signature);
    }
}

/// The four texels that a filter would mix, one component of each.
fn gathered(text: &mut String, shape: Shape, combined: bool) {
    if shape.plane != 2 && !shape.symbolic {
        return;
    }
    let (location, offset) = (shape.location(), shape.offset());
    for compared in [false, true] {
        for component in ["", "Red", "Green", "Blue", "Alpha"] {
            let (name, sampler, value) = match compared {
                false => (format!("Gather{component}"), "SamplerState s, ", ""),
                true => (format!("GatherCmp{component}"), "SamplerComparisonState s, ", ", T.Element compareValue"),
            };
            let sampler = if combined { "" } else { sampler };
            let what = if component.is_empty() { "first".to_owned() } else { component.to_lowercase() };
            let doc = match compared {
                false => format!("The {what} components of the four texels around `location`"),
                true => format!("The {what} components of the four texels around `location`, compared"),
            };
            let start = format!("vector<T.Element, 4> {name}({sampler}{location} location{value}");
            let kind = if component.is_empty() { String::new() } else { format!("_{what}") };
            let intrinsic = format!("gather{}{kind}", if compared { "_cmp" } else { "" });
            let mut add = |doc: String, more: String| member(text, &doc, &intrinsic, &format!("{start}{more})"));
            add(format!("{doc}."), String::new());
            add(format!("{doc}; `status` says whether all were there."), ", out uint status".to_owned());
            if !shape.cube {
                add(format!("{doc}, moved by `offset` texels."), format!(", {offset} offset"));
                let four: String = (1..=4).map(|number| format!(", constexpr {offset} offset{number}")).collect();
                add(format!("{doc}, each moved by its own offset."), four.clone());
                let with_status = "`status` says whether all were there.";
                add(format!("{doc}, moved; {with_status}"), format!(", {offset} offset, out uint status"));
                add(format!("{doc}, each moved; {with_status}"), format!("{four}, out uint status"));
            }
        }
    }
}

/// Which texels sampling would read.
fn footprints(text: &mut String, shape: Shape) {
    let footprint = format!("TextureFootprint<{}>", shape.dimensions);
    let location = shape.location();
    let gradients = format!(", {location} gradX, {location} gradY");
    for (name, what) in [("Coords", location.as_str()), ("Footprint", &footprint)] {
        let _ = writeln!(text, "    /// The type for footprints of this texture.\n    typealias {name} = {what};");
    }
    let _ = writeln!(text, "    /// A size of blocks of texels.\n    typealias FootprintGranularity = uint;");
    let clamped_gradients = format!("{gradients}, float clamp");
    let ways = [
        ("", "", "`Sample`", ""),
        ("Bias", "_bias", "`SampleBias`", ", float bias"),
        ("Clamp", "_clamp", "`Sample` with `clamp`", ", float clamp"),
        ("BiasClamp", "_bias_clamp", "`SampleBias` with `clamp`", ", float bias, float clamp"),
        ("Level", "_level", "`SampleLevel`", ", float level"),
        ("Grad", "_grad", "`SampleGrad`", gradients.as_str()),
        ("GradClamp", "_grad_clamp", "`SampleGrad` with `clamp`", clamped_gradients.as_str()),
    ];
    for (level, word) in [("Coarse", "coarse"), ("Fine", "fine")] {
        for (name, intrinsic, sampling, more) in ways {
            let doc = format!("The texels of the {word} level that {sampling} would read.");
            let parameters = format!("(uint granularity, SamplerState s, {location} location{more})");
            let signature = format!("{footprint} queryFootprint{level}{name}{parameters}");
            member(text, &doc, &format!("footprint_{word}{intrinsic}"), &signature);
        }
    }
}

/// Texels by number.
fn loaded(text: &mut String, shape: Shape) {
    let offset = shape.offset();
    if shape.multisampled {
        let start = format!("T Load({} location, int sampleIndex", shape.texel(0));
        member(text, "A sample of the texel at `location`.", "load", &format!("{start})"));
        let in_one = format!("T Load({} locationAndSampleIndex)", shape.texel(1));
        member(text, "A sample of a texel; the last number says which.", "load", &in_one);
        let doc = "A sample of the texel at `location` and `offset`.";
        member(text, doc, "load", &format!("{start}, constexpr {offset} offset)"));
        let doc = "A sample of a texel; `status` says whether it was there.";
        member(text, doc, "load", &format!("{start}, constexpr {offset} offset, out uint status)"));
        let index = shape.place("uint", 0);
        let _ = writeln!(text, "    /// A sample of the texel at `location`.\n    [__intrinsic(\"texture.load\")]");
        let _ = writeln!(text, "    __subscript({index} location, int sampleIndex) -> T {{ get; }}");
        let _ = writeln!(text, "    /// Texels by sample and place.\n    [__intrinsic(\"texture.samples\")]");
        let _ = writeln!(text, "    property __TexelsByLevel<T, {index}> sample {{ get; }}");
    } else if !shape.cube {
        let start = format!("T Load({} location", shape.texel(1));
        member(text, "The texel at `location`, which ends in the level.", "load", &format!("{start})"));
        let doc = "The texel at `location`, which ends in the level, and `offset`.";
        member(text, doc, "load", &format!("{start}, constexpr {offset} offset)"));
        let doc = "A texel; `status` says whether it was there.";
        member(text, doc, "load", &format!("{start}, constexpr {offset} offset, out uint status)"));
        let index = shape.place("uint", 0);
        if shape.symbolic {
            let _ = writeln!(text, "    /// The texel at `location`.\n    [__intrinsic(\"texture.load\")]");
            let _ = writeln!(text, "    __subscript({index} location) -> T {{ get; }}");
        }
        let _ = writeln!(text, "    /// Texels by level and place.\n    [__intrinsic(\"texture.levels\")]");
        let _ = writeln!(text, "    property __TexelsByLevel<T, {index}> mips {{ get; }}");
    }
}

fn dimensions(text: &mut String, shape: Shape) {
    sizes(text, &shape.sizes(), !shape.multisampled);
    if shape.multisampled {
        let doc = "Where a sample is in its texel.";
        member(text, doc, "sample_position", "float2 GetSamplePosition(int s)");
    }
}

/// The ways to ask for `sizes`, of levels too.
fn sizes(text: &mut String, sizes: &[&str], has_levels: bool) {
    for ty in ["uint", "int", "float"] {
        let outs = |sizes: &[&str]| sizes.iter().map(|size| format!("out {ty} {size}")).collect::<Vec<_>>().join(", ");
        member(text, "The size.", "dimensions", &format!("void GetDimensions({})", outs(sizes)));
        if has_levels {
            let with_levels = [sizes, &["numberOfLevels"]].concat();
            let signature = format!("void GetDimensions(uint mipLevel, {})", outs(&with_levels));
            member(text, "The size of a level, and the number of levels.", "dimensions", &signature);
        }
    }
}

/// Declares what is written. The relatives (`WTexture2D`, `RasterizerOrderedTexture2D`) have the same members.
fn writable() -> String {
    let mut text = String::new();
    for shape in Shape::all().into_iter().filter(|shape| !shape.cube) {
        let (name, words) = (shape.spelling(), shape.words());
        let _ = writeln!(text, "/// A {words} of `T`, read and written. Not differentiable.");
        let _ = writeln!(
            text,
            "[__builtin_type(\"RWTexture{name}\")]\nstruct RWTexture{name}<T : ITexelElement = float4> : IOpaqueDescriptor\n{{"
        );
        descriptor(&mut text, "Texture", "ReadWrite");
        written(&mut text, shape);
        dimensions(&mut text, shape);
        text.push_str("}\n\n");
    }
    text
}

/// Texels by number, to be changed.
fn written(text: &mut String, shape: Shape) {
    let texel = shape.texel(0);
    let sample = if shape.multisampled { ", int sampleIndex" } else { "" };
    member(text, "The texel at `location`.", "load", &format!("T Load({texel} location{sample})"));
    let signature = format!("T Load({texel} location{sample}, {texel} offset)");
    member(text, "The texel at `location` and `offset`.", "load", &signature);
    let signature = format!("T Load({texel} location{sample}, {texel} offset, out uint status)");
    member(text, "A texel; `status` says whether it was there.", "load", &signature);
    let index = shape.place("uint", 0);
    if shape.multisampled {
        let _ = writeln!(text, "    /// A sample of the texel at `location`.\n    [__intrinsic(\"texture.load\")]");
        let _ = writeln!(text, "    __subscript({index} location, int sampleIndex) -> T {{ get; [nonmutating] set; }}");
    } else {
        if shape.symbolic {
            let _ = writeln!(text, "    /// The texel at `location`.\n    [__intrinsic(\"texture.load\")]");
            let _ = writeln!(text, "    __subscript({index} location) -> T {{ get; [nonmutating] set; }}");
        }
        let signature = format!("void Store({index} location, T newValue)");
        member(text, "Writes the texel at `location`.", "store", &signature);
        let doc = "Adds `value` to the texel at `coord`, in one step.";
        let start = format!("InterlockedAddF32({index} coord, float value");
        member(text, doc, "atomic_add", &format!("void {start}, out float originalValue)"));
        member(text, doc, "atomic_add", &format!("float {start})"));
    }
}

/// The parameters of `_Texture`, and those that extensions for one kind of access leave open.
const PARAMETERS: [(&str, &str); 9] = [
    ("T", "T : ITexelElement"),
    ("Shape", "Shape : __ITextureShape"),
    ("isArray", "let isArray : int"),
    ("isMS", "let isMS : int"),
    ("sampleCount", "let sampleCount : int"),
    ("access", "let access : int"),
    ("isShadow", "let isShadow : int"),
    ("isCombined", "let isCombined : int"),
    ("format", "let format : int"),
];

/// Opens an extension of `_Texture` in which some parameters are given.
fn extension(text: &mut String, given: &[(&str, &str)]) {
    let value = |name: &str| given.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
    let open: Vec<&str> =
        PARAMETERS.iter().filter(|(name, _)| value(name).is_none()).map(|(_, declared)| *declared).collect();
    let args: Vec<&str> = PARAMETERS.iter().map(|(name, _)| value(name).unwrap_or(name)).collect();
    let _ = writeln!(text, "extension<{}> _Texture<{}>\n{{", open.join(", "), args.join(", "));
}

/// Declares `_Texture`: what generic code may do with a texture of which it knows some of the parameters. Where all of them
/// are known, the type is one of the others.
fn by_shape() -> String {
    let mut text = String::new();
    let shape = Shape::symbolic();
    let parameters: Vec<&str> = PARAMETERS.iter().map(|(_, declared)| *declared).collect();
    text.push_str("/// All textures as one type. Not differentiable.\n");
    let _ = writeln!(text, "struct _Texture<{}> : IOpaqueDescriptor\n{{", parameters.join(", "));
    descriptor(&mut text, "Texture", "Read");
    text.push_str("}\n\n");
    for shape in Shape::all() {
        let name = format!("__Shape{}", shape.name);
        let flag = |flag| if flag { "1" } else { "0" };
        let (array, multisampled) = (flag(shape.array), flag(shape.multisampled));
        extension(&mut text, &[("Shape", &name), ("isArray", array), ("isMS", multisampled)]);
        dimensions(&mut text, shape);
        text.push_str("}\n\n");
    }
    for (combined, value) in [(false, "0"), (true, "1")] {
        extension(&mut text, &[("access", "0"), ("isCombined", value)]);
        filtered(&mut text, shape, combined);
        gathered(&mut text, shape, combined);
        text.push_str("}\n\n");
    }
    extension(&mut text, &[("isMS", "0"), ("access", "0")]);
    loaded(&mut text, shape);
    text.push_str("}\n\n");
    extension(&mut text, &[("isMS", "1"), ("access", "0")]);
    loaded(&mut text, Shape { multisampled: true, ..shape });
    text.push_str("}\n\n");
    for access in ["1", "2", "3"] {
        extension(&mut text, &[("isMS", "0"), ("access", access), ("isShadow", "0"), ("isCombined", "0")]);
        written(&mut text, shape);
        text.push_str("}\n\n");
    }
    text
}

/// Declares the textures that note what was sampled.
fn feedback() -> String {
    let mut text = String::new();
    for shape in Shape::all().into_iter().filter(|shape| shape.name == "2D" && !shape.multisampled) {
        let (name, words) = (shape.spelling(), shape.words());
        let _ = writeln!(text, "/// What was sampled of a {words}. Not differentiable.");
        let _ = writeln!(
            text,
            "[__builtin_type(\"FeedbackTexture{name}\")]\nstruct FeedbackTexture{name}<T> : IOpaqueDescriptor\n{{"
        );
        descriptor(&mut text, "Texture", "Feedback");
        let location = shape.location();
        let ways = [
            ("", "", "as `Sample` would"),
            ("Bias", ", float bias", "as `SampleBias` would"),
            ("Grad", &format!(", {location} ddx, {location} ddy"), "as `SampleGrad` would"),
            ("Level", ", float lod", "as `SampleLevel` would"),
        ];
        for (way, more, doc) in ways {
            let start = format!(
                "void WriteSamplerFeedback{way}<S>(Texture{name}<S> tex, SamplerState samp, {location} location{more}"
            );
            let doc = format!("Notes what of `tex` is sampled, {doc}; fragment stage.");
            member(&mut text, &doc, "write_feedback", &format!("{start})"));
            if way != "Level" {
                member(&mut text, &doc, "write_feedback", &format!("{start}, float clamp)"));
            }
        }
        dimensions(&mut text, shape);
        text.push_str("}\n\n");
    }
    text
}
