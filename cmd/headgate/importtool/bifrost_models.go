package importtool

import (
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/core/body/match"
)

// Values of Bifrost's setting `version`, which says what a list that allows nothing by name means. A file without it may be of
// any version.
const (
	emptyAllowsAll  = "1" // as Bifrost before 1.5
	emptyAllowsNone = "2" // as Bifrost since 1.5
)

// allowsAll reports whether a list without entries allows everything. Unless the source says its version, a list that is written as
// empty allows nothing, and one that is absent allows all, as in every version that has keys without it.
func allowsAll(version string, list *node) bool {
	switch version {
	case emptyAllowsAll:
		return true
	case emptyAllowsNone:
		return false
	}
	return list.isEmpty()
}

// readAllowedModels returns the patterns of the models that the provider_configs of a key allow: provider/model, as clients write
// them. No pattern allows all models. ok is false if the key may use none.
func readAllowedModels(k *node, version string) (models []string, ok bool) {
	configs := k.find("provider_configs[]")
	if len(configs) == 0 {
		if !allowsAll(version, k.get("provider_configs")) {
			return nil, false
		}
		reportWidenedKey(k, version)
		return nil, true
	}
	for _, c := range configs {
		provider, list := c.get("provider"), c.get("allowed_models")
		if provider.readString() == "" {
			continue // the rest of the entry is reported as unsupported
		}
		entries := c.find("allowed_models[]")
		for _, m := range entries {
			models = addAllowedModel(models, m, provider.readString()+"/"+m.readString(), "as provider/model, the name that clients send")
		}
		switch {
		case len(entries) > 0:
			provider.mark(Changed, "tenants[].keys[].models", "in the names of the models")
		case allowsAll(version, list):
			why := "all models of the provider"
			if version != emptyAllowsAll {
				why += ", as in Bifrost before 1.5; since then an entry without allowed_models allows none: take the pattern out"
			}
			models = addAllowedModel(models, provider, provider.readString()+"/*", why)
			list.mark(Changed, "tenants[].keys[].models", why)
		default:
			const why = "the list is empty, so the key may use no model of the provider"
			provider.mark(Changed, "tenants[].keys[].models", why)
			list.mark(Changed, "tenants[].keys[].models", why)
		}
	}
	return models, len(models) > 0
}

// addAllowedModel adds a pattern to those of a key, and marks the value that it comes from.
func addAllowedModel(models []string, from *node, pattern, why string) []string {
	switch {
	case slices.Contains(models, pattern):
	case !match.IsModelPattern(pattern):
		from.mark(Unsupported, "", match.ModelPatternRule)
		return models
	case len(models) == match.MaxModelPatterns:
		from.mark(Unsupported, "", fmt.Sprintf("left out, so the key may not use it: a key has at most %d patterns of models; "+
			"write a pattern with * for several", match.MaxModelPatterns))
		return models
	default:
		models = append(models, pattern)
	}
	from.mark(Changed, "tenants[].keys[].models", why)
	return models
}

// reportWidenedKey says at the first label of a key that it may use all models, because the source lists none.
func reportWidenedKey(k *node, version string) {
	why := "the gateway creates the key at its first start and prints it once; it may use all models"
	if version != emptyAllowsAll {
		why += ": it has no provider_configs, which allows all before Bifrost 1.5 and none since. Write models to limit it"
	}
	for _, field := range []string{"name", "id", "value"} {
		if n := k.get(field); n != nil {
			n.mark(Changed, "tenants[].keys[].models", why)
			break
		}
	}
	k.get("provider_configs").mark(Changed, "tenants[].keys[].models", why)
}
