package config

import (
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// maxPrice limits the price of a million tokens, so that the cost of a call fits into 64 bits.
const maxPrice = 1_000_000 * money.USD

func (c *checker) checkPricing() {
	for i, p := range c.cfg.Pricing {
		path := appendIndex("pricing", i)
		if p.Provider != "" && !c.hasProvider(p.Provider) {
			c.addProblem(
				path+".provider",
				c.quoteValue(path+".provider", p.Provider)+" is not a provider of this file",
				"write the name of one under providers",
			)
		}
		c.checkPrice(path+".inputPricePerMillion", p.InputPricePerMillion)
		c.checkPrice(path+".outputPricePerMillion", p.OutputPricePerMillion)
		for _, more := range []struct {
			name string
			usd  money.Amount
		}{
			{"cachedInputPricePerMillion", p.CachedInputPricePerMillion},
			{"cacheWritePricePerMillion", p.CacheWritePricePerMillion},
			{"reasoningPricePerMillion", p.ReasoningPricePerMillion},
		} {
			if c.isWritten(path + "." + more.name) {
				c.checkPrice(path+"."+more.name, more.usd)
			}
		}
	}
}

func (c *checker) checkPrice(path string, usd money.Amount) {
	if usd < 0 || usd > maxPrice {
		c.addProblem(path, "is out of range", "write 0 to 1000000")
	}
}

func (c *checker) checkBudgets() {
	seen := map[string]string{}
	for i := range c.cfg.Budgets {
		b, path := &c.cfg.Budgets[i], appendIndex("budgets", i)
		from := path + ".id"
		if b.ID == "" {
			b.ID, from = b.Name, path+".name"
		}
		if b.ID != "" {
			c.checkID(from, b.ID)
			c.checkUnique(seen, b.ID, from, "the budget", "write another id: on one of them")
		}
		if _, err := time.LoadLocation(b.TimeZone); err != nil || b.TimeZone == "Local" {
			shown := c.quoteValue(path+".timeZone", b.TimeZone)
			c.addProblem(path+".timeZone", shown+" is not a known time zone", "write a name such as Europe/Berlin")
		}
		usd, tokens := c.isWritten(path+".limitUsd"), c.isWritten(path+".limitTokens")
		switch {
		case !usd && !tokens:
			c.addProblem(path, "limits nothing", "write limitUsd: 100 or limitTokens: 1000000")
		case usd && b.LimitUSD < 0:
			c.addProblem(path+".limitUsd", "is negative", "write 0 to 92000000")
		case tokens && b.LimitTokens < 0:
			c.addProblem(path+".limitTokens", "is negative", "write 0 or more")
		}
	}
	if len(c.cfg.Budgets) > 0 && !c.cfg.Audit.Exchanges && strings.HasPrefix(c.cfg.State.URL, "memory:") {
		c.addWarning(
			"budgets",
			"reset at each restart, because exchanges are not recorded",
			"write audit: {exchanges: true}, or state: {url: redis://…}",
		)
	}
}
