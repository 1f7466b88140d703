package console

// credentials mounts the providers, their health and keys.
func (c *Console) credentials() {}
