package providers

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Users of the vendors' own clients know these addresses, so they are accepted here too.
func TestABaseURLMayBeTheOneOfTheVendorsClients(t *testing.T) {
	for typ, bases := range map[string][]string{
		"openai":       {"https://api.openai.com/v1", "https://api.openai.com/v1/"},
		"azure-openai": {"https://res.openai.azure.com/openai/v1/", "https://res.openai.azure.com/openai"},
		"anthropic":    {"https://api.anthropic.com", "https://api.anthropic.com/v1"},
		"gemini":       {"https://generativelanguage.googleapis.com/v1beta", "https://generativelanguage.googleapis.com/v1beta/openai/"},
		"xai":          {"https://api.x.ai/v1"},
		"mistral":      {"https://api.mistral.ai/v1"},
		"moonshot":     {"https://api.moonshot.ai/v1"},
		"zhipu":        {"https://open.bigmodel.cn/api/paas/v4/"},
		"cohere":       {"https://api.cohere.com/v2", "https://api.cohere.com/compatibility/v1"},
		"groq":         {"https://api.groq.com/openai/v1", "https://api.groq.com/openai", "https://api.groq.com"},
		"qwen":         {"https://dashscope-intl.aliyuncs.com/compatible-mode/v1"},
		"ollama":       {"http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/api"},
	} {
		for _, base := range bases {
			s := settings(typ)
			s.BaseURL = base
			p := newProvider(t, s)
			for dialect, want := range conformance[typ].whole {
				x := exchange(dialect, conformance[typ].model, false)
				x.Target.Wire = dialect
				assert.Equal(t, want, request(t, p, x).URL.String(), "%s at %s", typ, base)
			}
		}
	}
	s := settings("deepseek")
	s.BaseURL = "https://api.deepseek.com/v1"
	assert.Equal(t, "https://api.deepseek.com/v1/chat/completions", request(t, newProvider(t, s), exchange(openAIChat, "m", false)).URL.String())
}

func TestAQueryOfTheBaseURLIsKept(t *testing.T) {
	s := settings("gemini")
	s.BaseURL = "https://h/p%2Fq?a=1"
	p := newProvider(t, s)
	assert.Equal(t, "https://h/p%2Fq/v1beta/models/m:generateContent?a=1", request(t, p, exchange(geminiGenerate, "m", false)).URL.String())
	assert.Equal(
		t,
		"https://h/p%2Fq/v1beta/models/m:streamGenerateContent?a=1&alt=sse",
		request(t, p, exchange(geminiGenerate, "m", true)).URL.String(),
	)
}

func FuzzAModelsNameStaysWithinItsSegment(f *testing.F) {
	for _, seed := range []string{"gemini-2.5-pro", "a/b", "..", "%2e%2e/", "x?y#z", "\x00\r\n", "ü", "arn:aws:bedrock:r:1:x/y"} {
		f.Add(seed)
	}
	p := newProvider(f, settings("gemini"))
	f.Fuzz(func(t *testing.T, model string) {
		x := exchange(geminiGenerate, model, true)
		x.Target.Wire = geminiGenerate
		var r upstream.Request
		if err := p.NewRequest(x, &r); err != nil {
			assert.Contains(t, []string{"", ".", ".."}, model)
			return
		}
		// The URL as a server parses it from the bytes that are sent.
		got, err := url.Parse(r.URL.String())
		require.NoError(t, err)
		path := strings.Split(got.EscapedPath(), "/")
		require.Len(t, path, 4)
		assert.Equal(t, []string{"", "v1beta", "models"}, path[:3])
		name, err := url.PathUnescape(strings.TrimSuffix(path[3], ":streamGenerateContent"))
		require.NoError(t, err)
		assert.Equal(t, model, name)
		assert.Equal(t, "alt=sse", got.RawQuery)
		assert.Empty(t, got.Fragment)
	})
}

func BenchmarkRequest(b *testing.B) {
	for _, typ := range []string{"openai", "anthropic", "gemini"} {
		b.Run(typ, func(b *testing.B) {
			p := newProvider(b, settings(typ))
			x := exchange(conformance[typ].main, conformance[typ].model, true)
			x.Request.Header = buildFullHeader()
			r := upstream.Request{}
			b.ReportAllocs()
			for range b.N {
				x.Target.Wire = p.ChooseWire(x)
				if err := p.NewRequest(x, &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
