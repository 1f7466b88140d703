package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// Config is the stored configuration as a document for version control: lists of records by kind. It contains neither keys
// nor secrets.
type Config map[string][]ConfigRecord

// has reports whether the document has a kind of records, if only as an empty list.
func (c Config) has(kind string) bool {
	_, ok := c[kind]
	return ok
}

// ConfigChange is one change of an import.
type ConfigChange struct {
	Kind   string   `json:"kind" example:"routes"`
	ID     string   `json:"id"`
	Action string   `json:"action" enum:"create,update,delete"`
	Fields []string `json:"fields,omitempty" nullable:"false" doc:"The fields that an update changes."`
}

// ConfigImported lists the changes of an import, done or planned.
type ConfigImported struct {
	DryRun  bool           `json:"dry_run"`
	Changes []ConfigChange `json:"changes" nullable:"false"`
}

// Export returns the stored configuration.
func (s GitOps) Export(ctx context.Context, who *auth.Actor) (Config, error) {
	if _, err := s.svc.authorize(ctx, who, auth.ConfigRead, ""); err != nil {
		return nil, err
	}
	out := Config{}
	for _, r := range listResources() {
		list, _, err := r.list(ctx, s.svc, who)
		if err != nil {
			return nil, err
		}
		out[r.name] = list
	}
	return out, nil
}

// Import makes the stored records equal to a document. Records of a kind that the document omits stay, or are deleted with
// prune; kinds that it omits stay in any case. With dry nothing is changed. Before the first change, the form of the whole
// document is checked, and all that is known of its agents, MCP servers and virtual servers. If a change fails nevertheless, as
// for a limit of records, the import stops and the error says how far it got.
func (s GitOps) Import(ctx context.Context, who *auth.Actor, c Config, prune, dry bool) (ConfigImported, error) {
	if _, err := s.svc.authorize(ctx, who, auth.ConfigWrite, ""); err != nil {
		return ConfigImported{}, err
	}
	steps, err := s.plan(ctx, who, c, prune)
	if err != nil {
		return ConfigImported{}, err
	}
	out := ConfigImported{DryRun: dry, Changes: make([]ConfigChange, len(steps))}
	for i := range steps {
		out.Changes[i] = steps[i].ConfigChange
	}
	if dry {
		return out, nil
	}
	for i, step := range steps {
		if err := step.do(ctx); err != nil {
			return ConfigImported{}, prefixError(fmt.Sprintf("%s %q, after %d of %d changes: ", step.Kind, step.ID, i, len(steps)), err)
		}
	}
	var e audit.Payload
	e.AddStr("actor", who.ID)
	e.AddInt("changes", int64(len(steps)))
	return out, s.svc.writeEvent(context.WithoutCancel(ctx), "", audit.ConfigImported, &e)
}

// prefixError adds to an error how far an import got.
func prefixError(where string, err error) error {
	var e *core.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s%w", where, err)
	}
	said := *e
	said.Public = where + e.Public
	return &said
}
