package config

import "time"

// Batch bounds files of requests and the batches that are made of them. A change takes effect at the next start. The longest line is server.max_body.
type Batch struct {
	// MaxFile is the largest file that may be uploaded.
	MaxFile ByteSize `yaml:"max_file" default:"200MB" min:"1KiB" max:"10GiB"`
	// MaxLines is how many requests a file may hold.
	MaxLines int `yaml:"max_lines" default:"50000" min:"1" max:"10000000"`
	// AskEvery is how often a client's questions about a batch are passed on to its provider, at most.
	AskEvery time.Duration `yaml:"ask_every" default:"5s" min:"100ms" max:"1h"`
	// WatchEvery is how often providers are asked about batches that no client asks about, so that what they used is booked.
	WatchEvery time.Duration `yaml:"watch_every" default:"1m" min:"100ms" max:"24h"`
	// TempDir is where files lie while they are uploaded. Empty text is the system's folder.
	TempDir string `yaml:"temp_dir" eg:"/var/tmp"`
}
