// Answercache is a plugin that answers a request with the text that an equal one of the
// same tenant was answered with, in the shape that the client speaks, streamed where it
// asked for that. Requests are equal when their bodies are, to the byte. It keeps nothing
// itself: the gateway keeps texts for it, in memory or in Redis.
//
//	chain:
//	  - stage: pii
//	  - process: answercache             # behind pii: it keeps texts
//	    sha256: …
//	    config: {ttl_seconds: 300}
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/sdk/process"
)

func main() { process.Serve(&cache{Seconds: 300}) }

// most is how much text is kept of an answer. A longer one is asked for again.
const most = 256 << 10

// longest is how long a text may be kept.
const longest = 24 * 60 * 60

// cache is the stage. Its settings are its field.
type cache struct {
	Seconds int64 `json:"ttl_seconds"`
}

// Manifest asks for what makes two requests equal, for the text of answers, and for what
// tells that an answer holds more than a text.
func (c *cache) Manifest() process.Manifest {
	return process.Manifest{
		Name: "answercache", Version: "1.0.0", Phases: []core.Phase{core.Request, core.Response},
		Fields: []string{"digest", "model", "dialect", "task", "status", "finish"},
		Texts:  []string{"assistant", "tool_args", "reasoning"}, State: true,
		StreamBytes: 4096,
	}
}

// Configure parses and checks the config block of the link.
func (c *cache) Configure(config []byte) error {
	if config != nil {
		if err := json.Unmarshal(config, c); err != nil {
			return fmt.Errorf("config: %w", err)
		}
	}
	if c.Seconds <= 0 || c.Seconds > longest {
		return errors.New("config: ttl_seconds must be a number from 1 to 86400")
	}
	return nil
}

// Check answers a request from what is kept, or keeps the text of an answer.
func (c *cache) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	if p == core.Response {
		if key, ok := kept.([]byte); ok && x.Response.Status/100 == 2 && len(x.Response.Segments) == 1 &&
			x.Response.Segments[0].Kind == core.KindText {
			c.storeText(ctx, string(key), x.Response.ReadText(0))
		}
		return v, nil
	}
	if x.Head.Task != llm.TaskAnswer {
		return v, nil
	}
	digest := process.DigestOf(ctx)
	if digest == "" {
		return v, errors.New("without the field digest there is no key; grant it")
	}
	key := x.Dialect + "/" + digest + "/" + x.Head.Model[:min(len(x.Head.Model), 100)]
	text, hit, err := process.StateOf(ctx).Get(ctx, key)
	if err == nil && hit {
		v.Action, v.Reply = core.Answer, process.Text(string(text))
		v.Header = []core.Field{{Name: "X-Answer-Cache", Value: "hit"}}
		return v, nil
	}
	// Where the store does not answer, the model does.
	v.Keep, v.Header = []byte(key), []core.Field{{Name: "X-Answer-Cache", Value: "miss"}}
	return v, nil
}

// storeText keeps a text. One that cannot be kept is asked for again.
func (c *cache) storeText(ctx context.Context, key, text string) {
	if text == "" || len(text) > most {
		return
	}
	if err := process.StateOf(ctx).Put(ctx, key, []byte(text), time.Duration(c.Seconds)*time.Second); err != nil {
		fmt.Println("answercache: an answer could not be kept:", err) // the gateway's log
	}
}
