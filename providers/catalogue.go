package providers

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core"
)

// Facts are what is known of one model of a provider. What nobody is sure of
// keeps its zero value.
type Facts struct {
	core.Traits
	Context int // the context window in tokens
	Price   Price
	// Detour is true for a model that takes tools together with an effort on the
	// Responses API alone.
	Detour bool
}

// Price is in USD for a million tokens, as a decimal number; "" is not known.
type Price struct {
	Input  string `yaml:"input"`
	Output string `yaml:"output"`
	Cached string `yaml:"cached"` // input read from the provider's cache
}

// section is what the data file says of one provider.
type section struct {
	// Like names a provider whose models these are too.
	Like   string  `yaml:"like"`
	Models []entry `yaml:"models"`
}

// entry says something of the models that one of its patterns fits.
type entry struct {
	Match   []string `yaml:"match"`
	Source  string   `yaml:"source"`
	Date    string   `yaml:"date"` // when the source was read
	Context int      `yaml:"context"`
	Limit   string   `yaml:"limit_field"`
	Takes   []string `yaml:"takes"`
	Lacks   []string `yaml:"lacks"`
	Price   *Price   `yaml:"price"`
}

// flags are the words of Takes and Lacks.
var flags = map[string]func(*Facts) *bool{
	"stream_usage":  func(f *Facts) *bool { return &f.StreamUsage },
	"effort":        func(f *Facts) *bool { return &f.Effort },
	"parallel":      func(f *Facts) *bool { return &f.Parallel },
	"custom_tools":  func(f *Facts) *bool { return &f.CustomTools },
	"strict":        func(f *Facts) *bool { return &f.Strict },
	"result_images": func(f *Facts) *bool { return &f.ResultImages },
	"one_sampling":  func(f *Facts) *bool { return &f.OneSampling },
	"count":         func(f *Facts) *bool { return &f.Count },
	"penalties":     func(f *Facts) *bool { return &f.Penalties },
	"seed":          func(f *Facts) *bool { return &f.Seed },
	"logprobs":      func(f *Facts) *bool { return &f.Logprobs },
	"verbosity":     func(f *Facts) *bool { return &f.Verbosity },
	"cache_key":     func(f *Facts) *bool { return &f.CacheKey },
	"detour":        func(f *Facts) *bool { return &f.Detour },
}

// catalogue is what is known of one provider's models.
type catalogue struct {
	entries []entry

	mu    sync.Mutex
	known atomic.Pointer[map[string]*Facts] // by model: copied when it grows
}

// knownModels bounds the models that are remembered: their names come from
// clients.
const knownModels = 1024

// loadCatalogue reads the data file, once.
var loadCatalogue = sync.OnceValues(func() (map[string]*catalogue, error) { return readCatalogue(configs.Models) })

func readCatalogue(data []byte) (map[string]*catalogue, error) {
	var file map[string]section
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("models.yaml: %w", err)
	}
	out := make(map[string]*catalogue, len(file))
	for typ, s := range file {
		like, ok := file[s.Like]
		if s.Like != "" && !ok {
			return nil, fmt.Errorf("models.yaml: %s is like %q, which is not there", typ, s.Like)
		}
		for i := range s.Models {
			if err := s.Models[i].check(); err != nil {
				return nil, fmt.Errorf("models.yaml: %s, %s: %w", typ, strings.Join(s.Models[i].Match, " "), err)
			}
		}
		out[typ] = newCatalogue(append(slices.Clip(like.Models), s.Models...))
	}
	return out, nil
}

var (
	decimal = regexp.MustCompile(`^[0-9]+(\.[0-9]{1,6})?$`)
	day     = regexp.MustCompile(`^20[0-9]{2}-[01][0-9]-[0-3][0-9]$`)
)

func (e *entry) check() error {
	if len(e.Match) == 0 {
		return errors.New("it says of no model what it says")
	}
	if !strings.HasPrefix(e.Source, "https://") || !day.MatchString(e.Date) {
		return errors.New("source or date is missing")
	}
	for _, word := range append(append([]string(nil), e.Takes...), e.Lacks...) {
		if flags[word] == nil {
			return fmt.Errorf("there is no trait %q", word)
		}
	}
	if e.Price != nil {
		for _, p := range []string{e.Price.Input, e.Price.Output, e.Price.Cached} {
			if p != "" && !decimal.MatchString(p) {
				return fmt.Errorf("%q is no price", p)
			}
		}
	}
	return nil
}

func newCatalogue(entries []entry) *catalogue {
	c := &catalogue{entries: entries}
	c.known.Store(&map[string]*Facts{})
	return c
}

// of gives what is known of a model.
func (c *catalogue) of(model string) *Facts {
	if f, ok := (*c.known.Load())[model]; ok {
		return f
	}
	f := c.find(model)
	c.mu.Lock()
	defer c.mu.Unlock()
	old := *c.known.Load()
	if len(old) >= knownModels {
		return f
	}
	grown := make(map[string]*Facts, len(old)+1)
	for k, v := range old {
		grown[k] = v
	}
	grown[strings.Clone(model)] = f
	c.known.Store(&grown)
	return f
}

// find lays the entries that fit one over the other, from top to bottom.
func (c *catalogue) find(model string) *Facts {
	f := &Facts{}
	for i := range c.entries {
		if e := &c.entries[i]; e.fits(model) {
			e.lay(f)
		}
	}
	return f
}

func (e *entry) fits(model string) bool {
	for _, pattern := range e.Match {
		if core.Glob(pattern, model) {
			return true
		}
	}
	return false
}

func (e *entry) lay(f *Facts) {
	if e.Context != 0 {
		f.Context = e.Context
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
		f.Price = *e.Price
	}
}

// catalogueOf is what is known of the models of a type of provider: of some,
// nothing.
func catalogueOf(typ string) (*catalogue, error) {
	all, err := loadCatalogue()
	if err != nil {
		return nil, err
	}
	if c := all[typ]; c != nil {
		return c, nil
	}
	return newCatalogue(nil), nil
}

// Known gives what is known of a model of a type of provider.
func Known(typ, model string) (Facts, error) {
	c, err := catalogueOf(Canonical(typ))
	if err != nil {
		return Facts{}, err
	}
	return *c.find(model), nil
}
