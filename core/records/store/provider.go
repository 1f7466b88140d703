package store

import "time"

// Provider is a model provider that administrators add while the gateway runs. Its id is the name that routes use.
type Provider struct {
	ID                   string
	Type                 string
	BaseURL              string // "" is the address of the type
	Region, Project      string // of the types that have them
	APIVersion           string
	Models               []string // replaces the catalogue's models
	Prefix               bool     // clients reach it although no route names it
	Enabled              bool
	Credentials          []ProviderCredential
	Version              int64
	CreatedAt, UpdatedAt time.Time // set by the store
}

// ProviderCredential is one of the credentials of a provider, among which calls are divided by weight.
type ProviderCredential struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Weight      int       `json:"weight"`
	Enabled     bool      `json:"enabled"`
	AccessKeyID string    `json:"access_key_id,omitempty"` // of bedrock: the secret is the one that belongs to it
	Sealed      []byte    `json:"sealed"`                  // the store cannot open it
	CreatedAt   time.Time `json:"created_at"`
	RotatedAt   time.Time `json:"rotated_at"`
}

var providerTable = newTable(table[Provider]{
	name: "provider", noun: "provider", kind: "provider",
	head: func(p *Provider) head { return head{&p.ID, &p.Version, &p.CreatedAt, &p.UpdatedAt} },
	fields: func(p *Provider) []field {
		return []field{
			newFixedField("id", &p.ID),
			newFixedField("type", &p.Type),
			{column: "base_url", at: &p.BaseURL},
			{column: "region", at: &p.Region},
			{column: "project", at: &p.Project},
			{column: "api_version", at: &p.APIVersion},
			{column: "models", at: newListCodec(&p.Models)},
			{column: "prefix", at: &p.Prefix},
			{column: "enabled", at: &p.Enabled},
			{column: "credentials", at: jsonCodec[[]ProviderCredential]{&p.Credentials, "[]"}},
			{column: "version", at: &p.Version},
			newFixedField("created_at", newInstantCodec(&p.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&p.UpdatedAt)},
		}
	},
})

// Providers returns the providers that administrators have added.
func (db *DB) Providers() Records[Provider] { return Records[Provider]{db, providerTable} }
