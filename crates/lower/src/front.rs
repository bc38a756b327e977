//! What lowering asks of the front end, in the form in which lowering wants it.

mod closure;
mod data_layout;
mod provision;
mod resolve;

use base_db::Db;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    body::{Body, Expr, ExprId, Literal},
    item::{self, ItemId, ItemKind},
    modules,
    name::Name,
};
use hir_ty::{
    aggregate,
    bit_field::{self, Stored},
    conformance::{self, Implementation},
    consts, conversion,
    differential::{
        self, aggregate::field_derivatives, function_extension, reuse::MergingUse, signature::function_signature,
    },
    env::Env,
    infer::{
        self,
        result::{Argument, CallResolution},
    },
    known::{self, Known},
    members,
    signature::{self, FunctionRef, FunctionSignature},
    size::{self, Size},
    substitute::{Substitution, substitute, substitute_many},
    ty::{BuiltinType, Const, GenericArg, GenericArgs, Ty, TypeParam},
};
use ir::{Intrinsic, Type, intrinsic::NumberOp};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

pub(crate) use hir_ty::signature::is_constructor;

pub(crate) use closure::{
    CALL, capture_name, closure_name, goes_along, is_call_requirement, is_differentiable_interface,
};
pub(crate) use data_layout::{check_data_layout, written_layout};
pub(crate) use provision::{
    exported, has_texture_buffer, is_ordered, packed_offset, program_files, provision, refused, shader_parameters,
    specialization, written_order,
};
pub(crate) use resolve::{Resolved, accessor_field, is_requirement, made_without_constructor, resolve, resolve_static};

use crate::{
    core_function::CoreFunction,
    error::{Lowering, Stop},
    mode::Mode,
    program::Program,
    scope::Scope,
    surface::{Direction, Surface, SurfaceParam, SurfaceReturn, SurfaceThrow},
};

/// The length that arrays of unknown length have in the editor's analysis.
pub(crate) const UNKNOWN_LENGTH: u32 = 0x00ff_ffff;

// Functions

pub(crate) fn signature(db: &dyn Db, item: ItemId) -> &FunctionSignature {
    signature::signature(db, item)
}

pub(crate) fn body(db: &dyn Db, item: ItemId) -> &Body {
    hir_def::body::queries::body(db, item)
}

/// Whether a function is called on a value.
pub(crate) fn has_receiver(db: &dyn Db, item: ItemId) -> bool {
    signature(db, item).receiver(db).is_some()
}

/// Whether the receiver comes out changed.
pub(crate) fn mutates_this(db: &dyn Db, item: ItemId) -> bool {
    signature(db, item).receiver(db).is_some_and(|this| this.mutating)
}

/// Whether texts that a function of the core library is called with are no operands: they go to the operation itself.
pub(crate) fn takes_strings_apart(db: &dyn Db, item: ItemId) -> bool {
    let hash = CoreFunction::Intrinsic(Intrinsic::Number(NumberOp::StringHash));
    core_function(db, item).is_some_and(|known| known != hash)
}

/// The source signature of a function whose generic arguments are known.
pub(crate) fn surface(program: &mut Program<'_>, function: FunctionRef) -> Lowering<Surface> {
    let db = program.db;
    let signature = function_signature(db, program.env(), function);
    let carrying = carrying(program, function);
    let mut params = Vec::new();
    for (index, param) in signature.params.into_iter().enumerate() {
        let is_this = param.role == differential::signature::ParamRole::This;
        if param.ty == Ty::String && takes_strings_apart(db, function.item) {
            continue;
        }
        let mut ir_ty = program.lower_type(param.ty)?;
        // What a mesh shader gives out is handed down as it is.
        let is_output = written_output(program, function, index) && program.mode == Mode::Program;
        if let (true, Type::Array { element, len }) = (is_output, program.types.get(ir_ty)) {
            ir_ty = program.output_of(element, Some(len))?;
        }
        let direction = match program.output_element(ir_ty) {
            Some(_) => Direction::In,
            None => Direction::from(param.direction),
        };
        let is_place = program.places_are_pairs && program.is_place(param.ty);
        if is_place && (param.no_diff || Direction::from(param.direction).comes_out()) {
            return Err(Stop::unsupported("a place that a differentiated function changes or leaves alone"));
        }
        let carries = carrying.params[index];
        let mut goes_along = !carries && !param.no_diff && closure::goes_along(program, param.ty);
        if goes_along && Direction::from(param.direction).comes_out() {
            let rules = differential::rules::derivative_rules_in(db, function.item, item::file_of(db, program.root));
            if rules.is_differentiable() && program.types.is_differentiable(ir_ty) {
                return Err(Stop::unsupported("a lambda that goes in and out of a differentiable function"));
            }
            goes_along = false;
        }
        // The user's derivative takes functions as they are.
        goes_along &= !has_derivative(program, function);
        params.push(SurfaceParam {
            name: param.name.0.clone(),
            ty: param.ty,
            ir_ty,
            direction,
            differentiable: (carries || goes_along) && program.types.is_differentiable(ir_ty),
            goes_along,
            is_place,
            is_this,
            no_diff: param.no_diff,
        });
    }
    let ret = match signature.ret {
        Ty::Void => None,
        ty => {
            let ir_ty = program.lower_type(ty)?;
            let differentiable = carrying.ret && program.types.is_differentiable(ir_ty);
            Some(SurfaceReturn { ty, ir_ty, differentiable, no_diff: signature.ret_no_diff })
        }
    };
    Ok(Surface { params, ret, throws: thrown(program, function)? })
}

/// Whether a parameter is `vertices`, `indices` or `primitives`, of a function that has no receiver.
fn written_output(program: &Program<'_>, function: FunctionRef, index: usize) -> bool {
    let ItemKind::Function(written) = &item::item_data(program.db, function.item).kind else { return false };
    let outputs = Modifiers::VERTICES | Modifiers::INDICES | Modifiers::PRIMITIVES;
    let without = usize::from(has_receiver(program.db, function.item));
    let param = index.checked_sub(without).and_then(|index| written.params.get(index));
    param.is_some_and(|param| param.modifiers.intersects(outputs))
}

/// `throws E`.
fn thrown(program: &mut Program<'_>, function: FunctionRef) -> Lowering<Option<SurfaceThrow>> {
    let db = program.db;
    let data = item::item_data(db, function.item);
    let ItemKind::Function(hir_def::item::Function { throws: Some(written), .. }) = &data.kind else { return Ok(None) };
    let written = hir_ty::lower_ty::TypeLowering::new(db, function.item, &data.store).lower(*written);
    let ty = substitute(db, program.env(), written, &Substitution::of_function(db, function));
    Ok(Some(SurfaceThrow { ty, ir_ty: program.lower_type(ty)?, flag: program.types.bool() }))
}

/// How many parameters of the source signature a written parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamGroup {
    One,
    /// One per element of a pack, which is a tuple of them.
    Pack {
        tuple: Ty,
        len: usize,
    },
    /// A string that goes to the operation itself.
    Nothing,
}

/// The written parameters of `function`, in order.
pub(crate) fn parameter_groups(program: &Program<'_>, function: FunctionRef) -> Vec<ParamGroup> {
    let db = program.db;
    let substitution = Substitution::of_function(db, function);
    let group = |written: Ty| match (written, substitute_many(db, program.env(), written, &substitution).as_slice()) {
        (_, [Ty::String]) if takes_strings_apart(db, function.item) => ParamGroup::Nothing,
        (Ty::Expand(_), [Ty::Expand(_)]) => ParamGroup::One,
        (Ty::Expand(_), elements) => ParamGroup::Pack { tuple: Ty::tuple(db, elements), len: elements.len() },
        _ => ParamGroup::One,
    };
    signature(db, function.item).params.iter().map(|param| group(param.ty)).collect()
}

/// Which parts of a signature carry derivatives, and which are marked not to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Carrying {
    /// Receiver first.
    pub params: Vec<bool>,
    pub ret: bool,
    pub marked_params: Vec<bool>,
    pub marked_ret: bool,
}

/// What the declaration of a function says, whatever its generic parameters stand for: a parameter of type `T` carries a
/// derivative only if `T` is bounded by `IDifferentiable`. A derivative that is given for just these arguments
/// (`__func_extension`) goes by what `T` stands for. So does the editor's analysis where there is no derivative at all: any
/// that goes into such a function is lost.
pub(crate) fn carrying(program: &Program<'_>, function: FunctionRef) -> Carrying {
    let db = program.db;
    let groups = parameter_groups(program, function);
    let lost = program.mode == Mode::Analysis
        && !differential::rules::derivative_rules_in(db, function.item, item::file_of(db, program.root))
            .is_differentiable();
    // What lowering knows it makes an operation of, once the sizes are known: that carries what its operands carry.
    let operation = program.mode == Mode::Analysis && !matches!(core_function_of(db, function), Ok(None));
    let (env, function) = if lost || operation || function_extension::is_extended(db, program.env(), function) {
        (program.env(), function)
    } else {
        let args = hir_ty::generics::identity_args(db, function.item);
        (Env::of(db, function.item), FunctionRef { item: function.item, args, self_ty: None })
    };
    let signature = function_signature(db, env, function);
    let carries = |ty: Ty| differential::differential_of(db, env, ty).is_some();
    let mut groups = groups.into_iter();
    let (mut params, mut marked_params): (Vec<bool>, Vec<bool>) = (Vec::new(), Vec::new());
    for param in &signature.params {
        let is_this = param.role == differential::signature::ParamRole::This;
        // A parameter pack is as many parameters as it has elements.
        let times = match (if is_this { None } else { groups.next() }, param.ty) {
            (Some(ParamGroup::Pack { len, .. }), Ty::Expand(_)) => len,
            _ => 1,
        };
        params.extend(std::iter::repeat_n(!param.no_diff && carries(param.ty), times));
        marked_params.extend(std::iter::repeat_n(param.no_diff, times));
    }
    let ret = !signature.ret_no_diff && carries(signature.ret);
    Carrying { params, ret, marked_params, marked_ret: signature.ret_no_diff }
}

/// Whether the user wrote a derivative of `function`.
pub(crate) fn has_derivative(program: &Program<'_>, function: FunctionRef) -> bool {
    let rules = differential::rules::derivative_rules(program.db, function.item);
    rules.forward_derivative.is_some()
        || rules.backward_derivative.is_some()
        || function_extension::is_extended(program.db, program.env(), function)
}

/// The word in `[__intrinsic("word")]` of a declaration of the core library. The attribute means nothing elsewhere.
pub(crate) fn intrinsic_word(db: &dyn Db, item: ItemId) -> Option<SmolStr> {
    let written = |item: ItemId| {
        let data = item::item_data(db, item);
        data.attribute(AttributeKind::Intrinsic)?.string(&data.store, 0).map(SmolStr::new)
    };
    let word = written(item).or_else(|| {
        // The accessors of an intrinsic property.
        let container = item::container(db, item)?;
        let is_accessor = matches!(item::item_data(db, item).kind, ItemKind::Accessor { .. });
        if is_accessor { written(container) } else { None }
    })?;
    is_of_core_library(db, item).then_some(word)
}

/// What a declaration of the core library is to lowering.
pub(crate) fn core_function(db: &dyn Db, item: ItemId) -> Option<CoreFunction> {
    CoreFunction::from_word(&intrinsic_word(db, item)?)
}

/// How many bytes `[anyValueSize(…)]` gives to values of an interface.
pub(crate) fn any_value_size(db: &dyn Db, interface: Ty) -> Option<u32> {
    let Ty::Adt(item, _) = interface else { return None };
    let attribute = item::item_data(db, item).attribute(AttributeKind::AnyValueSize)?;
    u32::try_from(signature_constant(db, item, *attribute.args.first()?)?).ok()
}

/// What `sizeof` and `alignof` say of a type.
pub(crate) fn size_of(program: &Program<'_>, ty: Ty) -> Option<Size> {
    size::size_of(program.db, program.env(), ty)
}

/// What a resolved function is, if lowering knows it: declared so, or a requirement of the core library on a builtin type.
pub(crate) fn core_function_of(db: &dyn Db, function: FunctionRef) -> Lowering<Option<CoreFunction>> {
    match core_function(db, function.item) {
        Some(known) => Ok(Some(known)),
        None => resolve::builtin_requirement(db, function),
    }
}

/// The first string among the arguments of a call.
pub(crate) fn first_string(scope: &Scope<'_>, call: &CallResolution) -> Option<SmolStr> {
    call.args.iter().find_map(|arg| match arg {
        Argument::Expr(expr) => match &scope.store.exprs[*expr] {
            Expr::Literal(Literal::String(text)) => Some(text.clone()),
            _ => None,
        },
        Argument::Default { .. } => None,
    })
}

/// Whether an operator assigns by itself (`+=`) rather than giving the value to assign.
pub(crate) fn assigns_itself(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    data.name.as_ref().is_some_and(|name| name.as_str().ends_with('='))
}

/// The expression of a default argument, with the text around it.
pub(crate) fn default_argument(db: &dyn Db, function: FunctionRef, index: u32) -> Option<(Scope<'_>, ExprId)> {
    let item = function.item;
    let data = item::item_data(db, item);
    let params = match &data.kind {
        ItemKind::Function(function) => &function.params,
        ItemKind::Constructor { params, .. } | ItemKind::Subscript { params, .. } => params,
        _ => return None,
    };
    let expr = params.get(index as usize)?.default?;
    Some((Scope::of_signature(db, function, &data.store, infer::infer_signature(db, item)), expr))
}

// Types

/// An associated type of an interface value, whose type is known only at run time: any type that meets its first bound.
pub(crate) fn erase(db: &dyn Db, ty: Ty) -> Ty {
    let Ty::Associated(associated) = ty else { return ty };
    if !hir_ty::extension::is_interface(db, associated.base(db)) {
        return ty;
    }
    let item = associated.item(db);
    let data = item::item_data(db, item);
    let ItemKind::AssociatedType { bounds, .. } = &data.kind else { return ty };
    let Some(bound) = bounds.first() else { return ty };
    let bound = hir_ty::lower_ty::TypeLowering::new(db, item, &data.store).lower(*bound);
    let substitution = Substitution::of_item(db, item, associated.interface_args(db)).with_this(associated.base(db));
    substitute(db, Env::of(db, item), bound, &substitution)
}

pub(crate) fn pair_of(db: &dyn Db, ty: Ty) -> Ty {
    Ty::pair(db, ty)
}

/// The pair of a place and its place for derivatives.
pub(crate) fn place_pair_of(db: &dyn Db, ty: Ty) -> Ty {
    Ty::builtin(db, BuiltinType::DifferentialPtrPair, [GenericArg::Type(ty)])
}

pub(crate) fn is_pair(ty: Ty) -> bool {
    matches!(ty, Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _))
}

pub(crate) fn element_type(db: &dyn Db, ty: Ty) -> Option<Ty> {
    ty.first_type_arg(db)
}

pub(crate) fn adt_args(ty: Ty) -> Option<GenericArgs> {
    match ty {
        Ty::Adt(_, args) | Ty::SynthesizedDifferential(_, args) => Some(args),
        _ => None,
    }
}

/// The type of derivatives of `ty`: values, or places for pointer types.
pub(crate) fn differential_of(db: &dyn Db, root: ItemId, ty: Ty) -> Option<Ty> {
    use differential::of_type::Differentiability;
    match differential::of_type::differentiability(db, Env::of(db, root), ty) {
        Differentiability::Value(ty) | Differentiability::Pointer(ty) => Some(ty),
        Differentiability::None => None,
    }
}

/// Whether values of `ty` carry derivatives.
pub(crate) fn is_differentiable(program: &Program<'_>, ty: Ty) -> bool {
    differential::differential_of(program.db, program.env(), ty).is_some()
}

/// Whether a parameter stands for what the whole program is linked with: `type_param T : I;`.
pub(crate) fn is_global_parameter(db: &dyn Db, parameter: TypeParam) -> bool {
    matches!(item::item_data(db, parameter.owner(db)).kind, ItemKind::GlobalTypeParam | ItemKind::GlobalValueParam)
}

/// The variables that a `cbuffer` declares, in order.
pub(crate) fn variables_of(db: &dyn Db, buffer: ItemId) -> impl Iterator<Item = ItemId> {
    let members = item::members(db, buffer).iter().copied();
    members.filter(|member| matches!(item::item_data(db, *member).kind, ItemKind::Variable { .. }))
}

/// The place of a variable among those that its `cbuffer` declares.
pub(crate) fn variable_position(db: &dyn Db, buffer: ItemId, variable: ItemId) -> Option<u32> {
    variable_positions(db, buffer).get(&variable).copied()
}

#[salsa::tracked(returns(ref))]
fn variable_positions(db: &dyn Db, buffer: ItemId) -> FxHashMap<ItemId, u32> {
    variables_of(db, buffer).zip(0..).collect()
}

/// Whether something stands between the fields of a struct's base and its own.
pub(crate) fn base_has_padding(program: &Program<'_>, ty: Ty) -> bool {
    let size = aggregate::base_struct(program.db, program.env(), ty).and_then(|base| size_of(program, base));
    size.is_some_and(|size| size.bytes % size.align != 0)
}

/// What a struct holds, in the order of memory.
pub(crate) fn stored<'db>(program: &Program<'db>, ty: Ty) -> &'db [Stored] {
    bit_field::stored(program.db, program.env(), ty)
}

/// Which of [`stored`] holds a field, and at which bit of it.
pub(crate) fn stored_place(program: &Program<'_>, ty: Ty, field: ItemId) -> Option<(u32, u32)> {
    bit_field::place(program.db, program.env(), ty, field)
}

/// The bit width of a field and the type of its values, `None` for one that is not a bit field.
pub(crate) fn bit_width(program: &Program<'_>, owner: Ty, field: ItemId) -> Option<(u32, Ty)> {
    let ty = aggregate::field_type(program.db, program.env(), owner, field);
    Some((bit_field::width(program.db, field, ty)?, ty))
}

/// Whether the constructor of a struct that nobody wrote takes a value for the member.
pub(crate) fn is_constructor_parameter(db: &dyn Db, field: ItemId) -> bool {
    aggregate::is_constructor_parameter(db, field)
}

/// The struct that a struct inherits.
pub(crate) fn base_struct(program: &Program<'_>, ty: Ty) -> Option<Ty> {
    aggregate::base_struct(program.db, program.env(), ty)
}

/// Whether struct `from` inherits struct `base`, by others or at once.
pub(crate) fn inherits(db: &dyn Db, from: Ty, base: Ty) -> bool {
    conversion::inherits_struct(db, from, base, 0)
}

/// For each field of `ty` that has a derivative, the field of the differential of `ty` that holds it.
pub(crate) fn derivative_fields(program: &Program<'_>, ty: Ty) -> FxHashMap<ItemId, ItemId> {
    let derivatives = field_derivatives(program.db, program.env(), ty).into_iter();
    derivatives.filter_map(|derivative| Some((derivative.field, derivative.derivative?))).collect()
}

/// Which copies of a lambda carry a derivative; `None` if `ty` is not the type of one.
pub(crate) fn copies_with_derivative(program: &Program<'_>, ty: Ty) -> Option<Vec<bool>> {
    let Ty::Closure(closure) = ty else { return None };
    let differentials = hir_ty::closure::capture_differentials(program.db, program.env(), closure);
    Some(differentials.into_iter().map(|differential| differential.is_some()).collect())
}

/// The user's `dadd` of `ty`.
pub(crate) fn user_dadd(program: &Program<'_>, ty: Ty) -> Option<FunctionRef> {
    differentiable_member(program, ty, "dadd")
}

/// The user's `dzero` of `ty`.
pub(crate) fn user_dzero(program: &Program<'_>, ty: Ty) -> Option<FunctionRef> {
    differentiable_member(program, ty, "dzero")
}

/// What merges the derivatives of several uses of a value of type `ty`, if the user wrote it.
pub(crate) fn merging_use(program: &Program<'_>, ty: Ty) -> Option<MergingUse> {
    differential::reuse::merging_use(program.db, program.env(), item::file_of(program.db, program.root), ty)
}

/// Whether a function is the `dzero` or `dadd` of its type, or merges the derivatives of its uses: differentiable by its
/// role, with or without the attribute, which older sources leave off.
pub(crate) fn works_on_differentials(program: &Program<'_>, function: FunctionRef) -> bool {
    let db = program.db;
    let Some(aggregate) = hir_ty::generics::enclosing_aggregate(db, function.item) else { return false };
    let this = || hir_ty::generics::self_type(db, aggregate);
    let has_use = || !members::declared(db, aggregate, &Name::new(differential::reuse::USE)).is_empty();
    let merges = || this().and_then(|ty| merging_use(program, ty)).is_some_and(|merging| merging.rule == function.item);
    if has_use() && merges() {
        return true;
    }
    let named = |name: &Name| matches!(name.as_str(), "dzero" | "dadd");
    let conforms = |ty| conformance::conforms_to_known(db, Env::of(db, function.item), ty, Known::IDifferentiable);
    item::item_data(db, function.item).name.as_ref().is_some_and(named) && this().is_some_and(conforms)
}

fn differentiable_member(program: &Program<'_>, ty: Ty, name: &str) -> Option<FunctionRef> {
    let Ty::Adt(..) = ty else { return None };
    let db = program.db;
    let interface = known::interface(db, Known::IDifferentiable)?;
    let requirement = *members::declared(db, interface, &Name::new(name)).first()?;
    let requirement = FunctionRef { item: requirement, args: GenericArgs::empty(db), self_ty: Some(ty) };
    match conformance::implementation(db, program.env(), requirement)? {
        Implementation::Function(function) => Some(function),
        Implementation::Field(_) | Implementation::Synthesized(_) => None,
    }
}

/// What a value of the interface `ty` can be.
pub(crate) fn conforming_types(program: &Program<'_>, ty: Ty) -> Vec<Ty> {
    let file = item::file_of(program.db, program.root);
    conformance::conforming_types(program.db, file, ty).to_vec()
}

/// The constructor without parameters that a type writes.
pub(crate) fn default_constructor(db: &dyn Db, root: ItemId, ty: Ty) -> Option<FunctionRef> {
    members::default_constructor(db, Env::of(db, root), ty)
        .filter(|constructor| item::item_data(db, constructor.item).has_body())
}

// Variables

pub(crate) fn has_initializer(db: &dyn Db, item: ItemId) -> bool {
    matches!(item::item_data(db, item).kind, ItemKind::Variable { has_init: true, .. })
}

pub(crate) fn is_let(db: &dyn Db, item: ItemId) -> bool {
    matches!(item::item_data(db, item).kind, ItemKind::Variable { is_let: true, .. })
}

/// The type of a variable of the source, with the generic arguments around it put in.
pub(crate) fn variable_type(program: &Program<'_>, item: ItemId, args: GenericArgs) -> Ty {
    let db = program.db;
    let ty = signature::variable_type(db, item);
    substitute(db, program.env(), ty, &Substitution::of_item(db, item, args))
}

// Constants

/// The value of an enum case or constant.
pub(crate) fn constant_item(db: &dyn Db, item: ItemId) -> Option<i64> {
    consts::constant_value(db, item)?.value()
}

/// The value of a constant expression.
pub(crate) fn constant(db: &dyn Db, scope: &Scope<'_>, expr: ExprId) -> Option<i64> {
    use hir_ty::infer::result::Resolution;
    match scope.inference.resolutions.get(&expr) {
        Some(Resolution::EnumCase(item)) => return constant_item(db, *item),
        Some(Resolution::Constant(value)) => {
            if let Const::Value(value) = scope.constant(db, *value) {
                return Some(value);
            }
        }
        _ => {}
    }
    let mut lowering = hir_ty::lower_ty::TypeLowering::new(db, scope.item, scope.store);
    let value = consts::integer(&mut lowering, expr)?;
    scope.constant(db, value).value()
}

/// The value of a constant expression of an item's signature or attributes.
pub(crate) fn signature_constant(db: &dyn Db, item: ItemId, expr: ExprId) -> Option<i64> {
    let mut lowering = hir_ty::lower_ty::TypeLowering::new(db, item, &item::item_data(db, item).store);
    consts::evaluate(&mut lowering, expr)?.value()
}

/// Whether the core library declares it.
pub(crate) fn is_of_core_library(db: &dyn Db, item: ItemId) -> bool {
    modules::is_prelude(db, item::file_of(db, item))
}
