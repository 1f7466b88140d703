//! model-list says which models each tenant may ask for. A star in a
//! name stands for anything; tenants that are not listed have what stands under
//! "other", and without it nothing.
//!
//!     settings:
//!       tenants: {acme: [gpt-4o, "claude-*"]}
//!       other: ["*-mini"]

const std = @import("std");
const hg = @import("headgate");

comptime {
    hg.stage(judge);
    hg.configure(configure);
}

const Names = []const []const u8;
const Settings = struct { tenants: std.json.ArrayHashMap(Names) = .{}, other: Names = &.{} };

var settings: Settings = .{};

fn configure(json: []const u8) !void {
    settings = std.json.parseFromSliceLeaky(Settings, hg.allocator, json, .{ .allocate = .alloc_always }) catch |why| {
        hg.log(.err, "write settings as {tenants: {acme: [gpt-4o, \"claude-*\"]}, other: []}");
        return why;
    };
}

fn matches(pattern: []const u8, model: []const u8) bool {
    if (std.mem.indexOfScalar(u8, pattern, '*')) |star| {
        const rest = pattern[star + 1 ..];
        return model.len >= star + rest.len and std.mem.startsWith(u8, model, pattern[0..star]) and std.mem.endsWith(u8, model, rest);
    }
    return std.mem.eql(u8, pattern, model);
}

fn judge(phase: hg.Phase) !void {
    if (phase != .request) return;
    var tenants: [256]u8 = undefined;
    var models: [256]u8 = undefined;
    const tenant = hg.field(.tenant, &tenants) orelse return error.TenantNotGranted;
    const model = hg.field(.model, &models) orelse return error.ModelNotGranted;
    for (settings.tenants.map.get(tenant) orelse settings.other) |pattern| {
        if (matches(pattern, model)) return;
    }
    hg.deny("POLICY_DENIED", "This model is not among those that you may ask for.", 0);
}
