package console

// policies mounts policies.
func (c *Console) policies() {}
