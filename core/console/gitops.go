package console

// gitops mounts export and import of the configuration.
func (c *Console) gitops() {}
