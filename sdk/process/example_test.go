package process_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/process"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// topics refuses requests about the topics of its settings. Its program is
//
//	func main() { process.Serve(new(topics)) }
type topics struct {
	Topics []string `json:"topics"`
}

// Manifest names what the plugin must see. The gateway sends it the texts of users in requests, and nothing else.
func (*topics) Manifest() process.Manifest {
	return process.Manifest{Name: "topics", Version: "1.0.0", Phases: []core.Phase{core.Request}, Texts: []string{"user"}}
}

// Configure reads the config block of the link. It refuses names that it does not know, so that a typing error is found when
// the gateway starts.
func (p *topics) Configure(config []byte) error {
	d := json.NewDecoder(bytes.NewReader(config))
	d.DisallowUnknownFields()
	return d.Decode(p)
}

func (p *topics) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	for i := range x.Request.Segments {
		for _, topic := range p.Topics {
			if strings.Contains(x.Request.ReadText(i), topic) {
				return core.Verdict{Action: core.Block, Err: &core.Error{
					Kind: core.Forbidden, Code: "TOPIC_REFUSED", Public: "requests about this topic are not allowed",
				}}, nil
			}
		}
	}
	return core.Verdict{Action: core.Pass}, nil
}

// A stage with settings. The gateway writes the error of Configure to its log and does not start the plugin.
func ExampleConfigurer() {
	plugin := new(topics)
	fmt.Println(plugin.Configure([]byte(`{"topic": ["merger"]}`)))
	fmt.Println(plugin.Configure([]byte(`{"topics": ["merger"]}`)))

	for _, text := range []string{"When is lunch?", "Summarize the merger."} {
		v, err := plugin.Check(context.Background(), stagetest.Text{Text: text}.Exchange(), core.Request, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(text, " ", v.Action)
		if v.Action == core.Block {
			fmt.Print(" ", v.Err.Code, ": ", v.Err.Public)
		}
		fmt.Println()
	}
	// Output:
	// json: unknown field "topic"
	// <nil>
	// When is lunch? pass
	// Summarize the merger. block TOPIC_REFUSED: requests about this topic are not allowed
}

// greeter answers greetings without a call of a model.
type greeter struct{}

func (greeter) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	if x.Request.ReadText(0) == "hello" {
		return core.Verdict{Action: core.Answer, Reply: process.Text("Hello. What can I do for you?")}, nil
	}
	return core.Verdict{Action: core.Pass}, nil
}

// A stage that answers instead of the model. The gateway writes the text in the shape of the client's API, streamed if the
// client asked for a stream.
func ExampleText() {
	for _, text := range []string{"hello", "What is a gateway?"} {
		v, err := greeter{}.Check(context.Background(), stagetest.Text{Text: text}.Exchange(), core.Request, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(text, ": ", v.Action)
		if v.Reply != nil {
			fmt.Printf(" %s %q", v.Reply.Header.Get("Content-Type"), v.Reply.Raw)
		}
		fmt.Println()
	}
	// Output:
	// hello: answer text/plain "Hello. What can I do for you?"
	// What is a gateway?: pass
}
