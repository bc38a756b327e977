//! How the host provides a shader parameter, as far as the source says. Which slot it gets in the end is the business of
//! the target.

use smol_str::SmolStr;

use crate::types::Matrices;

/// What the source says about the place of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provision {
    /// What a parameter of the host is for.
    pub role: ParameterRole,
    /// `[[vk::binding(b, s)]]`: binding and set.
    pub binding: Option<(u32, u32)>,
    /// `register(u7, space1)`, in their order.
    pub registers: Vec<Register>,
    /// `register(space3)`: the space of a parameter block.
    pub space: Option<u32>,
    /// The parts that are parameter blocks, which have a space of their own, as paths of fields from the parameter's
    /// content; the empty path is the parameter itself.
    pub blocks: Vec<Vec<u32>>,
    /// The layout that the type names (`StructuredBuffer<T, Std140DataLayout>`), else that of the target.
    pub layout: Option<DataLayout>,
    /// How the matrices lie that are its content, not those in its structs.
    pub matrices: Matrices,
    /// `globallycoherent`: what one group writes, others read before the dispatch ends.
    pub is_coherent: bool,
    /// `RasterizerOrdered…`: fragments of one pixel reach it, or a part of it, one after the other.
    pub is_ordered: bool,
    /// `TextureBuffer`, `tbuffer`: constants that are read as a texture is, here or in a part of it.
    pub has_texture_buffer: bool,
    /// `[format("rgba8")]`: what the texels of an image are kept as; nothing where the type of the elements says it.
    pub format: Option<SmolStr>,
    /// A variable that the stage before fills, or from which the stage after reads.
    pub varying: Option<Varying>,
}

/// What one stage of a pipeline hands to the next: a scalar or a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Varying {
    /// Whether the entry point writes it.
    pub is_output: bool,
    /// As Direct3D calls it, with its number: `TEXCOORD0`, `SV_Position`.
    pub semantic: SmolStr,
    /// How both stages find it.
    pub place: VaryingPlace,
    /// How it follows from the vertices.
    pub interpolation: Interpolation,
    /// Where in the pixel it is taken.
    pub sampling: Sampling,
    /// Of two results of a fragment for one location, which are blended with each other, the second.
    pub is_second_source: bool,
    /// What it belongs to.
    pub rate: Rate,
    /// The parameter that it is a part of, where there are several of each of its parts, or one after another.
    pub whole: Option<SmolStr>,
}

impl Varying {
    /// All of what shaders share.
    pub fn message(message: Message, is_output: bool) -> Varying {
        Varying {
            is_output,
            semantic: SmolStr::default(),
            place: VaryingPlace::Message(message),
            interpolation: Interpolation::default(),
            sampling: Sampling::default(),
            is_second_source: false,
            rate: Rate::default(),
            whole: None,
        }
    }
}

/// What there is one of a value for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rate {
    /// The invocation.
    #[default]
    Invocation,
    /// Each vertex or control point of a primitive, a patch or a group: the content of the variable is an array.
    Vertex,
    /// Each primitive of a group: likewise.
    Primitive,
    /// The patch.
    Patch,
    /// Each vertex that is appended to a stream: it is what the variable holds by then.
    Appended,
}

impl Rate {
    /// Each rate, for tables and tests.
    pub const ALL: [Rate; 5] = [Rate::Invocation, Rate::Vertex, Rate::Primitive, Rate::Patch, Rate::Appended];

    /// Its name in the text form.
    pub fn word(self) -> &'static str {
        match self {
            Rate::Invocation => "invocation",
            Rate::Vertex => "vertex",
            Rate::Primitive => "primitive",
            Rate::Patch => "patch",
            Rate::Appended => "appended",
        }
    }

    /// Whether there are several at once.
    pub fn is_several(self) -> bool {
        match self {
            Rate::Vertex | Rate::Primitive => true,
            Rate::Invocation | Rate::Patch | Rate::Appended => false,
        }
    }
}

/// How a fragment's value follows from those of the vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// In space: as the surface is seen.
    #[default]
    Perspective,
    /// In the plane of the screen: `noperspective`.
    Linear,
    /// The value of one vertex: `nointerpolation`.
    Flat,
    /// The values of all vertices: `pervertex`.
    Vertices,
}

/// For which place within a pixel a value is interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sampling {
    /// The middle of the pixel.
    #[default]
    Center,
    /// A place that the triangle covers.
    Centroid,
    /// Each sample by itself.
    Sample,
}

/// How the stages of a pipeline find a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VaryingPlace {
    /// A number that both stages know it by.
    Location(u32),
    /// A value that the pipeline gives or takes.
    System(SystemValue),
    /// What a shader and those that it starts share: all of a value, of any type. Who receives it may change it.
    Message(Message),
}

/// What a shader and those that it starts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// What a ray carries; the number tells those apart that one shader sends.
    RayPayload(u32),
    /// What a callable shader is given, likewise.
    CallableData(u32),
    /// What an intersection shader says of a hit.
    HitAttributes,
    /// What a group that starts groups of mesh shaders gives to all of them.
    MeshPayload,
}

macro_rules! system_values {
    ($($(#[$doc:meta])* $variant:ident = $word:literal;)*) => {
        /// What the pipeline gives or takes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum SystemValue {
            $($(#[$doc])* $variant,)*
        }

        impl SystemValue {
            /// Each value, for tables and tests.
            pub const ALL: &'static [SystemValue] = &[$(SystemValue::$variant,)*];

            /// Its name in the text form.
            pub fn word(self) -> &'static str {
                match self {
                    $(SystemValue::$variant => $word,)*
                }
            }
        }
    };
}

system_values! {
    /// The number of the vertex, from the first of the call on.
    VertexIndex = "vertex_index";
    /// The number of the instance, from the first of the call on.
    InstanceIndex = "instance_index";
    /// The number of the vertex, from the start of the buffers on.
    AbsoluteVertexIndex = "absolute_vertex_index";
    /// The number of the instance, from the start of the buffers on.
    AbsoluteInstanceIndex = "absolute_instance_index";
    /// The number of the first vertex of the call.
    BaseVertex = "base_vertex";
    /// The number of the first instance of the call.
    BaseInstance = "base_instance";
    /// The number of the call among those that the host makes at once.
    DrawIndex = "draw_index";
    /// Where a vertex is, and where a fragment is.
    Position = "position";
    /// The size of a point in pixels.
    PointSize = "point_size";
    /// How far a vertex is on the side of a plane on which it is seen; the number of the plane is that of the semantic.
    ClipDistance = "clip_distance";
    /// What is on the other side of such a plane with all its vertices is not drawn.
    CullDistance = "cull_distance";
    /// Which image of an array is drawn to.
    Layer = "layer";
    /// Through which of the windows it is drawn.
    Viewport = "viewport";
    /// Which of several views at once is drawn.
    View = "view";
    /// Which of several devices runs the shader.
    Device = "device";
    /// Whether the front of the triangle is seen.
    FrontFacing = "front_facing";
    /// The number of the sample in its pixel.
    SampleIndex = "sample_index";
    /// The number of the triangle, line or point.
    PrimitiveIndex = "primitive_index";
    /// Where a fragment is within its point.
    PointCoordinate = "point_coordinate";
    /// Where a sample is within its pixel.
    SamplePosition = "sample_position";
    /// How much each vertex counts in a fragment.
    Barycentrics = "barycentrics";
    /// Which samples of a pixel a fragment covers.
    Coverage = "coverage";
    /// How many pixels a fragment stands for, as the device counts.
    ShadingRate = "shading_rate";
    /// How many pixels a fragment stands for, in both directions.
    FragmentSize = "fragment_size";
    /// How often the shader runs for a fragment.
    FragmentInvocations = "fragment_invocations";
    /// How far away a fragment is, for the depth test.
    FragmentDepth = "fragment_depth";
    /// The depth, which is not less than that of the surface.
    FragmentDepthGreater = "fragment_depth_greater";
    /// The depth, which is not greater than that of the surface.
    FragmentDepthLess = "fragment_depth_less";
    /// What the stencil test compares with.
    StencilReference = "stencil_reference";
    /// Which of the control points of a patch an invocation makes.
    ControlPointIndex = "control_point_index";
    /// Where in a patch a vertex is.
    DomainLocation = "domain_location";
    /// Into how many parts the edges of a patch are cut.
    EdgeFactors = "edge_factors";
    /// Into how many parts the inside of a patch is cut.
    InsideFactors = "inside_factors";
    /// How often a geometry shader has been started for the primitive before.
    GeometryInstance = "geometry_instance";
    /// The numbers of the vertices that a primitive is made of.
    PrimitiveVertices = "primitive_vertices";
    /// Whether a primitive is not drawn.
    CullPrimitive = "cull_primitive";
}

impl Provision {
    /// A parameter with this role and no place of its own.
    pub fn of_role(role: ParameterRole) -> Provision {
        Provision { role, ..Provision::default() }
    }
}

/// What the parameter is to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParameterRole {
    /// A buffer, texture, sampler or block of its own.
    #[default]
    Own,
    /// Data of global scope: a field of the one buffer that the host fills for all such data.
    Uniform,
    /// Data among the parameters of an entry point: a field of the buffer of that entry point, by its number.
    Entry(u32),
    /// A buffer, texture, sampler or block among the parameters of an entry point.
    EntryOwn(u32),
    /// `[[vk::push_constant]]`
    PushConstant,
    /// `[[vk::shader_record]]`: what lies behind the handle of the shader in the table that rays choose shaders from.
    ShaderRecord,
    /// A specialisation constant; without a number it gets one that is free.
    Specialization(Option<u32>),
    /// The table of all resources of a type, which the host has: what handles of descriptors are numbers in.
    Heap,
    /// A parameter of a type that is not supported: nobody uses it, but it takes places that are not known.
    Unknown,
}

/// `u7, space1`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// What is counted.
    pub class: RegisterClass,
    /// The number of the first register.
    pub index: u32,
    /// The space that it is counted in.
    pub space: u32,
}

/// What Direct3D counts by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegisterClass {
    /// `b`: constant buffers.
    Constant,
    /// `t`: what is only read.
    Read,
    /// `u`: what is read and written.
    Write,
    /// `s`
    Sampler,
}

impl RegisterClass {
    /// Each class, for tables and tests.
    pub const ALL: [RegisterClass; 4] =
        [RegisterClass::Constant, RegisterClass::Read, RegisterClass::Write, RegisterClass::Sampler];

    /// The letter of the class in Direct3D's languages.
    pub fn letter(self) -> char {
        match self {
            RegisterClass::Constant => 'b',
            RegisterClass::Read => 't',
            RegisterClass::Write => 'u',
            RegisterClass::Sampler => 's',
        }
    }

    /// The class of a letter of either case.
    pub fn from_letter(letter: char) -> Option<RegisterClass> {
        RegisterClass::ALL.into_iter().find(|class| class.letter() == letter.to_ascii_lowercase())
    }
}

/// How data lies in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataLayout {
    /// Every scalar at a multiple of its size, nothing else padded.
    Scalar,
    /// GLSL's layout of uniform blocks: arrays and structs at multiples of 16 bytes.
    Std140,
    /// GLSL's layout of storage blocks: nothing rounded up to 16 bytes but vectors of three.
    Std430,
}
