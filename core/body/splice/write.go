package splice

// AppendKey appends a member's key and colon to an object that is being written,
// and a comma before it where one is due. The key holds nothing that JSON would
// escape.
func AppendKey(dst []byte, key string) []byte {
	dst = append(AppendComma(dst), '"')
	return append(append(dst, key...), '"', ':')
}

// AppendComma appends a comma unless dst ends where an object or an array begins.
func AppendComma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' && dst[n-1] != '[' {
		dst = append(dst, ',')
	}
	return dst
}

// AppendString appends text as a JSON string.
func AppendString(dst []byte, text string) []byte {
	return append(AppendEscaped(append(dst, '"'), text), '"')
}

// AppendOneLine appends JSON without line ends between its tokens: in a server-sent
// event they would end the data. Inside strings JSON has none.
func AppendOneLine[T string | []byte](dst []byte, text T) []byte {
	for i := range len(text) {
		if c := text[i]; c != '\r' && c != '\n' {
			dst = append(dst, c)
		}
	}
	return dst
}
