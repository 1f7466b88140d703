package replay

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// standIn maps types to example values that detectors find. They replace the values that were redacted before the
// exchange was stored. They come from ranges that are reserved for examples or are never assigned; none needs escaping
// in JSON. A type without a value keeps its placeholders, which no detector finds.
var standIn = map[string]string{
	"EMAIL":          "jane.doe@example.com",
	"PHONE":          "+1 202-555-0143",                    // 555-0100 to 555-0199 are for fiction
	"CREDIT_CARD":    "4111 1111 1111 1111",                // the card schemes' test number
	"IBAN":           "DE89 3704 0044 0532 0130 00",        // the example in the IBAN registry
	"IP_ADDRESS":     "203.0.113.7",                        // RFC 5737
	"MAC_ADDRESS":    "00:00:5e:00:53:01",                  // RFC 7042
	"CRYPTO_ADDRESS": "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", // the first one of Bitcoin's chain
	"URL":            "https://example.com/a",
}

// addStandIns inserts the example values into a request that is about to be replayed.
func addStandIns(x *core.Exchange) {
	text := string(x.Request.Raw)
	var out bytes.Buffer
	from := 0
	for {
		start, end, ok := placeholder.Next(text, from)
		if !ok {
			break
		}
		out.WriteString(text[from:start])
		typ, _, _ := placeholder.SplitParts(text[start:end])
		if v := standIn[typ]; v != "" {
			out.WriteString(v)
		} else {
			out.WriteString(text[start:end])
		}
		from = end
	}
	if from > 0 {
		out.WriteString(text[from:])
		x.Request.Raw = out.Bytes()
	}
}
