package providers

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
)

// Facts describe one model of a provider. Unknown facts keep their zero value.
type Facts struct {
	core.Traits
	Context int // the context window in tokens
	Price   Price
	// PriceFrom names the entry of the data file that the price comes from: its first pattern and its date.
	PriceFrom string
	// CacheWrite is the price of input that the provider stores in its prompt cache, and Batch that of batches, both as
	// a percentage of the price. 0 means 100.
	CacheWrite, Batch int64
	// Detour means that the model accepts tools together with an effort on the Responses API only.
	Detour bool
	// Embeds means that the model makes embeddings.
	Embeds bool
}

// Price is in USD per million tokens unless said, as decimal numbers; "" if unknown, or not charged.
type Price struct {
	Input  string `yaml:"input"`
	Output string `yaml:"output"`
	Cached string `yaml:"cached"` // input read from the provider's cache
	Media  string `yaml:"media"`  // input that is sound or pictures, where it differs
	// MediaOutput is for output that is sound, where it differs.
	MediaOutput string `yaml:"media_output"`
	// In USD for a picture, a second of sound, a search of a reranker, and a million characters that are spoken.
	Image      string `yaml:"image"`
	Second     string `yaml:"second"`
	Search     string `yaml:"search"`
	Characters string `yaml:"characters"`
}

// ListFigures returns all figures; "" for a figure that is not set.
func (p *Price) ListFigures() []string {
	return []string{p.Input, p.Output, p.Cached, p.Media, p.MediaOutput, p.Image, p.Second, p.Search, p.Characters}
}

// catalogue contains the known facts about one provider's models.
type catalogue struct {
	entries []entry
	names   []string // of models that entries name in full

	mu    sync.Mutex
	known atomic.Pointer[map[string]*Facts] // by model; copied when it grows
}

// knownModels limits how many models are remembered, and maxModelName the length of their names, because the names come
// from clients. When the limit is reached, all are forgotten, so that invented names do not keep out those that are in
// use.
const (
	knownModels  = 256
	maxModelName = 256
)

// loadCatalogue reads the data file, once.
var loadCatalogue = sync.OnceValues(func() (map[string]*catalogue, error) { return readCatalogue(configs.Models) })

func newCatalogue(entries []entry) *catalogue {
	c := &catalogue{entries: entries}
	for i := range entries {
		c.addNames(entries[i].Listed)
		if entries[i].only == nil && (entries[i].Context != 0 || entries[i].Price != nil) {
			c.addNames(entries[i].Match)
		}
	}
	c.known.Store(&map[string]*Facts{})
	return c
}

// addNames adds the names that are not patterns.
func (c *catalogue) addNames(list []string) {
	for _, name := range list {
		if !strings.ContainsAny(name, "*?") && !slices.Contains(c.names, name) {
			c.names = append(c.names, name)
		}
	}
}

// lookup returns the known facts about a model.
func (c *catalogue) lookup(model string) *Facts {
	if f, ok := (*c.known.Load())[model]; ok {
		return f
	}
	f := c.findFacts(model)
	if len(model) > maxModelName {
		return f
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := *c.known.Load()
	if len(old) >= knownModels {
		old = nil
	}
	grown := make(map[string]*Facts, len(old)+1)
	for k, v := range old {
		grown[k] = v
	}
	grown[strings.Clone(model)] = f
	c.known.Store(&grown)
	return f
}

// findFacts applies the entries that match a model, in order.
func (c *catalogue) findFacts(model string) *Facts {
	f := &Facts{}
	for i := range c.entries {
		if e := &c.entries[i]; e.matches(model) {
			e.applyTo(f)
		}
	}
	return f
}

func (e *entry) matches(model string) bool {
	fits := func(pattern string) bool { return match.MatchesGlobFold(pattern, model) }
	return slices.ContainsFunc(e.Match, fits) && (e.only == nil || slices.ContainsFunc(e.only, fits))
}

func (e *entry) applyTo(f *Facts) {
	if e.Context != 0 {
		f.Context = e.Context
	}
	if e.Image != 0 {
		f.ImageLimit = e.Image
	}
	switch e.Off {
	case "":
	case "none":
		f.ThinkingOff = ""
	default:
		f.ThinkingOff = e.Off
	}
	if e.Limit != "" {
		f.LimitField = e.Limit
	}
	for _, word := range e.Takes {
		*flags[word](f) = true
	}
	for _, word := range e.Lacks {
		*flags[word](f) = false
	}
	if e.Price != nil {
		f.Price, f.PriceFrom = *e.Price, e.Match[0]+"@"+e.Date
	}
	if e.CacheWrite != 0 {
		f.CacheWrite = e.CacheWrite
	}
	if e.Batch != 0 {
		f.Batch = e.Batch
	}
}

// findCatalogue returns the catalogue of a type of provider, which can be empty.
func findCatalogue(typ string) (*catalogue, error) {
	all, err := loadCatalogue()
	if err != nil {
		return nil, err
	}
	if c := all[typ]; c != nil {
		return c, nil
	}
	return newCatalogue(nil), nil
}

// Embeds reports whether the data file says that a model of this provider makes embeddings.
func (p *hosted) Embeds(model string) bool { return p.facts.lookup(model).Embeds }

// FindFacts returns the known facts about a model of a type of provider.
func FindFacts(typ, model string) (Facts, error) {
	c, err := findCatalogue(NormalizeName(typ))
	if err != nil {
		return Facts{}, err
	}
	return *c.findFacts(model), nil
}
