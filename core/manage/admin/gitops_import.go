package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Config is the stored configuration as a document for version control: lists of records by kind. It contains neither keys
// nor secrets.
type Config map[string][]ConfigRecord

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
// prune; kinds that it omits stay in any case. With dry nothing is changed. The whole document is checked before the first
// change. If a change fails nevertheless, the import stops and the error says how far it got.
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

// step is one change of an import.
type step struct {
	ConfigChange
	do func(ctx context.Context) error
}

// plan returns the steps of an import.
func (s GitOps) plan(ctx context.Context, who *auth.Actor, c Config, prune bool) ([]step, error) {
	kinds := listResources()
	for name := range c {
		if !slices.ContainsFunc(kinds, func(r resource) bool { return r.name == name }) {
			return nil, newInvalidValueError(name, "unknown kind of record")
		}
	}
	var steps, last []step
	for _, r := range kinds {
		list, named := c[r.name]
		if !named {
			continue
		}
		now, filed, err := r.list(ctx, s.svc, who)
		if err != nil {
			return nil, err
		}
		have := make(map[string]ConfigRecord, len(now))
		for _, x := range now {
			have[x.id()] = x
		}
		seen := map[string]bool{}
		for i, want := range list {
			id := want.id()
			if id == "" || seen[id] {
				return nil, newInvalidValueError(fmt.Sprintf("%s[%d].id", r.name, i), "write an id that no other record has")
			}
			seen[id] = true
			if filed[id] {
				return nil, checkSource(store.SourceFile)
			}
			if have[id] == nil && !recordID.MatchString(id) {
				return nil, newInvalidValueError(fmt.Sprintf("%s[%d].id", r.name, i), "an id has 1 to 128 letters, digits, dots, dashes and underscores")
			}
			st, err := s.compare(r, who, want, have[id])
			if err != nil {
				return nil, newInvalidValueError(fmt.Sprintf("%s[%d]", r.name, i), "%v", err)
			}
			if st != nil {
				steps = append(steps, *st)
			}
		}
		for _, x := range now {
			if id := x.id(); prune && !seen[id] {
				last = append(
					last,
					step{ConfigChange{Kind: r.name, ID: id, Action: deleted}, func(ctx context.Context) error { return r.remove(ctx, s.svc, who, id) }},
				)
			}
		}
	}
	slices.Reverse(last) // delete records before those that they refer to
	return append(steps, last...), nil
}

// compare returns the step that makes a record as wanted, or nil if it is already.
func (s GitOps) compare(r resource, who *auth.Actor, want, have ConfigRecord) (*step, error) {
	fields := maps.Clone(want)
	id := want.id()
	delete(fields, "id")
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if err := r.check(text); err != nil {
		return nil, err
	}
	if have == nil {
		return &step{ConfigChange{Kind: r.name, ID: id, Action: created}, func(ctx context.Context) error {
			own := *s.svc
			own.NewID = func() string { return id }
			own.PolicyService = own.PolicyService.WithIDs(own.NewID)
			return r.create(ctx, &own, who, text)
		}}, nil
	}
	read, err := convertRecord(fields) // so that numbers keep their spelling here too
	if err != nil {
		return nil, err
	}
	if r.fill != nil {
		r.fill(read)
	}
	var differ []string
	for name, v := range read {
		if name == "secret" || name == sealedHeaders { // stored sealed, so they cannot be compared
			continue
		}
		if !reflect.DeepEqual(v, have[name]) && !(have[name] == nil && isEmpty(v)) {
			differ = append(differ, name)
		}
	}
	if len(differ) == 0 {
		return nil, nil
	}
	slices.Sort(differ)
	send := ConfigRecord{}
	for _, name := range differ {
		if !slices.Contains(r.later, name) {
			return nil, fmt.Errorf("%s of an existing %s cannot be changed; delete the record or use another id", name, r.what)
		}
		send[name] = fields[name]
	}
	if h, ok := fields[sealedHeaders]; ok { // a change of an address needs them
		send[sealedHeaders] = h
	}
	if text, err = json.Marshal(send); err != nil {
		return nil, err
	}
	return &step{ConfigChange{Kind: r.name, ID: id, Action: updated, Fields: differ}, func(ctx context.Context) error {
		return r.update(ctx, s.svc, who, id, text)
	}}, nil
}

// sealedHeaders is the field of headers, which agents and MCP servers have.
const sealedHeaders = "headers"

// isEmpty reports whether views omit a value.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
