//! What is on the other end of the console UART.

/// The terminal at the console UART.
pub trait Console {
    /// Bytes the guest has sent.
    fn output(&mut self, bytes: &[u8]);

    /// The next byte typed, if there is one now. Asked when the receiver is enabled and
    /// empty, one character time after the guest has taken the byte before.
    fn input(&mut self) -> Option<u8>;

    /// Whether the run shall end now. Asked a few thousand times per second of modelled time.
    fn stop(&mut self) -> bool {
        false
    }
}

/// A console that types a fixed script and keeps what it sees.
#[derive(Debug, Default)]
pub struct Capture {
    /// What the guest has sent so far.
    pub seen: Vec<u8>,
    script: Vec<u8>,
    typed: usize,
}

impl Capture {
    /// A console that will type `script`.
    #[must_use]
    pub fn typing(script: impl Into<Vec<u8>>) -> Self {
        Self { script: script.into(), ..Self::default() }
    }

    /// What the guest has sent, as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }
}

impl Console for Capture {
    fn output(&mut self, bytes: &[u8]) {
        self.seen.extend_from_slice(bytes);
    }

    fn input(&mut self) -> Option<u8> {
        let byte = self.script.get(self.typed).copied();
        self.typed += usize::from(byte.is_some());
        byte
    }
}
