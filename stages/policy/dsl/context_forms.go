package dsl

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"
)

func makeTextReader(set func(f *Facts, s string)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		s, ok := v.(string)
		if !ok {
			return errText
		}
		set(c.f, s)
		return nil
	}
}

func makeNumberReader(set func(f *Facts, n float64)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		n, ok := v.(float64)
		if !ok {
			return errNumber
		}
		set(c.f, n)
		return nil
	}
}

func makeSwitchReader(set func(f *Facts, b bool)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		b, ok := v.(bool)
		if !ok {
			return errSwitch
		}
		set(c.f, b)
		return nil
	}
}

func makeTextsReader(set func(f *Facts, list []string)) func(*contextReader, any) error {
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

func makeMapReader(set func(f *Facts, m map[string]any)) func(*contextReader, any) error {
	return func(c *contextReader, v any) error {
		m, ok := v.(map[string]any)
		if !ok {
			return errMap
		}
		set(c.f, m)
		return nil
	}
}

func makeTimeReader(set func(f *Facts, t time.Time)) func(*contextReader, any) error {
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

// makeLabelsReader reads a list of names, or an object of scores or counts.
func makeLabelsReader(at func(f *Facts) *[]Label) func(*contextReader, any) error {
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

func setHeader(f *Facts, m map[string]any) {
	f.Header = http.Header{}
	for k, v := range m {
		f.Header.Set(k, formatScalar(v))
	}
}

func setMetadata(f *Facts, m map[string]any) {
	f.Metadata = map[string]string{}
	for k, v := range m {
		f.Metadata[k] = formatScalar(v)
	}
}
