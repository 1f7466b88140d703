package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// maxCredentials is the maximum number of credentials of a provider.
const maxCredentials = 64

// authorizeChange checks that providers can be changed by an actor, and that the file does not define this one.
func (s Providers) authorizeChange(ctx context.Context, who *auth.Actor, id string) error {
	if _, err := s.svc.authorize(ctx, who, auth.ProvidersWrite, ""); err != nil {
		return err
	}
	if s.svc.Upstreams == nil || s.svc.ProviderBox == nil {
		return &core.Error{Kind: core.InvalidRequest, Code: core.CodeUnsupported, Public: "this process cannot change providers; ask a gateway"}
	}
	if _, ok := s.findInFile(id); ok {
		return checkSource(store.SourceFile)
	}
	return nil
}

// check refuses a provider that cannot work.
func (s Providers) check(p *store.Provider) error {
	if err := s.svc.Upstreams.CheckProvider(p); err != nil {
		return err
	}
	for _, m := range p.Models {
		if strings.TrimSpace(m) == "" || len(m) > 256 || strings.ContainsAny(m, "\r\n\x00") {
			return newInvalidValueError("models", "write names of models, of at most 256 characters each")
		}
	}
	return nil
}

// Create adds a provider. The gateways call it within seconds, if it is enabled.
func (s Providers) Create(ctx context.Context, who *auth.Actor, n NewProvider) (Provider, error) {
	if err := s.authorizeChange(ctx, who, n.ID); err != nil {
		return Provider{}, err
	}
	p := store.Provider{ID: n.ID, Type: n.Type, Enabled: true}
	n.apply(&p)
	if n.Credential != nil {
		if err := s.addCredential(&p, n.Credential); err != nil {
			return Provider{}, err
		}
	}
	if err := s.check(&p); err != nil {
		return Provider{}, err
	}
	p, err := s.svc.Store.Providers().Insert(ctx, p)
	if err != nil {
		return Provider{}, mapTaken(err, "provider")
	}
	return viewProvider(&p), s.svc.publishChange(ctx, who, created, "provider", p.ID, "", nil, viewProvider(&p))
}

// Update changes the given fields. The address of a provider with credentials stays: whoever may change it must not learn them.
func (s Providers) Update(ctx context.Context, who *auth.Actor, id string, c ProviderChange, m Match) (Provider, error) {
	return s.change(ctx, who, id, updated, m, func(p *store.Provider) error {
		address := p.BaseURL
		if c.apply(p); p.BaseURL != address && len(p.Credentials) > 0 {
			return newConflictError(CodeConflict, "stored keys are not sent to another address; delete the keys, change the address, then add them again")
		}
		return s.check(p)
	})
}

func (s Providers) change(
	ctx context.Context,
	who *auth.Actor,
	id, action string,
	m Match,
	change func(*store.Provider) error,
) (Provider, error) {
	var was changedRecord
	if err := s.authorizeChange(ctx, who, id); err != nil {
		return Provider{}, err
	}
	p, err := s.svc.Store.Providers().Change(ctx, id, func(p *store.Provider) error {
		if err := m.Check(was.storeView(viewProvider(p))); err != nil {
			return err
		}
		p.Credentials = slices.Clone(p.Credentials)
		return change(p)
	})
	if err != nil {
		return Provider{}, mapNotFound(err, "provider")
	}
	return viewProvider(&p), s.svc.publishChange(ctx, who, action, "provider", id, "", was.view, viewProvider(&p))
}

// Delete removes a provider with its credentials, unless a route of the database names it.
func (s Providers) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	if err := s.authorizeChange(ctx, who, id); err != nil {
		return err
	}
	routes, err := s.svc.Store.Routes().List(ctx)
	if err != nil {
		return err
	}
	for i := range routes {
		if slices.ContainsFunc(routes[i].Targets, func(t store.RouteTarget) bool { return t.Provider == id }) {
			return newConflictError(CodeConflict, "the route "+routes[i].ModelPattern+" names this provider; change or delete the route first")
		}
	}
	err = s.svc.Store.Providers().Delete(ctx, id, func(p store.Provider) error { return m.Check(was.storeView(viewProvider(&p))) })
	if err != nil {
		return mapNotFound(err, "provider")
	}
	return s.svc.publishChange(ctx, who, deleted, "provider", id, "", was.view, nil)
}

// CreateCredential adds a credential to a provider.
func (s Providers) CreateCredential(ctx context.Context, who *auth.Actor, id string, n NewCredential, m Match) (Provider, error) {
	return s.change(ctx, who, id, "create credential", m, func(p *store.Provider) error {
		if err := s.addCredential(p, &n); err != nil {
			return err
		}
		return s.check(p)
	})
}

func (s Providers) addCredential(p *store.Provider, n *NewCredential) error {
	if len(p.Credentials) >= maxCredentials {
		return newConflictError(CodeConflict, "a provider has at most 64 credentials; delete one first")
	}
	if slices.ContainsFunc(p.Credentials, func(c store.ProviderCredential) bool { return c.Name == n.Name }) {
		return newConflictError(CodeConflict, "the provider has a credential of this name; choose another")
	}
	c := store.ProviderCredential{ID: s.svc.NewID(), Name: n.Name, Weight: 1, Enabled: true, CreatedAt: s.svc.Now().UTC()}
	if n.Weight != nil {
		c.Weight = *n.Weight
	}
	if err := s.setCredentialSecret(p, &c, n.Secret, n.AccessKeyID); err != nil {
		return err
	}
	p.Credentials = append(p.Credentials, c)
	return nil
}

// setCredentialSecret sets the secret of a credential.
func (s Providers) setCredentialSecret(p *store.Provider, c *store.ProviderCredential, secret, accessKey string) error {
	switch {
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) || secret == "":
		return newInvalidValueError("secret", "write the key without spaces and line breaks")
	case strings.ContainsFunc(accessKey, func(r rune) bool { return r <= ' ' || r > '~' || r == '/' }):
		return newInvalidValueError("access_key_id", "write the id without spaces, slashes and line breaks")
	case accessKey != "" && p.Type != "bedrock":
		return newInvalidValueError("access_key_id", "only bedrock has access keys; omit it")
	}
	c.Sealed = s.svc.ProviderBox.Seal([]byte(secret), p.ID+"\x00"+c.ID)
	c.AccessKeyID, c.RotatedAt = accessKey, s.svc.Now().UTC()
	return nil
}

// UpdateCredential changes the given fields of a credential.
func (s Providers) UpdateCredential(
	ctx context.Context, who *auth.Actor, id, credential string, c CredentialChange, m Match,
) (Provider, error) {
	return s.changeCredential(ctx, who, id, credential, "update credential", m, func(_ *store.Provider, to *store.ProviderCredential) error {
		if c.Name != nil {
			to.Name = *c.Name
		}
		if c.Weight != nil {
			to.Weight = *c.Weight
		}
		if c.Enabled != nil {
			to.Enabled = *c.Enabled
		}
		return nil
	})
}

// RotateCredential replaces the secret of a credential.
func (s Providers) RotateCredential(
	ctx context.Context, who *auth.Actor, id, credential string, r CredentialRotation, m Match,
) (Provider, error) {
	return s.changeCredential(ctx, who, id, credential, "rotate credential", m, func(p *store.Provider, c *store.ProviderCredential) error {
		if err := s.setCredentialSecret(p, c, r.Secret, r.AccessKeyID); err != nil {
			return err
		}
		return s.check(p)
	})
}

// DeleteCredential removes a credential.
func (s Providers) DeleteCredential(ctx context.Context, who *auth.Actor, id, credential string, m Match) (Provider, error) {
	return s.change(ctx, who, id, "delete credential", m, func(p *store.Provider) error {
		n := len(p.Credentials)
		p.Credentials = slices.DeleteFunc(p.Credentials, func(c store.ProviderCredential) bool { return c.ID == credential })
		if len(p.Credentials) == n {
			return newNotFoundError("credential")
		}
		return nil
	})
}

func (s Providers) changeCredential(
	ctx context.Context,
	who *auth.Actor,
	id, credential, action string,
	m Match,
	change func(p *store.Provider, c *store.ProviderCredential) error,
) (Provider, error) {
	return s.change(ctx, who, id, action, m, func(p *store.Provider) error {
		for i := range p.Credentials {
			if p.Credentials[i].ID == credential {
				return change(p, &p.Credentials[i])
			}
		}
		return newNotFoundError("credential")
	})
}

// Test calls a provider and returns its own answer. A provider of the file is called with its own credential.
func (s Providers) Test(ctx context.Context, who *auth.Actor, id string, t ProviderTestRequest) (ProviderTest, error) {
	if _, err := s.svc.authorize(ctx, who, auth.ProvidersWrite, ""); err != nil {
		return ProviderTest{}, err
	}
	if s.svc.Upstreams == nil {
		return ProviderTest{}, &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeUnsupported, Public: "this process calls no providers; ask a gateway",
		}
	}
	if _, ok := s.findInFile(id); ok {
		return s.svc.Upstreams.TestProvider(ctx, &store.Provider{ID: id}, "", t.Model)
	}
	p, err := s.svc.Store.Providers().Get(ctx, id)
	if err != nil {
		return ProviderTest{}, mapNotFound(err, "provider")
	}
	if t.Credential != "" && !slices.ContainsFunc(p.Credentials, func(c store.ProviderCredential) bool { return c.ID == t.Credential }) {
		return ProviderTest{}, newNotFoundError("credential")
	}
	return s.svc.Upstreams.TestProvider(ctx, &p, t.Credential, t.Model)
}

// FetchModels asks a provider for its models and stores them.
func (s Providers) FetchModels(ctx context.Context, who *auth.Actor, id string, m Match) (Provider, error) {
	if err := s.authorizeChange(ctx, who, id); err != nil {
		return Provider{}, err
	}
	t, err := s.Test(ctx, who, id, ProviderTestRequest{})
	if err != nil {
		return Provider{}, err
	}
	if !t.OK || len(t.Models) == 0 {
		return Provider{}, newConflictError(CodeConflict, "the provider did not list its models; test it to see its answer")
	}
	return s.change(ctx, who, id, "fetch models", m, func(p *store.Provider) error {
		p.Models = t.Models
		return nil
	})
}
