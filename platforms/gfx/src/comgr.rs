//! comgr in another process: what the platform asks of the program that performs its actions, and what that answers.
//!
//! A real comgr may need another C library than this process has, so only bytes go to and fro: an [`Action`] to the program's standard
//! input, an [`Outcome`] from its standard output. Numbers of kinds, languages and states are those of the real comgr's version.

/// A data object of comgr: a source, a header, bitcode, machine code, a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Its `amd_comgr_data_kind_t`.
    pub kind: u32,
    /// The name of the file that it stands for.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// A call of `amd_comgr_do_action`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// Its `amd_comgr_action_kind_t`.
    pub kind: u32,
    /// The `amd_comgr_language_t` of the sources.
    pub language: u32,
    /// The processor, such as `amdgcn-amd-amdhsa--gfx1100`.
    pub isa: String,
    /// The compiler's options.
    pub options: Vec<String>,
    /// Whether the compiler's messages are wanted.
    pub logging: bool,
    /// The data set that it starts from.
    pub input: Vec<Data>,
}

/// How an [`Action`] ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Its `amd_comgr_status_t`.
    pub status: u32,
    /// The data set that it made, also where it failed.
    pub output: Vec<Data>,
}

impl Action {
    /// For the program's standard input.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        [self.kind, self.language, u32::from(self.logging)].into_iter().for_each(|number| to.number(number));
        to.bytes(self.isa.as_bytes());
        to.list(&self.options, |to, option| to.bytes(option.as_bytes()));
        to.list(&self.input, Writer::data);
        to.0
    }

    /// What [`to_bytes`](Self::to_bytes) wrote; `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let [kind, language, logging] = [from.number()?, from.number()?, from.number()?];
        let isa = from.text()?;
        let (options, input) = (from.list(Reader::text)?, from.list(Reader::data)?);
        from.is_at_the_end().then_some(Self { kind, language, isa, options, logging: logging != 0, input })
    }
}

impl Outcome {
    /// For the program's standard output.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.number(self.status);
        to.list(&self.output, Writer::data);
        to.0
    }

    /// What [`to_bytes`](Self::to_bytes) wrote; `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let (status, output) = (from.number()?, from.list(Reader::data)?);
        from.is_at_the_end().then_some(Self { status, output })
    }
}

/// Numbers in four bytes, the lowest first; bytes and lists after their length.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.0.extend(bytes);
    }

    fn data(&mut self, data: &Data) {
        self.number(data.kind);
        self.bytes(data.name.as_bytes());
        self.bytes(&data.content);
    }

    fn list<T>(&mut self, list: &[T], each: impl Fn(&mut Self, &T)) {
        self.number(list.len() as u32);
        list.iter().for_each(|one| each(self, one));
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let len = self.number()? as usize;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    fn data(&mut self) -> Option<Data> {
        Some(Data { kind: self.number()?, name: self.text()?, content: self.bytes()? })
    }

    fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| each(self)).collect()
    }

    fn is_at_the_end(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let data =
            |name: &str, content: &[u8]| Data { kind: 6, name: name.to_owned(), content: content.to_vec() };
        let action = Action {
            kind: 12,
            language: 3,
            isa: "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-".to_owned(),
            options: vec!["-O3".to_owned(), String::new(), "-DTEXT=a b\nc".to_owned()],
            logging: true,
            input: vec![data("common/vec.h", b"\0\xff"), data("", b"")],
        };
        let outcome = Outcome { status: 1, output: action.input.clone() };
        assert_eq!(Action::from_bytes(&action.to_bytes()), Some(action.clone()));
        assert_eq!(Outcome::from_bytes(&outcome.to_bytes()), Some(outcome.clone()));
        assert_eq!(Outcome::from_bytes(&Outcome::default().to_bytes()), Some(Outcome::default()));
        let bytes = action.to_bytes();
        for end in 0..bytes.len() {
            assert_eq!(Action::from_bytes(&bytes[..end]), None, "{end} bytes of {}", bytes.len());
        }
        assert_eq!(Action::from_bytes(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(Outcome::from_bytes(b"Segmentation fault"), None);
    }
}
