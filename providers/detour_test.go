package providers

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestToolsTogetherWithAnEffortGoToResponses(t *testing.T) {
	tools := []string{"get_weather"}
	for name, c := range map[string]struct {
		typ, dialect, model string
		tools               []string
		effort, want        string
	}{
		"a new model":                     {"openai", openAIChat, "gpt-5.4", tools, "high", openAIResponses},
		"the first of them":               {"openai", openAIChat, "gpt-5", tools, "minimal", openAIResponses},
		"a future model":                  {"openai", openAIChat, "gpt-6-x", tools, "low", openAIResponses},
		"a deployment with such a name":   {"azure-openai", openAIChat, "gpt-5-mini", tools, "low", openAIResponses},
		"an effort of none":               {"openai", openAIChat, "gpt-5.4", tools, "none", openAIChat},
		"no effort":                       {"openai", openAIChat, "gpt-5.4", tools, "", openAIChat},
		"no tools":                        {"openai", openAIChat, "gpt-5.4", nil, "high", openAIChat},
		"an older reasoning model":        {"openai", openAIChat, "o4-mini", tools, "high", openAIChat},
		"a model that does not reason":    {"openai", openAIChat, "gpt-4.1", tools, "high", openAIChat},
		"a deployment with another name":  {"azure-openai", openAIChat, "mine", tools, "high", openAIChat},
		"one of Messages":                 {"openai", anthropicMessages, "gpt-5.4", tools, "high", openAIResponses},
		"a shape whose effort is omitted": {"openai", geminiGenerate, "gpt-5.4", tools, "high", openAIChat},
		"Responses itself":                {"openai", openAIResponses, "gpt-5.4", tools, "high", openAIResponses},
		"the editor's":                    {"openai", editorChat, "gpt-5.4", tools, "high", openAIResponses},
		"another provider":                {"groq", openAIChat, "gpt-5.4", tools, "high", openAIChat},
	} {
		x := exchange(c.dialect, c.model, false)
		x.Head.Tools, x.Head.Effort = c.tools, c.effort
		p := newProvider(t, settings(c.typ))
		assert.Equal(t, c.want, p.ChooseWire(x), name)
		if c.want == openAIResponses {
			assert.Regexp(t, "/v1/responses$", request(t, p, x).URL.Path, name)
		}
	}
}
