package admin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Key is a gateway key. Only the answer to its creation contains the plaintext.
type Key struct {
	ID        string         `json:"id" example:"k3vqx7mz2hj4n6ta"`
	Key       string         `json:"key,omitempty" doc:"The plaintext of the key. Only the answer to its creation contains it." example:"gw_6pQ…"`
	KeyPrefix string         `json:"key_prefix" example:"gw_6pQd0aX"`
	Name      string         `json:"name" example:"ci"`
	Scopes    []string       `json:"scopes" nullable:"false" doc:"The permitted uses. An empty list permits everything."`
	Status    string         `json:"status" enum:"active,rotated,revoked"`
	Tier      string         `json:"tier" enum:"premium,standard,bulk" doc:"The tier of the key, or that of the tenant if the key sets none."`
	Metadata  map[string]any `json:"metadata,omitempty"`
	Tags      []string       `json:"tags,omitempty" nullable:"false"`
	Models    []string       `json:"models" nullable:"false" doc:"Patterns of the models that the key may ask for, with * and ?. An empty list permits all." example:"[\"gpt-4o*\"]"`
	Owner     string         `json:"owner" doc:"The id of the user who owns the key. Empty: the key has no owner." example:"k3vqx7mz2hj4n6ta"`
	Source    string         `json:"source" enum:"api,file,cli"`
	ExpiresAt *time.Time     `json:"expires_at" nullable:"true" doc:"null: never. For a rotated key: the end of its grace period."`
	TenantID  string         `json:"tenant_id"`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
}

// NewKey contains the fields of a new key.
// Its own type: generated clients require what creation requires; in a change every field is optional.
type NewKey struct {
	Name      string         `json:"name" minLength:"1" maxLength:"200"`
	Scopes    *[]string      `json:"scopes,omitempty" nullable:"true" maxItems:"64" doc:"completions:write if omitted or null. An empty list permits everything. Only an owner or admin can set an empty list, or a scope outside of the data plane."`
	ExpiresAt *time.Time     `json:"expires_at,omitempty" nullable:"true" doc:"null: never."`
	Tier      string         `json:"tier,omitempty" enum:"premium,standard,bulk" doc:"At most the tier of the tenant, unless a role of the platform sets it."`
	Metadata  map[string]any `json:"metadata,omitempty" doc:"Policies decide on it: only an owner or admin can set it."`
	Tags      []string       `json:"tags,omitempty" nullable:"false" maxItems:"64" doc:"Policies decide on them: only an owner or admin can set them."`
	Models    []string       `json:"models,omitempty" nullable:"false" maxItems:"64" doc:"Patterns of the models that the key may ask for, with * and ?. All by default, or those of the tenant's key_template."`
}

func (n *NewKey) check(now time.Time) error {
	if strings.TrimSpace(n.Name) == "" {
		return newInvalidValueError("name", "write a name of 1 to 200 characters")
	}
	if n.Scopes != nil {
		for _, scope := range *n.Scopes {
			if scope == "" || len(scope) > 64 || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' }) {
				return newInvalidValueError("scopes", "a scope is 1 to 64 printable characters without spaces, such as completions:write")
			}
		}
	}
	if err := checkModelPatterns("models", n.Models); err != nil {
		return err
	}
	if n.ExpiresAt != nil && !n.ExpiresAt.After(now) {
		return newInvalidValueError("expires_at", "write a time in the future, or null for a key that does not expire")
	}
	return nil
}

// knownScopes are the scopes that stand for uses of the data plane. Every other one is a label for policies.
var knownScopes = []string{
	auth.ScopeCompletions, auth.ScopeEmbeddings, auth.ScopeModels, auth.ScopeBatches, auth.ScopeToolsList, auth.ScopeToolsCall,
}

// decides reports whether the new key carries more than uses of the data plane: everything, or what policies decide on. Whoever
// could choose that freely would choose the rules that apply to them.
func (n *NewKey) decides() bool {
	if len(n.Tags) > 0 || len(n.Metadata) > 0 {
		return true
	}
	return n.Scopes != nil && (len(*n.Scopes) == 0 || slices.ContainsFunc(*n.Scopes, func(scope string) bool {
		return !slices.Contains(knownScopes, scope)
	}))
}

// checkTier refuses a tier above the tenant's to all but the roles of the platform: others would wait for it.
func (s Keys) checkTier(ctx context.Context, who *auth.Actor, tenant, tier string) error {
	if tier == "" || who.Tenant == "" {
		return nil
	}
	t, err := s.svc.Store.Tenants().Get(ctx, tenant)
	if err != nil {
		return mapNotFound(err, "tenant")
	}
	if route.FindTier(tier) >= route.FindTier(t.Tier) { // the most urgent tier is the lowest
		return nil
	}
	return &core.Error{
		Kind: core.Forbidden, Code: core.CodeForbidden, Param: "tier",
		Public: "the tier of a key is at most that of its workspace, " + route.FindTier(t.Tier).String() +
			"; only a role of the platform can set a higher one",
	}
}

// Create creates a key of a tenant and returns it with its plaintext.
func (s Keys) Create(ctx context.Context, who *auth.Actor, tenant string, n NewKey) (Key, error) {
	if _, err := s.svc.authorize(ctx, who, auth.KeysCreate, tenant); err != nil {
		return Key{}, err
	}
	if n.decides() && !who.Can(auth.KeysUnlimited) {
		return Key{}, NewMissingRoleError(auth.KeysUnlimited)
	}
	now := s.svc.Now()
	if err := n.check(now); err != nil {
		return Key{}, err
	}
	if err := s.checkTier(ctx, who, tenant, n.Tier); err != nil {
		return Key{}, err
	}
	if err := s.checkName(ctx, n.Name); err != nil {
		return Key{}, err
	}
	source, owner := store.SourceAPI, findOwner(who)
	if who.Via == auth.ViaCLI && who.UserID == "" { // the command acts for nobody who could own the key
		source, owner = store.SourceCLI, ""
	}
	plain := auth.NewKey()
	k := store.Key{
		ID:       s.svc.NewID(),
		TenantID: tenant,
		Name:     n.Name,
		Prefix:   auth.CutVisiblePrefix(plain),
		Hash:     auth.Hash(plain),
		Scopes:   []string{auth.ScopeCompletions},
		Tier:     n.Tier,
		Metadata: n.Metadata,
		Tags:     n.Tags,
		Models:   n.Models,
		Owner:    owner,
		Status:   store.KeyActive,
		Source:   source,
	}
	if n.Scopes != nil {
		k.Scopes = slices.Clone(*n.Scopes)
	}
	if n.ExpiresAt != nil {
		k.ExpiresAt = *n.ExpiresAt
	}
	limits, err := s.findLimits(ctx, who, tenant)
	if err != nil {
		return Key{}, err
	}
	if err := limits.applyToNew(&k, now); err != nil {
		return Key{}, err
	}
	if err := s.svc.Store.Keys().Add(ctx, k, limits.checkCount); err != nil {
		return Key{}, mapNotFound(err, "tenant")
	}
	if err := s.addTemplateBudget(ctx, who, &k, limits); err != nil {
		return Key{}, err
	}
	k, err = s.svc.Store.Keys().Get(ctx, k.ID)
	if err != nil {
		return Key{}, err
	}
	tier, err := s.findDefaultTier(ctx, tenant)
	if err != nil {
		return Key{}, err
	}
	v := viewKey(&k, tier)
	v.Key = plain
	return v, s.svc.publishChange(ctx, who, created, "key", k.ID, tenant, nil, v)
}

// List lists the keys of a tenant.
func (s Keys) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[Key], error) {
	if _, err := s.svc.authorize(ctx, who, auth.KeysRead, tenant); err != nil {
		return List[Key]{}, err
	}
	tier, err := s.findDefaultTier(ctx, tenant)
	if err != nil {
		return List[Key]{}, err
	}
	after, err := page.parseCursor()
	return List[Key]{
		Cursor: func(k Key) string { return formatCursor(k.CreatedAt, k.ID) },
		All:    viewRecords(s.svc.Store.Keys().ListByOwner(ctx, tenant, after, page.Limit), func(k *store.Key) Key { return viewKey(k, tier) }),
	}, err
}

// Get returns a key of a tenant.
func (s Keys) Get(ctx context.Context, who *auth.Actor, tenant, id string) (Key, error) {
	if _, err := s.svc.authorize(ctx, who, auth.KeysRead, tenant); err != nil {
		return Key{}, err
	}
	k, err := s.svc.Store.Keys().Get(ctx, id)
	if err == nil && k.TenantID != tenant {
		err = store.ErrNotFound
	}
	if err != nil {
		return Key{}, mapNotFound(err, "key")
	}
	tier, err := s.findDefaultTier(ctx, tenant)
	return viewKey(&k, tier), err
}

// Find returns a key by its id alone. A key that the actor cannot read counts as unknown.
func (s Keys) Find(ctx context.Context, who *auth.Actor, id string) (Key, error) {
	k, err := s.svc.Store.Keys().Get(ctx, id)
	if err != nil {
		return Key{}, mapNotFound(err, "key")
	}
	if _, err := s.svc.authorize(ctx, who, auth.KeysRead, k.TenantID); err != nil {
		return Key{}, mapNotFound(store.ErrNotFound, "key")
	}
	tier, err := s.findDefaultTier(ctx, k.TenantID)
	return viewKey(&k, tier), err
}

// findDefaultTier returns the tier of the keys of a tenant that set none.
func (s Keys) findDefaultTier(ctx context.Context, tenant string) (string, error) {
	t, err := s.svc.Store.Tenants().Get(ctx, tenant)
	if err != nil {
		return "", mapNotFound(err, "tenant")
	}
	return route.FindTier(t.Tier).String(), nil
}

// viewKey returns a key as the API shows it. tier is that of its tenant.
func viewKey(k *store.Key, tier string) Key {
	v := Key{
		ID: k.ID, KeyPrefix: k.Prefix, Name: k.Name, Scopes: k.Scopes, Status: k.Status, Tier: cmp.Or(k.Tier, tier), Metadata: k.Metadata,
		Tags: k.Tags, Models: k.Models, Owner: k.Owner, Source: describeSource(k.Source), TenantID: k.TenantID, CreatedAt: k.CreatedAt,
		UpdatedAt: k.UpdatedAt,
	}
	if v.Scopes == nil {
		v.Scopes = []string{}
	}
	if v.Models == nil {
		v.Models = []string{}
	}
	if !k.ExpiresAt.IsZero() {
		v.ExpiresAt = &k.ExpiresAt
	}
	return v
}
