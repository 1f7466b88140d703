package gemini

import "strings"

// Methods of a model.
const (
	MethodGenerate    = "generateContent"
	MethodStream      = "streamGenerateContent"
	MethodCountTokens = "countTokens"
	MethodEmbed       = "embedContent"
	MethodBatchEmbed  = "batchEmbedContents"
)

// SplitCall splits the end of a path such as "gemini-2.5-pro:streamGenerateContent" into
// model and method at the last colon. Model names can contain slashes and colons.
func SplitCall(path string) (model, method string, ok bool) {
	i := strings.LastIndexByte(path, ':')
	if i <= 0 || i == len(path)-1 || strings.IndexByte(path[i:], '/') >= 0 {
		return "", "", false
	}
	return path[:i], path[i+1:], true
}
