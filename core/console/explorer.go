package console

// explorer mounts the request explorer.
func (c *Console) explorer() {}
