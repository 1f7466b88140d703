package outside

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-json-experiment/json"

	"github.com/headgate-dev/headgate/plugins/remote"
)

// benign are the labels of harmless texts: those of Llama Prompt Guard 2, PIGuard, deberta and ProtectAI models.
var benign = []string{"BENIGN", "SAFE", "LEGIT", "LABEL_0", "NEGATIVE", "NORMAL", "0"}

// class is the score of a text for one label.
type class struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
}

// askClassifier calls a sequence classification server: /predict of Text Embeddings Inference
// (https://huggingface.github.io/text-embeddings-inference/), or a text-classification endpoint of Hugging Face. It
// sends one text per call: a list of texts is a batch to one of these servers, and a pair of sentences to the other.
func askClassifier(c *call, q *remote.Question) ([][]remote.Span, error) {
	text := q.Pieces[0].Text
	var out jsontext.Value
	if err := c.postWithBearer(c.set.URL, map[string]string{"inputs": text}, &out); err != nil {
		return nil, err
	}
	classes, err := readClasses(out)
	if err != nil || len(classes) == 0 {
		return nil, errGarbled
	}
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
	if worst.Score == nil {
		return nil, nil
	}
	return [][]remote.Span{newWholeSpan(text, *worst.Label, *worst.Score)}, nil
}

// readClasses parses the classes of one text: a list of them, or a list that contains that list.
func readClasses(out jsontext.Value) (classes []class, err error) {
	if json.Unmarshal(out, &classes) == nil {
		return classes, nil
	}
	var lists [][]class
	if err := json.Unmarshal(out, &lists); err != nil || len(lists) != 1 {
		return nil, errGarbled
	}
	return lists[0], nil
}
