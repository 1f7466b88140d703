package console

// costs mounts costs, forecast and anomalies.
func (c *Console) costs() {}
