package guardrail

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
)

// refusal finds answers that refuse. Refusals usually are at the beginning of an answer.
type refusal struct{ e *engine }

func newRefusal(_ *detectorSettings, e *engine) (detector, error) {
	return refusal{e}, visitDataLines(refusalsFile, func(_ int, s string) error {
		for _, p := range strings.Fields(s) {
			p = strings.ReplaceAll(p, "_", " ")
			_, bounded := isLiteral(foldText(p))
			if err := e.addLiteral(p, 0, bounded); err != nil {
				return err
			}
		}
		return nil
	})
}

// refusalHead is the length of the beginning of an answer, in bytes, in which a refusal counts in full.
const refusalHead = 200

func (r refusal) detect(c *check, dst []finding) []finding {
	r.e.visitHits(c, func(h match.Hit, _ literalUse) {
		start, end := c.v.findRawSpan(int(h.Start), int(h.End))
		score := float32(0.3)
		if c.first && start < refusalHead {
			score = 0.9
		}
		dst = append(dst, finding{start: start, end: end, score: score})
	})
	return dst
}
