package scan

// IsBase64 reports whether a string is base64 without escapes, which holds no text that a guard could read.
func IsBase64(b []byte) bool {
	for _, ch := range b {
		switch {
		case ch >= 'a' && ch <= 'z', ch >= 'A' && ch <= 'Z', ch >= '0' && ch <= '9', ch == '+', ch == '/', ch == '=':
		default:
			return false
		}
	}
	return true
}
