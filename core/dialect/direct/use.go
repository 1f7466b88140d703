package direct

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// The most that calls use, where a request does not tell: our own estimates on the safe side, which docs/money.md explains.
const (
	// tokensPerImage is more than a picture of gpt-image-1 takes to read or to make: 6,240 tokens.
	tokensPerImage = 8192
	// bytesPerSecond is the lowest bit rate of speech that is in use, 8 kbit/s, and usualBytes that of uncompressed
	// speech: 16 bits at 16 kHz.
	bytesPerSecond, usualBytes = 1000, 32_000
	// Tokens of a second of sound: read, and written as its transcript.
	heardPerSecond, writtenPerSecond = 25, 8
	// lettersPerSecond is a fast speaker's rate.
	lettersPerSecond = 15
	// spokenPerLetter is the tokens of sound for a letter that is spoken slowly.
	spokenPerLetter = 4
	// A search of a reranker covers searchChunks pieces of documents; a piece has more than chunkBytes bytes.
	searchChunks, chunkBytes = 100, 250
)

// textBytes is the length of all texts of a request: at least their number of tokens and of characters.
func textBytes(x *core.Exchange) (n int64) {
	for i := range x.Request.Segments {
		n += int64(x.Request.Segments[i].Span.Len())
	}
	return n
}

func mostRead(x *core.Exchange, _ *notes) llm.Usage { return llm.Usage{Input: textBytes(x)} }

func mostRanked(x *core.Exchange, n *notes) llm.Usage {
	texts := textBytes(x)
	chunks := n.elements + texts/chunkBytes
	return llm.Usage{
		Input: texts + n.elements*int64(n.query), // some count the query with each document
		Units: llm.Units{Searches: (chunks + searchChunks - 1) / searchChunks},
	}
}

func unitsRanked(_ *core.Exchange, n *notes) llm.Units {
	return llm.Units{Searches: (n.elements + searchChunks - 1) / searchChunks}
}

func mostDrawn(x *core.Exchange, n *notes) llm.Usage {
	media, images := int64(n.files)*tokensPerImage, max(n.answers, 1)
	return llm.Usage{Input: textBytes(x) + media, Media: media, Output: images * tokensPerImage, Units: llm.Units{Images: images}}
}

func unitsDrawn(_ *core.Exchange, n *notes) llm.Units { return llm.Units{Images: max(n.answers, 1)} }

func mostSpoken(x *core.Exchange, _ *notes) llm.Usage {
	n := textBytes(x)
	return llm.Usage{Input: n, Output: n * spokenPerLetter, Units: llm.Units{Characters: n}}
}

// unitsSpoken counts the characters of the text as links have left it.
func unitsSpoken(x *core.Exchange, _ *notes) (u llm.Units) {
	for i := range x.Request.Segments {
		if x.Request.Segments[i].Field == "input" {
			u.Characters += int64(utf8.RuneCountInString(x.Request.Text(i)))
		}
	}
	return u
}

func mostHeard(x *core.Exchange, n *notes) llm.Usage {
	seconds := n.fileBytes/bytesPerSecond + 1
	media := seconds * heardPerSecond
	return llm.Usage{
		Input: textBytes(x) + media, Media: media, Output: seconds * writtenPerSecond, Units: llm.Units{Millis: seconds * 1000},
	}
}

// unitsHeard estimates how long sound was whose provider does not tell: by its bytes, or by what was said.
func unitsHeard(x *core.Exchange, n *notes) llm.Units {
	letters := 0
	for i := range x.Response.Segments {
		letters += x.Response.Segments[i].Span.Len()
	}
	return llm.Units{Millis: max(n.fileBytes*1000/usualBytes, int64(letters)*1000/lettersPerSecond, 1000)}
}

// Estimate returns what a call has used in units, as far as the request tells.
func (s *Shape) Estimate(x *core.Exchange) llm.Units {
	if s.units == nil {
		return llm.Units{}
	}
	n, ok := x.Notes.(*notes)
	if !ok {
		return llm.Units{}
	}
	return s.units(x, n)
}
