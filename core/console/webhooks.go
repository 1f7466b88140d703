package console

// webhooks mounts webhook subscriptions.
func (c *Console) webhooks() {}
