package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

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
			st, err := s.compare(ctx, r, who, want, have[id])
			if err != nil {
				return nil, locateError(fmt.Sprintf("%s[%d]", r.name, i), err)
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
	if err := s.checkMembers(ctx, c, prune); err != nil {
		return nil, err
	}
	slices.Reverse(last) // delete records before those that they refer to
	return append(steps, last...), nil
}

// locateError adds to an error about a field of a record where the record is in the document.
func locateError(where string, err error) error {
	var e *core.Error
	if !errors.As(err, &e) {
		return err
	}
	said := *e
	switch rest, ok := strings.CutPrefix(e.Public, e.Param); {
	case e.Param == "":
		said.Param, said.Public = where, where+": "+e.Public
	case ok:
		said.Param = where + "." + e.Param
		said.Public = said.Param + rest
	default:
		said.Param = where + "." + e.Param
		said.Public = said.Param + ": " + e.Public
	}
	return &said
}

// newDocumentError returns the error about a record of a document that cannot be read.
func newDocumentError(err error) error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: err.Error()}
}

// compare returns the step that makes a record as wanted, or nil if it is already.
func (s GitOps) compare(ctx context.Context, r resource, who *auth.Actor, want, have ConfigRecord) (*step, error) {
	fields := maps.Clone(want)
	id := want.id()
	delete(fields, "id")
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if err := r.check(text); err != nil {
		return nil, newDocumentError(err)
	}
	if have == nil {
		if err := r.checkNew(ctx, s.svc, id, text); err != nil {
			return nil, err
		}
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
		same, err := s.isSame(ctx, r, have, name, v)
		if err != nil {
			return nil, err
		}
		if !same {
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
			return nil, newDocumentError(fmt.Errorf("%s of an existing %s cannot be changed; delete the record or use another id", name, r.what))
		}
		send[name] = fields[name]
	}
	if h, ok := fields[sealedHeaders]; ok { // a change of an address needs them
		send[sealedHeaders] = h
	}
	if text, err = json.Marshal(send); err != nil {
		return nil, err
	}
	if err := r.checkChange(ctx, s.svc, id, text); err != nil {
		return nil, err
	}
	return &step{ConfigChange{Kind: r.name, ID: id, Action: updated, Fields: differ}, func(ctx context.Context) error {
		return r.update(ctx, s.svc, who, id, text)
	}}, nil
}

// isSame reports whether a record has this value in a field.
func (s GitOps) isSame(ctx context.Context, r resource, have ConfigRecord, field string, value any) (bool, error) {
	if value != nil {
		b, err := json.Marshal(value)
		if err != nil {
			return false, err
		}
		if same, isSealed, err := r.hasSealed(ctx, s.svc, have.id(), field, b); isSealed || err != nil {
			return same, err
		}
	}
	return reflect.DeepEqual(value, have[field]) || have[field] == nil && isEmpty(value), nil
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
