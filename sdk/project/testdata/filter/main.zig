const std = @import("std");
const hg = @import("headgate");

comptime {
    hg.filter(follow);
}

const word = "secret";

fn follow(held: hg.Held) !usize {
    var at: usize = 0;
    while (std.mem.indexOfPos(u8, held.text, at, word)) |start| {
        at = start + word.len;
        held.edit(start, at, "******");
    }
    if (held.last) return 0;
    var n: usize = word.len - 1;
    while (n > 0 and !std.mem.endsWith(u8, held.text, word[0..n])) n -= 1;
    return n;
}
