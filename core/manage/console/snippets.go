package console

import (
	"slices"
	"strings"
)

// snippets are ready examples of calls with a key.
type snippets struct {
	Base  string
	Shown bool // the key is in them
	All   []snippet
}

// snippet is one example. Where says where to put it.
type snippet struct{ Name, Where, Text string }

// newSnippetsPart draws examples for popular clients. Without a plaintext the examples read the key from the environment
// variable HEADGATE_KEY.
func (h *workspacePages) newSnippetsPart(r *request, plain string) part {
	base, model := h.gateway, "mock-echo"
	if base == "" {
		base = "https://GATEWAY"
	}
	if h.models != nil {
		if all := h.models(); len(all) > 0 && !slices.Contains(all, model) {
			model = all[0]
		}
	}
	return part{"snippets", snippets{Base: base, Shown: plain != "", All: listExampleCalls(base, model, plain)}}
}

func listExampleCalls(base, model, plain string) []snippet {
	shell, python, script := plain, `"`+plain+`"`, `"`+plain+`"`
	export := "export HEADGATE_KEY=" + plain + "\n"
	if plain == "" {
		shell, python, script, export = "$HEADGATE_KEY", `os.environ["HEADGATE_KEY"]`, "process.env.HEADGATE_KEY", ""
	}
	imports := "from openai import OpenAI\n"
	if plain == "" {
		imports = "import os\n" + imports
	}
	fill := strings.NewReplacer(
		"<base>", base, "<model>", model, "<shell>", shell, "<python>", python, "<script>", script, "<imports>", imports, "<export>", export,
	)
	return []snippet{
		{"curl", "", fill.Replace(`curl <base>/v1/chat/completions \
  -H "Authorization: Bearer <shell>" -H "Content-Type: application/json" \
  -d '{"model":"<model>","messages":[{"role":"user","content":"Hello"}]}'`)},
		{"Python", "pip install openai", fill.Replace(`<imports>client = OpenAI(base_url="<base>/v1", api_key=<python>)
answer = client.chat.completions.create(
    model="<model>", messages=[{"role": "user", "content": "Hello"}]
)
print(answer.choices[0].message.content)`)},
		{"JavaScript", "npm install openai", fill.Replace(`import OpenAI from "openai";
const client = new OpenAI({ baseURL: "<base>/v1", apiKey: <script> });
const answer = await client.chat.completions.create({
  model: "<model>", messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`)},
		{"Claude Code", "In the shell, or under env in ~/.claude/settings.json", fill.Replace(`export ANTHROPIC_BASE_URL=<base>
export ANTHROPIC_AUTH_TOKEN=<shell>
export ANTHROPIC_MODEL=<model>
export ANTHROPIC_DEFAULT_HAIKU_MODEL=<model>
claude`)},
		{"Codex", "In the shell; -c writes the settings of ~/.codex/config.toml for one run", fill.Replace(`<export>codex -c model=<model> -c model_provider=headgate \
  -c 'model_providers.headgate={name="Headgate", base_url="<base>/v1", env_key="HEADGATE_KEY", wire_api="responses"}'`)},
	}
}
