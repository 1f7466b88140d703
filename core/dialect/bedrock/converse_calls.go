package bedrock

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// appendInput appends the input of a call, which must be an object. Other text, which
// models sometimes write, becomes a member of one.
func appendInput(dst []byte, input string) []byte {
	args := strings.TrimSpace(input)
	switch {
	case args == "":
		return append(dst, "{}"...)
	case args[0] == '{' && json.Valid([]byte(args)):
		return append(dst, args...)
	}
	return append(splice.AppendString(append(dst, `{"input":`...), input), '}')
}

const maxID = 64

// cleanCallID returns a valid id: letters, digits, _ and -, at most maxID bytes. It replaces
// any other id in the same way for a call and its result.
func cleanCallID(id string) string {
	plain := len(id) <= maxID
	for i := 0; i < len(id) && plain; i++ {
		c := id[i]
		plain = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
	}
	if plain {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:16])
}
