package pii

// isSequenceInHex reports whether g is the hexadecimal form of a SEQUENCE of INTEGERs as DER encodes it (X.690), whole and with right
// lengths, which happens to have no letter: "3006020101020101", a signature whose two numbers are 1.
func isSequenceInHex(g string) bool {
	const head = 4 // a tag and a length
	if len(g)%2 != 0 || len(g) < head || g[:2] != "30" || readHexByte(g[2:4])*2 != len(g)-head {
		return false
	}
	for g = g[head:]; len(g) > 0; {
		if len(g) < head || g[:2] != "02" {
			return false
		}
		size := readHexByte(g[2:4]) * 2
		if size == 0 || size > len(g)-head {
			return false
		}
		g = g[head+size:]
	}
	return true
}

// readHexByte returns the byte that two decimal digits are in hexadecimal.
func readHexByte(g string) int { return int(g[0]-'0')*16 + int(g[1]-'0') }

// entryKeyMax is the length of the longest key of a map of numbers that is read.
const entryKeyMax = 10

// isInMapOfNumbers reports whether the digits t[i:j] are the value of an entry of a map in a program whose keys are numbers, and the value
// before it is as long as a card and no card: "{0: 1820574113220693541, 1: 6255563087371431461}".
func isInMapOfNumbers(t string, i, j int) bool {
	k := i
	for k > 0 && i-k < 2 && t[k-1] == ' ' {
		k--
	}
	if k == 0 || t[k-1] != ':' {
		return false
	}
	k--
	key := k
	for k > 0 && key-k < entryKeyMax && isDigitByte(t[k-1]) {
		k--
	}
	if k == key {
		return false
	}
	for k > 0 && isOneOf(t[k-1], " \n\t") && key-k < 2*entryKeyMax {
		k--
	}
	if k == 0 || t[k-1] != ',' {
		return false
	}
	from := k - 1
	for from > 0 && k-from < 24 && isDigitByte(t[from-1]) {
		from--
	}
	return isOddNumber(t[from:k-1]) && j-i > 16
}
