//! The automaton's states and its alphabet.
//!
//! The discriminants are the published ids: tables, shadow words and shaders contain them.

/// Declares an enum whose variants have the published names, with the conversions that all of them need.
macro_rules! symbols {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All values, in the order of their ids.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Number of values.
            pub const COUNT: usize = Self::ALL.len();

            /// Returns the published name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Returns the value with this id.
            pub const fn from_id(id: usize) -> Option<Self> {
                if id < Self::COUNT { Some(Self::ALL[id]) } else { None }
            }

            /// Returns the id.
            pub const fn id(self) -> usize {
                self as usize
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

symbols! {
    /// What is remembered of a word's history. [`crate::derive::memory`] defines each state in the terms from
    /// which the transitions are derived.
    State {
        /// Not accessed yet.
        Init = "INIT",
        /// One invocation read; no other access ever happened.
        Read = "READ",
        /// One invocation wrote, or mixed kinds of access, in this epoch.
        Write = "WRITE",
        /// Several invocations of a subgroup read; no other access ever happened.
        WRead = "WREAD",
        /// Several subgroups read; no other access ever happened.
        BRead = "BREAD",
        /// Several workgroups read; no other access ever happened.
        GRead = "GREAD",
        /// One invocation reads since a subgroup barrier; other accesses came before the barrier.
        WSync = "WSYNC",
        /// One invocation reads since a workgroup barrier; other accesses came before the barrier.
        BSync = "BSYNC",
        /// Several invocations of a subgroup read since a subgroup barrier (see `WSync`).
        MrWSync = "MR_WSYNC",
        /// As `BSync`, with a subgroup barrier between the reads.
        BwSync = "BWSYNC",
        /// Several subgroups read since a workgroup barrier (see `BSync`).
        BMrBSync = "B_MR_BSYNC",
        /// Several invocations of a subgroup read since a workgroup barrier (see `BSync`).
        WMrBwSync = "W_MR_BWSYNC",
        /// Several subgroups use atomics, some of workgroup scope; no other access ever happened.
        BAtomB = "BATOM_B",
        /// One invocation uses atomics since a subgroup barrier; other accesses came before the barrier.
        WSyncAtom = "WSYNC_ATOM",
        /// Several invocations of a subgroup use atomics, some of workgroup scope; no other access ever
        /// happened.
        BAtomW = "BATOM_W",
        /// Several invocations of a subgroup use atomics since a subgroup barrier (see `WSyncAtom`).
        WSyncAtomM = "WSYNC_ATOM_M",
        /// Several workgroups use atomics of device scope; no other access ever happened.
        GAtomG = "GATOM_G",
        /// One invocation uses atomics since a workgroup barrier; a plain access came before the barrier.
        BSyncAtom = "BSYNC_ATOM",
        /// One invocation uses atomics, some of workgroup scope; no other access ever happened.
        BAtom = "BATOM",
        /// Several subgroups use atomics of device scope; no other access ever happened.
        GAtomB = "GATOM_B",
        /// Several subgroups use atomics since a workgroup barrier (see `BSyncAtom`).
        BSyncAtomB = "BSYNC_ATOM_B",
        /// One invocation uses atomics of device scope; no other access ever happened.
        GAtom = "GATOM",
        /// Several invocations of a subgroup use atomics of device scope; no other access ever happened.
        GAtomW = "GATOM_W",
        /// Several invocations of a subgroup use atomics since a workgroup barrier (see `BSyncAtom`).
        BSyncAtomW = "BSYNC_ATOM_W",
        /// Two accesses raced. This state is final.
        Race = "RACE",
    }
}

symbols! {
    /// The operation of an access.
    Action {
        /// A plain read.
        R = "R",
        /// A plain write.
        W = "W",
        /// An atomic operation of workgroup scope.
        BA = "BA",
        /// An atomic operation of device scope.
        GA = "GA",
    }
}

symbols! {
    /// The strongest barrier passed since the last recorded access.
    Sync {
        /// None.
        U = "U",
        /// A subgroup barrier.
        W = "W",
        /// A workgroup barrier of the memory's class.
        B = "B",
    }
}

symbols! {
    /// The relation of the invocation to that of the last recorded access.
    Relation {
        /// The same invocation.
        S = "S",
        /// Another invocation of the same subgroup.
        W = "W",
        /// An invocation of another subgroup of the same workgroup.
        B = "B",
        /// An invocation of another workgroup.
        G = "G",
    }
}
