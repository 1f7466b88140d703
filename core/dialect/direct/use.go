package direct

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Upper bounds of usage that a request does not determine: our own safe estimates, which docs/money.md explains.
const (
	// tokensPerImage is more than a picture of gpt-image-1 takes to read or to make: 6,240 tokens.
	tokensPerImage = 8192
	// bytesPerSecond is the lowest bit rate of speech that is in use, 8 kbit/s.
	bytesPerSecond = 1000
	// Tokens of a second of sound: read, and written as its transcript.
	heardPerSecond, writtenPerSecond = 25, 8
	// lettersPerSecond is a fast speaker's rate.
	lettersPerSecond = 15
	// spokenPerLetter is the tokens of sound for a letter that is spoken slowly.
	spokenPerLetter = 4
	// A search of a reranker covers searchChunks pieces of documents; a piece has more than chunkBytes bytes.
	searchChunks, chunkBytes = 100, 250
)

// countTextBytes returns the length of all texts of a request: at least their number of tokens and of characters.
func countTextBytes(x *core.Exchange) (n int64) {
	for i := range x.Request.Segments {
		n += int64(x.Request.Segments[i].Span.Len())
	}
	return n
}

func boundTextUsage(texts int64, _ *notes) llm.Usage { return llm.Usage{Input: texts} }

func boundRerankUsage(texts int64, n *notes) llm.Usage {
	chunks := n.elements + texts/chunkBytes
	return llm.Usage{
		Input: texts + n.elements*int64(n.query), // some count the query with each document
		Units: llm.Units{Searches: (chunks + searchChunks - 1) / searchChunks},
	}
}

func countRerankUnits(_ *core.Exchange, n *notes) llm.Units {
	return llm.Units{Searches: (n.elements + searchChunks - 1) / searchChunks}
}

func boundImageUsage(texts int64, n *notes) llm.Usage {
	media, images := int64(n.files)*tokensPerImage, max(n.answers, 1)
	return llm.Usage{Input: texts + media, Media: media, Output: images * tokensPerImage, Units: llm.Units{Images: images}}
}

func countImageUnits(_ *core.Exchange, n *notes) llm.Units {
	return llm.Units{Images: max(n.answers, 1)}
}

func boundSpeechUsage(texts int64, n *notes) llm.Usage {
	return llm.Usage{Input: texts, Output: n.letters * spokenPerLetter, Units: llm.Units{Characters: n.letters}}
}

// countSpeechUnits counts the characters of the text as links have left it.
func countSpeechUnits(x *core.Exchange, _ *notes) (u llm.Units) {
	for i := range x.Request.Segments {
		if x.Request.Segments[i].Field == "input" {
			u.Characters += int64(utf8.RuneCountInString(x.Request.ReadText(i)))
		}
	}
	return u
}

func boundTranscriptionUsage(texts int64, n *notes) llm.Usage {
	seconds := n.millis/1000 + 1
	media := seconds * heardPerSecond
	return llm.Usage{
		Input: texts + media, Media: media, Output: seconds * writtenPerSecond, Units: llm.Units{Millis: seconds * 1000},
	}
}

// estimateTranscriptionUnits estimates how long sound was whose provider does not tell: by its bytes, or by what was
// said.
func estimateTranscriptionUnits(x *core.Exchange, n *notes) llm.Units {
	letters := 0
	for i := range x.Response.Segments {
		letters += x.Response.Segments[i].Span.Len()
	}
	return llm.Units{Millis: max(n.millis, int64(letters)*1000/lettersPerSecond, 1000)}
}

// Estimate returns what a call has used whose provider does not tell: the tokens that a budget has held for it, with the
// given number for the texts of the request, and the units as far as the request and the answer tell.
func (s *Shape) Estimate(x *core.Exchange, texts int64) llm.Usage {
	u := llm.Usage{Input: texts}
	if n, ok := x.Notes.(*notes); ok {
		u = s.most(texts, n)
		u.Units = llm.Units{}
		if s.units != nil {
			u.Units = s.units(x, n)
		}
	}
	u.Estimated = true
	return u
}
