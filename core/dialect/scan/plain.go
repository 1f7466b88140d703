package scan

// maxPlain is the length in bytes up to which a string can be an identifier.
const maxPlain = 128

// maxDigits is the number of digits up to which a number can be part of an identifier:
// dates are, in the names of models and versions. A social security number has nine.
const maxDigits = 8

// IsPlain reports whether the raw content of a string is spelled like an identifier, an enum value or an address: ASCII
// letters and digits and a few signs, neither blank nor "@", and no long number. A place that holds identifiers is
// shown to the guards unless its content is plain. Otherwise text in such a place would bypass the guards.
func IsPlain(raw []byte) bool { return len(raw) <= maxPlain && isPlain(raw) }

// isPlain does not count digits between letters, which random identifiers are full of, nor
// the single digits of a version.
func isPlain(raw []byte) bool {
	digits, afterLetter, last := 0, false, byte(0)
	for _, c := range raw {
		class := plainBytes[c]
		switch class {
		case 0:
			return false
		case plainLetter:
			if digits > maxDigits && !(afterLetter && last == plainDigit) {
				return false
			}
			digits = 0
		case plainDigit:
			if digits == 0 {
				afterLetter = last == plainLetter
			}
			digits++
		case plainSign:
			if digits == 1 {
				digits = 0
			}
		}
		last = class
	}
	return digits <= maxDigits
}

// maxURL is the length in bytes up to which a string can be an address.
const maxURL = 2 << 10

// isPlainURL is IsPlain for what is spelled like an address.
func isPlainURL(raw []byte) bool { return len(raw) <= maxURL && isPlain(raw) }

const (
	plainLetter = 1 + iota
	plainDigit
	plainSign // leaves a number a number: 123-45-6789
)

var plainBytes = func() (t [256]byte) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" {
		t[c] = plainLetter
	}
	for _, c := range "0123456789" {
		t[c] = plainDigit
	}
	for _, c := range "_-.:/+=$#?&~" {
		t[c] = plainSign
	}
	return t
}()
