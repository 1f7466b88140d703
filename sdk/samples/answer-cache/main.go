// answer-cache is a sample stage in Go: it answers a request with the stored answer to
// an equal request of the same tenant. It does not store answers with tool calls, nor
// streamed answers that were cut off.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o answer-cache.wasm .
//
// The manifest lies beside it, in manifest.yaml: pack it into the module, or copy it
// into the plugins folder as answer-cache.wasm.yaml.
package main

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func init() {
	guest.Configure(configure)
	guest.Stage(judge)
}

func main() {}

// ttl is how long an answer is kept.
var ttl time.Duration

func configure(b []byte) error {
	s := struct {
		Seconds int64 `json:"ttl_seconds"`
	}{Seconds: 300}
	if err := json.Unmarshal(b, &s); err != nil || s.Seconds <= 0 || s.Seconds > 24*3600 {
		return errors.New("settings: ttl_seconds must be a number from 1 to 86400")
	}
	ttl = time.Duration(s.Seconds) * time.Second
	return nil
}

func judge(p guest.Phase) error {
	switch p {
	case guest.Request:
		return answerFromStore()
	case guest.Response, guest.StreamEnd:
		storeAnswer(p)
	}
	return nil
}

// answerFromStore answers from what is kept, or remembers the key for the answer. Where the store
// does not answer, the model does.
func answerFromStore() error {
	if task, _ := guest.Field(abi.FieldTask); task != "answer" {
		return nil
	}
	digest, ok := guest.Field(abi.FieldDigest)
	if !ok {
		return errors.New("without the field digest there is no key; grant it")
	}
	model, _ := guest.Field(abi.FieldModel)
	shape, _ := guest.Field(abi.FieldDialect)
	key := shape + "/" + digest + "/" + model[:min(len(model), 100)]
	text, hit, err := guest.Get(key)
	if err == nil && hit {
		guest.Header("x-answer-cache", "hit")
		guest.Respond(string(text))
		return nil
	}
	guest.Header("x-answer-cache", "miss")
	guest.Keep([]byte(key))
	return nil
}

// storeAnswer keeps an answer that is one text.
func storeAnswer(p guest.Phase) {
	key := guest.Kept()
	if len(key) == 0 || guest.Texts() != 1 || guest.Info(0).Kind != abi.SegText {
		return
	}
	if p == guest.StreamEnd {
		if why, _ := guest.Field(abi.FieldFinish); !ended[why] {
			return
		}
	}
	_ = guest.Put(string(key), guest.Read(0), ttl) // what is not kept is asked for again
}

// ended holds the finish reasons of a complete answer, of all shapes.
var ended = map[string]bool{"stop": true, "end_turn": true, "STOP": true, "completed": true}
