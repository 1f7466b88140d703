package console

// chain mounts the chain.
func (c *Console) chain() {}
