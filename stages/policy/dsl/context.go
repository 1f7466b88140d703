package dsl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ReadContext makes facts of a JSON object that describes a request. In a whole
// one what is left out does not exist; in a part of one it is not known. Nested
// objects may be written flat: {"key": {"tags": […]}} is {"key_tags": […]}.
func ReadContext(text []byte, whole bool, now time.Time) (*Facts, error) {
	var m map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("the context is not a JSON object: %w", plainJSON(err))
	}
	return Context(m, whole, now)
}

// plainJSON tells where JSON is broken without repeating it.
func plainJSON(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("broken at byte %d", syntax.Offset)
	}
	return errors.New("it is of another kind")
}

// Context is ReadContext of an object that is decoded already.
func Context(m map[string]any, whole bool, now time.Time) (*Facts, error) {
	f := &Facts{Now: now, Known: AttrSet(Clock)}
	if whole {
		f.Known, f.Whole = AllAttrs, true
	}
	c := &contextReader{f: f, day: -1, minute: -1}
	if err := c.object("", m); err != nil {
		return nil, err
	}
	if c.day >= 0 || c.minute >= 0 {
		f.Wall = Wall(max(c.day, 0)*dayMinutes + max(c.minute, 0) + 1)
	}
	if f.Asked[1] == "" {
		f.Asked[1] = bare(f.Asked[0])
	}
	return f, nil
}

// bare is a model's name without what stands before its first slash.
func bare(model string) string {
	_, after, ok := strings.Cut(model, "/")
	if !ok {
		return ""
	}
	return after
}

type contextReader struct {
	f           *Facts
	day, minute int
}

// nested are the objects whose fields may also be written flat.
var nested = []string{"tenant", "key", "user", "request", "tools", "messages", "tokens", "budget", "response", "model", "cost", "time"}

func (c *contextReader) object(prefix string, m map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		v, full := m[name], prefix+name
		if inner, ok := v.(map[string]any); ok && prefix == "" && slices.Contains(nested, name) {
			if err := c.object(name+"_", inner); err != nil {
				return err
			}
			continue
		}
		read, ok := contextKeys[full]
		if !ok {
			read, ok = contextKeys[shortNames[full]]
		}
		if !ok {
			known := slices.Sorted(maps.Keys(contextKeys))
			if near := nearest(full, slices.Concat(known, slices.Collect(maps.Keys(shortNames)))); near != "" {
				return fmt.Errorf("the context has the key %q, which is not known; did you mean %q?", full, near)
			}
			return fmt.Errorf("the context has the key %q, which is not known; known are %s", full, strings.Join(known, ", "))
		}
		if v == nil {
			continue // known to be nothing, as in a whole context
		}
		if err := read.set(c, v); err != nil {
			return fmt.Errorf("the context's %q: %w", full, err)
		}
		c.f.Known |= read.attrs
	}
	return nil
}

var (
	errText   = errors.New("write a text")
	errNumber = errors.New("write a number")
	errSwitch = errors.New("write true or false")
	errTexts  = errors.New("write a list of texts")
	errMap    = errors.New("write an object")
)

func asText(set func(f *Facts, s string)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		s, ok := v.(string)
		if !ok {
			return errText
		}
		set(c.f, s)
		return nil
	}
}

func asNumber(set func(f *Facts, n float64)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		n, ok := v.(float64)
		if !ok {
			return errNumber
		}
		set(c.f, n)
		return nil
	}
}

func asSwitch(set func(f *Facts, b bool)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		b, ok := v.(bool)
		if !ok {
			return errSwitch
		}
		set(c.f, b)
		return nil
	}
}

func asTexts(set func(f *Facts, list []string)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		items, ok := v.([]any)
		if s, one := v.(string); one {
			items, ok = []any{s}, true
		}
		if !ok {
			return errTexts
		}
		list := make([]string, len(items))
		for i, item := range items {
			if list[i], ok = item.(string); !ok {
				return errTexts
			}
		}
		set(c.f, list)
		return nil
	}
}

func asMap(set func(f *Facts, m map[string]any)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		m, ok := v.(map[string]any)
		if !ok {
			return errMap
		}
		set(c.f, m)
		return nil
	}
}

func asTime(set func(f *Facts, t time.Time)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		s, ok := v.(string)
		t, err := time.Parse(time.RFC3339, s)
		if !ok || err != nil {
			return errors.New("write a time as 2027-01-31T00:00:00Z")
		}
		set(c.f, t)
		return nil
	}
}

// asLabels reads a list of names, or an object of scores or counts.
func asLabels(at func(f *Facts) *[]Label) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		list := at(c.f)
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				s, ok := item.(string)
				if !ok {
					return errTexts
				}
				*list = AddLabel(*list, s, 1)
			}
			return nil
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				n, ok := v[name].(float64)
				if !ok {
					return errNumber
				}
				l := Label{Name: name, Count: 1, Score: float32(n)}
				if n > 1 {
					l.Count, l.Score = int(n), 1
				}
				*list = append(*list, l)
			}
			return nil
		}
		return errTexts
	}
}

func asHeader(f *Facts, m map[string]any) {
	f.Header = http.Header{}
	for k, v := range m {
		f.Header.Set(k, scalarText(v))
	}
}

func asMetadata(f *Facts, m map[string]any) {
	f.Metadata = map[string]string{}
	for k, v := range m {
		f.Metadata[k] = scalarText(v)
	}
}
