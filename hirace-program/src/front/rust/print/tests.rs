use super::*;
use crate::front::rust::tree::*;
use proc_macro2::Span;

fn place() -> Place {
    Place { first: Span::call_site(), last: Span::call_site() }
}

fn name(text: &str) -> Name {
    Name { text: text.to_owned(), place: place() }
}

const U32: Type = Type::Scalar(Scalar::U32);

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, diverges: false, place: place() }
}

fn int(value: i64) -> Expr {
    expr(ExprKind::Literal(Literal::Int(value)), U32)
}

fn local(id: usize) -> Expr {
    expr(ExprKind::Local(LocalId(id)), U32)
}

fn element(index: Expr) -> Expr {
    let out = expr(ExprKind::Global(GlobalId(0)), Type::Slice(Box::new(U32)));
    expr(ExprKind::Index(Box::new(out), Box::new(index)), U32)
}

fn assign(to: Expr, value: Expr) -> Statement {
    Statement::Expr(expr(ExprKind::Assign(Box::new(to), Box::new(value)), Type::Unit))
}

fn block(statements: Vec<Statement>, value: Option<Expr>) -> Block {
    Block { statements, value: value.map(Box::new), place: place() }
}

fn of_block(block: Block) -> Expr {
    let ty = block.value.as_ref().map_or(Type::Unit, |value| value.ty.clone());
    expr(ExprKind::Block(None, block), ty)
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    let ty =
        if matches!(op, Binary::Less | Binary::AndThen) { Type::Scalar(Scalar::Bool) } else { U32 };
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}

/// The text of a kernel over `filter: &mut [u32]` with the local `x`, a variable.
fn kernel(body: Vec<Statement>) -> String {
    let one = || expr(ExprKind::Literal(Literal::Int(1)), U32);
    let x = Local { name: name("x"), ty: U32, mutable: true };
    let entry = Entry { workgroup_size: [one(), one(), one()], generics: Vec::new() };
    let binding = Binding { group: 0, binding: 0 };
    let module = Module {
        globals: vec![Global {
            name: name("filter"),
            ty: Type::Slice(Box::new(U32)),
            space: Space::StorageReadWrite(binding),
        }],
        functions: vec![Function {
            name: name("main"),
            entry: Some(entry),
            parameters: Vec::new(),
            result: Type::Unit,
            locals: vec![x],
            body: block(body, None),
            place: place(),
        }],
        ..Module::default()
    };
    let printed = print(&module, &Selection::All).expect("it prints");
    assert_eq!(printed.names, [("filter_".to_owned(), "filter".to_owned())]);
    crate::front::wgsl::parse("printed.wgsl", &printed.wgsl).expect(&printed.wgsl);
    let start = printed.wgsl.find(" {\n").map_or(0, |at| at + 3);
    printed.wgsl[start..].strip_suffix("}\n").expect("a function ends").to_owned()
}

#[test]
fn what_is_evaluated_before_a_statement_is_bound_before_it() {
    let x = || local(0);
    let set = of_block(block(vec![assign(x(), int(5))], Some(x())));
    let sum = binary(Binary::Add, x(), set);
    let declared = Statement::Let(LocalId(0), Some(int(1)), place());
    assert_eq!(
        kernel(vec![declared, assign(element(int(0)), sum)]),
        "    var x: u32 = 1u;\n    let value: u32 = x;\n    x = 5u;\n    filter_[0u] = value + x;\n"
    );
}

#[test]
fn the_right_side_of_a_condition_is_evaluated_only_if_the_left_holds() {
    let x = || local(0);
    let bump = binary(Binary::Add, x(), int(1));
    let right = of_block(block(vec![assign(x(), bump)], Some(binary(Binary::Less, x(), int(3)))));
    let both = binary(Binary::AndThen, binary(Binary::Less, int(0), x()), right);
    let test = expr(
        ExprKind::If(Box::new(both), block(vec![assign(element(x()), int(1))], None), None),
        Type::Unit,
    );
    let declared = Statement::Let(LocalId(0), Some(int(1)), place());
    assert_eq!(
        kernel(vec![declared, Statement::Expr(test)]),
        "    var x: u32 = 1u;
    var value: bool = 0u < x;
    if (value) {
        x = x + 1u;
        value = x < 3u;
    }
    if (value) {
        filter_[x] = 1u;
    }
"
    );
}
