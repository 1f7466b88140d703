package console

// schemas mounts output schemas.
func (c *Console) schemas() {}
