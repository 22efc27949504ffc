//! Results that cover all cases.

use crate::mutate::results::{
    Class, Directive, DirectiveKind, FailedRuns, File, KillCause, KilledBy, KnownFinding, Mutant,
    Results, Status, Test,
};
use hirace_core::cover::hash;

/// A mutant is preceded by a character that takes two UTF-16 code units.
const SPMV: &str = "fn spmv(rows: &[u32], out: &mut [f32]) {
    let row = global_id().x;
    /* 𝛼 */ if row < rows.len() && row != 0 {
        let mut sum = 0.0;
        for at in rows[row]..rows[row + 1] {
            sum += x[at] * 2.0;
        }
        workgroup_barrier();
        out[row] = sum;
    }
}
";

/// A text with Windows line endings.
const SCAN: &str = "const N: u32 = 4u << 1u;\r
@compute @workgroup_size(64)\r
fn scan(@builtin(local_invocation_index) i: u32) {\r
    atomicAdd(\r
        &total,\r
        1u,\r
    );\r
    workgroupBarrier();\r
}\r
";

/// A path and a text that are markup, and a finding without a mutant.
const RACY: &str = "fn f<T>(a: u32) { // </script><b>
    if (a < 3u) { out[a] += 1u; }
    textureStore(image, at + vec2(1, 0), one);
    out[a] = -a;
}
";

pub(crate) const RACY_FILE: &str = "my kernels/a<b>,\"100%\".wgsl";

pub(crate) fn source(file: &str) -> Option<String> {
    let known = [("kernels/spmv.rs", SPMV), ("kernels/scan.wgsl", SCAN), (RACY_FILE, RACY)];
    known.into_iter().find(|(name, _)| *name == file).map(|(_, text)| text.to_owned())
}

/// Creates a mutant of the text between the guillemets in `marked`.
fn mutant(file: &str, marked: &str, replacement: &str, class: Class, operator: &str) -> Mutant {
    let text = source(file).unwrap();
    let at = text.find(&marked.replace(['«', '»'], "")).unwrap() + marked.find('«').unwrap();
    let original = &marked[marked.find('«').unwrap() + '«'.len_utf8()..marked.find('»').unwrap()];
    let place = |at: usize| {
        let line = text[..at].matches('\n').count() + 1;
        let column = text[..at].chars().rev().take_while(|c| *c != '\n').count() + 1;
        (u32::try_from(line).unwrap(), u32::try_from(column).unwrap())
    };
    let ((line, column), (end_line, end_column)) = (place(at), place(at + original.len()));
    let function = ["spmv", "scan", "f"].into_iter().find(|name| {
        let begin = text.find(&format!("fn {name}")).map(|begin| begin < at);
        begin == Some(true)
    });
    Mutant {
        id: format!("{class:?}-{line}-{column}-{}", replacement.len()).to_lowercase(),
        operator: operator.to_owned(),
        file: file.to_owned(),
        line,
        column,
        end_line,
        end_column,
        original: original.to_owned(),
        replacement: replacement.to_owned(),
        function: function.map(str::to_owned),
        seconds: Some(0.25),
        ..Mutant::with_class(class)
    }
}

impl Mutant {
    fn became(mut self, status: Status) -> Self {
        self.status = Some(status);
        if status.counts() && status != Status::NoCoverage {
            self.reached_by = vec!["spmv::matches".to_owned(), "sums <&> \"all\"".to_owned()];
        }
        self
    }

    fn killed(
        mut self,
        test: &str,
        how: KillCause,
        rules: &[&str],
        by_outputs: Option<bool>,
    ) -> Self {
        let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
        self.killed_by = Some(KilledBy { test: test.to_owned(), cause: how, rules });
        self.by_outputs = by_outputs;
        self.became(Status::Killed)
    }

    fn said(mut self, says: DirectiveKind, reason: Option<&str>, holds: bool) -> Self {
        self.directive = Some(Directive { kind: says, reason: reason.map(str::to_owned), holds });
        self
    }
}

/// Returns results with every status, every cause of a kill, and every directive, fulfilled and not.
pub(crate) fn several() -> Results {
    use Class::{Arithmetic, Assignment, Barrier, Bitwise, Gpu, ImageAccess, Logical, Relational};
    let spmv = |marked, to, class, name| mutant("kernels/spmv.rs", marked, to, class, name);
    let scan = |marked, to, class, name| mutant("kernels/scan.wgsl", marked, to, class, name);
    let racy = |marked, to, class, name| mutant(RACY_FILE, marked, to, class, name);
    let known = KnownFinding {
        file: RACY_FILE.to_owned(),
        line: 2,
        rule: "HR001".to_owned(),
        kernel: "f".to_owned(),
        variable: Some("out".to_owned()),
        only_by_clamping: true,
        tests: vec![String::from("sums <&> \"all\"")],
    };
    let undecided = Mutant {
        failed_runs: Some(FailedRuns { failed: 3, runs: 10 }),
        ..scan("«workgroupBarrier()»;", "", Barrier, "delete").became(Status::Undecided)
    };
    let matches = "spmv::matches";
    let mutants = vec![
        spmv("row «<» rows", "<=", Relational, "less-to-less-equal").killed(
            matches,
            KillCause::Finding,
            &["HR001", "HR003"],
            Some(false),
        ),
        spmv("row «<» rows", ">", Relational, "less-to-greater").killed(
            matches,
            KillCause::Assertion,
            &[],
            Some(true),
        ),
        spmv("() «&&» row", "||", Logical, "and-to-or").became(Status::Survived),
        spmv("row «!=» 0", "==", Relational, "not-equal-to-equal").became(Status::Survived).said(
            DirectiveKind::ExpectSurvived,
            Some("row 0 is\nempty"),
            true,
        ),
        spmv("sum «+=» x", "-=", Assignment, "add-to-subtract")
            .killed("sums <&> \"all\"", KillCause::Hang, &[], Some(false))
            .said(DirectiveKind::ExpectSurvived, None, false),
        spmv("row «+» 1", "-", Arithmetic, "add-to-subtract")
            .killed(matches, KillCause::Crash, &[], Some(false))
            .said(DirectiveKind::ExpectKilled, None, true),
        spmv("[at] «*» 2", "/", Arithmetic, "multiply-to-divide").became(Status::Timeout),
        spmv("«workgroup_barrier();»", "", Barrier, "delete").became(Status::OutOfMemory),
        scan("4u «<<» 1u", ">>", Bitwise, "left-to-right").became(Status::Equivalent),
        scan("«atomicAdd(\r\n        &total,\r\n        1u,\r\n    )»", "", Gpu, "delete-atomic")
            .became(Status::NoCoverage),
        undecided,
        racy("a «<» 3", "<=", Relational, "less-to-less-equal").killed(
            matches,
            KillCause::Finding,
            &["HR001"],
            Some(true),
        ),
        racy("] «+=» 1u", "-=", Assignment, "add-to-subtract").became(Status::Survived).said(
            DirectiveKind::ExpectKilled,
            Some("counted"),
            false,
        ),
        racy("at«» + vec2", " + vec2(1, 0)", ImageAccess, "shift").became(Status::Skipped).said(
            DirectiveKind::Skip,
            Some("<i>no</i>"),
            true,
        ),
        racy("= «-»a", "", Arithmetic, "delete-minus"),
        Mutant {
            hidden_by: vec![known.clone()],
            ..racy("at «+» vec2", "-", Arithmetic, "plus-to-minus").became(Status::Survived)
        },
        Mutant {
            reason: Some("`subgroupBarrier` needs a feature".to_owned()),
            ..scan("size(«64»)", "65", Gpu, "workgroup-size-plus-one").became(Status::Unviable)
        },
    ];
    let test = |name: &str, steady| Test { name: name.to_owned(), seconds: Some(0.5), steady };
    let files = ["kernels/spmv.rs", "kernels/scan.wgsl", RACY_FILE].into_iter();
    let files = files.map(|file| File { file: file.to_owned(), text: hash(file) }).collect();
    let mut results = Results {
        repeats: 10,
        stopped: true,
        tests: vec![test(matches, true), test("sums <&> \"all\"", false), test("spmv::idle", true)],
        mutants,
        files,
        known_findings: vec![known],
        ..Results::default()
    };
    results.summarize();
    results
}
