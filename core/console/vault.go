package console

// vault mounts the PII vault.
func (c *Console) vault() {}
