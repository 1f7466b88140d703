package node

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/providers"
)

// upstreams gives administrative operations access to the providers of the running gateway.
type upstreams struct {
	g   *gateway
	box *vault.Box
}

var _ admin.Upstreams = upstreams{}

// FileProviders returns the providers of the configuration file.
func (u upstreams) FileProviders() []admin.Provider {
	u.g.mu.Lock()
	defer u.g.mu.Unlock()
	var out []admin.Provider
	for _, name := range slices.Sorted(maps.Keys(u.g.cfg.Providers)) {
		if u.g.storedProviders.has(name) {
			continue
		}
		c := u.g.cfg.Providers[name]
		p := admin.Provider{
			ID: name, Type: providers.NormalizeName(c.Type), BaseURL: c.BaseURL, Region: c.Region, Project: c.Project, APIVersion: c.APIVersion,
			Models: c.Models, Prefix: c.Prefix, Enabled: true, Source: store.SourceFile, Credentials: []admin.ProviderCredential{},
		}
		if c.APIKey.Reveal() != "" {
			p.Credentials = append(p.Credentials, admin.ProviderCredential{Name: "api_key", Kind: "api_key", Weight: 1, Enabled: true})
		}
		if c.SecretAccessKey.Reveal() != "" {
			p.Credentials = append(p.Credentials, admin.ProviderCredential{Name: "secret_access_key", Kind: "access_key", Weight: 1, Enabled: true})
		}
		out = append(out, p)
	}
	return out
}

// has reports whether the database has an enabled provider of a name that the file does not have.
func (s *storedProviders) has(name string) bool {
	return s != nil && slices.ContainsFunc(s.list, func(p store.Provider) bool { return p.ID == name })
}

// ProviderTypes returns the types of providers.
func (upstreams) ProviderTypes() []string { return providers.ListTypes() }

// CheckProvider returns why a stored provider cannot work, or nil.
func (u upstreams) CheckProvider(p *store.Provider) error {
	if !slices.Contains(providers.ListTypes(), p.Type) {
		return newProviderError("type", "unknown type; known are "+strings.Join(providers.ListTypes(), ", "))
	}
	s := u.reader()
	if err := checkAddress(p.BaseURL, s.private); err != nil {
		return newProviderError("base_url", err.Error())
	}
	client := newGuardedClient(s.private)
	defer func() { _ = client.Close() }() // it has no connection
	set := convertSettings(p, client)
	set.APIKey = "unset"
	_, err := providers.New(set)
	for i := 0; i < len(p.Credentials) && err == nil; i++ {
		_, _, err = s.openCredential(p, &p.Credentials[i], client)
	}
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), `provider "`+p.ID+`": `)
	for _, field := range []string{"region", "project", "base_url", "api_version"} {
		if strings.HasPrefix(text, field) {
			return newProviderError(field, text)
		}
	}
	return newProviderError("type", text)
}

func newProviderError(field, text string) error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: field, Public: field + ": " + text}
}

// reader returns what builds stored providers outside of a runtime.
func (u upstreams) reader() *storedProviders {
	u.g.mu.Lock()
	defer u.g.mu.Unlock()
	return &storedProviders{box: u.box, private: u.g.cfg.Admin.AllowPrivateProviders}
}

// ReadProviderStatus returns what is known of a provider of the runtime in force, with the credentials that it has used.
func (u upstreams) ReadProviderStatus(name string) admin.ProviderStatus {
	u.g.mu.Lock()
	defer u.g.mu.Unlock()
	var st admin.ProviderStatus
	p := u.g.rt.Providers[name]
	if st.Serving = p != nil; !st.Serving {
		st.Problem = "the gateway has not taken it up yet"
		if u.g.storedProviders != nil && u.g.storedProviders.problems[name] != "" {
			st.Problem = u.g.storedProviders.problems[name]
		}
		if u.g.refused != "" {
			st.Problem = "the newest configuration is refused, so that changes wait"
		}
		return st
	}
	st.Health = u.g.known.readCondition(name)
	if pool, ok := p.(*providers.Pool); ok {
		for id, rest := range pool.States() {
			now := admin.CredentialStatus{ID: id, Status: rest.Status}
			if !rest.Until.IsZero() {
				now.RestsUntil = &rest.Until
			}
			st.Credentials = append(st.Credentials, now)
		}
	}
	return st
}

// testTime limits a test call.
const testTime = 30 * time.Second

// TestProvider calls a provider and returns its answer.
func (u upstreams) TestProvider(ctx context.Context, p *store.Provider, credential, model string) (admin.ProviderTest, error) {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	one, secret, release, err := u.open(p, credential)
	if err != nil {
		return admin.ProviderTest{Answer: err.Error()}, nil
	}
	defer release()
	began := time.Now()
	a, err := providers.Probe(ctx, one, model, secret)
	out := admin.ProviderTest{
		OK: err == nil && a.Status >= 200 && a.Status < 300, Status: a.Status, Answer: a.Text, Models: a.Models,
		LatencyMS: time.Since(began).Milliseconds(),
	}
	var own *core.Error
	switch {
	case errors.Is(err, providers.ErrNoModelList):
		return out, newProviderError("model", err.Error())
	case errors.As(err, &own):
		out.Answer = own.Public
	case err != nil:
		out.Answer = "no answer: " + err.Error()
	}
	return out, nil
}

// open builds a provider for a test, apart from the runtime: its failures do not open a circuit. A provider without
// credentials in the argument is one of the file.
func (u upstreams) open(p *store.Provider, credential string) (one route.Provider, secret string, release func(), err error) {
	if p.Type == "" {
		u.g.mu.Lock()
		c, ok := u.g.cfg.Providers[p.ID]
		u.g.mu.Unlock()
		if !ok {
			return nil, "", nil, errors.New("the configuration file no longer has this provider")
		}
		return openFileProvider(p.ID, c)
	}
	s := u.reader()
	if err := checkAddress(p.BaseURL, s.private); err != nil {
		return nil, "", nil, err
	}
	client := newGuardedClient(s.private)
	release = func() { _ = client.Close() } // nothing can be done about a failure
	for i := range p.Credentials {
		if c := &p.Credentials[i]; c.ID == credential || credential == "" && c.Enabled {
			one, secret, err = s.openCredential(p, c, client)
			return one, secret, release, err
		}
	}
	if needsCredential(p.Type) {
		return nil, "", nil, errNoCredential
	}
	one, err = providers.New(convertSettings(p, client))
	return one, "", release, err
}

// openFileProvider builds a provider of the file for a test.
func openFileProvider(name string, c config.Provider) (route.Provider, string, func(), error) {
	rt := &snapshot.Runtime{}
	release := func() {
		for _, c := range rt.Clients {
			_ = c.Close() // nothing can be done about a failure
		}
	}
	p, err := buildProvider(rt, name, c)
	if err != nil {
		release()
	}
	return p, c.APIKey.Reveal() + "\n" + c.SecretAccessKey.Reveal(), release, err
}
