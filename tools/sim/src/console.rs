//! What is on the other end of the console UART.

/// The terminal at the console UART.
pub trait Console {
    /// Bytes the guest has sent.
    fn output(&mut self, bytes: &[u8]);

    /// The next byte typed, if there is one now. Asked when the receiver is enabled and
    /// empty, one character time after the guest has taken the byte before.
    fn input(&mut self) -> Option<u8>;

    /// Whether the byte given last arrives without its stop bit, as noise on the line does.
    fn garbled(&mut self) -> bool {
        false
    }

    /// Whether the next byte waits until the guest has taken the one before. People wait for what they
    /// see; a program that sends a file does not, and a receiver that is full loses what comes.
    fn waits(&self) -> bool {
        true
    }

    /// So much modelled time has been skipped, in which the guest did nothing but wait for a byte. Whoever
    /// answers in the host's time may let it pass there as well, up to the byte.
    fn idle(&mut self, ns: u64) {
        let _ = ns;
    }

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
