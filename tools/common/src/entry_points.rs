//! Finds kernels in preprocessed C++: every `extern "C"` function that is `__global__`.
//!
//! No C++ parser: declarations are found by their `extern "C"`, bodies skipped by counting braces, and a parameter's type
//! is reduced to what the caller has to know, e.g. `const size_t *__restrict__ info` to `u64*`.

use std::collections::HashMap;
use std::fmt;

/// A kernel's name and parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryPoint {
    /// Unmangled.
    pub name: String,
    parameters: Vec<Type>,
}

impl EntryPoint {
    /// Whether a caller may call either in the other's place.
    pub fn takes_the_same_as(&self, other: &Self) -> bool {
        let pairs = self.parameters.iter().zip(&other.parameters);
        self.parameters.len() == other.parameters.len() && pairs.into_iter().all(|(a, b)| a.is_like(b))
    }
}

impl fmt::Display for EntryPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<_> = self.parameters.iter().map(ToString::to_string).collect();
        write!(f, "{}({})", self.name, parameters.join(", "))
    }
}

/// A parameter's type: a base name and how many pointers lead to it.
#[derive(Debug, Clone, PartialEq)]
struct Type {
    base: String,
    pointers: usize,
}

impl Type {
    /// Equal, or pointers of which one side does not say to what (`void *`, or a struct that only one side knows).
    fn is_like(&self, other: &Self) -> bool {
        let vague = |t: &Self| !NUMBERS.iter().any(|(name, _)| *name == t.base);
        self == other
            || (self.pointers == other.pointers && self.pointers > 0 && (vague(self) || vague(other)))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.base, "*".repeat(self.pointers))
    }
}

/// Our name for each number type, and the spellings that mean it (with 64-bit `long`).
const NUMBERS: &[(&str, &[&str])] = &[
    ("u8", &["uint8_t", "unsigned char"]),
    ("i8", &["int8_t", "signed char", "char"]),
    ("u16", &["uint16_t", "unsigned short", "unsigned short int"]),
    ("i16", &["int16_t", "short", "short int"]),
    ("u32", &["uint32_t", "unsigned", "unsigned int"]),
    ("i32", &["int32_t", "int", "signed int"]),
    (
        "u64",
        &[
            "uint64_t",
            "size_t",
            "unsigned long",
            "unsigned long int",
            "unsigned long long",
            "unsigned long long int",
        ],
    ),
    ("i64", &["int64_t", "long", "long int", "long long", "long long int"]),
    ("f16", &["__half", "half", "_Float16"]),
    ("bf16", &["__nv_bfloat16", "nv_bfloat16", "hip_bfloat16", "__hip_bfloat16"]),
    ("f32", &["float"]),
    ("f64", &["double"]),
    ("f8_e4m3", &["__nv_fp8_e4m3", "f8e4m3", "__hip_fp8_e4m3"]),
];

const QUALIFIERS: &[&str] = &[
    "const",
    "volatile",
    "__restrict__",
    "__restrict",
    "restrict",
    "struct",
    "typename",
    "__grid_constant__",
];

/// Words of types, which are never a parameter's name.
const TYPE_WORDS: &[&str] =
    &["unsigned", "signed", "int", "char", "short", "long", "float", "double", "void", "bool"];

/// The kernels in `text`, in their order, each name once.
pub fn parse(text: &str) -> Vec<EntryPoint> {
    let tokens = tokenize(text);
    let aliases = aliases(&tokens);
    let mut found: Vec<EntryPoint> = Vec::new();
    let mut at = 0;
    // Depth of braces at which an `extern "C" { ... }` block ends.
    let mut depth = 0;
    let mut blocks: Vec<usize> = Vec::new();
    while at < tokens.len() {
        let linkage = tokens[at..].starts_with(&["extern", "\"C\""]);
        if linkage && tokens.get(at + 2) == Some(&"{") {
            depth += 1;
            blocks.push(depth);
            at += 3;
            continue;
        }
        let inside_block = blocks.last() == Some(&depth);
        if linkage || inside_block && tokens[at] != "}" {
            let start = if linkage { at + 2 } else { at };
            let end = declaration_end(&tokens, start);
            if let Some(entry) = entry_point(&tokens[start..end], &aliases)
                && found.iter().all(|known| known.name != entry.name)
            {
                found.push(entry);
            }
            at = if tokens.get(end) == Some(&"{") { closing(&tokens, end, "{", "}") } else { end } + 1;
            continue;
        }
        match tokens[at] {
            "{" => depth += 1,
            "}" => {
                if blocks.last() == Some(&depth) {
                    blocks.pop();
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Identifiers and numbers, string and character literals whole, and single punctuation marks; `#` lines are skipped.
fn tokenize(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let c = bytes[at];
        at += 1;
        if c == b'#' {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
        } else if c == b'"' || c == b'\'' {
            while at < bytes.len() && bytes[at] != c {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(bytes.len());
            tokens.push(text.get(start..at).unwrap_or("\"\""));
        } else if is_word(c) {
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
            tokens.push(&text[start..at]);
        } else if c.is_ascii_punctuation() {
            tokens.push(&text[start..at]);
        } else if !c.is_ascii() {
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
    }
    tokens
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// Where the declaration that begins at `start` has its body or its semicolon.
fn declaration_end(tokens: &[&str], start: usize) -> usize {
    let mut at = start;
    while at < tokens.len() && !matches!(tokens[at], "{" | ";" | "}") {
        at = if tokens[at] == "(" { closing(tokens, at, "(", ")") } else { at } + 1;
    }
    at.min(tokens.len())
}

/// The mark that closes the one at `open`, or the end.
fn closing(tokens: &[&str], open: usize, opening: &str, closing: &str) -> usize {
    let mut depth = 0;
    for (at, &token) in tokens.iter().enumerate().skip(open) {
        if token == opening {
            depth += 1;
        } else if token == closing {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len()
}

/// Reads `__global__ void __launch_bounds__(256) name(parameters)`, its words in any order.
fn entry_point(declaration: &[&str], aliases: &HashMap<&str, Vec<&str>>) -> Option<EntryPoint> {
    if !declaration.contains(&"__global__") {
        return None;
    }
    let mut at = 0;
    while at < declaration.len() {
        let open = at + declaration[at..].iter().position(|&token| token == "(")?;
        let close = closing(declaration, open, "(", ")").min(declaration.len());
        let name = *declaration.get(open.checked_sub(1)?)?;
        let is_attribute =
            ["__launch_bounds", "__attribute", "__global__"].iter().any(|word| name.starts_with(word));
        if !is_attribute && name.bytes().all(is_word) {
            let parameters = split_at_commas(&declaration[open + 1..close]);
            let parameters = parameters.iter().filter_map(|tokens| parameter(tokens, aliases)).collect();
            return Some(EntryPoint { name: name.to_owned(), parameters });
        }
        at = close + 1;
    }
    None
}

fn split_at_commas<'a, 't>(tokens: &'a [&'t str]) -> Vec<&'a [&'t str]> {
    let mut depth = 0;
    tokens
        .split(|&token| {
            match token {
                "(" | "<" | "[" => depth += 1,
                ")" | ">" | "]" => depth -= 1,
                _ => {}
            }
            token == "," && depth == 0
        })
        .collect()
}

/// `None` for the `void` of an empty list, and for nothing at all.
fn parameter(tokens: &[&str], aliases: &HashMap<&str, Vec<&str>>) -> Option<Type> {
    let tokens: &[&str] = match tokens.iter().position(|&token| token == "=") {
        Some(default) => &tokens[..default],
        None => tokens,
    };
    // `T name[4]` is a pointer.
    let brackets = tokens.iter().position(|&token| token == "[");
    let (tokens, arrays) = (&tokens[..brackets.unwrap_or(tokens.len())], usize::from(brackets.is_some()));
    let words =
        tokens.iter().filter(|token| token.bytes().all(is_word) && !QUALIFIERS.contains(token)).count();
    let named = tokens.last().is_some_and(|last| last.bytes().all(is_word) && !QUALIFIERS.contains(last))
        && words > 1
        && !tokens.last().is_some_and(|last| TYPE_WORDS.contains(last));
    let type_tokens = if named { &tokens[..tokens.len() - 1] } else { tokens };
    let mut result = reduce(type_tokens, aliases, 0);
    result.pointers += arrays;
    let nothing = result.pointers == 0 && (result.base.is_empty() || result.base == "void");
    (!nothing).then_some(result)
}

fn reduce(tokens: &[&str], aliases: &HashMap<&str, Vec<&str>>, depth: usize) -> Type {
    let pointers = tokens.iter().filter(|token| matches!(**token, "*" | "&")).count();
    let words: Vec<&str> = tokens
        .iter()
        .copied()
        .filter(|token| !matches!(*token, "*" | "&") && !QUALIFIERS.contains(token))
        .collect();
    let base = words.join(" ");
    if let Some((name, _)) =
        NUMBERS.iter().find(|(name, spellings)| *name == base || spellings.contains(&base.as_str()))
    {
        return Type { base: (*name).to_owned(), pointers };
    }
    // Aliases of aliases end soon; a cycle would not compile.
    if let Some(alias) = aliases.get(base.as_str()).filter(|_| depth < 16) {
        let mut result = reduce(alias, aliases, depth + 1);
        result.pointers += pointers;
        return result;
    }
    Type { base, pointers }
}

/// `typedef type name;` and `using name = type;`, where the type is plain words and pointers.
fn aliases<'t>(tokens: &[&'t str]) -> HashMap<&'t str, Vec<&'t str>> {
    let mut found = HashMap::new();
    for (at, &token) in tokens.iter().enumerate() {
        if token != "typedef" && token != "using" {
            continue;
        }
        let end = declaration_end(tokens, at);
        let declaration = &tokens[at + 1..end];
        let plain = |tokens: &[&str]| tokens.iter().all(|token| token.bytes().all(is_word) || *token == "*");
        match (token, declaration) {
            ("typedef", [of @ .., name]) if tokens.get(end) == Some(&";") && plain(declaration) => {
                found.insert(*name, of.to_vec());
            }
            ("using", [name, "=", of @ ..]) if plain(of) => {
                found.insert(*name, of.to_vec());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<String> {
        parse(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn kernels_are_told_from_other_functions() {
        let text = r#"
            # 1 "file.cu"
            extern "C" __global__ void plain(int a) { if (a) { a = '}'; } const char *s = "extern \"C\" {"; }
            __global__ void mangled(int a) {}
            extern "C" void launch_it(int a) { plain<<<1, 2>>>(a); }
            template <typename T> __global__ void generic(T a) {}
            extern "C" __global__ void declared_only(int a, int b);
            extern "C" __global__ void plain(int a);
        "#;
        assert_eq!(parsed(text), ["plain(i32)", "declared_only(i32, i32)"]);
    }

    #[test]
    fn attributes_stand_anywhere() {
        let text = r#"
            extern "C" __global__ void __launch_bounds__(256, 1) a(int n) {}
            extern "C" __launch_bounds__(32 * (1 + 1)) __global__ void b(int n) {}
            extern "C" __attribute__((weak)) __global__ __attribute__((used)) void c(int n) {}
        "#;
        assert_eq!(parsed(text), ["a(i32)", "b(i32)", "c(i32)"]);
    }

    #[test]
    fn blocks_of_c_linkage_are_entered() {
        let text = r#"
            extern "C" {
                __global__ void a(int n) { { } }
                void host(int n);
                __global__ void b(int n) {}
            }
            __global__ void outside(int n) {}
            namespace x { extern "C" { __global__ void c(int n) {} } __global__ void d(int n) {} }
        "#;
        assert_eq!(parsed(text), ["a(i32)", "b(i32)", "c(i32)"]);
    }

    #[test]
    fn types_are_reduced_to_what_a_caller_must_know() {
        let cases = [
            ("const size_t numel", "u64"),
            ("const size_t *info", "u64*"),
            ("const unsigned long long int *__restrict__ const x", "u64*"),
            ("unsigned n", "u32"),
            ("unsigned int", "u32"),
            ("const uint32_t", "u32"),
            ("const long long x", "i64"),
            ("const __half *inp", "f16*"),
            ("__nv_bfloat16 x", "bf16"),
            ("__nv_fp8_e4m3 *x", "f8_e4m3*"),
            ("const void * __restrict__ vx", "void*"),
            ("float x[4]", "f32*"),
            ("int **x", "i32**"),
            ("const dfloat * y", "f32*"),
            ("element y", "f16"),
            ("const block_q4_0 *x", "block_q4_0*"),
            ("int a, const bool b", "i32, bool"),
            ("int a = 3", "i32"),
            ("void", ""),
            ("", ""),
        ];
        for (parameters, expected) in cases {
            let text = format!(
                "typedef float dfloat; using element = half_t; typedef _Float16 half_t; \
                 extern \"C\" __global__ void f({parameters}) {{}}"
            );
            assert_eq!(parsed(&text), [format!("f({expected})")], "{parameters}");
        }
    }

    #[test]
    fn pointers_to_the_unsaid_match_any_pointer() {
        let entry =
            |parameters: &str| parse(&format!("extern \"C\" __global__ void f({parameters});")).remove(0);
        let same = |a: &str, b: &str| entry(a).takes_the_same_as(&entry(b));
        assert!(same("const void *x", "const block_q4_0 *x"));
        assert!(same("const void *x", "float *y"));
        assert!(!same("const void *x", "float y"));
        assert!(!same("const void *x", "float **y"));
        assert!(!same("float *x", "double *y"));
        assert!(!same("int x", "unsigned x"));
        assert!(!same("int x", "int x, int y"));
    }

    #[test]
    fn broken_text_ends_quietly() {
        for text in [
            "extern \"C\"",
            "extern \"C\" {",
            "extern \"C\" __global__ void f(",
            "\"",
            "'\\",
            "extern \"C\" __global__ (",
        ] {
            assert_eq!(parsed(text).len(), usize::from(text.ends_with("f(")), "{text}");
        }
    }
}
