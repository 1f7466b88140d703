package console

// single mounts sign-in by an identity provider.
func (c *Console) single() {}
