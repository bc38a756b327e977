//! Functions of the core library that are operations of their own, by the names of the `prelude` crate: what textures do,
//! and where in its grid a CUDA kernel runs.

use ir::{
    AtomicOp, HandleType, Intrinsic, Scalar, Type, ValueId,
    intrinsic::{FragmentOp, GridOp, NumberOp, PointerOp, TextureOp, WaveOp},
    number,
};

use crate::{
    InterpError,
    math::element,
    memory::Handle,
    ops::Exec,
    texture::{self, Texture},
    waves,
};

/// All texels were there: there are no others here.
const FULLY_MAPPED: f64 = 1.0;

impl Exec<'_, '_> {
    /// Computes the results of an intrinsic, one after the other, into the scratch slots.
    pub(crate) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        args: &[ValueId],
        results: &[ValueId],
    ) -> Result<(), InterpError> {
        let known = match intrinsic {
            Intrinsic::Number(op) => self.number(op, args),
            Intrinsic::Pointer(op) => self.pointer(op, args),
            Intrinsic::Texture(TextureOp::FullyMapped) => {
                let status = args.first().map_or(0, |&status| self.slot(status));
                self.scratch.push(u64::from(status != 0));
                Some(())
            }
            Intrinsic::Texture(op) => self.texture(op, args, results).map(|values| self.keep_numbers(&values, results)),
            Intrinsic::Grid(op) => self.grid(op).map(|place| self.scratch.extend(place.map(u64::from))),
            Intrinsic::Wave(op) => self.of_lane(op, results),
            Intrinsic::Fragment(FragmentOp::Discard) => return Err(InterpError::Discarded),
            Intrinsic::Fragment(FragmentOp::Clip) => {
                let numbers = args.first().map_or(Vec::new(), |&x| self.numbers(x));
                if numbers.into_iter().any(|number| number < 0.0) {
                    return Err(InterpError::Discarded);
                }
                Some(())
            }
            Intrinsic::Integer(_)
            | Intrinsic::Buffer(_)
            | Intrinsic::WaveSubset(_)
            | Intrinsic::Fragment(_)
            | Intrinsic::Stage(_)
            | Intrinsic::Ray(_)
            | Intrinsic::RayQuery(_)
            | Intrinsic::RayExtension(_)
            | Intrinsic::HitObject(_)
            | Intrinsic::Footprint(_)
            | Intrinsic::Cooperative(_)
            | Intrinsic::Tensor(_)
            | Intrinsic::Descriptor(_)
            | Intrinsic::System(_)
            | Intrinsic::Hint(_) => None,
        };
        known.ok_or(InterpError::UnsupportedIntrinsic(intrinsic))
    }

    fn number(&mut self, op: NumberOp, args: &[ValueId]) -> Option<()> {
        let precision = self.machine.precision;
        match op {
            NumberOp::Frexp => {
                let parts: Vec<(f64, i64)> =
                    args.first().map_or(Vec::new(), |&x| self.numbers(x)).into_iter().map(split).collect();
                let scalar = args.first().map_or(Scalar::F64, |&x| element(self.type_of(x)));
                self.scratch.extend(parts.iter().map(|(mantissa, _)| number::from_f64(scalar, precision, *mantissa)));
                self.scratch.extend(parts.iter().map(|(_, exponent)| number::wrap(Scalar::I32, *exponent as u64)));
                Some(())
            }
            NumberOp::Nextafter => {
                let &[x, y] = args else { return None };
                let scalar = element(self.type_of(x));
                for (from, to) in self.plan.range(x).zip(self.plan.range(y)) {
                    self.scratch.push(next_after(scalar, self.frame[from], self.frame[to]));
                }
                Some(())
            }
            NumberOp::SmallCast
            | NumberOp::SmallDot
            | NumberOp::SmallFrom
            | NumberOp::SmallTo
            | NumberOp::StringHash
            | NumberOp::StringLength => None,
        }
    }

    fn pointer(&mut self, op: PointerOp, args: &[ValueId]) -> Option<()> {
        match op {
            PointerOp::AddressOf => {
                let (&handle, steps) = args.split_first()?;
                let address = self.address(handle, steps)?;
                self.scratch.push(address);
                Some(())
            }
            PointerOp::AtByte => {
                let &[first, bytes] = args else { return None };
                self.scratch.push(self.slot(first).wrapping_add(self.slot(bytes)));
                Some(())
            }
            PointerOp::LoadAligned
            | PointerOp::LoadCoherent
            | PointerOp::OfBuffer
            | PointerOp::OfElement
            | PointerOp::StoreAligned
            | PointerOp::StoreCoherent => None,
        }
    }

    fn grid(&self, op: GridOp) -> Option<[u32; 3]> {
        match op {
            GridOp::CudaThreadIndex => Some(self.builtins.group_thread_id),
            GridOp::CudaBlockIndex => Some(self.builtins.group_id),
            GridOp::CudaBlockSize | GridOp::WorkGroupSize => Some(self.builtins.group_size),
            GridOp::WorkGroupCount => Some(self.builtins.group_count),
            GridOp::CudaSyncStream | GridOp::UniformLoad => None,
        }
    }

    /// What a thread knows of its wave without meeting the others.
    fn of_lane(&mut self, op: WaveOp, results: &[ValueId]) -> Option<()> {
        let lane = self.builtins.lane();
        let bit = 1_u32 << lane;
        let word = match op {
            WaveOp::LaneIndex => lane,
            WaveOp::LaneCount => waves::LANES,
            WaveOp::LaneEqMask => bit,
            WaveOp::LaneLtMask => bit - 1,
            WaveOp::LaneLeMask => bit | (bit - 1),
            WaveOp::LaneGeMask => !(bit - 1),
            WaveOp::LaneGtMask => !(bit | (bit - 1)),
            WaveOp::WaveIndex => self.builtins.wave(),
            WaveOp::WaveCount => {
                let threads =
                    self.builtins.group_size.iter().fold(1, |product: u32, &size| product.saturating_mul(size));
                threads.div_ceil(waves::LANES)
            }
            // The others have to be met, which the thread does where it comes to them.
            _ => return None,
        };
        let count = results.first().map_or(0, |&result| self.plan.range(result).len());
        self.scratch.push(word.into());
        self.scratch.resize(count, 0);
        Some(())
    }

    /// Puts numbers into the scratch slots, each as what its result is; those that are missing are the status of a load.
    fn keep_numbers(&mut self, values: &[f64], results: &[ValueId]) {
        let precision = self.machine.precision;
        let mut values = values.iter().copied();
        for &result in results {
            let scalar = element(self.type_of(result));
            for _ in 0..self.plan.range(result).len() {
                let value = values.next().unwrap_or(FULLY_MAPPED);
                let slot = match scalar {
                    scalar if scalar.is_float() => number::from_f64(scalar, precision, value),
                    scalar => number::wrap(scalar, value as i64 as u64),
                };
                self.scratch.push(slot);
            }
        }
    }

    /// The numbers that an operation on a texture gives, first result first; what is missing is the status of a load.
    /// `None` for operations that are not known here.
    fn texture(&mut self, op: TextureOp, args: &[ValueId], results: &[ValueId]) -> Option<Vec<f64>> {
        let (&handle, args) = args.split_first()?;
        let Type::Handle(HandleType::Texture { dims, array, cube, multisampled, .. }) = self.type_of(handle) else {
            return None;
        };
        let (coordinates, count) =
            (usize::from(dims) + usize::from(cube), results.first().map(|&r| self.plan.range(r).len()));
        let args: Vec<ValueId> = args.iter().copied().filter(|&arg| !self.is_sampler(arg)).collect();
        let texture = match Handle::from_slot(self.slot(handle)) {
            Handle::Texture(index) => index,
            _ => u32::MAX,
        };
        let shape = TextureShape { dimensions: dims.into(), coordinates, array, cube, multisampled };
        let first = |texel: [f64; 4]| texel[..count.unwrap_or(0).min(4)].to_vec();
        let filtered = |filter| self.filtered(filter, shape, texture, &args).map(first);
        let sample = || filtered(Filter { compares: false, gathered: None });
        let sample_and_compare = || filtered(Filter { compares: true, gathered: None });
        let gather = |component| filtered(Filter { compares: false, gathered: Some(component) });
        let gather_and_compare = |component| filtered(Filter { compares: true, gathered: Some(component) });
        match op {
            TextureOp::Load => {
                let (at, layer) = self.texel(shape, &args)?;
                Some(first(self.memory.texture(texture).map_or([0.0; 4], |texture| texture.load(at, layer))))
            }
            TextureOp::Store => {
                let (at, layer) = self.texel(shape, args.get(..1)?)?;
                let value = self.numbers(*args.get(1)?);
                if let Some(texture) = self.memory.texture_mut(texture) {
                    texture.store(at, layer, &value);
                }
                Some(first([0.0; 4]))
            }
            TextureOp::AtomicAdd
            | TextureOp::AtomicAnd
            | TextureOp::AtomicCompareExchange
            | TextureOp::AtomicExchange
            | TextureOp::AtomicMax
            | TextureOp::AtomicMin
            | TextureOp::AtomicOr
            | TextureOp::AtomicXor => {
                let atomic = op.atomic()?;
                let (at, layer) = self.texel(shape, args.get(..1)?)?;
                let operands: Vec<f64> = args.get(1..)?.iter().map(|&arg| self.numbers(arg)[0]).collect();
                let texture = self.memory.texture_mut(texture);
                let old = texture.as_ref().map_or([0.0; 4], |texture| texture.load(at, layer));
                if let Some(texture) = texture {
                    texture.store(at, layer, &[changed(atomic, old[0], &operands)?]);
                }
                Some(first(old))
            }
            TextureOp::Dimensions => Some(self.dimensions(shape, texture, &args, results)),
            TextureOp::LevelOfDetail => Some(vec![0.0]),
            TextureOp::Sample
            | TextureOp::SampleBias
            | TextureOp::SampleLevel
            | TextureOp::SampleLevelZero
            | TextureOp::SampleGrad => sample(),
            TextureOp::SampleCmp
            | TextureOp::SampleCmpBias
            | TextureOp::SampleCmpLevel
            | TextureOp::SampleCmpLevelZero
            | TextureOp::SampleCmpGrad => sample_and_compare(),
            TextureOp::Gather | TextureOp::GatherRed => gather(0),
            TextureOp::GatherGreen => gather(1),
            TextureOp::GatherBlue => gather(2),
            TextureOp::GatherAlpha => gather(3),
            TextureOp::GatherCmp | TextureOp::GatherCmpRed => gather_and_compare(0),
            TextureOp::GatherCmpGreen => gather_and_compare(1),
            TextureOp::GatherCmpBlue => gather_and_compare(2),
            TextureOp::GatherCmpAlpha => gather_and_compare(3),
            TextureOp::FullyMapped
            | TextureOp::Level
            | TextureOp::Levels
            | TextureOp::LevelOfDetailUnclamped
            | TextureOp::SamplePosition
            | TextureOp::Samples
            | TextureOp::WriteFeedback => None,
        }
    }

    /// Samples and gathers.
    fn filtered(&self, filter: Filter, shape: TextureShape, texture: u32, args: &[ValueId]) -> Option<[f64; 4]> {
        let (&location, args) = args.split_first()?;
        let location = self.numbers(location);
        let place = |index: usize| location.get(index).copied().unwrap_or(0.0);
        let mut at = [place(0), place(1), place(2)].map(f64::from);
        for unused in at.iter_mut().skip(shape.coordinates) {
            *unused = 0.0;
        }
        let mut layer = if shape.array { (place(shape.coordinates) + 0.5).floor() as i64 } else { 0 };
        if shape.cube {
            let (face, on_face) = texture::cube_face(at);
            layer = layer.saturating_mul(6).saturating_add(face);
            at = on_face;
        }
        // Offsets are the only integers that follow.
        let is_offset = |arg: &&ValueId| element(self.type_of(**arg)).is_integer();
        let offset = args.iter().find(is_offset).map_or([0; 3], |&offset| self.whole_numbers(offset));
        let texture = self.memory.texture(texture);
        let compared = args.first().map_or(0.0, |&value| self.numbers(value).first().copied().unwrap_or(0.0));
        if let Some(component) = filter.gathered {
            let four = texture.map_or([0.0; 4], |texture| texture.gather(at, offset, layer, component));
            return Some(if filter.compares { four.map(|texel| passes(compared, texel)) } else { four });
        }
        let value = |texel: [f64; 4]| if filter.compares { texel.map(|texel| passes(compared, texel)) } else { texel };
        Some(texture.map_or([0.0; 4], |texture| texture.sample(at, shape.dimensions, offset, layer, &value)))
    }

    /// The texel that a load or store is about: its coordinates and layer, and an offset. There is one level and one
    /// sample, so any other has no texels.
    fn texel(&self, shape: TextureShape, args: &[ValueId]) -> Option<([i64; 3], i64)> {
        let (&location, args) = args.split_first()?;
        let location: Vec<i64> = self.numbers(location).into_iter().map(|number| number as i64).collect();
        let used = shape.coordinates + usize::from(shape.array);
        let mut at = [0; 3];
        for (at, location) in at.iter_mut().zip(location.iter().take(shape.coordinates)) {
            *at = *location;
        }
        let mut rest = args.iter();
        let level = match location.get(used) {
            Some(&level) => level,
            None if shape.multisampled => rest.next().map_or(0, |&sample| self.whole_numbers(sample)[0]),
            None => 0,
        };
        let offset = rest.next().map_or([0; 3], |&offset| self.whole_numbers(offset));
        for (at, offset) in at.iter_mut().zip(offset) {
            *at = at.saturating_add(offset);
        }
        let layer = if shape.array { location.get(shape.coordinates).copied().unwrap_or(0) } else { 0 };
        Some((at, if level == 0 { layer } else { -1 }))
    }

    /// Width, height, depth, number of layers and of levels or samples, as far as they are asked for.
    fn dimensions(&self, shape: TextureShape, texture: u32, args: &[ValueId], results: &[ValueId]) -> Vec<f64> {
        let (size, layers) = match self.memory.texture(texture) {
            Some(texture) => (texture.size(), texture.layers() / if shape.cube { 6 } else { 1 }),
            None => ([0; 3], 0),
        };
        let level = args.first().map_or(0, |&level| self.slot(level)).min(31);
        let mut numbers: Vec<f64> =
            size[..shape.dimensions.min(3)].iter().map(|&size| f64::from((size >> level).max(size.min(1)))).collect();
        if shape.array {
            numbers.push(layers.into());
        }
        numbers.resize(results.len().max(numbers.len()), 1.0);
        numbers
    }

    fn is_sampler(&self, arg: ValueId) -> bool {
        matches!(self.type_of(arg), Type::Handle(HandleType::Sampler { .. }))
    }

    /// The scalars of a numeric value.
    fn numbers(&self, value: ValueId) -> Vec<f64> {
        let scalar = element(self.type_of(value));
        let to_f64 = |&slot: &u64| match scalar {
            Scalar::F16 | Scalar::F32 | Scalar::F64 => number::to_f64(slot),
            scalar if scalar.is_signed() => slot as i64 as f64,
            _ => slot as f64,
        };
        self.slots(value).iter().map(to_f64).collect()
    }

    fn whole_numbers(&self, value: ValueId) -> [i64; 3] {
        let numbers = self.numbers(value);
        [0, 1, 2].map(|index| numbers.get(index).map_or(0, |&number| number as i64))
    }
}

/// How texels become a value.
#[derive(Clone, Copy)]
struct Filter {
    /// Each texel counts as whether a value is not above it.
    compares: bool,
    /// The component that the four texels around a place give, rather than their mean.
    gathered: Option<usize>,
}

/// What of a texture's type matters.
#[derive(Clone, Copy)]
struct TextureShape {
    /// Of one face or layer.
    dimensions: usize,
    /// Numbers of a location, without the layer.
    coordinates: usize,
    array: bool,
    cube: bool,
    multisampled: bool,
}

/// A number as a mantissa in [0.5, 1) and a power of two; 0 and what is not finite as itself.
fn split(x: f64) -> (f64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // Subnormal numbers have their first digit elsewhere.
    let (scaled, shift) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(64), 64) } else { (x, 0) };
    let exponent = (scaled.to_bits() >> 52 & 0x7ff) as i64 - 1022;
    let mantissa = f64::from_bits(scaled.to_bits() & !(0x7ff << 52) | 1022 << 52);
    (mantissa, exponent - shift)
}

/// The neighbour of `from` in the direction of `to`, both in slots.
fn next_after(scalar: Scalar, from: u64, to: u64) -> u64 {
    let (x, y) = (number::to_f64(from), number::to_f64(to));
    if x.is_nan() || y.is_nan() || x == y {
        return if x == y { to } else { number::from_f64(scalar, ir::number::Precision::F64, f64::NAN) };
    }
    let bits = number::to_memory(scalar, from);
    let sign = 1u64 << (scalar.bits() - 1);
    let next = match x == 0.0 {
        true => {
            if y < 0.0 {
                sign | 1
            } else {
                1
            }
        }
        // Magnitudes are in the order of their bits.
        false => {
            if (x < y) == (x > 0.0) {
                bits + 1
            } else {
                bits - 1
            }
        }
    };
    number::from_memory(scalar, next)
}

/// A comparison with a texel.
fn passes(value: f64, texel: f64) -> f64 {
    f64::from(u8::from(value <= texel))
}

impl crate::Memory {
    /// A new texture.
    pub fn add_texture(&mut self, texture: Texture) -> Handle {
        self.textures.push(texture);
        Handle::Texture(self.textures.len() as u32 - 1)
    }

    /// The texture that a [`Handle::Texture`] names.
    pub fn texture(&self, index: u32) -> Option<&Texture> {
        self.textures.get(index as usize)
    }

    pub(crate) fn texture_mut(&mut self, index: u32) -> Option<&mut Texture> {
        self.textures.get_mut(index as usize)
    }
}

/// A texel after an operation that changes it in one step; integers are exact in the numbers of the interpreter.
fn changed(atomic: AtomicOp, old: f64, operands: &[f64]) -> Option<f64> {
    let &operand = operands.first()?;
    let bits = |combine: fn(i64, i64) -> i64| combine(old as i64, operand as i64) as f64;
    Some(match atomic {
        AtomicOp::Add => old + operand,
        AtomicOp::And => bits(|a, b| a & b),
        AtomicOp::Or => bits(|a, b| a | b),
        AtomicOp::Xor => bits(|a, b| a ^ b),
        AtomicOp::Min => old.min(operand),
        AtomicOp::Max => old.max(operand),
        AtomicOp::Exchange => operand,
        AtomicOp::CompareExchange if old == operand => *operands.get(1)?,
        AtomicOp::CompareExchange => old,
    })
}
