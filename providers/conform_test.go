package providers

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// secret is the key of every provider under test. It must be in one header field and nowhere else.
const secret = "sk-s3cret"

// settings returns the settings that a type requires.
func settings(typ string) Settings {
	s := Settings{Name: typ, APIKey: secret}
	switch typ {
	case "azure-openai":
		s.BaseURL = "https://res.openai.azure.com"
	case "bedrock":
		s.Region = "eu-central-1"
	case "vertex":
		s.Project = "my-project"
	}
	return s
}

func newProvider(t testing.TB, s Settings) route.Provider {
	p, err := New(s)
	require.NoError(t, err)
	return p
}

// request returns a call as the proxy makes it.
func request(t testing.TB, p route.Provider, x *core.Exchange) *upstream.Request {
	x.Target.Wire = cmp.Or(x.Target.Wire, p.ChooseWire(x))
	r := &upstream.Request{Body: []byte(`{"a":1}`)}
	require.NoError(t, p.NewRequest(x, r))
	return r
}

func exchange(dialect, model string, stream bool) *core.Exchange {
	x := &core.Exchange{Dialect: dialect}
	x.Target.Model, x.Head.Stream = model, stream
	return x
}

func TestEveryTypeIsInTheConformance(t *testing.T) {
	assert.Equal(t, slices.Sorted(maps.Keys(conformance)), ListTypes())
	assert.Len(t, ListTypes(), 21, "the fifteen of the specification, and those that it leaves open")
}

func TestEachShapeGoesWhereTheProviderServesIt(t *testing.T) {
	clients := append([]string{openAIEmbeddings, openAICompact, anthropicCount, geminiCount, geminiEmbed, geminiBatchEmbed}, generating...)
	for typ, c := range conformance {
		p := newProvider(t, settings(typ))
		for _, dialect := range clients {
			for _, stream := range []bool{false, true} {
				x := exchange(dialect, c.model, stream)
				want := c.main
				if c.whole[dialect] != "" {
					want = dialect
				} else if !slices.Contains(generating, dialect) {
					want = ""
				}
				if !assert.Equal(t, want, p.ChooseWire(x), "%s %s", typ, dialect) || want == "" {
					continue
				}
				url := c.whole[want]
				if stream && want == c.main && c.stream != "" {
					url = c.stream
				}
				r := request(t, p, x)
				assert.Equal(t, "POST", r.Method)
				assert.Equal(t, url, r.URL.String(), "%s %s", typ, dialect)
				assertKey(t, typ, c.key, want, r)
			}
		}
		assert.Equal(t, typ, p.Name())
		assert.NotEmpty(t, p.Label())
		assert.Equal(t, p.Label(), p.FindTraits(c.model).Label)
	}
}

// assertKey checks that the key is in its field and nowhere else.
func assertKey(t *testing.T, typ, field, wire string, r *upstream.Request) {
	if typ == "gemini" && wire == openAIEmbeddings {
		field = "Authorization: Bearer "
	}
	found := 0
	for _, h := range r.Header {
		if line := h.Name + ": " + h.Value; strings.Contains(line, secret) {
			assert.Equal(t, field+secret, line, typ)
			found++
		}
	}
	if field != "" {
		assert.Equal(t, 1, found, "%s: the key is sent once", typ)
		assert.Equal(t, upstream.Field{Name: "Content-Type", Value: "application/json"}, r.Header[0])
	}
	assert.NotContains(t, r.URL.String(), secret)
}

func TestWithoutAKeyNoneIsSent(t *testing.T) {
	for typ, c := range conformance {
		if typ == "bedrock" || typ == "vertex" {
			continue // they must sign instead
		}
		s := settings(typ)
		s.APIKey = ""
		for _, h := range request(t, newProvider(t, s), exchange(c.main, c.model, false)).Header {
			assert.Contains(t, []string{"Content-Type", "Anthropic-Version"}, h.Name, typ)
		}
	}
}

func TestAServiceThatIsNotThereIsRefused(t *testing.T) {
	for typ, c := range conformance {
		x := exchange(openAIChat, c.model, false)
		x.Target.Wire = "other.shape"
		err := newProvider(t, settings(typ)).NewRequest(x, &upstream.Request{})
		var e *core.Error
		require.ErrorAs(t, err, &e, typ)
		assert.Equal(t, core.CodeUnsupported, e.Code)
		assert.Equal(t, 400, e.HTTPStatus())
	}
}

func TestNoErrorRepeatsAKey(t *testing.T) {
	for _, typ := range ListTypes() {
		for name, s := range map[string]Settings{
			"base_url": {APIKey: secret, BaseURL: "https://user:" + secret + "@h"},
			"api_key":  {APIKey: secret + "\r\nX: y"},
		} {
			if typ == "mock" {
				continue // it has neither setting
			}
			s.Name, s.Region, s.Project = typ, settings(typ).Region, settings(typ).Project
			s.BaseURL = cmp.Or(s.BaseURL, settings(typ).BaseURL)
			_, err := New(s)
			require.ErrorContains(t, err, name, typ)
			assert.NotContains(t, err.Error(), secret)
		}
		p := newProvider(t, settings(typ))
		x := exchange(openAIChat, "..", false)
		x.Target.Wire = "other.shape"
		assert.NotContains(t, p.NewRequest(x, &upstream.Request{}).Error(), secret)
	}
}

func TestAModelsNameCannotLeadElsewhere(t *testing.T) {
	azure := settings("azure-openai")
	azure.APIVersion = "2024-10-21"
	for typ, c := range map[string]struct {
		s             Settings
		before, after string
	}{
		"azure-openai": {azure, "https://res.openai.azure.com/openai/deployments/", "/chat/completions?api-version=2024-10-21"},
		"bedrock":      {settings("bedrock"), "https://bedrock-runtime.eu-central-1.amazonaws.com/model/", "/converse"},
		"gemini":       {settings("gemini"), "https://generativelanguage.googleapis.com/v1beta/models/", ":generateContent"},
	} {
		p := newProvider(t, c.s)
		for model, want := range map[string]string{
			"a/../b": "a%2F..%2Fb", "x?key=1#f": "x%3Fkey%3D1%23f", "a b": "a%20b", "ü": "%C3%BC", "a%2Fb": "a%252Fb",
			"arn:aws:bedrock:us-east-1:1:inference-profile/x": "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx",
		} {
			r := request(t, p, exchange(openAIChat, model, false))
			assert.Equal(t, c.before+want+c.after, r.URL.String(), typ)
		}
		for _, model := range []string{"", ".", ".."} {
			x := exchange(openAIChat, model, false)
			x.Target.Wire = p.ChooseWire(x)
			var e *core.Error
			require.ErrorAs(t, p.NewRequest(x, &upstream.Request{}), &e, "%s %q", typ, model)
			assert.Equal(t, core.CodeModelNotFound, e.Code)
		}
	}
}
