package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
)

// StageForm describes the settings of a stage that can be added to the chain: of a whole stage, or of one detector of the
// guardrail stage.
type StageForm struct {
	ID       string `json:"id" example:"keywords"`
	Stage    string `json:"stage" enum:"guardrail,pii"`
	Detector string `json:"detector,omitempty" doc:"The type of the one detector that the settings describe. They are then an entry of the list detectors."`

	Schema map[string]any `json:"schema" doc:"The JSON Schema of the settings, with the order of the fields of a form in x-order."`
}

// ListStageForms returns the stages that can be added.
func (s ChainEditor) ListStageForms(ctx context.Context, who *auth.Actor) ([]StageForm, error) {
	if _, err := s.svc.authorize(ctx, who, auth.ChainRead, ""); err != nil {
		return nil, err
	}
	return s.svc.StageForms, nil
}

// buildLayout parses an arrangement of the links of the file and of added ones. It stores only differences from the file,
// because the file may change. until is the layout that it replaces.
func buildLayout(a Arrangement, file []ChainLink, until *config.Layout) (*config.Layout, error) {
	l := &config.Layout{Modes: map[string]config.Mode{}}
	known, modes, order := map[string]bool{}, map[string]string{}, make([]string, len(file))
	for i := range file {
		order[i] = file[i].Name
		known[file[i].Name], modes[file[i].Name] = true, file[i].Mode
	}
	for i := range a.Links {
		x := &a.Links[i]
		_, written := modes[x.Name]
		switch {
		case known[x.Name]:
			delete(known, x.Name)
			if x.Stage != "" {
				return nil, newInvalidValueError(fmt.Sprintf("links[%d].stage", i), "the file has a link of this name; choose another name")
			}
		case written || slices.Contains(l.Order, x.Name):
			return nil, newInvalidValueError(fmt.Sprintf("links[%d].name", i), "the chain has no such link, or the name appears twice")
		default:
			if !addLink(l, x, until) {
				return nil, newInvalidValueError(fmt.Sprintf("links[%d].name", i), "the chain has no such link, or the name appears twice")
			}
			modes[x.Name], x.Mode = string(config.Enforce), cmp.Or(x.Mode, string(until.Modes[x.Name]))
		}
		l.Order = append(l.Order, x.Name)
		if x.Mode != "" && x.Mode != modes[x.Name] {
			l.Modes[x.Name] = config.Mode(x.Mode)
		}
	}
	if slices.Equal(l.Order, order) {
		l.Order = nil
	}
	return l, nil
}

// addLink adds a link to a layout: a new one, or one that the layout until now has. It returns false if it is neither.
func addLink(l *config.Layout, x *ArrangedLink, until *config.Layout) bool {
	link := config.AddedLink{Name: x.Name, Stage: x.Stage, Config: x.Config}
	if at := slices.IndexFunc(until.Added, func(a config.AddedLink) bool { return a.Name == x.Name }); at >= 0 && x.Stage == "" {
		link.Stage = until.Added[at].Stage
		if link.Config == nil {
			link.Config = until.Added[at].Config
		}
	}
	if link.Stage == "" {
		return false
	}
	l.Added = append(l.Added, link)
	return true
}

// resolve applies a layout to the chain of the configuration file, and marks the links that it adds.
func (s ChainEditor) resolve(l *config.Layout) (ArrangedChain, error) {
	a, err := s.svc.Plane.ResolveLayout(l)
	if err != nil || l == nil || len(l.Added) == 0 {
		return a, err
	}
	file, err := s.svc.Plane.ResolveLayout(nil)
	if err != nil {
		return a, err
	}
	for i := range l.Added {
		added := &l.Added[i]
		matches := func(v ChainLink) bool { return v.Name == added.Name }
		if at := slices.IndexFunc(a.Links, matches); at >= 0 && !slices.ContainsFunc(file.Links, matches) {
			a.Links[at].Added, a.Links[at].Config = true, added.Config
		}
	}
	return a, nil
}
