package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/providers"
)

// providerBox is the purpose of the box that seals the credentials of stored providers.
const providerBox = "provider credentials"

// storedProviders are the providers of the database, for a runtime. nil has none.
type storedProviders struct {
	list    []store.Provider
	box     *vault.Box
	private bool // addresses may be private
	// problems collects, by name, why providers are left out.
	problems map[string]string
	// fingerprint is that of all providers of the database.
	fingerprint string
}

// logProblems logs which enabled providers are left out.
func (s *storedProviders) logProblems(tel *telemetry.Telemetry) {
	for _, w := range s.listWarnings() {
		tel.Log.Warn().Msg(w)
	}
}

// listWarnings returns which enabled providers are left out.
func (s *storedProviders) listWarnings() (out []string) {
	if s == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.problems)) {
		if why := s.problems[name]; why != disabledProvider {
			out = append(out, "provider "+name+" of the database is left out: "+why)
		}
	}
	return out
}

const disabledProvider = "it is disabled"

// readProviders reads the providers of the database and adds them to a configuration that is not in force yet, as far as
// its file has no provider of the name.
func readProviders(ctx context.Context, rec *Records, cfg *config.Config) (*storedProviders, error) {
	all, err := rec.DB.Providers().List(ctx)
	if err != nil {
		return nil, err
	}
	box, err := rec.Master.NewBox(providerBox)
	if err != nil {
		return nil, err
	}
	s := &storedProviders{
		box: box, private: cfg.Admin.AllowPrivateProviders, problems: map[string]string{}, fingerprint: fingerprintProviders(all),
	}
	for i := range all {
		p := &all[i]
		switch _, inFile := cfg.Providers[p.ID]; {
		case inFile:
			s.problems[p.ID] = "the configuration file has a provider of this name"
		case !p.Enabled:
			s.problems[p.ID] = disabledProvider
		default:
			s.list = append(s.list, *p)
		}
	}
	if len(s.list) > 0 && cfg.Providers == nil {
		cfg.Providers = map[string]config.Provider{}
	}
	for i := range s.list {
		p := &s.list[i]
		cfg.Providers[p.ID] = config.Provider{
			Type: p.Type, BaseURL: p.BaseURL, Region: p.Region, Project: p.Project, APIVersion: p.APIVersion, Models: p.Models, Prefix: p.Prefix,
		}
	}
	return s, nil
}

// build adds the provider of a name to a runtime. A provider that cannot be built must not keep the others from serving: it
// is nil then, and the reason is among the problems.
func (s *storedProviders) build(rt *snapshot.Runtime, name string) (p route.Provider, stored bool) {
	if !s.has(name) {
		return nil, false
	}
	i := slices.IndexFunc(s.list, func(p store.Provider) bool { return p.ID == name })
	pool, err := s.buildPool(rt, &s.list[i])
	if err != nil {
		s.problems[name] = err.Error()
		return nil, true
	}
	return pool, true
}

// buildPool builds a provider with all its enabled credentials.
func (s *storedProviders) buildPool(rt *snapshot.Runtime, p *store.Provider) (*providers.Pool, error) {
	if err := checkAddress(p.BaseURL, s.private); err != nil {
		return nil, err
	}
	client := newGuardedClient(s.private)
	rt.Clients = append(rt.Clients, client)
	var members []providers.Member
	for i := range p.Credentials {
		c := &p.Credentials[i]
		if !c.Enabled {
			continue
		}
		one, secret, err := s.openCredential(p, c, client)
		if err != nil {
			return nil, fmt.Errorf("credential %q: %w", c.Name, err)
		}
		m := providers.Member{ID: c.ID, Weight: max(c.Weight, 1), Provider: one, Mark: secret}
		if c.AccessKeyID != "" {
			m.Mark = "Credential=" + c.AccessKeyID + "/"
		}
		members = append(members, m)
	}
	if len(members) == 0 {
		if needsCredential(p.Type) {
			return nil, errNoCredential
		}
		one, err := providers.New(convertSettings(p, client))
		if err != nil {
			return nil, err
		}
		members = []providers.Member{{Weight: 1, Provider: one, Mark: "\x00"}}
	}
	return providers.NewPool(members, nil), nil
}

var errNoCredential = errors.New("no credential is enabled")

// openCredential builds a provider that uses one credential, and returns the credential itself.
func (s *storedProviders) openCredential(
	p *store.Provider, c *store.ProviderCredential, client upstream.Client,
) (one route.Provider, secret string, err error) {
	plain, err := s.box.Open(c.Sealed, p.ID+"\x00"+c.ID)
	if err != nil {
		return nil, "", err
	}
	set := convertSettings(p, client)
	if c.AccessKeyID != "" {
		set.AccessKeyID, set.SecretAccessKey = c.AccessKeyID, string(plain)
	} else {
		set.APIKey = string(plain)
	}
	one, err = providers.New(set)
	return one, string(plain), err
}

// convertSettings returns the settings of a provider without a credential. Its variables are not read from the environment:
// credentials of the machine belong to its operator.
func convertSettings(p *store.Provider, client upstream.Client) providers.Settings {
	return providers.Settings{
		Name: p.ID, Type: p.Type, BaseURL: p.BaseURL, Models: p.Models, Client: client, Region: p.Region, Project: p.Project,
		APIVersion: p.APIVersion, Timeouts: storedTimeouts,
	}
}

// storedTimeouts are the defaults of the configuration file.
var storedTimeouts = upstream.Timeouts{Connect: 5 * time.Second, FirstByte: 2 * time.Minute, Idle: time.Minute, Total: time.Hour}

// needsCredential reports whether providers of a type cannot be called without a credential.
func needsCredential(typ string) bool {
	switch providers.NormalizeName(typ) {
	case "mock", "ollama", "ollama-openai", "vllm":
		return false
	}
	return true
}

// newGuardedClient returns a client that connects to public addresses only, unless private ones are allowed.
func newGuardedClient(private bool) upstream.Client {
	dial := upstream.PublicDialer{AllowPrivate: private, Timeout: storedTimeouts.Connect}
	return upstream.NewLean(upstream.LeanOptions{Dial: dial.Dial})
}

// checkAddress refuses an address that a stored provider must not have. "" is the address of its type.
func checkAddress(text string, private bool) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("write an https URL")
	case u.User != nil || u.Fragment != "" || u.RawQuery != "":
		return errors.New("write the URL without user name, password, query and fragment")
	case u.Scheme == "http" && !private:
		return errors.New("write an https URL; plain http needs `admin.allow_private_providers: true` in the configuration")
	}
	if err := upstream.CheckHost(u.Hostname(), private); err != nil {
		return fmt.Errorf("%w; private addresses need `admin.allow_private_providers: true` in the configuration", err)
	}
	return nil
}

// fingerprintProviders returns a text that differs whenever the stored providers do.
func fingerprintProviders(all []store.Provider) string {
	var b strings.Builder
	for i := range all {
		b.WriteString(all[i].ID + " " + strconv.FormatInt(all[i].CreatedAt.UnixMicro(), 36) + " " + strconv.FormatInt(all[i].Version, 10) + "\n")
	}
	return b.String()
}

// refreshProviders requests a reload if the stored providers have changed. The caller holds g.mu.
func refreshProviders(ctx context.Context, g *gateway) error {
	all, err := g.rec.DB.Providers().List(ctx)
	if err != nil {
		return err
	}
	if g.rt != nil && fingerprintProviders(all) != g.providersAt {
		g.note("the providers changed")
	}
	return nil
}
