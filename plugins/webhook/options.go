package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/core"
)

// MinSecret is how long a secret is at least, in bytes.
const MinSecret = 16

// Options configure a link.
type Options struct {
	// Link is the name in the chain.
	Link string
	// URL is where the receiver is called; https, or http when AllowPrivate is set.
	URL string
	// Secret signs calls and checks replies. Previous is the one before, which
	// receivers may still use until PreviousUntil.
	Secret, Previous string
	PreviousUntil    time.Time
	// Timeout bounds one whole Check, waiting and all calls included; 0: remote.DefaultTimeout.
	Timeout time.Duration
	// Calls bounds the calls at once; 0: remote.DefaultCalls.
	Calls int
	// AllowPrivate admits addresses of this machine and of private networks.
	AllowPrivate bool
	// FailOpen makes a stream go on after a failure, as if nothing had been found
	// in that window. On whole bodies the link's fault rule does the same.
	FailOpen bool
	// Shadow sends copies of texts and passes at once; Note is told what the
	// receiver said of them.
	Shadow   bool
	Note     func(remote.Observed)
	Settings Settings

	now      func() time.Time // of tests
	resolver remote.Resolver
	pause    time.Duration
}

// Settings are a link's config block.
type Settings struct {
	// Window is how many characters of an answer are judged together, and
	// Overlap how many of them the next window shows again.
	Window  int `yaml:"window" default:"400" min:"50" max:"4000"`
	Overlap int `yaml:"overlap" default:"100" min:"0" max:"2000"`
	// CAFile is a PEM file of authorities that are trusted besides the system's.
	CAFile string `yaml:"ca_file"`
}

// ReadSettings decodes a link's config block.
func ReadSettings(block core.Settings) (Settings, error) {
	s := Settings{Window: 400, Overlap: 100}
	if block == nil {
		return s, nil
	}
	if err := block.Decode(&s); err != nil {
		return s, err // it names the file and the line already
	}
	if s.Overlap > s.Window/2 {
		return s, fmt.Errorf("overlap: %d is more than half the window of %d; write at most %d", s.Overlap, s.Window, s.Window/2)
	}
	return s, nil
}

// engine returns what all guards have in common.
func (o *Options) engine() remote.Options {
	return remote.Options{
		Guard: "webhook", Link: o.Link, Timeout: o.Timeout, Calls: o.Calls, FailOpen: o.FailOpen, Shadow: o.Shadow, Note: o.Note,
		Window: o.Settings.Window, Overlap: o.Settings.Overlap, Pause: o.pause,
	}
}

// check returns the parsed URL of options that are valid.
func (o *Options) check() (*url.URL, error) {
	if len(o.Secret) < MinSecret {
		return nil, fmt.Errorf("secret: has fewer than %d characters; write a random one, such as openssl rand -hex 32 prints", MinSecret)
	}
	if o.Previous != "" && o.PreviousUntil.IsZero() {
		return nil, errors.New("previous: has no end; write until: with a time")
	}
	u, err := remote.ParseURL(o.URL, o.AllowPrivate)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	return u, nil
}
