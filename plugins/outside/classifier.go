package outside

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-json-experiment/json"

	"github.com/headgate-dev/headgate/plugins/remote"
)

// benign are the labels by which classifiers say that a text is harmless: those of Llama Prompt Guard 2, PIGuard, deberta
// and ProtectAI models.
var benign = []string{"BENIGN", "SAFE", "LEGIT", "LABEL_0", "NEGATIVE", "NORMAL", "0"}

// class is what a classifier says about a text.
type class struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
}

// askClassifier calls a server of sequence classification: /predict of Text Embeddings Inference
// (https://huggingface.github.io/text-embeddings-inference/), or a text-classification endpoint of Hugging Face's.
func askClassifier(c *call, q *remote.Question) ([][]remote.Span, error) {
	in := struct {
		Inputs   []string `json:"inputs"`
		Truncate bool     `json:"truncate"`
	}{Truncate: false}
	for i := range q.Pieces {
		in.Inputs = append(in.Inputs, q.Pieces[i].Text)
	}
	var out jsontext.Value
	if err := c.bearer(c.set.URL, &in, &out); err != nil {
		return nil, err
	}
	texts, err := readClasses(out)
	if err != nil || len(texts) != len(q.Pieces) {
		return nil, errGarbled
	}
	spans := make([][]remote.Span, len(texts))
	for i, classes := range texts {
		worst := class{}
		for _, k := range classes {
			if k.Label == nil || k.Score == nil {
				return nil, errGarbled
			}
			isBenign := len(c.set.Labels) == 0 && slices.Contains(benign, strings.ToUpper(*k.Label))
			if !isBenign && c.counts(*k.Label, *k.Score) && (worst.Score == nil || *k.Score > *worst.Score) {
				worst = k
			}
		}
		if worst.Score != nil {
			spans[i] = markWhole(q.Pieces[i].Text, *worst.Label, *worst.Score)
		}
	}
	return spans, nil
}

// readClasses reads the classes of each text: a list of lists, or a list of classes, which is one of each text.
func readClasses(out jsontext.Value) ([][]class, error) {
	var lists [][]class
	if json.Unmarshal(out, &lists) == nil {
		return lists, nil
	}
	var flat []class
	if err := json.Unmarshal(out, &flat); err != nil {
		return nil, err
	}
	for i := range flat {
		lists = append(lists, flat[i:i+1])
	}
	return lists, nil
}
