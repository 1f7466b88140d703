package console

// pricing mounts prices.
func (c *Console) pricing() {}
