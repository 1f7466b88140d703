//! @NAME@ keeps marked text inside the house. A request that holds
//! "[confidential]" is refused; "[internal]" is cut out. Models whose names begin
//! with "local" may read everything.

const std = @import("std");
const hg = @import("headgate");

comptime {
    hg.stage(judge);
}

const confidential = "[confidential]";
const internal = "[internal]";

fn judge(phase: hg.Phase) !void {
    var buffer: [8]u8 = undefined;
    const model = hg.field(.model, &buffer) orelse "";
    if (phase != .request or std.mem.startsWith(u8, model, "local")) return;
    for (0..hg.segments()) |i| {
        const segment = hg.segment(i);
        const text = try segment.read();
        if (std.mem.indexOf(u8, text, confidential) != null) {
            hg.deny("confidential_text", "The request holds text that is marked as confidential.", 0);
            return;
        }
        var at: usize = 0;
        while (std.mem.indexOfPos(u8, text, at, internal)) |found| {
            at = found + internal.len;
            segment.edit(found, at, "");
            hg.annotate("internal_mark", "");
        }
    }
}
