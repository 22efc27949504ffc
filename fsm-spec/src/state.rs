//! The automaton's states and its alphabet.
//!
//! The discriminants are the published ids: tables, shadow words and shaders hold them.

/// Declares an enum whose variants carry the published names, with the conversions all of them need.
macro_rules! symbols {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All of them, in the order of their ids.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// The published name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The one with this id.
            pub const fn from_id(id: usize) -> Option<Self> {
                if id < Self::COUNT { Some(Self::ALL[id]) } else { None }
            }

            /// Its id.
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
    /// What is remembered of a word's history. What each state stands for is said, in the terms that
    /// the transitions are derived from, by [`crate::derive::memory`].
    State {
        /// Not accessed yet.
        Init = "INIT",
        /// One invocation read; nothing else ever happened.
        Read = "READ",
        /// One invocation wrote, or mixed kinds of access, in this epoch.
        Write = "WRITE",
        /// Several invocations of a subgroup read; nothing else ever happened.
        WRead = "WREAD",
        /// Several subgroups read; nothing else ever happened.
        BRead = "BREAD",
        /// Several workgroups read; nothing else ever happened.
        GRead = "GREAD",
        /// One invocation reads since a subgroup barrier, behind which lies something else.
        WSync = "WSYNC",
        /// One invocation reads since a workgroup barrier, behind which lies something else.
        BSync = "BSYNC",
        /// Several invocations of a subgroup read since a subgroup barrier (see `WSync`).
        MrWSync = "MR_WSYNC",
        /// As `BSync`, and a subgroup barrier was passed between the reads.
        BwSync = "BWSYNC",
        /// Several subgroups read since a workgroup barrier (see `BSync`).
        BMrBSync = "B_MR_BSYNC",
        /// Several invocations of a subgroup read since a workgroup barrier (see `BSync`).
        WMrBwSync = "W_MR_BWSYNC",
        /// Several subgroups use atomics, some of workgroup scope; nothing else ever happened.
        BAtomB = "BATOM_B",
        /// One invocation uses atomics since a subgroup barrier, behind which lies something else.
        WSyncAtom = "WSYNC_ATOM",
        /// Several invocations of a subgroup use atomics, some of workgroup scope; nothing else ever
        /// happened.
        BAtomW = "BATOM_W",
        /// Several invocations of a subgroup use atomics since a subgroup barrier (see `WSyncAtom`).
        WSyncAtomM = "WSYNC_ATOM_M",
        /// Several workgroups use atomics of device scope; nothing else ever happened.
        GAtomG = "GATOM_G",
        /// One invocation uses atomics since a workgroup barrier, behind which lies a plain access.
        BSyncAtom = "BSYNC_ATOM",
        /// One invocation uses atomics, some of workgroup scope; nothing else ever happened.
        BAtom = "BATOM",
        /// Several subgroups use atomics of device scope; nothing else ever happened.
        GAtomB = "GATOM_B",
        /// Several subgroups use atomics since a workgroup barrier (see `BSyncAtom`).
        BSyncAtomB = "BSYNC_ATOM_B",
        /// One invocation uses atomics of device scope; nothing else ever happened.
        GAtom = "GATOM",
        /// Several invocations of a subgroup use atomics of device scope; nothing else ever happened.
        GAtomW = "GATOM_W",
        /// Several invocations of a subgroup use atomics since a workgroup barrier (see `BSyncAtom`).
        BSyncAtomW = "BSYNC_ATOM_W",
        /// Two accesses raced. Final.
        Race = "RACE",
    }
}

symbols! {
    /// What an access does.
    Action {
        /// Reads, plainly.
        R = "R",
        /// Writes, plainly.
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
    /// What the invocation is to the one of the last recorded access.
    Relation {
        /// The same.
        S = "S",
        /// Another, of the same subgroup.
        W = "W",
        /// Of another subgroup, of the same workgroup.
        B = "B",
        /// Of another workgroup.
        G = "G",
    }
}
