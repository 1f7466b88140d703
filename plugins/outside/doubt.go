package outside

import (
	"context"
	"errors"
	"regexp"
	"strconv"

	"github.com/headgate-dev/headgate/plugins/remote"
)

// condition matches the setting ask_when.
var condition = regexp.MustCompile(`^\s*score\s*(>=?)\s*([0-9]*\.?[0-9]+)\s*$`)

// parseCondition returns the score of a condition, and whether that score itself satisfies it.
func parseCondition(text string) (score float32, equal bool, err error) {
	m := condition.FindStringSubmatch(text)
	if m == nil {
		return 0, false, errors.New(`is not a condition on the score; write "score > 0.2" or "score >= 0.2"`)
	}
	v, err := strconv.ParseFloat(m[2], 32)
	if err != nil || v > 1 {
		return 0, false, errors.New("the score is not between 0 and 1")
	}
	return float32(v), m[1] == ">=", nil
}

// buildDoubtTest returns the test of windows that ask_when describes, or nil if all windows are sent.
func (o *Options) buildDoubtTest() func(ctx context.Context, p *remote.Piece) bool {
	if o.Settings.AskWhen == "" {
		return nil
	}
	least, equal, _ := parseCondition(o.Settings.AskWhen) // checked before
	return func(ctx context.Context, p *remote.Piece) bool {
		score := o.Score(ctx, p)
		return score > least || equal && score == least
	}
}
