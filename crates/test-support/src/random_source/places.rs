//! What variables hold, and how their parts are named.

use super::{
    Construct, Feature, Writer,
    types::{TypeId, TypeShape},
};

/// How deep parts are looked for.
const DEPTH: usize = 3;

#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub name: String,
    pub ty: TypeId,
    pub mutable: bool,
}

/// A part of a variable. `path` holds `[#4]` where an index below 4 belongs, and `~4` where a component of four does.
#[derive(Debug, Clone)]
struct Part {
    variable: String,
    path: String,
    is_property: bool,
    is_subscript: bool,
}

impl Writer {
    pub(super) fn declare_variable(&mut self, name: &str, ty: TypeId) {
        self.declare(name, ty, true);
    }

    /// A name that nothing may be assigned to.
    pub(super) fn declare_constant(&mut self, name: &str, ty: TypeId) {
        self.declare(name, ty, false);
    }

    pub(super) fn declare(&mut self, name: &str, ty: TypeId, mutable: bool) {
        self.variables.push(Variable { name: name.to_owned(), ty, mutable });
    }

    pub(super) fn readable_place(&mut self, ty: TypeId) -> Option<String> {
        self.place(ty, false)
    }

    pub(super) fn writable_place(&mut self, ty: TypeId) -> Option<String> {
        self.place(ty, true)
    }

    /// A variable or a part of one, most often of a recent one: `v`, `r.a`, `w[i]`, `rs[i].v.y`, `t._0`.
    pub(super) fn place(&mut self, ty: TypeId, writable: bool) -> Option<String> {
        self.place_outside(ty, writable, &[], true).map(|(_, place)| place)
    }

    /// A place that can be an `out` or `inout` argument beside those in other variables, and its variable.
    pub(super) fn argument(&mut self, ty: TypeId, taken: &[String]) -> Option<(String, String)> {
        self.place_outside(ty, true, taken, false)
    }

    fn place_outside(
        &mut self,
        ty: TypeId,
        writable: bool,
        taken: &[String],
        accessors: bool,
    ) -> Option<(String, String)> {
        let mut parts = Vec::new();
        for variable in &self.variables {
            if (variable.mutable || !writable) && !taken.contains(&variable.name) {
                let part = Part {
                    variable: variable.name.clone(),
                    path: variable.name.clone(),
                    is_property: false,
                    is_subscript: false,
                };
                self.collect(&part, variable.ty, ty, DEPTH, &mut parts);
            }
        }
        parts.retain(|part| accessors || !(part.is_property || part.is_subscript));
        if parts.is_empty() {
            return None;
        }
        let from = if self.choices.below(2) == 0 { parts.len().saturating_sub(5) } else { 0 };
        let part = parts[from + self.choices.below(parts.len() - from)].clone();
        if part.is_property {
            self.reach(Construct::Property);
        }
        if part.is_subscript {
            self.reach(Construct::Subscript);
        }
        let place = self.fill(&part.path, writable);
        Some((part.variable, place))
    }

    /// The parts of type `wanted` of something of type `ty`.
    fn collect(&self, part: &Part, ty: TypeId, wanted: TypeId, depth: usize, parts: &mut Vec<Part>) {
        if ty == wanted {
            parts.push(part.clone());
            return;
        }
        if depth == 0 {
            return;
        }
        let inner = |suffix: &str| Part { path: format!("{}{suffix}", part.path), ..part.clone() };
        let wants_float = *self.types.shape(wanted) == TypeShape::Scalar(super::types::Scalar::Float);
        match self.types.shape(ty) {
            TypeShape::Scalar(_) | TypeShape::Int | TypeShape::Bool | TypeShape::Optional(_) | TypeShape::Interface => {
            }
            TypeShape::Vector(scalar, len) => {
                if *self.types.shape(wanted) == TypeShape::Scalar(*scalar) {
                    parts.push(inner(&format!("~{len}")));
                }
            }
            TypeShape::Matrix(scalar, rows, cols) => {
                let row = inner(&format!("[#{rows}]"));
                if *self.types.shape(wanted) == TypeShape::Vector(*scalar, *cols) {
                    parts.push(row);
                } else if *self.types.shape(wanted) == TypeShape::Scalar(*scalar) {
                    parts.push(Part { path: format!("{}~{cols}", row.path), ..row });
                }
            }
            TypeShape::Array(element, len) => {
                self.collect(&inner(&format!("[#{len}]")), *element, wanted, depth - 1, parts);
            }
            TypeShape::Tuple(elements) => {
                for (index, &element) in elements.iter().enumerate() {
                    self.collect(&inner(&format!("._{index}")), element, wanted, depth - 1, parts);
                }
            }
            TypeShape::Struct(id) => {
                let data = &self.types.structs[id.0];
                for (field, field_ty) in &data.fields {
                    self.collect(&inner(&format!(".{field}")), *field_ty, wanted, depth - 1, parts);
                }
                if wants_float {
                    for property in &data.properties {
                        parts.push(Part { is_property: true, ..inner(&format!(".{property}")) });
                    }
                    if let Some(len) = data.subscript {
                        parts.push(Part { is_subscript: true, ..inner(&format!("[#{len}]")) });
                    }
                }
            }
        }
    }

    /// Puts indices and components into a path.
    fn fill(&mut self, path: &str, writable: bool) -> String {
        let mut out = String::new();
        let mut rest = path;
        while let Some(at) = rest.find(['#', '~']) {
            out += &rest[..at];
            let len = rest.as_bytes()[at + 1] - b'0';
            if rest.as_bytes()[at] == b'#' || self.choices.chance(2) {
                let index = if self.is_indexing { "0".to_owned() } else { self.guarded_index(len) };
                if writable && index.contains('%') {
                    self.reach(Construct::DynamicIndexWrite);
                }
                if rest.as_bytes()[at] == b'#' { out += &index } else { out += &format!("[{index}]") }
            } else {
                out += [".x", ".y", ".z", ".w"][self.choices.below(usize::from(len))];
            }
            rest = &rest[at + 2..];
        }
        out + rest
    }

    /// Indices inside of indices would go on without end.
    fn guarded_index(&mut self, len: u8) -> String {
        self.is_indexing = true;
        let index = self.index(len);
        self.is_indexing = false;
        index
    }

    /// A new variable with a value.
    pub(super) fn variable(&mut self, ty: TypeId) -> String {
        let name = self.fresh("u");
        let declarator = self.types.declarator(ty, &name);
        if self.types.is_numeric(ty) && self.choices.below(2) == 0 {
            let value = self.value(ty);
            self.line(&format!("{declarator} = {value};"));
        } else if let Some(list) = self.initialiser_list(ty) {
            self.reach(Construct::InitialiserList);
            self.line(&format!("{declarator} = {list};"));
        } else {
            self.line(&format!("{declarator};"));
            self.initialise(&name, ty);
        }
        self.declare_variable(&name, ty);
        name
    }

    /// `{ a, { b, c } }` of numbers, for arrays and for structs without a constructor.
    fn initialiser_list(&mut self, ty: TypeId) -> Option<String> {
        let is_braced = matches!(self.types.shape(ty), TypeShape::Array(..) | TypeShape::Struct(_));
        (is_braced && self.types.is_listed(ty) && self.choices.chance(4)).then(|| self.braced(ty))
    }

    fn braced(&mut self, ty: TypeId) -> String {
        let parts = match self.types.shape(ty).clone() {
            TypeShape::Array(element, len) => vec![element; usize::from(len)],
            TypeShape::Struct(id) => self.types.structs[id.0].fields.iter().map(|(_, ty)| *ty).collect(),
            _ => return self.typed_value(ty),
        };
        let parts: Vec<String> = parts.into_iter().map(|part| self.braced(part)).collect();
        format!("{{ {} }}", parts.join(", "))
    }

    /// Writes every part of a place that nothing has written yet.
    pub(super) fn initialise(&mut self, place: &str, ty: TypeId) {
        match self.types.shape(ty).clone() {
            TypeShape::Scalar(_) | TypeShape::Vector(..) | TypeShape::Matrix(..) | TypeShape::Int | TypeShape::Bool => {
                let value = self.value(ty);
                self.line(&format!("{place} = {value};"));
            }
            TypeShape::Array(element, len) => {
                if self.choices.chance(3) {
                    self.fill_in_loop(place, element, len);
                    return;
                }
                for index in 0..len {
                    self.initialise(&format!("{place}[{index}]"), element);
                }
            }
            TypeShape::Tuple(parts) => {
                if self.choices.chance(5) && parts.iter().all(|&part| self.types.is_numeric(part)) {
                    let values: Vec<String> = parts.iter().map(|&part| self.typed_value(part)).collect();
                    self.line(&format!("{place} = makeTuple({});", values.join(", ")));
                    return;
                }
                for (index, part) in parts.into_iter().enumerate() {
                    self.initialise(&format!("{place}._{index}"), part);
                }
            }
            TypeShape::Optional(content) => self.initialise_optional(place, content),
            TypeShape::Interface => self.initialise_interface(place),
            TypeShape::Struct(id) => {
                let data = self.types.structs[id.0].clone();
                if let Some(takes) = data.constructor
                    && self.choices.chance(5)
                {
                    self.reach(Construct::Constructor);
                    let values: Vec<String> = takes.iter().map(|&ty| self.typed_value(ty)).collect();
                    self.line(&format!("{place} = {}({});", data.name, values.join(", ")));
                    return;
                }
                for (field, ty) in data.fields {
                    self.initialise(&format!("{place}.{field}"), ty);
                }
            }
        }
    }

    /// A value whose expression has the type, also where nothing asks for it.
    pub(super) fn typed_value(&mut self, ty: TypeId) -> String {
        let value = self.value(ty);
        if self.types.is_numeric(ty) { format!("{}({value})", self.types.spell(ty)) } else { value }
    }

    fn fill_in_loop(&mut self, place: &str, element: TypeId, len: u8) {
        self.reach(Construct::LocalWrittenOnlyInLoop);
        let counter = self.fresh("i");
        self.open(&format!("for (int {counter} = 0; {counter} < {len}; {counter}++)"));
        let visible = self.variables.len();
        let int = self.types.int();
        self.declare_constant(&counter, int);
        self.initialise(&format!("{place}[{counter}]"), element);
        self.variables.truncate(visible);
        self.close("}");
    }

    fn initialise_optional(&mut self, place: &str, content: TypeId) {
        self.reach(Construct::Optional);
        self.line(&format!("{place} = none;"));
        let condition = self.condition();
        self.open(&format!("if ({condition})"));
        let visible = self.variables.len();
        let value = if self.types.is_numeric(content) { self.typed_value(content) } else { self.variable(content) };
        self.line(&format!("{place} = {value};"));
        self.variables.truncate(visible);
        self.close("}");
    }

    /// Adds all numbers of a place to `sum`, each with a weight of its own.
    pub(super) fn add_up(&mut self, place: &str, ty: TypeId, weight: f64) {
        match self.types.shape(ty).clone() {
            TypeShape::Scalar(_) => self.line(&format!("sum += {weight:?} * float({place});")),
            TypeShape::Int | TypeShape::Bool => {}
            TypeShape::Vector(scalar, len) => {
                let element = self.types.numeric(scalar, 1);
                for (index, component) in ["x", "y", "z", "w"].into_iter().take(usize::from(len)).enumerate() {
                    self.add_up(&format!("{place}.{component}"), element, weight * (0.75 - 0.5 * index as f64));
                }
            }
            TypeShape::Matrix(scalar, rows, cols) => {
                let row = self.types.numeric(scalar, cols);
                for index in 0..rows {
                    self.add_up(&format!("{place}[{index}]"), row, weight * (0.5 + 0.25 * f64::from(index)));
                }
            }
            TypeShape::Array(element, len) => {
                for index in 0..len {
                    self.add_up(&format!("{place}[{index}]"), element, weight * (1.0 - 0.375 * f64::from(index)));
                }
            }
            TypeShape::Tuple(parts) => {
                for (index, part) in parts.into_iter().enumerate() {
                    self.add_up(&format!("{place}._{index}"), part, weight * (1.0 - 0.25 * index as f64));
                }
            }
            TypeShape::Struct(id) => {
                let fields = self.types.structs[id.0].fields.clone();
                for (index, (field, ty)) in fields.into_iter().enumerate() {
                    self.add_up(&format!("{place}.{field}"), ty, weight * (1.0 - 0.375 * index as f64));
                }
            }
            TypeShape::Optional(content) => {
                self.open(&format!("if ({place}.hasValue)"));
                self.add_up(&format!("{place}.value"), content, weight);
                self.close("}");
            }
            TypeShape::Interface => self.line(&format!("sum += {weight:?} * {place}.at(0.625);")),
        }
    }

    pub(super) fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }
}
