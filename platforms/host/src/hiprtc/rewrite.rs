//! From HIP to C++: reads a preprocessed source, finds its kernels, and puts C++ in place of the words that the
//! prelude left standing (`__crh_global__`, `__crh_shared__`, `__crh_device__`, `__crh_constant__`).
//!
//! Working on preprocessed text has the advantage that kernels made by macros are seen as what they become.

use std::ops::Range;

use crate::exec::object::{GUARD, GUARDED};

/// A source that a C++ compiler understands, and the kernels in it.
#[derive(Debug, PartialEq)]
pub(crate) struct Rewritten {
    pub(crate) text: String,
    /// Qualified names, without the leading `::`; only kernels that a module exports: `extern "C"`, not templates.
    pub(crate) kernels: Vec<Kernel>,
    /// Whether there are variables that all blocks share.
    pub(crate) has_globals: bool,
}

/// An exported kernel.
#[derive(Debug, PartialEq)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The namespaces around it, each followed by `::`.
    pub(crate) scope: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Word,
    Literal,
    Punctuation,
}

struct Token<'a> {
    kind: Kind,
    text: &'a str,
    range: Range<usize>,
}

/// What an open brace belongs to.
enum Scope {
    Namespace(String),
    ExternC,
    Other,
}

/// Variables that all blocks share lie in a section of whole pages, which all copies of the module map.
const DEVICE_SECTION: &str = r#"__attribute__((section("crh_device"), used))"#;

/// Rewrites `source`; with `guards`, there are bytes behind each variable in shared memory that belong to nobody.
pub(crate) fn rewrite(source: &str, guards: bool) -> Rewritten {
    let tokens = tokens(source);
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut scopes: Vec<Scope> = Vec::new();
    // Where the current declaration begins.
    let mut begin = 0;
    // Parentheses: a `;` inside a `for (...)` ends no declaration.
    let mut depth = 0usize;
    let mut has_globals = false;
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "{" => {
                scopes.push(scope(&tokens[begin..index]));
                (begin, depth) = (index + 1, 0);
            }
            "}" => {
                scopes.pop();
                (begin, depth) = (index + 1, 0);
            }
            ";" if depth == 0 => begin = index + 1,
            "__crh_global__" => {
                edits.push((token.range.clone(), String::new()));
                if let Some(name) = kernel_name(&tokens[index + 1..])
                    && !tokens[begin..index].iter().any(|token| token.text == "template")
                    && is_extern_c(&tokens[begin..index], &scopes)
                    && !kernels.iter().any(|kernel| kernel.name == name)
                {
                    kernels.push(Kernel { name: name.to_owned(), scope: qualification(&scopes) });
                }
            }
            "__crh_shared__" => {
                let declaration = &tokens[begin..index];
                if let Some(at) = declaration.iter().position(|token| token.text == "extern") {
                    // The declaration may have begun before: `extern __shared__`, `extern "C" __shared__`.
                    if let Some((range, replacement)) =
                        dynamic_shared(source, &tokens[index + 1..], declaration[at].range.start)
                    {
                        edits.push((range, replacement));
                        continue;
                    }
                }
                let local = scopes.iter().any(|scope| matches!(scope, Scope::Other));
                if guards
                    && local
                    && let Some((range, replacement)) = guarded(source, &tokens[begin..], index - begin)
                {
                    edits.push((range, replacement));
                    continue;
                }
                let is_static = declaration.iter().any(|token| token.text == "static");
                let word = if is_static { "" } else { "static" };
                edits.push((token.range.clone(), word.to_owned()));
            }
            "__crh_device__" | "__crh_constant__" => {
                let global = scopes.iter().all(|scope| !matches!(scope, Scope::Other)) && depth == 0;
                let shared = global && is_mutable_variable(&tokens[begin..index], &tokens[index + 1..]);
                has_globals |= shared;
                let word = if shared { DEVICE_SECTION } else { "" };
                edits.push((token.range.clone(), word.to_owned()));
            }
            _ => {}
        }
    }
    Rewritten { text: apply(source, &edits), kernels, has_globals }
}

fn scope(declaration: &[Token]) -> Scope {
    let word = |index: usize| declaration.get(index).map_or("", |token| token.text);
    let first = usize::from(word(0) == "inline");
    if word(first) == "namespace" {
        let name: String = declaration[first + 1..].iter().map(|token| token.text).collect();
        return Scope::Namespace(name);
    }
    if declaration.len() == 2 && word(0) == "extern" && word(1) == "\"C\"" {
        Scope::ExternC
    } else {
        Scope::Other
    }
}

fn is_extern_c(declaration: &[Token], scopes: &[Scope]) -> bool {
    scopes.iter().any(|scope| matches!(scope, Scope::ExternC))
        || declaration.windows(2).any(|pair| pair[0].text == "extern" && pair[1].text == "\"C\"")
}

fn qualification(scopes: &[Scope]) -> String {
    let mut scope = String::new();
    for name in scopes.iter().filter_map(|scope| match scope {
        Scope::Namespace(name) if !name.is_empty() => Some(name),
        _ => None,
    }) {
        scope.push_str(name);
        scope.push_str("::");
    }
    scope
}

/// The index behind the group that `tokens[at]` opens.
fn behind_group(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

fn is_attribute(word: &str) -> bool {
    matches!(word, "__attribute__" | "__attribute" | "alignas" | "__declspec")
}

/// The name of the kernel whose definition follows, or `None` if it is only declared here.
fn kernel_name<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    let mut index = 0;
    let mut name = None;
    while let Some(token) = tokens.get(index) {
        match token.text {
            word if is_attribute(word) => index = behind_group(tokens, index + 1),
            "(" => {
                let end = behind_group(tokens, index);
                let next = tokens[end..].iter().find(|token| matches!(token.text, "{" | ";" | "}"))?;
                return if next.text == "{" { name } else { None };
            }
            ";" | "{" | "}" => return None,
            text => {
                if token.kind == Kind::Word {
                    name = Some(text);
                }
                index += 1;
            }
        }
    }
    None
}

/// `extern __shared__ T name[];` as a reference to the module's dynamic shared memory.
fn dynamic_shared(source: &str, tokens: &[Token], start: usize) -> Option<(Range<usize>, String)> {
    let end = tokens.iter().position(|token| token.text == ";")?;
    let declaration = &tokens[..end];
    let bracket = declaration.iter().rposition(|token| token.text == "[")?;
    // `T name[]`, and nothing of what makes it another kind of array.
    if declaration.get(bracket + 1).map(|token| token.text) != Some("]") || bracket < 2 {
        return None;
    }
    let name = declaration[bracket - 1].text;
    let mut element = String::new();
    let mut index = 0;
    while index < bracket - 1 {
        if is_attribute(declaration[index].text) {
            index = behind_group(declaration, index + 1);
            continue;
        }
        if declaration[index].text != "volatile" && declaration[index].text != "extern" {
            element.push_str(declaration[index].text);
            element.push(' ');
        }
        index += 1;
    }
    let volatile = source[start..tokens[end].range.start].split_whitespace().any(|word| word == "volatile");
    let volatile = if volatile { "volatile " } else { "" };
    let element = format!("{volatile}{}", element.trim_end());
    let range = start..tokens[end].range.start;
    // A declaration over several lines keeps them: what follows must stay in its line.
    let lines = "\n".repeat(source[range.clone()].matches('\n').count());
    let replacement = format!(
        "__attribute__((unused)) {element} (&{name})[] = *reinterpret_cast<{element} (*)[]>(__crh_dynamic_shared){lines}"
    );
    Some((range, replacement))
}

/// `__shared__ T name[n];` as a member of a structure that has a guard behind it. AddressSanitizer puts none behind
/// the statics of templates, and those are where most shared memory is. `tokens[marker]` is the marker.
fn guarded(source: &str, tokens: &[Token], marker: usize) -> Option<(Range<usize>, String)> {
    let (mut depth, mut angles) = (0usize, 0usize);
    let mut names: Vec<&str> = Vec::new();
    let mut candidate = None;
    let mut end = None;
    // The name of a variable is the last word before the bracket, comma or semicolon behind it.
    for (index, token) in tokens.iter().enumerate().skip(marker + 1) {
        match token.text {
            "[" if depth == 0 && angles == 0 => {
                names.extend(candidate.take());
                depth += 1;
            }
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            "<" if depth == 0 => angles += 1,
            ">" if depth == 0 => angles = angles.checked_sub(1)?,
            "," if depth == 0 && angles == 0 => names.extend(candidate.take()),
            ";" if depth == 0 => {
                names.extend(candidate.take());
                end = Some(index);
                break;
            }
            "=" if depth == 0 => return None,
            text if depth == 0 && angles == 0 && token.kind == Kind::Word => candidate = Some(text),
            _ => {}
        }
    }
    let end = end?;
    let first = *names.first()?;
    let (start, stop) = (tokens[0].range.start, tokens[end].range.start);
    let mut declaration = String::new();
    let mut position = start;
    for token in tokens[..=marker].iter().filter(|token| matches!(token.text, "static" | "__crh_shared__")) {
        declaration.push_str(&source[position..token.range.start]);
        position = token.range.end;
    }
    declaration.push_str(&source[position..stop]);
    let structure = format!("{GUARDED}{first}");
    // clang would put its own guard behind ours, where there is one.
    let mut replacement = format!(
        "static __attribute__((no_sanitize(\"address\"))) struct {{ {declaration}; char guard[{GUARD}]; }} {structure}"
    );
    for name in names {
        replacement.push_str(&format!("; static auto& {name} = {structure}.{name}"));
    }
    Some((start..stop, replacement))
}

/// Whether this declares a variable that kernels or the host may write: all blocks have to see the same one.
fn is_mutable_variable(before: &[Token], after: &[Token]) -> bool {
    let mut constant = false;
    for token in before {
        match token.text {
            "template" | "extern" | "constexpr" | "typedef" | "using" => return false,
            "const" => constant = true,
            _ => {}
        }
    }
    let mut index = 0;
    let mut previous = "";
    while let Some(token) = after.get(index) {
        match token.text {
            "(" | "{" if previous == "operator" || token.text == "(" => return false,
            "=" | "[" if previous == "operator" => return false,
            ";" | "=" | "[" | "{" => return !constant && !previous.is_empty(),
            "constexpr" | "extern" | "operator" => return false,
            "const" => constant = true,
            "*" => constant = false,
            word if is_attribute(word) => {
                index = behind_group(after, index + 1);
                continue;
            }
            _ => {}
        }
        previous = token.text;
        index += 1;
    }
    false
}

fn apply(source: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut text = String::with_capacity(source.len() + 64 * edits.len());
    let mut position = 0;
    for (range, replacement) in edits {
        if range.start < position {
            continue; // inside a declaration that was replaced as a whole
        }
        // A declaration that begins before its marker swallows edits made meanwhile; there are none of that kind.
        text.push_str(&source[position..range.start]);
        text.push_str(replacement);
        position = range.end;
    }
    text.push_str(&source[position..]);
    text
}

fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::new();
    let mut position = 0;
    let mut line_start = true;
    while position < bytes.len() {
        let byte = bytes[position];
        let start = position;
        let kind = match byte {
            b'\n' => {
                line_start = true;
                position += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                position += 1;
                continue;
            }
            b'#' if line_start => {
                // A line marker or a pragma.
                position = source[position..].find('\n').map_or(bytes.len(), |at| position + at);
                continue;
            }
            b'"' => {
                position = behind_string(bytes, position);
                Kind::Literal
            }
            b'\'' => {
                position = behind_quoted(bytes, position);
                Kind::Literal
            }
            b'0'..=b'9' => {
                position += 1;
                while position < bytes.len()
                    && (is_word(bytes[position])
                        || bytes[position] == b'.'
                        || (bytes[position] == b'\'' && bytes.get(position + 1).is_some_and(|&b| is_word(b))))
                {
                    position += 1;
                }
                Kind::Literal
            }
            _ if is_word(byte) => {
                while position < bytes.len() && is_word(bytes[position]) {
                    position += 1;
                }
                if bytes.get(position) == Some(&b'"')
                    && matches!(&source[start..position], "R" | "u8R" | "uR" | "UR" | "LR")
                {
                    position = behind_raw_string(source, position);
                    Kind::Literal
                } else {
                    Kind::Word
                }
            }
            _ => {
                position += 1;
                Kind::Punctuation
            }
        };
        line_start = false;
        // Not on a character boundary only in sources that are no C++; one token per byte is of no use there.
        while !source.is_char_boundary(position) {
            position += 1;
        }
        tokens.push(Token { kind, text: &source[start..position], range: start..position });
    }
    tokens
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn behind_string(bytes: &[u8], start: usize) -> usize {
    behind_quoted(bytes, start)
}

fn behind_quoted(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut position = start + 1;
    while position < bytes.len() {
        match bytes[position] {
            b'\\' => position += 2,
            b'\n' => return position, // unterminated: the compiler will say so
            byte if byte == quote => return position + 1,
            _ => position += 1,
        }
    }
    bytes.len()
}

fn behind_raw_string(source: &str, quote: usize) -> usize {
    let rest = &source[quote + 1..];
    let Some(open) = rest.find('(') else { return source.len() };
    let close = format!("){}\"", &rest[..open]);
    rest[open..].find(&close).map_or(source.len(), |at| quote + 1 + open + at + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewrite(source: &str) -> Rewritten {
        super::rewrite(source, false)
    }

    fn names(source: &str) -> Vec<String> {
        rewrite(source).kernels.into_iter().map(|kernel| format!("{}{}", kernel.scope, kernel.name)).collect()
    }

    #[test]
    fn finds_exported_kernels_only() {
        let source = r#"
            # 1 "a.hip"
            extern "C" __crh_global__ void one(float* x) { if (x) { x[0] = 1; } }
            extern "C" __crh_global__ __attribute__((aligned(4))) void two(int (*f)(int)) { ; }
            extern "C" __crh_global__ void declared(int);
            template <class T> __crh_global__ void generic(T* x) {}
            __crh_global__ void mangled(int) {}
            extern "C" { __crh_global__ void three() {} namespace n { __crh_global__ void four(int a = sizeof(int)) {} } }
            const char* text = "extern \"C\" __crh_global__ void no() {}"; char c = '"';
            auto raw = R"x(__crh_global__ " )x";
            extern "C" __crh_global__ void one(float* x);
            extern "C" void __crh_global__ five() {}
        "#;
        assert_eq!(names(source), ["one", "two", "three", "n::four", "five"]);
    }

    #[test]
    fn dynamic_shared_memory_becomes_a_reference() {
        let text = rewrite(
            "void f() { extern __crh_shared__ __attribute__((aligned(16))) unsigned char\nbuffer[]; g(); }",
        )
        .text;
        assert_eq!(
            text,
            "void f() { __attribute__((unused)) unsigned char (&buffer)[] = \
             *reinterpret_cast<unsigned char (*)[]>(__crh_dynamic_shared)\n; g(); }"
        );
        let text = rewrite("extern volatile __crh_shared__ T<int> s[];").text;
        assert!(text.contains("volatile T < int > (&s)[] ="), "{text}");
    }

    #[test]
    fn static_shared_memory_is_static() {
        let text =
            rewrite("void f() { __crh_shared__ float tile[32][33]; static __crh_shared__ int n; }").text;
        assert_eq!(text, "void f() { static float tile[32][33]; static  int n; }");
    }

    #[test]
    fn guards_behind_shared_memory() {
        let text =
            super::rewrite("void f() { g(); __crh_shared__ P<a, b> x[2][N < 3 ? 1 : 2], y; int z; }", true)
                .text;
        assert_eq!(
            text,
            "void f() { g(); static __attribute__((no_sanitize(\"address\"))) struct {  P<a, b> x[2][N < 3 ? 1 : 2], y; char guard[128]; } __crh_guarded_x; \
             static auto& x = __crh_guarded_x.x; static auto& y = __crh_guarded_x.y; int z; }"
        );
    }

    #[test]
    fn device_variables_are_shared_and_functions_are_not() {
        let shared = |source: &str| rewrite(source).text.contains("crh_device");
        for source in [
            "__crh_device__ int counter;",
            "static __crh_device__ float table[4] = {1, 2, 3, 4};",
            "__crh_constant__ float weights[8];",
            "__crh_device__ const float* pointer;",
            "namespace n { __crh_device__ unsigned x = f(1); }",
            "__crh_device__ unsigned x{0};",
        ] {
            assert!(shared(source), "{source}");
        }
        for source in [
            "__crh_device__ int f(int x) { return x; }",
            "static inline __crh_device__ float g();",
            "__crh_constant__ const float table[2] = {1, 2};",
            "__crh_device__ constexpr int n = 3;",
            "extern __crh_device__ int elsewhere;",
            "struct S { __crh_device__ S& operator=(const S&); __crh_device__ static int x; };",
            "template <class T> __crh_device__ T value = 1;",
            "void f() { auto g = [] __crh_device__ (int x) { return x; }; }",
        ] {
            assert!(!shared(source), "{source}");
        }
    }

    #[test]
    fn survives_arbitrary_text() {
        let pieces = [
            "\"",
            "'",
            "{",
            "}",
            "(",
            ")",
            "__crh_global__",
            "__crh_shared__",
            "extern",
            "R\"",
            "é",
            "\\",
            ";",
            "[",
            "]",
            "\n#",
        ];
        let mut state = 1u32;
        for _ in 0..2000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(1664525).wrapping_add(1013904223);
                text.push_str(pieces[(state >> 16) as usize % pieces.len()]);
                text.push(' ');
            }
            rewrite(&text);
        }
    }
}
