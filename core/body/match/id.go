package match

// idLength is the number of characters of the ids that the gateway makes: 80 bits in base 32, in lower case.
const idLength = 16

// CanBeID reports whether a pattern can match an id that the gateway makes, such as that of a key. Most names of keys
// cannot.
func CanBeID(pattern string) bool {
	least, open := 0, false
	for _, c := range pattern {
		switch {
		case c == '*':
			open = true
		case c == '?', c >= 'a' && c <= 'z', c >= '2' && c <= '7':
			least++
		default:
			return false
		}
	}
	return least == idLength || open && least < idLength
}
