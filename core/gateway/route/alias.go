package route

import "strings"

// aliases are further names of providers, used where no provider of that name
// is configured.
var aliases = map[string]string{"azure": "azure-openai"}

// provider gives the configured provider that a name means.
func (r *Router) provider(name string) (string, bool) {
	if r.names[name] {
		return name, true
	}
	name, ok := aliases[name]
	return name, ok && r.names[name]
}

// canonical spells a model's name, or a pattern of such, with the configured
// name of the provider that it begins with.
func (r *Router) canonical(model string) string {
	prefix, rest, ok := strings.Cut(model, "/")
	if !ok {
		return model
	}
	if name, ok := r.provider(prefix); ok && name != prefix {
		return name + "/" + rest
	}
	return model
}

// Bare gives a model's name without the prefix of a configured provider.
func (r *Router) Bare(model string) string {
	if prefix, rest, ok := strings.Cut(model, "/"); ok {
		if _, known := r.provider(prefix); known {
			return rest
		}
	}
	return model
}
