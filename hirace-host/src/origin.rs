//! Moves everything that is known about the text of a shader to its place in the host file.
//!
//! A shader is parsed as WGSL. Until a program is created from it, the spans of its module are in its own text. Then every span
//! and every site is moved to the host file. **Architecture invariant:** no later code knows that the text was assembled.

use crate::mapped::MappedText;
use hirace_program::diagnostic::{Diagnostic, Result};
use hirace_program::front::{ParsedModule, wgsl};
use hirace_program::ir::body::Idioms;
use hirace_program::ir::sites::Sites;
use hirace_program::ir::spans::move_spans;
use hirace_program::program::{self, Language};
use hirace_program::source_map::{SourceMap, Span};
use naga::Module;
use std::sync::Arc;

/// The text of a shader, and its place in a host file.
#[derive(Clone, Debug)]
struct Origin {
    /// The origin of the module in the text of the shader.
    shader: Arc<dyn program::Origin>,
    wgsl: SourceMap,
    text: Arc<MappedText>,
    host: SourceMap,
    subgroup_sizes: Vec<(String, u32)>,
}

/// Parses the text of a shader in `host`. Errors are in the host file.
pub fn parse(host: &SourceMap, text: MappedText) -> Result<ParsedModule> {
    let wgsl = SourceMap::new(host.name(), text.text());
    let parsed =
        wgsl::parse_source(wgsl.clone()).map_err(|error| Box::new(moved(*error, &text, host)))?;
    let warnings = parsed.warnings.into_iter().map(|warning| moved(warning, &text, host)).collect();
    let subgroup_sizes = parsed.origin.subgroup_sizes().to_vec();
    let text = Arc::new(text);
    let origin = Origin { shader: parsed.origin, wgsl, text, host: host.clone(), subgroup_sizes };
    Ok(ParsedModule { source: host.clone(), origin: Arc::new(origin), warnings, ..parsed })
}

/// Renames the entry points of a module that was parsed from `parsed`'s text.
pub fn rename(parsed: ParsedModule, new_name: impl Fn(&str) -> String) -> ParsedModule {
    let mut module = parsed.module;
    for entry in &mut module.entry_points {
        entry.name = new_name(&entry.name);
    }
    let sizes = parsed.origin.subgroup_sizes().iter();
    let subgroup_sizes = sizes.map(|(name, size)| (new_name(name), *size)).collect();
    let origin = Arc::new(RenamedOrigin { origin: parsed.origin, subgroup_sizes });
    ParsedModule { module, origin, ..parsed }
}

/// An origin whose entry points have other names.
#[derive(Clone, Debug)]
struct RenamedOrigin {
    origin: Arc<dyn program::Origin>,
    subgroup_sizes: Vec<(String, u32)>,
}

/// Moves a diagnostic about the text of a shader to the host file.
fn moved(diagnostic: Diagnostic, text: &MappedText, host: &SourceMap) -> Diagnostic {
    let labels = diagnostic.labels.into_iter();
    let labels = labels.map(|(span, label)| (place(text, span), label)).collect();
    Diagnostic { source_map: Some(host.clone()), labels, ..diagnostic }
}

/// Returns the place of a span, or that of the end of the text for an empty span there.
fn place(text: &MappedText, span: Span) -> Span {
    match span.is_empty() {
        true => {
            let end = (span.start as usize).min(text.text().len()) as u32;
            let place = text.host_span(Span::new(end, end + 1));
            let last = || text.sources().last().map_or(Span::default(), |(span, _)| span);
            if place.is_empty() { Span::new(last().end, last().end) } else { place }
        }
        false => text.host_span(span),
    }
}

impl program::Origin for Origin {
    fn language(&self) -> Language {
        self.shader.language()
    }

    fn idioms(&self) -> Idioms {
        self.shader.idioms()
    }

    fn wgsl(&self) -> Option<&SourceMap> {
        Some(&self.wgsl)
    }

    fn subgroup_sizes(&self) -> &[(String, u32)] {
        &self.subgroup_sizes
    }

    fn diagnostic(&self, diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        Box::new(moved(*self.shader.diagnostic(diagnostic), &self.text, &self.host))
    }

    fn place(&self, sites: &mut Sites, module: &mut Module) {
        self.shader.place(sites, module);
        for site in &mut sites.list {
            site.span = self.text.host_span(site.span);
            site.statement = self.text.host_span(site.statement);
            site.close = self.text.host_span(site.close);
        }
        move_spans(module, &|span| {
            let moved = self.text.host_span(Span::from(span));
            match moved.is_empty() {
                true => naga::Span::UNDEFINED,
                false => naga::Span::new(moved.start, moved.end),
            }
        });
    }
}

impl program::Origin for RenamedOrigin {
    fn language(&self) -> Language {
        self.origin.language()
    }

    fn idioms(&self) -> Idioms {
        self.origin.idioms()
    }

    fn wgsl(&self) -> Option<&SourceMap> {
        self.origin.wgsl()
    }

    fn subgroup_sizes(&self) -> &[(String, u32)] {
        &self.subgroup_sizes
    }

    fn diagnostic(&self, diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        self.origin.diagnostic(diagnostic)
    }

    fn place(&self, sites: &mut Sites, module: &mut Module) {
        self.origin.place(sites, module);
    }
}
