//! Headgate ABI 1 for plugins in Rust, without a crate: put this file beside
//! yours.
//!
//!     mod headgate;
//!     use headgate::{Flags, Spans};
//!
//!     headgate::detector!(find);
//!
//!     fn find(text: &[u8], flags: Flags, spans: &mut Spans) {
//!         …
//!         spans.emit(start, end, 0, 1.0);
//!     }
//!
//! A text is valid while the function that got it runs; the buffers are the
//! guest's own and are used again. A panic ends the call, and the host counts it
//! as a trap.

#![allow(dead_code, unused_imports, unused_macros)]

use std::ptr::{addr_of, addr_of_mut};

/// Flags tell of the text around the one that is given.
#[derive(Clone, Copy)]
pub struct Flags(pub u32);

impl Flags {
    /// Other text stands before this one. Some of it is given, as context.
    pub fn before(self) -> bool {
        self.0 & 1 != 0
    }
    /// More text will follow. A match that touches the end must then not be
    /// reported; it will be asked for again.
    pub fn after(self) -> bool {
        self.0 & 2 != 0
    }
    /// The text is a block of code.
    pub fn code(self) -> bool {
        self.0 & 4 != 0
    }
    /// Where the text comes from: see `source`.
    pub fn source(self) -> u8 {
        (self.0 >> 8) as u8
    }
}

/// Where a text comes from.
pub mod source {
    pub const UNKNOWN: u8 = 0;
    pub const SYSTEM: u8 = 1;
    pub const USER: u8 = 2;
    pub const ASSISTANT: u8 = 3;
    pub const TOOL_ARGS: u8 = 4;
    pub const TOOL_RESULT: u8 = 5;
    pub const REASONING: u8 = 6;
    pub const DEFINITION: u8 = 7;
    pub const OTHER: u8 = 8;
}

const MAX_SPANS: usize = 4096;
const OVERFLOW: u16 = 0xFFFF;

#[derive(Clone, Copy)]
#[repr(C)]
struct Span {
    start: u32,
    end: u32,
    label: u16,
    flags: u16,
    score: f32,
}

/// What a detector reports to.
pub struct Spans {
    list: [Span; MAX_SPANS],
    count: usize,
    failed: bool,
}

impl Spans {
    /// Reports the bytes [start, end) of the text, which must lie on the
    /// boundaries of characters. The label counts the manifest's labels from 0,
    /// the score lies between 0 and 1. Spans may come in any order. More than
    /// 4096 are an error, which the host is told of.
    pub fn emit(&mut self, start: usize, end: usize, label: u16, score: f32) {
        if self.count == MAX_SPANS {
            self.list[MAX_SPANS - 1].label = OVERFLOW;
            return;
        }
        let span = Span { start: start as u32, end: end as u32, label, flags: 0, score };
        let mut i = self.count;
        while i > 0 && self.list[i - 1].start > span.start {
            self.list[i] = self.list[i - 1];
            i -= 1;
        }
        self.list[i] = span;
        self.count += 1;
    }

    /// Says that the text could not be judged. The host takes it as a fault.
    pub fn fail(&mut self) {
        self.failed = true;
    }

    fn begin(&mut self) {
        self.count = 0;
        self.failed = false;
    }

    fn packed(&self) -> u64 {
        let bytes = if self.failed { u32::MAX } else { (self.count * std::mem::size_of::<Span>()) as u32 };
        (addr_of!(self.list) as usize as u64) << 32 | bytes as u64
    }
}

/// How important a line of the log is.
#[derive(Clone, Copy)]
pub enum Level {
    Debug = 1,
    Info = 2,
    Warn = 3,
    Error = 4,
}

mod host {
    #[link(wasm_import_module = "headgate")]
    extern "C" {
        pub fn log(level: u32, text: *const u8, len: usize);
        pub fn now_ms() -> i64;
        pub fn random(to: *mut u8, len: usize);
    }
}

/// Writes a line to the gateway's log; the host limits their rate. What a prompt
/// holds does not belong there.
pub fn log(level: Level, text: &str) {
    unsafe { host::log(level as u32, text.as_ptr(), text.len()) }
}

/// The time in milliseconds since 1970. The manifest must ask for the
/// capability now.
pub fn now_ms() -> i64 {
    unsafe { host::now_ms() }
}

/// Fills a buffer with random bytes. The manifest must ask for the capability
/// random.
pub fn random(to: &mut [u8]) {
    unsafe { host::random(to.as_mut_ptr(), to.len()) }
}

/// What the exported functions need. A guest has one thread, and the host calls
/// it once at a time, so there is only ever one reference to each.
pub mod hooks {
    use super::*;

    static mut INPUT: Vec<u8> = Vec::new();
    static mut SPANS: Spans =
        Spans { list: [Span { start: 0, end: 0, label: 0, flags: 0, score: 0.0 }; MAX_SPANS], count: 0, failed: false };

    #[no_mangle]
    extern "C" fn hg_abi_1() -> i32 {
        0
    }

    #[no_mangle]
    extern "C" fn hg_alloc(len: usize) -> *mut u8 {
        let input = unsafe { &mut *addr_of_mut!(INPUT) };
        if input.capacity() < len || input.capacity() == 0 {
            *input = Vec::new();
            if input.try_reserve_exact(len.max(64)).is_err() {
                return std::ptr::null_mut();
            }
        }
        input.as_mut_ptr()
    }

    pub unsafe fn detect(find: fn(&[u8], Flags, &mut Spans), text: *const u8, len: usize, flags: u32) -> u64 {
        let spans = &mut *addr_of_mut!(SPANS);
        spans.begin();
        find(std::slice::from_raw_parts(text, len), Flags(flags), spans);
        spans.packed()
    }

    pub unsafe fn configure(take: fn(&str) -> Result<(), String>, json: *const u8, len: usize) -> i32 {
        let json = std::slice::from_raw_parts(json, len);
        let result = std::str::from_utf8(json).map_err(|e| e.to_string()).and_then(take);
        match result {
            Ok(()) => 0,
            Err(why) => {
                log(Level::Error, &why);
                1
            }
        }
    }
}

/// Names the function that finds: `fn(text: &[u8], flags: Flags, spans: &mut Spans)`.
macro_rules! detector {
    ($find:path) => {
        #[no_mangle]
        pub unsafe extern "C" fn hg_detect(text: *const u8, len: usize, flags: u32) -> u64 {
            $crate::headgate::hooks::detect($find, text, len, flags)
        }
    };
}
pub(crate) use detector;

/// Names the function that takes the settings of the link, as JSON:
/// `fn(json: &str) -> Result<(), String>`. An error refuses the module.
macro_rules! configure {
    ($take:path) => {
        #[no_mangle]
        pub unsafe extern "C" fn hg_configure(json: *const u8, len: usize) -> i32 {
            $crate::headgate::hooks::configure($take, json, len)
        }
    };
}
pub(crate) use configure;
