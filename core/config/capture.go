package config

import "time"

// Capture configures the recording of exchanges for "headgate replay".
type Capture struct {
	// Enabled records exchanges. Off by default: recordings contain texts, if without personal data.
	Enabled bool `yaml:"enabled" default:"false"`
	// Dir is the folder, relative to the working directory.
	Dir string `yaml:"dir" default:"capture"`
	// Tenants limits recording to some tenants. Default: all.
	Tenants []string `yaml:"tenants" eg:"[acme]"`
	// Share is the share of exchanges that is recorded, above 0 and up to 1.
	Share float64 `yaml:"share" default:"1"`
	// Keep is how long recordings are kept.
	Keep time.Duration `yaml:"keep" default:"168h" min:"1h" max:"8760h"`
	// MaxSize limits the size of the folder. The oldest hours are removed first.
	MaxSize ByteSize `yaml:"max_size" default:"1GiB" min:"16MiB"`
	// PII configures what is redacted in recordings, as in a link `stage: pii`: packs, types, custom. Default: the
	// default types.
	PII Block `yaml:"pii"`
}

func (c *checker) checkCapture() {
	if c.cfg.Capture.Enabled && c.cfg.Capture.Dir == "" {
		c.addProblem("capture.dir", "is empty", "write dir: capture")
	}
	if s := c.cfg.Capture.Share; !(s > 0 && s <= 1) {
		c.addProblem("capture.share", "must be above 0 and at most 1", "write share: 1 for all exchanges, or enabled: false for none")
	}
	for i, id := range c.cfg.Capture.Tenants {
		if id == "" {
			c.addProblem(appendIndex("capture.tenants", i), "is empty", "write a tenant's id")
		}
	}
}
