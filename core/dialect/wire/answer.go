package wire

import (
	"slices"

	"github.com/headgate-dev/headgate/core/llm"
)

// DropTextsBeside removes the texts of an answer but for the one at an index: the JSON that the client has asked for, which
// the model gave as the input of a tool. What a model writes before or after such a call would break the JSON.
func DropTextsBeside(parts []llm.Part, answer int) []llm.Part {
	i := -1
	return slices.DeleteFunc(parts, func(p llm.Part) bool {
		i++
		return p.Kind == llm.TextPart && i != answer
	})
}
