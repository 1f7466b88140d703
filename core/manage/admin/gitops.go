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

// resource is a kind of record that is exported and imported. Its fields are those that a request may send.
type resource struct {
	name string // its list in the document
	what string // one of them, for messages
	// list gives those of the store, and the ids of those that the configuration file holds.
	list func(ctx context.Context, s *Service, who *auth.Actor) (stored []ConfigRecord, filed map[string]bool, err error)
	// check decodes the fields strictly. later are those that a change may send.
	check  func(fields json.RawMessage) error
	later  []string
	create func(ctx context.Context, s *Service, who *auth.Actor, fields json.RawMessage) error
	update func(ctx context.Context, s *Service, who *auth.Actor, id string, fields json.RawMessage) error
	remove func(ctx context.Context, s *Service, who *auth.Actor, id string) error
	// fill puts in what is meant where a document leaves it out within a field; nil: nothing is.
	fill func(r ConfigRecord)
}

// ConfigRecord is a record as it is exported: its id, and its fields.
type ConfigRecord map[string]any

func (r ConfigRecord) id() string {
	id, _ := r["id"].(string)
	return id
}

// kind describes records whose view is V, and whose fields to be sent are C for a new one and U for a change.
func kind[V, C, U any](
	name, what string,
	list func(s *Service, ctx context.Context, who *auth.Actor) (List[V], error),
	source func(V) string,
	create func(s *Service, ctx context.Context, who *auth.Actor, c C) (V, error),
	update func(s *Service, ctx context.Context, who *auth.Actor, id string, c U, m Match) (V, error),
	remove func(s *Service, ctx context.Context, who *auth.Actor, id string, m Match) error,
) resource {
	known := append(fieldsOf(reflect.TypeFor[C]()), "id")
	return resource{
		name: name, what: what,
		list: func(ctx context.Context, s *Service, who *auth.Actor) ([]ConfigRecord, map[string]bool, error) {
			l, err := list(s, ctx, who)
			if err != nil {
				return nil, nil, err
			}
			out, filed := []ConfigRecord{}, map[string]bool{}
			for v, err := range l.All {
				if err != nil {
					return nil, nil, err
				}
				r, err := recordOf(v)
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
			if err := strictly(fields, c); err != nil {
				return err
			}
			return bounded(reflect.ValueOf(c))
		},
		later: fieldsOf(reflect.TypeFor[U]()),
		create: func(ctx context.Context, s *Service, who *auth.Actor, fields json.RawMessage) error {
			var c C
			if err := strictly(fields, &c); err != nil {
				return err
			}
			_, err := create(s, ctx, who, c)
			return err
		},
		update: func(ctx context.Context, s *Service, who *auth.Actor, id string, fields json.RawMessage) error {
			var u U
			if err := strictly(fields, &u); err != nil {
				return err
			}
			_, err := update(s, ctx, who, id, u, "")
			return err
		},
		remove: func(ctx context.Context, s *Service, who *auth.Actor, id string) error {
			return remove(s, ctx, who, id, "")
		},
	}
}

// recordOf is a view as its JSON has it, numbers as they are spelled.
func recordOf(v any) (ConfigRecord, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var r ConfigRecord
	return r, d.Decode(&r)
}

func fieldsOf(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		if f.Anonymous {
			out = append(out, fieldsOf(f.Type)...)
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// strictly decodes fields, and names one that there is not.
func strictly(fields json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(fields))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// resources are the kinds, in the order in which they are imported: what others name comes first.
func resources() []resource {
	tenant := kind("tenants", "tenant",
		func(s *Service, ctx context.Context, who *auth.Actor) (List[Tenant], error) {
			return s.Tenants(ctx, who, Page{})
		},
		func(t Tenant) string { return t.Source }, (*Service).CreateTenant, (*Service).UpdateTenant, (*Service).DeleteTenant)
	route := kind("routes", "route",
		func(s *Service, ctx context.Context, who *auth.Actor) (List[Route], error) {
			return s.Routes(ctx, who, Page{})
		},
		func(r Route) string { return r.Source }, (*Service).CreateRoute, (*Service).UpdateRoute, (*Service).DeleteRoute)
	route.fill = fillWeights
	policy := kind("policies", "policy",
		func(s *Service, ctx context.Context, who *auth.Actor) (List[ConfigPolicy], error) {
			return s.configPolicies(ctx, who)
		},
		func(p ConfigPolicy) string { return p.source }, (*Service).createConfigPolicy, (*Service).updateConfigPolicy, (*Service).DeletePolicy)
	price := kind("prices", "price",
		func(s *Service, ctx context.Context, who *auth.Actor) (List[Price], error) {
			return s.Prices(ctx, who, "", "", Page{})
		},
		func(p Price) string { return p.Source }, (*Service).CreatePrice, (*Service).UpdatePrice, (*Service).DeletePrice)
	budget := kind("budgets", "budget",
		func(s *Service, ctx context.Context, who *auth.Actor) (List[Budget], error) {
			return s.Budgets(ctx, who, "", "", Page{})
		},
		func(b Budget) string { return b.Source }, (*Service).CreateBudget, (*Service).UpdateBudget, (*Service).DeleteBudget)
	return append([]resource{tenant, route, policy, price, budget}, reaching()...)
}

// reaching are the kinds that reach out. A secret is no part of an export, and is given in a document to make one anew.
func reaching() []resource {
	schema := kind("schemas", "output schema",
		func(s *Service, ctx context.Context, who *auth.Actor) (List[OutputSchema], error) {
			if !s.License.Licensed(FeatureSchemas) {
				return listOf([]OutputSchema(nil), Page{}, func(o OutputSchema) string { return o.ID })
			}
			return s.OutputSchemas(ctx, who, Page{})
		},
		func(OutputSchema) string { return store.SourceAPI }, (*Service).CreateOutputSchema, (*Service).UpdateOutputSchema, (*Service).DeleteOutputSchema)
	guardrail := kind("guardrail_plugins", "guardrail plugin",
		func(s *Service, ctx context.Context, who *auth.Actor) (List[configGuardrail], error) {
			l, err := s.GuardrailPlugins(ctx, who, "", Page{})
			if err != nil {
				return List[configGuardrail]{}, err
			}
			return List[configGuardrail]{All: viewed(l.All, func(p *GuardrailPlugin) configGuardrail { return configGuardrail{*p, p.Status == "Enabled"} })}, nil
		},
		func(configGuardrail) string { return store.SourceAPI },
		func(s *Service, ctx context.Context, who *auth.Actor, n NewGuardrailPlugin) (configGuardrail, error) {
			p, err := s.CreateGuardrailPlugin(ctx, who, n)
			return configGuardrail{GuardrailPlugin: p}, err
		},
		func(s *Service, ctx context.Context, who *auth.Actor, id string, c GuardrailPluginChange, m Match) (configGuardrail, error) {
			p, err := s.UpdateGuardrailPlugin(ctx, who, id, c, m)
			return configGuardrail{GuardrailPlugin: p}, err
		}, (*Service).DeleteGuardrailPlugin)
	webhook := kind("webhooks", "webhook",
		func(s *Service, ctx context.Context, who *auth.Actor) (List[Webhook], error) {
			return s.Webhooks(ctx, who, "", Page{})
		},
		func(Webhook) string { return store.SourceAPI }, (*Service).CreateWebhook, (*Service).UpdateWebhook, (*Service).DeleteWebhook)
	return []resource{schema, guardrail, webhook}
}

// configGuardrail is a guardrail plugin whose state is a field that can be sent.
type configGuardrail struct {
	GuardrailPlugin
	Enabled bool `json:"enabled"`
}

// fillWeights gives the targets of a route that have no weight the one that is meant.
func fillWeights(r ConfigRecord) {
	list, _ := r["providers"].([]any)
	for _, x := range list {
		if t, ok := x.(map[string]any); ok && t["weight"] == nil {
			t["weight"] = json.Number("1")
		}
	}
}
