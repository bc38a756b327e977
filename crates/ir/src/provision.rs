//! How the host provides a shader parameter, as far as the source says. Which slot it gets in the end is the business of
//! the target.

/// What the source says about the place of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provision {
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
}

impl Provision {
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
    /// A specialisation constant; without a number it gets one that is free.
    Specialization(Option<u32>),
    /// A parameter of a type that is not supported: nobody uses it, but it takes places that are not known.
    Unknown,
}

/// `u7, space1`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    pub class: RegisterClass,
    pub index: u32,
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
    pub const ALL: [RegisterClass; 4] =
        [RegisterClass::Constant, RegisterClass::Read, RegisterClass::Write, RegisterClass::Sampler];

    pub fn letter(self) -> char {
        match self {
            RegisterClass::Constant => 'b',
            RegisterClass::Read => 't',
            RegisterClass::Write => 'u',
            RegisterClass::Sampler => 's',
        }
    }

    pub fn from_letter(letter: char) -> Option<RegisterClass> {
        RegisterClass::ALL.into_iter().find(|class| class.letter() == letter.to_ascii_lowercase())
    }
}

/// How data lies in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataLayout {
    /// Every scalar at a multiple of its size, nothing else padded.
    Scalar,
    Std140,
    Std430,
}
