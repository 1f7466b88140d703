package proxy

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/recent"
)

// Grant lets a part of this program call a model for a tenant without a key. It is passed by a function call inside the
// process, so that no client request can claim one.
type Grant struct {
	Tenant string
	Actor  string // the caller, for the audit log
	// Shadow are links that run in shadow mode for this exchange.
	Shadow []string
	// Down is a provider that this exchange treats as down, to try its fallbacks. Optional. The provider's health does not change.
	Down string
	// Guard is the link that asks a model for its verdict on a text. Its exchange passes no links but those that count costs, so
	// that a guard's own call is never guarded, and takes no slot of its tenant's tier, because the exchange that waits for the
	// verdict has one.
	Guard string
	// By is the key on whose behalf the guard asks: its budgets count the exchange, and its usage shows it. Optional. Only the ids
	// and the name are used.
	By *core.Principal

	embeds  bool        // it asks for embeddings
	refused *core.Error // set when the exchange ends in an error of the gateway
}

// ServeGrant serves one chat completion under a grant. Everything else is as in any exchange: the chain, limits,
// budgets and records of the tenant.
func (p *Proxy) ServeGrant(w http.ResponseWriter, r *http.Request, g Grant) { p.serveGrant(w, r, &g) }

func (p *Proxy) serveGrant(w http.ResponseWriter, r *http.Request, g *Grant) {
	// An answer that a link has not checked is not cached for others, and one from the cache would test no fallback.
	if len(g.Shadow) > 0 || g.Down != "" {
		r.Header.Set("Cache-Control", "no-store")
	}
	e := gin.New()
	e.POST("/*any", func(c *gin.Context) {
		in := &inlet{shape: openai.Chat{}, scopes: toComplete, grant: g}
		if g.embeds {
			in.shape, in.scopes = openai.Embeddings{}, toEmbed
		}
		p.serve(c.Writer, c.Request, in)
	})
	e.ServeHTTP(w, r)
}

// Models returns the names of the models that clients may use.
func (p *Proxy) Models() []string {
	s := p.Snapshots.Acquire()
	defer s.Release()
	var names []string
	for _, o := range listOffers(s) {
		names = append(names, o.id)
	}
	return names
}

// Shadowable returns the links that a grant may run in shadow mode, in chain order.
func (p *Proxy) Shadowable() []string {
	s := p.Snapshots.Acquire()
	defer s.Release()
	var names []string
	for _, l := range s.Chain.Links() {
		if l.CanShadow() {
			names = append(names, l.Name)
		}
	}
	return names
}

// acceptGrant authenticates the exchange by its grant.
func (c *call) acceptGrant(g *Grant) *core.Error {
	t := c.snap.Keys.FindTenant(g.Tenant)
	if t == nil {
		return &core.Error{
			Kind:   core.NotFound,
			Code:   core.CodeNotFound,
			Public: "the workspace is unknown, or the gateway has not loaded it yet; try again in a second",
		}
	}
	c.grant = g
	key := recent.PlaygroundKey
	if g.Guard != "" {
		key = GuardKey
	}
	by := core.Principal{KeyID: key, Lineage: key, KeyName: key}
	if g.By != nil && g.By.KeyID != "" {
		by = *g.By
	}
	c.x.Principal = &core.Principal{
		Tenant:    t.ID,
		KeyID:     by.KeyID,
		Lineage:   by.Lineage,
		KeyPrefix: key,
		KeyName:   by.KeyName,
		Scopes: []string{
			auth.ScopeCompletions,
		},
		Tier:           t.Tier,
		Region:         t.Region,
		Suspended:      t.Suspended,
		TenantTags:     t.Tags,
		TenantMetadata: t.Metadata,
	}
	if g.Guard != "" {
		chain, err := c.snap.Chain.Counting()
		if err != nil {
			return core.ConvertError(err)
		}
		c.chain = chain
	}
	if len(g.Shadow) > 0 {
		chain, err := c.snap.Chain.ShadowLinks(g.Shadow)
		if err != nil {
			return &core.Error{
				Kind:   core.InvalidRequest,
				Code:   core.CodeInvalidValue,
				Public: "the stages " + strings.Join(g.Shadow, ", ") + " cannot all be in shadow mode",
				Err:    err,
			}
		}
		c.chain = chain
	}
	if err := c.checkDown(); err != nil {
		return err
	}
	return checkActive(c.x.Principal)
}
