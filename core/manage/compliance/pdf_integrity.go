package compliance

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/pdf"
)

func (p *Paper) drawMethod(d *pdf.Document, source string) {
	d.WriteHeading("About this report")
	d.WriteParagraph("Every governed call and every administrative change leaves records in the audit chain of the node that handled it. " +
		"Each record's SHA-256 covers the one before it; batches are signed with HMAC-SHA-256, and the head of each chain is signed with " +
		"Ed25519 at least once a minute while there is something new, at each start and at each stop. A record that was changed, removed, " +
		"added or moved is found when a chain is verified.")
	d.WriteParagraph("For this report all chains were verified from their beginning, or from where retention has cut them, to their signed end; " +
		"then the records of the scope and span above were counted. The counts are of records that exist; nothing is sampled or extrapolated.")
	d.WriteParagraph("The report gives evidence on the operation of technical controls. It is neither an opinion on their design nor an attestation.")
	d.WriteNote("Requirements after: " + source)
}

func (p *Paper) drawIntegrity(d *pdf.Document) {
	d.WriteHeading("Integrity of the audit chains")
	d.WriteParagraph(fmt.Sprintf("%s verified in %s, in %s.", formatPlural64(p.Sections.Integrity.Verified, "record"),
		formatPlural(len(p.Proof.Chains), "chain"), (time.Duration(p.Proof.Took) * time.Millisecond).Round(time.Millisecond)))
	t := pdf.Table{
		Columns: []pdf.Column{
			{Title: "Node", Width: 22},
			{Title: "Result", Width: 12},
			{Title: "Records", Align: pdf.Right, Width: 16},
			{Title: "From", Align: pdf.Right, Width: 14},
			{Title: "To", Align: pdf.Right, Width: 14},
			{Title: "Signed to", Align: pdf.Right, Width: 16},
			{Title: "Last record (UTC)", Align: pdf.Right, Width: 31},
			{Title: "Kills", Align: pdf.Right, Width: 9},
		},
		Empty: "There are no records yet.",
	}
	for i := range p.Proof.Chains {
		c := &p.Proof.Chains[i]
		result := "intact"
		if !c.Valid {
			result = "BROKEN"
		}
		last := "–"
		if !c.LastTime.IsZero() {
			last = c.LastTime.UTC().Format("2006-01-02 15:04:05")
		}
		t.Rows = append(t.Rows, []string{
			cmp.Or(
				c.Node,
				"(before nodes)",
			),
			result,
			formatCount(c.Records),
			formatCount(c.First),
			formatCount(c.Last),
			formatCount(c.Signed),
			last,
			strconv.Itoa(c.Gaps),
		})
	}
	d.DrawTable(t)
	for i := range p.Proof.Chains {
		c := &p.Proof.Chains[i]
		if c.Broken != "" {
			d.WriteParagraph("Node " + c.Node + ": BROKEN at " + c.Broken + ".")
		}
		if c.Removed > 0 {
			d.WriteNote(
				"Node " + c.Node + ": the records up to number " + formatCount(
					c.Removed,
				) + " were removed by retention, which has signed their last hash and counts.",
			)
		}
	}
	heads := make([]pdf.Fact, 0, len(p.Proof.Chains)+1)
	for i := range p.Proof.Chains {
		c := &p.Proof.Chains[i]
		heads = append(heads, pdf.Fact{Label: "Head of " + cmp.Or(c.Node, "(before nodes)"), Value: c.Hash})
	}
	d.WriteFacts(append(heads, pdf.Fact{Label: "Public key (Ed25519)", Value: p.Proof.PublicKey}))
	d.WriteNote(
		"A head is the SHA-256 after the chain's last record: a copy kept elsewhere can prove later that the chain was not replaced by an older one. Kills are ends of a " +
			"node without a shutdown, after which up to 50 ms of records may be missing. With the public key, exports are checked without this " +
			"installation: headgate audit verify --file audit-events.json --public-key KEY",
	)
}
