// Finds a company's code names, by way of Extism's AssemblyScript PDK. The names are the
// setting words, separated by commas; case does not matter.
import { Config, Host, LogLevel } from "@extism/as-pdk";

export function detect(): i32 {
  const words = Config.get("words");
  if (words == null) {
    Host.log(LogLevel.Error, "the setting words is missing: write settings: {words: \"apollo,zephyr\"}");
    return 1;
  }
  const text = Host.input();
  const names = words.split(",").map<Uint8Array>((w: string) => Uint8Array.wrap(String.UTF8.encode(w.trim().toLowerCase())));
  const more = Config.get("headgate.more_after") == "1";
  let inWord = Config.get("headgate.more_before") == "1";
  const found = new Array<string>();
  for (let at = 0; at < text.length; at++) {
    const begins = !inWord;
    inWord = letter(text[at]);
    if (!begins || !inWord) continue;
    for (let k = 0; k < names.length; k++) {
      const name = names[k];
      const end = at + name.length;
      if (name.length == 0 || end > text.length || (end == text.length && more) || !same(text, at, name)) continue;
      if (end < text.length && letter(text[end])) continue;
      found.push('{"start":' + at.toString() + ',"end":' + end.toString() + ',"label":"codename"}');
      at = end - 1;
      break;
    }
  }
  if (found.length > 0) Host.outputString("[" + found.join(",") + "]");
  return 0;
}

function same(text: Uint8Array, at: i32, name: Uint8Array): bool {
  for (let k = 0; k < name.length; k++) {
    let c = text[at + k];
    if (c >= 0x41 && c <= 0x5a) c += 32;
    if (c != name[k]) return false;
  }
  return true;
}

function letter(c: u8): bool {
  return (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c >= 0x80;
}

// AssemblyScript calls this when it has to give up.
export function stop(message: string | null, file: string | null, line: u32, column: u32): void {
  unreachable();
}
