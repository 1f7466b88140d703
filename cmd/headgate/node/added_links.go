package node

import (
	"context"
	"errors"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/stages"
)

// listStageForms returns the stages that can be added to the chain, as the administrative API shows them.
func listStageForms() []admin.StageForm {
	forms := stages.ListForms()
	out := make([]admin.StageForm, len(forms))
	for i, f := range forms {
		out[i] = admin.StageForm{ID: f.ID, Stage: f.Stage, Detector: f.Detector, Schema: f.Schema}
	}
	return out
}

// CheckAdded builds the stages that a layout adds, and returns why the settings of one are wrong.
func (p plane) CheckAdded(l *config.Layout) error {
	cfg, _, err := p.g.flags.loadArranged(l)
	if err != nil {
		return err
	}
	var errs []error
	for i := range cfg.Chain {
		link := &cfg.Chain[i]
		if link.Stage == "" || !slices.ContainsFunc(l.Added, func(a config.AddedLink) bool { return a.Name == link.Name }) {
			continue
		}
		st, err := stages.New(link.Stage, link.Config, stages.Host{Name: link.Name, Tokens: tokens{p.g.rec.vault}})
		if err != nil {
			errs = append(errs, WrapLinkError(link, err))
		} else if c, ok := st.(core.Closer); ok {
			errs = append(errs, c.Close(context.Background()))
		}
	}
	return errors.Join(errs...)
}
