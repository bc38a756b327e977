//! SPIR-V modules as words: ids, instructions, and the sections in whose order they stand.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

/// The number of a type, a value, a variable, a function or a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(pub(super) u32);

/// The most words of an instruction.
const MAX_LENGTH: usize = u16::MAX as usize;

/// Instructions behind each other.
#[derive(Debug, Default)]
pub(super) struct Section {
    words: Vec<u32>,
    /// Whether an instruction did not fit.
    overflows: bool,
}

impl Section {
    pub(super) fn push(&mut self, op: Op, operands: &[u32]) {
        let length = operands.len() + 1;
        self.overflows |= length > MAX_LENGTH;
        self.words.push((length as u32) << 16 | op as u32);
        self.words.extend(operands);
    }

    pub(super) fn append(&mut self, other: Section) {
        self.words.extend(other.words);
        self.overflows |= other.overflows;
    }
}

/// A text as operands: its bytes, a zero, and zeros up to the next word.
pub(super) fn literal(text: &str) -> Vec<u32> {
    let mut bytes: Vec<u8> = text.bytes().take_while(|&byte| byte != 0).collect();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// A module in the making.
#[derive(Debug)]
pub(super) struct Assembler {
    next: u32,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    imports: Vec<(&'static str, Id)>,
    entry_points: Section,
    execution_modes: Section,
    strings: Section,
    names: Section,
    annotations: Section,
    declarations: Section,
    functions: Section,
    /// Types and constants, each of which is declared once.
    known: FxHashMap<(Op, Vec<u32>), Id>,
    constants: FxHashSet<Id>,
    decorated: FxHashSet<(Id, u32)>,
    /// Whether pointers are addresses.
    has_addresses: bool,
}

/// SPIR-V 1.5, which Vulkan has from 1.2 on.
const VERSION: u32 = 0x0001_0500;

impl Assembler {
    pub(super) fn new() -> Assembler {
        Assembler {
            next: 1,
            capabilities: BTreeSet::from([Capability::Shader as u32]),
            extensions: BTreeSet::new(),
            imports: Vec::new(),
            entry_points: Section::default(),
            execution_modes: Section::default(),
            strings: Section::default(),
            names: Section::default(),
            annotations: Section::default(),
            declarations: Section::default(),
            functions: Section::default(),
            known: FxHashMap::default(),
            constants: FxHashSet::default(),
            decorated: FxHashSet::default(),
            has_addresses: false,
        }
    }

    pub(super) fn fresh(&mut self) -> Id {
        self.next += 1;
        Id(self.next - 1)
    }

    pub(super) fn require(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    /// Pointers may be addresses that the host gives.
    pub(super) fn require_addresses(&mut self) {
        self.require(Capability::PhysicalStorageBufferAddresses);
        self.has_addresses = true;
    }

    pub(super) fn require_extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// A set of further instructions.
    pub(super) fn import(&mut self, name: &'static str) -> Id {
        if let Some(&(_, id)) = self.imports.iter().find(|(other, _)| *other == name) {
            return id;
        }
        let id = self.fresh();
        self.imports.push((name, id));
        id
    }

    pub(super) fn string(&mut self, text: &str) -> Id {
        let id = self.fresh();
        self.strings.push(Op::String, &[&[id.0], literal(text).as_slice()].concat());
        id
    }

    pub(super) fn name(&mut self, id: Id, name: &str) {
        self.names.push(Op::Name, &[&[id.0], literal(name).as_slice()].concat());
    }

    pub(super) fn member_name(&mut self, id: Id, member: u32, name: &str) {
        self.names.push(Op::MemberName, &[&[id.0, member], literal(name).as_slice()].concat());
    }

    pub(super) fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[u32]) {
        if operands.is_empty() && !self.decorated.insert((id, decoration as u32)) {
            return;
        }
        self.annotations.push(Op::Decorate, &[&[id.0, decoration as u32], operands].concat());
    }

    pub(super) fn decorate_builtin(&mut self, id: Id, builtin: BuiltIn) {
        self.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
    }

    pub(super) fn decorate_member(&mut self, id: Id, member: u32, decoration: Decoration, operands: &[u32]) {
        self.annotations.push(Op::MemberDecorate, &[&[id.0, member, decoration as u32], operands].concat());
    }

    /// A type that is what its operands say.
    pub(super) fn ty(&mut self, op: Op, operands: &[u32]) -> Id {
        let key = (op, operands.to_vec());
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.unique_type(op, operands);
        self.known.insert(key, id);
        id
    }

    /// A type that differs from others by its decorations.
    pub(super) fn unique_type(&mut self, op: Op, operands: &[u32]) -> Id {
        let id = self.fresh();
        self.declarations.push(op, &[&[id.0], operands].concat());
        id
    }

    pub(super) fn pointer(&mut self, class: StorageClass, pointee: Id) -> Id {
        self.ty(Op::TypePointer, &[class as u32, pointee.0])
    }

    pub(super) fn constant(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let key = (op, [&[ty.0], operands].concat());
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.fresh();
        self.declarations.push(op, &[&[ty.0, id.0], operands].concat());
        self.known.insert(key, id);
        self.constants.insert(id);
        id
    }

    /// A constant that the host may fix.
    pub(super) fn specialization_constant(&mut self, op: Op, ty: Id, operands: &[u32], number: u32) -> Id {
        let id = self.fresh();
        self.declarations.push(op, &[&[ty.0, id.0], operands].concat());
        self.decorate(id, Decoration::SpecId, &[number]);
        id
    }

    pub(super) fn is_constant(&self, id: Id) -> bool {
        self.constants.contains(&id)
    }

    /// A variable of the module.
    pub(super) fn variable(&mut self, class: StorageClass, pointee: Id, init: Option<Id>) -> Id {
        let pointer = self.pointer(class, pointee);
        let id = self.fresh();
        let mut operands = vec![pointer.0, id.0, class as u32];
        operands.extend(init.map(|init| init.0));
        self.declarations.push(Op::Variable, &operands);
        id
    }

    pub(super) fn entry_point(&mut self, model: spirv::ExecutionModel, id: Id, name: &str, interface: &BTreeSet<Id>) {
        let mut operands = vec![model as u32, id.0];
        operands.extend(literal(name));
        operands.extend(interface.iter().map(|id| id.0));
        self.entry_points.push(Op::EntryPoint, &operands);
    }

    pub(super) fn execution_mode(&mut self, id: Id, mode: spirv::ExecutionMode, operands: &[u32]) {
        self.execution_modes.push(Op::ExecutionMode, &[&[id.0, mode as u32], operands].concat());
    }

    pub(super) fn function(&mut self, body: Section) {
        self.functions.append(body);
    }

    /// All of it.
    pub(super) fn finish(self) -> Result<Vec<u32>, String> {
        let mut out = Section::default();
        for &capability in &self.capabilities {
            out.push(Op::Capability, &[capability]);
        }
        for name in &self.extensions {
            out.push(Op::Extension, &literal(name));
        }
        for &(name, id) in &self.imports {
            out.push(Op::ExtInstImport, &[&[id.0], literal(name).as_slice()].concat());
        }
        let addressing = match self.has_addresses {
            true => spirv::AddressingModel::PhysicalStorageBuffer64,
            false => spirv::AddressingModel::Logical,
        };
        out.push(Op::MemoryModel, &[addressing as u32, spirv::MemoryModel::GLSL450 as u32]);
        let sections = [
            self.entry_points,
            self.execution_modes,
            self.strings,
            self.names,
            self.annotations,
            self.declarations,
            self.functions,
        ];
        for section in sections {
            out.append(section);
        }
        if out.overflows {
            return Err("a value has too many parts for one instruction".into());
        }
        let header = [spirv::MAGIC_NUMBER, VERSION, 0, self.next, 0];
        Ok([&header[..], out.words.as_slice()].concat())
    }
}
