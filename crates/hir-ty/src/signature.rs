//! Signatures: the types of parameters and results, and how calls are differentiated.

use hir_def::{item::ItemId, name::Name};

use crate::ty::{GenericArgs, ParamDirection, Ty};

/// The signature of a function, method, constructor or accessor; types may mention the generic parameters of the item
/// and of the types around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSignature {
    pub item: ItemId,
    /// `None` for free functions and `static` members.
    pub this: Option<ThisParam>,
    pub params: Vec<ParamSignature>,
    pub ret: Ty,
    pub ret_no_diff: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThisParam {
    pub ty: Ty,
    /// `[mutating]`, setters, constructors.
    pub mutating: bool,
    /// `[NoDiffThis]`.
    pub no_diff: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamSignature {
    pub name: Name,
    pub ty: Ty,
    pub direction: ParamDirection,
    pub no_diff: bool,
    pub has_default: bool,
}

/// A function with the arguments for all generic parameters in scope at its declaration, outermost declaration first.
/// If `item` is a requirement (declared in an interface), `self_ty` is the type that it is called on: lowering looks for
/// the type's implementation once `self_ty` is concrete, and dispatches if it is an interface value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionRef {
    pub item: ItemId,
    pub args: GenericArgs,
    pub self_ty: Option<Ty>,
}
