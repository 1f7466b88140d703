package console

// plugins mounts plugins.
func (c *Console) plugins() {}
