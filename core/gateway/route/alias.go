package route

import "strings"

// aliases are alternative names of providers, for names that are not configured.
var aliases = map[string]string{"azure": "azure-openai"}

// findProvider returns the configured provider of a name.
func (r *Router) findProvider(name string) (string, bool) {
	if r.names[name] {
		return name, true
	}
	if folded := strings.ToLower(name); folded != name {
		return r.findProvider(folded)
	}
	name, ok := aliases[name]
	return name, ok && r.names[name]
}

// normalizeModel returns a model name or pattern with the configured name of its provider prefix.
func (r *Router) normalizeModel(model string) string {
	prefix, rest, ok := strings.Cut(model, "/")
	if !ok {
		return model
	}
	if name, ok := r.findProvider(prefix); ok && name != prefix {
		return name + "/" + rest
	}
	return model
}

// StripPrefix returns a model name without the prefix of a configured provider.
func (r *Router) StripPrefix(model string) string {
	if prefix, rest, ok := strings.Cut(model, "/"); ok {
		if _, known := r.findProvider(prefix); known {
			return rest
		}
	}
	return model
}
