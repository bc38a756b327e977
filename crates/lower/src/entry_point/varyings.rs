//! What the stages of a pipeline hand to each other: parameters and results of entry points are taken apart into scalars and
//! vectors, each a variable of its own that the stage before fills or the stage after reads.
//!
//! Locations are counted in the order of the declarations, as slangc counts them.

use hir_def::{
    attribute::{Attribute, AttributeKind, Modifiers},
    item::{self, ItemId, ItemKind},
};
use hir_ty::{display, ty::Ty};
use ir::{
    Global, GlobalId, GlobalKind, HandleType, Op, PathStep, Scalar, Type, TypeId, ValueId,
    builder::FuncBuilder,
    module::Stage,
    provision::{Interpolation, ParameterRole, Provision, Rate, Sampling, SystemValue, Varying, VaryingPlace},
};
use smol_str::{SmolStr, format_smolstr};

use crate::{
    error::{Lowering, Stop},
    front, globals,
    program::Program,
    stage_outputs, system_values,
};

/// The semantic of what fragments give, in capitals.
const TARGET: &str = "SV_TARGET";

/// Whether the entry point reads a variable or writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    In,
    Out,
}

/// What an entry point takes and gives, as far as it is known by now.
pub(super) struct Varyings {
    stage: Stage,
    /// The number of the entry point.
    entry: u32,
    /// The first locations that are free.
    inputs: u32,
    outputs: u32,
    /// Whether the source gives locations, once one is known.
    inputs_are_given: Option<bool>,
    outputs_are_given: Option<bool>,
    /// The values of the pipeline that are read already, by their semantics.
    read: Vec<(SmolStr, GlobalId)>,
}

/// What the source says of a parameter, a field or a result.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub name: SmolStr,
    /// In capitals, without its number.
    semantic: Option<SmolStr>,
    /// The number of the semantic, of which each part takes one.
    index: u32,
    location: Option<u32>,
    /// See [`Varying::is_second_source`].
    is_second_source: bool,
    interpolation: Interpolation,
    sampling: Sampling,
    /// What it belongs to, and where that is several things, how many there are.
    several: Several,
}

/// See [`Varying::rate`] and [`Varying::whole`].
#[derive(Debug, Clone, Default)]
pub(super) struct Several {
    pub rate: Rate,
    pub count: u32,
    pub whole: Option<SmolStr>,
    /// What the pipeline takes without a semantic.
    pub system: Option<SystemValue>,
    /// The variables have the types of the source.
    pub as_written: bool,
}

/// What holds a scalar or vector of a parameter or result.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// A variable, or an element of one.
    Variable { global: GlobalId, element: Option<u32>, natural: TypeId },
    /// What the machine says of the invocations that run together, by its semantic.
    Wave(SmolStr),
}

impl Said {
    /// The same of what there are several of.
    pub(super) fn of_several(mut self, several: Several) -> Said {
        self.several = several;
        self
    }

    pub(super) fn new(name: SmolStr, semantic: Option<&str>, modifiers: Modifiers) -> Said {
        let (word, index) = match semantic {
            None => (None, 0),
            Some(semantic) => {
                let word = semantic.trim_end_matches(|c: char| c.is_ascii_digit());
                (Some(word.to_ascii_uppercase().into()), semantic[word.len()..].parse().unwrap_or(0))
            }
        };
        let interpolation = match () {
            () if modifiers.contains(Modifiers::PER_VERTEX) => Interpolation::Vertices,
            () if modifiers.contains(Modifiers::NOINTERPOLATION) => Interpolation::Flat,
            () if modifiers.contains(Modifiers::NOPERSPECTIVE) => Interpolation::Linear,
            () => Interpolation::Perspective,
        };
        let sampling = match () {
            () if modifiers.contains(Modifiers::CENTROID) => Sampling::Centroid,
            () if modifiers.contains(Modifiers::SAMPLE) => Sampling::Sample,
            () => Sampling::Center,
        };
        let several = Several::default();
        Said { name, semantic: word, index, location: None, is_second_source: false, interpolation, sampling, several }
    }

    /// What is said of a field, where `self` is said of the struct.
    fn field(&self, program: &Program<'_>, field: ItemId) -> Lowering<Said> {
        let data = item::item_data(program.db, field);
        let ItemKind::Variable { semantic, .. } = &data.kind else { return Err(Stop::broken("a field of no kind")) };
        let name = data.name.as_ref().map_or("", |name| name.as_str());
        let name = format_smolstr!("{}_{name}", self.name);
        let mut said = Said::new(name, semantic.as_ref().map(|semantic| semantic.as_str()), data.modifiers);
        said.several = self.several.clone();
        if semantic.is_none() {
            (said.semantic, said.index) = (self.semantic.clone(), self.index);
        }
        if said.interpolation == Interpolation::Perspective {
            said.interpolation = self.interpolation;
        }
        if said.sampling == Sampling::Center {
            said.sampling = self.sampling;
        }
        said.located(program, field, |kind| data.attribute(kind))
    }

    /// With the location that attributes of `item` give.
    pub(super) fn located<'a>(
        mut self,
        program: &Program<'_>,
        item: ItemId,
        attribute: impl Fn(AttributeKind) -> Option<&'a Attribute>,
    ) -> Lowering<Said> {
        let number = |attribute: &Attribute| {
            let value = attribute.args.first().and_then(|arg| front::signature_constant(program.db, item, *arg));
            value.and_then(|value| u32::try_from(value).ok())
        };
        if let Some(attribute) = attribute(AttributeKind::Location) {
            let location = number(attribute).ok_or_else(|| Stop::unsupported("a location that is not a constant"))?;
            self.location = Some(location);
        }
        if let Some(attribute) = attribute(AttributeKind::Index) {
            self.is_second_source = match number(attribute) {
                Some(0) => false,
                Some(1) => true,
                _ => return Err(Stop::unsupported("a source of blending that is not 0 or 1 (`[vk::index]`)")),
            };
        }
        Ok(self)
    }
}

impl Varyings {
    pub(super) fn new(stage: Stage, entry: u32) -> Varyings {
        Varyings {
            stage,
            entry,
            inputs: 0,
            outputs: 0,
            inputs_are_given: None,
            outputs_are_given: None,
            read: Vec::new(),
        }
    }

    /// The value of a parameter.
    pub(super) fn read(
        &mut self,
        program: &mut Program<'_>,
        b: &mut FuncBuilder<'_>,
        ty: Option<Ty>,
        wanted: TypeId,
        said: &mut Said,
    ) -> Lowering<ValueId> {
        let parts = self.declare(program, ty, wanted, said, Way::In)?;
        value(program, b, wanted, &parts, None)
    }

    /// Gives out a result.
    pub(super) fn write(
        &mut self,
        program: &mut Program<'_>,
        b: &mut FuncBuilder<'_>,
        ty: Option<Ty>,
        value: ValueId,
        said: &mut Said,
    ) -> Lowering<()> {
        let parts = self.declare(program, ty, b.ty(value), said, Way::Out)?;
        store(program, b, value, &parts, None)
    }

    /// Declares the variables of a parameter or result.
    pub(super) fn declare(
        &mut self,
        program: &mut Program<'_>,
        ty: Option<Ty>,
        wanted: TypeId,
        said: &mut Said,
        way: Way,
    ) -> Lowering<Vec<Part>> {
        if let Some(factors @ (SystemValue::EdgeFactors | SystemValue::InsideFactors)) = self.system_value(said, way)? {
            return self.factors(program, wanted, said, way, factors);
        }
        let parts = self.parts(program, ty, wanted, said)?;
        if parts.is_empty() {
            let wave = said.semantic.as_deref().filter(|word| system_values::is_of_wave(word));
            if let (Some(word), Way::In) = (wave, way) {
                return Ok(vec![Part::Wave(word.into())]);
            }
            let (global, natural) = self.variable(program, wanted, said, way)?;
            return match (program.types.get(natural), program.types.get(wanted)) {
                (Type::Scalar(_), Type::Scalar(_)) => Ok(vec![Part::Variable { global, element: None, natural }]),
                (Type::Vector { len, .. }, Type::Vector { len: other, .. }) if len == other => {
                    Ok(vec![Part::Variable { global, element: None, natural }])
                }
                _ => Err(said.refused("of this type")),
            };
        }
        let mut found = Vec::new();
        for (part, part_ty, mut part_said) in parts {
            part_said.follow(said);
            found.extend(self.declare(program, part, part_ty, &mut part_said, way)?);
            said.advance(&part_said);
        }
        Ok(found)
    }

    /// Into how many parts edges are cut: all of them are one variable.
    fn factors(
        &mut self,
        program: &mut Program<'_>,
        wanted: TypeId,
        said: &Said,
        way: Way,
        factors: SystemValue,
    ) -> Lowering<Vec<Part>> {
        let count = match program.types.get(wanted) {
            Type::Scalar(Scalar::F32) => 1,
            Type::Array { element, len: len @ 1..=4 } if program.types.get(element) == Type::Scalar(Scalar::F32) => len,
            _ => return Err(said.refused("of this type")),
        };
        let natural = program.types.f32();
        let content = program.types.array(natural, count);
        let semantic = said.semantic.clone().unwrap_or_default();
        let global =
            self.add(program, said, way, content, (VaryingPlace::System(factors), semantic), Default::default())?;
        Ok((0..count).map(|index| Part::Variable { global, element: Some(index), natural }).collect())
    }

    /// The parts of what is no scalar and no vector.
    fn parts(
        &self,
        program: &mut Program<'_>,
        ty: Option<Ty>,
        whole: TypeId,
        said: &Said,
    ) -> Lowering<Vec<(Option<Ty>, TypeId, Said)>> {
        let types = program.types;
        let numbered = |said: &Said, index: u32, ty: TypeId| {
            let part = Said {
                name: format_smolstr!("{}_{index}", said.name),
                index: said.index + index,
                location: said.location.map(|location| location + index),
                ..said.clone()
            };
            (None, ty, part)
        };
        match types.get(whole) {
            Type::Scalar(_) | Type::Vector { .. } => Ok(Vec::new()),
            Type::Matrix { scalar, rows, cols } => {
                let row = types.vector(scalar, cols);
                Ok((0..u32::from(rows)).map(|index| numbered(said, index, row)).collect())
            }
            Type::Array { element, len } if matches!(types.get(element), Type::Scalar(_) | Type::Vector { .. }) => {
                Ok((0..len).map(|index| numbered(said, index, element)).collect())
            }
            Type::Struct(id) => {
                let Some(ty) = ty else { return Err(said.refused("with structs in arrays")) };
                let fields = program.member_types(ty)?;
                let types: Vec<TypeId> = types.structs[id].fields.iter().map(|field| field.ty).collect();
                let refused = || said.refused(&format!("of type `{}`", display::display(program.db, ty)));
                if fields.len() != types.len() || fields.is_empty() {
                    return Err(refused());
                }
                let mut parts = Vec::new();
                for ((field, field_ty), part) in fields.into_iter().zip(types) {
                    let field = field.ok_or_else(refused)?;
                    parts.push((Some(field_ty), part, said.field(program, field)?));
                }
                Ok(parts)
            }
            Type::Array { .. } | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => Err(said.refused("of this type")),
        }
    }

    /// The variable for a part, and its type there.
    fn variable(
        &mut self,
        program: &mut Program<'_>,
        wanted: TypeId,
        said: &Said,
        way: Way,
    ) -> Lowering<(GlobalId, TypeId)> {
        let system = self.system_value(said, way)?;
        let natural = system.filter(|_| !said.several.as_written);
        let natural = natural.and_then(|system| system_values::type_of(program.types, system));
        let content = natural.unwrap_or(wanted);
        let (Type::Scalar(scalar) | Type::Vector { scalar, .. }) = program.types.get(content) else {
            return Err(said.refused("of this type"));
        };
        let is_known = matches!(scalar, Scalar::F16 | Scalar::F32 | Scalar::I32 | Scalar::U32);
        if system.is_none() && !is_known {
            return Err(said.refused("of scalars that are not of 32 bits"));
        }
        let place = match system {
            Some(system) => VaryingPlace::System(system),
            None => VaryingPlace::Location(self.location(said, way)?),
        };
        let is_interpolated = match self.stage {
            Stage::Vertex | Stage::Domain | Stage::Geometry | Stage::Mesh => way == Way::Out,
            Stage::Fragment => way == Way::In,
            Stage::Hull | Stage::Compute | Stage::Amplification => false,
            Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => false,
        } && system.is_none()
            && said.several.rate != Rate::Primitive
            && said.several.rate != Rate::Patch;
        let has_ways = is_interpolated || system == Some(SystemValue::Barycentrics);
        let is_of_vertices = said.interpolation == Interpolation::Vertices;
        if is_of_vertices && self.stage == Stage::Fragment && way == Way::In && system.is_some() {
            return Err(said.refused("that is `pervertex` and of the pipeline"));
        }
        let (interpolation, sampling) = match (has_ways, scalar.is_float()) {
            (false, _) => Default::default(),
            // What hands it on has nothing to say of it.
            (true, true) if is_of_vertices && way == Way::Out => Default::default(),
            (true, _) if is_of_vertices && way == Way::In => (Interpolation::Vertices, Sampling::Center),
            (true, false) => (Interpolation::Flat, Sampling::Center),
            (true, true) => (said.interpolation, said.sampling),
        };
        let semantic = match (&said.semantic, system, place) {
            // The results of fragments have no other names in Direct3D.
            (semantic, _, VaryingPlace::Location(location))
                if self.stage == Stage::Fragment && way == Way::Out && semantic.as_deref() != Some(TARGET) =>
            {
                format_smolstr!("{TARGET}{location}")
            }
            // Direct3D finds what another stage gives by its name, as Vulkan does by its location: where the source gives
            // none, the location is the name, since each stage has its own words for it.
            (None, _, VaryingPlace::Location(location)) => format_smolstr!("LOCATION{location}"),
            (Some(semantic), None | Some(SystemValue::ClipDistance | SystemValue::CullDistance), _) => {
                format_smolstr!("{semantic}{}", said.index)
            }
            // Direct3D tells the two kinds apart by number.
            (Some(semantic), Some(SystemValue::Barycentrics), _) if interpolation == Interpolation::Linear => {
                format_smolstr!("{semantic}1")
            }
            (Some(semantic), Some(_), _) => semantic.clone(),
            (None, _, VaryingPlace::System(_) | VaryingPlace::Message(_)) => SmolStr::default(),
        };
        if said.is_second_source && (self.stage != Stage::Fragment || way == Way::In || said.location.is_none()) {
            return Err(Stop::unsupported("`[vk::index]` but at a result of a fragment shader that has a location"));
        }
        let is_read_once = way == Way::In && system.is_some() && !said.several.rate.is_several();
        let handle = program.types.intern(Type::Handle(HandleType::Variable { content }));
        let known = self
            .read
            .iter()
            .find(|(word, global)| is_read_once && *word == semantic && program.module.globals[*global].ty == handle);
        if let Some((_, global)) = known {
            return Ok((*global, content));
        }
        let global = self.add(program, said, way, content, (place, semantic.clone()), (interpolation, sampling))?;
        if is_read_once {
            self.read.push((semantic, global));
        }
        Ok((global, content))
    }

    /// Adds a variable; of `content` there may be several.
    fn add(
        &mut self,
        program: &mut Program<'_>,
        said: &Said,
        way: Way,
        content: TypeId,
        (place, semantic): (VaryingPlace, SmolStr),
        (interpolation, sampling): (Interpolation, Sampling),
    ) -> Lowering<GlobalId> {
        let Several { rate, count, whole, .. } = said.several.clone();
        let varying = Varying {
            is_output: way == Way::Out,
            semantic,
            place,
            interpolation,
            sampling,
            is_second_source: said.is_second_source,
            rate,
            whole,
        };
        let content = if rate.is_several() { program.types.array(content, count) } else { content };
        let provision = Provision { varying: Some(varying), ..Provision::of_role(ParameterRole::EntryOwn(self.entry)) };
        let name = program.unique_name(&said.name);
        let ty = program.types.intern(Type::Handle(HandleType::Variable { content }));
        let global = Global { name, ty, kind: GlobalKind::Parameter, provision, by_descriptor: false };
        Ok(program.module.globals.alloc(global))
    }

    /// The number of the control point that an invocation of a hull shader makes.
    pub(super) fn control_point(&mut self, program: &mut Program<'_>, b: &mut FuncBuilder<'_>) -> Lowering<ValueId> {
        let mut said = Said::new("control_point".into(), Some("SV_OUTPUTCONTROLPOINTID"), Modifiers::empty());
        let uint = program.types.scalar(Scalar::U32);
        self.read(program, b, None, uint, &mut said)
    }

    /// The next location, or the one that is given: as for slangc, all of one direction are given or none.
    fn location(&mut self, said: &Said, way: Way) -> Lowering<u32> {
        let (next, given) = match way {
            Way::Out => (&mut self.outputs, &mut self.outputs_are_given),
            Way::In => (&mut self.inputs, &mut self.inputs_are_given),
        };
        if given.is_some_and(|given| given != said.location.is_some()) {
            return Err(Stop::unsupported("an entry point that has locations for some inputs or outputs alone"));
        }
        *given = Some(said.location.is_some());
        let location = said.location.unwrap_or(*next);
        *next = location + 1;
        Ok(location)
    }

    /// What the pipeline itself gives or takes by this semantic.
    fn system_value(&self, said: &Said, way: Way) -> Lowering<Option<SystemValue>> {
        if said.several.system.is_some() {
            return Ok(said.several.system);
        }
        let Some(semantic) = said.semantic.as_deref() else { return Ok(None) };
        let is_output = way == Way::Out;
        if (self.stage, is_output, semantic) == (Stage::Fragment, true, TARGET) || !semantic.starts_with("SV_") {
            return Ok(None);
        }
        if system_values::is_of_wave(semantic) && !is_output {
            return Ok(None);
        }
        let found = system_values::of_stage(self.stage, is_output, semantic);
        found.map(Some).ok_or_else(|| Stop::unsupported(format!("the semantic `{semantic}` here")))
    }
}

/// The value that the variables hold; of several that with the number `element`.
pub(super) fn value(
    program: &Program<'_>,
    b: &mut FuncBuilder<'_>,
    wanted: TypeId,
    parts: &[Part],
    element: Option<PathStep>,
) -> Lowering<ValueId> {
    let leaves = leaves_of(program, wanted, parts)?;
    let mut values = Vec::new();
    for (leaf, part) in leaves.iter().zip(parts) {
        let value = match part {
            Part::Wave(word) => system_values::of_wave(b, word, leaf.ty)
                .ok_or_else(|| Stop::unsupported(format!("the semantic `{word}` here")))?,
            Part::Variable { global, element: own, natural } => {
                let handle = globals::handle(program, b, *global);
                let path = element.into_iter().chain(own.map(PathStep::Const)).collect();
                let value = b.value(Op::Load { handle, path }, *natural);
                b.convert(value, leaf.ty)
            }
        };
        values.push(value);
    }
    Ok(made(b, wanted, &mut values.into_iter()))
}

/// Stores a value in the variables; of several in that with the number `element`.
pub(super) fn store(
    program: &Program<'_>,
    b: &mut FuncBuilder<'_>,
    value: ValueId,
    parts: &[Part],
    element: Option<PathStep>,
) -> Lowering<()> {
    let leaves = leaves_of(program, b.ty(value), parts)?;
    for (leaf, part) in leaves.iter().zip(parts) {
        let Part::Variable { global, element: own, natural } = part else {
            return Err(Stop::broken("a value of the machine that is written"));
        };
        let value = b.extract(value, leaf.path.iter().map(|&index| PathStep::Const(index)));
        let handle = globals::handle(program, b, *global);
        let value = b.convert(value, *natural);
        let path = element.into_iter().chain(own.map(PathStep::Const)).collect();
        b.op(Op::Store { handle, path, value }, &[]);
    }
    Ok(())
}

fn leaves_of(program: &Program<'_>, ty: TypeId, parts: &[Part]) -> Lowering<Vec<stage_outputs::Leaf>> {
    let leaves = stage_outputs::leaves(program.types, ty).filter(|leaves| leaves.len() == parts.len());
    leaves.ok_or_else(|| Stop::unsupported("an input or output of a stage of this type"))
}

/// An aggregate of its scalars and vectors, in order.
fn made(b: &mut FuncBuilder<'_>, ty: TypeId, leaves: &mut impl Iterator<Item = ValueId>) -> ValueId {
    let parts: Vec<TypeId> = match b.types.get(ty) {
        Type::Matrix { scalar, rows, cols } => vec![b.types.vector(scalar, cols); usize::from(rows)],
        Type::Array { element, len } => vec![element; len as usize],
        Type::Struct(id) => b.types.structs[id].fields.iter().map(|field| field.ty).collect(),
        Type::Scalar(_) | Type::Vector { .. } | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
            return leaves.next().unwrap_or_else(|| b.undef(ty));
        }
    };
    let parts: Vec<ValueId> = parts.into_iter().map(|part| made(b, part, leaves)).collect();
    b.make(&parts, ty)
}

impl Said {
    fn refused(&self, what: &str) -> Stop {
        Stop::unsupported(format!("`{}`, an input or output of a stage {what},", self.name))
    }

    /// A part without a semantic of its own is behind those that are done.
    fn follow(&mut self, whole: &Said) {
        if self.semantic == whole.semantic {
            self.index = self.index.max(whole.index);
        }
    }

    /// Goes on after a part that had no semantic of its own.
    fn advance(&mut self, part: &Said) {
        if self.semantic == part.semantic {
            self.index = self.index.max(part.index + 1);
        }
    }
}
