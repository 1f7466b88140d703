package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/match"
)

// Keys of the gateway start with keyPrefix and hold at least keyLength further
// characters: with fewer a key could be guessed.
const (
	keyPrefix = "gw_"
	keyLength = 16
)

func (c *checker) checkTenants() {
	ids, secrets := map[string]string{}, map[Secret]string{}
	for i, t := range c.cfg.Tenants {
		path := appendIndex("tenants", i)
		if t.ID != "" {
			c.checkID(path+".id", t.ID)
			c.checkUnique(ids, t.ID, path+".id", "the id", "write another id")
		}
		c.checkTexts(path+".tags", t.Tags, "a tag")
		if err := hosted.CheckMetadata(t.Metadata); err != nil {
			c.addProblem(path+".metadata."+hosted.Key, err.Error(), "remove it for the rule of the route or the gateway")
		}
		keys := map[string]string{}
		for j, k := range t.Keys {
			here := appendIndex(path+".keys", j)
			if k.Name != "" {
				c.checkUnique(keys, k.Name, here+".name", "the name", "write another name")
			}
			c.checkKey(here, k, secrets)
			c.checkTexts(here+".tags", k.Tags, "a tag")
			c.checkTexts(here+".scopes", k.Scopes, "a scope")
			checkModelPatterns(c, here+".models", k.Models)
		}
	}
}

// checkModelPatterns checks the models of a key by the rules of the administrative API.
func checkModelPatterns(c *checker, path string, patterns []string) {
	if len(patterns) > match.MaxModelPatterns {
		c.addProblem(path, fmt.Sprintf("a key has at most %d patterns of models", match.MaxModelPatterns),
			"write a pattern with * for several models")
	}
	for i, p := range patterns {
		if !match.IsModelPattern(p) {
			c.addProblem(appendIndex(path, i), match.ModelPatternRule, "shorten it; tools and agents are named in mcp_servers.*.access and agents.*.access")
		}
	}
}

func (c *checker) checkKey(path string, k Key, seen map[Secret]string) {
	if !k.ExpiresAt.IsZero() && k.ExpiresAt.Before(time.Now()) {
		c.addWarning(path+".expires_at", "the key has expired", "write a later time, or remove the key")
	}
	if k.Key == "" {
		return
	}
	rest, ok := strings.CutPrefix(k.Key.Reveal(), keyPrefix)
	if !ok || len(rest) < keyLength || strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r > '~' }) {
		c.addProblem(
			path+".key",
			fmt.Sprintf("a key is %s and at least %d characters without spaces", keyPrefix, keyLength),
			`write key: "" to have one created`,
		)
		return
	}
	if first, taken := seen[k.Key]; taken {
		c.addProblem(path+".key", "is the same key as "+first, `write key: "" to have one created`)
		return
	}
	seen[k.Key] = path + ".key"
}
