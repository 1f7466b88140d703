//! @NAME@ finds card numbers: 16 digits in a row, not inside a longer word or
//! number, whose checksum (Luhn) is right.

const std = @import("std");
const hg = @import("headgate");

comptime {
    hg.detector(find);
}

const length = 16;
const card_number = 0;

fn word(c: u8) bool {
    return std.ascii.isAlphanumeric(c) or c == '_';
}

/// Adds every digit, every second one from the left doubled.
fn checksum(digits: []const u8) bool {
    var sum: u32 = 0;
    for (digits, 0..) |c, i| {
        const d: u32 = c - '0';
        sum += if (i % 2 == 1) d else if (d > 4) 2 * d - 9 else 2 * d;
    }
    return sum % 10 == 0;
}

fn find(text: []const u8, flags: hg.Flags, spans: *hg.Spans) void {
    var at: usize = 0;
    while (true) {
        const start = hg.until(text, at, '0', '9');
        if (start == text.len) return;
        at = hg.past(text, start, '0', '9');
        if (at - start != length) continue;
        if (if (start > 0) word(text[start - 1]) else flags.before) continue; // it may have begun earlier
        if (if (at < text.len) word(text[at]) else flags.after) continue; // it may go on
        if (checksum(text[start..at])) spans.emit(start, at, card_number, 1);
    }
}
