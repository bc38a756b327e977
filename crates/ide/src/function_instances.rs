//! Functions with the generic arguments that make them something that runs: those that a name on a command line means
//! (`f`, `cholesky<4>`, `Mlp<16>.eval`, `IFoo.eval`, of several with one name `f(float2, int)`), and all of a file.
//!
//! A generic function stands for its instances in the file: what the functions without generic parameters make of it. If
//! there are none, arguments are chosen that meet its constraints: `float` and small numbers first, then the types of the
//! file. A requirement of an interface stands for what each conforming type does for it.

use std::cell::OnceCell;

use base_db::{Db, SourceFile};
use hir_def::{
    TypeAlone,
    item::{self, GenericParamKind, ItemId, ItemKind},
    name::Name,
    scope,
    type_ref::PathSegment,
};
use hir_ty::{
    alone,
    conformance::{self, Implementation},
    diagnostics::suggest,
    display,
    env::Env,
    extension, generics,
    members::{self, Origin},
    signature::{FunctionRef, signature},
    substitute::{Substitution, is_concrete, substitute},
    ty::{Const, GenericArg, GenericArgs, Scalar, Ty},
};
use lower::{Root, lower_program};
use rustc_hash::FxHashMap;

/// A function that can be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The function with its generic arguments.
    pub function: FunctionRef,
    /// For people: `Mlp<16>.eval`.
    pub name: String,
    /// What was chosen for generic parameters that the file gives no arguments, for people: `T = float`.
    pub chosen: Option<String>,
}

/// A function that is not looked at, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The function, for people.
    pub name: String,
    /// Why, in a sentence.
    pub reason: String,
}

/// The instances of some functions, and what has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instances {
    /// What can be compiled.
    pub found: Vec<Instance>,
    /// What cannot.
    pub skipped: Vec<Skipped>,
}

impl Instances {
    fn push(&mut self, db: &dyn Db, function: FunctionRef, chosen: Option<String>) {
        if !self.found.iter().any(|known| known.function == function) {
            let name = name_in_file(db, function);
            self.found.push(Instance { function, name, chosen });
        }
    }

    /// Adds to the names that several have the types of the parameters, as [`instances_named`] takes them.
    fn tell_overloads_apart(&mut self, db: &dyn Db) {
        let mut counts: FxHashMap<String, usize> = FxHashMap::default();
        for instance in &self.found {
            *counts.entry(instance.name.clone()).or_default() += 1;
        }
        for instance in
            self.found.iter_mut().filter(|instance| counts.get(&instance.name).is_some_and(|count| *count > 1))
        {
            let function = instance.function;
            let substitution = Substitution::of_function(db, function);
            let env = Env::of(db, function.item);
            let types = signature(db, function.item).params.iter();
            let types = types.map(|param| display::display(db, substitute(db, env, param.ty, &substitution)));
            let types: Vec<String> = types.collect();
            instance.name = format!("{}({})", instance.name, types.join(", "));
        }
    }
}

/// The name of a function with the namespaces around it: `math.sqr`, `math.Mlp<16>.eval`.
fn name_in_file(db: &dyn Db, function: FunctionRef) -> String {
    let around = std::iter::successors(item::container(db, function.item), |around| item::container(db, *around));
    let namespaces = around.filter(|around| matches!(item::item_data(db, *around).kind, ItemKind::Namespace));
    let mut name = display::function_name_on_receiver(db, function);
    for namespace in namespaces {
        name = format!("{}.{name}", display::item_name(db, namespace));
    }
    name
}

/// All functions of a file with a body that `wanted` holds of, in the order of declaration.
pub fn all_instances(db: &dyn Db, file: SourceFile, wanted: impl Fn(ItemId) -> bool) -> Instances {
    let finder = Finder::new(db, file);
    let mut instances = Instances::default();
    for &item in scope::all_file_items(db, file).iter() {
        if is_function(db, item) && item::item_data(db, item).has_body() && wanted(item) {
            finder.of_item(item, &mut instances);
        }
    }
    instances.tell_overloads_apart(db);
    instances
}

/// The instances that a name means, of several overloads all of them or, with the types of parameters in parentheses, that
/// one; without an answer, why there is none.
pub fn instances_named(db: &dyn Db, file: SourceFile, name: &str) -> Result<Instances, String> {
    let Some((name, types)) = name.trim().strip_suffix(')').and_then(|inner| inner.split_once('(')) else {
        let mut instances = all_named(db, file, name)?;
        instances.tell_overloads_apart(db);
        return Ok(instances);
    };
    let mut instances = all_named(db, file, name)?;
    let wanted = parameter_types(db, file, types)?;
    let env = Env::of_file(db, file);
    instances.found.retain(|instance| {
        let substitution = Substitution::of_function(db, instance.function);
        let params = signature(db, instance.function.item).params.iter();
        params.map(|param| substitute(db, env, param.ty, &substitution)).eq(wanted.iter().copied())
    });
    match instances.found.is_empty() {
        true => Err(format!("there is no function `{name}` with parameters of the types ({types})")),
        false => Ok(instances),
    }
}

/// The types of a list that is written like that of parameters.
fn parameter_types(db: &dyn Db, file: SourceFile, list: &str) -> Result<Vec<Ty>, String> {
    let mut types = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 || at == list.len() => {
                let text = list[start..at].trim();
                start = at + 1;
                if text.is_empty() && list.trim().is_empty() {
                    break;
                }
                types.push(alone::type_named(db, file, text).ok_or_else(|| format!("there is no type `{text}`"))?);
            }
            _ => {}
        }
    }
    Ok(types)
}

/// The instances that a name without types of parameters means.
fn all_named(db: &dyn Db, file: SourceFile, name: &str) -> Result<Instances, String> {
    let finder = Finder::new(db, file);
    let unknown = || no_function(db, file, name);
    // The name of a function has the form of a type's name.
    let written = TypeAlone::parse(name).ok_or_else(unknown)?;
    let segments = written.path().map_or(&[][..], |path| &path.segments);
    let (last, around) = segments.split_last().ok_or_else(unknown)?;
    let own_args = arguments(db, file, &written, last)?;
    let mut instances = Instances::default();
    let mut items = vec![None];
    for (index, segment) in around.iter().enumerate() {
        // A type with its arguments, as far as the path goes.
        let args = arguments(db, file, &written, segment)?;
        if args.is_some() || index + 1 == around.len() {
            let ty = alone::type_of_path(db, file, &written, &around[..=index]);
            if let Some(ty) = ty.filter(|ty| is_concrete(db, *ty) && !extension::is_interface(db, *ty)) {
                finder.of_type(ty, &last.name, own_args.as_deref(), &mut instances);
                return non_empty(instances, unknown);
            }
            if args.is_some() {
                return Err(format!("there is no type `{}` with these arguments", segment.name));
            }
        }
        items = finder.within(&items, &segment.name).into_iter().map(Some).collect();
    }
    for item in finder.within(&items, &last.name) {
        if !is_function(db, item) {
            continue;
        }
        match &own_args {
            Some(args) => finder.with_args(item, args, &mut instances)?,
            None => finder.of_item(item, &mut instances),
        }
    }
    non_empty(instances, unknown)
}

/// The instances of one function.
pub fn instances_of(db: &dyn Db, item: ItemId) -> Instances {
    let mut instances = Instances::default();
    Finder::new(db, item::file_of(db, item)).of_item(item, &mut instances);
    instances
}

/// What is said of a name that no function has, with the function of the file that could be meant.
fn no_function(db: &dyn Db, file: SourceFile, name: &str) -> String {
    let functions = item::file_items(db, file).iter().filter(|item| is_function(db, **item));
    let names = functions.filter_map(|item| item::item_data(db, *item).name.as_ref());
    match suggest::nearest(name, names.map(Name::as_str)) {
        Some(near) => format!("there is no function `{name}`; did you mean `{near}`?"),
        None => format!("there is no function `{name}`"),
    }
}

fn non_empty(mut instances: Instances, unknown: impl Fn() -> String) -> Result<Instances, String> {
    match (instances.found.is_empty(), instances.skipped.pop()) {
        (false, _) => Ok(instances),
        (true, Some(skipped)) => Err(format!("`{}` cannot be taken alone: {}", skipped.name, skipped.reason)),
        (true, None) => Err(unknown()),
    }
}

/// The generic arguments of a part of a path, if there are brackets.
fn arguments(
    db: &dyn Db,
    file: SourceFile,
    written: &TypeAlone,
    segment: &PathSegment,
) -> Result<Option<Vec<GenericArg>>, String> {
    let Some(args) = &segment.args else { return Ok(None) };
    match alone::generic_args(db, file, written, args) {
        Some(args) => Ok(Some(args)),
        None => Err(format!("the brackets after `{}` do not name types and whole numbers", segment.name)),
    }
}

fn is_function(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        item::item_data(db, item).kind,
        ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. }
    )
}

struct Finder<'db> {
    db: &'db dyn Db,
    file: SourceFile,
    env: Env,
    /// Made when the first generic function asks for it.
    instantiated: OnceCell<Vec<FunctionRef>>,
}

impl<'db> Finder<'db> {
    fn new(db: &'db dyn Db, file: SourceFile) -> Finder<'db> {
        Finder { db, file, env: Env::of_file(db, file), instantiated: OnceCell::new() }
    }

    /// What is called `name` in one of the containers, `None` being the file.
    fn within(&self, containers: &[Option<ItemId>], name: &Name) -> Vec<ItemId> {
        let mut found: Vec<ItemId> = Vec::new();
        for container in containers {
            match container {
                None => found.extend(scope::lookup_in_file(self.db, self.file, name)),
                Some(container) => {
                    let members = item::members(self.db, *container).iter().copied();
                    found.extend(members.filter(|m| item::item_data(self.db, *m).name.as_ref() == Some(name)));
                    found.extend(self.in_extensions(*container, name));
                }
            }
        }
        // The one with a body stands for its forward declarations.
        let with_body = |item: &ItemId| is_function(self.db, *item) && item::item_data(self.db, *item).has_body();
        if found.iter().any(with_body) {
            found.retain(with_body);
        }
        found
    }

    /// What extensions in the file add to a type.
    fn in_extensions(&self, of: ItemId, name: &Name) -> Vec<ItemId> {
        let all = scope::all_file_items(self.db, self.file).iter().copied();
        let extensions = all.filter(|item| matches!(item::item_data(self.db, *item).kind, ItemKind::Extension { .. }));
        let of_it = extensions.filter(|extension| {
            matches!(generics::self_type(self.db, *extension), Some(Ty::Adt(item, _) | Ty::This(item)) if item == of)
        });
        of_it.flat_map(|extension| members::declared(self.db, extension, name).iter().copied()).collect()
    }

    /// The members of a type that are called `name`.
    fn of_type(&self, ty: Ty, name: &Name, own_args: Option<&[GenericArg]>, instances: &mut Instances) {
        for member in members::lookup(self.db, self.env, ty, name) {
            let function = FunctionRef { item: member.item, args: member.args, self_ty: member.self_ty };
            if !is_function(self.db, member.item) || member.origin == Origin::Interface && !self.is_default(function) {
                continue;
            }
            self.with_own_args(function, own_args, instances);
        }
    }

    /// Whether the default body of a requirement is what the type does for it.
    fn is_default(&self, requirement: FunctionRef) -> bool {
        item::item_data(self.db, requirement.item).has_body()
            && matches!(
                conformance::implementation(self.db, self.env, requirement),
                Some(Implementation::Function(function)) if function.item == requirement.item
            )
    }

    /// Adds a function whose outer arguments are known, with its own ones given, found in the file, or chosen.
    fn with_own_args(&self, function: FunctionRef, own: Option<&[GenericArg]>, instances: &mut Instances) {
        let db = self.db;
        let needed = generics::parameters(db, function.item).len() - function.args.args(db).len();
        match own {
            Some(own) if own.len() == needed => {
                let args: Box<[GenericArg]> = function.args.args(db).iter().chain(own).copied().collect();
                instances.push(db, FunctionRef { args: GenericArgs::new(db, args), ..function }, None);
            }
            None if needed == 0 => instances.push(db, function, None),
            _ => {
                let outer = function.args.args(db);
                let in_file = self.in_file(function.item);
                let fitting = in_file.into_iter().filter(|found| {
                    found.args.args(db).starts_with(outer)
                        && found.self_ty.is_none_or(|ty| Some(ty) == function.self_ty)
                });
                let before = instances.found.len();
                fitting.for_each(|found| instances.push(db, found, None));
                if instances.found.len() == before {
                    self.choose(function, instances);
                }
            }
        }
    }

    /// A function by all its arguments.
    fn with_args(&self, item: ItemId, args: &[GenericArg], instances: &mut Instances) -> Result<(), String> {
        let parameters = generics::parameters(self.db, item).len();
        if parameters != args.len() {
            let name = display::item_name(self.db, item);
            return Err(format!("`{name}` has {parameters} generic parameters"));
        }
        let args = GenericArgs::new(self.db, Box::<[GenericArg]>::from(args));
        if !conformance::bounds_hold(self.db, self.env, item, args, None) {
            return Err(format!(
                "`{}` does not meet the constraints",
                display::function_name_on_receiver(self.db, FunctionRef { item, args, self_ty: None })
            ));
        }
        instances.push(self.db, FunctionRef { item, args, self_ty: None }, None);
        Ok(())
    }

    /// All instances of a function.
    fn of_item(&self, item: ItemId, instances: &mut Instances) {
        let db = self.db;
        let aggregate = generics::enclosing_aggregate(db, item);
        let this = aggregate.and_then(|aggregate| generics::self_type(db, aggregate));
        if let Some(Ty::This(interface)) = this {
            return self.of_requirement(item, interface, instances);
        }
        let parameters = generics::parameters(db, item);
        let function = FunctionRef { item, args: GenericArgs::empty(db), self_ty: None };
        if parameters.is_empty() {
            // An extension may be of what is not a type of the program.
            return instances.push(db, function, None);
        }
        let in_file = self.in_file(item);
        match in_file.is_empty() {
            true => self.choose(function, instances),
            false => in_file.into_iter().for_each(|found| instances.push(db, found, None)),
        }
    }

    /// What each conforming type does for a requirement.
    fn of_requirement(&self, item: ItemId, interface: ItemId, instances: &mut Instances) {
        let db = self.db;
        let name = format!("{}.{}", display::item_name(db, interface), display::item_name(db, item));
        if !generics::parameters(db, interface).is_empty() {
            let reason = "the interface is generic; name a type that fulfils it".to_owned();
            return instances.skipped.push(Skipped { name, reason });
        }
        let interface = Ty::Adt(interface, GenericArgs::empty(db));
        let is_own = matches!(generics::enclosing_aggregate(db, item), Some(around) if generics::self_type(db, around).is_some()
            && matches!(item::item_data(db, around).kind, ItemKind::Interface { .. }));
        let types = self.conforming_types(interface);
        let before = instances.found.len();
        for ty in types {
            let requirement = FunctionRef { item, args: GenericArgs::empty(db), self_ty: Some(ty) };
            let function = match is_own {
                true => match conformance::implementation(db, self.env, requirement) {
                    Some(Implementation::Function(function)) => function,
                    Some(Implementation::Field(_) | Implementation::Synthesized(_)) | None => continue,
                },
                // A member that an extension adds to all conforming types.
                false => requirement,
            };
            if item::item_data(db, function.item).has_body() {
                self.with_own_args(function, None, instances);
            }
        }
        if instances.found.len() == before {
            let reason = "no type of the file fulfils it with a function".to_owned();
            instances.skipped.push(Skipped { name, reason });
        }
    }

    /// The types that conform to an interface: those without generic parameters, and the instances of the others in the
    /// file.
    fn conforming_types(&self, interface: Ty) -> Vec<Ty> {
        let db = self.db;
        let mut types = conformance::conforming_types(db, self.file, interface).to_vec();
        for function in self.instantiated.get_or_init(|| instantiated(db, self.file)) {
            let Some(aggregate) = generics::enclosing_aggregate(db, function.item) else { continue };
            let Some(this) = generics::self_type(db, aggregate) else { continue };
            let substitution = Substitution::of_item(db, function.item, function.args);
            let this = substitute(db, self.env, this, &substitution);
            if is_concrete(db, this) && !types.contains(&this) && conformance::conforms(db, self.env, this, interface) {
                types.push(this);
            }
        }
        types
    }

    /// What the functions of the file without generic parameters make of a generic function.
    fn in_file(&self, item: ItemId) -> Vec<FunctionRef> {
        let functions = self.instantiated.get_or_init(|| instantiated(self.db, self.file));
        functions.iter().filter(|function| function.item == item).copied().collect()
    }

    /// Chooses arguments that meet the constraints.
    fn choose(&self, function: FunctionRef, instances: &mut Instances) {
        let db = self.db;
        let outer = function.args.args(db);
        let parameters = &generics::parameters(db, function.item)[outer.len()..];
        let candidates: Vec<Vec<GenericArg>> = parameters.iter().map(|param| self.candidates(*param)).collect();
        let mut tries = candidates.iter().map(Vec::len).try_fold(1usize, usize::checked_mul).unwrap_or(usize::MAX);
        tries = tries.min(MOST_CHOICES);
        for number in 0..tries {
            let mut rest = number;
            let chosen = candidates.iter().map(|candidates| {
                let one = candidates[rest % candidates.len()];
                rest /= candidates.len();
                one
            });
            let args: Box<[GenericArg]> = outer.iter().copied().chain(chosen).collect();
            let args = GenericArgs::new(db, args);
            let mut around = Some(function.item);
            let mut holds = true;
            while let Some(item) = around {
                let own = generics::parameters(db, item).len();
                let own_args = GenericArgs::new(db, Box::<[GenericArg]>::from(&args.args(db)[..own]));
                holds &= conformance::bounds_hold(db, self.env, item, own_args, function.self_ty);
                around = item::container(db, item);
            }
            if holds {
                let names = parameters.iter().map(|param| generics::parameter_name(db, *param).to_string());
                let values = args.args(db)[outer.len()..].iter().map(|arg| display_arg(db, *arg));
                let chosen: Vec<String> = names.zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
                return instances.push(db, FunctionRef { args, ..function }, Some(chosen.join(", ")));
            }
        }
        let name = display::function_name_on_receiver(
            db,
            FunctionRef { args: generics::identity_args(db, function.item), ..function },
        );
        let reason =
            "it is generic, the file does not use it, and no simple arguments meet its constraints; name it with \
                      arguments"
                .to_owned();
        instances.skipped.push(Skipped { name, reason });
    }

    /// What may stand for a generic parameter.
    fn candidates(&self, param: hir_ty::ty::TypeParam) -> Vec<GenericArg> {
        let db = self.db;
        let values = || [2, 3, 4, 1, 0].map(|value| GenericArg::Value(Const::Value(value)));
        let types = || {
            let of_file = scope::all_file_items(db, self.file).iter().copied().filter(|item| {
                matches!(item::item_data(db, *item).kind, ItemKind::Struct { .. })
                    && generics::parameters(db, *item).is_empty()
            });
            let own = of_file.filter_map(|item| generics::self_type(db, item));
            let float = Ty::Scalar(Scalar::Float);
            let built_in = [float, Ty::vector(db, float, Const::Value(3)), Ty::INT];
            built_in.into_iter().chain(own).map(GenericArg::Type).collect::<Vec<_>>()
        };
        match generics::parameter_kind(db, param) {
            Some(GenericParamKind::Value { .. }) => values().to_vec(),
            Some(GenericParamKind::Type { .. }) | None => types(),
            Some(GenericParamKind::Pack { .. }) => {
                types().into_iter().map(|arg| GenericArg::Pack(GenericArgs::new(db, Box::from([arg, arg])))).collect()
            }
            Some(GenericParamKind::ValuePack { .. }) => {
                let pack = |arg| GenericArg::Pack(GenericArgs::new(db, Box::from([arg, arg])));
                values().map(pack).to_vec()
            }
        }
    }
}

/// Combinations of arguments that are tried.
const MOST_CHOICES: usize = 1_000;

fn display_arg(db: &dyn Db, arg: GenericArg) -> String {
    match arg {
        GenericArg::Type(ty) => display::display(db, ty),
        GenericArg::Value(value) => display::display_const(db, value),
        GenericArg::Pack(pack) => pack.args(db).iter().map(|arg| display_arg(db, *arg)).collect::<Vec<_>>().join(", "),
    }
}

/// The functions with generic arguments that the other functions of a file come to call.
fn instantiated(db: &dyn Db, file: SourceFile) -> Vec<FunctionRef> {
    let roots = scope::all_file_items(db, file).iter().copied().filter(|item| {
        let this = generics::enclosing_aggregate(db, *item).and_then(|around| generics::self_type(db, around));
        is_function(db, *item)
            && item::item_data(db, *item).has_body()
            && generics::parameters(db, *item).is_empty()
            && !matches!(this, Some(Ty::This(_)))
    });
    let roots: Vec<Root> = roots
        .map(|item| {
            let function = FunctionRef { item, args: GenericArgs::empty(db), self_ty: None };
            Root::Function { function, operators: Vec::new() }
        })
        .collect();
    // What cannot be lowered makes nothing.
    let mut functions = lower_program(db, &roots, &[], lower::Setting::default()).functions;
    functions.retain(|function| !function.args.args(db).is_empty() && item::file_of(db, function.item) == file);
    functions
}
