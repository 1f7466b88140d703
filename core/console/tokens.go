package console

// tokens mounts access tokens.
func (c *Console) tokens() {}
