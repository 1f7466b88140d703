package match

import "strings"

// MatchesGlob reports whether name matches the pattern, in which * stands for any run
// of characters, "/" and ":" included, and ? for any one byte. It takes time
// proportional to the product of the lengths at most.
func MatchesGlob(pattern, name string) bool { return matchesGlob(pattern, name, false) }

// MatchesGlobFold is MatchesGlob without regard to case.
func MatchesGlobFold(pattern, name string) bool {
	if !isASCII(name) {
		pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	}
	return matchesGlob(pattern, name, true)
}

func matchesGlob(pattern, name string, fold bool) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n] || fold && lowerASCII(pattern[p]) == lowerASCII(name[n])):
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

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// MatchesModel is MatchesGlobFold for the names of models, in which Azure's prefix may be written short
// or long. A rule for a model must hold however a client spells it: providers ignore case.
// A pattern matches the names of tools and agents only if it names them as such.
func MatchesModel(pattern, model string) bool {
	return IsTool(pattern) == IsTool(model) && MatchesGlobFold(normalizeModel(pattern), normalizeModel(model))
}

// ModelPatternRule says in a message what a pattern of models is.
const ModelPatternRule = "a pattern is the name of a model in 1 to 256 characters, in which * and ? stand for others"

// MaxModelPatterns bounds the patterns of a key: each request is compared with all of them.
const MaxModelPatterns = 64

// IsModelPattern reports whether p can be a pattern of models: see ModelPatternRule.
func IsModelPattern(p string) bool { return p != "" && len(p) <= 256 && !IsTool(p) }

// IsTool reports whether a name, or a pattern of names, is that of a tool or an agent and not of a model: mcp/{server}/{tool},
// a2a/{agent}.
func IsTool(name string) bool {
	return len(name) > 3 && name[3] == '/' && (strings.EqualFold(name[:3], "mcp") || strings.EqualFold(name[:3], "a2a"))
}

// normalizeModel spells a model, or a pattern of such, that starts with Azure's short name
// with its long one.
func normalizeModel(model string) string {
	const short = "azure/"
	if len(model) > len(short) && strings.EqualFold(model[:len(short)], short) {
		return "azure-openai/" + model[len(short):]
	}
	return model
}
