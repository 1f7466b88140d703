package replay

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// hashTexts hashes the text of each part of a stream. It ignores how the text is split into events, which links that
// hold text back change.
func hashTexts(d core.Dialect, stream []byte) uint64 {
	type spoken struct {
		core.Part
		text []byte
	}
	var parts []spoken
	var events sse.Splitter
	if events.Write(stream) != nil {
		return maphash.Bytes(seed, stream)
	}
	var x core.Exchange
	var ev core.Event
	for raw := events.Next(); raw != nil; raw = events.Next() {
		ev.Reset(raw)
		if d.ScanEvent(&x, &ev) != nil {
			return maphash.Bytes(seed, stream)
		}
		doc := ev.Raw
		if ev.Joined != nil {
			doc = ev.Joined
		}
		for _, delta := range ev.Deltas {
			i := slices.IndexFunc(parts, func(s spoken) bool { return s.Part == delta.Part })
			if i < 0 {
				i, parts = len(parts), append(parts, spoken{Part: delta.Part})
			}
			parts[i].text = append(parts[i].text, doc[delta.Span.Start:delta.Span.End]...)
		}
	}
	slices.SortFunc(parts, func(a, b spoken) int {
		return cmp.Or(cmp.Compare(a.Choice, b.Choice), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Form, b.Form))
	})
	var h maphash.Hash
	h.SetSeed(seed)
	for i := range parts {
		maphash.WriteComparable(&h, parts[i].Part)
		_, _ = h.Write(parts[i].text) // never fails
	}
	return h.Sum64()
}
