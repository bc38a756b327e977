use ir::{parse::parse_module, verify::VerifiedModule};

use super::*;

const FUNCTION: &str = "\
func @f(%x: f32 diff, %n: i32, %y: f32 diff) -> (return: f32 diff, inout %y: f32 diff, z: f32 diff at 3) forward_differentiable backward_differentiable {
  %r: f32 = mul %x, %y
  return %r, %r, %x
}
";

fn kernel(mode: Mode) -> (Module, Kernel) {
    let mut module = parse_module(FUNCTION).expect("the function can be read");
    let function = module.func_named("f").expect("the function is there");
    let kernel = wrap(&mut module, function, mode).expect("it has a kernel");
    (module, kernel)
}

/// `name` of what comes in, `name=` of what comes out, `=name=` of both.
fn parameters(mode: Mode) -> String {
    let (module, kernel) = kernel(mode);
    let parameters = kernel.parameters.iter().map(|parameter| {
        let name = &module.globals[parameter.global].name;
        match (parameter.is_read, parameter.is_written) {
            (true, true) => format!("={name}="),
            (_, true) => format!("{name}="),
            (_, false) => name.to_string(),
        }
    });
    parameters.collect::<Vec<_>>().join(" ")
}

#[test]
fn each_parameter_stands_before_its_derivative() {
    assert_eq!(parameters(Mode::Primal), "x n =y= z= result= count");
    let forward = "x x_tangent n =y= =y_tangent= z= z_tangent= result= result_tangent= count";
    assert_eq!(parameters(Mode::Forward), forward);
    assert_eq!(parameters(Mode::Backward), "x x_cotangent= n y =y_cotangent= z_cotangent result_cotangent count");
    let both = "x x_cotangent= n =y= =y_cotangent= z= z_cotangent result= result_cotangent count";
    assert_eq!(parameters(Mode::PrimalAndBackward), both);
}

#[test]
fn what_is_made_obeys_the_rules_before_and_after_derivatives() {
    for mode in [Mode::Primal, Mode::Forward, Mode::Backward, Mode::PrimalAndBackward] {
        let (module, kernel) = kernel(mode);
        assert_eq!(module.entry_points.len(), 1);
        let mut module = VerifiedModule::new(module).expect("the kernel obeys the rules");
        crate::expand(&mut module, &[kernel.func]).expect("it has derivatives");
    }
}
