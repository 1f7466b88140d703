package gemini

import "strings"

// Methods of a model.
const (
	MethodGenerate    = "generateContent"
	MethodStream      = "streamGenerateContent"
	MethodCountTokens = "countTokens"
)

// SplitCall splits the end of a path, as "gemini-2.5-pro:streamGenerateContent",
// into the model and what is asked of it. Names of models hold slashes and
// colons, methods hold none: the last colon counts.
func SplitCall(path string) (model, method string, ok bool) {
	i := strings.LastIndexByte(path, ':')
	if i <= 0 || i == len(path)-1 || strings.IndexByte(path[i:], '/') >= 0 {
		return "", "", false
	}
	return path[:i], path[i+1:], true
}
