//! Types and literals in WGSL.

use super::names::{self, Names};
use crate::tree::{
    Count, EnumKind, Expr, ExprKind, Function, Literal, Module, Scalar, StructId, Texture,
    TextureKind, Type,
};
use std::cell::{Cell, RefCell};

/// The declarations of a module, with their names in WGSL.
pub(super) struct Scope<'a> {
    pub(super) module: &'a Module,
    pub(super) structs: Vec<String>,
    pub(super) consts: Vec<String>,
    pub(super) globals: Vec<String>,
    pub(super) functions: Vec<String>,
    /// All names that are in use, including those added later.
    pub(super) names: RefCell<Names>,
    /// The structs generated for Rust's tuples and exchange results: their types and names.
    generated: RefCell<Vec<(Type, String)>>,
    /// Whether a type `f16` was printed.
    halves: Cell<bool>,
}

impl<'a> Scope<'a> {
    /// Names everything in `module`. Kernels and buffers come first, because their names are the interface.
    pub(super) fn new(module: &'a Module, shown: &[bool]) -> Self {
        let mut names = Names::default();
        let mut name = |text: &str| names.unique(text);
        // A global that is not printed needs no unique name.
        let globals = module.globals.iter().zip(shown.iter().chain(std::iter::repeat(&true)));
        let globals = globals.map(|(global, shown)| match shown {
            true => name(&global.name.text),
            false => global.name.text.clone(),
        });
        let globals = globals.collect();
        let mut functions = vec![String::new(); module.functions.len()];
        let entry = |function: &Function| function.entry.is_some();
        for entries in [true, false] {
            for (index, function) in module.functions.iter().enumerate() {
                if entry(function) == entries {
                    functions[index] = name(&function.name.text);
                }
            }
        }
        let consts = module.consts.iter().map(|constant| name(&constant.name.text)).collect();
        let structs = module.structs.iter().map(|declared| name(&declared.name.text)).collect();
        let (names, generated) = (RefCell::new(names), RefCell::default());
        let halves = Cell::default();
        Self { module, structs, consts, globals, functions, names, generated, halves }
    }

    /// Returns the names that differ between WGSL and Rust.
    pub(super) fn renamed(&self) -> Vec<(String, String)> {
        let module = self.module;
        let pair = |wgsl: &str, rust: &str| (wgsl.to_owned(), rust.to_owned());
        let all = (module.globals.iter().map(|global| &global.name).zip(&self.globals))
            .chain(module.functions.iter().map(|function| &function.name).zip(&self.functions))
            .chain(module.consts.iter().map(|constant| &constant.name).zip(&self.consts))
            .chain(module.structs.iter().map(|declared| &declared.name).zip(&self.structs));
        let mut renamed: Vec<(String, String)> = all
            .filter(|(name, wgsl)| name.text != **wgsl)
            .map(|(name, wgsl)| pair(wgsl, &name.text))
            .collect();
        for (declared, of) in module.structs.iter().zip(&self.structs) {
            for member in &declared.members {
                let wgsl = names::member(&member.name.text);
                if wgsl != member.name.text {
                    renamed.push(pair(&format!("{of}.{wgsl}"), &member.name.text));
                }
            }
        }
        renamed
    }

    /// Records the type of printed code: WGSL has `f16` only if the module enables it.
    pub(super) fn note(&self, ty: &Type) {
        if *ty == Type::Scalar(Scalar::F16) {
            self.halves.set(true);
        }
    }

    /// Returns whether a type `f16` was printed.
    pub(super) fn has_halves(&self) -> bool {
        self.halves.get()
    }

    /// Returns a type in WGSL.
    pub(super) fn ty(&self, ty: &Type) -> String {
        self.note(ty);
        match ty {
            // Occurs only if an error has been reported.
            Type::Unit => "bool".to_owned(),
            Type::Scalar(scalar) => self::scalar(*scalar).to_owned(),
            Type::Vector(size, of) => format!("vec{size}<{}>", self::scalar(*of)),
            Type::Matrix { columns, rows } => format!("mat{columns}x{rows}<f32>"),
            Type::Atomic(of) => format!("atomic<{}>", self::scalar(*of)),
            Type::Array(of, count) => format!("array<{}, {}>", self.ty(of), self.count(count)),
            Type::Slice(of) => format!("array<{}>", self.ty(of)),
            Type::Struct(StructId(id)) => self.structs.get(*id).cloned().unwrap_or_default(),
            Type::Tuple(_) => self.generated(ty, "Tuple"),
            Type::Enum(which, arguments) => {
                let enumeration = Variants::of(self.module, *which, arguments);
                match enumeration.is_fieldless() {
                    true => enumeration.tag.to_owned(),
                    false => self.generated(ty, &enumeration.name),
                }
            }
            Type::Exchange(Scalar::I32) => self.generated(ty, "ExchangedI32"),
            Type::Exchange(_) => self.generated(ty, "ExchangedU32"),
            Type::Texture(texture) => self::texture(texture),
            Type::Sampler { comparison: false } => "sampler".to_owned(),
            Type::Sampler { comparison: true } => "sampler_comparison".to_owned(),
        }
    }

    /// Returns the length of an array in WGSL.
    pub(super) fn count(&self, count: &Count) -> String {
        match count {
            Count::Literal(count) => count.to_string(),
            Count::Const(id) => self.consts.get(id.0).cloned().unwrap_or_default(),
        }
    }

    fn generated(&self, ty: &Type, name: &str) -> String {
        let known = self.generated.borrow().iter().find(|(of, _)| of == ty).map(|(_, n)| n.clone());
        known.unwrap_or_else(|| {
            let name = self.names.borrow_mut().unique(name);
            self.generated.borrow_mut().push((ty.clone(), name.clone()));
            name
        })
    }

    /// Returns the declarations of the structs generated for tuples and exchange results.
    pub(super) fn generated_structs(&self) -> String {
        let mut text = String::new();
        // One struct may need another, which is then added to the end of the list.
        for index in 0.. {
            let Some((ty, name)) = self.generated.borrow().get(index).cloned() else { break };
            let members = match &ty {
                Type::Tuple(parts) => {
                    let member = |(i, part)| format!("{}: {}", part_name(i), self.ty(part));
                    parts.iter().enumerate().map(member).collect::<Vec<_>>()
                }
                Type::Enum(which, arguments) => {
                    let of = Variants::of(self.module, *which, arguments);
                    let slots = of.slots.iter().enumerate();
                    let slot = |(i, slot)| format!("{}: {}", part_name(i), self.ty(slot));
                    std::iter::once(format!("tag: {}", of.tag)).chain(slots.map(slot)).collect()
                }
                Type::Exchange(of) => {
                    vec![format!("old_value: {}", scalar(*of)), "exchanged: bool".to_owned()]
                }
                _ => Vec::new(),
            };
            text += &format!("struct {name} {{ {} }}\n", members.join(", "));
        }
        text
    }

    /// Returns the WGSL name of a member of a struct or tuple.
    pub(super) fn member(&self, of: &Type, index: usize) -> String {
        match of {
            Type::Struct(StructId(id)) => {
                let members = self.module.structs.get(*id).map(|declared| &declared.members);
                let member = members.and_then(|members| members.get(index));
                member.map(|member| names::member(&member.name.text)).unwrap_or_default()
            }
            _ => part_name(index),
        }
    }

    /// Returns the value of a constant integer expression, if it is known without evaluation.
    pub(super) fn number(&self, expr: &Expr) -> Option<i128> {
        use crate::tree::ConstKind;
        match &expr.kind {
            ExprKind::Literal(Literal::Int(number)) => Some(*number),
            ExprKind::Const(id) => match &self.module.consts.get(id.0)?.kind {
                ConstKind::Const(value) => self.number(value),
                _ => None,
            },
            ExprKind::Verbatim(text) => text.trim_end_matches(['i', 'u']).parse().ok(),
            ExprKind::Convert(inner) if inner.ty.is_same_in_wgsl(&expr.ty) => self.number(inner),
            _ => None,
        }
    }
}

/// Returns the name of a part of a tuple.
pub(super) fn part_name(index: usize) -> String {
    format!("part{index}")
}

/// Returns a scalar type in WGSL.
pub(super) fn scalar(scalar: Scalar) -> &'static str {
    scalar.wgsl_scalar().name()
}

fn texture(texture: &Texture) -> String {
    let layers = if texture.arrayed { "_array" } else { "" };
    let shape = format!("{}{layers}", texture.shape.name());
    match &texture.kind {
        TextureKind::Sampled(of) => format!("texture_{shape}<{}>", scalar(*of)),
        TextureKind::Multisampled(of) => format!("texture_multisampled_{shape}<{}>", scalar(*of)),
        TextureKind::Depth => format!("texture_depth_{shape}"),
        TextureKind::DepthMultisampled => format!("texture_depth_multisampled_{shape}"),
        TextureKind::Storage { format, access, .. } => {
            format!("texture_storage_{shape}<{format}, {access}>")
        }
    }
}

/// Returns a literal with the suffix of its type.
pub(super) fn literal(literal: Literal, ty: &Type) -> String {
    match (literal, ty) {
        (Literal::Bool(value), _) => value.to_string(),
        (Literal::Int(value), Type::Scalar(Scalar::F32)) => format!("{value}.0f"),
        (Literal::Int(value), Type::Scalar(Scalar::F16)) => format!("{value}.0h"),
        (Literal::Int(value), Type::Scalar(Scalar::U64)) => format!("{value}lu"),
        // The least `i64` is written without a suffix, because its absolute value is not an `i64`.
        (Literal::Int(value), Type::Scalar(Scalar::I64)) if value == i128::from(i64::MIN) => {
            format!("i64({} - 1)", value + 1)
        }
        (Literal::Int(value), Type::Scalar(Scalar::I64)) => format!("{value}li"),
        (Literal::Int(value), Type::Scalar(scalar)) if !scalar.is_signed() => format!("{value}u"),
        // `-2147483648i` would be the negation of a number that is not an `i32`.
        (Literal::Int(value), _) if value == i128::from(i32::MIN) => format!("i32({value})"),
        (Literal::Int(value), _) => format!("{value}i"),
        (Literal::Float(value), Type::Scalar(Scalar::F16)) => format!("{value:?}h"),
        // The shortest decimal form is rounded up and is too large for some compilers.
        (Literal::Float(f32::MAX), _) => "0x1.fffffep+127f".to_owned(),
        (Literal::Float(f32::MIN), _) => "-0x1.fffffep+127f".to_owned(),
        (Literal::Float(value), _) => format!("{value:?}f"),
    }
}

/// Returns whether a value is the zero value `T()`.
pub(super) fn is_zero(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(Literal::Bool(value)) => !value,
        ExprKind::Literal(Literal::Int(value)) => *value == 0,
        // -0.0 is not the zero value.
        ExprKind::Literal(Literal::Float(value)) => value.to_bits() == 0,
        ExprKind::Repeat(value) => is_zero(value),
        ExprKind::Construct(parts) => parts.iter().all(is_zero),
        _ => false,
    }
}

/// The representation of an enum type.
pub(super) struct Variants {
    /// The name of its struct in WGSL.
    pub(super) name: String,
    /// The type of the tag.
    pub(super) tag: &'static str,
    /// The tag of each variant.
    pub(super) numbers: Vec<i128>,
    /// The types of the slots after the tag. Variants share slots of the same type.
    pub(super) slots: Vec<Type>,
    /// The slot of each field of each variant. A field of type `()` has none.
    pub(super) places: Vec<Vec<Option<usize>>>,
}

impl Variants {
    pub(super) fn of(module: &Module, which: EnumKind, arguments: &[Type]) -> Self {
        let name = match which {
            EnumKind::Option => "Option",
            EnumKind::Result => "Result",
            EnumKind::Ordering => "Ordering",
            EnumKind::Own(id) => module.enums.get(id.0).map_or("Enum", |of| of.name.text.as_str()),
        };
        let all = module.variants(which, arguments);
        let mut slots: Vec<Type> = Vec::new();
        let mut places = Vec::new();
        for (_, parts) in &all {
            let mut own: Vec<Option<usize>> = Vec::new();
            for part in parts {
                if *part == Type::Unit {
                    own.push(None);
                    continue;
                }
                let free = (0..slots.len())
                    .find(|slot| slots[*slot] == *part && !own.contains(&Some(*slot)));
                own.push(Some(free.unwrap_or_else(|| {
                    slots.push(part.clone());
                    slots.len() - 1
                })));
            }
            places.push(own);
        }
        let numbers: Vec<i128> = all.iter().map(|(number, _)| *number).collect();
        let tag = if numbers.iter().any(|number| *number < 0) { "i32" } else { "u32" };
        Self { name: name.to_owned(), tag, numbers, slots, places }
    }

    /// Returns whether no variant has fields.
    pub(super) fn is_fieldless(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the tag of a variant in WGSL.
    pub(super) fn number(&self, nth: usize) -> String {
        let number = self.numbers.get(nth).copied().unwrap_or_default();
        format!("{number}{}", if self.tag == "i32" { "i" } else { "u" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_say_their_type_and_are_exact() {
        let of = |scalar, value| literal(value, &Type::Scalar(scalar));
        assert_eq!(of(Scalar::I32, Literal::Int(-7)), "-7i");
        assert_eq!(of(Scalar::I32, Literal::Int(i128::from(i32::MIN))), "i32(-2147483648)");
        assert_eq!(of(Scalar::U32, Literal::Int(4_294_967_295)), "4294967295u");
        assert_eq!(of(Scalar::F32, Literal::Float(1.5)), "1.5f");
        assert_eq!(of(Scalar::F32, Literal::Float(-0.0)), "-0.0f");
        assert_eq!(of(Scalar::F32, Literal::Float(1e-45)), "1e-45f");
        assert_eq!(of(Scalar::F32, Literal::Float(f32::MAX)), "0x1.fffffep+127f");
        assert_eq!(of(Scalar::F32, Literal::Float(-f32::MAX)), "-0x1.fffffep+127f");
    }
}
