package pii

import "strings"

// endsInClass reports whether the last label of a domain behind an at that is written out has a capital behind a small letter and is no
// common top-level domain: the path of a class in a module, "core.parameter_at_instant.ParameterAtInstant".
func endsInClass(domain string) bool {
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	for i := 1; i < len(last); i++ {
		if isUpper(last[i]) && isLetterByte(last[i-1]) && !isUpper(last[i-1]) {
			return !isInSet(topLevels, last)
		}
	}
	return false
}

// messageIDMin is the length of the shortest local part that passes for the identifier of a mail; people's names in paths are shorter, or
// have no digit.
const messageIDMin = 12

// messagePaths are what archives of mail have in URLs before the identifier of one (RFC 5322, 3.6.4), in small letters.
var messagePaths = []string{
	"/message-id/", "/msgid/", "/msg-id/", "//lore.kernel.org/r/", "//lore.kernel.org/all/", "//lore.kernel.org/lkml/",
}

// isMessageInURL reports whether local, at from, begins the identifier of a mail in the URL of an archive.
func isMessageInURL(t string, from int, local string) bool {
	if len(local) < messageIDMin || isDigitless(local) {
		return false
	}
	for _, path := range messagePaths {
		if k := from - len(path); k >= 0 && hasFold(t, k, path) {
			return true
		}
	}
	return false
}

// isDecorator reports whether local is only the letter of an escape, so that the '@' begins a line: "import x\n@app.route('/')".
func isDecorator(t string, from int, local string) bool {
	return len(local) == 1 && isOneOf(local[0], "nrt") && findByteBefore(t, from) == '\\'
}

// madeUpLevels end domains that nobody has, in which only writers of programs put names.
var madeUpLevels = buildSet("baz", "qux", "quux", "quuz", "corge")
