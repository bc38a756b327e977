//! Functions that others call by a name of their own: kernels and functions of the device.

use ir::{GlobalId, SpanId, StructId, Type, TypeId};

use super::items::Printer;
use super::{Exported, ExportedParam};
use crate::tree::{Function, LocalKind};
use crate::{Export, ExportKind, Target};

impl Printer<'_> {
    /// Gives the functions the names by which others find them, which nothing else may have then.
    pub(super) fn name_exports(&mut self) {
        for export in self.exports {
            let symbol = match &export.kind {
                ExportKind::Kernel | ExportKind::DeviceFunction => &export.name,
                ExportKind::KernelStart(kernel) => &kernel.symbol,
                ExportKind::HostFunction => continue,
            };
            if !self.namer.exact(symbol) {
                let target = self.dialect.target().name();
                let message = format!("`{symbol}`: nothing can have this name in target `{target}`");
                self.error(self.module.funcs[export.func].span, message);
            }
        }
    }

    pub(super) fn write_exports(
        &mut self,
        functions: &[Function],
        parameters: &[GlobalId],
        shared: &[GlobalId],
        members: Option<(&str, &[&Function])>,
    ) {
        if self.dialect.target() == Target::Torch {
            return self.write_python(functions);
        }
        for export in self.exports {
            let Some(function) = functions.iter().find(|function| function.func == export.func) else { continue };
            let is_member = |(_, members): &(&str, &[&Function])| members.iter().any(|other| other.func == export.func);
            let thread_struct = members.filter(is_member).map(|(thread_struct, _)| thread_struct);
            self.export(export, function, parameters, shared, thread_struct);
        }
    }

    fn export(
        &mut self,
        export: &Export,
        function: &Function,
        parameters: &[GlobalId],
        shared: &[GlobalId],
        thread_struct: Option<&str>,
    ) {
        let span = function.span;
        if let (Some(_), Some(&global)) = (thread_struct, parameters.first()) {
            let name = &self.module.globals[global].name;
            let message =
                format!("`{}` is called with parameters alone, but needs the shader parameter `{name}`", export.name);
            return self.error(span, message);
        }
        if let (Some(_), ExportKind::DeviceFunction, Some(&global)) = (thread_struct, &export.kind, shared.first()) {
            let name = &self.module.globals[global].name;
            let message =
                format!("`{}` cannot be called by others: it needs the group's variable `{name}`", export.name);
            return self.error(span, message);
        }
        let mut params = Vec::new();
        for &param in &function.params {
            let local = &function.locals[param];
            let LocalKind::Param { direction, .. } = local.kind else { continue };
            if export.kind == ExportKind::Kernel {
                self.pack(local.ty);
            }
            let (ty, holds_vectors) = (self.type_name(local.ty, span), self.holds_vectors(local.ty));
            params.push(ExportedParam { name: &local.name, ty, direction, holds_vectors });
        }
        let result = function.result.map_or("void".into(), |ty| self.type_name(ty, span));
        let names: Vec<_> = shared.iter().map(|&global| self.global_names[global].clone()).collect();
        let variables = self.shared_declarators(shared, &names);
        let mut namer = self.namer.clone();
        params.iter().for_each(|param| namer.reserve(param.name));
        let exported = Exported {
            kind: export.kind.clone(),
            name: &export.name,
            result,
            params,
            function: &self.function_names[export.func].clone(),
            thread_struct,
            shared: variables,
            thread: namer.unique("self").to_string(),
        };
        let Some(text) = self.dialect.exported(&exported) else { return };
        self.out.blank();
        self.out.line(span, text.trim_end());
    }

    /// Declares the form in which a host gives values of a type that has structs of vectors in it.
    fn pack(&mut self, ty: TypeId) {
        match self.module.types.get(ty) {
            Type::Array { element, .. } => self.pack(element),
            Type::Struct(id) if self.holds_vectors(ty) && !self.packed.contains(&id) => {
                let fields = self.module.types.structs[id].fields.clone();
                for field in &fields {
                    self.pack(field.ty);
                }
                self.packed.push(id);
                self.packed_struct(id);
            }
            _ => {}
        }
    }

    fn packed_struct(&mut self, id: StructId) {
        let name = self.struct_names[id].clone();
        let (mut fields, mut values) = (Vec::new(), Vec::new());
        for (index, field) in self.module.types.structs[id].fields.clone().iter().enumerate() {
            let (field_name, ty) = (self.field(id, index), self.type_name(field.ty, SpanId::NONE));
            fields.push(format!("    Packed<{ty}> {field_name};\n"));
            values.push(format!("unpacked(packed.{field_name})"));
        }
        let text = format!(
            "template <> struct rt::Packed<{name}>\n{{\n{}}};\n__device__ inline {name} unpacked(const Packed<{name}>& \
             packed)\n{{\n    return {name}{{{}}};\n}}",
            fields.concat(),
            values.join(", "),
        );
        self.out.blank();
        self.out.line(SpanId::NONE, &text);
    }

    /// Whether vectors, which may be aligned to more than their components, are parts of a value.
    fn holds_vectors(&self, ty: TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Vector { .. } | Type::Matrix { .. } => true,
            Type::Array { element, .. } => self.holds_vectors(element),
            Type::Struct(id) => self.module.types.structs[id].fields.iter().any(|field| self.holds_vectors(field.ty)),
            Type::Scalar(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
        }
    }
}
