//! What each parameter of a derivative stands for: the signature table of `fwd_diff` and `bwd_diff`.
//!
//! | primal | `fwd_diff` | `bwd_diff` |
//! |---|---|---|
//! | `in T`, differentiable | `in` pair | `inout` pair |
//! | `out T`, differentiable | `out` pair | `in T.Differential` |
//! | `inout T`, differentiable | `inout` pair | `inout` pair |
//! | `in`, otherwise | unchanged | unchanged |
//! | `out`, otherwise | unchanged | dropped |
//! | `inout`, otherwise | unchanged | `in` |
//! | result, differentiable | pair | last parameter, `in T.Differential` |
//! | result, otherwise | unchanged | dropped |

use hir_def::body::DerivativeOperator;

use crate::surface::{Direction, Surface};

/// A parameter of a derivative, by what it carries of the primal function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Primal and derivative of parameter `param`.
    Pair { param: usize, direction: Direction },
    /// Parameter `param` as it is.
    Primal { param: usize, direction: Direction },
    /// The derivative of what parameter `param` gives out.
    ParamCotangent { param: usize },
    /// The derivative of the result.
    ResultCotangent,
}

/// The parameters of the derivative, in order.
pub(crate) fn roles(operator: DerivativeOperator, primal: &Surface) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    for (index, param) in primal.params.iter().enumerate() {
        let direction = param.direction;
        let role = match (operator, param.differentiable) {
            (DerivativeOperator::Forward, true) => Some(Role::Pair { param: index, direction }),
            (DerivativeOperator::Forward, false) => Some(Role::Primal { param: index, direction }),
            (DerivativeOperator::Backward, true) => Some(match direction {
                Direction::In | Direction::InOut => Role::Pair { param: index, direction: Direction::InOut },
                Direction::Out => Role::ParamCotangent { param: index },
            }),
            (DerivativeOperator::Backward, false) => match direction {
                Direction::In | Direction::InOut => Some(Role::Primal { param: index, direction: Direction::In }),
                Direction::Out => None,
            },
        };
        roles.extend(role);
    }
    let differentiable_result = primal.ret.as_ref().is_some_and(|ret| ret.differentiable);
    if operator == DerivativeOperator::Backward && differentiable_result {
        roles.push(Role::ResultCotangent);
    }
    roles
}
