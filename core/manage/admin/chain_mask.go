package admin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
)

// maskChain returns the chain as audit events and readers without chain:write see it: without the canaries of detectors, which are
// secrets of a prompt, and without the values that a stage allows, which are personal data. A mask contains a digest, so that a
// change of only these values is a change of the view.
func (s ChainEditor) maskChain(c Chain) Chain {
	c.Links = slices.Clone(c.Links)
	for i := range c.Links {
		link := &c.Links[i]
		link.Config = s.maskSetting(link.Config, "allow")
		detectors, _ := link.Config["detectors"].([]any)
		if len(detectors) == 0 {
			continue
		}
		shown := slices.Clone(detectors)
		for k := range shown {
			if d, ok := shown[k].(map[string]any); ok {
				shown[k] = s.maskSetting(d, "canaries")
			}
		}
		link.Config = maps.Clone(link.Config)
		link.Config["detectors"] = shown
	}
	return c
}

// maskSetting returns settings with one of them masked. It does not change the settings that it gets.
func (s ChainEditor) maskSetting(settings map[string]any, name string) map[string]any {
	if settings[name] == nil {
		return settings
	}
	settings = maps.Clone(settings)
	settings[name] = s.maskValue(settings[name])
	return settings
}

// maskValue returns a mask that is the same for the same value. Its digest has a key: short values such as a telephone number
// could be found by trying all of them. Without a key it has none.
func (s ChainEditor) maskValue(v any) string {
	b, err := json.Marshal(v)
	if err != nil || len(s.svc.AuditKey) == 0 {
		return masked
	}
	h := hmac.New(sha256.New, s.svc.AuditKey)
	h.Write([]byte("headgate chain settings 1\x00")) // the key also signs the audit chain
	h.Write(b)
	return "(masked " + hex.EncodeToString(h.Sum(nil)[:maskDigest]) + ")"
}

// maskDigest is the length in bytes of the digest in a mask: enough to tell versions of a setting apart.
const maskDigest = 8
