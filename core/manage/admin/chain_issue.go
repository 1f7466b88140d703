package admin

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/headgate-dev/headgate/core/config"
)

// ChainIssue is a warning about a chain or an error in it.
type ChainIssue struct {
	Link string `json:"link,omitempty" doc:"The link that the issue concerns."`
	Code string `json:"code,omitempty" example:"CACHE_BEFORE_PII"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty" doc:"What to do about it."`
}

var chainPlace = regexp.MustCompile(`chain\[(\d+)\]`)

// convertChainIssue translates a problem of a chain. It identifies links by name, because readers may lack the file.
func convertChainIssue(links []ChainLink, p config.Problem) ChainIssue {
	name := func(place string) string {
		m := chainPlace.FindStringSubmatch(place)
		if m == nil {
			return ""
		}
		if n, err := strconv.Atoi(m[1]); err == nil && n < len(links) {
			return links[n].Name
		}
		return m[0]
	}
	named := func(text string) string { return chainPlace.ReplaceAllStringFunc(text, name) }
	return ChainIssue{Link: name(p.Path), Code: p.Code, Text: named(p.Message), Hint: named(p.Hint)}
}

// ListChainFaults returns the problems for which Arrange refused a layout, or nil if it failed for another reason.
func ListChainFaults(a Arrangement, err error) []ChainIssue {
	var list *config.Problems
	if !errors.As(err, &list) {
		return nil
	}
	links := make([]ChainLink, len(a.Links))
	for i := range a.Links {
		links[i].Name = a.Links[i].Name
	}
	out := make([]ChainIssue, len(list.List))
	for i, p := range list.List {
		out[i] = convertChainIssue(links, p)
	}
	return out
}
