package importtool

import "slices"

// readAllowedModels limits a key to the models that the entries of its provider_configs allow: provider/model, as clients write them.
func (im *importer) readAllowedModels(configs []*node, name string) {
	var models []string
	add := func(model string) {
		if !slices.Contains(models, model) {
			models = append(models, model)
		}
	}
	for _, c := range configs {
		provider, allowed := c.get("provider"), c.find("allowed_models[]")
		if provider.readString() == "" {
			continue // the rest of the entry is reported as unsupported
		}
		for _, m := range allowed {
			add(provider.readString() + "/" + m.readString())
			m.mark(Changed, "tenants[].keys[].models", "as provider/model, the name that clients send")
		}
		why := "in the names of the models"
		if len(allowed) == 0 {
			add(provider.readString() + "/*")
			why = "all models of the provider, as in Bifrost before 1.5; since then an entry without allowed_models allows none: take the pattern out"
		}
		provider.mark(Changed, "tenants[].keys[].models", why)
	}
	t := &im.out.Tenants[0]
	at := slices.IndexFunc(t.Keys, func(k key) bool { return k.Name == name })
	t.Keys[at].Models = models
}
