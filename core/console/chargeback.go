package console

// chargeback mounts chargeback reports.
func (c *Console) chargeback() {}
