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

/// Where a text comes from.
pub const Source = enum(u8) { unknown, system, user, assistant, tool_args, tool_result, reasoning, definition, other, _ };

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

const Span = extern struct { start: u32, end: u32, label: u16, flags: u16 = 0, score: f32 };

const max_spans = 4096;
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

    /// Says that the text could not be judged. The host takes it as a fault.
    pub fn fail(s: *Spans) void {
        s.failed = true;
    }
};

/// How important a line of the log is.
pub const Level = enum(u32) { debug = 1, info, warn, err };

const host = struct {
    extern "headgate" fn log(level: u32, text: [*]const u8, len: usize) void;
    extern "headgate" fn now_ms() i64;
    extern "headgate" fn random(to: [*]u8, len: usize) void;
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

/// Names the function that takes the settings of the link, as JSON. An error
/// refuses the module, and its name is logged.
pub fn configure(comptime take: fn (json: []const u8) anyerror!void) void {
    const hook = struct {
        fn set(json: [*]const u8, len: usize) callconv(.c) i32 {
            take(json[0..len]) catch |why| {
                log(.err, @errorName(why));
                return 1;
            };
            return 0;
        }
    };
    @export(&hook.set, .{ .name = "hg_configure" });
}
