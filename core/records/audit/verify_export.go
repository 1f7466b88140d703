package audit

import (
	"cmp"
	"crypto/ed25519"
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core/records/store"
)

// ExportReport is what an export proves without the database.
type ExportReport struct {
	Records int64
	// Tagged counts the records whose tag the HMAC key has made. 0 of many means that another key wrote the export.
	Tagged int64
	Chains []ExportChain
}

// ExportChain is the part of an export that belongs to one node's chain.
type ExportChain struct {
	Node        string
	Records     int64
	First, Last int64 // record numbers
	Whole       bool  // no record between First and Last is missing
	Authentic   int64 // records whose tag is valid; needs the HMAC key
	Checkpoints int64 // checkpoints whose signature and hash are valid
	// From and Through are the first and last records that a checkpoint proves to be unchanged, complete and in order;
	// 0 if none.
	From, Through int64
	// Removed is the number of the last record before First that retention removed, according to the export; 0 if none.
	Removed int64
	Broken  *Break // nil if every check passed
	Notes   []string
}

// Valid reports whether the export contains no changed record and no gap between two proven records.
func (r *ExportReport) Valid() bool {
	return !slices.ContainsFunc(r.Chains, func(c ExportChain) bool { return c.Broken != nil })
}

// entry is what the verifier retains of an exported record. It must buffer them because an export is newest first but a
// chain is proven from its start.
type entry struct {
	seq, at    int64
	leaf       [32]byte
	tag        [store.TagSize]byte
	authentic  bool   // its tag is that of the HMAC key
	checkpoint string // the checkpoint's payload
}

// trimmed is the payload of a CHAIN_TRIMMED record.
type trimmed struct {
	Node    string           `json:"node"`
	Through int64            `json:"through_seq"`
	At      int64            `json:"through_at"`
	Hash    string           `json:"hash"`
	Removed map[string]int64 `json:"removed"`
}

// VerifyExport checks a CSV or JSON export on any machine. With the public key it proves all records before one of
// their checkpoints, provided that none of them is missing: export without a filter, or filter by time alone. key, the
// HMAC key, is optional; with it each record is checked independently of filters. Memory use is about 64 bytes per
// record.
func VerifyExport(in io.Reader, public ed25519.PublicKey, key []byte) (ExportReport, error) {
	plain, err := newHasher(make([]byte, KeySize)) // computes hashes only, so the key does not matter
	if err != nil {
		return ExportReport{}, err
	}
	var keyed *hasher
	if key != nil {
		if keyed, err = newHasher(key); err != nil {
			return ExportReport{}, err
		}
		if public, err = DerivePublicKey(key); err != nil {
			return ExportReport{}, err
		}
	}
	var rep ExportReport
	nodes := map[string][]entry{}
	trims := map[string][]trimmed{}
	err = readExport(in, func(_ int, r *store.AuditRecord) error {
		rep.Records++
		e := entry{seq: r.Seq, at: r.At, tag: r.Tag, leaf: plain.hashLeaf(r)}
		if keyed != nil {
			if tag := keyed.computeTag(&e.leaf); hmac.Equal(tag[:], e.tag[:]) {
				e.authentic, rep.Tagged = true, rep.Tagged+1
			}
		}
		switch r.Type {
		case ChainCheckpoint:
			e.checkpoint = r.Payload
		case ChainTrimmed:
			var t trimmed
			if json.Unmarshal([]byte(r.Payload), &t) == nil {
				trims[t.Node] = append(trims[t.Node], t)
			}
		}
		nodes[r.Node] = append(nodes[r.Node], e)
		return nil
	})
	if err != nil {
		return ExportReport{}, err
	}
	for _, node := range slices.Sorted(maps.Keys(nodes)) {
		list := nodes[node]
		slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.seq, b.seq) })
		v := exportVerifier{plain: plain, keyed: keyed, public: public}
		v.chain = ExportChain{Node: node, Records: int64(len(list)), First: list[0].seq, Last: list[len(list)-1].seq}
		v.verify(list, trims[node])
		rep.Chains = append(rep.Chains, v.chain)
	}
	return rep, nil
}

type exportVerifier struct {
	plain, keyed *hasher
	public       ed25519.PublicKey
	chain        ExportChain
	sum          [32]byte // chain hash after the previous record
	known        bool     // sum is known
	from         int64    // first record of the run for which sum is known
}

func (v *exportVerifier) verify(list []entry, trims []trimmed) {
	c := &v.chain
	if c.Node == "" {
		c.Notes = append(c.Notes, "records from before nodes had names can be proven in the database alone")
		c.Whole = c.Records == c.Last-c.First+1
		return
	}
	v.begin(trims)
	c.Whole = true
	for i := range list {
		e := &list[i]
		if i > 0 && e.seq == list[i-1].seq {
			v.reportBreak(e, "the record stands in the export twice")
			return
		}
		if i > 0 && e.seq != list[i-1].seq+1 {
			c.Whole, v.known = false, false
		}
		if i > 0 && e.at < list[i-1].at {
			v.reportBreak(e, "the record's time lies before that of the record before it")
			return
		}
		if v.keyed != nil {
			if !e.authentic {
				v.reportBreak(e, "the record's content or its tag was changed, or it was written with another key")
				return
			}
			c.Authentic++
		}
		if !v.record(e) {
			return
		}
	}
	v.remark()
}

// begin finds the hash that the first record follows, if it can be determined.
func (v *exportVerifier) begin(trims []trimmed) {
	c := &v.chain
	if c.First == 1 {
		v.sum, v.known, v.from = v.plain.hashGenesis(c.Node), true, 1
		return
	}
	for _, t := range trims {
		hash, err := hex.DecodeString(t.Hash)
		if t.Through == c.First-1 && err == nil && len(hash) == len(v.sum) {
			v.sum, v.known, v.from, c.Removed = [32]byte(hash), true, c.First, t.Through
		}
	}
}

// record advances by one record. It returns false if the record fails.
func (v *exportVerifier) record(e *entry) bool {
	c := &v.chain
	if e.checkpoint != "" && v.public != nil {
		p, head, reason := readCheckpoint(e.checkpoint, v.public)
		switch {
		case reason != "":
			v.reportBreak(e, reason)
			return false
		case p.Node != c.Node || head.Seq != e.seq-1:
			v.reportBreak(e, "the record is a checkpoint of another record")
			return false
		case v.known && head.Hash != v.sum:
			v.reportBreak(e, fmt.Sprintf("the records %d to %d, or one of them, are not those that this checkpoint has signed", v.from, head.Seq))
			return false
		}
		c.Checkpoints++
		if v.known {
			if c.Through == 0 || c.From == 0 {
				c.From = v.from
			}
			c.Through = head.Seq
		} else {
			v.sum, v.known, v.from = head.Hash, true, e.seq
			c.From = 0 // do not report a run that has ended
		}
	}
	if v.known {
		v.sum = v.plain.hashLink(&v.sum, &e.leaf)
	}
	return true
}

// remark describes what remains unproven.
func (v *exportVerifier) remark() {
	c := &v.chain
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	switch {
	case c.Through == 0 || c.From == 0:
		note("no record is proven by a checkpoint: the export has no two in a row without a gap")
	default:
		if c.From > c.First {
			note("records %d to %d lie before the first checkpoint that is followed without a gap", c.First, c.From-1)
		}
		if c.Last > c.Through+1 {
			note("records %d to %d lie behind the last checkpoint", c.Through+2, c.Last)
		}
	}
	if !c.Whole {
		note("records are missing between the first and the last, as in an export that was filtered by tenant or type")
	}
	if v.keyed != nil {
		note("each record was checked individually with the HMAC key")
	}
}

func (v *exportVerifier) reportBreak(e *entry, reason string) {
	r := store.AuditRecord{Node: v.chain.Node, Seq: e.seq, Tag: e.tag}
	v.chain.Broken = &Break{Seq: e.seq, EventID: r.EventID(), Reason: reason}
}
