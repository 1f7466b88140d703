//! Headgate ABI 1 for plugins in Zig 0.16.
//!
//!     const hg = @import("headgate");
//!
//!     comptime {
//!         hg.detector(find);
//!     }
//!
//!     fn find(text: []const u8, flags: hg.Flags, spans: *hg.Spans) void {
//!         …
//!         spans.emit(start, end, 0, 1);
//!     }
//!
//! A text is valid while the function that got it runs; the buffers are the
//! guest's own and are used again. There is no free. A panic ends the call, and
//! the host counts it as a trap.

const std = @import("std");

// abi:begin all: from wasm/abi/description/abi.json by go generate
/// Where a text comes from.
pub const Source = enum(u8) { unknown, system, user, assistant, tool_args, tool_result, reasoning, definition, other, _ };

/// Roles of segments.
pub const Role = enum(u8) { none, system, user, assistant, tool, _ };

/// Kinds of segments.
pub const Kind = enum(u8) { text = 1, tool_args, tool_result, reasoning, refusal, definition, other, _ };

/// How important a line of the log is.
pub const Level = enum(u32) { debug = 1, info, warn, err };

/// When a stage is called.
pub const Phase = enum(u32) { request = 1, target, response, stream_end, finish };

/// Kinds of limits.
pub const LimitKind = enum(u32) { rate = 1, concurrent, spend };

/// Fields of the exchange. The manifest must list those that are asked for.
pub const Field = enum(u32) {
    // zig fmt: off
    model = 1, tenant, key_id, key_name, user, dialect, route, provider, target, region, stream, max_tokens, effort,
    exchange, trace, params, tools, metadata, scopes, status, usage, finish, digest, cost, outcome, estimate, messages,
    images, task, complete, tier, findings, key_tags, tenant_tags, key_metadata, tenant_metadata, key_expires, address,
    price, window, tool_types, budgets, lineage, bare_model, reserve, input_count, prompt_tokens, attempts, headers,
    token_cap, places, format,
    // zig fmt: on
};

const no_value = 0xFFFFFFFF;
const not_granted = 0xFFFFFFFE;
const unavailable = 0xFFFFFFFD;

/// Added to the milliseconds of deny: the same request can never pass: the client must not send it again.
pub const no_retry: u32 = 0x80000000;

const max_spans = 4096;

const host = struct {
    /// writes a line to the gateway's log: 1 KiB a line, 10 lines a second. It must not contain
    /// text of the exchange. The host ignores a text outside the memory.
    extern "headgate" fn log(level: u32, text: [*]const u8, text_len: usize) void;
    /// milliseconds since 1970. Needs the capability now.
    extern "headgate" fn now_ms() i64;
    /// fills a buffer with random bytes. The host ignores a buffer outside the memory. Needs the
    /// capability random.
    extern "headgate" fn random(to: [*]u8, to_cap: usize) void;
    /// a value of the exchange; NoValue for an id that the host does not know, NotGranted for one
    /// that the guest must not see.
    extern "headgate" fn field(id: u32, to: [*]u8, to_cap: usize) u32;
    /// the number of segments that the guest may see in this call.
    extern "headgate" fn seg_count() u32;
    /// role<<56 | kind<<48 | source<<40 | flags<<32 | length; flag bit 0: continues the segment
    /// before it.
    extern "headgate" fn seg_info(seg: u32) u64;
    /// writes the text of a segment from off on; returns the number of bytes written.
    extern "headgate" fn seg_read(seg: u32, off: usize, to: [*]u8, to_cap: usize) u32;
    /// refuses the exchange; see below.
    extern "headgate" fn deny(code: [*]const u8, code_len: usize, message: [*]const u8, message_len: usize, retry_ms: u32) void;
    /// answers with this text, in the client's dialect; the provider is not called.
    extern "headgate" fn respond(text: [*]const u8, text_len: usize) void;
    /// answers with a body in the client's dialect, JSON or events; the provider is not called.
    extern "headgate" fn respond_body(body: [*]const u8, body_len: usize) void;
    /// asks the model again, with a message behind the request's; several calls add several
    /// messages.
    extern "headgate" fn retry(role: u32, text: [*]const u8, text_len: usize) void;
    /// records that a rule of the stage applies; the reason explains a denial without a message.
    extern "headgate" fn rule(id: [*]const u8, id_len: usize, reason: [*]const u8, reason_len: usize) void;
    /// replaces [start, end) of a segment with a text.
    extern "headgate" fn edit(seg: u32, start: usize, end: usize, insert: [*]const u8, insert_len: usize) void;
    /// replaces [start, end) with a placeholder of a type, such as EMAIL. Needs the capability
    /// redact.
    extern "headgate" fn redact(seg: u32, start: usize, end: usize, kind: [*]const u8, kind_len: usize) void;
    /// replaces a value of the field places, by its index, with a placeholder of its type; 0,
    /// NoValue or NotGranted. Needs the capability redact.
    extern "headgate" fn redact_found(place: u32) u32;
    /// has a streamed answer wait for its end, so that stream_end can still refuse it with a
    /// status.
    extern "headgate" fn withhold() void;
    /// requests another model. Needs the capability patch.
    extern "headgate" fn set_model(model: [*]const u8, model_len: usize) void;
    /// limits the answer to n tokens. Needs the capability patch.
    extern "headgate" fn cap_tokens(n: i64) void;
    /// adds an alternative: another model, a region or both; the host picks one by weight. Needs
    /// the capability patch.
    extern "headgate" fn route(model: [*]const u8, model_len: usize, region: [*]const u8, region_len: usize, weight: u32) void;
    /// adds a header of the answer, or a label; see below.
    extern "headgate" fn annotate(key: [*]const u8, key_len: usize, value: [*]const u8, value_len: usize) void;
    /// keeps up to 4096 bytes for later calls of this exchange; replaces earlier ones.
    extern "headgate" fn keep_set(from: [*]const u8, from_len: usize) void;
    /// returns the kept bytes; 0: none.
    extern "headgate" fn keep_get(to: [*]u8, to_cap: usize) u32;
    /// takes from all limits or from none: a hold, greater than 0; 0, -1 or -2 if nothing was
    /// taken. Needs the capability state.
    extern "headgate" fn state_take(limits: [*]Limit, n: usize) i64;
    /// replaces the units taken with the units used; 0, NoValue or Unavailable. Needs the
    /// capability state.
    extern "headgate" fn state_settle(hold: i64, used: [*]const i64, n: usize) u32;
    /// a value's full length, NoValue or Unavailable. Needs the capability state.
    extern "headgate" fn state_get(key: [*]const u8, key_len: usize, to: [*]u8, to_cap: usize) u32;
    /// keeps a value for that long, 0 ms deletes it; 0 or Unavailable. Needs the capability state.
    extern "headgate" fn state_put(key: [*]const u8, key_len: usize, from: [*]const u8, from_len: usize, ttl_ms: i64) u32;
    /// chooses the keys of the calls that follow: a scope that the link grants, or its own keys if
    /// empty; 0 or NotGranted. Needs the capability state.
    extern "headgate" fn state_scope(scope: [*]const u8, scope_len: usize) u32;
    /// emits the event that a limit of the stage has reached a share of itself; 0 or Unavailable.
    /// Needs the capability notify.
    extern "headgate" fn threshold(name: [*]const u8, name_len: usize, percent: u32) u32;
    /// calls an upstream that the link grants: status<<32 | length, or a negative result. Needs the
    /// capability call.
    extern "headgate" fn host_call(upstream: [*]const u8, upstream_len: usize, path: [*]const u8, path_len: usize, body: [*]const u8, body_len: usize) i64;
    /// writes the answer of the last host_call from off on; returns the number of bytes written.
    /// Needs the capability call.
    extern "headgate" fn host_call_read(off: usize, to: [*]u8, to_cap: usize) u32;
    /// the value of a placeholder of this caller, in answers only: its full length, NoValue or
    /// Unavailable. Needs the capability restore.
    extern "headgate" fn restore(token: [*]const u8, token_len: usize, to: [*]u8, to_cap: usize) u32;
    /// has the host keep the answer for body_read in the phase finish, if it has at most max bytes.
    /// Needs the capability body.
    extern "headgate" fn answer_keep(max: u32) void;
    /// the body of the request or of the answer, in the client's shape: its full length, NoValue or
    /// NotGranted. Needs the capability body.
    extern "headgate" fn body_read(to: [*]u8, to_cap: usize) u32;
};
// abi:end

/// Flags tell of the text around the one that is given.
pub const Flags = packed struct(u32) {
    /// Other text stands before this one. Some of it is given, as context.
    before: bool,
    /// More text will follow. A match that touches the end must then not be
    /// reported; it will be asked for again.
    after: bool,
    /// The text is a block of code.
    code: bool,
    reserved: u5 = 0,
    source: Source,
    more: u16 = 0,
};

/// The first place from `at` on whose byte lies in [low, high]; the text's length when
/// there is none. It looks at sixteen bytes at a time.
pub fn until(text: []const u8, at: usize, low: u8, high: u8) usize {
    return skip(text, at, low, high, 0);
}

/// The first place from `at` on whose byte does not lie in [low, high].
pub fn past(text: []const u8, at: usize, low: u8, high: u8) usize {
    return skip(text, at, low, high, 0xFFFF);
}

inline fn skip(text: []const u8, from: usize, low: u8, high: u8, but: u16) usize {
    const Block = @Vector(16, u8);
    var at = from;
    while (at + 16 <= text.len) : (at += 16) {
        const block: Block = text[at..][0..16].*;
        const in = block -% @as(Block, @splat(low)) <= @as(Block, @splat(high - low));
        const found = @as(u16, @bitCast(in)) ^ but;
        if (found != 0) return at + @ctz(found);
    }
    while (at < text.len and (text[at] -% low <= high - low) == (but != 0)) at += 1;
    return at;
}

const Span = extern struct { start: u32, end: u32, label: u16, flags: u16 = 0, score: f32 };

const overflow = 0xFFFF;

/// What a detector reports to.
pub const Spans = struct {
    list: [max_spans]Span,
    count: usize,
    failed: bool,

    /// Reports the bytes [start, end) of the text, which must lie on the
    /// boundaries of characters. The label counts the manifest's labels from 0,
    /// the score lies between 0 and 1. Spans may come in any order. More than
    /// 4096 are an error, which the host is told of.
    pub fn emit(s: *Spans, start: usize, end: usize, label: u16, score: f32) void {
        if (s.count == max_spans) {
            s.list[max_spans - 1].label = overflow;
            return;
        }
        var i = s.count;
        while (i > 0 and s.list[i - 1].start > start) : (i -= 1) s.list[i] = s.list[i - 1];
        s.list[i] = .{ .start = @intCast(start), .end = @intCast(end), .label = label, .score = score };
        s.count += 1;
    }

    /// The last word of a call of stream: no match that begins before that place
    /// will be reported any more. Offsets count from there from then on; without it
    /// they count from where the part begins.
    pub fn decided(s: *Spans, at: usize) void {
        if (s.count == max_spans) {
            s.list[max_spans - 1].label = overflow;
            return;
        }
        s.list[s.count] = .{ .start = @intCast(at), .end = @intCast(at), .label = 0xFFFE, .score = 0 };
        s.count += 1;
    }

    /// Says that the text could not be judged. The host takes it as a fault.
    pub fn fail(s: *Spans) void {
        s.failed = true;
    }
};

/// Writes a line to the gateway's log; the host limits their rate. What a prompt
/// holds does not belong there.
pub fn log(level: Level, text: []const u8) void {
    host.log(@intFromEnum(level), text.ptr, text.len);
}

/// The time in milliseconds since 1970. The manifest must ask for the
/// capability now.
pub fn now_ms() i64 {
    return host.now_ms();
}

/// Fills a buffer with random bytes. The manifest must ask for the capability
/// random.
pub fn random(to: []u8) void {
    host.random(to.ptr, to.len);
}

/// The allocator of the guest: for what is kept from the settings.
pub const allocator = std.heap.wasm_allocator;

var input: []u8 = &.{};

export fn hg_abi_1() i32 {
    return 0;
}

export fn hg_alloc(len: usize) ?[*]u8 {
    if (input.len < len or input.len == 0) {
        allocator.free(input);
        input = &.{};
        input = allocator.alloc(u8, @max(len, 64)) catch return null;
    }
    return input.ptr;
}

var spans: Spans = undefined;

/// Names the function that finds.
pub fn detector(comptime find: fn (text: []const u8, flags: Flags, spans: *Spans) void) void {
    const hook = struct {
        fn detect(text: [*]const u8, len: usize, flags: u32) callconv(.c) u64 {
            spans.count = 0;
            spans.failed = false;
            find(text[0..len], @bitCast(flags), &spans);
            const bytes: u32 = if (spans.failed) 0xFFFFFFFF else @intCast(spans.count * @sizeOf(Span));
            return @as(u64, @intFromPtr(&spans.list)) << 32 | bytes;
        }
    };
    @export(&hook.detect, .{ .name = "hg_detect" });
}

/// What a filter of streamed answers is told of a part: it begins, and where it
/// comes from; text that follows what was shown before; it has ended.
pub const Stream = union(enum) { open: Source, push: []const u8, close };

/// Names a function that follows streamed answers, on an instance of its own for
/// each. It reports each match once. What it gives counts for open alone: whether it
/// wants to see the part. A detector needs detector besides, for whole texts.
pub fn stream(comptime follow: fn (part: u32, told: Stream, spans: *Spans) bool) void {
    const hook = struct {
        fn told(part: u32, text: [*]const u8, len: usize, flags: u32) callconv(.c) u64 {
            spans.count = 0;
            spans.failed = false;
            const operation: Stream = switch (flags & 0xF) {
                1 => .{ .open = @enumFromInt(@as(u8, @truncate(flags >> 8))) },
                2 => .{ .push = text[0..len] },
                3 => .close,
                else => return 0xFFFFFFFF,
            };
            const wanted = follow(part, operation, &spans);
            if (spans.failed) return 0xFFFFFFFF;
            if (operation == .open) return @intFromBool(!wanted);
            return @as(u64, @intFromPtr(&spans.list)) << 32 | spans.count * @sizeOf(Span);
        }
    };
    @export(&hook.told, .{ .name = "hg_stream" });
}

/// Names the function that takes the settings of the link, as JSON. An error
/// refuses the module, and its name is logged.
pub fn configure(comptime accept: fn (json: []const u8) anyerror!void) void {
    const hook = struct {
        fn set(json: [*]const u8, len: usize) callconv(.c) i32 {
            accept(json[0..len]) catch |why| {
                log(.err, @errorName(why));
                return 1;
            };
            return 0;
        }
    };
    @export(&hook.set, .{ .name = "hg_configure" });
}

// Stages.

/// Names the function that judges. It says its verdict through deny, respond,
/// edit and annotate; none of them called, the exchange passes. An error is a
/// fault of the stage, and its name is logged.
pub fn stage(comptime judge: fn (phase: Phase) anyerror!void) void {
    const hook = struct {
        fn ask(phase: u32) callconv(.c) i32 {
            if (phase < 1 or phase > 5) return 1;
            judge(@enumFromInt(phase)) catch |why| {
                log(.err, @errorName(why));
                return 1;
            };
            return 0;
        }
    };
    @export(&hook.ask, .{ .name = "hg_stage" });
}

/// What a stage that follows answers is told of a part of one.
pub const Held = struct {
    /// Names the part: a choice's text, or the arguments of a tool call.
    part: u32,
    /// What is held of it, and what has come behind that.
    text: []const u8,
    /// Nothing more comes: nothing can be held any more.
    last: bool,
    source: Source,

    /// Puts a placeholder of a type there; the capability redact.
    pub fn redact(_: Held, start: usize, end: usize, kind: []const u8) void {
        host.redact(0, start, end, kind.ptr, kind.len);
    }

    /// Puts a text in the place of the bytes [start, end), which are not held.
    pub fn edit(_: Held, start: usize, end: usize, with: []const u8) void {
        host.edit(0, start, end, with.ptr, with.len);
    }
};

/// Names the function with which a stage follows answers, on an instance of its own for
/// each that is streamed. It gives how many bytes at the end of the text must wait for
/// more. stage is needed for other phases alone.
pub fn filter(comptime follow: fn (held: Held) anyerror!usize) void {
    const hook = struct {
        fn told(part: u32, _: [*]const u8, _: usize, flags: u32) callconv(.c) u64 {
            if (flags & 0xF == 1) return 0;
            const hold = judge(part, flags) catch |why| {
                log(.err, @errorName(why));
                return 0xFFFFFFFF;
            };
            return @as(u32, @intCast(hold));
        }

        fn judge(part: u32, flags: u32) anyerror!usize {
            const s = segment(0);
            return follow(.{ .part = part, .text = try s.read(), .last = flags & 0xF == 3, .source = s.source });
        }
    };
    @export(&hook.told, .{ .name = "hg_stream" });
}

const least_special = unavailable;

/// A field of the exchange, at most as much of it as fits; null when it may not be
/// seen. What is not known in this phase is empty.
pub fn field(id: Field, to: []u8) ?[]u8 {
    const n = host.field(@intFromEnum(id), to.ptr, to.len);
    if (n >= least_special) return null;
    return to[0..@min(n, to.len)];
}

/// A text that the stage may see in this call.
pub const Segment = struct {
    index: u32,
    /// 1 system, 2 user, 3 assistant, 4 tool.
    role: u8,
    /// 1 text, 2 tool arguments, 3 tool result, 4 reasoning, 5 refusal, 6 definition, 7 other.
    kind: u8,
    source: Source,
    /// Its text goes on where the segment before it ends.
    joined: bool,
    /// In bytes.
    len: usize,

    /// Reads the text. It is valid until the next text is read.
    pub fn read(s: Segment) error{OutOfMemory}![]const u8 {
        if (texts.len < s.len) {
            allocator.free(texts);
            texts = &.{};
            texts = try allocator.alloc(u8, s.len);
        }
        return texts[0..host.seg_read(s.index, 0, texts.ptr, s.len)];
    }

    /// Puts a placeholder of a type, such as "EMAIL", in the place of the bytes
    /// [start, end). The manifest must ask for the capability redact.
    pub fn redact(s: Segment, start: usize, end: usize, kind: []const u8) void {
        host.redact(s.index, start, end, kind.ptr, kind.len);
    }

    /// Puts a text in the place of the bytes [start, end). Offsets are those of
    /// the text as it was read: edits do not move each other.
    pub fn edit(s: Segment, start: usize, end: usize, with: []const u8) void {
        host.edit(s.index, start, end, with.ptr, with.len);
    }
};

var texts: []u8 = &.{};

/// How many texts the stage may see in this call.
pub fn segments() u32 {
    return host.seg_count();
}

pub fn segment(i: usize) Segment {
    const index: u32 = @intCast(i);
    const p = host.seg_info(index);
    return .{
        .index = index,
        .role = @truncate(p >> 56),
        .kind = @truncate(p >> 48),
        .source = @enumFromInt(@as(u8, @truncate(p >> 40))),
        .joined = p >> 32 & 1 != 0,
        .len = @as(u32, @truncate(p)),
    };
}

/// Refuses the exchange. The code is stable (empty: content_filter), the message
/// is what the client reads, retry_ms says when it may come again (0: not said).
/// Of deny and respond one, once; edits are then dropped.
pub fn deny(code: []const u8, message: []const u8, retry_ms: u32) void {
    host.deny(code.ptr, code.len, message.ptr, message.len, retry_ms);
}

/// Answers the exchange with a text; the provider is not asked.
pub fn respond(answer: []const u8) void {
    host.respond(answer.ptr, answer.len);
}

/// Answers the exchange with a body in the client's own shape: JSON, or the events of a
/// stream if the client asked for one.
pub fn respond_body(body: []const u8) void {
    host.respond_body(body.ptr, body.len);
}

/// Asks the model again, with a message behind the request's; in the phase response, on a
/// whole or withheld answer. Several calls add several messages.
pub fn retry(role: Role, message: []const u8) void {
    host.retry(@intFromEnum(role), message.ptr, message.len);
}

/// Records that a rule of the stage applies. The reason of the last one explains a denial
/// without a message.
pub fn rule(id: []const u8, reason: []const u8) void {
    host.rule(id.ptr, id.len, reason.ptr, reason.len);
}

/// Adds an alternative: another model, a region or both. The host picks one by weight; as
/// set_model.
pub fn route(model: []const u8, region: []const u8, weight: u32) void {
    host.route(model.ptr, model.len, region.ptr, region.len, weight);
}

/// Emits the event that a limit of the stage has reached a share of itself; the capability
/// notify. False: no event was emitted.
pub fn threshold(name: []const u8, percent: u32) bool {
    return host.threshold(name.ptr, name.len, percent) == 0;
}

/// Why a call of an upstream gave no answer.
pub const CallError = error{ NotGranted, Limited, Failed };

/// The answer of an upstream: its status, and as much of its body as fits.
pub const Answer = struct { status: u32, body: []u8 };

/// Calls an upstream that the operator names and grants; the capability call.
pub fn call(upstream: []const u8, path: []const u8, body: []const u8, to: []u8) CallError!Answer {
    const r = host.host_call(upstream.ptr, upstream.len, path.ptr, path.len, body.ptr, body.len);
    if (r == -1) return error.NotGranted;
    if (r == -2) return error.Limited;
    if (r < 0) return error.Failed;
    return .{ .status = @intCast(r >> 32), .body = to[0..host.host_call_read(0, to.ptr, to.len)] };
}

/// The value of a placeholder of the caller, in the phase response, at most as much of it
/// as fits; null when it is not the caller's. The capability restore.
pub fn restore(token: []const u8, to: []u8) Unavailable!?[]u8 {
    const n = host.restore(token.ptr, token.len, to.ptr, to.len);
    if (n == unavailable) return error.Unavailable;
    if (n >= least_special) return null;
    return to[0..@min(n, to.len)];
}

/// Chooses the keys of the calls of the state that follow: a scope that the link grants,
/// such as "shared:team", or "" for the plugin's own. False: it is not granted.
pub fn scope(word: []const u8) bool {
    return host.state_scope(word.ptr, word.len) == 0;
}

/// Asks for another model, in the phase request. The manifest must ask for the
/// capability patch.
pub fn set_model(model: []const u8) void {
    host.set_model(model.ptr, model.len);
}

/// Limits the tokens of the answer, in the phase request; as set_model.
pub fn cap_tokens(n: i64) void {
    host.cap_tokens(n);
}

/// Adds a header of the answer (a key that begins with x-), or notes one of the
/// manifest's labels, with a score such as "0.8" or "".
pub fn annotate(key: []const u8, value: []const u8) void {
    host.annotate(key.ptr, key.len, value.ptr, value.len);
}

/// Keeps up to 4096 bytes for the later calls of this exchange.
pub fn keep(bytes: []const u8) void {
    host.keep_set(bytes.ptr, bytes.len);
}

/// What was kept, at most as much of it as fits.
pub fn kept(to: []u8) []u8 {
    return to[0..@min(host.keep_get(to.ptr, to.len), to.len)];
}

// Capability state.

/// Has the host keep the answer for body() in the phase finish, if it is no longer than max bytes;
/// in the phase request. The capability body.
pub fn keepAnswer(max: u32) void {
    host.answer_keep(max);
}

/// The body of the request in the client's shape, and in the phase finish that of the kept answer;
/// null when there is none, texts are hidden from the stage, or the buffer is too small.
pub fn read_body(to: []u8) ?[]u8 {
    const n = host.body_read(to.ptr, to.len);
    return if (n > to.len) null else to[0..n];
}

/// One limit and what the exchange wants of it. docs/plugin-abi.md tells what each
/// field means; times are milliseconds. Those from left on are results.
pub const Limit = extern struct {
    kind: LimitKind,
    flags: u32 = 0,
    key: [*]const u8,
    key_len: usize,
    cost: i64,
    max: i64,
    period: i64 = 0,
    burst: i64 = 0,
    ends: i64 = 0,
    left: i64 = 0,
    spent: i64 = 0,
    wait: i64 = 0,
    reset: i64 = 0,
    reserved: i64 = 0,

    /// Of a limit that was asked for: there was no room.
    pub fn short(l: Limit) bool {
        return l.flags & 1 != 0;
    }
};

comptime {
    std.debug.assert(@sizeOf(Limit) == 96);
}

pub const Unavailable = error{Unavailable};

/// Full: the plugin has reached the limit of counters.
pub const Taking = error{ Unavailable, Full };

/// Takes from all limits or from none: a hold, or null when one has no room.
pub fn take(limits: []Limit) Taking!?i64 {
    const hold = host.state_take(limits.ptr, limits.len);
    if (hold == -2) return error.Full;
    if (hold < 0) return error.Unavailable;
    return if (hold == 0) null else hold;
}

/// Puts what was really used, one number for each limit, in the place of what was
/// taken; false when it was settled before or the store did not answer.
pub fn settle(hold: i64, used: []const i64) bool {
    return host.state_settle(hold, used.ptr, used.len) == 0;
}

/// A value that was put, at most as much of it as fits; null when there is none.
pub fn get(key: []const u8, to: []u8) Unavailable!?[]u8 {
    const n = host.state_get(key.ptr, key.len, to.ptr, to.len);
    if (n == no_value) return null;
    if (n >= least_special) return error.Unavailable;
    return to[0..@min(n, to.len)];
}

/// Keeps a value for so many milliseconds; 0 forgets it.
pub fn put(key: []const u8, value: []const u8, ttl_ms: i64) Unavailable!void {
    if (host.state_put(key.ptr, key.len, value.ptr, value.len, ttl_ms) != 0) return error.Unavailable;
}
