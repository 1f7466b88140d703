package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Upstreams are the providers of the running gateway.
type Upstreams interface {
	// FileProviders returns the providers of the configuration file, sorted by name.
	FileProviders() []Provider
	// ProviderTypes returns the types of providers, sorted.
	ProviderTypes() []string
	// CheckProvider returns why a stored provider cannot work, or nil. It does not call the provider.
	CheckProvider(p *store.Provider) error
	// ReadProviderStatus returns what is known of a provider of the runtime in force, with the credentials that it has used.
	ReadProviderStatus(name string) ProviderStatus
	// TestProvider calls a provider, with one credential of a stored one.
	TestProvider(ctx context.Context, p *store.Provider, credential, model string) (ProviderTest, error)
}

// Provider is a model provider. Its credentials are never shown.
type Provider struct {
	ID         string   `json:"id" doc:"The name that routes use."`
	Type       string   `json:"type" example:"openai"`
	BaseURL    string   `json:"base_url,omitempty" doc:"Omitted: the address of the type."`
	Region     string   `json:"region,omitempty"`
	Project    string   `json:"project,omitempty"`
	APIVersion string   `json:"api_version,omitempty"`
	Models     []string `json:"models,omitempty" doc:"Models that are listed instead of those of the catalogue."`
	Prefix     bool     `json:"prefix" doc:"Whether clients reach it by its prefix even if no route names it."`
	Enabled    bool     `json:"enabled"`
	Source     string   `json:"source" enum:"api,file" doc:"file: the configuration file defines it, and it can only be changed there."`
	// Credentials of a provider of the file have no id.
	Credentials []ProviderCredential `json:"credentials" nullable:"false"`
	CreatedAt   *time.Time           `json:"created_at,omitempty"`
	UpdatedAt   *time.Time           `json:"updated_at,omitempty"`
}

// ProviderCredential is a credential of a provider, without its secret.
type ProviderCredential struct {
	ID        string     `json:"id,omitempty"`
	Name      string     `json:"name"`
	Kind      string     `json:"kind" enum:"api_key,access_key" doc:"access_key: the secret of an access key of AWS."`
	Weight    int        `json:"weight" doc:"The share of the calls, relative to the other credentials."`
	Enabled   bool       `json:"enabled"`
	CreatedAt *time.Time `json:"created_at,omitempty"`
	RotatedAt *time.Time `json:"rotated_at,omitempty" doc:"When its secret was last set."`
}

// ProviderStatus is the state of a provider on the node that answers.
type ProviderStatus struct {
	Serving     bool               `json:"serving" doc:"Whether the gateway of this node can call it."`
	Problem     string             `json:"problem,omitempty" doc:"Why the gateway of this node cannot call it."`
	Health      string             `json:"health,omitempty"`
	Credentials []CredentialStatus `json:"credentials" nullable:"false"`
}

// CredentialStatus is the state of a credential on the node that answers.
type CredentialStatus struct {
	ID         string     `json:"id"`
	RestsUntil *time.Time `json:"rests_until,omitempty" doc:"Until when calls use other credentials, because the provider refused this one or its rate limit was reached."`
	Status     int        `json:"status,omitempty" doc:"The HTTP status because of which calls use other credentials."`
}

// ProviderTest is a provider's own answer to a test call.
type ProviderTest struct {
	OK        bool     `json:"ok"`
	Status    int      `json:"status,omitempty" doc:"The HTTP status; omitted if there was no answer."`
	Answer    string   `json:"answer,omitempty" doc:"The beginning of the answer, without parts of the credential."`
	Models    []string `json:"models,omitempty"`
	LatencyMS int64    `json:"latency_ms"`
}

// NewProvider contains the fields of a new provider.
// Its own type: id and type are required, and no change can set them.
type NewProvider struct {
	ID string `json:"id" minLength:"1" maxLength:"64" pattern:"^[a-z0-9][a-z0-9_.-]*$" doc:"The name that routes use. It cannot be changed." example:"aws"`
	ProviderChange
	Type       string         `json:"type" minLength:"1" maxLength:"64" doc:"It cannot be changed." example:"bedrock"`
	Credential *NewCredential `json:"credential,omitempty" doc:"The first credential."`
}

// ProviderChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new provider.
type ProviderChange struct {
	BaseURL    *string   `json:"base_url,omitempty" maxLength:"2048" doc:"An https URL of a public host, unless the operator allows others. Empty: the address of the type." example:"https://bedrock-runtime.eu-central-1.amazonaws.com"`
	Region     *string   `json:"region,omitempty" maxLength:"64" example:"eu-central-1"`
	Project    *string   `json:"project,omitempty" maxLength:"64"`
	APIVersion *string   `json:"api_version,omitempty" maxLength:"64"`
	Models     *[]string `json:"models,omitempty" maxItems:"1000" nullable:"false"`
	Prefix     *bool     `json:"prefix,omitempty"`
	Enabled    *bool     `json:"enabled,omitempty" doc:"true by default."`
}

// NewCredential contains the fields of a new credential.
// Its own type: a secret must never be part of an answer or of a recorded change.
type NewCredential struct {
	Name        string `json:"name" minLength:"1" maxLength:"100"`
	Secret      string `json:"secret" minLength:"1" maxLength:"8192" writeOnly:"true" doc:"The API key. It is stored sealed and never shown."`
	AccessKeyID string `json:"access_key_id,omitempty" maxLength:"128" writeOnly:"true" doc:"For bedrock: the id of the access key; secret is then the secret access key."`
	Weight      *int   `json:"weight,omitempty" minimum:"1" maximum:"10000" doc:"1 by default."`
}

// CredentialChange contains the fields that a request sends. A nil field keeps its value.
type CredentialChange struct {
	Name    *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
	Weight  *int    `json:"weight,omitempty" minimum:"1" maximum:"10000"`
	Enabled *bool   `json:"enabled,omitempty"`
}

// CredentialRotation replaces the secret of a credential.
// Its own type: a secret must never be part of an answer or of a recorded change.
type CredentialRotation struct {
	Secret      string `json:"secret" minLength:"1" maxLength:"8192" writeOnly:"true" doc:"The new secret. It is used within seconds on every node."`
	AccessKeyID string `json:"access_key_id,omitempty" maxLength:"128" writeOnly:"true" doc:"For bedrock: the id of the new access key."`
}

// ProviderTestRequest says what to test.
type ProviderTestRequest struct {
	Credential string `json:"credential,omitempty" maxLength:"128" doc:"The id of a credential; by default the first enabled one."`
	Model      string `json:"model,omitempty" maxLength:"256" doc:"Calls this model for one token, which the provider charges. By default the list of models is requested."`
}

func (c *ProviderChange) apply(p *store.Provider) {
	for _, v := range []struct{ to, from *string }{
		{&p.BaseURL, c.BaseURL}, {&p.Region, c.Region}, {&p.Project, c.Project}, {&p.APIVersion, c.APIVersion},
	} {
		if v.from != nil {
			*v.to = strings.TrimSpace(*v.from)
		}
	}
	if c.Models != nil {
		p.Models = slices.Clone(*c.Models)
	}
	if c.Prefix != nil {
		p.Prefix = *c.Prefix
	}
	if c.Enabled != nil {
		p.Enabled = *c.Enabled
	}
}

func viewProvider(p *store.Provider) Provider {
	v := Provider{
		ID: p.ID, Type: p.Type, BaseURL: p.BaseURL, Region: p.Region, Project: p.Project, APIVersion: p.APIVersion, Models: p.Models,
		Prefix: p.Prefix, Enabled: p.Enabled, Source: store.SourceAPI, CreatedAt: &p.CreatedAt, UpdatedAt: &p.UpdatedAt,
		Credentials: make([]ProviderCredential, len(p.Credentials)),
	}
	for i := range p.Credentials {
		c := p.Credentials[i]
		v.Credentials[i] = ProviderCredential{
			ID: c.ID, Name: c.Name, Kind: "api_key", Weight: c.Weight, Enabled: c.Enabled, CreatedAt: &c.CreatedAt, RotatedAt: &c.RotatedAt,
		}
		if c.AccessKeyID != "" {
			v.Credentials[i].Kind = "access_key"
		}
	}
	return v
}

// List lists the providers of the configuration file and of the database.
func (s Providers) List(ctx context.Context, who *auth.Actor, page Page) (List[Provider], error) {
	if _, err := s.svc.authorize(ctx, who, auth.ProvidersRead, ""); err != nil {
		return List[Provider]{}, err
	}
	stored, err := s.svc.Store.Providers().List(ctx)
	if err != nil {
		return List[Provider]{}, err
	}
	var all []Provider
	if s.svc.Upstreams != nil {
		all = slices.Clone(s.svc.Upstreams.FileProviders())
	}
	for i := range stored {
		if !slices.ContainsFunc(all, func(p Provider) bool { return p.ID == stored[i].ID }) { // the file's applies
			all = append(all, viewProvider(&stored[i]))
		}
	}
	slices.SortFunc(all, func(a, b Provider) int { return strings.Compare(a.ID, b.ID) })
	return newList(all, page, func(p Provider) string { return p.ID })
}

// Get returns a provider.
func (s Providers) Get(ctx context.Context, who *auth.Actor, id string) (Provider, error) {
	if _, err := s.svc.authorize(ctx, who, auth.ProvidersRead, ""); err != nil {
		return Provider{}, err
	}
	if p, ok := s.findInFile(id); ok {
		return p, nil
	}
	p, err := s.svc.Store.Providers().Get(ctx, id)
	return viewProvider(&p), mapNotFound(err, "provider")
}

func (s Providers) findInFile(id string) (Provider, bool) {
	if s.svc.Upstreams == nil {
		return Provider{}, false
	}
	for _, p := range s.svc.Upstreams.FileProviders() {
		if p.ID == id {
			return p, true
		}
	}
	return Provider{}, false
}

// GetStatus returns the state of a provider on this node.
func (s Providers) GetStatus(ctx context.Context, who *auth.Actor, id string) (ProviderStatus, error) {
	out := ProviderStatus{Credentials: []CredentialStatus{}, Problem: "this process calls no providers"}
	p, err := s.Get(ctx, who, id)
	if err != nil || s.svc.Upstreams == nil {
		return out, err
	}
	st := s.svc.Upstreams.ReadProviderStatus(id)
	out.Serving, out.Problem, out.Health = st.Serving, st.Problem, st.Health
	for _, c := range p.Credentials {
		if i := slices.IndexFunc(st.Credentials, func(now CredentialStatus) bool { return now.ID == c.ID }); i >= 0 {
			out.Credentials = append(out.Credentials, st.Credentials[i])
		}
	}
	return out, nil
}

// Types returns the types of providers that can be added.
func (s Providers) Types() []string {
	if s.svc.Upstreams == nil {
		return nil
	}
	return s.svc.Upstreams.ProviderTypes()
}
