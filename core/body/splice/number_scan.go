package splice

// scanNumber reads a number that starts at i, where doc holds '-' or a digit,
// and returns the offset behind it. When why is not empty, end is the offset of
// the offence. A number may end the document: whether it is complete then is for
// the caller to know.
func scanNumber(doc []byte, i int) (end int, why Reason) {
	if doc[i] == '-' {
		i++
	}
	switch {
	case i >= len(doc):
		return i, ReasonTruncated
	case doc[i] == '0':
		i++
		if i < len(doc) && isDigit(doc[i]) {
			return i, ReasonNumber
		}
	default:
		if i, why = scanDigits(doc, i); why != "" {
			return i, why
		}
	}
	if i < len(doc) && doc[i] == '.' {
		if i, why = scanDigits(doc, i+1); why != "" {
			return i, why
		}
	}
	if i < len(doc) && doc[i]|0x20 == 'e' {
		i++
		if i < len(doc) && (doc[i] == '+' || doc[i] == '-') {
			i++
		}
		return scanDigits(doc, i)
	}
	return i, ""
}

// scanDigits reads at least one digit.
func scanDigits(doc []byte, i int) (end int, why Reason) {
	if i >= len(doc) {
		return i, ReasonTruncated
	}
	if !isDigit(doc[i]) {
		return i, ReasonNumber
	}
	for i < len(doc) && isDigit(doc[i]) {
		i++
	}
	return i, ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
