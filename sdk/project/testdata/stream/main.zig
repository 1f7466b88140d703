const std = @import("std");
const hg = @import("headgate");

comptime {
    hg.detector(find);
    hg.stream(follow);
}

const word = "secret";
var parts: [8]struct { part: u32 = 0, seen: usize = 0 } = @splat(.{});

fn find(text: []const u8, flags: hg.Flags, spans: *hg.Spans) void {
    var at: usize = 0;
    while (std.mem.indexOfPos(u8, text, at, word)) |start| {
        at = start + 6;
        if (at < text.len or !flags.after) spans.emit(start, at, 0, 1);
    }
}

fn follow(part: u32, told: hg.Stream, spans: *hg.Spans) bool {
    for (&parts) |*p| {
        if (p.part != if (told == .open) 0 else part) continue;
        switch (told) {
            .open => p.* = .{ .part = part },
            .close => p.* = .{},
            .push => |text| {
                const held = p.seen;
                for (text, 0..) |c, k| {
                    p.seen = if (c == word[p.seen]) p.seen + 1 else @intFromBool(c == 's');
                    if (p.seen < 6) continue;
                    spans.emit(held + k + 1 - 6, held + k + 1, 0, 1);
                    p.seen = 0;
                }
                if (held + text.len > p.seen) spans.decided(held + text.len - p.seen);
            },
        }
        return true;
    }
    return false;
}
