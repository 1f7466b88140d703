package scan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestTheEndOfAWholeAnswerIsReadInItsOwnWords(t *testing.T) {
	for answer, want := range map[string]string{
		`{"choices":[{"index":0,"finish_reason":"length"},{"finish_reason":"stop"}]}`: "length",
		`{"stop_reason":"end_turn","content":[]}`:                                     "end_turn",
		`{"candidates":[{"finishReason":"MAX_TOKENS"}]}`:                              "MAX_TOKENS",
		`{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`: "max_output_tokens",
		`{"status":"completed","incomplete_details":null}`:                            "completed",
		`{"choices":[{"finish_reason":null}]}`:                                        "",
		`{"choices":{},"data":[]}`:                                                    "",
		`[1]`:                                                                         "",
	} {
		assert.Equal(t, want, ReadFinish(new(splice.Scanner), []byte(answer)), answer)
	}
}
