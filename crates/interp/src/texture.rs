//! Textures: one level of texels, and the ways to read and write them.
//!
//! A GPU leaves much open that a program without graphics API cannot say. Here a sampler filters linearly between the
//! four (or two, or eight) nearest texels, coordinates outside of [0, 1] mean the texels at the border, the texels of a
//! cube's face end at its edges, there is one level and one sample, and a comparison asks whether the value is at most
//! the texel. Loads outside of a texture give 0, stores there are dropped.

/// The texels of a texture. Cubes have six layers for each of theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// Width, height and depth; 1 for dimensions that the texture does not have.
    size: [u32; 3],
    layers: u32,
    /// Four components each; x runs fastest, layers slowest.
    texels: Vec<[f64; 4]>,
}

/// Texels of one texture, at most.
const MAX_TEXELS: u64 = 1 << 24;

impl Texture {
    /// A texture with the same value in every texel; `None` if it would be larger than textures may be here.
    pub fn filled(size: [u32; 3], layers: u32, texel: [f64; 4]) -> Option<Texture> {
        let count = size.iter().chain([&layers]).try_fold(1u64, |count, &len| count.checked_mul(len.into()))?;
        let count = usize::try_from(count).ok().filter(|&count| count as u64 <= MAX_TEXELS)?;
        Some(Texture { size, layers, texels: vec![texel; count] })
    }

    /// Texels in x, y and z.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// How many layers it has; 1 if it has none.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    fn index(&self, [x, y, z]: [i64; 3], layer: i64) -> Option<usize> {
        let [width, height, depth] = self.size.map(i64::from);
        let is_inside = |at: i64, len: i64| (0..len).contains(&at);
        let inside =
            is_inside(x, width) && is_inside(y, height) && is_inside(z, depth) && is_inside(layer, self.layers.into());
        inside.then(|| (((layer * depth + z) * height + y) * width + x) as usize)
    }

    /// The texel at a place, zero outside.
    pub fn load(&self, at: [i64; 3], layer: i64) -> [f64; 4] {
        self.index(at, layer).map_or([0.0; 4], |index| self.texels[index])
    }

    /// Writes the first components of a texel.
    pub fn store(&mut self, at: [i64; 3], layer: i64, components: &[f64]) {
        if let Some(index) = self.index(at, layer) {
            for (component, value) in self.texels[index].iter_mut().zip(components) {
                *component = *value;
            }
        }
    }

    /// The texel nearest to a place, which may be outside.
    fn clamped(&self, at: [i64; 3], layer: i64) -> [f64; 4] {
        let mut at = at;
        for (at, len) in at.iter_mut().zip(self.size) {
            *at = (*at).clamp(0, i64::from(len).max(1) - 1);
        }
        self.load(at, layer.clamp(0, i64::from(self.layers).max(1) - 1))
    }

    /// Where a coordinate in [0, 1] lies among texels: the one before it, and how far it is to the next.
    fn between(&self, location: [f64; 3], offset: [i64; 3], axis: usize) -> (i64, f64) {
        let len = f64::from(self.size[axis]);
        let location = if location[axis].is_finite() { location[axis].clamp(-1e9, 1e9) } else { 0.0 };
        let place = location * len - 0.5 + offset[axis] as f64;
        (place.floor() as i64, place - place.floor())
    }

    /// What a filter makes of the texels around a location, `f` applied to each of them.
    pub fn sample(
        &self,
        location: [f64; 3],
        dimensions: usize,
        offset: [i64; 3],
        layer: i64,
        f: &dyn Fn([f64; 4]) -> [f64; 4],
    ) -> [f64; 4] {
        let dimensions = dimensions.min(3);
        let around: Vec<(i64, f64)> = (0..dimensions).map(|axis| self.between(location, offset, axis)).collect();
        let mut sum = [0.0; 4];
        for corner in 0..1usize << dimensions {
            let (mut at, mut weight) = ([0; 3], 1.0);
            for (axis, &(before, fraction)) in around.iter().enumerate() {
                let is_next = corner >> axis & 1 == 1;
                at[axis] = before + i64::from(is_next);
                weight *= if is_next { fraction } else { 1.0 - fraction };
            }
            if weight != 0.0 {
                for (sum, value) in sum.iter_mut().zip(f(self.clamped(at, layer))) {
                    *sum += weight * value;
                }
            }
        }
        sum
    }

    /// One component of the four texels that a filter would mix, in the order of the GPU languages: counter-clockwise from
    /// the lower left, with y downwards.
    pub fn gather(&self, location: [f64; 3], offset: [i64; 3], layer: i64, component: usize) -> [f64; 4] {
        let (x, _) = self.between(location, offset, 0);
        let (y, _) = self.between(location, offset, 1);
        [[x, y + 1], [x + 1, y + 1], [x + 1, y], [x, y]].map(|[x, y]| self.clamped([x, y, 0], layer)[component.min(3)])
    }
}

/// The face of a cube that a direction meets, and where on the face, in [0, 1].
pub(crate) fn cube_face([x, y, z]: [f64; 3]) -> (i64, [f64; 3]) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, major, u, v) = if ax >= ay && ax >= az {
        if x >= 0.0 { (0, ax, -z, -y) } else { (1, ax, z, -y) }
    } else if ay >= az {
        if y >= 0.0 { (2, ay, x, z) } else { (3, ay, x, -z) }
    } else if z >= 0.0 {
        (4, az, x, -y)
    } else {
        (5, az, -x, -y)
    };
    let to_unit = |value: f64| if major > 0.0 { (value / major + 1.0) / 2.0 } else { 0.5 };
    (face, [to_unit(u), to_unit(v), 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 x 2 texels with 0, 1, 2, 3 in their first components.
    fn small() -> Texture {
        let mut texture = Texture::filled([2, 2, 1], 1, [0.0; 4]).unwrap();
        for (value, at) in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]].into_iter().enumerate() {
            texture.store(at, 0, &[value as f64]);
        }
        texture
    }

    fn sampled(x: f64, y: f64) -> f64 {
        small().sample([x, y, 0.0], 2, [0; 3], 0, &|texel| texel)[0]
    }

    #[test]
    fn texels_are_hit_at_their_centres() {
        assert_eq!([sampled(0.25, 0.25), sampled(0.75, 0.25), sampled(0.25, 0.75)], [0.0, 1.0, 2.0]);
    }

    #[test]
    fn between_texels_values_mix_linearly() {
        assert_eq!([sampled(0.5, 0.25), sampled(0.5, 0.5)], [0.5, 1.5]);
    }

    #[test]
    fn outside_is_the_border() {
        assert_eq!([sampled(-7.0, 0.25), sampled(9.0, 9.0)], [0.0, 3.0]);
    }

    #[test]
    fn four_texels_are_gathered_against_the_clock() {
        assert_eq!(small().gather([0.5, 0.5, 0.0], [0; 3], 0, 0), [2.0, 3.0, 1.0, 0.0]);
    }

    #[test]
    fn directions_meet_the_faces_of_a_cube() {
        assert_eq!(cube_face([0.0, 0.0, 5.0]), (4, [0.5, 0.5, 0.0]));
        assert_eq!(cube_face([-2.0, 1.0, 0.0]), (1, [0.5, 0.25, 0.0]));
    }
}
