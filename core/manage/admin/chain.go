package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Chain is the ordered chain of governance stages. Requests pass the links from first to last, answers from last to first.
type Chain struct {
	Object    string      `json:"object" enum:"chain"`
	Source    string      `json:"source" enum:"file,layout" doc:"file: the configuration file applies; layout: a stored layout applies."`
	Version   int64       `json:"version" doc:"The version of the layout; 0 without a layout."`
	UpdatedAt *time.Time  `json:"updated_at,omitempty"`
	Links     []ChainLink `json:"links" nullable:"false"`
	Warnings  []string    `json:"warnings" nullable:"false" doc:"Warnings about the current chain."`

	Issues []ChainIssue `json:"issues,omitempty" nullable:"false" doc:"The same warnings in structured form."`
}

// ChainLink is one link of the chain.
type ChainLink struct {
	Name    string   `json:"name" example:"pii"`
	Kind    string   `json:"kind" enum:"stage,wasm,plugins,webhook,process"`
	Runs    string   `json:"runs" doc:"The compiled-in stage, or the file of the plugin." example:"pii"`
	Phases  []string `json:"phases,omitempty" nullable:"false"`
	Mode    string   `json:"mode" enum:"enforce,shadow"`
	OnFault string   `json:"on_fault" enum:"block,pass"`

	Added  bool           `json:"added,omitempty" doc:"The layout adds the link. The configuration file lacks it."`
	Config map[string]any `json:"config,omitempty" doc:"The settings of an added link."`
}

// Arrangement is an order of links with their modes.
type Arrangement struct {
	Links []ArrangedLink `json:"links" nullable:"false" minItems:"1" maxItems:"256" doc:"The links in the order in which requests pass them. An omitted link of the file stays after the link that it follows there; an omitted link that was added is removed."`
}

// ArrangedLink is one link of an arrangement.
type ArrangedLink struct {
	Name string `json:"name" minLength:"1" maxLength:"128"`
	Mode string `json:"mode,omitempty" enum:"enforce,shadow" doc:"Default: the mode in the file, or of an added link its mode until now."`

	Stage  string         `json:"stage,omitempty" enum:"guardrail,pii" doc:"Adds this compiled-in stage. The file must have no link of this name."`
	Config map[string]any `json:"config,omitempty" doc:"The settings of an added stage. Default: its settings until now."`
}

// ArrangedChain is the chain that results from applying a layout to the configuration file.
type ArrangedChain struct {
	Links    []ChainLink
	Warnings []config.Warning
}

// viewChain returns c with the links and warnings of the arranged chain.
func (a *ArrangedChain) viewChain(c Chain) Chain {
	c.Links, c.Warnings = a.Links, make([]string, len(a.Warnings))
	for i, w := range a.Warnings {
		c.Warnings[i] = w.String()
		if w.Code != "" || strings.HasPrefix(w.Path, "chain") { // otherwise the problem concerns another part of the file
			c.Issues = append(c.Issues, convertChainIssue(a.Links, config.Problem(w)))
		}
	}
	return c
}

// Get returns the chain in its current layout.
func (s ChainEditor) Get(ctx context.Context, who *auth.Actor) (Chain, error) {
	if _, err := s.svc.authorize(ctx, who, auth.ChainRead, ""); err != nil {
		return Chain{}, err
	}
	kept, err := s.svc.Store.ChainLayouts().Get(ctx)
	if err != nil {
		return Chain{}, err
	}
	c, err := s.viewChain(kept)
	if err == nil && !who.Can(auth.ChainWrite) {
		c = s.maskChain(c)
	}
	return c, err
}

// Arrange stores an order and modes of the links, and links that are added. With dry it only returns the issues of the layout.
func (s ChainEditor) Arrange(ctx context.Context, who *auth.Actor, a Arrangement, dry bool, m Match) (Chain, error) {
	if _, err := s.svc.authorize(ctx, who, auth.ChainWrite, ""); err != nil {
		return Chain{}, err
	}
	kept, err := s.svc.Store.ChainLayouts().Get(ctx)
	if err != nil {
		return Chain{}, err
	}
	until, err := BuildLayout(kept)
	if err != nil {
		return Chain{}, err
	}
	now, err := s.svc.Plane.ResolveLayout(nil)
	if err != nil {
		return Chain{}, newInvalidFileError(err)
	}
	l, err := buildLayout(a, now.Links, until)
	if err != nil {
		return Chain{}, err
	}
	tried, err := s.resolve(l)
	if err == nil && len(l.Added) > 0 {
		err = s.svc.Plane.CheckAdded(l)
	}
	if err != nil {
		refused := &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "links", Public: "links: " + err.Error(), Err: err}
		return Chain{}, refused
	}
	if dry {
		return tried.viewChain(Chain{Object: "chain", Source: "layout"}), nil
	}
	return s.storeLayout(ctx, who, updated, l, m)
}

// Reset removes the layout, so that the configuration file applies.
func (s ChainEditor) Reset(ctx context.Context, who *auth.Actor, m Match) error {
	if _, err := s.svc.authorize(ctx, who, auth.ChainWrite, ""); err != nil {
		return err
	}
	_, err := s.storeLayout(ctx, who, deleted, &config.Layout{}, m)
	return err
}

func (s ChainEditor) storeLayout(ctx context.Context, who *auth.Actor, action string, l *config.Layout, m Match) (Chain, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return Chain{}, err
	}
	var was changedRecord
	kept, err := s.svc.Store.ChainLayouts().Change(ctx, who.ID, func(c *store.ChainLayout) error {
		current, err := s.viewChain(*c)
		if err != nil {
			return err
		}
		c.Layout = string(text)
		was.storeView(s.maskChain(current))
		return m.Check(current)
	})
	if err != nil {
		return Chain{}, err
	}
	now, err := s.viewChain(kept)
	if err != nil {
		return Chain{}, err
	}
	return now, s.svc.publishChange(ctx, who, action, "chain", "chain", "", was.view, s.maskChain(now))
}

func (s ChainEditor) viewChain(kept store.ChainLayout) (Chain, error) {
	l, err := BuildLayout(kept)
	if err != nil {
		return Chain{}, err
	}
	a, err := s.resolve(l)
	if err != nil {
		return Chain{}, newInvalidFileError(err)
	}
	v := a.viewChain(Chain{Object: "chain", Source: store.SourceFile, Version: kept.Version, UpdatedAt: nilIfZero(kept.CreatedAt)})
	if !l.IsZero() {
		v.Source = "layout"
	}
	return v, nil
}

// CodeConfigInvalid is the code of operations that read the configuration file while it has an error.
const CodeConfigInvalid = "CONFIG_INVALID"

// newInvalidFileError returns the error for a chain that cannot be read because the configuration file has an error.
// The gateway keeps running the last valid one.
func newInvalidFileError(err error) error {
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusConflict, Code: CodeConfigInvalid, Err: err,
		Public: "the configuration file has an error, and the last valid configuration stays in force: " + err.Error(),
	}
}

// BuildLayout reads a stored layout.
func BuildLayout(kept store.ChainLayout) (*config.Layout, error) {
	l := &config.Layout{}
	if kept.Layout == "" {
		return l, nil
	}
	if err := json.Unmarshal([]byte(kept.Layout), l); err != nil {
		return nil, fmt.Errorf("parse the stored chain layout: %w", err)
	}
	return l, nil
}
