package providers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// ProbeAnswer is a provider's own answer to a test call.
type ProbeAnswer struct {
	Status  int           // of HTTP
	Text    string        // the beginning of the body, without fragments of the credential; "" for a list of models
	Models  []string      // sorted
	Latency time.Duration // to the end of the answer
}

// The bounds of a probe.
const (
	maxProbed      = 4 << 20 // bytes of an answer
	maxProbedText  = 1000    // bytes of it that are shown
	maxProbeModels = 1000
)

// ErrNoModelList means that a type of provider has no list of models. A call to a model can be tried instead.
var ErrNoModelList = errors.New("a provider of this type has no list of models; name a model to try a call with one token")

// probeBodies are the smallest calls in the shapes of providers. MODEL stands for the name.
var probeBodies = map[string]string{
	openAIChat:        `{"model":MODEL,"messages":[{"role":"user","content":"ping"}]}`,
	anthropicMessages: `{"model":MODEL,"max_tokens":1,"messages":[{"role":"user","content":"ping"}]}`,
	geminiGenerate:    `{"contents":[{"role":"user","parts":[{"text":"ping"}]}],"generationConfig":{"maxOutputTokens":1}}`,
	bedrockConverse:   `{"messages":[{"role":"user","content":[{"text":"ping"}]}],"inferenceConfig":{"maxTokens":1}}`,
	cohereChat:        `{"model":MODEL,"max_tokens":1,"messages":[{"role":"user","content":"ping"}]}`,
	ollamaChat:        `{"model":MODEL,"stream":false,"options":{"num_predict":1},"messages":[{"role":"user","content":"ping"}]}`,
}

// Probe calls a provider: it asks for the list of models or, if a model is named, for the shortest answer of that model.
// credential is cut out of the answer, whole or in part. The context limits the call.
func Probe(ctx context.Context, p route.Provider, model, credential string) (ProbeAnswer, error) {
	if _, ok := p.(*mock); ok {
		return ProbeAnswer{Status: http.StatusOK, Models: []string{"mock-echo", "mock-json", "mock-tool"}}, nil
	}
	h, ok := p.(*hosted)
	if !ok {
		return ProbeAnswer{}, ErrNoModelList
	}
	r := &upstream.Request{}
	if err := h.fillProbe(r, model); err != nil {
		return ProbeAnswer{}, err
	}
	began := time.Now()
	res, err := h.Client().Do(ctx, r)
	if err != nil {
		return ProbeAnswer{}, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxProbed))
	out := ProbeAnswer{Status: res.Status, Latency: time.Since(began)}
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return out, err
	}
	if res.Status == http.StatusOK && model == "" {
		if out.Models = readModels(body); out.Models != nil {
			return out, nil
		}
	}
	for _, f := range r.Header { // of whoever repeats what it was sent
		if !slices.Contains(openFields, strings.ToLower(f.Name)) {
			credential += "\n" + f.Value
		}
	}
	out.Text = maskFragments(cutText(body, maxProbedText), credential)
	return out, nil
}

// openFields are the fields of a probe's header that hold no secret; operators may add others that do.
var openFields = []string{"content-type", "accept", "accept-encoding", "user-agent", "anthropic-version"}

// fillProbe fills the request.
func (p *hosted) fillProbe(r *upstream.Request, model string) error {
	if model != "" {
		x := &core.Exchange{Dialect: p.main, Target: core.TargetRef{Provider: p.s.Name, Model: model}}
		x.Target.Wire = p.ChooseWire(x)
		name, err := json.Marshal(model)
		if err != nil {
			return err
		}
		r.Body = []byte(strings.Replace(probeBodies[x.Target.Wire], "MODEL", string(name), 1))
		return p.NewRequest(x, r)
	}
	list := service{root: p.services[p.main].root, path: "/models"}
	switch p.s.Type {
	case "bedrock", "vertex":
		return ErrNoModelList
	case "ollama":
		list.path = "/tags"
	case "cohere":
		list.root = "/v1"
	case "azure-openai":
		list.query = p.services[openAIChat].query
	}
	all, err := buildEndpoints(p.s.BaseURL, addService(p.services, "models", list))
	if err != nil {
		return err
	}
	r.Method, r.URL, r.Timeouts = http.MethodGet, all["models"].whole.fixed, p.s.Timeouts
	r.Header = append(r.Header[:0], p.header...)
	return nil
}

// addService returns the services and one more.
func addService(all map[string]service, name string, s service) map[string]service {
	out := addDirectServices("", all)
	out[name] = s
	return out
}

// readModels returns the names in a vendor's list of models, sorted, or nil if it is none.
func readModels(body []byte) []string {
	var list struct {
		Data, Models []struct{ ID, Name string }
	}
	if json.Unmarshal(body, &list) != nil {
		var bare []struct{ ID, Name string } // Together lists without a wrapper
		if json.Unmarshal(body, &bare) != nil {
			return nil
		}
		list.Data = bare
	}
	out := []string{}
	for _, m := range append(list.Data, list.Models...) {
		name := m.ID
		if name == "" {
			name = strings.TrimPrefix(m.Name, "models/")
		}
		if name != "" && len(name) <= 256 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxProbeModels)]
}

// cutText returns the beginning of a body as text.
func cutText(body []byte, most int) string {
	text := strings.ToValidUTF8(string(body), "�")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// fragment is how many characters of a credential a word may share with it. Vendors repeat the ends of a key in errors.
const fragment = 4

// maskFragments replaces the words of a text that contain a part of a credential, or that a vendor has masked.
func maskFragments(text, credential string) string {
	parts := map[string]bool{}
	for i := 0; i+fragment <= len(credential); i++ {
		parts[credential[i:i+fragment]] = true
	}
	var out strings.Builder
	for len(text) > 0 {
		end := strings.IndexFunc(text, isWordBreak)
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		hidden := strings.Contains(word, "***")
		for i := 0; !hidden && i+fragment <= len(word); i++ {
			hidden = parts[word[i:i+fragment]]
		}
		if hidden {
			word = "(masked)"
		}
		out.WriteString(word)
		if text = text[end:]; text != "" {
			_, n := utf8.DecodeRuneInString(text)
			out.WriteString(text[:n])
			text = text[n:]
		}
	}
	return out.String()
}

func isWordBreak(r rune) bool { return r <= ' ' || strings.ContainsRune(`"'<>()[]{},;`, r) }
