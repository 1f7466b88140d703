package cases

// Accepted reports whether the case configures a link, instead of showing that a configuration is refused.
func (c *Case) Accepted() bool { return c.refused == "" }

// Texts returns the single texts that the case gives to its stage, without bodies.
func (c *Case) Texts() (out []string) {
	for _, s := range c.steps {
		if s.given.Text != nil {
			out = append(out, *s.given.Text)
		}
	}
	return out
}
