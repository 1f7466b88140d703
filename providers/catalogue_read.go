package providers

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// section is what the data file says about one provider.
type section struct {
	// Like names a provider with the same models at other prices.
	Like string `yaml:"like"`
	// LikeByName names providers with the same models under some names, at other prices.
	LikeByName []struct {
		Match []string `yaml:"match"`
		Like  string   `yaml:"like"`
	} `yaml:"like_by_name"`
	Models []entry `yaml:"models"`
}

// entry is what the data file says about the models that match one of its patterns.
type entry struct {
	Match   []string `yaml:"match"`
	Source  string   `yaml:"source"`
	Date    string   `yaml:"date"`
	Context int      `yaml:"context"`
	Listed  []string `yaml:"listed"`
	Limit   string   `yaml:"limit_field"`
	Image   int      `yaml:"image_limit"`
	Off     string   `yaml:"thinking_off"`
	Takes   []string `yaml:"takes"`
	Lacks   []string `yaml:"lacks"`
	Price   *Price   `yaml:"price"`
	// As a percentage of the price: see Facts.
	CacheWrite int64 `yaml:"cache_write_pct"`
	Batch      int64 `yaml:"batch_pct"`
	// only holds patterns for entries of another provider: one of them must match too.
	only []string
}

// flags are the accepted words of Takes and Lacks.
var flags = map[string]func(*Facts) *bool{
	"stream_usage":  func(f *Facts) *bool { return &f.StreamUsage },
	"effort":        func(f *Facts) *bool { return &f.Effort },
	"parallel":      func(f *Facts) *bool { return &f.Parallel },
	"custom_tools":  func(f *Facts) *bool { return &f.CustomTools },
	"strict":        func(f *Facts) *bool { return &f.Strict },
	"result_images": func(f *Facts) *bool { return &f.ResultImages },
	"one_sampling":  func(f *Facts) *bool { return &f.OneSampling },
	"own_sampling":  func(f *Facts) *bool { return &f.OwnSampling },
	"free_choice":   func(f *Facts) *bool { return &f.FreeChoice },
	"adaptive":      func(f *Facts) *bool { return &f.Adaptive },
	"count":         func(f *Facts) *bool { return &f.Count },
	"penalties":     func(f *Facts) *bool { return &f.Penalties },
	"seed":          func(f *Facts) *bool { return &f.Seed },
	"logprobs":      func(f *Facts) *bool { return &f.Logprobs },
	"verbosity":     func(f *Facts) *bool { return &f.Verbosity },
	"cache_key":     func(f *Facts) *bool { return &f.CacheKey },
	"detour":        func(f *Facts) *bool { return &f.Detour },
	"embeds":        func(f *Facts) *bool { return &f.Embeds },
}

func readCatalogue(data []byte) (map[string]*catalogue, error) {
	var file map[string]section
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("models.yaml: %w", err)
	}
	out := make(map[string]*catalogue, len(file))
	for typ, s := range file {
		entries, err := copyEntries(file, &s)
		if err != nil {
			return nil, fmt.Errorf("models.yaml: %s: %w", typ, err)
		}
		for i := range s.Models {
			if err := s.Models[i].check(); err != nil {
				return nil, fmt.Errorf("models.yaml: %s, %s: %w", typ, strings.Join(s.Models[i].Match, " "), err)
			}
		}
		out[typ] = newCatalogue(append(entries, s.Models...))
	}
	return out, nil
}

// copyEntries returns what holds for the models of a provider because it holds for those of others.
func copyEntries(file map[string]section, s *section) (out []entry, err error) {
	add := func(like string, only []string) {
		from, ok := file[like]
		if !ok {
			err = fmt.Errorf("unknown provider %q in `like`", like)
		}
		for _, e := range from.Models {
			e.Price, e.CacheWrite, e.Batch, e.only = nil, 0, 0, only // the seller of a model sets its price
			out = append(out, e)
		}
	}
	if s.Like != "" {
		add(s.Like, nil)
	}
	for _, l := range s.LikeByName {
		add(l.Like, l.Match)
	}
	return out, err
}

var (
	decimal = regexp.MustCompile(`^[0-9]+(\.[0-9]{1,10})?$`)
	day     = regexp.MustCompile(`^20[0-9]{2}-[01][0-9]-[0-3][0-9]$`)
)

func (e *entry) check() error {
	if len(e.Match) == 0 {
		return errors.New("`match` is empty")
	}
	if e.Context == 0 && e.Image == 0 && e.Off == "" && e.Limit == "" && e.Price == nil && e.CacheWrite == 0 &&
		e.Batch == 0 && len(e.Takes)+len(e.Lacks)+len(e.Listed) == 0 {
		return errors.New("no facts stated")
	}
	if !strings.HasPrefix(e.Source, "https://") || !day.MatchString(e.Date) {
		return errors.New("`source` or `date` is missing")
	}
	for _, word := range append(append([]string(nil), e.Takes...), e.Lacks...) {
		if flags[word] == nil {
			return fmt.Errorf("unknown trait %q", word)
		}
	}
	if e.CacheWrite < 0 || e.CacheWrite > 1000 || e.Batch < 0 || e.Batch > 100 {
		return errors.New("`cache_write_pct` or `batch_pct` is out of range")
	}
	if e.Price != nil {
		for _, p := range e.Price.ListFigures() {
			if p != "" && !decimal.MatchString(p) {
				return fmt.Errorf("invalid price %q", p)
			}
		}
	}
	return nil
}
