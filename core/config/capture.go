package config

import "time"

// Capture is the record of exchanges that "headgate replay" reads.
type Capture struct {
	// Enabled keeps exchanges. It is off unless written: what is kept are texts, if without personal data.
	Enabled bool `yaml:"enabled" default:"false"`
	// Dir is the folder, relative to the working directory.
	Dir string `yaml:"dir" default:"capture"`
	// Tenants narrows it to the exchanges of some tenants; none: of all.
	Tenants []string `yaml:"tenants" eg:"[acme]"`
	// Share is the part of the exchanges that is kept, above 0 and up to 1.
	Share float64 `yaml:"share" default:"1"`
	// Keep is how long they are kept.
	Keep time.Duration `yaml:"keep" default:"168h" min:"1h" max:"8760h"`
	// MaxSize bounds the folder; the oldest hours go first.
	MaxSize ByteSize `yaml:"max_size" default:"1GiB" min:"16MiB"`
	// PII says what is taken out of what is kept, as in a link of stage pii: packs, types, custom. The default types unless written.
	PII Block `yaml:"pii"`
}

func (c *checker) capture() {
	if c.cfg.Capture.Enabled && c.cfg.Capture.Dir == "" {
		c.addProblem("capture.dir", "is empty", "write dir: capture")
	}
	if s := c.cfg.Capture.Share; !(s > 0 && s <= 1) {
		c.addProblem("capture.share", "must be above 0 and at most 1", "write share: 1 for all exchanges, or enabled: false for none")
	}
	for i, id := range c.cfg.Capture.Tenants {
		if id == "" {
			c.addProblem(at("capture.tenants", i), "is empty", "write a tenant's id")
		}
	}
}
