package plugintool

// floorText describes the floor.
const floorText = "a scanner in Go, compiled in: one pass over the bytes that counts e-mail addresses and card numbers of 16 digits with a right check digit"

// Classes of bytes, as the scanner tells them apart.
const (
	isWord = 1 << iota
	isDigit
)

var floorClass = func() (t [256]uint8) {
	for c := range t {
		switch {
		case '0' <= c && c <= '9':
			t[c] = isWord | isDigit
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '.', c == '-', c == '_', c == '+':
			t[c] = isWord
		}
	}
	return t
}()

// scanFloor returns the reference for a guest's time: the work of a small detector, done natively.
func scanFloor(text string) (found int) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '@':
			if i > 0 && floorClass[text[i-1]]&isWord != 0 {
				found += findDomain(text[i+1:])
			}
		case floorClass[c]&isDigit != 0:
			n := 1
			for i+n < len(text) && floorClass[text[i+n]]&isDigit != 0 {
				n++
			}
			if n == 16 && passesLuhn(text[i:i+n]) {
				found++
			}
			i += n - 1
		}
	}
	return found
}

// findDomain returns 1 if a text starts with a name that contains a dot.
func findDomain(text string) int {
	for i := 0; i < len(text) && floorClass[text[i]]&isWord != 0; i++ {
		if text[i] == '.' && i > 0 && i+1 < len(text) && floorClass[text[i+1]]&isWord != 0 {
			return 1
		}
	}
	return 0
}

// passesLuhn verifies the Luhn check digit (ISO/IEC 7812-1, annex B).
func passesLuhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
