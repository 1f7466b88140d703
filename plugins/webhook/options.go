package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/core"
)

// MinSecret is the minimum length of a secret in bytes.
const MinSecret = 16

// Options configure a link.
type Options struct {
	// Link is the name in the chain.
	Link string
	// URL is where the receiver is called. It must be https, or may be http if AllowPrivate is set.
	URL string
	// Secret signs calls and checks replies. Previous is the previous secret, which receivers may use until
	// PreviousUntil.
	Secret, Previous string
	PreviousUntil    time.Time
	// Timeout limits one whole Check, including waiting and all calls. Default: remote.DefaultTimeout.
	Timeout time.Duration
	// Calls limits the concurrent calls. Default: remote.DefaultCalls.
	Calls int
	// AllowPrivate allows addresses of this machine and of private networks.
	AllowPrivate bool
	// FailOpen lets a stream continue after a failure, as if the window had no findings. For whole bodies, the link's
	// fault rule does the same.
	FailOpen bool
	// Shadow sends copies of texts and passes immediately. Note receives the receiver's verdicts.
	Shadow   bool
	Note     func(remote.Observed)
	Settings Settings

	now      func() time.Time // set by tests
	resolver remote.Resolver
	pause    time.Duration
}

// Settings are a link's config block.
type Settings struct {
	// Window is how many characters of an answer are judged together. Overlap is how many of them the next window
	// repeats.
	Window  int `yaml:"window" default:"400" min:"50" max:"4000"`
	Overlap int `yaml:"overlap" default:"100" min:"0" max:"2000"`
	// CAFile is a PEM file of certificate authorities that are trusted in addition to the system's.
	CAFile string `yaml:"ca_file"`
}

// ReadSettings decodes a link's config block.
func ReadSettings(block core.Settings) (Settings, error) {
	s := Settings{Window: 400, Overlap: 100}
	if block == nil {
		return s, nil
	}
	if err := block.Decode(&s); err != nil {
		return s, err // names the file and the line
	}
	if s.Overlap > s.Window/2 {
		return s, fmt.Errorf("overlap: %d is more than half the window of %d; write at most %d", s.Overlap, s.Window, s.Window/2)
	}
	return s, nil
}

// buildRemoteOptions returns the options that all guards have in common.
func (o *Options) buildRemoteOptions() remote.Options {
	return remote.Options{
		Guard: "webhook", Link: o.Link, Timeout: o.Timeout, Calls: o.Calls, FailOpen: o.FailOpen, Shadow: o.Shadow, Note: o.Note,
		Window: o.Settings.Window, Overlap: o.Settings.Overlap, Pause: o.pause,
	}
}

// check validates the options and returns the parsed URL.
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
