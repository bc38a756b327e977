//! What interfaces ask for, as members of a type that compile and do nothing.

use base_db::Db;
use hir_def::{
    attribute::AttributeKind,
    item::{self, AccessorKind, ItemId, ItemKind},
    name::Name,
};
use hir_ty::{
    differential::{
        display::param_text_at,
        signature::{CallableParam, CallableSignature, ParamRole, function_signature},
    },
    display,
    env::Env,
    generics,
    signature::{self, FunctionRef},
    substitute::{Substitution, substitute},
    ty::{GenericArgs, Ty, TypeParam},
};

/// What an interface asks for.
pub(super) struct Requirement {
    pub(super) interface: Ty,
    pub(super) item: ItemId,
    pub(super) name: Name,
    pub(super) args: GenericArgs,
}

/// Writes members of a type.
pub(super) struct Writer<'a> {
    pub(super) db: &'a dyn Db,
    pub(super) env: Env,
    pub(super) this: Ty,
    /// A place in the type.
    pub(super) place: ItemId,
    /// What the type has to be made with and is not declared yet.
    pub(super) constructors: Vec<(ItemId, GenericArgs)>,
}

impl Writer<'_> {
    /// A type of a requirement; of associated types and constants that the type lacks, the name by which they are declared.
    fn own(&self, ty: Ty) -> Ty {
        substitute(self.db, self.env, ty, &Substitution::default().with_this(self.this).keeping_lacking())
    }

    fn signature(&self, requirement: &Requirement) -> CallableSignature {
        let Requirement { item, args, .. } = *requirement;
        let asked = function_signature(self.db, self.env, FunctionRef { item, args, self_ty: None });
        let params = asked.params.into_iter().filter(|param| param.role != ParamRole::This);
        let mut params: Vec<CallableParam> =
            params.map(|param| CallableParam { ty: self.own(param.ty), ..param }).collect();
        // A pack is as many parameters of one name.
        let names: Vec<Name> = params.iter().map(|param| param.name.clone()).collect();
        for (index, param) in params.iter_mut().enumerate() {
            if names.iter().filter(|name| **name == param.name).count() > 1 {
                let number = names[..index].iter().filter(|name| **name == param.name).count();
                param.name = Name::new(&format!("{}{number}", param.name));
            }
        }
        CallableSignature { params, ret: self.own(asked.ret), ..asked }
    }

    fn spelled(&self, ty: Ty) -> String {
        display::display_at(self.db, ty, self.place)
    }

    /// What stands around the name of a requirement: its attributes, generic parameters and parameters.
    fn head(&self, requirement: &Requirement) -> (String, String, String) {
        let db = self.db;
        let data = item::item_data(db, requirement.item);
        let attributes: String =
            [AttributeKind::Differentiable, AttributeKind::ForwardDifferentiable, AttributeKind::Mutating]
                .into_iter()
                .filter(|kind| data.has_attribute(*kind))
                .map(|kind| format!("[{}]\n", kind.name()))
                .collect();
        let signature = self.signature(requirement);
        let params: Vec<String> = signature.params.iter().map(|param| param_text_at(db, param, self.place)).collect();
        let generics: Vec<String> = (0..data.generics.params.len())
            .map(|index| TypeParam::new(db, requirement.item, index as u32))
            .map(|param| display::generic_parameter_at(db, param, self.place))
            .collect();
        let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
        (attributes, generics, params.join(", "))
    }

    /// The requirement as a member that compiles and does nothing.
    pub(super) fn method(&self, requirement: &Requirement, modifier: &str) -> String {
        let (attributes, generics, params) = self.head(requirement);
        let signature = self.signature(requirement);
        let is_static = signature::signature(self.db, requirement.item).this.is_none();
        let is_static = if is_static { "static " } else { "" };
        let body = match signature.ret {
            Ty::Void => String::new(),
            ret => format!("    return {};\n", self.empty(ret)),
        };
        let no_diff = if signature.ret_no_diff { "no_diff " } else { "" };
        let ret = self.spelled(signature.ret);
        let name = display::declared_name(self.db, requirement.item);
        format!("{attributes}{modifier}{is_static}{no_diff}{ret} {name}{generics}({params})\n{{\n{body}}}\n")
    }

    pub(super) fn constructor(&self, requirement: &Requirement) -> String {
        let (attributes, generics, params) = self.head(requirement);
        format!("{attributes}__init{generics}({params})\n{{\n}}\n")
    }

    /// With the accessors that are asked for.
    pub(super) fn property(&self, requirement: &Requirement) -> String {
        let (name, ty) = (display::item_name(self.db, requirement.item), self.type_of(requirement));
        format!("property {} {name}\n{{\n{}}}\n", self.spelled(ty), self.accessors(requirement.item, ty))
    }

    pub(super) fn subscript(&self, requirement: &Requirement) -> String {
        let (_, generics, params) = self.head(requirement);
        let ret = self.signature(requirement).ret;
        let accessors = self.accessors(requirement.item, ret);
        format!("__subscript{generics}({params}) -> {}\n{{\n{accessors}}}\n", self.spelled(ret))
    }

    pub(super) fn constant(&self, requirement: &Requirement) -> String {
        let (name, ty) = (display::item_name(self.db, requirement.item), self.type_of(requirement));
        let value = match ty {
            // It may be the length of an array.
            Ty::Scalar(scalar) if scalar.is_integer() => "1".to_owned(),
            ty => self.empty(ty),
        };
        format!("static const {} {name} = {value};\n", self.spelled(ty))
    }

    fn type_of(&self, requirement: &Requirement) -> Ty {
        let substitution = Substitution::of_item(self.db, requirement.item, requirement.args);
        let ty = signature::variable_type(self.db, requirement.item);
        self.own(substitute(self.db, self.env, ty, &substitution))
    }

    fn accessors(&self, of: ItemId, ty: Ty) -> String {
        let accessor = |accessor: &ItemId| match item::item_data(self.db, *accessor).kind {
            ItemKind::Accessor { kind: AccessorKind::Get, .. } => {
                Some(format!("    get {{ return {}; }}\n", self.empty(ty)))
            }
            ItemKind::Accessor { kind: AccessorKind::Set, .. } => Some("    set { }\n".to_owned()),
            _ => None,
        };
        item::members(self.db, of).iter().filter_map(accessor).collect()
    }

    /// A value of a type: `{}`, or where constructors want more, a call of the first one.
    fn empty(&self, ty: Ty) -> String {
        self.empty_within(ty, &[])
    }

    /// Inside of values of the types `around`, which are not made again.
    fn empty_within(&self, ty: Ty, around: &[Ty]) -> String {
        let nothing = "{}".to_owned();
        let Ty::Adt(item, args) = ty else { return nothing };
        let is_constructor =
            |member: &ItemId| matches!(item::item_data(self.db, *member).kind, ItemKind::Constructor { .. });
        let declared = item::members(self.db, item).iter().copied().filter(is_constructor);
        let mut constructors: Vec<(ItemId, GenericArgs)> =
            declared.map(|member| (member, generics::identity_args_within(self.db, member, args))).collect();
        if ty == self.this {
            constructors.extend(&self.constructors);
        }
        let needed = |(item, args): (ItemId, GenericArgs)| -> Vec<Ty> {
            let signature = function_signature(self.db, self.env, FunctionRef { item, args, self_ty: None });
            let params = signature.params.into_iter().filter(|param| param.role != ParamRole::This);
            params.filter(|param| !param.has_default).map(|param| self.own(param.ty)).collect()
        };
        let mut wanted = constructors.into_iter().map(needed);
        let Some(first) = wanted.next() else { return nothing };
        if first.is_empty() || around.contains(&ty) || wanted.any(|params| params.is_empty()) {
            return nothing;
        }
        let around: Vec<Ty> = around.iter().copied().chain([ty]).collect();
        let values: Vec<String> = first.into_iter().map(|param| self.empty_within(param, &around)).collect();
        format!("{}({})", self.spelled(ty), values.join(", "))
    }
}

/// A type that fulfils the bounds is the user's to find.
pub(super) fn associated_type(db: &dyn Db, requirement: ItemId) -> String {
    format!("typealias {} = float;\n", display::item_name(db, requirement))
}
