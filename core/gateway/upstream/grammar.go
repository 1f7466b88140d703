package upstream

// The byte classes of RFC 9110, section 5. Methods and field names are tokens. Field values are text: tab, space,
// visible characters and bytes from 0x80 on. CR, LF, NUL and the other controls are neither.
const (
	classToken = 1 << iota
	classText
	classTarget // visible ASCII other than '#': what a request target may hold
)

var classes = makeClasses()

func makeClasses() (t [256]uint8) {
	for c := range t {
		if c == '\t' || c >= ' ' && c != 0x7f {
			t[c] |= classText
		}
		if c > ' ' && c < 0x7f && c != '#' {
			t[c] |= classTarget
		}
	}
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, c := range []byte("!#$%&'*+-.^_`|~" + digits + lower + upper) {
		t[c] |= classToken
	}
	return t
}

// hasOnly reports whether every byte of s belongs to the class.
func hasOnly[T string | []byte](s T, class uint8) bool {
	all := class
	for i := range len(s) {
		all &= classes[s[i]]
	}
	return all != 0
}

// isToken reports whether s is a token; an empty one is not.
func isToken[T string | []byte](s T) bool { return len(s) > 0 && hasOnly(s, classToken) }

// trimBlank cuts spaces and tabs from both ends.
func trimBlank(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
