package openai

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// readUsage reads the usage. ok is false for null and for any value but an object.
// Vendors report cached tokens in different places. xAI counts reasoning outside the
// output, which shows in its total.
func readUsage(s *splice.Scanner, doc []byte) (u llm.Usage, ok bool) {
	if s.Kind() != splice.Object {
		s.Skip()
		return u, false
	}
	var total, cached int64
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "prompt_tokens":
			u.Input = scan.ReadCount(s, doc)
		case "completion_tokens":
			u.Output = scan.ReadCount(s, doc)
		case "total_tokens":
			total = scan.ReadCount(s, doc)
		case "prompt_tokens_details":
			u.Cached, u.Written = readDetails(s, doc, "cached_tokens", "cache_write_tokens")
		case "completion_tokens_details":
			u.Reasoning = readDetail(s, doc, "reasoning_tokens")
		case "cached_tokens", "prompt_cache_hit_tokens": // Moonshot, DeepSeek
			cached = scan.ReadCount(s, doc)
		default:
			s.Skip()
		}
	}
	if u.Cached == 0 {
		u.Cached = cached
	}
	if u.Reasoning > 0 && total == u.Input+u.Output+u.Reasoning {
		u.Output += u.Reasoning
	}
	u.Reported = true
	return u, true
}

func readDetail(s *splice.Scanner, doc []byte, name string) int64 {
	n, _ := readDetails(s, doc, name, "")
	return n
}

// readDetails reads two numbers of an object.
func readDetails(s *splice.Scanner, doc []byte, one, two string) (a, b int64) {
	if s.Kind() != splice.Object {
		s.Skip()
		return 0, 0
	}
	s.Enter()
	for s.Next() {
		switch key := string(s.Key()); key {
		case one:
			a = scan.ReadCount(s, doc)
		case two:
			b = scan.ReadCount(s, doc)
		default:
			s.Skip()
		}
	}
	return a, b
}
