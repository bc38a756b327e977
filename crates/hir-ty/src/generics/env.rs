//! Where a question about types is asked: which where clauses hold and which extensions are visible.

#![expect(missing_docs, reason = "salsa makes constructors without documentation")]

use base_db::{Db, SourceFile};
use hir_def::item::{self, ItemId};

use crate::{
    generics::{
        self, associated,
        substitute::{self, Substitution},
    },
    types::{
        signature::FunctionRef,
        ty::{Const, GenericArgs, Ty, TypeParam},
    },
};

/// One fact that generic parameters and `where` clauses promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bound {
    /// `subject : interface`.
    Conforms {
        /// The type that conforms.
        subject: Ty,
        /// What it conforms to.
        interface: Ty,
        /// Whether it is only asked, by `where optional`.
        optional: bool,
    },
    /// `left == right`.
    Equal {
        /// One of the two.
        left: Ty,
        /// The other one.
        right: Ty,
    },
    /// A value of `from` converts to `to`.
    Coercible {
        /// The type of the value.
        from: Ty,
        /// What it converts to.
        to: Ty,
    },
    /// `nonempty(pack)`.
    NonEmpty {
        /// The pack, as one argument.
        pack: GenericArgs,
    },
    /// Two values are equal: `countof(T) == N`.
    EqualValues {
        /// One of the two.
        left: Const,
        /// The other one.
        right: Const,
    },
}

/// The environment of a question, interned so that it can be part of a query's key.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct Env {
    /// The file whose imports decide which extensions are visible.
    #[returns(copy)]
    pub file: SourceFile,
    /// What is known about the generic parameters in scope.
    #[returns(deref)]
    pub bounds: Box<[Bound]>,
}

impl Env {
    /// The environment inside the declaration `item`.
    pub fn of(db: &dyn Db, item: ItemId) -> Env {
        Env::new(db, item::file_of(db, item), Box::from(generics::bounds(db, item)))
    }

    /// What is known in this environment to whoever calls a requirement: the bounds of the requirement, with the arguments of its
    /// interface and the type that fulfils it put in.
    pub fn of_calls(self, db: &dyn Db, required: FunctionRef) -> Env {
        // Parameters of its own stay what they are: a pack has no type to be put in.
        let interface = item::container(db, required.item).unwrap_or(required.item);
        let outer = generics::parameters(db, interface).len();
        let outer = required.args.args(db).get(..outer).unwrap_or_default();
        let substitution = Substitution::of_item(db, interface, GenericArgs::new(db, Box::from(outer)));
        let substitution = match required.self_ty {
            Some(this) => substitution.with_this(this),
            None => substitution,
        };
        let mut known = self;
        for bound in generics::bounds(db, required.item) {
            // What a bound says of associated types is said with the bounds before it.
            let bound = associated::put_in(db, known, *bound, &substitution);
            let all: Box<[Bound]> = known.bounds(db).iter().copied().chain([bound]).collect();
            known = Env::new(db, known.file(db), all);
        }
        known
    }

    /// The environment without what may or may not hold: `where optional T : IFoo`, before it is asked whether `T is IFoo`.
    pub(crate) fn unchecked(self, db: &dyn Db) -> Env {
        let is_optional = |bound: &Bound| matches!(bound, Bound::Conforms { optional: true, .. });
        let bounds = self.bounds(db);
        if bounds.iter().any(is_optional) {
            let certain: Box<[Bound]> = bounds.iter().copied().filter(|bound| !is_optional(bound)).collect();
            Env::new(db, self.file(db), certain)
        } else {
            self
        }
    }

    /// The environment where `subject is interface` was asked, as far as `declared` promises that it can be.
    pub(crate) fn checked(self, db: &dyn Db, declared: Env, subject: Ty, interface: Ty) -> Env {
        let is_meant = |bound: &&Bound| {
            matches!(**bound, Bound::Conforms { subject: of, interface: promised, optional: true }
                if of == subject && promised == interface)
        };
        match declared.bounds(db).iter().find(is_meant) {
            Some(bound) => {
                let all: Box<[Bound]> = self.bounds(db).iter().chain([bound]).copied().collect();
                Env::new(db, self.file(db), all)
            }
            None => self,
        }
    }

    /// The environment of a file outside all generic declarations: for types without parameters.
    pub fn of_file(db: &dyn Db, file: SourceFile) -> Env {
        Env::new(db, file, Box::from([]))
    }

    /// The type, itself no parameter, that a `where` clause says `ty` is.
    pub(crate) fn promised_type(self, db: &dyn Db, ty: Ty) -> Option<Ty> {
        if !matches!(ty, Ty::Param(_) | Ty::Associated(_)) {
            return None;
        }
        let same = self.bounds(db).iter().find_map(|bound| match *bound {
            Bound::Equal { left, right } if left == ty => Some(right),
            Bound::Equal { left, right } if right == ty => Some(left),
            Bound::Equal { .. }
            | Bound::Conforms { .. }
            | Bound::Coercible { .. }
            | Bound::NonEmpty { .. }
            | Bound::EqualValues { .. } => None,
        })?;
        (!matches!(same, Ty::Param(_) | Ty::Associated(_) | Ty::Error)).then_some(same)
    }

    /// What a `where` clause says that a generic parameter is equal to (`where T == int`), or the parameter itself.
    pub(crate) fn parameter(self, db: &dyn Db, param: TypeParam) -> Ty {
        let mut known = Ty::Param(param);
        // Each equation is used at most once: `T == U, U == T` ends.
        for bound in self.bounds(db) {
            known = match *bound {
                Bound::Equal { left, right } if left == known && !matches!(right, Ty::Associated(_)) => right,
                Bound::Equal { left, right } if right == known && !matches!(left, Ty::Associated(_) | Ty::Param(_)) => {
                    left
                }
                _ => known,
            };
        }
        known
    }

    /// The environment in which questions about `ty` are answered: bounds do not matter for a type without parameters, so
    /// that all declarations of a file share its answers.
    pub(crate) fn about(self, db: &dyn Db, ty: Ty) -> Env {
        if self.bounds(db).is_empty() || !substitute::is_concrete(db, ty) {
            self
        } else {
            Env::of_file(db, self.file(db))
        }
    }
}
