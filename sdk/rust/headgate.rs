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

use std::marker::PhantomData;
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

// abi:begin all: from wasm/abi/description/abi.json by go generate
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

/// Roles of segments.
pub mod role {
    pub const NONE: u8 = 0;
    pub const SYSTEM: u8 = 1;
    pub const USER: u8 = 2;
    pub const ASSISTANT: u8 = 3;
    pub const TOOL: u8 = 4;
}

/// Kinds of segments.
pub mod kind {
    pub const TEXT: u8 = 1;
    pub const TOOL_ARGS: u8 = 2;
    pub const TOOL_RESULT: u8 = 3;
    pub const REASONING: u8 = 4;
    pub const REFUSAL: u8 = 5;
    pub const DEFINITION: u8 = 6;
    pub const OTHER: u8 = 7;
}

/// How important a line of the log is.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Level {
    Debug = 1,
    Info = 2,
    Warn = 3,
    Error = 4,
}

/// When a stage is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Phase {
    Request = 1,
    Target = 2,
    Response = 3,
    StreamEnd = 4,
    Finish = 5,
}

/// Fields of the exchange. The manifest must list those that are asked for.
#[derive(Clone, Copy)]
#[repr(u32)]
#[rustfmt::skip]
pub enum Field {
    Model = 1, Tenant, KeyId, KeyName, User, Dialect, Route, Provider, Target, Region, Stream, MaxTokens, Effort,
    Exchange, Trace, Params, Tools, Metadata, Scopes, Status, Usage, Finish, Digest, Cost, Outcome, Estimate, Messages,
    Images, Task, Complete, Tier, Findings, KeyTags, TenantTags, KeyMetadata, TenantMetadata, KeyExpires, Address,
    Price, Window, ToolTypes, Budgets, Lineage, BareModel, Reserve, InputCount, PromptTokens, Attempts, Headers,
    TokenCap, Places, Format,
}

const NO_VALUE: u32 = 0xFFFFFFFF;
const NOT_GRANTED: u32 = 0xFFFFFFFE;
const UNAVAILABLE: u32 = 0xFFFFFFFD;

/// Added to the milliseconds of deny: the same request can never pass: the client must not send it again.
pub const NO_RETRY: u32 = 0x80000000;

const MAX_SPANS: usize = 4096;

/// Kinds of limits.
pub const RATE: u32 = 1;
pub const CONCURRENT: u32 = 2;
pub const SPEND: u32 = 3;

#[rustfmt::skip]
mod host {
    #[link(wasm_import_module = "headgate")]
    extern "C" {
        /// writes a line to the gateway's log: 1 KiB a line, 10 lines a second. It must not contain
        /// text of the exchange. The host ignores a text outside the memory.
        pub fn log(level: u32, text: *const u8, text_len: usize);
        /// milliseconds since 1970. Needs the capability now.
        pub fn now_ms() -> i64;
        /// fills a buffer with random bytes. The host ignores a buffer outside the memory. Needs
        /// the capability random.
        pub fn random(to: *mut u8, to_cap: usize);
        /// a value of the exchange; NoValue for an id that the host does not know, NotGranted for
        /// one that the guest must not see.
        pub fn field(id: u32, to: *mut u8, to_cap: usize) -> u32;
        /// the number of segments that the guest may see in this call.
        pub fn seg_count() -> u32;
        /// role<<56 | kind<<48 | source<<40 | flags<<32 | length; flag bit 0: continues the segment
        /// before it.
        pub fn seg_info(seg: u32) -> u64;
        /// writes the text of a segment from off on; returns the number of bytes written.
        pub fn seg_read(seg: u32, off: usize, to: *mut u8, to_cap: usize) -> u32;
        /// refuses the exchange; see below.
        pub fn deny(code: *const u8, code_len: usize, message: *const u8, message_len: usize, retry_ms: u32);
        /// answers with this text, in the client's dialect; the provider is not called.
        pub fn respond(text: *const u8, text_len: usize);
        /// answers with a body in the client's dialect, JSON or events; the provider is not called.
        pub fn respond_body(body: *const u8, body_len: usize);
        /// asks the model again, with a message behind the request's; several calls add several
        /// messages.
        pub fn retry(role: u32, text: *const u8, text_len: usize);
        /// records that a rule of the stage applies; the reason explains a denial without a
        /// message.
        pub fn rule(id: *const u8, id_len: usize, reason: *const u8, reason_len: usize);
        /// replaces [start, end) of a segment with a text.
        pub fn edit(seg: u32, start: usize, end: usize, insert: *const u8, insert_len: usize);
        /// replaces [start, end) with a placeholder of a type, such as EMAIL. Needs the capability
        /// redact.
        pub fn redact(seg: u32, start: usize, end: usize, kind: *const u8, kind_len: usize);
        /// replaces a value of the field places, by its index, with a placeholder of its type; 0,
        /// NoValue or NotGranted. Needs the capability redact.
        pub fn redact_found(place: u32) -> u32;
        /// has a streamed answer wait for its end, so that stream_end can still refuse it with a
        /// status.
        pub fn withhold();
        /// requests another model. Needs the capability patch.
        pub fn set_model(model: *const u8, model_len: usize);
        /// limits the answer to n tokens. Needs the capability patch.
        pub fn cap_tokens(n: i64);
        /// adds an alternative: another model, a region or both; the host picks one by weight.
        /// Needs the capability patch.
        pub fn route(model: *const u8, model_len: usize, region: *const u8, region_len: usize, weight: u32);
        /// adds a header of the answer, or a label; see below.
        pub fn annotate(key: *const u8, key_len: usize, value: *const u8, value_len: usize);
        /// keeps up to 4096 bytes for later calls of this exchange; replaces earlier ones.
        pub fn keep_set(from: *const u8, from_len: usize);
        /// returns the kept bytes; 0: none.
        pub fn keep_get(to: *mut u8, to_cap: usize) -> u32;
        /// takes from all limits or from none: a hold, greater than 0; 0, -1 or -2 if nothing was
        /// taken. Needs the capability state.
        pub fn state_take(limits: *mut super::Limit<'static>, n: usize) -> i64;
        /// replaces the units taken with the units used; 0, NoValue or Unavailable. Needs the
        /// capability state.
        pub fn state_settle(hold: i64, used: *const i64, n: usize) -> u32;
        /// a value's full length, NoValue or Unavailable. Needs the capability state.
        pub fn state_get(key: *const u8, key_len: usize, to: *mut u8, to_cap: usize) -> u32;
        /// keeps a value for that long, 0 ms deletes it; 0 or Unavailable. Needs the capability
        /// state.
        pub fn state_put(key: *const u8, key_len: usize, from: *const u8, from_len: usize, ttl_ms: i64) -> u32;
        /// chooses the keys of the calls that follow: a scope that the link grants, or its own keys
        /// if empty; 0 or NotGranted. Needs the capability state.
        pub fn state_scope(scope: *const u8, scope_len: usize) -> u32;
        /// emits the event that a limit of the stage has reached a share of itself; 0 or
        /// Unavailable. Needs the capability notify.
        pub fn threshold(name: *const u8, name_len: usize, percent: u32) -> u32;
        /// calls an upstream that the link grants: status<<32 | length, or a negative result. Needs
        /// the capability call.
        pub fn host_call(upstream: *const u8, upstream_len: usize, path: *const u8, path_len: usize, body: *const u8, body_len: usize) -> i64;
        /// writes the answer of the last host_call from off on; returns the number of bytes
        /// written. Needs the capability call.
        pub fn host_call_read(off: usize, to: *mut u8, to_cap: usize) -> u32;
        /// the value of a placeholder of this caller, in answers only: its full length, NoValue or
        /// Unavailable. Needs the capability restore.
        pub fn restore(token: *const u8, token_len: usize, to: *mut u8, to_cap: usize) -> u32;
        /// has the host keep the answer for body_read in the phase finish, if it has at most max
        /// bytes. Needs the capability body.
        pub fn answer_keep(max: u32);
        /// the body of the request or of the answer, in the client's shape: its full length,
        /// NoValue or NotGranted. Needs the capability body.
        pub fn body_read(to: *mut u8, to_cap: usize) -> u32;
    }
}
// abi:end

/// The first place from `at` on whose byte lies in [low, high]; the text's length when there
/// is none. It looks at sixteen bytes at a time.
#[inline]
pub fn until(text: &[u8], at: usize, low: u8, high: u8) -> usize {
    skip(text, at, low, high, 0)
}

/// The first place from `at` on whose byte does not lie in [low, high].
#[inline]
pub fn past(text: &[u8], at: usize, low: u8, high: u8) -> usize {
    skip(text, at, low, high, 0xFFFF)
}

#[inline]
fn skip(text: &[u8], mut at: usize, low: u8, high: u8, but: u32) -> usize {
    #[cfg(target_feature = "simd128")]
    while at + 16 <= text.len() {
        use std::arch::wasm32::*;
        // Sixteen bytes from `at` on are there.
        let bytes = unsafe { v128_load(text.as_ptr().add(at) as *const v128) };
        let from = i8x16_sub(bytes, u8x16_splat(low));
        let found = i8x16_bitmask(u8x16_le(from, u8x16_splat(high - low))) as u32 ^ but;
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += 16;
    }
    while at < text.len() && (text[at].wrapping_sub(low) <= high - low) == (but != 0) {
        at += 1;
    }
    at
}

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
        let span = Span {
            start: start as u32,
            end: end as u32,
            label,
            flags: 0,
            score,
        };
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

    /// The last word of a call of stream: no match that begins before that place
    /// will be reported any more. Offsets count from there from then on; without it
    /// they count from where the part begins.
    pub fn decided(&mut self, at: usize) {
        if self.count == MAX_SPANS {
            self.list[MAX_SPANS - 1].label = OVERFLOW;
            return;
        }
        let at = at as u32;
        self.list[self.count] = Span {
            start: at,
            end: at,
            label: 0xFFFE,
            flags: 0,
            score: 0.0,
        };
        self.count += 1;
    }

    fn begin(&mut self) {
        self.count = 0;
        self.failed = false;
    }

    fn packed(&self) -> u64 {
        let bytes = if self.failed {
            u32::MAX
        } else {
            (self.count * std::mem::size_of::<Span>()) as u32
        };
        (addr_of!(self.list) as usize as u64) << 32 | bytes as u64
    }
}

/// What a filter of streamed answers is told of a part.
pub enum Stream<'a> {
    /// It begins; where it comes from: see `source`.
    Open(u8),
    /// Text that follows what was shown before.
    Push(&'a [u8]),
    /// It has ended.
    Close,
}

/// What a stage that follows answers is told of a part of one.
pub struct Held<'a> {
    /// Names the part: a choice's text, or the arguments of a tool call.
    pub part: u32,
    /// What is held of it, and what has come behind that.
    pub text: &'a str,
    /// Nothing more comes: nothing can be held any more.
    pub last: bool,
}

impl Held<'_> {
    /// Puts a text in the place of the bytes [start, end), which are not held.
    pub fn edit(&self, start: usize, end: usize, with: &str) {
        unsafe { host::edit(0, start, end, with.as_ptr(), with.len()) }
    }

    /// Puts a placeholder of a type there; the capability redact.
    pub fn redact(&self, start: usize, end: usize, kind: &str) {
        unsafe { host::redact(0, start, end, kind.as_ptr(), kind.len()) }
    }

    /// Where the text comes from: see `source`.
    pub fn source(&self) -> u8 {
        (unsafe { host::seg_info(0) } >> 40) as u8
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

const LEAST_SPECIAL: u32 = UNAVAILABLE;

/// Reads what a host function gives, which says its full length whatever fits.
fn fetch(buffer: &mut Vec<u8>, call: impl Fn(*mut u8, usize) -> u32) -> u32 {
    buffer.resize(buffer.capacity().max(64), 0);
    loop {
        let n = call(buffer.as_mut_ptr(), buffer.len());
        if n >= LEAST_SPECIAL {
            buffer.clear();
            return n;
        }
        if n as usize <= buffer.len() {
            buffer.truncate(n as usize);
            return n;
        }
        buffer.resize(n as usize, 0);
    }
}

/// A field of the exchange; None when it may not be seen. What is not known in
/// this phase is empty. The buffer is used again.
pub fn field(id: Field, buffer: &mut Vec<u8>) -> Option<&str> {
    match fetch(buffer, |to, cap| unsafe { host::field(id as u32, to, cap) }) {
        n if n >= LEAST_SPECIAL => None,
        _ => std::str::from_utf8(buffer).ok(),
    }
}

/// The text of bytes. Those that are not UTF-8 become question marks, so that offsets stay.
fn repair_text(bytes: &mut [u8]) -> &str {
    let mut from = 0;
    while let Err(e) = std::str::from_utf8(&bytes[from..]) {
        let at = from + e.valid_up_to();
        from = e.error_len().map_or(bytes.len(), |n| at + n);
        bytes[at..from].fill(b'?');
    }
    unsafe { std::str::from_utf8_unchecked(bytes) }
}

/// A text that the stage may see in this call.
#[derive(Clone, Copy)]
pub struct Segment {
    pub index: u32,
    /// 1 system, 2 user, 3 assistant, 4 tool.
    pub role: u8,
    /// 1 text, 2 tool arguments, 3 tool result, 4 reasoning, 5 refusal, 6 definition, 7 other.
    pub kind: u8,
    /// See `source`.
    pub source: u8,
    /// Its text goes on where the segment before it ends.
    pub joined: bool,
    /// In bytes.
    pub len: usize,
}

/// The texts that the stage may see in this call.
pub fn segments() -> impl Iterator<Item = Segment> {
    (0..unsafe { host::seg_count() }).map(|index| {
        let p = unsafe { host::seg_info(index) };
        Segment {
            index,
            role: (p >> 56) as u8,
            kind: (p >> 48) as u8,
            source: (p >> 40) as u8,
            joined: p >> 32 & 1 != 0,
            len: p as u32 as usize,
        }
    })
}

impl Segment {
    /// Reads the text. The buffer is used again. Bytes that are not UTF-8 are read as '?'.
    pub fn read<'a>(&self, buffer: &'a mut Vec<u8>) -> Result<&'a str, String> {
        buffer.resize(self.len, 0);
        let n = unsafe { host::seg_read(self.index, 0, buffer.as_mut_ptr(), self.len) };
        buffer.truncate(n as usize);
        Ok(repair_text(buffer))
    }

    /// Puts a placeholder of a type, such as "EMAIL", in the place of the bytes
    /// [start, end). The manifest must ask for the capability redact.
    pub fn redact(&self, start: usize, end: usize, kind: &str) {
        unsafe { host::redact(self.index, start, end, kind.as_ptr(), kind.len()) }
    }

    /// Puts a text in the place of the bytes [start, end). Offsets are those of
    /// the text as it was read: edits do not move each other.
    pub fn edit(&self, start: usize, end: usize, with: &str) {
        unsafe { host::edit(self.index, start, end, with.as_ptr(), with.len()) }
    }
}

/// Refuses the exchange. The code is stable (empty: content_filter), the message
/// is what the client reads. Of deny and respond one, once; edits are then
/// dropped.
pub fn deny(code: &str, message: &str) {
    deny_until(code, message, 0)
}

/// Refuses the exchange and says when the client may come again.
pub fn deny_until(code: &str, message: &str, retry_ms: u32) {
    unsafe {
        host::deny(
            code.as_ptr(),
            code.len(),
            message.as_ptr(),
            message.len(),
            retry_ms,
        )
    }
}

/// Answers the exchange with a text; the provider is not asked.
pub fn respond(text: &str) {
    unsafe { host::respond(text.as_ptr(), text.len()) }
}

/// Answers the exchange with a body in the client's own shape: JSON, or the events of a stream
/// if the client asked for one.
pub fn respond_body(body: &[u8]) {
    unsafe { host::respond_body(body.as_ptr(), body.len()) }
}

/// Asks the model again, with a message behind the request's; in Phase::Response, on a whole or
/// withheld answer. Several calls add several messages. For roles see `role`.
pub fn retry(role: u8, text: &str) {
    unsafe { host::retry(role as u32, text.as_ptr(), text.len()) }
}

/// Records that a rule of the stage applies. The reason of the last one explains a denial
/// without a message.
pub fn rule(id: &str, reason: &str) {
    unsafe { host::rule(id.as_ptr(), id.len(), reason.as_ptr(), reason.len()) }
}

/// Adds an alternative: another model, a region or both. The host picks one by weight; as
/// set_model.
pub fn route(model: &str, region: &str, weight: u32) {
    unsafe { host::route(model.as_ptr(), model.len(), region.as_ptr(), region.len(), weight) }
}

/// Emits the event that a limit of the stage has reached a share of itself; the capability
/// notify. False: no event was emitted.
pub fn threshold(name: &str, percent: u32) -> bool {
    unsafe { host::threshold(name.as_ptr(), name.len(), percent) == 0 }
}

/// Why a call of an upstream gave no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallError {
    NotGranted,
    Limited,
    Failed,
}

/// Calls an upstream that the operator names and grants; the capability call. Gives the status;
/// the answer is in the buffer.
pub fn call(
    upstream: &str,
    path: &str,
    body: &[u8],
    answer: &mut Vec<u8>,
) -> Result<u32, CallError> {
    let r = unsafe {
        host::host_call(
            upstream.as_ptr(),
            upstream.len(),
            path.as_ptr(),
            path.len(),
            body.as_ptr(),
            body.len(),
        )
    };
    answer.clear();
    match r {
        -1 => Err(CallError::NotGranted),
        -2 => Err(CallError::Limited),
        r if r < 0 => Err(CallError::Failed),
        r => {
            answer.resize(r as u32 as usize, 0);
            let n = unsafe { host::host_call_read(0, answer.as_mut_ptr(), answer.len()) };
            answer.truncate(n as usize);
            Ok((r >> 32) as u32)
        }
    }
}

/// Puts a placeholder in the place of a value that an earlier link found, by its place in the list of
/// Field::Places; the capability redact. False: it cannot be taken out, or overlaps another edit.
pub fn redact_found(place: u32) -> bool {
    unsafe { host::redact_found(place) == 0 }
}

/// Has a streamed answer wait for its end; in Phase::Request and Phase::Target.
pub fn withhold() {
    unsafe { host::withhold() }
}

/// The value of a placeholder of the caller, in Phase::Response; the capability restore. None:
/// it is not the caller's.
pub fn restore<'a>(
    token: &str,
    buffer: &'a mut Vec<u8>,
) -> Result<Option<&'a str>, Unavailable> {
    match fetch(buffer, |to, cap| unsafe {
        host::restore(token.as_ptr(), token.len(), to, cap)
    }) {
        UNAVAILABLE => Err(Unavailable),
        n if n >= LEAST_SPECIAL => Ok(None),
        _ => Ok(std::str::from_utf8(buffer).ok()),
    }
}

/// Has the host keep the answer for `body` in Phase::Finish, if it is no longer than `max` bytes;
/// in Phase::Request. The capability body.
pub fn keep_answer(max: u32) {
    unsafe { host::answer_keep(max) }
}

/// The body of the request in the client's shape, and in Phase::Finish that of the kept answer:
/// JSON, or the events of a stream. None: there is none, or texts are hidden from the stage. The
/// buffer is used again.
pub fn body(buffer: &mut Vec<u8>) -> Option<&[u8]> {
    match fetch(buffer, |to, cap| unsafe { host::body_read(to, cap) }) {
        n if n >= LEAST_SPECIAL => None,
        _ => Some(buffer),
    }
}

/// Chooses the keys of the calls of the state that follow: a scope that the link grants, such as
/// "shared:team", or "" for the plugin's own. False: it is not granted.
pub fn scope(word: &str) -> bool {
    unsafe { host::state_scope(word.as_ptr(), word.len()) == 0 }
}

/// Asks for another model, in Phase::Request. The manifest must ask for the capability
/// patch.
pub fn set_model(model: &str) {
    unsafe { host::set_model(model.as_ptr(), model.len()) }
}

/// Limits the tokens of the answer, in Phase::Request; as set_model.
pub fn cap_tokens(n: i64) {
    unsafe { host::cap_tokens(n) }
}

/// Adds a header of the answer (a key that begins with x-), or notes one of the
/// manifest's labels, with a score such as "0.8" or "".
pub fn annotate(key: &str, value: &str) {
    unsafe { host::annotate(key.as_ptr(), key.len(), value.as_ptr(), value.len()) }
}

/// Keeps up to 4096 bytes for the later calls of this exchange.
pub fn keep(bytes: &[u8]) {
    unsafe { host::keep_set(bytes.as_ptr(), bytes.len()) }
}

/// What was kept. The buffer is used again.
pub fn kept(buffer: &mut Vec<u8>) -> &[u8] {
    fetch(buffer, |to, cap| unsafe { host::keep_get(to, cap) });
    buffer
}

/// One limit and what the exchange wants of it. docs/plugin-abi.md tells what each
/// field means; times are milliseconds. The last five are results.
#[derive(Clone, Copy, Default)]
#[repr(C, align(8))]
pub struct Limit<'a> {
    pub kind: u32,
    pub flags: u32,
    key: usize,
    key_len: usize,
    pub cost: i64,
    pub max: i64,
    pub period: i64,
    pub burst: i64,
    pub ends: i64,
    pub left: i64,
    pub spent: i64,
    pub wait: i64,
    pub reset: i64,
    reserved: i64,
    of: PhantomData<&'a str>,
}

impl<'a> Limit<'a> {
    /// Asks for so many units of so many. Set the other fields as the kind needs them.
    pub fn new(kind: u32, key: &'a str, cost: i64, max: i64) -> Limit<'a> {
        Limit {
            kind,
            key: key.as_ptr() as usize,
            key_len: key.len(),
            cost,
            max,
            ..Limit::default()
        }
    }

    /// Of a limit that was asked for: there was no room.
    pub fn short(&self) -> bool {
        self.flags & 1 != 0
    }
}

/// What became of a take.
pub enum Taken {
    Hold(i64),
    NoRoom,
    Unavailable,
    /// The plugin has reached the limit of counters.
    Full,
}

/// Takes from all limits or from none. Needs the capability state, as do the
/// functions below.
pub fn take(limits: &mut [Limit]) -> Taken {
    match unsafe { host::state_take(limits.as_mut_ptr().cast(), limits.len()) } {
        0 => Taken::NoRoom,
        hold if hold > 0 => Taken::Hold(hold),
        -2 => Taken::Full,
        _ => Taken::Unavailable,
    }
}

/// Puts what was really used, one number for each limit, in the place of what was
/// taken; false when it was settled before or the store did not answer.
pub fn settle(hold: i64, used: &[i64]) -> bool {
    unsafe { host::state_settle(hold, used.as_ptr(), used.len()) == 0 }
}

/// The store of values did not answer.
pub struct Unavailable;

/// A value that was put; None when there is none. The buffer is used again.
pub fn get<'a>(key: &str, buffer: &'a mut Vec<u8>) -> Result<Option<&'a [u8]>, Unavailable> {
    match fetch(buffer, |to, cap| unsafe {
        host::state_get(key.as_ptr(), key.len(), to, cap)
    }) {
        NO_VALUE => Ok(None),
        UNAVAILABLE => Err(Unavailable),
        _ => Ok(Some(buffer)),
    }
}

/// Keeps a value for so many milliseconds; 0 forgets it.
pub fn put(key: &str, value: &[u8], ttl_ms: i64) -> Result<(), Unavailable> {
    match unsafe { host::state_put(key.as_ptr(), key.len(), value.as_ptr(), value.len(), ttl_ms) } {
        0 => Ok(()),
        _ => Err(Unavailable),
    }
}

/// What the exported functions need. A guest has one thread, and the host calls
/// it once at a time, so there is only ever one reference to each.
pub mod hooks {
    use super::*;

    static mut INPUT: Vec<u8> = Vec::new();
    static mut SPANS: Spans = Spans {
        list: [Span {
            start: 0,
            end: 0,
            label: 0,
            flags: 0,
            score: 0.0,
        }; MAX_SPANS],
        count: 0,
        failed: false,
    };

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

    pub unsafe fn detect(
        find: fn(&[u8], Flags, &mut Spans),
        text: *const u8,
        len: usize,
        flags: u32,
    ) -> u64 {
        let spans = &mut *addr_of_mut!(SPANS);
        spans.begin();
        find(std::slice::from_raw_parts(text, len), Flags(flags), spans);
        spans.packed()
    }

    pub unsafe fn stream(
        follow: fn(u32, Stream, &mut Spans) -> bool,
        part: u32,
        text: *const u8,
        len: usize,
        flags: u32,
    ) -> u64 {
        let spans = &mut *addr_of_mut!(SPANS);
        spans.begin();
        let operation = match flags & 0xF {
            1 => Stream::Open((flags >> 8) as u8),
            2 => Stream::Push(std::slice::from_raw_parts(text, len)),
            3 => Stream::Close,
            _ => return u32::MAX as u64,
        };
        let wanted = follow(part, operation, spans);
        match flags & 0xF {
            1 if spans.failed => u32::MAX as u64,
            1 => !wanted as u64,
            _ => spans.packed(),
        }
    }

    static mut BUFFER: Vec<u8> = Vec::new();

    pub unsafe fn stage(judge: fn(Phase, &mut Vec<u8>) -> Result<(), String>, phase: u32) -> i32 {
        let phase = match phase {
            1 => Phase::Request,
            2 => Phase::Target,
            3 => Phase::Response,
            4 => Phase::StreamEnd,
            5 => Phase::Finish,
            _ => return 1,
        };
        match judge(phase, &mut *addr_of_mut!(BUFFER)) {
            Ok(()) => 0,
            Err(why) => {
                log(Level::Error, &why);
                1
            }
        }
    }

    pub unsafe fn filter(
        follow: fn(Held) -> Result<usize, String>,
        part: u32,
        flags: u32,
    ) -> u64 {
        if flags & 0xF == 1 {
            return 0;
        }
        let buffer = &mut *addr_of_mut!(BUFFER);
        buffer.resize(host::seg_info(0) as u32 as usize, 0);
        host::seg_read(0, 0, buffer.as_mut_ptr(), buffer.len());
        let last = flags & 0xF == 3;
        match follow(Held { part, text: repair_text(buffer), last }) {
            Ok(hold) => hold as u32 as u64,
            Err(why) => {
                log(Level::Error, &why);
                u32::MAX as u64
            }
        }
    }

    pub unsafe fn configure(
        take: fn(&str) -> Result<(), String>,
        json: *const u8,
        len: usize,
    ) -> i32 {
        let json = std::slice::from_raw_parts(json, len);
        let result = std::str::from_utf8(json)
            .map_err(|e| e.to_string())
            .and_then(take);
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

/// Names a function that follows streamed answers, on an instance of its own for
/// each: `fn(part: u32, told: Stream, spans: &mut Spans) -> bool`. It reports each
/// match once. What it gives counts for Stream::Open alone: whether it wants to see
/// the part. A detector needs detector! besides, for whole texts.
macro_rules! stream {
    ($follow:path) => {
        #[no_mangle]
        pub unsafe extern "C" fn hg_stream(
            part: u32,
            text: *const u8,
            len: usize,
            flags: u32,
        ) -> u64 {
            $crate::headgate::hooks::stream($follow, part, text, len, flags)
        }
    };
}
pub(crate) use stream;

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

/// Names the function that judges: `fn(phase: Phase, buffer: &mut Vec<u8>) -> Result<(), String>`.
/// It says its verdict through deny, respond, edit and annotate; none of them
/// called, the exchange passes. An error is a fault of the stage. The buffer is
/// kept from call to call, for texts that are read.
macro_rules! stage {
    ($judge:path) => {
        #[no_mangle]
        pub unsafe extern "C" fn hg_stage(phase: u32) -> i32 {
            $crate::headgate::hooks::stage($judge, phase)
        }
    };
}
pub(crate) use stage;

/// Names the function with which a stage follows answers, on an instance of its own
/// for each that is streamed: `fn(held: Held) -> Result<usize, String>`. It gives how
/// many bytes at the end of the text must wait for more. stage! is needed for other
/// phases alone.
macro_rules! filter {
    ($follow:path) => {
        #[no_mangle]
        pub unsafe extern "C" fn hg_stream(part: u32, _: *const u8, _: usize, flags: u32) -> u64 {
            $crate::headgate::hooks::filter($follow, part, flags)
        }
    };
}
pub(crate) use filter;
