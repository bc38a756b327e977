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
    Global, GlobalKind, HandleType, Op, PathStep, Scalar, Type, TypeId, ValueId,
    builder::FuncBuilder,
    module::Stage,
    op::Path,
    provision::{Interpolation, ParameterRole, Provision, Sampling, SystemValue, Varying, VaryingPlace},
};
use smol_str::{SmolStr, format_smolstr};

use crate::{
    error::{Lowering, Stop},
    front,
    program::Program,
    system_values,
};

/// The semantic of what fragments give, in capitals.
const TARGET: &str = "SV_TARGET";

/// Whether the entry point reads a variable or writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
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
}

impl Said {
    pub(super) fn new(name: SmolStr, semantic: Option<&str>, modifiers: Modifiers) -> Said {
        let (word, index) = match semantic {
            None => (None, 0),
            Some(semantic) => {
                let word = semantic.trim_end_matches(|c: char| c.is_ascii_digit());
                (Some(word.to_ascii_uppercase().into()), semantic[word.len()..].parse().unwrap_or(0))
            }
        };
        let interpolation = match () {
            () if modifiers.contains(Modifiers::NOINTERPOLATION) => Interpolation::Flat,
            () if modifiers.contains(Modifiers::NOPERSPECTIVE) => Interpolation::Linear,
            () => Interpolation::Perspective,
        };
        let sampling = match () {
            () if modifiers.contains(Modifiers::CENTROID) => Sampling::Centroid,
            () if modifiers.contains(Modifiers::SAMPLE) => Sampling::Sample,
            () => Sampling::Center,
        };
        Said { name, semantic: word, index, location: None, is_second_source: false, interpolation, sampling }
    }

    /// What is said of a field, where `self` is said of the struct.
    fn field(&self, program: &Program<'_>, field: ItemId) -> Lowering<Said> {
        let data = item::item_data(program.db, field);
        let ItemKind::Variable { semantic, .. } = &data.kind else { return Err(Stop::broken("a field of no kind")) };
        let name = data.name.as_ref().map_or("", |name| name.as_str());
        let name = format_smolstr!("{}_{name}", self.name);
        let mut said = Said::new(name, semantic.as_ref().map(|semantic| semantic.as_str()), data.modifiers);
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
        Varyings { stage, entry, inputs: 0, outputs: 0, inputs_are_given: None, outputs_are_given: None }
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
        let mut parts = Vec::new();
        for (part, part_ty, mut part_said) in self.parts(program, b, ty, wanted, said)? {
            part_said.follow(said);
            let value = self.read(program, b, part, part_ty, &mut part_said)?;
            said.advance(&part_said);
            parts.push(value);
        }
        if !parts.is_empty() {
            return Ok(b.make(&parts, wanted));
        }
        if let Some(value) = said.semantic.as_deref().and_then(|word| system_values::of_wave(b, word, wanted)) {
            return Ok(value);
        }
        let (handle, natural) = self.variable(program, b, wanted, said, Way::In)?;
        let value = b.value(Op::Load { handle, path: Path::new() }, natural);
        match (b.types.get(natural), b.types.get(wanted)) {
            (Type::Scalar(_), Type::Scalar(_)) => Ok(b.convert(value, wanted)),
            (Type::Vector { len, .. }, Type::Vector { len: other, .. }) if len == other => Ok(b.convert(value, wanted)),
            _ => Err(said.refused("of this type")),
        }
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
        let wanted = b.ty(value);
        let parts = self.parts(program, b, ty, wanted, said)?;
        for ((part, _, mut part_said), index) in parts.iter().cloned().zip(0..) {
            part_said.follow(said);
            let value = b.extract(value, [PathStep::Const(index)]);
            self.write(program, b, part, value, &mut part_said)?;
            said.advance(&part_said);
        }
        if !parts.is_empty() {
            return Ok(());
        }
        let (handle, natural) = self.variable(program, b, wanted, said, Way::Out)?;
        let value = match (b.types.get(wanted), b.types.get(natural)) {
            (Type::Scalar(_), Type::Scalar(_)) => b.convert(value, natural),
            (Type::Vector { len, .. }, Type::Vector { len: other, .. }) if len == other => b.convert(value, natural),
            _ => return Err(said.refused("of this type")),
        };
        b.op(Op::Store { handle, path: Path::new(), value }, &[]);
        Ok(())
    }

    /// The parts of what is no scalar and no vector.
    fn parts(
        &self,
        program: &mut Program<'_>,
        b: &mut FuncBuilder<'_>,
        ty: Option<Ty>,
        whole: TypeId,
        said: &Said,
    ) -> Lowering<Vec<(Option<Ty>, TypeId, Said)>> {
        let numbered = |said: &Said, index: u32, ty: TypeId| {
            let part = Said {
                name: format_smolstr!("{}_{index}", said.name),
                index: said.index + index,
                location: said.location.map(|location| location + index),
                ..said.clone()
            };
            (None, ty, part)
        };
        match b.types.get(whole) {
            Type::Scalar(_) | Type::Vector { .. } => Ok(Vec::new()),
            Type::Matrix { scalar, rows, cols } => {
                let row = b.types.vector(scalar, cols);
                Ok((0..u32::from(rows)).map(|index| numbered(said, index, row)).collect())
            }
            Type::Array { element, len } if matches!(b.types.get(element), Type::Scalar(_) | Type::Vector { .. }) => {
                Ok((0..len).map(|index| numbered(said, index, element)).collect())
            }
            Type::Struct(id) => {
                let Some(ty) = ty else { return Err(said.refused("with structs in arrays")) };
                let fields = program.member_types(ty)?;
                let types: Vec<TypeId> = b.types.structs[id].fields.iter().map(|field| field.ty).collect();
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
        b: &mut FuncBuilder<'_>,
        wanted: TypeId,
        said: &Said,
        way: Way,
    ) -> Lowering<(ValueId, TypeId)> {
        let system = self.system_value(said, way)?;
        let content = system.map_or(wanted, |system| system_values::type_of(b.types, system));
        let (Type::Scalar(scalar) | Type::Vector { scalar, .. }) = b.types.get(content) else {
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
        } && system.is_none();
        let has_ways = is_interpolated || system == Some(SystemValue::Barycentrics);
        let (interpolation, sampling) = match (has_ways, scalar.is_float()) {
            (false, _) => Default::default(),
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
            (None, _, VaryingPlace::System(_) | VaryingPlace::Message(_)) => {
                return Err(Stop::broken("a value of the pipeline without a semantic"));
            }
        };
        let is_second_source = said.is_second_source;
        if is_second_source && (self.stage != Stage::Fragment || way == Way::In || said.location.is_none()) {
            return Err(Stop::unsupported("`[vk::index]` but at a result of a fragment shader that has a location"));
        }
        let varying =
            Varying { is_output: way == Way::Out, semantic, place, interpolation, sampling, is_second_source };
        let provision = Provision { varying: Some(varying), ..Provision::of_role(ParameterRole::EntryOwn(self.entry)) };
        let name = program.unique_name(&said.name);
        let ty = b.types.intern(Type::Handle(HandleType::Variable { content }));
        let global = Global { name, ty, kind: GlobalKind::Parameter, provision, by_descriptor: false };
        let global = program.module.globals.alloc(global);
        Ok((b.value(Op::Global(global), ty), content))
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
        let Some(semantic) = said.semantic.as_deref() else { return Ok(None) };
        let is_output = way == Way::Out;
        if (self.stage, is_output, semantic) == (Stage::Fragment, true, TARGET) || !semantic.starts_with("SV_") {
            return Ok(None);
        }
        let found = system_values::of_stage(self.stage, is_output, semantic);
        found.map(Some).ok_or_else(|| Stop::unsupported(format!("the semantic `{semantic}` here")))
    }
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
