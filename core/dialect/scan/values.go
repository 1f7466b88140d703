package scan

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/llm"
)

// ReadAlias reads a string, which aliases doc unless it contains escapes. It skips a
// value of another kind and returns "".
func ReadAlias(s *splice.Scanner, doc []byte) string {
	if s.Kind() != splice.String {
		s.Skip()
		return ""
	}
	at, escaped := s.String()
	if s.Err() != nil {
		return ""
	}
	if escaped {
		return unescapeString(doc, at)
	}
	return zerocopy.String(doc[at.Start:at.End])
}

// ReadText is ReadAlias, but always copies.
func ReadText(s *splice.Scanner, doc []byte) string {
	if s.Kind() != splice.String {
		s.Skip()
		return ""
	}
	at, escaped := s.String()
	if s.Err() != nil {
		return ""
	}
	if escaped {
		return unescapeString(doc, at)
	}
	return string(doc[at.Start:at.End])
}

// unescapeString returns a string without its escapes.
func unescapeString(doc []byte, at splice.Span) string {
	return zerocopy.String(splice.AppendText(make([]byte, 0, at.Len()), doc[at.Start:at.End]))
}

// ReadNumber reads a number as it is spelled, as a copy. It skips a value of another
// kind and returns "".
func ReadNumber(s *splice.Scanner, doc []byte) llm.Number {
	if s.Kind() != splice.Number {
		s.Skip()
		return ""
	}
	at := s.Number()
	if s.Err() != nil {
		return ""
	}
	return llm.Number(doc[at.Start:at.End])
}

// MaxCount bounds what is read as a number of tokens or an index: more than any call can use, and so little that the costs of many calls
// can be added up. What a broken or hostile provider reports must not overflow the sums of everybody else.
const MaxCount = 1 << 32

// ReadCount reads a number of tokens or an index. It returns 0 for anything but an integer above 0, and MaxCount for a larger one.
func ReadCount(s *splice.Scanner, doc []byte) int64 {
	if s.Kind() != splice.Number {
		s.Skip()
		return 0
	}
	at := s.Number()
	if s.Err() != nil {
		return 0
	}
	n, ok := splice.ParseInteger(doc[at.Start:at.End])
	if !ok || n < 0 {
		return 0
	}
	return min(n, MaxCount)
}

// MaxIndex is the highest index that [ReadIndex] returns.
const MaxIndex = 1 << 30

// ReadIndex is ReadCount, at most [MaxIndex].
func ReadIndex(s *splice.Scanner, doc []byte) int32 { return int32(min(ReadCount(s, doc), MaxIndex)) }

// ReadFlag reads a boolean. It skips a value of another kind and returns nil.
func ReadFlag(s *splice.Scanner) *bool {
	if k := s.Kind(); k != splice.True && k != splice.False {
		s.Skip()
		return nil
	}
	on := s.Bool()
	return &on
}

// ReadRaw reads a value as it is spelled. It aliases doc, and is nil for null.
func ReadRaw(s *splice.Scanner, doc []byte) json.RawMessage {
	isNull := s.Kind() == splice.Null
	at := s.Skip()
	if isNull || s.Err() != nil {
		return nil
	}
	return doc[at.Start:at.End:at.End]
}

// OpenObject resets s to doc and opens the object that doc must be. notObject is the
// error of any other JSON.
func OpenObject(s *splice.Scanner, doc []byte, notObject error) error {
	s.Reset(doc)
	if s.Kind() != splice.Object {
		if err := s.Err(); err != nil {
			return err
		}
		return notObject
	}
	s.Enter()
	return nil
}
