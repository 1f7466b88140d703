package pii

import (
	"fmt"
	"strings"
)

// Allow lists values that are not findings. Values are compared regardless of the case of ASCII letters, and in the form
// that detectors see: digits of other scripts as ASCII, without hidden characters. A domain includes its subdomains, in
// e-mail addresses and URLs.
type Allow struct {
	Values  []string `yaml:"values"`
	Domains []string `yaml:"domains"`
}

type allowList struct{ values, domains map[string]bool }

func newAllowList(a Allow) (*allowList, error) {
	if len(a.Values)+len(a.Domains) == 0 {
		return nil, nil
	}
	l := &allowList{map[string]bool{}, map[string]bool{}}
	for i, v := range a.Values {
		if v == "" {
			return nil, fmt.Errorf("allow: value %d is empty", i+1)
		}
		l.values[strings.ToLower(v)] = true
	}
	for i, d := range a.Domains {
		if d = strings.ToLower(strings.TrimPrefix(d, "@")); d == "" || strings.ContainsAny(d, "@/ *") {
			return nil, fmt.Errorf("allow: domain %d is not a plain name such as example.org, which includes its subdomains", i+1)
		}
		l.domains[d] = true
	}
	return l, nil
}

// has reports whether a value of a type is allowed.
func (l *allowList) has(value, typ string) bool {
	value = strings.ToLower(value)
	if l.values[value] {
		return true
	}
	switch typ {
	case "EMAIL":
		value = value[strings.LastIndexByte(value, '@')+1:]
	case typeURL:
		if i := strings.Index(value, "://"); i >= 0 {
			value = value[i+3:]
		}
		if i := strings.IndexAny(value, "/?#:"); i >= 0 {
			value = value[:i]
		}
	default:
		return false
	}
	for value != "" {
		if l.domains[value] {
			return true
		}
		i := strings.IndexByte(value, '.')
		if i < 0 {
			return false
		}
		value = value[i+1:]
	}
	return false
}
