//! competitors finds names of other companies and their products. The names are
//! the operator's:
//!
//!     settings: {names: [Globex, "Initech Office"]}
//!
//! Case does not matter among Latin letters, and a name inside a longer word is
//! none.

const std = @import("std");
const hg = @import("headgate");

comptime {
    hg.detector(find);
    hg.configure(configure);
}

const Settings = struct { names: []const []const u8 = &.{} };

/// The longest name, in bytes: max_match of the manifest.
const longest = 64;
const most = 256;
const competitor = 0;

var names: []const []const u8 = &.{};

/// Marks the bytes that a name may begin with, small and capital letters alike.
var begins: [256]bool = @splat(false);

fn configure(json: []const u8) !void {
    const settings = std.json.parseFromSliceLeaky(Settings, hg.allocator, json, .{ .allocate = .alloc_always }) catch |why| {
        hg.log(.err, "write settings as {names: [Globex, Initech]}");
        return why;
    };
    if (settings.names.len == 0) hg.log(.warn, "there are no names in the settings: nothing will be found");
    if (settings.names.len > most) return error.MoreThan256Names;
    for (settings.names) |name| {
        if (name.len == 0 or name.len > longest) return error.NamesHave1To64Bytes;
        begins[std.ascii.toLower(name[0])] = true;
        begins[std.ascii.toUpper(name[0])] = true;
    }
    names = settings.names;
}

fn word(c: u8) bool {
    return std.ascii.isAlphanumeric(c) or c == '_';
}

fn find(text: []const u8, flags: hg.Flags, spans: *hg.Spans) void {
    for (text, 0..) |c, start| {
        if (!begins[c]) continue;
        if (if (start > 0) word(text[start - 1]) else flags.before) continue;
        // Names that begin with another are found beside it: what is decided about one must not depend on what follows it.
        for (names) |name| {
            const end = start + name.len;
            if (end > text.len or !std.ascii.eqlIgnoreCase(text[start..end], name)) continue;
            if (if (end < text.len) word(text[end]) else flags.after) continue;
            spans.emit(start, end, competitor, 1);
        }
    }
}
