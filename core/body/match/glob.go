package match

import "strings"

// Glob reports whether name matches the pattern, in which * stands for any run
// of characters, "/" and ":" included, and ? for any one byte. It takes time
// proportional to the product of the lengths at most.
func Glob(pattern, name string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// GlobModel is Glob for the names of models, in which Azure's prefix may be written short
// or long.
func GlobModel(pattern, model string) bool { return Glob(canonical(pattern), canonical(model)) }

// canonical spells a model, or a pattern of such, that begins with Azure's short name
// with its long one.
func canonical(model string) string {
	if rest, ok := strings.CutPrefix(model, "azure/"); ok {
		return "azure-openai/" + rest
	}
	return model
}
