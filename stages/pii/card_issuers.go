package pii

// issuer is one range of issuer identification numbers: the first six digits from lo to hi, the usual lengths of its cards,
// and the lengths that the scheme allows but hardly uses. Lengths are bits.
type issuer struct {
	lo, hi      uint32
	usual, rare uint32
}

func maskLengths(lengths ...int) (m uint32) {
	for _, l := range lengths {
		m |= 1 << l
	}
	return m
}

// Lengths of the schemes with more than one.
var (
	upTo19  = maskLengths(16, 17, 18, 19)
	diners  = maskLengths(14, 15, 16, 17, 18, 19)
	visa    = maskLengths(16, 19)
	maestro = maskLengths(16, 18, 19)
	short   = maskLengths(12, 13, 14, 15, 17) // Maestro allows 12 to 19
)

// issuers are the ranges in use, in order; ISO/IEC 7812-2 keeps the register,
// the schemes publish theirs, collected in the article "Payment card number"
// of Wikipedia. Overlapping brands are merged into the wider row.
var issuers = []issuer{
	{60400, 60499, 0, maestro | short},       // Maestro, old
	{100000, 199999, maskLengths(15), 0},     // UATP, the airlines
	{180000, 180099, maskLengths(15), 0},     // JCB, old
	{213100, 213199, maskLengths(15), 0},     // JCB, old
	{220000, 220499, upTo19, 0},              // Mir
	{220500, 220599, maskLengths(16), 0},     // Borica
	{222100, 272099, maskLengths(16), 0},     // Mastercard, second series
	{300000, 305999, diners, 0},              // Diners Club
	{309500, 309599, diners, 0},              // Diners Club
	{340000, 349999, maskLengths(15), 0},     // American Express
	{352800, 358999, upTo19, 0},              // JCB, and RuPay 353 and 356
	{360000, 369999, diners, 0},              // Diners Club
	{370000, 379999, maskLengths(15), 0},     // American Express
	{380000, 399999, diners, 0},              // Diners Club
	{400000, 499999, visa, maskLengths(13)},  // Visa
	{490303, 490399, maestro, 0},             // Switch
	{493600, 493699, maestro, 0},             // Switch
	{500000, 509999, maestro, short},         // Maestro, Elo, Verve, RuPay 508, Dankort
	{510000, 559999, maskLengths(16), 0},     // Mastercard
	{560000, 589999, maestro, short},         // Maestro, Bankcard
	{600000, 609999, maskLengths(16, 19), 0}, // RuPay, Hipercard, Discover 6011, NPS
	{601100, 601199, upTo19, 0},              // Discover
	{620000, 629999, upTo19, 0},              // UnionPay
	{630400, 630499, maestro, short},         // Laser, Maestro
	{633100, 633199, maestro, 0},             // Switch
	{633300, 633499, maestro, 0},             // Switch, Solo
	{636000, 636999, upTo19, 0},              // InterPayment, Elo
	{637000, 639999, maskLengths(16, 19), 0}, // InstaPayment, Hipercard, Maestro 6390
	{639000, 639099, maestro, short},         // Maestro
	{644000, 659999, upTo19, 0},              // Discover, RuPay 65, Elo, Troy, Verve
	{670000, 679999, maestro, short},         // Maestro, Laser, Solo
	{810000, 817199, upTo19, 0},              // UnionPay, RuPay 81
	{820000, 829999, maskLengths(16), 0},     // RuPay
	{860000, 860099, maskLengths(16), 0},     // UzCard
	{979200, 979299, maskLengths(16), 0},     // Troy
	{986000, 986099, maskLengths(16), 0},     // Humo
}

// issuersOf maps each first digit to the start of its rows.
var issuersOf = [16]uint8{0: 0, 1: 1, 2: 3, 3: 7, 4: 14, 5: 17, 6: 20, 7: 31, 8: 31, 9: 34}

// checkIssuer compares the digits with the issuer ranges in use. It returns whether their length is usual there, or at
// least allowed.
func checkIssuer(d []byte) (usual, allowed bool) {
	v := uint32(0)
	for _, x := range d[:6] {
		v = v*10 + uint32(x)
	}
	for _, r := range issuers[issuersOf[d[0]&15]:] {
		if v < r.lo {
			break
		}
		if v <= r.hi {
			usual = usual || r.usual>>len(d)&1 != 0
			allowed = allowed || (r.usual|r.rare)>>len(d)&1 != 0
		}
	}
	return usual, allowed
}
