package gemini

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *decoder) readConfig() {
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fMaxOutputTokens:
			d.r.MaxTokens = readCount(&d.s, d.doc)
		case fCandidateCount:
			d.s.Skip()
		case fTemperature:
			d.r.Temperature = d.readNumber()
		case fTopP:
			d.r.TopP = d.readNumber()
		case fSeed:
			d.r.Seed = d.readNumber()
		case fPresencePenalty:
			d.r.PresencePenalty = d.readNumber()
		case fFrequencyPenalty:
			d.r.FrequencyPenalty = d.readNumber()
		case fLogprobs:
			d.r.TopLogprobs = d.readNumber()
		case fResponseLogprobs:
			d.r.Logprobs = readTrue(&d.s)
		case fStopSequences:
			for l := openList(&d.s); l.moveToNext(); {
				d.r.Stop = append(d.r.Stop, scan.ReadText(&d.s, d.doc))
			}
		case fResponseMIMEType:
			d.mimeType = scan.ReadText(&d.s, d.doc)
		case fResponseSchema:
			d.schema = d.readGoogleSchema()
		case fResponseJSONSchema:
			d.schema = scan.ReadRaw(&d.s, d.doc)
		case fResponseModalities:
			d.readModalities()
		case fThinkingConfig:
			d.readThinking()
		default:
			d.drop("generationConfig." + scan.ShortenName(convertToCamel(string(o.key))))
		}
	}
}

// readThinking reads whether the client wants thoughts. It drops the thinking budget,
// which only Google's models accept.
func (d *decoder) readThinking() {
	if d.s.Kind() != splice.Null {
		d.r.RecordDropped(formatConfigPath(fThinkingConfig))
	}
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fIncludeThoughts {
			d.r.Thoughts = readTrue(&d.s)
		} else {
			d.s.Skip()
		}
	}
}

// readNumber returns a number as it is spelled, without the quotes that Google allows.
func (d *decoder) readNumber() llm.Number {
	return llm.Number(strings.Trim(string(scan.ReadRaw(&d.s, d.doc)), `"`))
}

func (d *decoder) readModalities() {
	for l := openList(&d.s); l.moveToNext(); {
		if m := scan.ReadText(&d.s, d.doc); !strings.EqualFold(m, "TEXT") && m != "" {
			d.fail(scan.NewUnsupportedError(formatConfigPath(fResponseModalities),
				"this route answers with text alone; leave responseModalities out, or send [\"TEXT\"]"))
		}
	}
}

// readFormat sets the format from MIME type and schema, which come in any order.
func (d *decoder) readFormat() {
	switch d.mimeType {
	case "", "text/plain", mimeJSON:
	default:
		d.fail(scan.NewUnsupportedError(formatConfigPath(fResponseMIMEType), "this route answers with text/plain or application/json; change responseMimeType"))
		return
	}
	if d.schema != nil || d.mimeType == mimeJSON {
		d.r.Format = &llm.Format{Schema: d.schema}
		if d.schema != nil {
			d.r.Format.Name = "response"
		}
	}
}
