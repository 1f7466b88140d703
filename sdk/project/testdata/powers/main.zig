const std = @import("std");
const hg = @import("headgate");

comptime {
    hg.stage(judge);
}

var buffer: [64]u8 = undefined;

fn judge(phase: hg.Phase) !void {
    if (phase == .response) {
        const value = try hg.restore("{{PII_NAME_0123456789abcdef}}", &buffer) orelse return;
        if (std.mem.eql(u8, value, "Ann")) hg.retry(.user, "ask Ann");
        return;
    }
    const address = hg.field(.address, &buffer) orelse "";
    if (address.len > 0) {
        hg.respond_body(address);
        return;
    }
    hg.rule("team.limit", "the limit of the team");
    hg.route("other-model", "", 1);
    if (hg.call("absent", "/", "", &buffer)) |_| return else |why| if (why != error.NotGranted) return;
    if (hg.scope("shared:other")) return;
    const got = hg.call("guard", "/v1/x?a=b", "hi", &buffer) catch return;
    if (got.status == 207 and hg.scope("shared:team") and hg.threshold("team", 80)) hg.annotate("x-out", got.body);
}
