package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// resource is a kind of record that can be exported and imported. Its fields are those that a request may send.
type resource struct {
	name string // the key of its list in the document
	what string // the singular, for messages
	// list returns the stored records and the ids of those that the configuration file manages.
	list func(ctx context.Context, s *Service, who *auth.Actor) (stored []ConfigRecord, filed map[string]bool, err error)
	// check decodes the fields strictly. later lists the fields that a change may send.
	check func(fields json.RawMessage) error
	// checkNew and checkChange refuse fields that create and update would refuse.
	checkNew    func(ctx context.Context, s *Service, id string, fields json.RawMessage) error
	checkChange func(ctx context.Context, s *Service, id string, fields json.RawMessage) error
	// hasSealed compares a field that is stored sealed; see sealer.
	hasSealed func(ctx context.Context, s *Service, id, field string, value json.RawMessage) (same, isSealed bool, err error)
	later     []string
	create    func(ctx context.Context, s *Service, who *auth.Actor, fields json.RawMessage) error
	update    func(ctx context.Context, s *Service, who *auth.Actor, id string, fields json.RawMessage) error
	remove    func(ctx context.Context, s *Service, who *auth.Actor, id string) error
	// fill adds the defaults that a document may omit inside a field. Optional.
	fill func(r ConfigRecord)
}

// ConfigRecord is an exported record: its id and its fields.
type ConfigRecord map[string]any

func (r ConfigRecord) id() string {
	id, _ := r["id"].(string)
	return id
}

// editor changes the records of one subject. V is the record as the API shows it, C the fields of a new record, U those of a
// change.
type editor[V, C, U any] interface {
	Create(ctx context.Context, who *auth.Actor, c C) (V, error)
	Update(ctx context.Context, who *auth.Actor, id string, c U, m Match) (V, error)
	Delete(ctx context.Context, who *auth.Actor, id string, m Match) error
}

// planner is an editor that says what it would refuse, without storing anything.
type planner[C, U any] interface {
	CheckNew(ctx context.Context, id string, c C) error
	CheckChange(ctx context.Context, id string, c U) error
}

// sealer is an editor of records with fields that are stored sealed and not exported.
type sealer interface {
	// HasSealed reports whether a record has this value in a field. isSealed is false for a field that is not sealed. A stored
	// value that cannot be opened is another.
	HasSealed(ctx context.Context, id, field string, value json.RawMessage) (same, isSealed bool, err error)
}

// newResource describes the records of a subject. source returns whether the store or the configuration file manages a
// record.
func newResource[V, C, U any, E editor[V, C, U]](
	name, what string,
	subject func(*Service) E,
	list func(subject E, ctx context.Context, who *auth.Actor) (List[V], error),
	source func(V) string,
) resource {
	known := append(listFields(reflect.TypeFor[C]()), "id")
	return resource{
		name: name, what: what,
		list: func(ctx context.Context, s *Service, who *auth.Actor) ([]ConfigRecord, map[string]bool, error) {
			l, err := list(subject(s), ctx, who)
			if err != nil {
				return nil, nil, err
			}
			out, filed := []ConfigRecord{}, map[string]bool{}
			for v, err := range l.All {
				if err != nil {
					return nil, nil, err
				}
				r, err := convertRecord(v)
				if err != nil {
					return nil, nil, err
				}
				if source(v) == store.SourceFile {
					filed[r.id()] = true
					continue
				}
				for field := range r {
					if !slices.Contains(known, field) {
						delete(r, field)
					}
				}
				out = append(out, r)
			}
			return out, filed, nil
		},
		check: func(fields json.RawMessage) error {
			c := new(C)
			if err := decodeStrictly(fields, c); err != nil {
				return err
			}
			return checkLimits(reflect.ValueOf(c))
		},
		checkNew: func(ctx context.Context, s *Service, id string, fields json.RawMessage) error {
			var c C
			p, ok := any(subject(s)).(planner[C, U])
			if !ok {
				return nil
			}
			if err := decodeStrictly(fields, &c); err != nil {
				return err
			}
			return p.CheckNew(ctx, id, c)
		},
		checkChange: func(ctx context.Context, s *Service, id string, fields json.RawMessage) error {
			var u U
			p, ok := any(subject(s)).(planner[C, U])
			if !ok {
				return nil
			}
			if err := decodeStrictly(fields, &u); err != nil {
				return err
			}
			return p.CheckChange(ctx, id, u)
		},
		hasSealed: func(ctx context.Context, s *Service, id, field string, value json.RawMessage) (same, isSealed bool, err error) {
			p, ok := any(subject(s)).(sealer)
			if !ok {
				return false, false, nil
			}
			return p.HasSealed(ctx, id, field, value)
		},
		later: listFields(reflect.TypeFor[U]()),
		create: func(ctx context.Context, s *Service, who *auth.Actor, fields json.RawMessage) error {
			var c C
			if err := decodeStrictly(fields, &c); err != nil {
				return err
			}
			_, err := subject(s).Create(ctx, who, c)
			return err
		},
		update: func(ctx context.Context, s *Service, who *auth.Actor, id string, fields json.RawMessage) error {
			var u U
			if err := decodeStrictly(fields, &u); err != nil {
				return err
			}
			_, err := subject(s).Update(ctx, who, id, u, "")
			return err
		},
		remove: func(ctx context.Context, s *Service, who *auth.Actor, id string) error {
			return subject(s).Delete(ctx, who, id, "")
		},
	}
}

// convertRecord converts a view through its JSON. Numbers keep their spelling.
func convertRecord(v any) (ConfigRecord, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var r ConfigRecord
	return r, d.Decode(&r)
}

func listFields(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		if f.Anonymous {
			out = append(out, listFields(f.Type)...)
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// decodeStrictly decodes fields and fails on an unknown one.
func decodeStrictly(fields json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(fields))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
